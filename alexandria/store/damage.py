"""Errors of the embedded engine, which has no classes for them, as errors that name folder and remedy."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from alexandria.errors import DamagedError, FullDiskError, StoreError

_FULL = ("os error 28", "No space left", "database or disk is full")
REMEDY = (
    "alexandria repair makes it again from what can be read and from the books' files;"
    " or alexandria restore BACKUP --store NEW_FOLDER"
)
_stderr = Lock()
"""Held while standard error is kept away from the engine: it belongs to the whole process."""


@contextmanager
def opening(folder: Path, shard: str) -> Iterator[None]:
    """Raise what the engine raises while it opens a shard as a StoreError, and drop what it prints.

    A panic prints its own message, and with RUST_BACKTRACE a hundred lines, before it becomes an exception.
    """
    with reading(folder, shard), _without_panics():
        yield


@contextmanager
def _without_panics() -> Iterator[None]:
    """Keep standard error from the engine, and from whatever else writes to it meanwhile."""
    with _stderr, Path(os.devnull).open("wb") as nothing:
        try:
            kept = os.dup(2)
        except OSError:  # it is closed
            yield
            return
        sys.stderr.flush()
        os.dup2(nothing.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def reading(folder: Path, shard: str) -> Iterator[None]:
    """Raise what the engine raises while it reads a shard as a StoreError that names its folder."""
    with _translated(
        DamagedError,
        f"cannot read the library at {folder}",
        why=f"the engine cannot read its files in {folder / shard}: ",
        fix=REMEDY,
    ):
        yield


def unreadable(folder: Path, shard: str, why: str) -> DamagedError:
    """Return the error for a shard that the engine opens, but whose content is damaged."""
    return DamagedError(
        f"cannot read the library at {folder}",
        why=f"its files in {folder / shard} are damaged: {why}",
        fix=REMEDY,
    )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise what the engine raises while it writes as a StoreError: no space, or damaged files."""
    with _translated(
        StoreError,
        f"cannot write into the library at {folder}",
        fix="free some disk space, then run the same command again: it resumes where it stopped; if there is"
        " space, files of the library are damaged: ingest into a new folder with --store",
    ):
        yield


@contextmanager
def _translated(kind: type[StoreError], what: str, *, why: str = "", fix: str) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not is_of_engine(error):
            raise
        if is_full_disk(error):
            raise full_disk(what) from error
        raise kind(what, why=f"{why}{error}", fix=fix) from error


def is_full_disk(error: BaseException) -> bool:
    """Return whether the engine, or SQLite in local mode, had no room; both say it in words only."""
    return any(words in str(error) for words in _FULL)


def full_disk(what: str) -> FullDiskError:
    """Return the error for the lack of room; `what` could not be done."""
    return FullDiskError(
        what,
        why="no space is left on the disk",
        fix="free some disk space, then run the same command again: the library is whole",
    )


def is_of_engine(error: BaseException) -> bool:
    """Return whether an error is the engine's: the bare class Exception, or a panic, which is none."""
    return type(error) is Exception or type(error).__name__ == "PanicException"
