"""HTTP with limits: a server is not trusted to end its responses, so each is limited in size and in time.

The time-out of httpx is for each piece of a response: one byte now and then would keep it waiting forever,
and it keeps all bytes in memory. Redirects are returned, not followed: no other host gets the API key.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

MAX_RESPONSE_BYTES = 64 * 2**20
"""Bytes of a response, decompressed. 64 long chunks with their vectors have some 20 MB; malicious JSON can
take thirty times its size in memory."""
_MAX_CONNECTIONS = 100
_MAX_IDLE = 5.0  # seconds for which a connection without a request is kept open
_MAX_PIECE = 1024  # bytes that are decompressed at once: they become a megabyte at most
_TRANSFER_HEADERS = (b"content-encoding", b"content-length", b"transfer-encoding")
"""Headers that are no longer true once the content of a response has been decompressed."""


COLLECTION = b"alexandria-collection"
"""The header under which a response names the collection that its request was for."""


class OversizedResponseError(Exception):
    """A response is larger than any that Alexandria asks for."""

    def __init__(self) -> None:
        super().__init__(f"it has more than {MAX_RESPONSE_BYTES // 2**20} MiB")


class LimitedTransport(httpx.BaseTransport):
    """Sends requests; each response must end in time and be of a reasonable size."""

    def __init__(self, address: str, seconds: float, certificates: ssl.SSLContext | None = None) -> None:
        """Prepare connections to a server.

        Args:
            address: the address of the server, with scheme and host.
            seconds: how long a response may take to end, counted from the end of its request.
            certificates: what to trust; by default the authorities that Mozilla trusts, or those in the
                folder that `SSL_CERT_DIR` names.
        """
        is_plain = httpx.URL(address).scheme in ("http", "grpc")
        proxy = proxy_for(address)
        self._pool = httpcore.ConnectionPool(
            # Not for plain HTTP: reading all certificates takes longer than a request.
            ssl_context=certificates or (None if is_plain else httpx.create_ssl_context()),
            proxy=None
            if proxy is None
            else httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth, headers=proxy.headers.raw),
            max_connections=_MAX_CONNECTIONS,
            keepalive_expiry=_MAX_IDLE,
            network_backend=_Network(seconds),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request, read to its end and decompressed.

        Raises:
            OversizedResponseError: the response has more than `MAX_RESPONSE_BYTES` bytes.
            httpcore.TimeoutException: it did not end in time; other exceptions of httpcore for other faults.
            httpx.DecodingError: it is not compressed in the way its headers say.
        """
        url, body = request.url, request.stream
        assert isinstance(body, Iterable)  # true of a client that does not use asyncio
        core_request = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=body,
            extensions=request.extensions,
        )
        response = self._pool.handle_request(core_request)
        try:
            assert isinstance(response.stream, Iterable)
            content = _read_content(response.headers, response.stream)
        finally:
            response.close()
        headers = [header for header in response.headers if _is_passed_on(*header)]
        headers.append((COLLECTION, (url.path.partition("/collections/")[2].partition("/")[0]).encode()))
        return httpx.Response(
            response.status, headers=headers, content=content, extensions=dict(response.extensions)
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _is_passed_on(name: bytes, value: bytes) -> bool:
    """Return whether qdrant-client gets a header of a response."""
    if name.lower() == b"retry-after":  # on a date, or a number of a thousand digits, the client raises
        return value.isdigit() and len(value) < 10
    return name.lower() not in _TRANSFER_HEADERS


class _SmallPieces(httpx.SyncByteStream):
    """The pieces of a response, cut small, so that the limit on its size is checked often enough."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            yield from (piece[i : i + _MAX_PIECE] for i in range(0, len(piece), _MAX_PIECE))


def _read_content(headers: list[tuple[bytes, bytes]], pieces: Iterable[bytes]) -> bytes:
    """Return the content of a response, decompressed as its headers say.

    Raises:
        OversizedResponseError: it has more than `MAX_RESPONSE_BYTES` bytes.
    """
    content = bytearray()
    for piece in httpx.Response(200, headers=headers, stream=_SmallPieces(pieces)).iter_bytes():
        content += piece
        if len(content) > MAX_RESPONSE_BYTES:
            raise OversizedResponseError
    return bytes(content)


def is_loopback(host: str | None) -> bool:
    """Return whether a host is this machine: what is sent to it does not leave the machine."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:  # a host name, not an address
        return False


def proxy_for(address: str) -> httpx.Proxy | None:
    """Return the proxy that the environment sets for an address; None for this machine, and without one."""
    url, proxies = httpx.URL(address), getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or is_loopback(url.host) or proxy_bypass(url.host):
        return None
    return httpx.Proxy(proxy if "://" in proxy else f"http://{proxy}")


class _Network(httpcore.NetworkBackend):
    """Opens connections as httpcore does, with a limit on the time of a response."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._backend = seconds, httpcore.SyncBackend()

    def connect_tcp(self, *arguments: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._backend.connect_tcp(*arguments, **options), self._seconds)

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    """A connection with a deadline for each response: for all that is read after something was written."""

    def __init__(self, stream: httpcore.NetworkStream, seconds: float) -> None:
        self._stream, self._seconds = stream, seconds
        self._deadline = time.monotonic() + seconds

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes; raise ReadTimeout once the deadline of the whole response has passed."""
        seconds_left = self._deadline - time.monotonic()
        if seconds_left <= 0:
            raise httpcore.ReadTimeout(f"its response did not end within {self._seconds:g} s")
        return self._stream.read(max_bytes, seconds_left if timeout is None else min(timeout, seconds_left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)
        self._deadline = time.monotonic() + self._seconds

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *arguments: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(*arguments, **options), self._seconds)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
