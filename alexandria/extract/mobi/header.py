"""Reads record 0: how the text is stored, where the indexes are, and the metadata (EXTH)."""

import html
import locale
import re
from collections.abc import Mapping
from dataclasses import dataclass

from alexandria.book.model import Metadata
from alexandria.book.people import people_of
from alexandria.extract.clean import one_line
from alexandria.extract.metadata import displayed_authors, divide_imprint, is_date
from alexandria.extract.mobi.palmdb import BOUNDARY, DamageError, Database, read_number

MOBI = b"MOBI"  # the first bytes of the header of MOBI, which follows the header of PalmDOC
_NO_RECORD = 0xFFFFFFFF  # stands in place of the number of a record that does not exist
_ENCODINGS = {1252: "cp1252", 65001: "utf-8"}
_KF8 = 8  # the file version from which the text is in parts
_EXTH_RECORD_HEADER_BYTES = 8  # bytes of the kind and the size before each value of EXTH, in that size
_PALMDOC_BYTES = 16  # bytes of the header of PalmDOC, with which record 0 begins
_PRIMARY_LANGUAGE = 0x3FF  # the bits of a Windows locale that are the language, without the country

# Offsets in record 0.
_COMPRESSION, _N_BYTES, _N_RECORDS, _ENCRYPTION = 0, 4, 8, 12
_LENGTH, _ENCODING, _VERSION = 20, 28, 36
_FULL_NAME_START, _FULL_NAME_LENGTH, _LOCALE = 0x54, 0x58, 0x5C
_FLAGS, _EXTRA_FLAGS = 0x80, 0xF2
_HAS_EXTH = 0x40  # the bit of the flags that says that EXTH records follow the header

# EXTH records.
_AUTHOR, _PUBLISHER, _ISBN, _SUBJECT, _DATE, _ASIN = 100, 101, 104, 105, 106, 113
_BOUNDARY, _TITLE, _LANGUAGE = 121, 503, 524


@dataclass(frozen=True, slots=True)
class Header:
    """What record 0 says about the book."""

    record: bytes  # the header itself, in which `record_number` looks up the numbers of records
    encryption: int  # 0: none; 1: old Mobipocket DRM; 2: Mobipocket or Kindle DRM
    compression: int  # 1: none; 2: PalmDOC; 17480: Huffman
    n_bytes: int  # the length of the text, uncompressed, as the file states it; it may be wrong
    n_records: int  # how many records the text has: records 1 to n
    encoding: str
    version: int
    extra_flags: int  # bits that say which entries follow the text in each record
    exth: Mapping[int, tuple[bytes, ...]]  # the values of the EXTH records, by kind

    @classmethod
    def parse(cls, record: bytes) -> "Header":
        """Read record 0.

        Raises:
            DamageError: the record is not a MOBI header, or ends inside one.
        """
        if record[_PALMDOC_BYTES : _PALMDOC_BYTES + len(MOBI)] != MOBI:
            raise DamageError("its first record is not the header of a MOBI book")
        header_end = _PALMDOC_BYTES + read_number(record, _LENGTH)
        header = record[:header_end]
        # Headers before version 6 end before these flags, which are the low half of a number of four bytes.
        has_extra_flags = len(header) >= _EXTRA_FLAGS + 2
        extra_flags = read_number(header, _EXTRA_FLAGS, 2) if has_extra_flags else 0
        return cls(
            record=header,
            encryption=read_number(record, _ENCRYPTION, 2),
            compression=read_number(record, _COMPRESSION, 2),
            n_bytes=read_number(record, _N_BYTES),
            n_records=read_number(record, _N_RECORDS, 2),
            encoding=_ENCODINGS.get(read_number(record, _ENCODING), "utf-8"),
            version=read_number(record, _VERSION),
            extra_flags=extra_flags,
            exth=_read_exth(record, header_end) if read_number(record, _FLAGS) & _HAS_EXTH else {},
        )

    @classmethod
    def of_palmdoc(cls, record: bytes) -> "Header":
        """Read record 0 of a PalmDOC book, which only says how its text is stored.

        Raises:
            DamageError: the record ends inside the header.
        """
        return cls(
            record=record[:_PALMDOC_BYTES],
            encryption=0,
            compression=read_number(record, _COMPRESSION, 2),
            n_bytes=read_number(record, _N_BYTES),
            n_records=read_number(record, _N_RECORDS, 2),
            encoding="cp1252",
            version=0,
            extra_flags=0,
            exth={},
        )

    @property
    def is_kf8(self) -> bool:
        """Whether the text is in parts (KF8) rather than one document (MOBI 6)."""
        return self.version >= _KF8

    def record_number(self, offset: int) -> int | None:
        """Return the number of a record that the header names at this offset, or None if it names none."""
        if offset + 4 > len(self.record):
            return None
        number = read_number(self.record, offset)
        return number if number != _NO_RECORD else None

    def decode(self, data: bytes) -> str:
        """Return bytes of the header or of an index as one line of text."""
        return one_line(data.decode(self.encoding, "replace"))

    def texts(self, kind: int) -> tuple[str, ...]:
        """Return the values of one kind of EXTH record, without empty ones."""
        return tuple(text for value in self.exth.get(kind, ()) if (text := self.decode(value)))


