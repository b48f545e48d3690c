"""Lets several processes use a library in a folder: one opens its files, the others read through it.

The first process, the owner, opens the files of the engine (Qdrant Edge, or qdrant-client's local mode) and
holds the lock. Meanwhile, the owner answers the readers of other processes (`service.py`,
`through_owner.py`). If another process wants to write, the owner closes the library for that process, unless
the owner itself writes.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from alexandria.errors import ChangedError, DisconnectedError
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CatalogFile
from alexandria.store.lock import (
    FolderLock,
    LibraryFolder,
    Owner,
    in_use_error,
    is_locked,
    read_owner,
    take_lock,
)
from alexandria.store.service import CONNECT_SECONDS, Service
from alexandria.store.through_owner import (
    NOTICE_SECONDS,
    OtherVersionError,
    OwnerConnection,
    OwnerStore,
    await_answer,
)

READER_SECONDS = 60.0
"""Seconds that a reader waits by default: a process that writes answers after each book at the latest. If
nobody writes, a writer waits as long, too: a third process may open the library between two attempts."""
_PAUSE = 0.02  # seconds between two attempts to open a library that is being opened or closed
YIELD_SECONDS = 0.1
"""Seconds between two attempts while another process writes; and before a reader opens a library that was
handed over, or whose owner has ended: a process that waits to write opens it first."""
_MAX_REPEATS = 20
"""How often a method is repeated: usually once, but others may open and close the library each time."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """How to open a library that another process may have open."""

    write: bool = False
    wait: float | None = None
    """Seconds to wait for another process. None: a reader waits a minute, a writer not at all."""
    waiting: Callable[[Owner], None] = field(default=lambda owner: None)
    """Called once, with the process that is waited for, if that takes more than a second."""

    @property
    def seconds(self) -> float:
        """How long to wait."""
        default = 0.0 if self.write else READER_SECONDS
        return default if self.wait is None else self.wait


def retry_after_reopening(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method to be repeated if the library was closed, handed over or changed while it was read.

    The method itself opens the library again.
    """

    @wraps(method)
    def repeat(*args: P.args, **named: P.kwargs) -> T:
        """Call the method again if what it has read is no longer so."""
        for _ in range(_MAX_REPEATS):
            with suppress(DisconnectedError, ChangedError):
                return method(*args, **named)
        return method(*args, **named)

    return repeat


class _NotYet(Enum):
    """Why a library cannot be used at this moment, which decides how long to keep trying."""

    BRIEF = "its owner, the process that has it open, is starting, ending or handing it over"
    WRITES = "its owner writes to it, and keeps it until it has finished"
    OTHER_VERSION = "its owner is another version of Alexandria, which does not share it with this one"


def open_shared(library: LibraryFolder, collection: str, access: Access, *, sweep: bool = True) -> Catalog:
    """Open the library in a folder: its files, or for a reader, through the process that has them open.

    Raises:
        StoreError: another process writes to it and did not finish in time, or it cannot be opened.
    """
    began = time.monotonic()
    has_notified = False
    while (lock := take_lock(library.path)) is None:
        owner = read_owner(library.path)
        result = _ask_owner(library, owner, collection, access)
        if isinstance(result, Catalog):
            return result
        is_brief = result is _NotYet.BRIEF
        seconds = max(access.seconds, READER_SECONDS) if is_brief else access.seconds
        waited = time.monotonic() - began
        if waited > seconds:
            raise in_use_error(library.path, by_other_version=result is _NotYet.OTHER_VERSION)
        if owner is not None and waited > NOTICE_SECONDS and not has_notified:
            access.waiting(owner)
            has_notified = True
        time.sleep(_PAUSE if is_brief else YIELD_SECONDS)
        if not access.write and not is_locked(library.path):
            time.sleep(YIELD_SECONDS)
    return _open_files(library, lock, collection, access, sweep=sweep)


def _ask_owner(
    library: LibraryFolder, owner: Owner | None, collection: str, access: Access
) -> Catalog | _NotYet:
    """Ask the owner of a locked folder to share the library with a reader, or else to hand the library over.

    The owner shares only the collection that it has open: a reader of another collection, like a writer,
    needs the library handed over.

    Returns:
        the catalog to read through the owner; otherwise why the library cannot be used yet.
    """
    if owner is None:  # the owner has locked the folder, but has not written its name yet
        return _NotYet.BRIEF
    try:
        connection = OwnerConnection(library.path, owner, wait=access.seconds)
        if not access.write and connection.collection == collection:
            with ExitStack() as undo:
                undo.callback(connection.close)
                records = CatalogFile(library.catalog, library.path)
                undo.pop_all()
            wait, on_wait = access.seconds, access.waiting
            through_owner = OwnerStore(library.path, records, owner, connection, wait=wait, on_wait=on_wait)
            return Catalog(through_owner, sweep=False)
        hands_over = _request_handover(connection, access)
    except OtherVersionError:
        return _NotYet.OTHER_VERSION
    except (OSError, DisconnectedError):
        # A process on another machine may be writing; one on this machine is starting or ending.
        return _NotYet.BRIEF if owner.is_here else _NotYet.WRITES
    # If the owner agrees, the library is not ours yet: the owner still has to close it.
    return _NotYet.BRIEF if hands_over else _NotYet.WRITES


def _request_handover(connection: OwnerConnection, access: Access) -> bool:
    """Ask the owner to hand the library over, and return whether it agrees; an owner that writes refuses.

    Raises:
        DisconnectedError: the owner does not answer in time, or has ended.
    """
    # The wait is limited: an owner that is suspended (SIGSTOP) would never answer.
    wait = partial(await_answer, seconds=max(access.seconds, CONNECT_SECONDS))
    try:
        return bool(connection.ask("give_way", wait=wait))
    finally:
        connection.close()


def _open_files(
    library: LibraryFolder, lock: FolderLock, collection: str, access: Access, *, sweep: bool
) -> Catalog:
    """Open the files of a locked folder, and answer the readers of other processes from now on."""
    # If this fails, the folder is left closed and unlocked.
    with ExitStack() as undo:
        undo.callback(lock.release)
        # The service starts before the files are opened, which can take long: meanwhile, readers can connect
        # and wait.
        service = Service(lock, collection)
        undo.callback(service.stop)
        store = library.open(lock)
        undo.callback(store.close)
        catalog = Catalog(store, sweep=sweep)
        catalog.on_close = service.stop
        if access.write and not catalog.claim_for_writing():
            raise in_use_error(library.path)
        service.serve(catalog)
        undo.pop_all()  # everything is open: keep it so
    return catalog
