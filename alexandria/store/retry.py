"""Requests to a server that may be busy, restarting or down: repeated for a while, then given up."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import StoreError
from alexandria.store.store import Server

Answer = TypeVar("Answer")

LONGEST_WAIT = 30.0
"""Seconds: a command should not wait longer, even if the server asks it to."""


def with_retries(request: Callable[[], Answer], address: str, server: Server) -> Answer:
    """Return the response to a request, which may be sent more than once: all of ours are idempotent.

    Raises:
        StoreError: the server refuses the request, or fails `server.attempts` times.
    """
    for attempt in range(1, server.attempts + 1):
        try:
            return request()
        except Exception as error:
            wait = _wait(error, attempt, server)
            if wait is None or attempt == server.attempts:
                raise _translated(error, address, attempt) from error
            time.sleep(wait)
    raise ValueError("a request needs at least one attempt")


def _wait(error: Exception, attempt: int, server: Server) -> float | None:
    """Return the seconds before the next attempt; None if another attempt cannot help."""
    if isinstance(error, ResourceExhaustedResponse):
        return min(float(error.retry_after_s), LONGEST_WAIT)
    status = error.status_code if isinstance(error, UnexpectedResponse) else None
    temporary = isinstance(error, ResponseHandlingException) or status == 429 or (status or 0) >= 500
    if not temporary and not _is_temporary_in_grpc(error):
        return None
    # Jitter: writers that were refused together must not all return at the same moment.
    return random.uniform(0.5, 1.0) * min(server.backoff * 2.0 ** (attempt - 1), LONGEST_WAIT)


def _is_temporary_in_grpc(error: Exception) -> bool:
    import grpc

    temporary = (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
    )
    return isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) and error.code() in temporary


def _translated(error: Exception, address: str, attempts: int) -> Exception:
    """Return the error as a StoreError; one that did not come from the server is returned as it is."""
    import grpc

    if isinstance(error, UnexpectedResponse) and error.status_code in (401, 403):
        return StoreError(
            f"the server at {address} refused the request",
            why=f"it returned {error.status_code}: the API key is missing, wrong, or lacks the permission",
            fix="pass --api-key-file FILE, or set ALEXANDRIA_API_KEY",
        )
    if isinstance(error, UnexpectedResponse | ResourceExhaustedResponse | ResponseHandlingException):
        # What may pass is tried again: an error that was not tried again is a refusal.
        return StoreError(
            f"the server at {address} {'does not answer' if attempts > 1 else 'refused the request'}",
            why=_reason(error, attempts),
            fix="check the address and the server, then run the command again: it resumes where it stopped",
        )
    if isinstance(error, grpc.RpcError):
        details = error.details() if isinstance(error, grpc.Call) else str(error)
        return StoreError(
            f"the server at {address} does not answer over gRPC",
            why=_after(details, attempts),
            fix="check the gRPC port (6334 by default), or use --store http://HOST:6333",
        )
    return error


def _reason(error: Exception, attempts: int) -> str:
    if isinstance(error, UnexpectedResponse):
        body = error.content.decode("utf-8", "replace")[:200]
        reason = f"{error.status_code} {error.reason_phrase}: {body}"
    elif isinstance(error, ResponseHandlingException):
        reason = str(error.source) or type(error.source).__name__
    else:
        reason = f"429: {error}"
    return _after(reason, attempts)


def _after(reason: str, attempts: int) -> str:
    return f"{reason} (after {attempts} attempts)" if attempts > 1 else reason
