"""Opens libraries with qdrant-client: on a server, in a folder of its local mode, or in memory."""

import logging
import os
import re
import ssl
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from qdrant_client import QdrantClient

from alexandria.errors import ConfigError, DamagedError, StoreError, io_reason
from alexandria.store.edge_errors import REMEDY, full_disk_error, is_full_disk
from alexandria.store.folder import (
    LOCAL_MODE,
    check_new,
    create_folder,
    denied_error,
    is_free,
    read_marker,
    refuse_nested,
    write_marker,
)
from alexandria.store.lock import FolderLock, LibraryFolder, used_by_another_program_error
from alexandria.store.model_check import no_library_error
from alexandria.store.server.client import ClientStore
from alexandria.store.server.collection import local_catalog_folder, open_collection, open_local_collection
from alexandria.store.server.connection import Connection, as_reached
from alexandria.store.server.errors import as_store_error
from alexandria.store.server.transport import MAX_RESPONSE_BYTES, LimitedTransport, is_loopback
from alexandria.store.store import GRPC_PORT, LOCAL, MEMORY, REST_PORT, Binding, Server

log = logging.getLogger(__name__)

OLDEST = (1, 12)  # the first release of Qdrant with all that a search needs: facets
TESTED = (1, 19)  # the release of Qdrant with which Alexandria is tested
RESPONSE_TIMEOUTS = 2
"""How long a response may take to end, in time-outs: as long as `with_retries` keeps trying."""
_warned_of: set[str] = set()  # the addresses for which the warning of an unencrypted API key was printed


def open_elsewhere(address: str, collection: str, binding: Binding | None, server: Server) -> ClientStore:
    """Do the work of `store.open_store` for a server or cluster, and for a library in memory."""
    if address == MEMORY:
        memory = Connection(QdrantClient(location=MEMORY), MEMORY, server, on_server=False)
        return open_local_collection(memory, collection, binding)
    connection = Connection(_server_client(address, server), address, server, on_server=True)
    try:
        _check_version(connection)
    except BaseException:
        connection.close()
        raise
    return open_collection(connection, collection, binding)


def _check_version(connection: Connection) -> None:
    """Refuse a server that is too old for a search, and warn of one of an untested major release."""
    version = str(connection.call(connection.client.info, first=True).version)
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:  # a custom build
        return
    release = (int(match[1]), int(match[2]))
    if release < OLDEST:
        raise StoreError(
            f"cannot use the server at {connection.address}",
            why=f"it is Qdrant {version}, which lacks what a search needs",
            fix=f"update it to Qdrant {OLDEST[0]}.{OLDEST[1]} or newer",
        )
    if release[0] > TESTED[0]:
        log.warning(
            "the server at %s is Qdrant %s; Alexandria has been tested with %d.%d",
            connection.address,
            version,
            *TESTED,
        )


def server_version(url: str, server: Server) -> str:
    """Do the work of `store.server_version`."""
    client = _server_client(url, server)
    try:
        return str(client.info().version)
    except Exception as error:  # each transport of the client raises errors of its own
        refusal = as_store_error(error, url, attempts=1, key=server.api_key)
        raise StoreError(
            f"cannot reach {as_reached(url)}",
            why=refusal.why if refusal else type(error).__name__,
            fix="start the server, or check the address and the key",
        ) from None  # the error may quote the key
    finally:
        client.close()


def _server_client(url: str, server: Server) -> QdrantClient:
    """Return a client for the server at an address; it has not connected yet.

    Raises:
        ConfigError: the address, the API key or the certificates cannot be used.
    """
    address = urlsplit(url)
    _check_secrets(address, server)
    _warn_of_unencrypted_key(address, server)
    certificates = _certificate_file(address, server)
    try:
        if not address.hostname:
            raise ValueError("it names no host")
        return _client_without_warning(
            host=f"[{address.hostname}]" if ":" in address.hostname else address.hostname,
            prefix=address.path.strip("/") or None,
            https=address.scheme in ("https", "grpcs"),
            api_key=server.api_key,
            timeout=max(1, round(server.timeout)),
            check_compatibility=False,  # it would run in a thread of its own and print warnings
            **_protocol_options(address, certificates),
            transport=LimitedTransport(
                url,
                seconds=RESPONSE_TIMEOUTS * server.timeout,
                certificates=None if certificates is None else _read_certificates(certificates),
            ),
        )
    except ValueError as error:  # the port is not a number, or there is no host
        raise ConfigError(
            f"cannot use the address {url}", why=str(error), fix="use --store http://HOST:6333"
        ) from error


def _client_without_warning(**options: Any) -> QdrantClient:
    """Return a client of Qdrant that does not warn of an API key over HTTP."""
    with warnings.catch_warnings():
        # `_warn_of_unencrypted_key` does this better: the client warns each time, even on the loopback.
        warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        return QdrantClient(**options)


def _check_secrets(address: SplitResult, server: Server) -> None:
    """Refuse a user name or password in the address, and a key that no HTTP header can carry."""
    # The messages quote neither.
    if "@" in address.netloc:
        raise ConfigError(
            f"cannot use the address of {address.netloc.rpartition('@')[2]}",
            why="it contains a user name or password, which other users of the machine can read in the"
            " process list",
            fix="leave them out, and pass the key in ALEXANDRIA_API_KEY or with --api-key-file FILE",
        )
    key = server.api_key
    if key is not None and not (key.isascii() and key.isprintable() and key == key.strip()):
        raise ConfigError(
            "cannot use the API key",
            why="it contains a line break, a space at either end, or a non-ASCII character",
            fix="copy the key again into ALEXANDRIA_API_KEY or the file of --api-key-file",
        )


