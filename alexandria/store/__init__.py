"""Stores: where the points of books, and a catalog of their records, are kept.

Read `store.py` first, the protocol of a store, then `catalog.py`, which adds and replaces whole books in any
store. `edge.py` is the default store, and `server/` has the one for servers. `payload.py` packs chunks and
unpacks them, `points.py` makes points of them, and `plan.py` decides which vectors a search compares.

To add a store, write `store/<name>.py` with a class that satisfies the protocol `Store`, and add a record to
`STORES`; a line in `tests/store/conftest.py` runs the contract tests on it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from alexandria.store.lock import LibraryFolder, require_lock
from alexandria.store.store import (
    LOCAL,
    MEMORY,
    SERVER_SCHEMES,
    Binding,
    QueryVectors,
    Scope,
    Server,
    Store,
    Where,
)
from alexandria.system.annexes import load

__all__ = [
    "LOCAL",
    "MEMORY",
    "SERVER_SCHEMES",
    "Binding",
    "QueryVectors",
    "Scope",
    "Server",
    "Store",
    "Where",
    "is_folder",
    "known_readers",
    "open_store",
    "prepare_folder",
    "server_version",
]


STORES: Mapping[str, str] = {
    rf"{'|'.join(SERVER_SCHEMES)}|{MEMORY}\Z|{LOCAL}": "alexandria.store.server.connect",
    "": "alexandria.store.edge",
}
"""The modules that open libraries, by a pattern of how addresses begin; the first that fits counts.

Each holds `prepare_folder`; one whose addresses are no folders, `open_elsewhere` with the same arguments.
"""


def _store_of(address: str) -> Any:
    """Return the module that opens libraries at an address."""
    return load(next(module for begin, module in STORES.items() if re.match(begin, address)))


def open_store(address: str, collection: str, binding: Binding | None, server: Server | None = None) -> Store:
    """Open a collection; create it if it does not exist and `binding` is given.

    Args:
        address: a folder, `local:FOLDER`, `:memory:`, or the address of a server: `http(s)://HOST:6333`, or
            `grpc(s)://HOST:6334` for gRPC.
        binding: what the collection must be bound to; None opens an existing one, whatever its encoder.
        server: how to reach a server, and how to create collections there.

    Raises:
        ConfigError: an option needs a server, and the address is a folder; this build lacks the store.
        StoreError: the collection does not exist and `binding` is None; it is bound to another encoder or
            schema; another process has it open; the folder holds something else; the server does not answer.
    """
    server = server or Server()
    if not is_folder(address):
        store: Store = _store_of(address).open_elsewhere(address, collection, binding, server)
        return store
    folder = prepare_folder(address, collection, binding, server)
    lock = require_lock(folder.path)
    try:
        return folder.open(lock)
    except BaseException:
        lock.release()
        raise


def is_folder(address: str) -> bool:
    """Return whether a library at this address is in a folder, which only one process at a time can open."""
    return address != MEMORY and not address.startswith(SERVER_SCHEMES)


def prepare_folder(address: str, collection: str, binding: Binding | None, server: Server) -> LibraryFolder:
    """Return the folder of a library, checked; create it if it does not exist and `binding` is given.

    Arguments and errors are those of `open_store`, except that another process may have the folder open.
    """
    folder: LibraryFolder = _store_of(address).prepare_folder(address, collection, binding, server)
    return folder


def server_version(address: str, server: Server) -> str:
    """Return the version of the Qdrant server at an address.

    Raises:
        StoreError: it does not answer, or refuses to.
        ConfigError: the address cannot be used; this build lacks the store.
    """
    return str(_store_of(address).server_version(address, server))


def known_readers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of programs for which copies are to be written, sorted and without duplicates.

    Raises:
        ConfigError: a name is unknown; this build lacks the store.
    """
    chosen = tuple(names)
    return tuple(load("alexandria.store.server.compat").parse_readers(chosen)) if chosen else ()
