"""Vectors are computed once per list of texts, and damaged or foreign entries are never used."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.model import Embeddings
from alexandria.embed.cache import CachedEncoder, _entry_name
from alexandria.embed.encoder import PlainEncoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.system import cache

TEXTS = ["one", "two and three", "four"]


class CountingEncoder(PlainEncoder):
    """Hashes words, and counts the texts it was asked for."""

    def __init__(self) -> None:
        self._inside = HashingEncoder(8)
        self.name, self.dim, self.n_asked = "counting", 8, 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.n_asked += len(texts)
        return self._inside.encode(texts)


@pytest.fixture
def inside() -> CountingEncoder:
    return CountingEncoder()


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_the_same_texts_are_embedded_once(inside: CountingEncoder, tmp_path: Path) -> None:
    first = CachedEncoder(inside, lambda: "a", tmp_path).encode(TEXTS)
    again = CachedEncoder(inside, lambda: "a", tmp_path).encode(TEXTS)
    assert inside.n_asked == len(TEXTS)
    np.testing.assert_array_equal(again, first)
    assert again.dtype == np.float32


@pytest.mark.parametrize(
    ("cache_key", "texts"),
    [
        pytest.param("b", TEXTS, id="another model or precision"),
        pytest.param("a", TEXTS[::-1], id="another order"),
        pytest.param("a", [*TEXTS, "five"], id="one more"),
        pytest.param("a", ["one", "two and three", "for"], id="one letter"),
        pytest.param("a", ["onetwo and three", "", "four"], id="the same letters, cut elsewhere"),
    ],
)
def test_what_differs_is_embedded_again(
    inside: CountingEncoder, tmp_path: Path, cache_key: str, texts: list[str]
) -> None:
    CachedEncoder(inside, lambda: "a", tmp_path).encode(TEXTS)
    rows = CachedEncoder(inside, lambda: cache_key, tmp_path).encode(texts)
    assert inside.n_asked == len(TEXTS) + len(texts)
    np.testing.assert_array_equal(rows, HashingEncoder(8).encode(texts))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:-1], id="cut short"),
        pytest.param(lambda data: data[:-1] + bytes([data[-1] ^ 1]), id="one bit"),
        pytest.param(lambda data: b"PK\x03\x04" + data, id="something else"),
    ],
)
def test_a_damaged_entry_is_computed_again_and_replaced(
    inside: CountingEncoder, tmp_path: Path, damage: object
) -> None:
    encoder = CachedEncoder(inside, lambda: "a", tmp_path)
    good = encoder.encode(TEXTS)
    (entry,) = entries(tmp_path)
    entry.write_bytes(damage(entry.read_bytes()))  # type: ignore[operator]  # a function of the table
    np.testing.assert_array_equal(encoder.encode(TEXTS), good)
    assert inside.n_asked == 2 * len(TEXTS)
    encoder.encode(TEXTS)
    assert inside.n_asked == 2 * len(TEXTS)


def test_vectors_and_coverage_do_not_mix(inside: CountingEncoder, tmp_path: Path) -> None:
    encoder = CachedEncoder(inside, lambda: "a", tmp_path)
    for _ in range(2):
        assert encoder.encode(TEXTS).shape == (3, 8)
        assert encoder.coverage(TEXTS).shape == (3,)


def test_a_folder_that_cannot_be_written_costs_only_time(inside: CountingEncoder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    rows = CachedEncoder(inside, lambda: "a", tmp_path / "file" / "below").encode(TEXTS)
    np.testing.assert_array_equal(rows, HashingEncoder(8).encode(TEXTS))


def test_the_least_recently_used_entry_is_removed_first(
    inside: CountingEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = CachedEncoder(inside, lambda: "a", tmp_path)
    for age, text in enumerate("abc"):
        encoder.encode([text])
        for entry in entries(tmp_path):
            modified = entry.stat().st_mtime - 100 * (3 - age)
            os.utime(entry, (modified, modified))
    encoder.encode(["a"])  # used again: now "b" is the oldest
    size = entries(tmp_path)[0].stat().st_size
    monkeypatch.setattr(cache, "MAX_BYTES", 3 * size)
    encoder.encode(["d"])
    assert len(entries(tmp_path)) == 3
    asked = inside.n_asked
    encoder.encode(["a"])
    encoder.encode(["c"])
    assert inside.n_asked == asked
    encoder.encode(["b"])
    assert inside.n_asked == asked + 1


def test_usage_and_clear_report_what_is_cached(
    inside: CountingEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path))
    CachedEncoder(inside, lambda: "a").encode(TEXTS)
    (tmp_path / "graphs" / "x").mkdir(parents=True)
    (tmp_path / "graphs" / "x" / "graph.bin").write_bytes(b"1234")
    (tmp_path / "graphs" / "x" / "gone").symlink_to("nowhere")  # as a file that is deleted meanwhile
    (tmp_path / "mine.txt").write_text("not ours")
    before = cache.usage()
    assert (before.n_entries, before.graph_bytes) == (1, 4)
    assert before.book_bytes > 3 * 8 * 4
    assert cache.clear() == before
    assert cache.usage().book_bytes == cache.usage().graph_bytes == 0
    assert (tmp_path / "mine.txt").exists()


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_keys_are_equal_only_for_equal_texts(some: list[str], others: list[str]) -> None:
    same_key = _entry_name("encode", "a", some) == _entry_name("encode", "a", others)
    assert same_key == (some == others)
