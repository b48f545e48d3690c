"""Requests to a server that may be busy, restarting or gone: made again for a while, then given up."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import StoreError
from alexandria.store import Server

Answer = TypeVar("Answer")

LONGEST_WAIT = 30.0
"""Seconds: a server that asks for more is busy beyond what a command should wait for."""


def patiently(request: Callable[[], Answer], place: str, server: Server) -> Answer:
    """Return the answer to a request that may be made more than once: every one we make is idempotent.

    Raises:
        StoreError: the server refuses, or does not answer in `server.attempts` attempts.
    """
    for attempt in range(1, server.attempts + 1):
        try:
            return request()
        except Exception as error:
            wait = _wait(error, attempt, server)
            if wait is None or attempt == server.attempts:
                raise _translated(error, place, attempt) from error
            time.sleep(wait)
    raise ValueError("a request needs at least one attempt")


def _wait(error: Exception, attempt: int, server: Server) -> float | None:
    """Return the seconds before the next attempt; None where none can help."""
    if isinstance(error, ResourceExhaustedResponse):
        return min(float(error.retry_after_s), LONGEST_WAIT)
    status = error.status_code if isinstance(error, UnexpectedResponse) else None
    passing = isinstance(error, ResponseHandlingException) or status == 429 or (status or 0) >= 500
    if not passing and not _grpc_passing(error):
        return None
    # Jitter: a fleet of writers that was refused together must not come back together.
    return random.uniform(0.5, 1.0) * min(server.backoff * 2.0 ** (attempt - 1), LONGEST_WAIT)


def _grpc_passing(error: Exception) -> bool:
    import grpc

    passing = (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
    )
    return isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) and error.code() in passing


def _translated(error: Exception, place: str, attempts: int) -> Exception:
    """Return the error in our words; one that is no server's doing stays what it is."""
    import grpc

    if isinstance(error, UnexpectedResponse) and error.status_code in (401, 403):
        return StoreError(
            f"the server at {place} refuses the request",
            why=f"it answers {error.status_code}: the API key is missing, wrong, or may not do this",
            fix="--api-key-file FILE, or the environment variable ALEXANDRIA_API_KEY",
        )
    if isinstance(error, UnexpectedResponse | ResourceExhaustedResponse | ResponseHandlingException):
        return StoreError(
            f"the server at {place} does not answer" if attempts > 1 else f"{place} refuses the request",
            why=_why(error, attempts),
            fix="check address and server, then run the same command again: it goes on where it stopped",
        )
    if isinstance(error, grpc.RpcError):
        details = error.details() if isinstance(error, grpc.Call) else str(error)
        return StoreError(
            f"the server at {place} does not answer over gRPC",
            why=f"{details} (after {attempts} attempts)",
            fix="check the port of gRPC, or go without --grpc",
        )
    return error


def _why(error: Exception, attempts: int) -> str:
    if isinstance(error, UnexpectedResponse):
        body = error.content.decode("utf-8", "replace")[:200]
        why = f"{error.status_code} {error.reason_phrase}: {body}"
    elif isinstance(error, ResponseHandlingException):
        why = str(error.source) or type(error.source).__name__
    else:
        why = f"429: {error}"
    return f"{why} (after {attempts} attempts)" if attempts > 1 else why
