"""A server that answers Qdrant's REST requests over real HTTP with qdrant-client's local mode.

It is not Qdrant: it has no cluster, no HNSW and no log on disk. It tests that our requests are well formed
(qdrant-client's own models validate them), that the responses are understood, and what happens when a server
misbehaves.
"""

import json
import re
import socket
import ssl
import warnings
from collections import deque
from collections.abc import Callable
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models


class Fault(Enum):
    """What a server may do instead of answering properly."""

    BUSY = "429, with Retry-After: 0"
    LIMITED = "429, with Retry-After: 600"
    NO_COPY = "500, as two of three nodes are down"
    NO_LEADER = "500, as most nodes are down"
    BROKEN = "500"
    SLOW = "no response before the client's timeout"
    HALF = "carries out the request, and sends half of the response"
    LOST = "carries out the request, and closes the connection"
    DEATH = "closes the connection, and stops listening until it is restarted"


class _IPv6Server(ThreadingHTTPServer):
    address_family = socket.AF_INET6


class FakeServer:
    """A server on a free port of this machine; use it as a context manager."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        version: str = "1.19.0",
        most_bytes: int = 2**25,
        most_points: int = 1000,
        host: str = "127.0.0.1",
        prefix: str = "",
        authority: tuple[Path, Path] | None = None,
    ) -> None:
        """Listen; with `authority`, a certificate and its key, over TLS."""
        self.engine = QdrantClient(location=":memory:")
        self.lock = Lock()  # local mode is not thread-safe
        self.api_key, self.version = api_key, version
        self.host, self.prefix, self._authority = host, prefix, authority
        self.most_bytes, self.most_points = most_bytes, most_points
        """Limits of a request: its bytes, and the points that a write may bring under a limited rate."""
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        """Method, path with its query, and body of each request."""
        self.forbidden: re.Pattern[str] | None = None
        """Requests (method, blank, path) that the key has no right to make."""
        self.n_bytes = 0
        """Of the responses."""
        self.closing = Event()
        self._faults: deque[Fault] = deque()
        self._n_before_faults = 0
        self._faulty = re.compile("")
        self._server = self._listen(0)
        self.port = self._server.server_address[1]

    @property
    def url(self) -> str:
        """The address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.prefix}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self.die()
        self.engine.close()

    def misbehave(self, *faults: Fault, on: str = "PUT /collections/books/points", after: int = 0) -> None:
        """Answer requests that match `on` with these faults, one each, after `after` proper responses."""
        self._faults, self._n_before_faults, self._faulty = deque(faults), after, re.compile(on)

    def fault_for(self, request: str) -> Fault | None:
        """Return the fault for a request, if any."""
        if not self._faults or not self._faulty.match(request):
            return None
        if self._n_before_faults:
            self._n_before_faults -= 1
            return None
        return self._faults.popleft()

    def die(self) -> None:
        """Stop listening, and answer nothing more."""
        self.listens = False
        self._server.shutdown()
        self._server.server_close()

    def restart(self) -> None:
        """Listen again, with everything that was stored."""
        self._server = self._listen(self.port)

    def _listen(self, port: int) -> ThreadingHTTPServer:
        self.listens = True
        kind = _IPv6Server if ":" in self.host else ThreadingHTTPServer
        server = kind((self.host, port), _handler(self))
        if self._authority is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*self._authority)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return server


Answer = Callable[[QdrantClient, str, Any], Any]


def _create(engine: QdrantClient, name: str, body: Any) -> bool:
    request = models.CreateCollection(**body)
    return engine.create_collection(
        name, vectors_config=request.vectors, sparse_vectors_config=request.sparse_vectors
    )


def _index(engine: QdrantClient, name: str, body: Any) -> Any:
    models.CreateFieldIndex(**body)  # local mode has no indexes: the request is only validated
    return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)