def find_second_book(database: Database, header: Header) -> Database | None:
    """Return the KF8 book of a joint file, in which it follows a MOBI 6 book for old readers, or None."""
    for value in header.exth.get(_BOUNDARY, ()):
        start = int.from_bytes(value, "big")
        try:
            if database.record(start - 1).startswith(BOUNDARY):
                return database.starting_at(start)
        except DamageError:
            continue  # there is no such record: in a file with one book, the value means nothing
    return None


def header_metadata(database: Database, header: Header, record: bytes) -> Metadata:
    """Return the metadata of a book.

    The title is the title in EXTH, otherwise the full name in record 0, otherwise the name of the database.

    Args:
        record: record 0, of which the header is the beginning.
    """
    start = read_number(record, _FULL_NAME_START)
    full_name = header.decode(record[start : start + read_number(record, _FULL_NAME_LENGTH)])
    language = next(iter(header.texts(_LANGUAGE)), None) or _language_of_locale(read_number(record, _LOCALE))
    people = tuple(person for text in header.texts(_AUTHOR) for person in people_of(text, language=language))
    place, publisher = divide_imprint(next(iter(header.texts(_PUBLISHER)), ""))
    return Metadata(
        title=next(iter(header.texts(_TITLE)), "") or full_name or header.decode(database.name),
        authors=displayed_authors(people),
        people=people,
        language=language,
        language_source="metadata" if language else None,
        publisher=publisher,
        place=place,
        date=next(filter(is_date, header.texts(_DATE)), ""),
        identifiers=(*header.texts(_ISBN), *header.texts(_ASIN)),
        subjects=header.texts(_SUBJECT),
    )


def palmdoc_metadata(head: bytes, header: Header, name: str) -> Metadata:
    """Return the metadata of a PalmDOC book that its markup states, such as `<dc:Title>Emma</dc:Title>`.

    Args:
        head: the first bytes of the markup.
        name: the title, if the markup does not state one.
    """

    def texts(element: str) -> tuple[str, ...]:
        """Return the content of each Dublin Core element of this name, in any case, without empty ones."""
        values = re.findall(rb"<dc:%b\b[^<>]{0,99}>([^<>]*)</dc:" % element.encode(), head, re.I)
        return tuple(text for value in values if (text := html.unescape(header.decode(value))))

    language = next(iter(texts("language")), None)
    return Metadata(
        title=next(iter(texts("title")), name),
        authors=texts("creator"),
        language=language,
        language_source="metadata" if language else None,
        publisher=next(iter(texts("publisher")), ""),
        date=next(iter(texts("date")), ""),
    )


def _language_of_locale(code: int) -> str | None:
    """Return the language of a Windows locale, such as `en` for 1033 (`en_US`)."""
    # Only the language's bits of the code count if the code is unknown. Return None if no language has these
    # bits, or several share them.
    if name := locale.windows_locale.get(code):
        return name.partition("_")[0]
    primary = code & _PRIMARY_LANGUAGE
    languages = {
        name.partition("_")[0]
        for other, name in locale.windows_locale.items()
        if other & _PRIMARY_LANGUAGE == primary
    }
    return languages.pop() if len(languages) == 1 else None


def _read_exth(record: bytes, start: int) -> dict[int, tuple[bytes, ...]]:
    """Return the values of the EXTH records by kind, up to the first damaged one."""
    values: dict[int, tuple[bytes, ...]] = {}
    if record[start : start + 4] != b"EXTH":
        return values
    n_left = read_number(record, start + 8)
    offset = start + 12
    while n_left and offset + _EXTH_RECORD_HEADER_BYTES <= len(record):
        kind, size = read_number(record, offset), read_number(record, offset + 4)
        end = offset + size
        if size < _EXTH_RECORD_HEADER_BYTES or end > len(record):
            break
        value = record[offset + _EXTH_RECORD_HEADER_BYTES : end]
        values[kind] = (*values.get(kind, ()), value)
        offset = end
        n_left -= 1
    return values
