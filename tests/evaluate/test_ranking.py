"""The rankings in matrices are those of a search in the library."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Book, Sparse
from alexandria.chunking.domains import load_domain
from alexandria.embed import Encoder, load_encoder
from alexandria.extract import extract
from alexandria.lab.ranking import MAX_HITS, IndexedChunks, Queries, Rankings, RetrievedChunk
from alexandria.lab.retrieval import SearchIndex, build_index, make_queries
from alexandria.library.ingest.one_book import analyse, generation, prepare, read_options, store
from alexandria.library.location import open_catalog
from alexandria.store import QueryVectors
from alexandria.store.plan import VectorName, plan_search
from tests.conftest import SAMPLES
from tests.evaluate.made import book

QUESTIONS = (
    "rope anchor deck",
    "who kneads the dough in the oven?",
    "a comet behind the moon",
    "what did the jury say of the clause and the tide",
)


def assert_same_rankings(
    books: list[Book], encoder: Encoder, questions: tuple[str, ...], options: dict[str, object], folder: Path
) -> None:
    domain = load_domain(options=options)
    analyses = [analyse(one, domain, encoder) for one in books]
    searched = build_index(analyses, {})
    asked = make_queries(questions, books, encoder)
    rankings = Rankings.of(searched.chunks, asked)
    with open_catalog(str(folder), "books", encoder) as library:
        for analysis in analyses:
            name = generation(analysis.book.id, domain, encoder, read_options(domain))
            store(prepare(analysis, name), library)
        for i in range(len(questions)):
            for mode in Mode:
                vectors = QueryVectors(asked.dense[i], asked.terms[i])
                hits = library.search(vectors, mode, library.everything(), 5)[:5]  # more may tie with these
                # Half precision of the stored sentences: 2⁻¹¹ of a cosine, a little more in the fusion.
                plan = plan_search(mode, MAX_HITS, n_points=rankings.n_chunks, sentences=True)
                best, scores = rankings.rank(plan, i)
                assert [hit.score for hit in hits] == pytest.approx(scores[:5].tolist(), abs=3e-3), mode
                found = {
                    (books[p.book].title, p.start): s
                    for p, s in zip(_at(searched, best), scores, strict=True)
                }
                # By their own scores: two chunks of the same score have no order that could agree.
                own = [found[hit.payload["book_title"], hit.payload["start"]] for hit in hits]
                assert own == pytest.approx(scores[:5].tolist(), abs=3e-3), mode


def _at(index: SearchIndex, chunks: NDArray[np.int64]) -> list[RetrievedChunk]:
    return [index.passages[int(n)] for n in chunks]


def test_every_mode_ranks_as_the_library_does(tmp_path: Path) -> None:
    books = [book("First"), book("Second", ("Stars", "Ships", "Law"))]
    options = {"strategy": "recursive", "max_words": 70, "overlap_words": 0}
    assert_same_rankings(books, load_encoder("hashing"), QUESTIONS, options, tmp_path)


def test_without_sentence_vectors_hybrid_ranks_by_the_chunks_own() -> None:
    books = [book()]
    analyses = [analyse(one, load_domain(), load_encoder("hashing")) for one in books]
    index = build_index(analyses, {})
    asked = make_queries(QUESTIONS, books, load_encoder("hashing"))
    without = Rankings.of(index.chunks, asked, sentences=False)
    plan = plan_search(Mode.HYBRID, MAX_HITS, n_points=without.n_chunks, sentences=False)
    assert without.best(0, Mode.HYBRID).tolist() == without.rank(plan, 0)[0].tolist()
    assert VectorName.SENTENCES not in {stage.using for stage in plan.prefetch}


@pytest.mark.model
def test_the_real_model_ranks_a_sample_as_the_library_does(tmp_path: Path) -> None:
    books = [extract(path) for path in sorted(SAMPLES.glob("*.epub"))]
    questions = ("How is the emery used on the lens?", "what keeps cheese in the cellar", "the owl's wings")
    options = {"strategy": "optimal", "min_words": 50, "max_words": 170}
    assert_same_rankings(books, load_encoder(), questions, options, tmp_path)


@given(st.integers(1, 30), st.integers(0, 10_000))
def test_every_mode_returns_each_chunk_once_at_most(n: int, seed: int) -> None:
    drawn = np.random.default_rng(seed)
    rows = drawn.standard_normal((2 * n, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    terms = [Sparse((int(t),), (1.0,)) for t in drawn.integers(0, 5, n)]
    indexed = IndexedChunks(rows[:n], rows, np.arange(0, 2 * n, 2), terms)
    rankings = Rankings.of(indexed, Queries(rows[:1], [Sparse((2, 3), (1.0, 1.0))]))
    for mode in Mode:
        best = rankings.best(0, mode).tolist()
        assert len(set(best)) == len(best)
    assert set(rankings.scores) == set(VectorName)


def test_a_chunk_without_a_word_of_the_question_is_not_found_by_words() -> None:
    rows = np.eye(3, dtype=np.float32)
    indexed = IndexedChunks(
        rows, rows, np.arange(3), [Sparse((1,), (1.0,)), Sparse((), ()), Sparse((2,), (1.0,))]
    )
    asked = Queries(rows[:1], [Sparse((2,), (1.0,))])
    assert Rankings.of(indexed, asked).best(0, Mode.BM25).tolist() == [2]