def _warn_of_unencrypted_key(address: SplitResult, server: Server) -> None:
    """Warn, once per address, that the API key is sent unencrypted to another machine."""
    if server.api_key is None or address.scheme in ("https", "grpcs") or is_loopback(address.hostname):
        return
    if address.netloc not in _warned_of:
        _warned_of.add(address.netloc)
        log.warning(
            "the API key goes to %s unencrypted: anyone on the network can read it; use https:// or grpcs://",
            address.netloc,
        )


def prepare_folder(address: str, collection: str, binding: Binding | None, server: Server) -> LibraryFolder:
    """Do the work of `store.prepare_folder` for a folder of local mode.

    Local mode unpickles the files of its folder, so a folder without our marker is refused before it is read.
    """
    folder = Path(address.removeprefix(LOCAL)).expanduser().absolute()
    if binding is not None:
        check_new(collection, folder / "collection" / collection)  # where qdrant-client puts it
    refuse_nested(folder)
    if is_free(folder):
        if binding is None:
            raise no_library_error(folder, collection, ())
        _create_local(folder, collection, binding, server)
    read_marker(folder, LOCAL_MODE)

    def open_folder(lock: FolderLock) -> ClientStore:
        if not (folder / "meta.json").is_file():  # qdrant-client would create an empty library
            raise _unreadable_error(folder, "its meta.json is missing")
        client = _local_client(folder)
        connection = Connection(
            client, str(folder), server, on_server=False, on_close=lock.release, folder=folder
        )
        return open_local_collection(connection, collection, binding)

    return LibraryFolder(folder, local_catalog_folder(folder, collection), open_folder)


def _create_local(folder: Path, collection: str, binding: Binding, server: Server) -> None:
    """Create a folder of local mode, with an empty collection."""
    with create_folder(folder) as staging:
        write_marker(staging, LOCAL_MODE)
        client = _local_client(staging)
        connection = Connection(client, str(folder), server, on_server=False, folder=staging)
        open_local_collection(connection, collection, binding).close()


def _local_client(folder: Path) -> QdrantClient:
    """Open a folder of local mode, read its files, and return the client.

    From then on, this process does not show qdrant-client's warning of large collections.

    Raises:
        StoreError: another program has the folder open, or its files are damaged.
        FullDiskError: the disk is full.
    """
    # Above 20,000 points, qdrant-client recommends a server; docs/lab/stores.md has figures. It warns
    # both here and at later writes. `warnings.catch_warnings` is not safe there: other threads write.
    warnings.filterwarnings("ignore", message="Local mode is not recommended")
    try:
        # By default, SQLite refuses all threads but the one that opened the file. An ingest writes from
        # another thread, but only from one at a time.
        return QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    except RuntimeError as error:
        if "already accessed" in str(error):
            raise used_by_another_program_error(folder) from error
        raise _unreadable_error(folder, error) from error
    except Exception as error:  # on damaged files, sqlite3, json and pickle raise errors of any class
        if is_full_disk(error):
            raise full_disk_error(f"cannot open the library at {folder}") from error
        raise _unreadable_error(folder, error) from error


def _unreadable_error(folder: Path, error: Exception | str) -> StoreError:
    what = f"cannot open the library at {folder}"
    if denied := denied_error(what, folder):
        return denied
    reason = io_reason(error) if isinstance(error, OSError) else error
    return DamagedError(
        what,
        why=f"qdrant-client cannot read its files: {reason}",
        fix=REMEDY,
    )


def _protocol_options(address: SplitResult, certificates: Path | None) -> dict[str, Any]:
    """Return the client's options for protocol and port; Qdrant's default ports if the address has none."""
    # `address`: the parsed address of the server.
    # `certificates`: the file of certificates to trust; None for those that gRPC trusts by itself. Not used
    # over REST: there, the transport has the certificates.
    if not address.scheme.startswith("grpc"):
        return {"port": address.port or REST_PORT}
    options: dict[str, Any] = {"grpc.max_receive_message_length": MAX_RESPONSE_BYTES}
    if certificates is not None:
        _read_certificates(certificates)  # gRPC itself would not say that they cannot be read
        options["root_certificates"] = certificates.read_bytes()
    return {"prefer_grpc": True, "grpc_port": address.port or GRPC_PORT, "grpc_options": options}


def _certificate_file(address: SplitResult, server: Server) -> Path | None:
    """Return the file of certificates to trust, or None for the usual authorities."""
    # Without `Server.ca_file`, the environment variable `SSL_CERT_FILE`, as for OpenSSL, names the file. The
    # variable counts for encrypted connections only: reading certificates takes longer than a request.
    if server.ca_file is not None:
        return server.ca_file
    named = os.environ.get("SSL_CERT_FILE")
    is_encrypted = address.scheme in ("https", "grpcs")
    return Path(named) if named and is_encrypted else None


def _read_certificates(file: Path) -> ssl.SSLContext:
    """Return a context that trusts the certificates in a file.

    Raises:
        ConfigError: the file cannot be read, or is not in PEM format.
    """
    try:
        return ssl.create_default_context(cafile=str(file))
    except OSError as error:
        raise ConfigError(
            f"cannot read the certificates in {file}", why=io_reason(error), fix="use a file in PEM format"
        ) from error
