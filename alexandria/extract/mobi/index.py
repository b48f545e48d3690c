"""Indexes (INDX): tables of named entries with tagged numbers, and the strings (CNCX) that they refer to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from alexandria.extract.mobi.palmdb import DamageError, Database, number

_MOST_ENTRIES = 1 << 20
"""Of one index: more are a bomb. The largest genuine one, a dictionary's, is not read."""
_STRINGS = 1 << 16
"""How far the offsets of two records of strings are apart."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A line of an index."""

    name: bytes
    values: Mapping[int, tuple[int, ...]]
    """By tag."""

    def value(self, tag: int, i: int = 0) -> int:
        """Return a value of a tag that the entry must have.

        Raises:
            DamageError: it does not have it.
        """
        values = self.values.get(tag, ())
        if i >= len(values):
            raise DamageError("an entry of an index lacks a number")
        return values[i]


@dataclass(frozen=True, slots=True)
class Index:
    """The entries of an index in its order, and its strings."""

    entries: tuple[IndexEntry, ...]
    records: tuple[bytes, ...]
    """Of strings."""

    def string(self, offset: int) -> bytes:
        """Return the string at an offset.

        Raises:
            DamageError: there is none.
        """
        if offset // _STRINGS >= len(self.records):
            raise DamageError("an index refers to a string that is missing")
        record = self.records[offset // _STRINGS]
        length, at = _number(record, offset % _STRINGS)
        if at + length > len(record):
            raise DamageError("a string of an index is outside its record")
        return record[at : at + length]


@dataclass(frozen=True, slots=True)
class _Tag:
    tag: int
    n_values: int
    """Of one occurrence."""
    mask: int
    is_end: bool
    """The tags after it use the next control byte."""


def read_index(database: Database, first: int) -> Index:
    """Return the index whose header is the record `first`.

    Raises:
        DamageError: a record is missing, of another kind, or an entry is outside its record.
    """
    head = database.record(first)
    n_records, n_strings = number(head, 24), number(head, 52)
    if head[:4] != b"INDX" or n_records + n_strings >= len(database):
        raise DamageError("the record of an index is of another kind")
    n_control, tags = _tags(head)
    entries: list[IndexEntry] = []
    for i in range(1, n_records + 1):
        for entry in _entries(database.record(first + i), n_control, tags):
            entries.append(entry)
            if len(entries) > _MOST_ENTRIES:
                raise DamageError(f"an index has more than {_MOST_ENTRIES:,} entries")
    strings = range(first + n_records + 1, first + n_records + 1 + n_strings)
    return Index(tuple(entries), tuple(map(database.record, strings)))


def _tags(head: bytes) -> tuple[int, tuple[_Tag, ...]]:
    """Return the number of control bytes of an entry, and the tags that these announce."""
    at = number(head, 4)
    if head[at : at + 4] != b"TAGX":
        raise DamageError("an index does not say what its entries hold")
    end, n_control = at + number(head, at + 4), number(head, at + 8)
    if end > len(head):
        raise DamageError("the tags of an index are outside its record")
    quads = (head[i : i + 4] for i in range(at + 12, end - 3, 4))
    return n_control, tuple(_Tag(q[0], q[1], q[2], q[3] == 1) for q in quads)


def _entries(record: bytes, n_control: int, tags: Sequence[_Tag]) -> Iterator[IndexEntry]:
    table, n = number(record, 20), number(record, 24)
    for i in range(n):
        at = number(record, table + 4 + 2 * i, 2)
        end = number(record, table + 6 + 2 * i, 2) if i + 1 < n else table
        if not at < end <= len(record):
            raise DamageError("an entry of an index is outside its record")
        name_end = at + 1 + record[at]
        yield IndexEntry(record[at + 1 : name_end], _values(record[name_end:end], n_control, tags))


def _values(data: bytes, n_control: int, tags: Sequence[_Tag]) -> dict[int, tuple[int, ...]]:
    """Return the values by tag; how many each has is in the control bytes, or after them."""
    control, at = 0, n_control
    announced: list[tuple[_Tag, int, int | None]] = []  # tag, occurrences, or the bytes that its values take
    for tag in tags:
        if tag.is_end:
            control += 1
            continue
        if control >= min(n_control, len(data)) or not tag.mask:
            raise DamageError("an entry of an index ends before its tags")
        bits = data[control] & tag.mask
        if not bits:
            continue
        if bits == tag.mask and tag.mask.bit_count() > 1:
            n_bytes, at = _number(data, at)
            announced.append((tag, 0, n_bytes))
        else:
            announced.append((tag, bits // (tag.mask & -tag.mask), None))
    values: dict[int, tuple[int, ...]] = {}
    for tag, n, size in announced:
        numbers: list[int] = []
        stop = 0 if size is None else at + size
        while at < stop or (size is None and len(numbers) < n * tag.n_values):
            each, at = _number(data, at)
            numbers.append(each)
        values[tag.tag] = tuple(numbers)
    return values


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at an offset, and where it ends: seven bits a byte, a high bit in the last byte."""
    value = 0
    for i, byte in enumerate(data[at : at + 5], at + 1):
        value = (value << 7) | (byte & 0x7F)
        if byte & 0x80:
            return value, i
    raise DamageError("a number in an index does not end")
