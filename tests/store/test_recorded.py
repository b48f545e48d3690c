"""The stand-in for a server answers as a real one did: exchanges recorded from Qdrant 1.19.0 are replayed."""

import gzip
import json
import urllib.error
import urllib.request
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.store.fake_server import FakeServer

DIFFERENCES = {
    "operation_id": "a server counts the entries of its log; local mode has none",
    "version": "likewise, for each point",
    "vector": "null where none was asked for, if a stand-in was recorded; a server leaves it out",
    "shard_key": "likewise",
    "order_value": "likewise",
    "hits": "a server's index remembers values without points, with a count of 0; we ignore them",
}
"""What the stand-in does not answer alike, by the key of the response, and why."""
_SCORE = 1e-3
"""A server scores quantized and float16 vectors; local mode computes in float64."""


@pytest.mark.shared
def test_recorded_requests_are_answered_as_a_real_server_did(shared_data: Path) -> None:
    with gzip.open(shared_data / "server" / "contract.jsonl.gz", "rt") as lines:
        exchanges = [json.loads(line) for line in lines]
    assert len(exchanges) > 1000
    for test, recorded in groupby(exchanges, key=lambda exchange: exchange["test"]):
        with FakeServer() as server:
            for exchange in recorded:
                status, answer = _sent(server, exchange)
                place = f"{test}: {exchange['method']} {exchange['path']}"
                assert status == exchange["status"], place
                assert _same(_kept(answer["result"]), _kept(exchange["answer"]["result"])), place


def _sent(server: FakeServer, exchange: dict[str, Any]) -> tuple[int, Any]:
    body = None if exchange["body"] is None else json.dumps(exchange["body"]).encode()
    request = urllib.request.Request(server.url + exchange["path"], body, method=exchange["method"])
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _kept(answer: Any) -> Any:
    """Return a response without what may differ."""
    if isinstance(answer, list):
        return [_kept(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    if (points := answer.get("points")) and "score" in points[0]:
        return _ranked([_kept(point) for point in points])
    kept = {key: _kept(value) for key, value in answer.items() if _counts(key, value)}
    if "hits" in answer:
        kept["counted"] = sorted([hit["value"], hit["count"]] for hit in answer["hits"] if hit["count"])
    return kept


def _counts(key: str, value: Any) -> bool:
    return key not in DIFFERENCES or (key == "vector" and value is not None)


def _ranked(points: list[dict[str, Any]]) -> list[Any]:
    """Return hits comparable: those of equal score in any order, and of the last score any that tie."""
    scores = [round(point["score"], 3) for point in points]
    settled = [point for point, score in zip(points, scores, strict=True) if score > scores[-1]]
    return [scores, sorted(settled, key=lambda point: (-round(point["score"], 3), point["id"]))]


def _same(one: Any, other: Any) -> bool:
    """Return whether two responses are equal, numbers within `_SCORE`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) <= _SCORE
    return bool(one == other)
