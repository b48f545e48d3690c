"""Reads the members of a book that is a ZIP archive: within limits, and despite differences in spelling."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from alexandria.extract.markup.tree import fold
from alexandria.extract.probe import DAMAGE
from alexandria.extract.refusals import damaged, locked, too_large

MEMBER_BYTES = 64 * 1024 * 1024  # limit for one member: ten times the longest novel; parsed in 1 GB
BOOK_BYTES = 512 * 1024 * 1024  # limit for all members: a hundred times a long encyclopedia volume


class MemberError(Exception):
    """A member is missing or damaged; the book may be readable without it."""


@dataclass(slots=True)
class Container:
    """An open archive."""

    path: Path
    archive: zipfile.ZipFile
    names: Mapping[str, str]  # the names of members by their folded forms (`fold`), which differ less
    bytes_read: int = field(default=0)

    @classmethod
    def open(cls, path: Path) -> "Container":
        """Open the archive.

        Raises:
            BookError: `damaged`, if its central directory is incomplete.
        """
        try:
            archive = zipfile.ZipFile(path)
        except (*DAMAGE, ValueError) as error:  # ValueError: a member's name claims to be UTF-8 and is not
            raise damaged(path, f"its ZIP archive is damaged or truncated ({error})") from error
        # The first of several members that fold to one name wins, as in most readers.
        names = {fold(name): name for name in reversed(archive.namelist())}
        return cls(path, archive, names)

    def __enter__(self) -> "Container":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.archive.close()

    def find(self, name: str) -> str | None:
        """Return the name of a member as the archive spells it, or None if there is no such member."""
        if name in self.archive.NameToInfo:
            return name
        return self.names.get(fold(name))

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            MemberError: the member is missing or damaged.
            BookError: `too_large`, or `password` for an encrypted archive.
        """
        member = self.find(name)
        if member is None:
            raise MemberError("it is not in the file")
        try:
            with self.archive.open(member) as file:
                # One byte more than allowed: the sizes in the archive's directory may be wrong.
                data = file.read(MEMBER_BYTES + 1)
        except (*DAMAGE, UnicodeDecodeError) as error:  # the member's own header may have another name
            raise MemberError(f"it is damaged ({error})") from error
        except RuntimeError as error:
            raise locked(
                self.path,
                "its ZIP archive is encrypted",
                "unpack it with its password, and pack it again without one",
            ) from error
        self.bytes_read += len(data)
        if len(data) > MEMBER_BYTES or self.bytes_read > BOOK_BYTES:
            what, limit = (member, MEMBER_BYTES) if len(data) > MEMBER_BYTES else ("its text", BOOK_BYTES)
            raise too_large(self.path, what, limit)
        return data
