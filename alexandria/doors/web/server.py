"""The site over HTTP, on this machine only: the standard library's server, a thread per connection."""

import secrets
import socket
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from socketserver import TCPServer
from typing import Any

from alexandria.doors.web.requests import HEADERS, MAX_BODY, Request, Response, refusal
from alexandria.doors.web.routes import Site
from alexandria.errors import ConfigError, io_reason
from alexandria.library.libraries import AnyLibrary
from alexandria.store.passage import Passage

_MAX_LENGTH_DIGITS = 10
"""Digits of the length of a body, which Python refuses to parse if there are thousands."""
_MAX_READ = 8 << 20  # bytes of a body that are read, though one of more than `MAX_BODY` is refused
_MAX_CHUNK_LINE = 1000
_IDLE_SECONDS = 60.0  # seconds after which a connection without a request is closed


class LibraryServer:
    """A library on a port of 127.0.0.1, open from the constructor to the end of the `with` block."""

    def __init__(self, library: AnyLibrary, port: int = 0, *, password: str | None = None) -> None:
        """Begin to listen; connections wait until `run` answers them.

        Args:
            library: the library to show; it is not closed with the server.
            port: a free one if 0.
            password: the password of its encrypted PDFs, whose pages are drawn.

        Raises:
            ConfigError: the port is taken or not allowed.
        """
        try:
            self._server = _Listener(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            why = io_reason(error) if isinstance(error, OSError) else "there is no such port"
            raise ConfigError(
                f"cannot listen on port {port}", why=why, fix="choose another --port"
            ) from error
        port = self._server.server_address[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{port}/{token}/"
        """Where the shelf is, with the token that every address needs."""
        self._server.respond = Site(library, token, port, password=password).respond

    def __enter__(self) -> "LibraryServer":
        return self

    def __exit__(self, *error: object) -> None:
        self._server.server_close()

    def address_of(self, passage: Passage) -> str:
        """Return the address of the reading view, with a passage marked in it."""
        begin, end = passage.best or (passage.start, passage.end)
        return f"{self.address}book/{passage.book_id[:16]}/read?mark={begin}-{end}#hit"

    def run(self) -> None:
        """Answer requests until another thread calls `stop`, or Ctrl-C is pressed."""
        self._server.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        """Let `run` return."""
        self._server.shutdown()


def listen(library: AnyLibrary, ports: Sequence[int], *, password: str | None = None) -> LibraryServer:
    """Return a server on the first of these ports that is free.

    Raises:
        ConfigError: none is free.
    """
    for port in ports[:-1]:
        with suppress(ConfigError):
            return LibraryServer(library, port, password=password)
    return LibraryServer(library, ports[-1], password=password)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True  # an open connection does not delay the end of the program
    respond: Callable[[Request], Response]

    def server_bind(self) -> None:
        # Not HTTPServer's method, which looks up this machine's name and may send a query over the network.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing about a connection that ended too soon."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server: _Listener

    def setup(self) -> None:
        super().setup()
        # Otherwise the end of a response can wait 40 ms for the browser to acknowledge its beginning.
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:  # named by the standard library, as are the next two
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        """Read the request's body, and send the response of the site."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        if "transfer-encoding" in headers:
            is_chunked = headers["transfer-encoding"].lower() == "chunked" and "content-length" not in headers
            body = _read_chunks(self.rfile) if is_chunked else None
        else:
            length = _body_length(headers)
            body = None if length is None else self.rfile.read(length)
            if body is not None and len(body) > MAX_BODY:
                body = None  # it was read, as browsers show no answer to what they have not sent
        if body is None:
            self.close_connection = True  # the body is left unread: it must not be taken for a request
            self._send(refusal(413, "the body is too long, or its length is not known"))
            return
        try:
            response = self.server.respond(Request(self.command, self.path, headers, body))
        except Exception:  # a bug must not leave the browser waiting
            traceback.print_exc()
            response = refusal(500, "this is a bug in Alexandria: please report what is on the terminal")
        self._send(response)

    def _send(self, response: Response) -> None:
        """Send a response with the headers that all have; to HEAD, without its body."""
        self.send_response_only(response.status)
        for name, value in {**HEADERS, **response.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", response.type)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not HTTP, with the same headers as every other response."""
        self.close_connection = True
        if not hasattr(self, "command"):  # the first line could not be parsed; `_send` needs the method
            self.command = ""
        self._send(refusal(code, "this is not a request"))

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: addresses contain the token, and what is searched for."""


def _body_length(headers: Mapping[str, str]) -> int | None:
    """Return the length of a request's body in bytes; None if it is not known, or more than is ever read."""
    text = headers.get("content-length", "0")
    if not text.isdecimal() or len(text) > _MAX_LENGTH_DIGITS:
        return None
    length = int(text)
    return length if length <= _MAX_READ else None


def _read_chunks(stream: BufferedIOBase) -> bytes | None:
    """Return a body that is sent in chunks; None if it is too long, or not sent as it should be."""
    body = b""
    while len(body) <= MAX_BODY:
        size = stream.readline(_MAX_CHUNK_LINE).partition(b";")[0].strip()
        if not size or len(size) > _MAX_LENGTH_DIGITS or set(size) - set(b"0123456789abcdefABCDEF"):
            return None
        length = int(size, 16)
        if length == 0:
            # Of trailers, which nobody sends, only the end of the list is accepted.
            return None if stream.readline(_MAX_CHUNK_LINE).strip() else body
        if length > MAX_BODY:
            return None
        body += stream.read(length)
        if stream.readline(_MAX_CHUNK_LINE).strip():
            return None
    return None
