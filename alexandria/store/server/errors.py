"""Translates the errors of requests to Qdrant into ours: what happened, why, and the fix.

The messages that are recognised were recorded from Qdrant 1.18.3 and 1.19.0. Over REST, a refusal is a status
with a JSON body; over gRPC, a code with details.
"""

import re
import sqlite3
from collections.abc import Iterator
from json import JSONDecodeError
from math import ceil
from ssl import SSLCertVerificationError

from httpcore import ProxyError
from httpx import DecodingError
from pydantic import ValidationError
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from alexandria.errors import FullDiskError, StoreError, TooLargeError
from alexandria.store.server.transport import COLLECTION, OversizedResponseError

_TOO_LARGE = re.compile(r"larger than allowed|try to split|message length too large|Too Large", re.IGNORECASE)
_LARGE_MESSAGE = "Received message larger than max"
"""The message of gRPC for a response that exceeds our limit."""
_NO_COPY = re.compile(r"(?:read|write) operations failed", re.IGNORECASE)
_UNREACHED = re.compile(r"connect error|failed to connect|unavailable", re.IGNORECASE)
_NO_LEADER = re.compile(r"leader is not established", re.IGNORECASE)
_UNTRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED:? ?([\w ]*)")
_MAX_QUOTE = 200  # characters of a response that a message quotes


class LargeResponseError(StoreError):
    """A response exceeds the limit; a request for fewer points may succeed."""


_NOT_JSON = (JSONDecodeError, UnicodeDecodeError, RecursionError)
_NOT_QDRANT = (*_NOT_JSON, ValidationError, DecodingError, OversizedResponseError)
"""The errors for a response that Qdrant would not send: to repeat the request would not help."""


