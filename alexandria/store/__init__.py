"""Stores: where the points of books, and a catalog of their records, are kept.

Read `store.py` first, the protocol of a store, then `catalog.py`, which adds and replaces whole books in any
store. `edge.py` is the default store, and `server/` has the one for servers. `payload.py` packs chunks and
unpacks them, `points.py` makes points of them, and `plan.py` decides which vectors a search compares.

To add a store, write `store/<name>.py` with a class that satisfies the protocol `Store`, and add a branch to
`open_store`; a line in `tests/store/conftest.py` runs the contract tests on it.
"""

import re
from pathlib import Path

from alexandria.errors import ConfigError
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
from alexandria.system.files import name_fault

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
    "open_store",
    "prepare_folder",
]


def open_store(address: str, collection: str, binding: Binding | None, server: Server | None = None) -> Store:
    """Open a collection; create it if it does not exist and `binding` is given.

    Args:
        address: a folder, `local:FOLDER`, `:memory:`, or the address of a server: `http(s)://HOST:6333`, or
            `grpc(s)://HOST:6334` for gRPC.
        binding: what the collection must be bound to; None opens an existing one, whatever its encoder.
        server: how to reach a server, and how to create collections there.

    Raises:
        ConfigError: an option needs a server, and the address is a folder.
        StoreError: the collection does not exist and `binding` is None; it is bound to another encoder or
            schema; another process has it open; the folder holds something else; the server does not answer.
    """
    server = server or Server()
    if address.startswith(SERVER_SCHEMES):
        from alexandria.store.server.connect import open_server

        return open_server(address, collection, binding, server)
    if address == MEMORY:
        from alexandria.store.server.connect import open_memory

        return open_memory(collection, binding, server)
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
    if address.startswith(LOCAL):
        from alexandria.store.server.connect import prepare_local_folder

        folder = Path(address.removeprefix(LOCAL)).expanduser().absolute()
        if binding is not None:
            _check_new(collection, folder / "collection" / collection)  # where qdrant-client puts it
        return prepare_local_folder(folder, collection, binding, server)
    _refuse_server_options(server)
    _refuse_bare_host(address)
    from alexandria.store.edge import prepare_edge_folder

    # Absolute, since the program may change its working directory.
    folder = Path(address).expanduser().absolute() / collection
    if binding is not None:
        _check_new(collection, folder)
    return prepare_edge_folder(folder, binding)


def _check_new(collection: str, folder: Path) -> None:
    """Refuse to create a folder whose name is not valid on every system; an existing folder is accepted."""
    fault = name_fault(collection)
    if fault is None and "," in collection:
        fault = "a comma separates collections"
    if fault is None:
        return
    exists = collection != "" and folder.exists()  # without a name, `folder` would be that of the store
    if not exists:
        raise ConfigError(
            f"cannot name a collection {collection!r}", why=fault, fix="--collection with letters and digits"
        )


def _refuse_bare_host(address: str) -> None:
    """Refuse `localhost:6333` and `qdrant://localhost`, which would create folders of these names."""
    # An existing folder is accepted.
    if re.match(r"[A-Za-z][\w+.-]+://", address) and not Path(address).exists():
        raise ConfigError(
            f"cannot open the library at {address}",
            why=f"the schemes are {', '.join(SERVER_SCHEMES)} and {LOCAL}",
            fix="--store http://HOST:6333 for a Qdrant server, or --store FOLDER",
        )
    if re.fullmatch(r"[\w.-]+:\d+/?", address) and not Path(address).exists():
        raise ConfigError(
            f"cannot tell whether {address} is a server or a folder",
            why="the address of a server begins with its scheme",
            fix=f"--store http://{address}, or --store ./{address} for a folder",
        )


def _refuse_server_options(server: Server) -> None:
    """Refuse options that an embedded library would silently ignore."""
    if server.compat:
        raise ConfigError(
            f"cannot write for {', '.join(server.compat)} into an embedded library",
            why="only Qdrant Edge can open it",
            fix="--store http://HOST:6333 or local:FOLDER; or copy it: alexandria copy --to STORE --compat …",
        )
    if server.shards or server.replicas or server.quantization:
        raise ConfigError(
            "cannot shard, replicate or quantize an embedded library",
            why="only a Qdrant server can",
            fix="--store http://HOST:6333",
        )
