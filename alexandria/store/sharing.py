"""Lets several processes use a library in a folder: one opens its files, the others read through it.

The first process opens the engine's files and holds the lock. As long as it does, it answers the readers of
other processes (`service.py`, `remote.py`). If another process wants to write, it closes the library for that
process, unless it writes itself.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from alexandria.errors import DisconnectedError
from alexandria.store.catalog import Catalog
from alexandria.store.lock import FolderLock, LibraryFolder, Owner, in_use_error, read_owner, take_lock
from alexandria.store.remote import NOTICE_SECONDS, OwnerConnection, RemoteStore
from alexandria.store.service import Service

READER_SECONDS = 60.0
"""Seconds that a reader waits by default: a process that writes answers after each book at the latest."""
_MIN_SECONDS = 30.0
"""Seconds to keep trying, however short the wait, if nobody writes: others may be faster again and again."""
_PAUSE = 0.02
"""Seconds between two attempts to open a library."""
_PAUSE_FOR_WRITER = 0.2
"""Seconds between two attempts while another process writes the library."""
_MAX_REPEATS = 20
"""How often a method is repeated: usually once, but others may open and close the library each time."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """How to open a library that another process may have open."""

    write: bool = False
    wait: float | None = None
    """Seconds to wait for another process; None for a minute to read, and for no wait to write."""
    waiting: Callable[[Owner], None] = field(default=lambda owner: None)
    """Called once, with the process that is waited for, if that takes more than a second."""

    @property
    def seconds(self) -> float:
        """How long to wait."""
        default = 0.0 if self.write else READER_SECONDS
        return default if self.wait is None else self.wait


def reopening(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method to be repeated if the process that has the library open ends or hands it over.

    The method itself opens the library again.
    """

    @wraps(method)
    def repeat_if_disconnected(*args: P.args, **named: P.kwargs) -> T:
        for _ in range(_MAX_REPEATS):
            with suppress(DisconnectedError):
                return method(*args, **named)
        return method(*args, **named)

    return repeat_if_disconnected


def open_shared(library: LibraryFolder, collection: str, access: Access, *, sweep: bool = True) -> Catalog:
    """Open the library in a folder: its files, or for a reader, through the process that has them open.

    Raises:
        StoreError: another process writes it and did not finish in time, or it cannot be opened.
    """
    began = time.monotonic()
    has_notified = is_written = False
    while (lock := take_lock(library.path)) is None:
        owner = read_owner(library.path)
        try:
            if owner is not None:
                connection = OwnerConnection(library.path, owner, wait=access.seconds)
                if not access.write and connection.collection == collection:
                    remote = RemoteStore(
                        library.path, owner, connection, wait=access.seconds, waiting=access.waiting
                    )
                    return Catalog(remote, sweep=False)
                is_written = not _request_library(connection)
        except (OSError, DisconnectedError):
            # A process on another machine may be writing; one on this machine is starting or ending.
            is_written = owner is not None and not owner.is_here
        waited = time.monotonic() - began
        if waited > (access.seconds if is_written else max(access.seconds, _MIN_SECONDS)):
            raise in_use_error(library.path)
        if owner is not None and waited > NOTICE_SECONDS and not has_notified:
            access.waiting(owner)
            has_notified = True
        time.sleep(_PAUSE_FOR_WRITER if is_written else _PAUSE)
    return _open_files(library, lock, collection, access, sweep=sweep)


def _request_library(connection: OwnerConnection) -> bool:
    """Ask a process to hand the library over, and return whether it does; one that writes refuses."""
    try:
        return bool(connection.ask("give_way"))
    finally:
        connection.close()


def _open_files(
    library: LibraryFolder, lock: FolderLock, collection: str, access: Access, *, sweep: bool
) -> Catalog:
    """Open the files of a locked folder, and answer the readers of other processes from now on.

    If this fails, the folder is left closed and unlocked.
    """
    with ExitStack() as undo:
        undo.callback(lock.release)
        # Before the files are opened, which can take long: readers that connect meanwhile wait.
        service = Service(lock, collection)
        undo.callback(service.stop)
        store = library.open(lock)
        undo.callback(store.close)
        catalog = Catalog(store, sweep=sweep)
        catalog.on_close = service.stop
        if access.write and not catalog.keep_for_writing():
            raise in_use_error(library.path)
        service.serve(catalog)
        undo.pop_all()  # all is open: nothing is undone
    return catalog