def is_too_large(error: Exception) -> bool:
    """Return whether a request was refused for its size."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code == 413 or bool(_TOO_LARGE.search(_response_text(error)))
    return bool(_TOO_LARGE.search(_grpc_details(error) or ""))


def is_final(error: Exception) -> bool:
    """Return whether a response arrived that Qdrant would not send, so that another attempt cannot help."""
    return isinstance(_original_error(error), _NOT_QDRANT)


def is_settled(error: Exception) -> bool:
    """Return whether another attempt cannot help: a proxy refuses, or the certificate is not trusted."""
    return isinstance(_original_error(error), ProxyError) or bool(_untrusted_certificate(error))


def is_unreachable(error: Exception) -> bool:
    """Return whether no program listens at the address."""
    refused = any(isinstance(link, ConnectionRefusedError) for link in _iter_causes(_original_error(error)))
    return refused or "Connection refused" in (_grpc_details(error) or "")


def reveals_key(error: BaseException, key: str | None) -> bool:
    """Return whether the traceback of an error would show the API key: a server can send the key back."""
    return key is not None and any(key in f"{link} {link!r}" for link in _iter_causes(error))


def too_large_error(error: Exception, address: str, key: str | None) -> TooLargeError:
    """Return the error for a request that was refused for its size; it does not quote the key."""
    response = _response_text(error) if isinstance(error, UnexpectedResponse) else _grpc_details(error)
    return TooLargeError(
        f"the server at {address} refused a request as too large",
        why=_quote(response or str(error), key),
        fix="raise `service.max_request_size_mb` of the server, or cut shorter chunks (--set max_words=600)",
    )


def as_store_error(error: Exception, address: str, attempts: int, key: str | None) -> StoreError | None:
    """Return an exception of qdrant-client, gRPC or SQLite as a StoreError, or None for any other exception.

    The response of the server is quoted on one line, cut off at 200 characters, and without the API key.

    Args:
        error: what a request raised.
        address: the URL of the server, or the folder of local mode.
        attempts: how often the request was sent, at least once.
        key: the API key, if there is one.
    """
    import grpc  # takes a tenth of a second

    if is_final(error):
        return _not_qdrant_error(_original_error(error), address)
    if _lacks_permission(error):
        collection, reason = _collection_of(error), _quote(_refusal_text(error), key)
        return StoreError(
            f"the server at {address} refused the request",
            why="the API key is missing, wrong, or lacks the permission"
            + (f" for the collection {collection}" if collection else "")
            + _status_suffix(error)
            + (f": {reason}" if reason else ""),
            fix="pass --api-key-file FILE, or set ALEXANDRIA_API_KEY; a library needs its collection, such as"
            " books, and the one of its catalog, books.catalog",
        )
    if certificate := _untrusted_certificate(error):
        return StoreError(
            f"cannot trust the server at {address}",
            why=f"its certificate: {certificate}",
            fix="set ALEXANDRIA_CA_FILE to the certificates (PEM) of its authority, or use the name that its"
            " certificate is for",
        )
    if isinstance(error, ResourceExhaustedResponse):
        seconds = f"{ceil(float(error.retry_after_s))} s"
        return StoreError(
            f"the server at {address} limits the rate of requests",
            why=_with_attempts(f"it asks clients to wait {seconds}", attempts),
            fix=f"wait {seconds}, then run the command again: it resumes where it stopped",
        )
    if isinstance(error, UnexpectedResponse) and 300 <= (error.status_code or 0) < 400:
        target = _quote(error.headers.get("location", "another address"), key)
        return StoreError(
            f"the server at {address} redirects requests",
            why=f"to {target}; they are not followed, so that no other host gets the API key",
            fix="use that address with --store, if you trust it",
        )
    if isinstance(error, UnexpectedResponse | ResponseHandlingException):
        return _rest_error(error, address, attempts, key)
    if isinstance(error, sqlite3.Error):
        return _local_mode_error(error, address)
    if isinstance(error, grpc.RpcError):
        details = _grpc_details(error) or str(error)
        return StoreError(
            f"the server at {address} does not answer over gRPC",
            why=_with_attempts(_cluster_reason(details) or _quote(details, key), attempts),
            fix=_fix_for(details, "check the gRPC port (6334 by default), or use --store http://HOST:6333"),
        )
    return None


def _rest_error(
    error: UnexpectedResponse | ResponseHandlingException, address: str, attempts: int, key: str | None
) -> StoreError:
    # A failure that may pass is tried more than once: a response after one attempt is a refusal.
    is_refusal = isinstance(error, UnexpectedResponse) and attempts == 1
    reason = _describe_reason(error)
    return StoreError(
        f"the server at {address} {'refused the request' if is_refusal else 'does not answer'}",
        why=_with_attempts(_cluster_reason(reason) or _quote(reason, key), attempts),
        fix=_fix_for(reason),
    )


def _not_qdrant_error(error: BaseException, address: str) -> StoreError:
    fix = "check the address: another program, or a proxy, may be answering there"
    if isinstance(error, OversizedResponseError):
        return LargeResponseError(
            f"the server at {address} sent a response that is too large", why=str(error), fix=fix
        )
    return StoreError(
        f"the server at {address} does not answer as Qdrant does",
        why="its response is not JSON" if isinstance(error, _NOT_JSON) else "its response has another format",
        fix=fix,
    )


def _local_mode_error(error: sqlite3.Error, address: str) -> StoreError:
    what = f"cannot write into the library at {address}"
    again = "then run the same command again: it resumes where it stopped"
    if "full" in str(error):
        return FullDiskError(what, why=str(error), fix=f"free some disk space, {again}")
    return StoreError(what, why=str(error), fix=f"check that its files can be written, {again}")


def _original_error(error: BaseException) -> BaseException:
    """Return the exception that qdrant-client has wrapped, or else the exception itself."""
    # The error of gRPC for a large response becomes an OversizedResponseError, as over REST.
    if isinstance(error, ResponseHandlingException) and isinstance(error.source, BaseException):
        return error.source
    if isinstance(error, Exception) and _LARGE_MESSAGE in (_grpc_details(error) or ""):
        return OversizedResponseError()
    return error


def _iter_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception, its cause, the cause of its cause, and so on, as a traceback shows them."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _quote(response: str, key: str | None) -> str:
    """Return the text of a response as one line of limited length, without the API key."""
    without_key = response.replace(key, "[API key]") if key else response
    return " ".join(without_key.split())[:_MAX_QUOTE]


def _lacks_permission(error: Exception) -> bool:
    """Return whether a request was refused for its API key, over REST or gRPC."""
    import grpc

    if isinstance(error, UnexpectedResponse):
        return error.status_code in (401, 403)
    codes = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
    return isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) and error.code() in codes


def _collection_of(error: Exception) -> str:
    """Return the collection that a refused request was for; empty if that is not known."""
    return error.headers.get(COLLECTION.decode(), "") if isinstance(error, UnexpectedResponse) else ""


def _refusal_text(error: Exception) -> str:
    """Return what the server says of a refusal."""
    return _response_text(error) if isinstance(error, UnexpectedResponse) else _grpc_details(error) or ""


def _untrusted_certificate(error: Exception) -> str:
    """Return what is wrong with the certificate of a server, or an empty text."""
    if in_grpc := _UNTRUSTED.search(_grpc_details(error) or ""):
        return in_grpc[1]
    links = _iter_causes(_original_error(error))
    return next((link.verify_message for link in links if isinstance(link, SSLCertVerificationError)), "")


def _status_suffix(error: Exception) -> str:
    """Return the status of an HTTP response in parentheses, as ` (401)`; empty for other errors."""
    return f" ({error.status_code})" if isinstance(error, UnexpectedResponse) else ""


def _cluster_reason(message: str) -> str | None:
    """Return why a cluster cannot answer, if the message says that nodes are down; otherwise None."""
    if _NO_LEADER.search(message):
        return "the cluster has no leader: most of its nodes do not answer"
    if _NO_COPY.search(message) and _UNREACHED.search(message):
        return "a shard has no living copy: the nodes that hold it do not answer"
    return None


def _fix_for(
    message: str,
    usual: str = "check the address and the server, then run the command again: it resumes where it stopped",
) -> str:
    """Return the fix for a failure with this message: `usual`, unless nodes of a cluster are down."""
    if _cluster_reason(message):
        return "start the missing nodes, then run the command again: it resumes where it stopped"
    return usual


def _describe_reason(error: UnexpectedResponse | ResponseHandlingException) -> str:
    """Return why a request failed: the status and the text of the response, or why there was none."""
    if isinstance(error, UnexpectedResponse):
        return f"{error.status_code} {error.reason_phrase}: {_response_text(error)}"
    return str(error.source) or type(error.source).__name__


def _response_text(error: UnexpectedResponse) -> str:
    return error.content.decode("utf-8", "replace")


def _grpc_details(error: Exception) -> str | None:
    """Return the message of a gRPC error, or None for other errors."""
    import grpc

    return error.details() if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) else None


def _with_attempts(reason: str, attempts: int) -> str:
    return f"{reason} (after {attempts} attempts)" if attempts > 1 else reason
