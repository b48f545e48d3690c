"""Requests and responses, and which requests are refused before anything is looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from urllib.parse import parse_qsl, unquote, urlsplit

MAX_BODY = 1 << 20
"""Bytes of a request's body; only texts to check and the protocol for language models are sent."""
_MAX_TARGET = 8_000  # characters of a request's path and query
_MAX_VALUES = 50  # values of a request's query
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types pages"
)  # content security policy: only our own script, style and pictures, even if a book's text is not escaped
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # the address holds the token
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}  # headers of every response, refusals included


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser or a program asks for."""

    method: str
    target: str  # path and query, as sent
    headers: Mapping[str, str]  # by name in lower case
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """What is sent back."""

    status: int
    body: bytes
    type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Address:
    """What a request asks for, below the token."""

    path: tuple[str, ...]  # its segments, decoded; the last one is empty in a path that ends with a slash
    values: Mapping[str, str]  # the query's values by name; if a name is repeated, its last value


class RefusedError(Exception):
    """A request that is not answered, and the status to refuse it with."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def refusal(status: int, reason: str) -> Response:
    """Return a response that states only the reason."""
    return Response(status, f"{reason}\n".encode())


def check_address(request: Request, token: str, port: int) -> Address:
    """Return the address that a request asks for, if the request is allowed.

    Raises:
        RefusedError: it is for another host or from another site, lacks the token, is too long, or has a path
            that could lead out of the site.
    """
    hosts = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}")
    host = request.headers.get("host", "")
    if host not in hosts:  # another site's name may resolve to this machine (DNS rebinding)
        raise RefusedError(421, "this is not the host that was asked for")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        raise RefusedError(403, "requests from other sites are refused")
    mode = request.headers.get("sec-fetch-mode", "navigate")
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site") and mode != "navigate":
        raise RefusedError(403, "requests from other sites are refused")
    if len(request.target) > _MAX_TARGET or not request.target.startswith("/") or "\\" in request.target:
        raise RefusedError(400, "this is not an address of a page")
    parts = urlsplit(f"http://{host}{request.target}")
    segments = tuple(unquote(segment, errors="replace") for segment in parts.path[1:].split("/"))
    if not compare_digest(segments[0].encode("utf-8", "replace"), token.encode()):
        raise RefusedError(403, "open the address that alexandria serve has printed: it holds a token")
    if any(segment in (".", "..") or "/" in segment or not segment.isprintable() for segment in segments):
        raise RefusedError(400, "this is not an address of a page")
    try:
        values = dict(parse_qsl(parts.query, errors="replace", max_num_fields=_MAX_VALUES))
    except ValueError as error:  # there are more of them
        raise RefusedError(400, "this is not an address of a page") from error
    return Address(segments[1:], values)
