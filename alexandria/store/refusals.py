"""What a Qdrant server says when it refuses or fails, in our words: what, why, and the fix.

Recorded from Qdrant 1.18.3. Over REST a refusal is a status with a JSON body; over gRPC, a code with details.
"""

import re
import sqlite3
from collections.abc import Iterator
from json import JSONDecodeError
from math import ceil

from httpx import DecodingError
from pydantic import ValidationError
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import FullDiskError, StoreError, TooLargeError
from alexandria.store.transport import OversizedResponseError

_TOO_LARGE = re.compile(r"larger than allowed|try to split|message length too large|Too Large", re.IGNORECASE)
_LARGE_MESSAGE = "Received message larger than max"
"""What gRPC says of a response above our limit."""
_NO_COPY = re.compile(r"(?:read|write) operations failed", re.IGNORECASE)
_UNREACHED = re.compile(r"connect error|failed to connect|unavailable", re.IGNORECASE)
_NO_LEADER = re.compile(r"leader is not established", re.IGNORECASE)
_LONGEST_QUOTE = 200
"""Characters of a response that a message quotes."""


class LargeResponseError(StoreError):
    """A response exceeds the limit; fewer points at a time may not."""


_NO_JSON = (JSONDecodeError, UnicodeDecodeError, RecursionError)
_FINAL = (*_NO_JSON, ValidationError, DecodingError, OversizedResponseError)
"""What is raised by a response that arrived, but is none of Qdrant's: the next one would be no better."""


def is_too_large(error: Exception) -> bool:
    """Return whether a request was refused for its size."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code == 413 or bool(_TOO_LARGE.search(_body(error)))
    return bool(_TOO_LARGE.search(_details(error) or ""))


def is_final(error: Exception) -> bool:
    """Return whether a response arrived that Qdrant would not send."""
    return isinstance(_source(error), _FINAL)


def reveals(error: BaseException, key: str | None) -> bool:
    """Return whether the traceback of an error would show the API key: a server can send it back."""
    return key is not None and any(key in f"{link} {link!r}" for link in _chain(error))


def too_large(error: Exception, address: str, key: str | None) -> TooLargeError:
    """Return the error for a request that was refused for its size; it does not quote the key."""
    said = _body(error) if isinstance(error, UnexpectedResponse) else _details(error)
    return TooLargeError(
        f"the server at {address} refused a request for its size",
        why=_quoted(said or str(error), key),
        fix="raise `service.max_request_size_mb` of the server, or cut shorter chunks (--set max_words=600)",
    )


def refused(error: Exception, address: str, attempts: int, key: str | None) -> StoreError | None:
    """Return an exception of qdrant-client, gRPC or SQLite as a StoreError; None for any other exception.

    What the server said is quoted on one line, in part, and without the API key.

    Args:
        error: what a request raised.
        address: of the server, or of a folder in local mode.
        attempts: how often the request was sent, at least once.
        key: the API key, if there is one.
    """
    import grpc  # takes a tenth of a second

    if is_final(error):
        return _final(_source(error), address)
    if _lacks_permission(error):
        return StoreError(
            f"the server at {address} refused the request",
            why="the API key is missing, wrong, or lacks the permission" + _code(error),
            fix="pass --api-key-file FILE, or set ALEXANDRIA_API_KEY",
        )
    if isinstance(error, ResourceExhaustedResponse):
        seconds = f"{ceil(float(error.retry_after_s))} s"
        return StoreError(
            f"the server at {address} limits the rate of requests",
            why=_after(f"it asks to wait {seconds}", attempts),
            fix=f"wait {seconds}, then run the command again: it resumes where it stopped",
        )
    if isinstance(error, UnexpectedResponse) and 300 <= (error.status_code or 0) < 400:
        target = _quoted(error.headers.get("location", "another address"), key)
        return StoreError(
            f"the server at {address} redirects requests",
            why=f"to {target}; they are not followed, so that no other host gets the API key",
            fix="use that address with --store, if you trust it",
        )
    if isinstance(error, UnexpectedResponse | ResponseHandlingException):
        # Errors that may be gone a moment later are tried again: after one attempt, it was a refusal.
        is_refusal = isinstance(error, UnexpectedResponse) and attempts == 1
        return StoreError(
            f"the server at {address} {'refused the request' if is_refusal else 'does not answer'}",
            why=_after(_cluster_reason(_reason(error)) or _quoted(_reason(error), key), attempts),
            fix=_fix(_reason(error)),
        )
    if isinstance(error, sqlite3.Error):  # local mode, which reads its files only as it is opened
        again = "then run the same command again: it resumes where it stopped"
        what = f"cannot write into the library at {address}"
        if "full" in str(error):
            return FullDiskError(what, why=str(error), fix=f"free some disk space, {again}")
        return StoreError(what, why=str(error), fix=f"check that its files can be written, {again}")
    if isinstance(error, grpc.RpcError):
        details = _details(error) or str(error)
        return StoreError(
            f"the server at {address} does not answer over gRPC",
            why=_after(_cluster_reason(details) or _quoted(details, key), attempts),
            fix=_fix(details, "check the gRPC port (6334 by default), or use --store http://HOST:6333"),
        )
    return None


def _final(error: BaseException, address: str) -> StoreError:
    fix = "check the address: another program, or a proxy, may be answering there"
    if isinstance(error, OversizedResponseError):
        return LargeResponseError(
            f"the server at {address} sent a response that is too large", why=str(error), fix=fix
        )
    return StoreError(
        f"the server at {address} does not answer as Qdrant does",
        why="its response is not JSON" if isinstance(error, _NO_JSON) else "its response has another form",
        fix=fix,
    )


def _source(error: BaseException) -> BaseException:
    """Return the exception that qdrant-client has wrapped, or the exception itself."""
    if isinstance(error, ResponseHandlingException) and isinstance(error.source, BaseException):
        return error.source
    if isinstance(error, Exception) and _LARGE_MESSAGE in (_details(error) or ""):
        return OversizedResponseError()
    return error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _quoted(said: str, key: str | None) -> str:
    """Return what a server said as one line of limited length, without the key."""
    said = said.replace(key, "[API key]") if key else said
    return " ".join(said.split())[:_LONGEST_QUOTE]


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
    return error.content.decode("utf-8", "replace")


def _details(error: Exception) -> str | None:
    import grpc

    return error.details() if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) else None


def _after(reason: str, attempts: int) -> str:
    return f"{reason} (after {attempts} attempts)" if attempts > 1 else reason