def _upsert(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.upsert(name, models.PointsList(**body).points)


def _delete(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.delete(name, TypeAdapter(models.PointsSelector).validate_python(body))


def _set_payload(engine: QdrantClient, name: str, body: Any) -> Any:
    request = models.SetPayload(**body)
    selected = request.filter or request.points or []
    return engine.set_payload(name, request.payload, selected, key=request.key)


def _batch(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.batch_update_points(name, models.UpdateOperations(**body).operations)


def _retrieve(engine: QdrantClient, name: str, body: Any) -> Any:
    request = models.PointRequest(**body)
    return engine.retrieve(
        name,
        request.ids,
        with_payload=request.with_payload or False,
        with_vectors=request.with_vector or False,
    )


def _query(engine: QdrantClient, name: str, body: Any) -> Any:
    request = models.QueryRequest(**body)
    return engine.query_points(
        name,
        query=request.query,
        using=request.using,
        prefetch=request.prefetch,
        query_filter=request.filter,
        limit=request.limit or 10,
        offset=request.offset,
        with_payload=request.with_payload or False,
        with_vectors=request.with_vector or False,
    )


def _query_batch(engine: QdrantClient, name: str, body: Any) -> Any:
    return [_query(engine, name, request) for request in body["searches"]]


def _scroll(engine: QdrantClient, name: str, body: Any) -> Any:
    request = models.ScrollRequest(**body)
    points, offset = engine.scroll(
        name,
        scroll_filter=request.filter,
        limit=request.limit or 10,
        offset=request.offset,
        with_payload=request.with_payload or False,
        with_vectors=request.with_vector or False,
    )
    return models.ScrollResult(points=points, next_page_offset=offset)


def _count(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.count(name, count_filter=models.CountRequest(**body).filter)


def _facet(engine: QdrantClient, name: str, body: Any) -> Any:
    request = models.FacetRequest(**body)
    return engine.facet(name, request.key, facet_filter=request.filter, limit=request.limit or 10)


ROUTES: dict[tuple[str, str], Answer] = {
    ("GET", ""): lambda engine, name, body: engine.get_collection(name),
    ("GET", "/exists"): lambda engine, name, body: {"exists": engine.collection_exists(name)},
    ("PUT", ""): _create,
    ("DELETE", ""): lambda engine, name, body: engine.delete_collection(name),
    ("PUT", "/index"): _index,
    ("PUT", "/points"): _upsert,
    ("POST", "/points"): _retrieve,
    ("POST", "/points/delete"): _delete,
    ("POST", "/points/payload"): _set_payload,
    ("POST", "/points/batch"): _batch,
    ("POST", "/points/query"): _query,
    ("POST", "/points/query/batch"): _query_batch,
    ("POST", "/points/scroll"): _scroll,
    ("POST", "/points/count"): _count,
    ("POST", "/facet"): _facet,
}


def _handler(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, as Qdrant keeps them
        disable_nagle_algorithm, wbufsize = True, -1

        def do_GET(self) -> None:
            self._serve("GET")

        def do_PUT(self) -> None:
            self._serve("PUT")

        def do_DELETE(self) -> None:
            self._serve("DELETE")

        def do_POST(self) -> None:
            self._serve("POST")

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

        def _serve(self, method: str) -> None:
            if not server.listens:
                self._hang_up()
                return
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            server.requests.append((method, self.path, body))
            if server.api_key is not None and self.headers.get("api-key") != server.api_key:
                self._answer(401, "Invalid API key or JWT")
                return
            if server.forbidden is not None and server.forbidden.match(f"{method} {self.path}"):
                name = self.path.split("/")[2].split("?")[0]
                self._answer(403, _error(f"Forbidden: Write access to collection {name} is required"))
                return
            if refusal := _too_large(server, length, body):
                self._answer(*refusal)
                return
            match server.fault_for(f"{method} {urlsplit(self.path).path}"):
                case None:
                    self._answer(*self._done(method, body))
                case Fault.BUSY:
                    self._answer(429, _error("too many requests"), retry_after="0")
                case Fault.LIMITED:
                    self._answer(429, _error(_LIMITED), retry_after="600")
                case Fault.NO_COPY:
                    self._answer(500, _error(_NO_COPY))
                case Fault.NO_LEADER:
                    self._answer(500, _error(_NO_LEADER))
                case Fault.BROKEN:
                    self._answer(500, _error("disk on fire"))
                case Fault.SLOW:
                    server.closing.wait()
                case Fault.HALF:
                    self._answer(*self._done(method, body), half=True)
                case Fault.LOST:
                    self._done(method, body)
                    self._hang_up()
                case Fault.DEATH:
                    server.die()
                    self._hang_up()

        def _done(self, method: str, body: Any) -> tuple[int, Any]:
            path = urlsplit(self.path).path.removeprefix(server.prefix)
            if path in ("", "/"):
                return 200, {"title": "a fake of qdrant", "version": server.version}
            if (method, path) == ("GET", "/collections"):
                return 200, {"result": _plain(server.engine.get_collections()), "status": "ok", "time": 0.0}
            matched = re.fullmatch(r"/collections/([^/]+)(/.*)?", path)
            if matched is None or (answer := ROUTES.get((method, matched[2] or ""))) is None:
                return 404, _error(f"no route {method} {path}")
            try:
                with server.lock, warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # from local mode, about what only a real server does
                    result = answer(server.engine, matched[1], body)
            except ValueError as error:
                missing = "not found" in str(error)
                return 404 if missing else 400, _error(str(error))
            return 200, {"result": _plain(result), "status": "ok", "time": 0.0}

        def _answer(
            self, status: int, document: Any, *, retry_after: str | None = None, half: bool = False
        ) -> None:
            content = json.dumps(document).encode()
            server.n_bytes += len(content)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if retry_after is not None:
                self.send_header("Retry-After", retry_after)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if half else content)
            if half:
                self._hang_up()

        def _hang_up(self) -> None:
            self.close_connection = True
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    return Handler


_LIMITED = "Rate limiting exceeded: Read rate limit exceeded: Operation requires 1 tokens. Retry after 600s"
_SPLIT = (
    "Rate limiting exceeded: Write rate limit exceeded, request larger than rate limiter capacity, "
    "please try to split your request"
)
_NO_COPY = (
    "Service internal error: 1 of 1 read operations failed: Service internal error: Tonic status error: "
    "code: 'The service is currently unavailable', message: \"tcp connect error\""
)
_NO_LEADER = "Service internal error: Failed to propose operation: leader is not established within 10s"


def _too_large(server: FakeServer, length: int, body: Any) -> tuple[int, Any] | None:
    """Return the refusal of a request for its size, as Qdrant 1.18.3 words it."""
    if length > server.most_bytes:
        limit = f"JSON payload ({length} bytes) is larger than allowed (limit: {server.most_bytes} bytes)."
        return 400, _error(limit)
    points = body.get("points", ()) if isinstance(body, dict) else ()
    if points and isinstance(points[0], dict) and len(points) > server.most_points:
        return 429, _error(_SPLIT)
    return None


def _error(text: str) -> dict[str, Any]:
    return {"status": {"error": text}}


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [_plain(item) for item in result]
    if isinstance(result, models.Record | models.ScoredPoint):  # a server leaves out what was not asked for
        return {key: value for key, value in result.model_dump(mode="json").items() if value is not None}
    if isinstance(result, models.ScrollResult):
        return {"points": _plain(result.points), "next_page_offset": result.next_page_offset}
    if hasattr(result, "points"):
        return {"points": _plain(result.points)}
    return result.model_dump(mode="json") if hasattr(result, "model_dump") else result
