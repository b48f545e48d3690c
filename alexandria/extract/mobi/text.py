"""Reads the text of a book: its records, without the trailing entries in them, are unpacked and joined."""

from collections.abc import Callable

from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.huffman import Huffman
from alexandria.extract.mobi.palmdb import DamageError, Database

TEXT_BYTES = 64 << 20  # limit for the unpacked text, as for a chapter of an EPUB
_UNCOMPRESSED, _PALMDOC, _HUFFMAN = 1, 2, 17480  # values of `Header.compression`
_HUFF, _N_HUFF = 0x70, 0x74  # where the header names the first Huffman record, and how many there are
_OVERLAP = 1  # the bit of `Header.extra_flags` for the rest of a character that began in the record
_MAX_SIZE_BYTES = 4  # bytes of the size of a trailing entry


class TooLongError(Exception):
    """The text unpacks to more than `TEXT_BYTES`."""


def read_text(database: Database, header: Header) -> bytes:
    """Return the book's markup as it was before it was divided into records.

    Raises:
        DamageError: a record is missing, cannot be unpacked, or is of an unknown compression.
        TooLongError: the text is longer than any book.
    """
    unpack = _make_unpacker(database, header)
    texts = []
    n_bytes = 0
    for index in range(1, header.n_records + 1):
        texts.append(unpack(_without_trailing_entries(database.record(index), header.extra_flags)))
        n_bytes += len(texts[-1])
        if n_bytes > TEXT_BYTES:
            raise TooLongError
    return b"".join(texts)


def _make_unpacker(database: Database, header: Header) -> Callable[[bytes], bytes]:
    """Return the function that unpacks one record of the text.

    Raises:
        DamageError: the compression is unknown, or its codes are missing.
    """
    if header.compression == _UNCOMPRESSED:
        return bytes  # returns the record as it is
    if header.compression == _PALMDOC:
        return unpack_palmdoc
    if header.compression == _HUFFMAN:
        first = header.record_number(_HUFF) or 0
        n_records = header.record_number(_N_HUFF) or 0
        if n_records > len(database):
            raise DamageError(
                f"it has {len(database):,} records, but names {n_records:,} of Huffman codes alone"
            )
        codes = database.record(first)
        dictionaries = [database.record(first + i) for i in range(1, n_records)]
        return Huffman.parse(codes, dictionaries).unpack
    raise DamageError(f"its text is compressed in an unknown way ({header.compression})")


def _without_trailing_entries(record: bytes, extra_flags: int) -> bytes:
    """Return a record of text without the entries at its end, such as indexes of its words.

    There is one entry for each bit of `extra_flags` that is set.

    Raises:
        DamageError: the entries are longer than the record.
    """
    end = len(record)
    n_entries = (extra_flags >> 1).bit_count()  # the lowest bit is `_OVERLAP`
    for _ in range(n_entries):
        size = _trailing_entry_size(record, end)
        if not 0 < size <= end:
            raise DamageError("the entries after a record of text are longer than the record")
        end -= size
    if extra_flags & _OVERLAP and end:
        # The next record repeats the rest of the character. Of the last byte, two bits give its length.
        n_overlap_bytes = record[end - 1] & 3
        end = max(0, end - n_overlap_bytes - 1)
    return record[:end]


def _trailing_entry_size(record: bytes, end: int) -> int:
    """Return the size in bytes of the entry that ends at `end`; its last bytes state the size."""
    # Each of these bytes has seven bits of the size; the high bit marks the first of them.
    size = 0
    for byte in record[max(0, end - _MAX_SIZE_BYTES) : end]:
        if byte & 0x80:  # the first byte of the size: the bytes before it are the entry's content
            size = 0
        size = (size << 7) | (byte & 0x7F)
    return size


def unpack_palmdoc(data: bytes) -> bytes:
    """Return the unpacked text of a record in PalmDOC compression, at most five times as long as the record.

    It consists of literal bytes, references to the last 2,047 bytes, and pairs of a space and a letter.

    Raises:
        DamageError: a reference leads before the record's beginning.
    """
    out = bytearray()
    end = len(data)
    i = 0  # the next byte to read
    while i < end:
        byte = data[i]
        i += 1
        if 0x09 <= byte < 0x80 or not byte:
            out.append(byte)
        elif byte < 0x09:  # the number of literal bytes that follow
            out += data[i : i + byte]
            i += byte
        elif byte >= 0xC0:  # a space and a letter
            out += b" "
            out.append(byte ^ 0x80)
        elif i < end:  # a reference of two bytes: two fixed bits, 11 bits of distance, 3 of length
            pair = (byte << 8) | data[i]
            i += 1
            distance, length = (pair >> 3) & 0x7FF, (pair & 7) + 3
            if not 0 < distance <= len(out):
                raise DamageError("its compressed text refers to text before its beginning")
            start = len(out) - distance
            copied = out[start : start + length]
            # A reference may extend into the text that it produces: the copied bytes then repeat.
            out += (copied * (length // len(copied) + 1))[:length]
    return bytes(out)
