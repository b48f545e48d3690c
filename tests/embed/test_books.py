"""The default model over whole books: torch's vectors, the cuts of f32, and what `tune` finds by them.

These tests are in one file, which one process runs, so that the novels are embedded once.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.choices import Backend, Precision
from alexandria.book.model import Embeddings
from alexandria.chunking import STRATEGIES, Strategy, segment_sentences
from alexandria.chunking.domains import load_domain
from alexandria.chunking.sentences import split
from alexandria.embed import load_encoder
from alexandria.embed.graph.measure import actual_precision
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.lab.scores import OBJECTIVES, Material
from alexandria.lab.tuning import best_of, draw_candidates, split_in_halves
from benchmarks.boundaries import sizes_of
from tests.embed.needs import needs_torch
from tests.real import novels, openings_of_novels, read_once, shipped_encoder

pytestmark = [pytest.mark.shared, pytest.mark.model]


def similarities(rows: Embeddings) -> Embeddings:
    return np.asarray((rows[:-1] * rows[1:]).sum(axis=1))


@pytest.fixture(scope="module")
def frankenstein(shared_data: Path) -> list[str]:
    book = read_once(shared_data / "epub" / "shelley-frankenstein.epub")
    # A twelfth of the book is enough of its language; torch takes the time of it all.
    return [book.text[sentence.start : sentence.end] for sentence in split(book)][:250]


@cache
def rows_of(precision: Precision, texts: tuple[str, ...]) -> Embeddings:
    """Return the rows of one precision, computed once where `auto` stands for f32."""
    return load_encoder(backend=Backend.OPENVINO, precision=precision).encode(texts)


@pytest.fixture(scope="module")
def by_torch(frankenstein: list[str]) -> Embeddings:
    return load_encoder(backend=Backend.TORCH, precision=Precision.F32).encode(frankenstein)


MOST = {Precision.F32: 1e-5, Precision.F16: 0.003, Precision.BF16: 0.003, Precision.INT8: 0.03}
"""How far the similarity of neighbours may be off."""
LEAST_SAME_CUTS = {Precision.F32: 1, Precision.F16: 0.99, Precision.BF16: 0.97, Precision.INT8: 0.85}
"""Of `universal-semantic`, where one cut moves those after it: by processor, .974 to .987 at .55 in bf16."""


@pytest.fixture(scope="module")
def shipped() -> Precision:
    """What `auto` stands for here."""
    return actual_precision(open_graph(locate(DEFAULT_MODEL)), Precision.AUTO)


@needs_torch
@pytest.mark.parametrize("precision", [Precision.F32, Precision.AUTO])
def test_adjacent_similarities_are_those_of_torch(
    frankenstein: list[str], by_torch: Embeddings, precision: Precision, shipped: Precision
) -> None:
    actual = shipped if precision is Precision.AUTO else precision
    rows = rows_of(actual, tuple(frankenstein))
    assert np.abs(similarities(rows) - similarities(by_torch)).max() < MOST[actual]
    some = load_encoder(backend=Backend.OPENVINO, precision=precision).encode(frankenstein[:50])
    np.testing.assert_array_equal(some, rows[:50])


def cuts(strategy: Strategy, rows: Embeddings, sentences: list[str]) -> set[int]:
    return {boundary.gap for boundary in segment_sentences(strategy, rows, sizes_of(sentences)).boundaries}


@pytest.fixture(scope="module")
def both(shared_data: Path, shipped: Precision) -> list[tuple[list[str], Embeddings, Embeddings]]:
    """Sentences from the middle of each of four books, in f32 and as shipped."""
    is_exact = shipped is Precision.F32  # there is nothing to compare then: the slow half of these tests
    n_sentences = 450 if is_exact else 600
    ours = shipped_encoder()
    exact = ours if is_exact else load_encoder(backend=Backend.OPENVINO, precision=Precision.F32)
    books = [[book.text[s.start : s.end] for s in split(book)] for book in novels(shared_data)]
    middles = [texts[max(0, (len(texts) - n_sentences) // 2) :][:n_sentences] for texts in books]
    rows = [exact.encode(texts) for texts in middles]
    return [
        (texts, vectors, vectors if is_exact else ours.encode(texts))
        for texts, vectors in zip(middles, rows, strict=True)
    ]


def test_adjacent_similarities_of_whole_books_are_those_of_f32(
    both: list[tuple[list[str], Embeddings, Embeddings]], shipped: Precision
) -> None:
    off = [np.abs(similarities(exact) - similarities(rows)).max() for _, exact, rows in both]
    assert max(off) < MOST[shipped]


@needs_torch
def test_books_are_cut_where_sentence_transformers_would_have_them_cut(
    both: list[tuple[list[str], Embeddings, Embeddings]],
) -> None:
    """200 sentences of each book: torch takes the time of this test."""
    torch = load_encoder(backend=Backend.TORCH, precision=Precision.F32)
    n_same = n_cuts = 0
    for texts, exact, _ in both:
        part = slice(len(texts) // 3, len(texts) // 3 + 200)
        theirs, ours = torch.encode(texts[part]), exact[part]
        assert (theirs * ours).sum(axis=1).min() >= 0.99999
        for name in ("optimal", "universal-semantic", "percentile"):
            strategy = STRATEGIES[name]()
            a, b = (cuts(strategy, rows, texts[part]) for rows in (theirs, ours))
            n_same, n_cuts = n_same + len(a & b), n_cuts + len(a | b)
    assert n_same >= 0.999 * n_cuts


@pytest.mark.parametrize("threshold", [0.45, 0.5, 0.55])
def test_books_are_cut_where_f32_would_cut_them(
    both: list[tuple[list[str], Embeddings, Embeddings]], threshold: float, shipped: Precision
) -> None:
    strategy = STRATEGIES["universal-semantic"](threshold=threshold)  # type: ignore[call-arg]  # it has one
    n_same = n_cuts = 0
    for texts, *rows in both:
        theirs, ours = (cuts(strategy, vectors, texts) for vectors in rows)
        n_same, n_cuts = n_same + len(theirs & ours), n_cuts + len(theirs | ours)
    assert n_same >= LEAST_SAME_CUTS[shipped] * n_cuts


def test_two_books_find_what_is_no_worse_on_two_others(shared_data: Path, tmp_path: Path) -> None:
    # A sixth of all their words: embedding them whole takes four minutes in f32.
    books = openings_of_novels(shared_data, tmp_path, 20_000)
    present = load_domain("literature")
    train, test = split_in_halves(len(books), seed=0)
    assert (len(train), len(test)) == (2, 2)
    material = Material(books, [], {}, shipped_encoder(), "hybrid")

    score, tried = OBJECTIVES["sections"], draw_candidates(present, 8, seed=0)
    tuned = best_of(present, tried, score(material, train), score(material, test))
    assert tuned.best_train.value >= tuned.present_train.value
    # On other books the difference may be noise, but not one that the paired interval excludes.
    assert tuned.gain_test.high >= 0
