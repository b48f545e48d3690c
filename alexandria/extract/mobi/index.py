"""Reads indexes (INDX): tables of named entries with tagged numbers, and the strings (CNCX) they refer to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from alexandria.extract.mobi.palmdb import DamageError, Database, read_number

_MAX_ENTRIES = 1 << 20
"""Entries of one index; more are an attack, or a dictionary, whose index is not read."""
_STRING_RECORD_SPAN = 1 << 16
"""Offsets of strings that each record of strings has, whether it is full or not."""
_MAX_NUMBER_BYTES = 5
"""Bytes of a number of 32 bits, with seven bits in each."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A line of an index."""

    name: bytes
    values: Mapping[int, tuple[int, ...]]
    """The values of each tag."""

    def value(self, tag: int, i: int = 0) -> int:
        """Return the value `i` of a tag.

        Raises:
            DamageError: the entry does not have it.
        """
        values = self.values.get(tag, ())
        if i >= len(values):
            raise DamageError("an entry of an index lacks a number")
        return values[i]


@dataclass(frozen=True, slots=True)
class Index:
    """The entries of an index, in order, and its strings."""

    entries: tuple[IndexEntry, ...]
    string_records: tuple[bytes, ...]

    def string(self, offset: int) -> bytes:
        """Return the string at an offset.

        Raises:
            DamageError: there is none.
        """
        i, record_offset = divmod(offset, _STRING_RECORD_SPAN)
        if i >= len(self.string_records):
            raise DamageError("an index refers to a string that is missing")
        record = self.string_records[i]
        length, start = _read_variable_number(record, record_offset)
        if start + length > len(record):
            raise DamageError("a string of an index is outside its record")
        return record[start : start + length]


@dataclass(frozen=True, slots=True)
class _Tag:
    """How the control bytes of an entry announce the values of a tag."""

    tag: int
    n_values: int
    """How many values one occurrence has."""
    mask: int
    """The bits of the control byte that count the occurrences."""
    is_end: bool
    """True for a separator: the tags after it use the next control byte."""


class _AnnouncedValues(NamedTuple):
    """The values of a tag that follow in an entry: how many there are, or how many bytes they take."""

    tag: int
    n_values: int
    n_bytes: int | None
    """None if the number of values is known."""


def read_index(database: Database, first: int) -> Index:
    """Return the index whose header is the record `first`.

    Raises:
        DamageError: a record is missing, of another kind, or an entry is outside its record.
    """
    head = database.record(first)
    n_records, n_string_records = read_number(head, 24), read_number(head, 52)
    if head[:4] != b"INDX" or n_records + n_string_records >= len(database):
        raise DamageError("the record of an index is of another kind")
    n_control_bytes, tags = _tags(head)
    entries: list[IndexEntry] = []
    for i in range(1, n_records + 1):
        for entry in _entries(database.record(first + i), n_control_bytes, tags):
            entries.append(entry)
            if len(entries) > _MAX_ENTRIES:
                raise DamageError(f"an index has more than {_MAX_ENTRIES:,} entries")
    first_strings = first + n_records + 1
    string_records = map(database.record, range(first_strings, first_strings + n_string_records))
    return Index(tuple(entries), tuple(string_records))


def _tags(head: bytes) -> tuple[int, tuple[_Tag, ...]]:
    """Return the number of control bytes of an entry, and the tags that they announce.

    Args:
        head: the first record of the index, in which the section TAGX holds both.
    """
    start = read_number(head, 4)
    if head[start : start + 4] != b"TAGX":
        raise DamageError("an index does not say what its entries hold")
    end, n_control_bytes = start + read_number(head, start + 4), read_number(head, start + 8)
    if end > len(head):
        raise DamageError("the tags of an index are outside its record")
    quads = (head[i : i + 4] for i in range(start + 12, end - 3, 4))
    return n_control_bytes, tuple(_Tag(q[0], q[1], q[2], q[3] == 1) for q in quads)


def _entries(record: bytes, n_control_bytes: int, tags: Sequence[_Tag]) -> Iterator[IndexEntry]:
    """Yield the entries of a record; a table at its end has their offsets.

    Raises:
        DamageError: an entry is outside the record.
    """
    table, n_entries = read_number(record, 20), read_number(record, 24)
    for i in range(n_entries):
        start = read_number(record, table + 4 + 2 * i, 2)
        end = read_number(record, table + 6 + 2 * i, 2) if i + 1 < n_entries else table
        if not start < end <= len(record):
            raise DamageError("an entry of an index is outside its record")
        name_end = start + 1 + record[start]
        values = _values(record[name_end:end], n_control_bytes, tags)
        yield IndexEntry(record[start + 1 : name_end], values)


def _values(data: bytes, n_control_bytes: int, tags: Sequence[_Tag]) -> dict[int, tuple[int, ...]]:
    """Return the values of an entry by tag.

    The entry begins with its control bytes, in which each tag has some bits. They count the occurrences of
    the tag; but if there are several and all are set, a number after the control bytes says how many
    bytes the values of the tag take.
    """
    control, at = 0, n_control_bytes  # the current control byte; the next byte after the control bytes
    announced: list[_AnnouncedValues] = []
    for tag in tags:
        if tag.is_end:
            control += 1
            continue
        if control >= min(n_control_bytes, len(data)) or not tag.mask:
            raise DamageError("an entry of an index ends before its tags")
        bits = data[control] & tag.mask
        if not bits:
            continue
        if bits == tag.mask and tag.mask.bit_count() > 1:
            n_bytes, at = _read_variable_number(data, at)
            announced.append(_AnnouncedValues(tag.tag, 0, n_bytes))
        else:
            lowest_bit = tag.mask & -tag.mask
            announced.append(_AnnouncedValues(tag.tag, bits // lowest_bit * tag.n_values, None))
    values: dict[int, tuple[int, ...]] = {}
    for tag_number, n_values, n_bytes_taken in announced:
        numbers: list[int] = []
        stop = 0 if n_bytes_taken is None else at + n_bytes_taken
        while at < stop or (n_bytes_taken is None and len(numbers) < n_values):
            value, at = _read_variable_number(data, at)
            numbers.append(value)
        values[tag_number] = tuple(numbers)
    return values


def _read_variable_number(data: bytes, start: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset after it.

    A number has seven bits in each byte; the high bit marks its last byte.

    Raises:
        DamageError: it does not end.
    """
    value = 0
    for end, byte in enumerate(data[start : start + _MAX_NUMBER_BYTES], start + 1):
        value = (value << 7) | (byte & 0x7F)
        if byte & 0x80:
            return value, end
    raise DamageError("a number in an index does not end")
