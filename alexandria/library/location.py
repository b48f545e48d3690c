"""Where a library is: opens the catalog in a folder or on a server, and names the files next to it."""

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from alexandria.book.choices import Quantization
from alexandria.errors import DeniedError
from alexandria.store import (
    LOCAL,
    MEMORY,
    SERVER_SCHEMES,
    Binding,
    Server,
    is_folder,
    known_readers,
    open_store,
    prepare_folder,
)
from alexandria.store.catalog import Catalog
from alexandria.store.copies import copy_of
from alexandria.store.folder import may_read
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.points import NO_DIM
from alexandria.store.sharing import Access, open_shared
from alexandria.store.store import GRPC_PORT, REST_PORT
from alexandria.system.files import MAX_NAME_LENGTH

if TYPE_CHECKING:
    from alexandria.embed import Encoder

_READ = Access()


def default_address() -> str:
    """Return the address of the user's own library: the user data folder."""
    from platformdirs import user_data_path

    return str(user_data_path("alexandria"))


def whole_address(store: str) -> str:
    """Return the address of a store, with the whole path of a folder."""
    if not is_folder(store):
        return store
    scheme = LOCAL if store.startswith(LOCAL) else ""
    return scheme + str(Path(store.removeprefix(LOCAL)).expanduser().absolute())


def library_options(store: str, collection: str) -> str:
    """Return the options that name a library on the command line, each after a space; none by default."""
    options = [("store", store, default_address()), ("collection", collection, "books")]
    return "".join(f" --{name} {shlex.quote(value)}" for name, value, usual in options if value != usual)


