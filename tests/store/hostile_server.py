"""A server that answers every request with the same hostile response, from a thread of the test."""

import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

MIB = 2**20
KEY = "sesame-4711-open"
"""The API key that tests send; a hostile server may send it back."""


@dataclass
class Hostile:
    """A listening server, and the requests that reached it: the head of each."""

    url: str
    heads: list[str] = field(default_factory=list)
    n_sent: int = 0
    """Bytes that it could send in all."""


Answer = Callable[[socket.socket, Hostile], None]


def respond(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """Return a response; its length is that of the body if no other is given."""
    n_bytes = len(body) if length is None else length
    lines = (f"HTTP/1.1 {status}", *headers, f"Content-Length: {n_bytes}", "Connection: close", "", "")
    return "\r\n".join(lines).encode() + body


def say(response: bytes) -> Answer:
    """Answer with this response."""
    return lambda peer, server: peer.sendall(response)


def endless(peer: socket.socket, server: Hostile) -> None:
    """Promise ten gigabytes of JSON, and send as much of it as is read."""
    peer.sendall(respond("200 OK", b'{"result": [', "Content-Type: application/json", length=10 * 2**30))
    piece = b"1," * (MIB // 2)
    while True:
        peer.sendall(piece)
        server.n_sent += len(piece)


def dribble(peer: socket.socket, server: Hostile, response: bytes = b"", pause: float = 0.1) -> None:
    """Send a response one byte at a time, again and again."""
    peer.sendall(response)
    while True:
        peer.sendall(b" ")
        time.sleep(pause)


def never(peer: socket.socket, server: Hostile) -> None:
    """Never answer."""
    while peer.recv(1):
        pass


def bomb() -> bytes:
    """Return a response of a megabyte that is a gigabyte decompressed."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    block = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)  # may be repeated
    return respond("200 OK", block * 1024, "Content-Encoding: deflate", "Content-Type: application/json")


TRACEBACK = (
    "Traceback (most recent call last):\n  File server.py\n"
    f"KeyError: {{'api-key': '{KEY}'}}\x1b]0;owned\x07\x1b[2J\u202e" + "x" * 100_000
)
_WRONG = b'{"result": {"points": "none", "exists": 7, "title": []}, "status": "ok", "time": 0}'

ANSWERS: dict[str, Answer] = {
    "html": say(respond("200 OK", b"<html><h1>Welcome</h1></html>", "Content-Type: text/html")),
    "no json": say(respond("200 OK", b'{"result": tru')),
    "wrong shape": say(respond("200 OK", _WRONG)),
    "null": say(respond("200 OK", b"null")),
    "not utf-8": say(respond("200 OK", b'{"title": "\xff\xfe", "version": "\xff"}')),
    "deep json": say(respond("200 OK", b"[" * 100_000)),
    "traceback": say(respond("500 Internal Server Error", TRACEBACK.encode())),
    "echo in 400": say(respond("400 Bad Request", TRACEBACK.encode())),
    "truncated": say(respond("200 OK", b'{"result":', length=5000)),
    "endless": endless,
    "never": never,
    "dribbled body": partial(dribble, response=respond("200 OK", b"", length=1_000_000)),
    "dribbled head": partial(dribble, response=b"HTTP/1.1 200 OK\r\nX-Long: "),
    "hangs up": say(b""),
    "no http": say(b"220 mail.example ESMTP ready\r\n"),
    "bomb": lambda peer, server: peer.sendall(bomb()),
    "bad gzip": say(respond("200 OK", b"not gzip", "Content-Encoding: gzip")),
    "later": say(respond("429 Too Many Requests", b"{}", "Retry-After: Wed, 21 Oct 2037 07:28:00 GMT")),
}


@contextmanager
def hostile(answer: Answer, **more: Answer) -> Iterator[Hostile]:
    """Yield a server that answers every request so; `more` by words that the head of a request contains."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Hostile(f"http://127.0.0.1:{listener.getsockname()[1]}")
    peers: list[socket.socket] = []

    def talk(peer: socket.socket) -> None:
        with peer, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head and (piece := peer.recv(65536)):
                head += piece
            if head:
                server.heads.append(head.decode("latin-1"))
                answer(peer, server)

    def accept() -> None:
        with suppress(OSError):
            while True:
                peer, _ = listener.accept()
                peers.append(peer)
                threading.Thread(target=talk, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        for sock in (listener, *peers):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        listener.close()
