"""The locks on a library: of its folder, whose holder, the owner, alone opens the files of the engine; and
between the threads of a process.

The engine is Qdrant Edge, or qdrant-client's local mode. The owner describes itself in `owner.json`, for
other processes. The lock is taken before any file of the engine is opened. The engine locks its files, too,
but late: by then it has read, and partly rewritten, files that another process is writing.
"""

import json
import os
import shlex
import socket
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from errno import EACCES, EMFILE, ENFILE, EPERM, EROFS
from pathlib import Path
from threading import Condition, get_ident

from alexandria.errors import DeniedError, DisconnectedError, StoreError, io_reason
from alexandria.store.edge_errors import full_disk_error, is_full_disk
from alexandria.store.folder import GRANT_OR_COPY
from alexandria.store.store import Store

LOCK = "alexandria.lock"
OWNER = "owner.json"
_MAX_COMMAND = 200  # characters of a command line that are written down


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that has a library open."""

    pid: int
    host: str
    command: str
    since: str  # ISO 8601, UTC
    port: int | None = None
    """Where the process answers readers: 0 for the socket in the folder, otherwise a port of this machine.
    None if the process does not answer yet."""
    token: str = field(default="", repr=False)  # the secret that a reader must send first

    @classmethod
    def this_process(cls) -> "Owner":
        """Return the description of this process as the owner from now on."""
        since = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(os.getpid(), socket.gethostname(), _command_line(), since)

    @property
    def is_here(self) -> bool:
        """Whether the process runs on this machine."""
        return self.host == socket.gethostname()

    def __str__(self) -> str:
        where = "" if self.is_here else f" on {self.host}"
        return f"{self.command} (pid {self.pid}{where})"


_HELD: "weakref.WeakSet[FolderLock]" = weakref.WeakSet()


def _leave_to_parent() -> None:
    """Close the lock files in a forked process: the lock is held by the parent, and ends with it."""
    for lock in list(_HELD):
        lock._close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


class FolderLock:
    """The right to open the engine's files in a folder, until it is released or the process ends."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        """Take over the descriptor of a locked file. Only `take_lock` calls this."""
        self.folder = folder
        # Closing the file releases the lock, also if this object is dropped without `release`.
        self._close = weakref.finalize(self, os.close, descriptor)
        _HELD.add(self)

    def announce(self, owner: Owner) -> None:
        """Write into the folder who has the library open, for other processes of the same user.

        An error, such as a full disk, is ignored: the library can still be read, but other processes do not
        learn who has it open.
        """
        new = self.folder / f"{OWNER}.new"
        with suppress(OSError):
            new.unlink(missing_ok=True)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                json.dump(asdict(owner), out)
            new.replace(self.folder / OWNER)

    def release(self) -> None:
        """Let other processes open the library; a second call does nothing."""
        if self._close.alive:
            self.delete_owner()
            self._close()

    def delete_owner(self) -> None:
        """Delete the file that says who has the library open, if there is one."""
        with suppress(OSError):  # the folder may be gone
            (self.folder / OWNER).unlink()


