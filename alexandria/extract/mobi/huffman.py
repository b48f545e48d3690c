"""HUFF/CDIC compression: codes of up to 32 bits for phrases, which may be compressed themselves."""

from dataclasses import dataclass, field

from alexandria.extract.mobi.palmdb import DamageError, read_number

_MAX_DEPTH = 32  # phrases within phrases; genuine dictionaries have a few levels
_MAX_BYTES = 1 << 16  # bytes of a phrase or a record, unpacked; genuine ones have 4,096, nested ones grow
_CDIC_HEADER_BYTES = 16  # bytes of a CDIC record before its table of phrases
_PLAIN = 0x8000  # the bit in a phrase's length that says it is not compressed
_MAX_CODE_BITS = 32
_MAX_INDEX_BITS = 16  # bits of a phrase's index in its record; the offsets of phrases have no more


@dataclass(frozen=True, slots=True)
class _Prefix:
    """What the first eight bits of a code say about it."""

    length: int  # the length of the code in bits; the minimum if the prefix is not whole
    is_whole: bool  # True if the first eight bits determine the length
    largest: int  # the largest code of this length, as the high bits of 32, the other bits set


@dataclass(slots=True)
class Huffman:
    """The tables of a book's compression. Phrases are unpacked when they are first used."""

    prefixes: tuple[_Prefix, ...]  # what the first eight bits of a code say, by their value
    smallest: tuple[int, ...]  # the smallest code of each length, as the high bits of 32, the others 0
    largest: tuple[int, ...]  # the largest code of each length, as the high bits of 32, the others set
    phrases: list[tuple[bytes, bool]]  # each phrase, and whether it is still compressed
    unpacking: set[int] = field(default_factory=set)
    """The indexes of the phrases that are being unpacked, each inside another one."""

    @classmethod
    def parse(cls, huff: bytes, dictionaries: list[bytes]) -> "Huffman":
        """Read the HUFF record and its CDIC records.

        Raises:
            DamageError: a table or phrase is outside its record.
        """
        if huff[:4] != b"HUFF":
            raise DamageError("the record of its Huffman codes is of another kind")
        prefix_table, length_table = read_number(huff, 8), read_number(huff, 12)
        prefixes = tuple(_parse_prefix(read_number(huff, prefix_table + 4 * i)) for i in range(256))
        smallest, largest = [0], [0]  # no code has length 0
        for length in range(1, _MAX_CODE_BITS + 1):
            entry = length_table + 8 * (length - 1)
            smallest.append(read_number(huff, entry) << (_MAX_CODE_BITS - length))
            largest.append(_as_largest(read_number(huff, entry + 4), length))
        phrases: list[tuple[bytes, bool]] = []
        for dictionary in dictionaries:
            phrases += _parse_phrases(dictionary, len(phrases))
        return cls(prefixes=prefixes, smallest=tuple(smallest), largest=tuple(largest), phrases=phrases)

    def unpack(self, data: bytes) -> bytes:
        """Return the unpacked text of a record or a phrase.

        Raises:
            DamageError: a code means nothing, or phrases contain themselves or grow beyond any text.
        """
        if len(data) > _MAX_BYTES:
            raise DamageError(f"a record of its text has more than {_MAX_BYTES >> 10} KiB")
        out = bytearray()
        n_bits_left = 8 * len(data)
        # Four zero bytes at the end, so that there are always 32 bits to look at.
        bits = int.from_bytes(data + bytes(4), "big")
        while n_bits_left > 0:
            window = (bits >> n_bits_left) & 0xFFFFFFFF  # the next 32 bits
            prefix = self.prefixes[window >> 24]
            length, largest = prefix.length, prefix.largest
            if not prefix.is_whole:  # the code is longer: try each length from the minimum on
                while length <= _MAX_CODE_BITS and window < self.smallest[length]:
                    length += 1
                if length > _MAX_CODE_BITS:
                    raise DamageError("its text holds a Huffman code that means nothing")
                largest = self.largest[length]
            n_bits_left -= length
            if n_bits_left < 0:
                break  # only the bits that fill the last byte were left
            # Phrases are numbered downwards from the largest code of each length.
            out += self._unpack_phrase((largest - window) >> (_MAX_CODE_BITS - length))
            if len(out) > _MAX_BYTES:
                raise DamageError(f"a piece of its text unpacks to more than {_MAX_BYTES >> 10} KiB")
        return bytes(out)

    def _unpack_phrase(self, index: int) -> bytes:
        """Return a phrase, unpacked, and store it unpacked for the next uses."""
        if not 0 <= index < len(self.phrases):
            raise DamageError(f"its text uses phrase {index:,} of {len(self.phrases):,}")
        phrase, is_packed = self.phrases[index]
        if is_packed:
            if index in self.unpacking or len(self.unpacking) >= _MAX_DEPTH:
                raise DamageError(
                    "the phrases of its Huffman dictionary contain themselves or are nested too deep"
                )
            self.unpacking.add(index)
            phrase = self.unpack(phrase)
            self.unpacking.remove(index)
            self.phrases[index] = phrase, False
        return phrase


def _parse_prefix(value: int) -> _Prefix:
    """Return an entry of the table of prefixes, read from its 32 bits.

    Raises:
        DamageError: the entry is for codes of no bits.
    """
    length = value & 0x1F
    if not length:
        raise DamageError("its table of Huffman codes has a code without bits")
    return _Prefix(length=length, is_whole=bool(value & 0x80), largest=_as_largest(value >> 8, length))


def _as_largest(code: int, length: int) -> int:
    """Return a code of `length` bits as the high bits of 32, the other bits set."""
    return ((code + 1) << (_MAX_CODE_BITS - length)) - 1


def _parse_phrases(record: bytes, n_before: int) -> list[tuple[bytes, bool]]:
    """Return the phrases of a dictionary record, each with whether it is compressed.

    Args:
        n_before: how many phrases are in the records before it.

    Raises:
        DamageError: the record is of another kind, or a phrase is outside it.
    """
    if record[:4] != b"CDIC":
        raise DamageError("a record of its Huffman dictionary is of another kind")
    n_total, n_index_bits = read_number(record, 8), read_number(record, 12)
    # All records but the last are full: they hold as many phrases as their index bits can number.
    n_phrases = min(1 << min(n_index_bits, _MAX_INDEX_BITS), max(n_total - n_before, 0))
    phrases = []
    for i in range(n_phrases):
        start = _CDIC_HEADER_BYTES + read_number(record, _CDIC_HEADER_BYTES + 2 * i, 2)
        length_and_flag = read_number(record, start, 2)
        is_compressed = not length_and_flag & _PLAIN
        end = start + 2 + (length_and_flag & ~_PLAIN)
        if end > len(record):
            raise DamageError("a phrase of its Huffman dictionary is outside its record")
        phrases.append((record[start + 2 : end], is_compressed))
    return phrases
