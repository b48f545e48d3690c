"""Translates the errors of Qdrant Edge, which has no classes for them, into errors with a remedy.

The context managers `translate_open_errors`, `translate_read_errors` and `translate_write_errors` translate
what this engine raises in their block.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from threading import Lock

from alexandria.errors import DamagedError, FullDiskError, StoreError
from alexandria.store.folder import denied_error

_FULL_DISK_MESSAGES = ("os error 28", "No space left", "database or disk is full")
REMEDY = (
    "alexandria repair rebuilds it from what can be read and from the books' files;"
    " or alexandria restore BACKUP --store NEW_FOLDER"
)
_stderr_lock = Lock()  # held while standard error is redirected, which concerns all threads of the process


@contextmanager
def translate_open_errors(folder: Path, shard: str) -> Iterator[None]:
    """Raise what the engine raises as it opens a shard as a DamagedError, and discard what it prints.

    A panic prints its own message, and with RUST_BACKTRACE a hundred lines, before it becomes an exception.
    """
    with translate_read_errors(folder, shard), _discard_stderr():
        yield


@contextmanager
def _discard_stderr() -> Iterator[None]:
    """Discard what this process writes to standard error in the block, in any thread."""
    with _stderr_lock, Path(os.devnull).open("wb") as null:
        try:
            saved = os.dup(2)
        except OSError:  # standard error is closed
            yield
            return
        sys.stderr.flush()
        os.dup2(null.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


@contextmanager
def translate_read_errors(folder: Path, shard: str) -> Iterator[None]:
    """Raise what the engine raises as it reads a shard as a DamagedError that names the folder."""
    with _translate_errors(
        DamagedError,
        folder,
        f"cannot read the library at {folder}",
        why=f"the engine cannot read its files in {folder / shard}: ",
        fix=REMEDY,
    ):
        yield


def damaged_shard_error(folder: Path, shard: str, why: str) -> DamagedError:
    """Return the error for a shard that the engine opens, but whose content is damaged."""
    return DamagedError(
        f"cannot read the library at {folder}",
        why=f"its files in {folder / shard} are damaged: {why}",
        fix=REMEDY,
    )


@contextmanager
def translate_write_errors(folder: Path) -> Iterator[None]:
    """Raise what the engine raises as it writes as a FullDiskError, or else as a StoreError."""
    with _translate_errors(
        StoreError,
        folder,
        f"cannot write into the library at {folder}",
        fix="free some disk space, then run the same command again: it resumes where it stopped; if there is"
        " space, files of the library are damaged: ingest into a new folder with --store",
    ):
        yield


@contextmanager
def _translate_errors(
    kind: type[StoreError], folder: Path, what: str, *, why: str = "", fix: str
) -> Iterator[None]:
    """Raise errors of the engine as FullDiskError, or else as `kind`; `why` precedes the engine's message."""
    # Where the process lacks the right to read and write the folder, it raises a StoreError that says so.
    try:
        yield
    except BaseException as error:  # a panic of the engine is not an Exception
        if not is_of_engine(error):
            raise
        if is_full_disk(error):
            raise full_disk_error(what) from error
        raise denied_error(what, folder) or kind(what, why=f"{why}{error}", fix=fix) from error


def is_full_disk(error: BaseException) -> bool:
    """Return whether the engine, SQLite or the system found the disk full, or a quota used up."""
    if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
        return True
    # The engine and SQLite say so only in their messages.
    return any(message in str(error) for message in _FULL_DISK_MESSAGES)


def full_disk_error(what: str) -> FullDiskError:
    """Return the error for a full disk; `what` says what could not be done."""
    return FullDiskError(
        what,
        why="no space is left on the disk",
        fix="free some disk space, then run the same command again: the library is intact",
    )


def is_of_engine(error: BaseException) -> bool:
    """Return whether the engine raised an error: it uses the class `Exception` itself, and panics."""
    return type(error) is Exception or type(error).__name__ == "PanicException"
