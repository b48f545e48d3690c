"""A server that speaks Qdrant's REST over real HTTP and answers from qdrant-client's engine in memory.

It is not Qdrant: no cluster, no HNSW, no log on disk. It shows that our requests are well formed (its models
are qdrant-client's own), that the answers are understood, and what happens when a server misbehaves.
"""

import json
import re
import socket
import warnings
from collections import deque
from collections.abc import Callable
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models


class Fault(Enum):
    """What a server may do instead of answering."""

    BUSY = "429, and asks for no wait"
    BROKEN = "500"
    SLOW = "no answer within the client's patience"
    HALF = "does as told, and sends half of the answer"
    LOST = "does as told, and hangs up"
    DEATH = "hangs up, and listens no more until it is revived"


class Facade:
    """A server on a free port of this machine; use it as a context manager."""

    def __init__(self, *, api_key: str | None = None) -> None:
        self.engine = QdrantClient(location=":memory:")
        self.lock = Lock()  # the engine is not made for threads
        self.api_key = api_key
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        """Method, path with its query, and body of each request."""
        self.closing = Event()
        self._faults: deque[Fault] = deque()
        self._spared = 0
        self._faulty = re.compile("")
        self._server = self._listen(0)
        self.port = self._server.server_address[1]

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self.die()
        self.engine.close()

    def misbehave(self, *faults: Fault, on: str = "PUT /collections/books/points", after: int = 0) -> None:
        """Meet the requests that match `on` with these faults, one each, the first `after` of them spared."""
        self._faults, self._spared, self._faulty = deque(faults), after, re.compile(on)

    def fault_for(self, request: str) -> Fault | None:
        """Return what goes wrong with a request, if anything."""
        if not self._faults or not self._faulty.match(request):
            return None
        if self._spared:
            self._spared -= 1
            return None
        return self._faults.popleft()

    def die(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()

    def revive(self) -> None:
        """Listen again, with all that was stored."""
        self._server = self._listen(self.port)

    def _listen(self, port: int) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return server


Answer = Callable[[QdrantClient, str, Any], Any]


def _create(engine: QdrantClient, name: str, body: Any) -> bool:
    wanted = models.CreateCollection(**body)
    return engine.create_collection(
        name, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors
    )


def _index(engine: QdrantClient, name: str, body: Any) -> Any:
    models.CreateFieldIndex(**body)  # local mode has no indexes: the request is checked, no more
    return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)


def _upsert(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.upsert(name, models.PointsList(**body).points)


def _delete(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.delete(name, TypeAdapter(models.PointsSelector).validate_python(body))


def _retrieve(engine: QdrantClient, name: str, body: Any) -> Any:
    wanted = models.PointRequest(**body)
    return engine.retrieve(
        name, wanted.ids, with_payload=wanted.with_payload or False, with_vectors=wanted.with_vector or False
    )


def _query(engine: QdrantClient, name: str, body: Any) -> Any:
    wanted = models.QueryRequest(**body)
    return engine.query_points(
        name,
        query=wanted.query,
        using=wanted.using,
        prefetch=wanted.prefetch,
        query_filter=wanted.filter,
        limit=wanted.limit or 10,
        with_payload=wanted.with_payload or False,
        with_vectors=wanted.with_vector or False,
    )


def _scroll(engine: QdrantClient, name: str, body: Any) -> Any:
    wanted = models.ScrollRequest(**body)
    points, offset = engine.scroll(
        name,
        scroll_filter=wanted.filter,
        limit=wanted.limit or 10,
        offset=wanted.offset,
        with_payload=wanted.with_payload or False,
        with_vectors=wanted.with_vector or False,
    )
    return models.ScrollResult(points=points, next_page_offset=offset)


def _count(engine: QdrantClient, name: str, body: Any) -> Any:
    return engine.count(name, count_filter=models.CountRequest(**body).filter)


def _facet(engine: QdrantClient, name: str, body: Any) -> Any:
    wanted = models.FacetRequest(**body)
    return engine.facet(name, wanted.key, facet_filter=wanted.filter, limit=wanted.limit or 10)


ROUTES: dict[tuple[str, str], Answer] = {
    ("GET", "/exists"): lambda engine, name, body: {"exists": engine.collection_exists(name)},
    ("PUT", ""): _create,
    ("PUT", "/index"): _index,
    ("PUT", "/points"): _upsert,
    ("POST", "/points"): _retrieve,
    ("POST", "/points/delete"): _delete,
    ("POST", "/points/query"): _query,
    ("POST", "/points/scroll"): _scroll,
    ("POST", "/points/count"): _count,
    ("POST", "/facet"): _facet,
}


def _handler(facade: Facade) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._serve("GET")

        def do_PUT(self) -> None:
            self._serve("PUT")

        def do_POST(self) -> None:
            self._serve("POST")

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

        def _serve(self, method: str) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            facade.requests.append((method, self.path, body))
            if facade.api_key is not None and self.headers.get("api-key") != facade.api_key:
                self._answer(401, {"status": {"error": "Invalid API key or JWT"}})
                return
            match facade.fault_for(f"{method} {urlsplit(self.path).path}"):
                case None:
                    self._answer(*self._done(method, body))
                case Fault.BUSY:
                    self._answer(429, {"status": {"error": "too many requests"}}, retry_after="0")
                case Fault.BROKEN:
                    self._answer(500, {"status": {"error": "disk on fire"}})
                case Fault.SLOW:
                    facade.closing.wait()
                case Fault.HALF:
                    self._answer(*self._done(method, body), half=True)
                case Fault.LOST:
                    self._done(method, body)
                    self._hang_up()
                case Fault.DEATH:
                    facade.die()
                    self._hang_up()

        def _done(self, method: str, body: Any) -> tuple[int, Any]:
            path = urlsplit(self.path).path
            found = re.fullmatch(r"/collections/([^/]+)(/.*)?", path)
            if found is None or (answer := ROUTES.get((method, found[2] or ""))) is None:
                return 404, {"status": {"error": f"no route {method} {path}"}}
            try:
                with facade.lock, warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of the engine, about what only a real server does
                    result = answer(facade.engine, found[1], body)
            except ValueError as error:
                missing = "not found" in str(error)
                return 404 if missing else 400, {"status": {"error": str(error)}}
            return 200, {"result": _plain(result), "status": "ok", "time": 0.0}

        def _answer(
            self, status: int, document: Any, *, retry_after: str | None = None, half: bool = False
        ) -> None:
            content = json.dumps(document).encode()
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


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [_plain(one) for one in result]
    return result.model_dump(mode="json") if hasattr(result, "model_dump") else result
