"""A library in a folder, opened by whichever process comes first, and read by the others through it.

One process has the engine's files open, and the lock. While it has, it answers the readers of other processes
(`service.py`, `remote.py`). It keeps the library if it writes; otherwise it closes it for one that wants to.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from alexandria.errors import DisconnectedError
from alexandria.store.catalog import Catalog
from alexandria.store.lock import FolderLock, LibraryFolder, Owner, in_use, read_owner, take_lock
from alexandria.store.remote import NOTICE_SECONDS, OwnerConnection, RemoteStore
from alexandria.store.service import Service

READER_SECONDS = 60.0
"""How long a reader waits by default: a process that writes answers after each book, if not at once."""
_GRACE = 30.0
"""Seconds in which a library can be had that nobody writes: others may open it first, again and again."""
_PAUSE = 0.02
_REOPENINGS = 20
"""How often a method is repeated: once is the rule, as others may open and close the library meanwhile."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """How a library is opened that another process may have open."""

    write: bool = False
    wait: float | None = None
    """Seconds to wait; by default a minute to read, and not at all for another process that writes."""
    waiting: Callable[[Owner], None] = field(default=lambda owner: None)
    """Called once, with the process that is waited for, if it takes more than a second."""

    @property
    def seconds(self) -> float:
        """How long to wait."""
        default = 0.0 if self.write else READER_SECONDS
        return default if self.wait is None else self.wait


def reopening(method: Callable[P, T]) -> Callable[P, T]:
    """Return a method that is repeated if the process that has the library open ends or hands it over."""

    @wraps(method)
    def repeated(*args: P.args, **named: P.kwargs) -> T:
        for _ in range(_REOPENINGS):
            with suppress(DisconnectedError):
                return method(*args, **named)
        return method(*args, **named)

    return repeated


def open_shared(library: LibraryFolder, collection: str, access: Access, *, sweep: bool = True) -> Catalog:
    """Open the library in a folder: its files, or for a reader the process that has them open.

    Raises:
        StoreError: another process writes it, and waiting was in vain; it cannot be opened.
    """
    began, told, writes = time.monotonic(), False, False
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
                writes = _is_kept(connection)
        except (OSError, DisconnectedError):
            writes = owner is not None and not owner.is_here  # otherwise it is starting or ending
        waited = time.monotonic() - began
        if waited > (access.seconds if writes else max(access.seconds, _GRACE)):
            raise in_use(library.path)
        if owner is not None and waited > NOTICE_SECONDS and not told:
            access.waiting(owner)
            told = True
        time.sleep(_PAUSE * (10 if writes else 1))
    return _own(library, lock, collection, access, sweep=sweep)


def _is_kept(connection: OwnerConnection) -> bool:
    """Ask a process to hand the library over, and return whether it refuses, because it writes."""
    try:
        return not connection.ask("give_way")
    finally:
        connection.close()


def _own(
    library: LibraryFolder, lock: FolderLock, collection: str, access: Access, *, sweep: bool
) -> Catalog:
    """Open the files, and answer other readers from now on."""
    try:
        service = Service(lock, collection)
    except BaseException:
        lock.release()
        raise
    try:
        store = library.open(lock)
        try:
            catalog = Catalog(store, sweep=sweep)
        except BaseException:
            store.close()
            raise
    except BaseException:
        service.stop()
        lock.release()
        raise
    catalog.on_close = service.stop
    if access.write:
        catalog.claim()
    service.serve(catalog)
    return catalog
