"""The Palm database that holds a MOBI book: a table of records, whose offsets may be wrong."""

from dataclasses import dataclass
from struct import Struct, unpack_from

HEADER_BYTES = 78
_N_RECORDS = 76  # the offset of the number of records
_ENTRY = Struct(">L4x")  # an entry of the table: the offset of a record, then attributes
BOUNDARY = b"BOUNDARY"  # the record between the two books of a joint file


class DamageError(Exception):
    """The file contradicts itself; the message says where, and is shown to the user."""


@dataclass(frozen=True, slots=True)
class Database:
    """The records of a file, or those of the second book in it."""

    data: bytes
    offsets: tuple[int, ...]  # the offset at which each record begins, then the end of the file; unchecked
    first: int = 0  # the index in `offsets` of the record that has number 0

    @classmethod
    def parse(cls, data: bytes) -> "Database":
        """Return the records of a file.

        Raises:
            DamageError: the file ends inside its table of records.
        """
        n_records = read_number(data, _N_RECORDS, 2)
        table_end = HEADER_BYTES + n_records * _ENTRY.size
        if not n_records or len(data) < table_end:
            raise DamageError(f"it ends inside its table of {n_records:,} records")
        offsets = (offset for (offset,) in _ENTRY.iter_unpack(data[HEADER_BYTES:table_end]))
        return cls(data, (*offsets, len(data)))

    def __len__(self) -> int:
        return len(self.offsets) - 1 - self.first

    @property
    def name(self) -> bytes:
        """The name of the database: the first 31 bytes of the title, at most."""
        return self.data[:32].partition(b"\0")[0]

    @property
    def is_palmdoc(self) -> bool:
        """Whether the database is of the kind that preceded MOBI: plain text, or early markup."""
        return self.data[60:68] == b"TEXtREAd"  # its type and its creator

    def starting_at(self, index: int) -> "Database":
        """Return the records of the second book in the file, whose record 0 is the record `index`."""
        return Database(self.data, self.offsets, first=index)

    def record(self, index: int) -> bytes:
        """Return a record's bytes.

        Raises:
            DamageError: there is no such record, or it is outside the file.
        """
        if not 0 <= index < len(self):
            raise DamageError(f"it refers to record {index:,}, but has {len(self):,} records")
        i = self.first + index
        start, end = self.offsets[i], self.offsets[i + 1]
        if not HEADER_BYTES <= start <= end <= len(self.data):
            raise DamageError(
                f"record {index:,} is outside the file: the file is cut off or its table is wrong"
            )
        return self.data[start:end]


def read_number(data: bytes, offset: int, n_bytes: int = 4) -> int:
    """Return the unsigned big-endian number at an offset, of two or four bytes.

    Raises:
        DamageError: the data ends before the number does.
    """
    if not 0 <= offset <= len(data) - n_bytes:
        raise DamageError(f"a record of {len(data):,} bytes ends before its byte {offset:,}")
    value: int = unpack_from(">L" if n_bytes == 4 else ">H", data, offset)[0]
    return value
