"""HTTP to a server that is not trusted to end its responses: each is limited in size and in time.

The time-out of httpx is for each piece that arrives: one byte now and then would keep it waiting forever. It
also keeps all that is sent. Redirects are returned, not followed: no other host sees the API key.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

LARGEST_RESPONSE = 64 * 2**20
"""Bytes of a response, decompressed; 64 long chunks with their vectors take some 20 MB, and JSON made to harm
up to thirty times its size in memory."""
_CONNECTIONS = 100
_IDLE = 5.0
"""Seconds that a connection without a request is kept."""
_CHANGED = (b"content-encoding", b"content-length", b"transfer-encoding")
"""Headers that are no longer true of a response that has been read."""


class OversizedResponseError(Exception):
    """A response is larger than any that Alexandria asks for."""

    def __init__(self) -> None:
        super().__init__(f"it has more than {LARGEST_RESPONSE // 2**20} MiB")


class LimitedTransport(httpx.BaseTransport):
    """Sends requests; each response must end in time and be of a reasonable size."""

    def __init__(self, address: str, seconds: float, certificates: ssl.SSLContext | None = None) -> None:
        """Prepare connections to a server.

        Args:
            address: of the server, with scheme and host.
            seconds: within which a response must end, counted from the end of its request.
            certificates: to trust instead of the usual ones.
        """
        is_plain = httpx.URL(address).scheme in ("http", "grpc")
        self._pool = httpcore.ConnectionPool(
            # Reading the usual certificates takes longer than a request does.
            ssl_context=certificates or (None if is_plain else httpx.create_ssl_context()),
            proxy=_proxy_for(httpx.URL(address)),
            max_connections=_CONNECTIONS,
            keepalive_expiry=_IDLE,
            network_backend=_Network(seconds),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request, read to its end and decompressed.

        Raises:
            OversizedResponseError: it has more than `LARGEST_RESPONSE` bytes.
            httpcore.TimeoutException: it did not end in time; other exceptions of httpcore for other faults.
            httpx.DecodingError: it is not compressed as it says.
        """
        url, body = request.url, request.stream
        assert isinstance(body, Iterable)  # a client that does not use asyncio
        sent = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=body,
            extensions=request.extensions,
        )
        received = self._pool.handle_request(sent)
        try:
            assert isinstance(received.stream, Iterable)
            content = _content(received.headers, received.stream)
        finally:
            received.close()
        headers = [header for header in received.headers if _is_kept(*header)]
        return httpx.Response(
            received.status, headers=headers, content=content, extensions=dict(received.extensions)
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _is_kept(name: bytes, value: bytes) -> bool:
    if name.lower() == b"retry-after":  # the client refuses to read a date, or a number of a thousand digits
        return value.isdigit() and len(value) < 10
    return name.lower() not in _CHANGED


class _Received(httpx.SyncByteStream):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        # In small pieces: a kilobyte is at most a megabyte decompressed.
        for piece in self._pieces:
            yield from (piece[i : i + 1024] for i in range(0, len(piece), 1024))


def _content(headers: list[tuple[bytes, bytes]], pieces: Iterable[bytes]) -> bytes:
    content = bytearray()
    for piece in httpx.Response(200, headers=headers, stream=_Received(pieces)).iter_bytes():
        content += piece
        if len(content) > LARGEST_RESPONSE:
            raise OversizedResponseError
    return bytes(content)


def _proxy_for(url: httpx.URL) -> httpcore.Proxy | None:
    """Return the proxy that the environment names for an address."""
    proxies = getproxies()
    address = proxies.get(url.scheme) or proxies.get("all")
    if not address or proxy_bypass(url.host):
        return None
    proxy = httpx.Proxy(address if "://" in address else f"http://{address}")
    return httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth, headers=proxy.headers.raw)


class _Network(httpcore.NetworkBackend):
    """Opens connections as httpcore does, with a limit on the time of a response."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._usual = seconds, httpcore.SyncBackend()

    def connect_tcp(self, *arguments: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._usual.connect_tcp(*arguments, **options), self._seconds)

    def sleep(self, seconds: float) -> None:
        self._usual.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    """A connection: what is read after something was written is one response."""

    def __init__(self, stream: httpcore.NetworkStream, seconds: float) -> None:
        self._stream, self._seconds = stream, seconds
        self._deadline = time.monotonic() + seconds

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout(f"its response did not end within {self._seconds:g} s")
        return self._stream.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)
        self._deadline = time.monotonic() + self._seconds

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *arguments: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(*arguments, **options), self._seconds)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
