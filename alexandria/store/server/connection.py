"""An open client of qdrant-client, with what all requests need: retries, translated errors, scrolling."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid5

from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import DamagedError
from alexandria.store.edge_errors import REMEDY
from alexandria.store.points import NAMESPACE
from alexandria.store.server.errors import (
    LargeResponseError,
    as_store_error,
    is_final,
    is_settled,
    is_too_large,
    is_unreachable,
    reveals_key,
    too_large_error,
)
from alexandria.store.server.transport import proxy_for
from alexandria.store.store import GRPC_PORT, REST_PORT, SERVER_SCHEMES, Server
from alexandria.system.files import sync_folder

PAGE = 256  # points read per request of a scroll without vectors
BINDING = str(uuid5(NAMESPACE, "binding"))
"""The id of the point in the catalog that holds what the collection is bound to."""

Answer = TypeVar("Answer")
log = logging.getLogger(__name__)

_MAX_BACKOFF = 30.0  # seconds between two attempts, unless the server asks for more
_MAX_WAIT = 120.0
"""Seconds that a server with a rate limit may ask to wait; if it asks for more, the error says how long."""


def catalog_name(collection: str) -> str:
    """Return the name of the collection that holds the records of a collection of points."""
    return f"{collection}.catalog"


@dataclass(frozen=True, slots=True)
class Connection:
    """An open client of qdrant-client, and how its requests are made."""

    client: QdrantClient
    address: str  # the URL of the server, or the folder; for messages
    server: Server
    on_server: bool  # whether other processes may be writing meanwhile
    on_close: Callable[[], None] = lambda: None
    folder: Path | None = None  # the folder of local mode; None for a server, and in memory

    def call(self, request: Callable[[], Answer], *, first: bool = False) -> Answer:
        """Return the response to a request, repeated while the server is busy or restarting.

        Args:
            first: whether it is the first one: if nobody listens at the address, it is not repeated.
        """
        try:
            return with_retries(request, self.address, self.server, first=first)
        except (LookupError, TypeError, ValueError) as error:
            if self.folder is None:
                raise
            raise DamagedError(  # local mode reads its files as it is opened, and checks little of them
                f"cannot use the library at {self.address}",
                why=f"its files are damaged: {type(error).__name__} in qdrant-client: {error}",
                fix=REMEDY,
            ) from error

    def sync(self, collection: str) -> None:
        """Return once what was written into a collection survives a power cut.

        Local mode writes with SQLite, which commits by deleting its journal, but does not sync the folder.
        After a power cut the journal may be there again, and the next open would roll the commit back. A
        server syncs its own log.
        """
        if self.folder is not None:
            folder = self.folder / "collection" / collection
            self.call(lambda: sync_folder(folder))

    def close(self) -> None:
        """Close the client."""
        self.client.close()
        self.on_close()

    def scroll(
        self,
        name: str,
        filter: models.Filter | None,
        page: int = PAGE,
        *,
        start: str | None = None,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
    ) -> Iterator[models.Record]:
        """Yield the points of a collection that match, ordered by id, `page` of them per request.

        They begin with the one with the id `start`.
        """
        offset: Any = start
        while True:
            request = partial(
                self.client.scroll,
                name,
                scroll_filter=filter,
                limit=page,
                offset=offset,
                with_payload=with_payload,
                with_vectors=with_vectors,
            )
            try:
                records, offset = self.call(request)
            except LargeResponseError:  # repeat the request for fewer points
                if page == 1:
                    raise
                page //= 2
                continue
            yield from records
            if offset is None:
                return


def with_retries(
    request: Callable[[], Answer], address: str, server: Server, *, first: bool = False
) -> Answer:
    """Return the response to a request, sent again if it fails: all requests of Alexandria are idempotent.

    A request is sent at most `server.attempts` times, and not again once twice `server.timeout` has passed:
    two time-outs are enough for a server that never answers. Waits that the server asks for do not count. The
    first request to a server is not sent again if nobody listens there: one that has answered may be
    restarting.

    Raises:
        StoreError: the server refuses the request, or each attempt fails.
        TooLargeError: the request is too large; smaller ones may succeed.
    """
    deadline = time.monotonic() + 2 * server.timeout
    for attempt in range(1, server.attempts + 1):
        try:
            return request()
        except Exception as error:
            is_down = first and is_unreachable(error)
            wait = None if is_down else _seconds_to_wait(error, attempt, server)
            if wait is None or attempt == server.attempts or time.monotonic() >= deadline:
                final_error = _translate(error, address, attempt, server.api_key)
                if reveals_key(error, server.api_key):
                    raise final_error from None
                if final_error is error:
                    raise  # it keeps its own cause
                raise final_error from error
            if isinstance(error, ResourceExhaustedResponse):
                deadline += wait
                log.info("the server at %s limits requests: waiting %.0f s", address, wait)
            time.sleep(wait)
    raise ValueError("a request needs at least one attempt")


def _seconds_to_wait(error: Exception, attempt: int, server: Server) -> float | None:
    """Return the seconds to wait before the next attempt, or None if another attempt cannot help."""
    if is_too_large(error) or is_final(error) or is_settled(error):
        return None
    if isinstance(error, ResourceExhaustedResponse):
        seconds = float(error.retry_after_s)
        return seconds if seconds <= _MAX_WAIT else None
    status = error.status_code if isinstance(error, UnexpectedResponse) else None
    is_temporary = isinstance(error, ResponseHandlingException) or status == 429 or (status or 0) >= 500
    if not is_temporary and not _is_temporary_in_grpc(error):
        return None
    # Jitter: writers that were refused at the same moment must not all try again at the same moment.
    return random.uniform(0.5, 1.0) * min(server.backoff * 2.0 ** (attempt - 1), _MAX_BACKOFF)


def _is_temporary_in_grpc(error: Exception) -> bool:
    """Return whether an error of gRPC may be gone at the next attempt."""
    import grpc

    temporary = (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
    )
    return isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) and error.code() in temporary


def _translate(error: Exception, address: str, attempts: int, key: str | None) -> Exception:
    """Return the error as a StoreError; one that did not come from the server is returned as it is."""
    address = as_reached(address)
    if is_too_large(error):
        return too_large_error(error, address, key)
    return as_store_error(error, address, attempts, key) or error


def as_reached(address: str) -> str:
    """Return the address of a server with its port, which may be a default, and the proxy before it."""
    url = urlsplit(address)
    if not address.startswith(SERVER_SCHEMES):
        return address
    if url.port is None:
        port = GRPC_PORT if url.scheme.startswith("grpc") else REST_PORT
        address = urlunsplit(url._replace(netloc=f"{url.netloc}:{port}"))
    proxy = None if url.scheme.startswith("grpc") else proxy_for(address)
    return address if proxy is None else f"{address} (through the proxy {proxy.url.host}:{proxy.url.port})"
