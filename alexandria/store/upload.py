"""Points on their way to a server: in requests no larger than it takes, several of them at a time."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from alexandria.book import Point
from alexandria.errors import TooLargeError

MOST_POINTS = 64
"""Points per request."""
MOST_BYTES = 24 * 2**20
"""Estimated bytes of JSON per request; a server takes 32 MiB unless it is configured otherwise."""
IN_FLIGHT = 3
"""Requests under way at the same time: the server parses one while the next is written."""
_BYTES_PER_NUMBER = 23
"""Of a float32 as JSON, with its comma: up to 17 digits, sign, point and exponent."""

Send = Callable[[Sequence[Point]], None]


def upload(points: Sequence[Point], send: Send, *, copies: int = 0, in_flight: int = IN_FLIGHT) -> None:
    """Send all points, and return once each request has been answered.

    Args:
        points: in any order.
        send: sends one request, and raises TooLargeError if the server takes none of its size.
        copies: how many copies of each chunk vector and text a point carries for other programs.
        in_flight: requests under way at the same time; 1 if `send` is not made for threads.

    Raises:
        TooLargeError: the server does not even take a request with one point; it is named.
    """
    if in_flight == 1:
        for batch in batches(points, copies=copies):
            _send(batch, send)
        return
    with ThreadPoolExecutor(in_flight) as senders:
        under_way: deque[Future[None]] = deque()
        try:
            for batch in batches(points, copies=copies):
                if len(under_way) == in_flight:
                    under_way.popleft().result()
                under_way.append(senders.submit(_send, batch, send))
            while under_way:
                under_way.popleft().result()
        finally:
            for request in under_way:
                request.cancel()


def batches(points: Sequence[Point], *, copies: int = 0) -> Iterator[list[Point]]:
    """Yield the points in order, at most `MOST_POINTS` and about `MOST_BYTES` at a time, at least one."""
    batch: list[Point] = []
    size = 0
    for point in points:
        more = n_bytes_of(point, copies=copies)
        if batch and (len(batch) == MOST_POINTS or size + more > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += more
    if batch:
        yield batch


def n_bytes_of(point: Point, *, copies: int = 0) -> int:
    """Return about how many bytes of JSON a point is, rather too many than too few."""
    sentences = 0 if point.sentences is None else point.sentences.size
    numbers = point.dense.size * (1 + copies) + sentences + 2 * len(point.bm25.indices) * (1 + copies)
    payload = len(json.dumps(point.payload, default=str)) + copies * len(str(point.payload.get("text", "")))
    return int(numbers) * _BYTES_PER_NUMBER + payload


def _send(points: Sequence[Point], send: Send) -> None:
    """Send one request; halve it as long as the server finds it too large."""
    try:
        send(points)
    except TooLargeError as error:
        if len(points) == 1:
            raise _unsendable(points[0], error) from error
        half = len(points) // 2
        _send(points[:half], send)
        _send(points[half:], send)


def _unsendable(point: Point, error: TooLargeError) -> TooLargeError:
    title, number = point.payload.get("book_title", ""), point.payload.get("chunk_id")
    return TooLargeError(
        f"chunk {number} of “{title}” is too large for the server: about {n_bytes_of(point) / 2**20:.1f} MB",
        why=error.why,
        fix=f"{error.fix}; or store no sentence vectors (--set sentence_vectors=false)",
    )