def take_lock(folder: Path) -> FolderLock | None:
    """Take the lock on an existing folder, and write down that this process owns it.

    Returns:
        the lock; None if another process has it, or another `FolderLock` of this process.

    Raises:
        StoreError: the lock file cannot be opened, or the file system does not support locks.
        FullDiskError: the disk is full.
    """
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _lock_file_error(folder, error) from error
    try:
        _lock_file(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        raise _no_locks_error(folder, error) from error
    lock = FolderLock(folder, descriptor)
    # A killed owner has left its description. Delete it first: if it cannot be replaced, as on a full disk,
    # other processes would wait for the killed one.
    lock.delete_owner()
    lock.announce(Owner.this_process())
    return lock


def _lock_file_error(folder: Path, error: OSError) -> StoreError:
    what = f"cannot open the library at {folder}"
    if is_full_disk(error):
        return full_disk_error(what)
    if error.errno in (EACCES, EPERM, EROFS):
        return DeniedError(f"{what} for writing", why=f"{LOCK}: {io_reason(error)}", fix=GRANT_OR_COPY)
    if error.errno in (EMFILE, ENFILE):
        fix = "raise the limit of open files (ulimit -n), or close other libraries"
    else:
        fix = "check that the folder still exists and its disk works, then run the same command again"
    return StoreError(what, why=f"{LOCK}: {io_reason(error)}", fix=fix)


def _no_locks_error(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot lock the library at {folder}",
        why=f"its file system has no locks ({io_reason(error)})",
        fix="keep the library on a local disk, or on a Qdrant server",
    )


def is_locked(folder: Path) -> bool:
    """Return whether a process has the library open, without disturbing that process.

    Raises:
        StoreError: the file system does not support locks.
    """
    with shared_lock(folder) as is_free:
        return not is_free


@contextmanager
def shared_lock(folder: Path) -> Iterator[bool]:
    """Keep every process from opening the library during this block; yield False if one has it open.

    Raises:
        StoreError: the file system does not support locks.
    """
    try:
        descriptor = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:  # no process has ever opened the library, or this one may not read the folder
        yield True
        return
    with os.fdopen(descriptor):
        try:
            # A shared lock: two processes that ask at the same time do not take each other for the owner.
            _lock_file(descriptor, shared=True)
            is_free = True
        except BlockingIOError:
            is_free = False
        except OSError as error:
            raise _no_locks_error(folder, error) from error
        yield is_free


@dataclass(frozen=True, slots=True)
class LibraryFolder:
    """A library's folder that has been checked."""

    path: Path
    catalog: Path  # the folder of its catalog, which every process may read
    open: Callable[[FolderLock], Store]  # opens its store, given its lock


def require_lock(folder: Path) -> FolderLock:
    """Take the lock on an existing folder, and return it.

    Raises:
        StoreError: another process has the lock, the lock file cannot be opened, or the file system does not
            support locks.
    """
    lock = take_lock(folder)
    if lock is None:
        raise in_use_error(folder)
    return lock


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock on an existing folder in this block; raises what `require_lock` raises."""
    lock = require_lock(folder)
    try:
        yield
    finally:
        lock.release()


def read_owner(folder: Path) -> Owner | None:
    """Return the process that has the library open, or was killed with it open, or None if none is noted."""
    try:
        return Owner(**json.loads((folder / OWNER).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def in_use_error(folder: Path, *, by_other_version: bool = False) -> StoreError:
    """Return the error for a library that another process has open.

    Args:
        by_other_version: whether the process is another version of Alexandria, which does not share it.
    """
    owner = read_owner(folder)
    why = f"{owner} has had it open since {owner.since.replace('T', ' ')}" if owner else "it is locked"
    fix = "wait for it: --wait SECONDS; alexandria status says how far along it is"
    if by_other_version:
        why += "; it is another version of Alexandria, and different versions cannot share a library"
        fix = "stop it, or wait for it: --wait SECONDS"
    return StoreError(f"the library at {folder} is in use", why=why, fix=fix)


def disconnected_error(folder: Path) -> DisconnectedError:
    """Return the error for a library whose owner has ended, or has handed it over to a writer."""
    return DisconnectedError(
        f"the library at {folder} is no longer open",
        why="the process that had it open has ended, or another one has begun to write to it",
        fix="run the same command again",
    )


def used_by_another_program_error(folder: Path) -> StoreError:
    """Return the error for a library that is locked by the engine, but not by Alexandria."""
    return StoreError(
        f"the library at {folder} is in use",
        why="a program other than this version of Alexandria has it open",
        fix="stop that program, and try again",
    )


def _command_line() -> str:
    """Return the command line of this process, quoted as for a shell, without the path of the program."""
    # It is cut off after `_MAX_COMMAND` characters.
    program = Path(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c") else Path("python")
    name = program.parent.name if program.stem == "__main__" else program.name
    return shlex.join([name, *sys.argv[1:]])[:_MAX_COMMAND]


def _lock_file(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file; raise BlockingIOError if it is locked already."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


class ReadWriteLock:
    """Lets any number of threads read at once, or one thread change the books.

    A thread that waits to change the books takes precedence over threads that begin to read later, so that
    readers cannot block an ingest forever. Both methods may be nested; a change may contain reads.
    """

    def __init__(self, *, parallel_reads: bool = True) -> None:
        """Create the lock, free; without `parallel_reads`, only one thread can read at a time."""
        self._parallel_reads = parallel_reads
        self._condition = Condition()
        self._readers: dict[int, int] = {}  # by thread, how deeply its reads are nested
        self._writer: int | None = None  # the thread that changes the books
        self._depth = 0  # how deeply its changes are nested
        self._n_waiting = 0  # threads that wait to change the books

    @contextmanager
    def read_lock(self) -> Iterator[None]:
        """Let no thread change the books during this block."""
        thread = get_ident()
        if not self._parallel_reads or self._writer == thread:
            with self.write_lock():
                yield
            return
        with self._condition:
            if thread not in self._readers:
                self._condition.wait_for(lambda: self._writer is None and not self._n_waiting)
            self._readers[thread] = self._readers.get(thread, 0) + 1
        try:
            yield
        finally:
            with self._condition:
                self._readers[thread] -= 1
                if not self._readers[thread]:
                    del self._readers[thread]
                    self._condition.notify_all()

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Let no other thread read or change the books during this block.

        Raises:
            RuntimeError: this thread is reading, so it would wait for itself forever.
        """
        thread = get_ident()
        with self._condition:
            if thread in self._readers:
                raise RuntimeError("a thread that reads the books cannot change them")
            if self._writer != thread:
                self._n_waiting += 1
                try:
                    self._condition.wait_for(lambda: self._writer is None and not self._readers)
                finally:
                    self._n_waiting -= 1
                self._writer = thread
            self._depth += 1
        try:
            yield
        finally:
            with self._condition:
                self._depth -= 1
                if not self._depth:
                    self._writer = None
                    self._condition.notify_all()
