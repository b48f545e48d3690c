"""What a Qdrant server says when it refuses or fails, in our words: what, why, and the fix.

Recorded from Qdrant 1.18.3. Over REST a refusal is a status with a JSON body; over gRPC, a code with details.
"""

import re
import sqlite3

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import FullDiskError, StoreError, TooLargeError

_TOO_LARGE = re.compile(r"larger than allowed|try to split|message length too large|Too Large", re.IGNORECASE)
_NO_COPY = re.compile(r"(?:read|write) operations failed", re.IGNORECASE)
_UNREACHED = re.compile(r"connect error|failed to connect|unavailable", re.IGNORECASE)
_NO_LEADER = re.compile(r"leader is not established", re.IGNORECASE)
_LONGEST_QUOTE = 200
"""Characters of a response that a message quotes."""


def is_too_large(error: Exception) -> bool:
    """Return whether a request was refused for its size."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code == 413 or bool(_TOO_LARGE.search(_body(error)))
    return bool(_TOO_LARGE.search(_details(error) or ""))


def too_large(error: Exception, address: str) -> TooLargeError:
    """Return the error for a request that was refused for its size."""
    said = _body(error) if isinstance(error, UnexpectedResponse) else _details(error)
    return TooLargeError(
        f"the server at {address} refused a request for its size",
        why=(said or str(error))[:_LONGEST_QUOTE],
        fix="raise `service.max_request_size_mb` of the server, or cut shorter chunks (--set max_words=600)",
    )


def refused(error: Exception, address: str, attempts: int) -> StoreError | None:
    """Return an exception of qdrant-client or gRPC as a StoreError; None for any other exception."""
    import grpc

    if _lacks_permission(error):
        return StoreError(
            f"the server at {address} refused the request",
            why="the API key is missing, wrong, or lacks the permission" + _code(error),
            fix="pass --api-key-file FILE, or set ALEXANDRIA_API_KEY",
        )
    if isinstance(error, ResourceExhaustedResponse):
        seconds = f"{float(error.retry_after_s):.0f} s"
        return StoreError(
            f"the server at {address} limits the rate of requests",
            why=_after(f"it asks to wait {seconds}", attempts),
            fix=f"wait {seconds}, then run the command again: it resumes where it stopped",
        )
    if isinstance(error, UnexpectedResponse | ResponseHandlingException):
        # What may pass is tried again: an error that was not tried again is a refusal.
        return StoreError(
            f"the server at {address} {'does not answer' if attempts > 1 else 'refused the request'}",
            why=_after(_cluster_reason(_reason(error)) or _reason(error), attempts),
            fix=_fix(_reason(error)),
        )
    if isinstance(error, sqlite3.Error):  # local mode, which reads its files only as it is opened
        kind = FullDiskError if "full" in str(error) else StoreError
        return kind(
            f"cannot write into the library at {address}",
            why=str(error),
            fix="free some disk space, then run the same command again: it resumes where it stopped",
        )
    if isinstance(error, grpc.RpcError):
        details = _details(error) or str(error)
        return StoreError(
            f"the server at {address} does not answer over gRPC",
            why=_after(_cluster_reason(details) or details, attempts),
            fix=_fix(details, "check the gRPC port (6334 by default), or use --store http://HOST:6333"),
        )
    return None


def _lacks_permission(error: Exception) -> bool:
    import grpc

    if isinstance(error, UnexpectedResponse):
        return error.status_code in (401, 403)
    codes = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
    return isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) and error.code() in codes


def _code(error: Exception) -> str:
    return f" ({error.status_code})" if isinstance(error, UnexpectedResponse) else ""


def _cluster_reason(said: str) -> str | None:
    """Return why a cluster cannot answer, if some of its nodes are down."""
    if _NO_LEADER.search(said):
        return "the cluster has no leader: most of its nodes do not answer"
    if _NO_COPY.search(said) and _UNREACHED.search(said):
        return "a shard has no living copy: the nodes that hold it do not answer"
    return None


def _fix(
    said: str,
    usual: str = "check the address and the server, then run the command again: it resumes where it stopped",
) -> str:
    if _cluster_reason(said):
        return "start the missing nodes, then run the command again: it resumes where it stopped"
    return usual


def _reason(error: UnexpectedResponse | ResponseHandlingException) -> str:
    if isinstance(error, UnexpectedResponse):
        return f"{error.status_code} {error.reason_phrase}: {_body(error)}"
    return str(error.source) or type(error.source).__name__


def _body(error: UnexpectedResponse) -> str:
    text = error.content.decode("utf-8", "replace")
    return text if _NO_COPY.search(text) else text[:_LONGEST_QUOTE]


def _details(error: Exception) -> str | None:
    import grpc

    return error.details() if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) else None


def _after(reason: str, attempts: int) -> str:
    return f"{reason} (after {attempts} attempts)" if attempts > 1 else reason
