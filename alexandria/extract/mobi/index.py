"""Reads indexes (INDX): tables of named entries with tagged numbers, and the strings (CNCX) they refer to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from alexandria.extract.mobi.palmdb import DamageError, Database, read_number

_MAX_ENTRIES = 1 << 20  # entries of one index; more are an attack, or a dictionary, whose index is not read
_STRING_RECORD_SPAN = 1 << 16  # offsets of strings that each record of strings has, whether it is full or not
_MAX_NUMBER_BYTES = 5  # bytes of a number of 32 bits, with seven bits in each

# Offsets in the first record of an index.
_TAGS_START, _N_ENTRY_RECORDS, _N_STRING_RECORDS = 4, 24, 52
# Offsets in a record of entries.
_TABLE_START, _N_ENTRIES = 20, 24


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A line of an index."""

    name: bytes
    values: Mapping[int, tuple[int, ...]]  # the values of each tag

    def value(self, tag: int, i: int = 0) -> int:
        """Return the value `i` of a tag.

        Raises:
            DamageError: the entry does not have it.
        """
        values = self.values.get(tag, ())
        if i >= len(values):
            raise DamageError("an entry of an index lacks a number")
        return values[i]

    def optional_value(self, tag: int) -> int | None:
        """Return the first value of a tag, or None if the entry has none."""
        return next(iter(self.values.get(tag, ())), None)


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

    number: int  # the number by which the tag is known, such as 1 for a position
    n_values: int  # how many values one occurrence has
    mask: int  # the bits of the control byte that count the occurrences
    is_end: bool  # True for a separator: the tags after it use the next control byte


class _Announcement(NamedTuple):
    """How many values of a tag follow in an entry, or how many bytes these values take."""

    tag_number: int
    n_values: int  # 0 if only their bytes are known
    n_bytes: int | None  # None if the number of values is known


def read_index(database: Database, first: int) -> Index:
    """Return the index whose header is the record `first`.

    The records of its entries follow the header, then the records of its strings.

    Raises:
        DamageError: a record is missing, of another kind, or an entry is outside its record.
    """
    head = database.record(first)
    n_entry_records = read_number(head, _N_ENTRY_RECORDS)
    n_string_records = read_number(head, _N_STRING_RECORDS)
    if head[:4] != b"INDX" or n_entry_records + n_string_records >= len(database):
        raise DamageError("the record of an index is of another kind")
    n_control_bytes, tags = _read_tags(head)
    first_entries = first + 1
    first_strings = first_entries + n_entry_records
    entries: list[IndexEntry] = []
    for number in range(first_entries, first_strings):
        for entry in _read_entries(database.record(number), n_control_bytes, tags):
            entries.append(entry)
            if len(entries) > _MAX_ENTRIES:
                raise DamageError(f"an index has more than {_MAX_ENTRIES:,} entries")
    string_records = map(database.record, range(first_strings, first_strings + n_string_records))
    return Index(tuple(entries), tuple(string_records))


def _read_tags(head: bytes) -> tuple[int, tuple[_Tag, ...]]:
    """Return the number of control bytes of an entry, and the tags that they announce.

    Args:
        head: the first record of the index, whose section TAGX holds both.

    Raises:
        DamageError: the section is missing or outside the record.
    """
    start = read_number(head, _TAGS_START)
    if head[start : start + 4] != b"TAGX":
        raise DamageError("an index does not say what its entries hold")
    end, n_control_bytes = start + read_number(head, start + 4), read_number(head, start + 8)
    if end > len(head):
        raise DamageError("the tags of an index are outside its record")
    lines = (head[i : i + 4] for i in range(start + 12, end - 3, 4))  # four bytes for each tag
    tags = (
        _Tag(number=number, n_values=n_values, mask=mask, is_end=end_flag == 1)
        for number, n_values, mask, end_flag in lines
    )
    return n_control_bytes, tuple(tags)


def _read_entries(record: bytes, n_control_bytes: int, tags: Sequence[_Tag]) -> Iterator[IndexEntry]:
    """Yield the entries of a record; a table after them has their offsets.

    Raises:
        DamageError: an entry is outside the record.
    """
    table, n_entries = read_number(record, _TABLE_START), read_number(record, _N_ENTRIES)
    first_offset = table + 4  # after the name of the table; two bytes for each offset
    for i in range(n_entries):
        start = read_number(record, first_offset + 2 * i, 2)
        is_last = i + 1 == n_entries
        end = table if is_last else read_number(record, first_offset + 2 * (i + 1), 2)
        if not start < end <= len(record):
            raise DamageError("an entry of an index is outside its record")
        name_end = start + 1 + record[start]  # a byte before the name states its length
        values = _read_values(record[name_end:end], n_control_bytes, tags)
        yield IndexEntry(record[start + 1 : name_end], values)


def _read_values(data: bytes, n_control_bytes: int, tags: Sequence[_Tag]) -> dict[int, tuple[int, ...]]:
    """Return the values of an entry by the number of their tag.

    Args:
        data: the entry without its name: control bytes, which announce the values, and then the values.

    Raises:
        DamageError: the entry ends before its values do.
    """
    announcements, offset = _read_announcements(data, n_control_bytes, tags)
    values: dict[int, tuple[int, ...]] = {}
    for tag_number, n_values, n_bytes in announcements:
        numbers: list[int] = []
        end = 0 if n_bytes is None else offset + n_bytes
        while offset < end or (n_bytes is None and len(numbers) < n_values):
            number, offset = _read_variable_number(data, offset)
            numbers.append(number)
        values[tag_number] = tuple(numbers)
    return values


def _read_announcements(
    data: bytes, n_control_bytes: int, tags: Sequence[_Tag]
) -> tuple[list[_Announcement], int]:
    """Return which values follow in an entry, and the offset at which the first of them begins."""
    # Each tag has some bits of a control byte, which count its occurrences. But if there are several bits and
    # all are set, a number after the control bytes states how many bytes the values of the tag take.
    control_byte = 0  # the index of the current one
    offset = n_control_bytes
    announcements: list[_Announcement] = []
    for tag in tags:
        if tag.is_end:
            control_byte += 1
            continue
        if control_byte >= min(n_control_bytes, len(data)) or not tag.mask:
            raise DamageError("an entry of an index ends before its tags")
        bits = data[control_byte] & tag.mask
        if not bits:
            continue
        if bits == tag.mask and tag.mask.bit_count() > 1:
            n_bytes, offset = _read_variable_number(data, offset)
            announcements.append(_Announcement(tag.number, n_values=0, n_bytes=n_bytes))
        else:
            lowest_bit = tag.mask & -tag.mask
            n_occurrences = bits // lowest_bit
            announcements.append(
                _Announcement(tag.number, n_values=n_occurrences * tag.n_values, n_bytes=None)
            )
    return announcements, offset


def _read_variable_number(data: bytes, start: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset after it.

    A number has seven bits in each byte; the high bit marks its last byte.

    Raises:
        DamageError: the number does not end.
    """
    value = 0
    for end, byte in enumerate(data[start : start + _MAX_NUMBER_BYTES], start + 1):
        value = (value << 7) | (byte & 0x7F)
        if byte & 0x80:
            return value, end
    raise DamageError("a number in an index does not end")
