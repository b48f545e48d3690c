"""Sends points to a server: in requests that are not too large for it, several at a time."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from alexandria.book import Point
from alexandria.errors import TooLargeError

MAX_POINTS = 64
"""Points per request."""
MAX_BYTES = 24 * 2**20
"""Estimated bytes of JSON per request; by default, a server accepts 32 MiB."""
IN_FLIGHT = 3
"""Requests that are sent at the same time: the server parses one while the next is prepared."""
_BYTES_PER_NUMBER = 23
"""Bytes of a float32 as JSON, with its comma: up to 17 digits, sign, point and exponent."""

Send = Callable[[Sequence[Point]], None]
"""Sends points in one request."""


def upload(points: Sequence[Point], send: Send, *, copies: int = 0, in_flight: int = IN_FLIGHT) -> None:
    """Send all points, and return once each request has been answered.

    Args:
        points: the points, in any order.
        send: sends one request, and raises TooLargeError if the server refuses it for its size.
        copies: how many copies of its chunk vector and text each point has for other programs.
        in_flight: how many requests are sent at the same time; 1 if `send` is not thread-safe.

    Raises:
        TooLargeError: the server refuses even a request with one point, which the message names.
    """
    if in_flight == 1:
        for batch in batches(points, copies=copies):
            _send_or_halve(batch, send)
        return
    with ThreadPoolExecutor(in_flight) as senders:
        under_way: deque[Future[None]] = deque()
        try:
            for batch in batches(points, copies=copies):
                if len(under_way) == in_flight:
                    under_way.popleft().result()
                under_way.append(senders.submit(_send_or_halve, batch, send))
            while under_way:
                under_way.popleft().result()
        finally:
            for request in under_way:  # after an error: those not yet begun are not sent
                request.cancel()


def batches(points: Sequence[Point], *, copies: int = 0) -> Iterator[list[Point]]:
    """Yield the points in order, in batches of at most `MAX_POINTS` points and about `MAX_BYTES`.

    A point that is larger than that is a batch of its own.
    """
    batch: list[Point] = []
    n_bytes = 0
    for point in points:
        point_bytes = estimate_point_bytes(point, copies=copies)
        if batch and (len(batch) == MAX_POINTS or n_bytes + point_bytes > MAX_BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch.append(point)
        n_bytes += point_bytes
    if batch:
        yield batch


def estimate_point_bytes(point: Point, *, copies: int = 0) -> int:
    """Return an estimate of the bytes of a point as JSON, too many rather than too few."""
    n_copied_numbers = point.dense.size + 2 * len(point.bm25.indices)  # of each term, its id and its weight
    n_sentence_numbers = 0 if point.sentences is None else point.sentences.size
    n_numbers = n_copied_numbers * (1 + copies) + n_sentence_numbers
    payload_bytes = len(json.dumps(point.payload, default=str))
    copied_text_bytes = copies * len(str(point.payload.get("text", "")))
    return int(n_numbers) * _BYTES_PER_NUMBER + payload_bytes + copied_text_bytes


def _send_or_halve(points: Sequence[Point], send: Send) -> None:
    """Send points in one request, or in two halves if the server refuses the request for its size."""
    try:
        send(points)
    except TooLargeError as error:
        if len(points) == 1:
            raise _too_large_point_error(points[0], error) from error
        half = len(points) // 2
        _send_or_halve(points[:half], send)
        _send_or_halve(points[half:], send)


def _too_large_point_error(point: Point, error: TooLargeError) -> TooLargeError:
    title, number = point.payload.get("book_title", ""), point.payload.get("chunk_id")
    mebibytes = estimate_point_bytes(point) / 2**20
    return TooLargeError(
        f"chunk {number} of “{title}” is too large for the server: about {mebibytes:.1f} MB",
        why=error.why,
        fix=f"{error.fix}; or store no sentence vectors (--set sentence_vectors=false)",
    )
