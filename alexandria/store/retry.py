"""Repeats requests to a server that may be busy, restarting or down, for a limited time."""

import logging
import random
import time
from collections.abc import Callable
from typing import TypeVar

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.store.refusals import (
    as_store_error,
    is_final,
    is_too_large,
    is_unreachable,
    reveals_key,
    too_large_error,
)
from alexandria.store.store import Server

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

MAX_BACKOFF = 30.0
"""Seconds between two attempts, unless the server asks for more."""
MAX_WAIT = 120.0
"""Seconds that a server with a rate limit may ask to wait; if it asks for more, the error says how long."""


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
    if is_too_large(error) or is_final(error):
        return None
    if isinstance(error, ResourceExhaustedResponse):
        seconds = float(error.retry_after_s)
        return seconds if seconds <= MAX_WAIT else None
    status = error.status_code if isinstance(error, UnexpectedResponse) else None
    is_temporary = isinstance(error, ResponseHandlingException) or status == 429 or (status or 0) >= 500
    if not is_temporary and not _is_temporary_in_grpc(error):
        return None
    # Jitter: writers that were refused at the same moment must not all try again at the same moment.
    return random.uniform(0.5, 1.0) * min(server.backoff * 2.0 ** (attempt - 1), MAX_BACKOFF)


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
    if is_too_large(error):
        return too_large_error(error, address, key)
    return as_store_error(error, address, attempts, key) or error
