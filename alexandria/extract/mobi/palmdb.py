"""The Palm database that holds a MOBI book: a table of records, whose offsets may lie."""

from dataclasses import dataclass
from struct import Struct, unpack_from

HEADER_BYTES = 78
_N_RECORDS = 76
_ENTRY = Struct(">L4x")
BOUNDARY = b"BOUNDARY"
"""The record between the two books of a joint file."""


class DamageError(Exception):
    """The file contradicts itself; the message says where, in words for the reader."""


@dataclass(frozen=True, slots=True)
class Database:
    """The records of a file, or those of the second book in it."""

    data: bytes
    offsets: tuple[int, ...]
    """Where each record begins, and the file's end; unchecked."""
    first: int = 0
    """The record that counts as number 0."""

    @classmethod
    def parse(cls, data: bytes) -> "Database":
        """Return the records of a file.

        Raises:
            DamageError: the file ends inside its table of records.
        """
        n = number(data, _N_RECORDS, 2)
        end = HEADER_BYTES + n * _ENTRY.size
        if not n or len(data) < end:
            raise DamageError(f"it ends inside its table of {n:,} records")
        offsets = (offset for (offset,) in _ENTRY.iter_unpack(data[HEADER_BYTES:end]))
        return cls(data, (*offsets, len(data)))

    def __len__(self) -> int:
        return len(self.offsets) - 1 - self.first

    @property
    def name(self) -> bytes:
        """The database's name, 31 bytes of the title at most."""
        return self.data[:32].partition(b"\0")[0]

    @property
    def is_palmdoc(self) -> bool:
        """Whether it is of the kind that MOBI grew out of: plain text, or its early markup."""
        return self.data[60:68] == b"TEXtREAd"

    def starting_at(self, index: int) -> "Database":
        """Return the records of a second book, whose numbers begin at `index`."""
        return Database(self.data, self.offsets, index)

    def record(self, index: int) -> bytes:
        """Return a record's bytes.

        Raises:
            DamageError: there is no such record, or it is outside the file.
        """
        if not 0 <= index < len(self):
            raise DamageError(f"it refers to record {index:,}, but has {len(self):,} records")
        start, end = self.offsets[self.first + index : self.first + index + 2]
        if not HEADER_BYTES <= start <= end <= len(self.data):
            raise DamageError(
                f"record {index:,} is outside the file: the file is cut off or its table is wrong"
            )
        return self.data[start:end]


def number(data: bytes, offset: int, n_bytes: int = 4) -> int:
    """Return the unsigned big-endian number of two or four bytes at an offset.

    Raises:
        DamageError: the data ends before it.
    """
    if not 0 <= offset <= len(data) - n_bytes:
        raise DamageError(f"a record of {len(data):,} bytes ends before its byte {offset:,}")
    value: int = unpack_from(">L" if n_bytes == 4 else ">H", data, offset)[0]
    return value