def same_place(library: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two pairs of address and collection identify the same library."""
    (address, collection), (other_address, other_collection) = library, other
    if address == MEMORY:  # two libraries in memory are never the same
        return False
    is_same_address = _normalize_address(address) == _normalize_address(other_address)
    return is_same_address and collection == other_collection


def _normalize_address(address: str) -> str:
    """Return an address in one form, so that addresses of the same place are equal."""
    if address.startswith(SERVER_SCHEMES):
        return _normalize_url(address)
    scheme = LOCAL if address.startswith(LOCAL) else ""
    return scheme + str(Path(address.removeprefix(LOCAL)).expanduser().resolve())


def _normalize_url(address: str) -> str:
    """Return the address of a server in one form: `http://Host/prefix/` becomes `http://host:6333/prefix`."""
    url = urlsplit(address)
    try:
        port = url.port
    except ValueError:  # not a number: connecting to the server will report it
        return address
    if port is None:
        port = GRPC_PORT if url.scheme.startswith("grpc") else REST_PORT
    host = url.hostname or ""
    if ":" in host:  # IPv6
        host = f"[{host}]"
    return f"{url.scheme}://{host}:{port}{url.path.rstrip('/')}"


def binding_for(encoder: "Encoder") -> Binding:
    """Return the binding of a new collection: the encoder and the schema that all its points must have."""
    return Binding(encoder=encoder.name, dim=encoder.dim or NO_DIM, schema_version=SCHEMA_VERSION)


def server_settings(
    *,
    api_key: str | None = None,
    shards: int | None = None,
    replicas: int | None = None,
    quantization: Quantization | None = None,
    compat: Iterable[str] = (),
) -> Server:
    """Return how to reach a server, and how to create a collection there.

    Args:
        api_key: the key of the server; by default, the one in the environment.
        shards: the number of shards of a new collection; None leaves it to the server.
        quantization: how the server keeps vectors in memory; by default, only in full.
        compat: the programs that shall be able to read a new collection (`store.server.compat.READERS`).

    Raises:
        ConfigError: `compat` names a program that is not known.
    """
    server = Server.from_environment(os.environ)
    return replace(
        server,
        api_key=api_key or server.api_key,
        shards=shards,
        replicas=replicas,
        quantization=quantization,
        compat=known_readers(compat),
    )


def open_catalog(
    store: str | None,
    collection: str,
    encoder: "Encoder | None",
    *,
    server: Server | None = None,
    sweep: bool = True,
    access: Access = _READ,
) -> Catalog:
    """Open a library's catalog, creating the library for `encoder` where there is none.

    Args:
        store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
        encoder: the encoder that the collection is bound to; None opens it as it is, if it exists.
        server: how to reach a server; as the environment says if not given.
        sweep: delete what a crash has left. Readers of a server never do: their key may be read-only.
        access: how to open a folder that another process may have open; with an encoder, to write.

    Raises:
        StoreError: there is no library and no encoder; another process writes it; it is bound to another
            encoder; it may only be read, and is to be written, or too large for a copy; the server does not
            answer.
    """
    binding = binding_for(encoder) if encoder else None
    return open_bound(store, collection, binding, server=server, sweep=sweep, access=access)


def open_bound(
    store: str | None,
    collection: str,
    binding: Binding | None,
    *,
    server: Server | None = None,
    sweep: bool = True,
    access: Access = _READ,
) -> Catalog:
    """Open a library's catalog as `open_catalog` does, for a binding in place of an encoder."""
    address, server = store or default_address(), server or Server.from_environment(os.environ)
    if is_folder(address):
        access = replace(access, write=access.write or binding is not None)
        folder = prepare_folder(address, collection, binding, server)
        try:
            return open_shared(folder, collection, access, sweep=sweep)
        except DeniedError as error:
            if access.write or not may_read(folder.path):
                raise
            copy = copy_of(folder.path, access.seconds)
            address = f"{LOCAL}{copy}" if address.startswith(LOCAL) else str(copy.parent)
            catalog = open_bound(address, collection, None, server=server, sweep=sweep, access=access)
            catalog.denied = error
            return catalog
    opened = open_store(address, collection, binding, server)
    is_reader_of_server = binding is None and opened.on_server
    try:
        return Catalog(opened, sweep=sweep and not is_reader_of_server)
    except BaseException:
        opened.close()
        raise


def failures_path(store: str | None, collection: str) -> Path | None:
    """Return where the files that could not be read are listed: in the library's folder.

    A server's list is kept in the user's data folder; a store in memory has none.
    """
    address = store or default_address()
    if address.startswith(SERVER_SCHEMES):
        name = re.sub(r"[^\w.-]+", "-", f"{_normalize_url(address)}-{collection}")
        if len(name) > MAX_NAME_LENGTH:  # the hash keeps apart names that begin alike
            ending = f"-{sha256(name.encode()).hexdigest()[:12]}"
            name = name[: MAX_NAME_LENGTH - len(ending)] + ending
        return Path(default_address()) / "failures" / f"{name}.jsonl"
    folder = library_folder(address, collection)
    if folder is None:  # in memory
        return None
    # A `local:` folder holds all collections; otherwise each has a folder of its own.
    return folder / (f"failures-{collection}.jsonl" if address.startswith(LOCAL) else "failures.jsonl")


def progress_path(store: str | None, collection: str) -> Path | None:
    """Return the file in which an ingest notes its progress, next to the list of failures."""
    failures = failures_path(store, collection)
    return None if failures is None else failures.with_name(f"{failures.stem}.progress.json")


def restoring_path(store: str | None, collection: str) -> Path | None:
    """Return the file that marks a restore as incomplete, next to the list of failures."""
    failures = failures_path(store, collection)
    return None if failures is None else failures.with_name(f"{failures.stem}.restoring")


def library_folder(store: str | None, collection: str) -> Path | None:
    """Return the folder of a library, which one process at a time has open.

    None for a server or a store in memory. All collections of a `local:` store are in one folder.
    """
    address = store or default_address()
    if not is_folder(address):
        return None
    if address.startswith(LOCAL):
        return Path(address.removeprefix(LOCAL)).expanduser()
    return Path(address).expanduser() / collection


def split_collection_names(text: str) -> list[str]:
    """Return the names of collections in a text, separated by commas."""
    return list(dict.fromkeys(name.strip() for name in text.split(",")))
