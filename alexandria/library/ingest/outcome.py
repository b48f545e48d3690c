"""The outcome of each file of a run."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError

if TYPE_CHECKING:
    from alexandria.chunking.domains import Guess
    from alexandria.library.remarks import Remark


class Status(StrEnum):
    """What a run has done with a file."""

    INGESTED = "ingested"
    PARTIAL = "partial"  # stored, but part of it could not be read; the warnings name it
    UNCHANGED = "unchanged"
    REMOVED = "removed"  # not ingested, because the book was removed from the library earlier
    FAILED = "failed"


STORED = (Status.INGESTED, Status.PARTIAL)  # the statuses of a book that this run has stored


class Action(StrEnum):
    """What an ingest does with a file that it reads."""

    ADD = "added"
    REPLACE = "replaced"  # the book that is stored is of other bytes at the same path, or the run is forced
    CUT_AGAIN = "cut again"
    """The same bytes are stored, with other settings or as an earlier version stored them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has done with one file, and what is worth knowing about it."""

    source: Path
    status: Status
    book_id: str | None = None
    title: str | None = None
    n_chunks: int = 0
    n_words: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    noted: "tuple[Remark, ...]" = ()
    """Not losses, but worth knowing: the same book is stored under another name, or in another format."""
    guess: "Guess | None" = None
    """Why the book has its domain, if it was guessed."""
    error: AlexandriaError | None = None
    replaces: bool = False
    """Whether another version of the book, or the same if the run is forced, was stored until now."""
    is_outdated: bool = False
    """Whether it is unchanged, and better read again: another version of the program has read it."""
    has_guessed_title: bool = False
    """Whether it is new, and states no title."""
    ignored: bool = False
    """Whether it failed as before, which the user has marked as known (`alexandria status --ignore`)."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was noted, in words."""
        from alexandria.library.remarks import IN_PYTHON

        return tuple(remark.worded(IN_PYTHON) for remark in self.noted)
