"""Record 0: how the text is stored, where the indexes are, and the metadata (EXTH)."""

import html
import locale
import re
from collections.abc import Mapping
from dataclasses import dataclass

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.mobi.palmdb import BOUNDARY, DamageError, Database, number

MOBI = b"MOBI"
"""The first bytes of the header, after those of PalmDOC."""
_NONE = 0xFFFFFFFF
"""In place of a record's number: there is none."""
_ENCODINGS = {1252: "cp1252", 65001: "utf-8"}
_KF8 = 8
"""The file version from which the text is in parts."""
_MIN_EXTH_RECORD = 8
_PALMDOC_BYTES = 16

# EXTH records.
_AUTHOR, _PUBLISHER, _ISBN, _SUBJECT, _DATE, _ASIN = 100, 101, 104, 105, 106, 113
_BOUNDARY, _TITLE, _LANGUAGE = 121, 503, 524


@dataclass(frozen=True, slots=True)
class Header:
    """What record 0 says of the book; a record that it does not name is None."""

    record: bytes
    encryption: int
    """0: none; 1: old Mobipocket DRM; 2: Mobipocket or Kindle DRM."""
    compression: int
    n_bytes: int
    """Of the text, uncompressed; may lie."""
    n_records: int
    """Of text: records 1 to n."""
    encoding: str
    version: int
    extra: int
    """Bits that say which entries follow the text of a record."""
    exth: Mapping[int, tuple[bytes, ...]]

    @classmethod
    def parse(cls, record: bytes) -> "Header":
        """Read record 0.

        Raises:
            DamageError: it is no MOBI header, or ends inside one.
        """
        if record[16:20] != MOBI:
            raise DamageError("its first record is not the header of a MOBI book")
        length = number(record, 20)
        header = record[: 16 + length]
        # 0xF2: the low half of the number at 0xF0. Headers of version 5 end before it.
        extra = number(header, 0xF2, 2) if length >= 0xE4 and len(header) >= 0xF4 else 0
        return cls(
            record=header,
            encryption=number(record, 12, 2),
            compression=number(record, 0, 2),
            n_bytes=number(record, 4),
            n_records=number(record, 8, 2),
            encoding=_ENCODINGS.get(number(record, 28), "utf-8"),
            version=number(record, 36),
            extra=extra,
            exth=_exth(record, 16 + length) if number(record, 0x80) & 0x40 else {},
        )

    @classmethod
    def of_palmdoc(cls, record: bytes) -> "Header":
        """Read record 0 of a PalmDOC book, which says how its text is stored and nothing else.

        Raises:
            DamageError: it ends inside its header.
        """
        return cls(
            record=record[:_PALMDOC_BYTES],
            encryption=0,
            compression=number(record, 0, 2),
            n_bytes=number(record, 4),
            n_records=number(record, 8, 2),
            encoding="cp1252",
            version=0,
            extra=0,
            exth={},
        )

    @property
    def is_kf8(self) -> bool:
        """Whether the text is in parts (KF8) rather than one document (MOBI 6)."""
        return self.version >= _KF8

    def index(self, offset: int) -> int | None:
        """Return the number of a record that the header names at an offset, or None."""
        if offset + 4 > len(self.record):
            return None
        index = number(self.record, offset)
        return index if index != _NONE else None

    def decoded(self, data: bytes) -> str:
        """Return text of the header or of an index."""
        return one_line(data.decode(self.encoding, "replace"))

    def texts(self, kind: int) -> tuple[str, ...]:
        """Return the values of a kind of EXTH record, without empty ones."""
        return tuple(text for value in self.exth.get(kind, ()) if (text := self.decoded(value)))


def second_book(database: Database, header: Header) -> Database | None:
    """Return the KF8 book in a joint file, whose first book is for old readers, or None."""
    for value in header.exth.get(_BOUNDARY, ()):
        start = int.from_bytes(value, "big")
        try:
            if database.record(start - 1).startswith(BOUNDARY):
                return database.starting_at(start)
        except DamageError:
            continue  # the value means nothing in a file with one book
    return None


def header_metadata(database: Database, header: Header, whole: bytes) -> Metadata:
    """Return the metadata; the title is EXTH's, the full name in record 0 (`whole`), or the database's."""
    start = number(whole, 0x54)
    full_name = header.decoded(whole[start : start + number(whole, 0x58)])
    language = next(iter(header.texts(_LANGUAGE)), None) or _language(number(whole, 0x5C))
    return Metadata(
        title=next(iter(header.texts(_TITLE)), "") or full_name or header.decoded(database.name),
        authors=header.texts(_AUTHOR),
        language=language,
        language_source="metadata" if language else None,
        publisher=next(iter(header.texts(_PUBLISHER)), ""),
        date=next(iter(header.texts(_DATE)), ""),
        identifiers=(*header.texts(_ISBN), *header.texts(_ASIN)),
        subjects=header.texts(_SUBJECT),
    )


def palmdoc_metadata(head: bytes, header: Header, name: str) -> Metadata:
    """Return what the first bytes of a PalmDOC book's markup say, in elements of Dublin Core."""

    def texts(element: str) -> tuple[str, ...]:
        found = re.findall(rb"<dc:%b\b[^<>]{0,99}>([^<>]*)</dc:" % element.encode(), head, re.I)
        return tuple(text for value in found if (text := html.unescape(header.decoded(value))))

    language = next(iter(texts("language")), None)
    return Metadata(
        title=next(iter(texts("title")), name),
        authors=texts("creator"),
        language=language,
        language_source="metadata" if language else None,
        publisher=next(iter(texts("publisher")), ""),
        date=next(iter(texts("date")), ""),
    )


def _language(code: int) -> str | None:
    """Return the language of a Windows locale, or None if the code names none or several."""
    if exact := locale.windows_locale.get(code):
        return exact.partition("_")[0]
    primary = code & 0x3FF
    names = {
        name.partition("_")[0] for each, name in locale.windows_locale.items() if each & 0x3FF == primary
    }
    return names.pop() if len(names) == 1 else None


def _exth(record: bytes, at: int) -> dict[int, tuple[bytes, ...]]:
    """Return the values of the EXTH records by kind; those after a damaged one are not read."""
    values: dict[int, tuple[bytes, ...]] = {}
    if record[at : at + 4] != b"EXTH":
        return values
    n = number(record, at + 8)
    at += 12
    while n and at + _MIN_EXTH_RECORD <= len(record):
        kind, size = number(record, at), number(record, at + 4)
        if size < _MIN_EXTH_RECORD or at + size > len(record):
            break
        values[kind] = (*values.get(kind, ()), record[at + _MIN_EXTH_RECORD : at + size])
        at += size
        n -= 1
    return values
