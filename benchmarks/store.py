"""A library of 100,000 chunks: the time to write, open and search it, to remove a book, and its size.

    python -m benchmarks.store [--points 100000] [--store FOLDER]

Payloads are synthetic, of the size that prose has. Vectors are distributed as MiniLM's are: sentences lie
around the topic of their chunk, and topics around that of their book (cosine to the mean about 0.5).
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from alexandria.book.choices import Mode
from alexandria.book.model import Embeddings, Point, Sparse
from alexandria.library.search.excerpts import CANDIDATES, choose, score_chunks
from alexandria.store import Binding, QueryVectors, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit
from alexandria.store.payload import SCHEMA_VERSION, WORDS_VERSION, digest_of, join_numbers
from alexandria.store.plan import Stage, VectorName
from alexandria.store.points import point_id
from alexandria.store.record import Record
from alexandria.store.sparse import query_terms
from alexandria.store.store import Scope

DIM = 384
SENTENCES = 12
"""A chunk of some 240 words."""
CHUNKS_PER_BOOK = 500
WORDS = 30_000
"""The vocabulary of the books; the frequency of a word falls with its rank, by Zipf's law."""
TERMS = 110
"""Different words in a chunk, without the stop words that BM25 leaves out."""
BINDING = Binding("benchmark", DIM, SCHEMA_VERSION)
QUERIES = 200


def unit(rows: Embeddings) -> Embeddings:
    """Return the rows with length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def make_book(number: int) -> tuple[Record, list[Point]]:
    """Return the record and the points of a book, the same in every run."""
    rng = np.random.default_rng(number)
    book, generation = sha256(b"%d" % number).hexdigest(), f"{number:040x}"
    topics = rng.normal(size=DIM) + 1.2 * rng.normal(size=(CHUNKS_PER_BOOK, DIM))
    rows = unit(
        (topics[:, None] + 1.5 * rng.normal(size=(CHUNKS_PER_BOOK, SENTENCES, DIM))).astype(np.float32)
    )
    dense = unit(rows.mean(axis=1))
    terms = np.minimum(rng.zipf(1.2, size=(CHUNKS_PER_BOOK, TERMS)), WORDS)
    points = [
        Point(
            point_id(book, generation, i),
            dense[i],
            rows[i],
            words(terms[i]),
            payload(book, generation, i, terms[i]),
        )
        for i in range(CHUNKS_PER_BOOK)
    ]
    return record(book, generation, points), points


def words(ranks: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> Sparse:
    """Return the BM25 weights of the words with these ranks."""
    different, counts = np.unique(ranks, return_counts=True)
    return Sparse(tuple(map(term, different.tolist())), tuple((counts / (counts + 1.2)).tolist()))


@cache
def term(rank: int) -> int:
    """Return the id of the word with this rank, as a search finds it in a text."""
    (own,) = query_terms(f"word{rank}", frozenset({"en"})).indices
    return own


def payload(book: str, generation: str, i: int, ranks: object) -> dict[str, object]:
    """Return a payload with as many keys and bytes as a real one."""
    text = " ".join(f"word{rank}" for rank in np.resize(np.asarray(ranks), 240))
    section = ["Part One", f"Chapter {i // 20}"]
    return {
        **{"text": text, "book_title": f"Book {book[-4:]}", "author": "A. Author", "domain": "default"},
        **{"language": "en", "ingested_at": "2026-01-01T00:00:00+00:00", "strategy": "universal-semantic"},
        **{"chunk_id": i, "word_count": 240, "book_id": book, "generation": generation, "format": "epub"},
        **{"source": f"/shelf/{book[-4:]}.epub", "start": i * 1400, "end": i * 1400 + 1390},
        **{
            "n_sentences": SENTENCES,
            "total_chunks": CHUNKS_PER_BOOK,
            "avg_similarity": 0.31,
            "section": section,
        },
        **{
            "page_start": i,
            "page_end": i + 1,
            "page_label": str(i),
            "href": "text/chapter.xhtml",
            "notes": [],
        },
        **{
            "sentence_starts": join_numbers(range(i * 1400, i * 1400 + SENTENCES * 100, 100)),
            "similarities": join_numbers([0.312345] * SENTENCES),
            "vector_coverage": 1.0,
            "schema_version": SCHEMA_VERSION,
            "words_version": WORDS_VERSION,
        },
        "boundary": {
            **{"gap": i * 12, "reason": "topic", "similarity": 0.2, "threshold": 0.55, "margin": 0.35},
            **{"rank": i, "n_candidates": CHUNKS_PER_BOOK},
        },
        "metadata": {
            **{"source": f"/shelf/{book[-4:]}.epub", "domain": "default", "book_title": f"Book {book[-4:]}"},
            **{"author": "A. Author", "language": "en", "section": section, "page_start": i, "chunk_id": i},
        },
    }


def record(book: str, generation: str, points: list[Point]) -> Record:
    """Return the catalog's record of a book."""
    return Record(
        book_id=book,
        generation=generation,
        title=f"Book {book[-4:]}",
        author="A. Author",
        language="en",
        format="epub",
        source=f"/shelf/{book[-4:]}.epub",
        domain="default",
        strategy="universal-semantic",
        settings={"model": "benchmark", "sentence_vectors": True},
        n_chunks=len(points),
        n_words=240 * len(points),
        words_version=WORDS_VERSION,
        warnings=(),
        ingested_at="2026-01-01T00:00:00+00:00",
        sections=tuple(f"Chapter {i}" for i in range(CHUNKS_PER_BOOK // 20)),
        digests=tuple(digest_of(point.payload) for point in points),
    )


def make_queries(n_books: int) -> Iterator[QueryVectors]:
    """Yield queries: the vector of a sentence, with noise, and four words."""
    for text, dense in make_questions(n_books):
        yield QueryVectors(dense, query_terms(text, frozenset({"en"})))


def make_questions(n_books: int) -> Iterator[tuple[str, Embeddings]]:
    """Yield the text and the vector of each query."""
    rng = np.random.default_rng(1)
    for number in rng.integers(n_books, size=QUERIES):
        _, points = make_book(int(number))
        rows = points[int(rng.integers(CHUNKS_PER_BOOK))].sentences
        assert rows is not None  # make_book gives all of them some
        near = unit(rows[0] + 0.03 * rng.normal(size=DIM).astype(np.float32))
        ranks = sorted({int(rank) for rank in rng.integers(20, 5000, size=4)})
        yield " ".join(f"word{rank}" for rank in ranks), near


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall-clock time, and of processor time, which depends less on what else the machine does."""

    clock: float = 0.0
    processor: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.clock + other.clock, self.processor + other.processor)


def cost(work: Callable[[], object]) -> Cost:
    """Return what the work costs, including the engine's threads."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - clock, time.process_time() - processor)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that work takes."""
    return cost(work).clock


def write(address: str, n_books: int) -> None:
    """Fill a library and report how fast it accepts the points, not counting the time to make them."""
    total = Cost()
    with Catalog(open_store(address, "books", BINDING)) as catalog:
        for number in range(n_books):
            book, points = make_book(number)
            total += cost(lambda book=book, points=points: catalog.replace(book, points))  # type: ignore[misc]
        n_points = n_books * CHUNKS_PER_BOOK
        print(
            f"write     {n_points / total.clock:>10,.0f} points/s, "
            f"{n_points / total.processor:,.0f} per second of processor time",
            flush=True,
        )
        graph = cost(catalog.store.optimize)
    print(f"graph     {graph.clock:>10.1f} s, {graph.processor:.1f} s of processor time", flush=True)


def search(address: str, n_books: int) -> None:
    """Report the time of each mode when warm, and how many of the best hits the candidates contain."""
    queries = list(make_queries(n_books))
    store = open_store(address, "books", None)
    with Catalog(store) as catalog:
        books = catalog.everything()
        for mode in Mode:
            for query in queries[:20]:
                catalog.search(query, mode, books, 5)
            times = [
                timed(lambda query=query, mode=mode: catalog.search(query, mode, books, 5))  # type: ignore[misc]
                for query in queries
            ]
            p50, p95 = np.percentile(times, [50, 95]) * 1000
            print(f"{mode:<10}{p50:>10.1f} ms p50, {p95:.1f} ms p95")
        times = [timed(lambda query=query: budgeted(query, catalog, books)) for query in queries]  # type: ignore[misc]
        p50, p95 = np.percentile(times, [50, 95]) * 1000
        print(f"in 300 words{p50:>8.1f} ms p50, {p95:.1f} ms p95 (hybrid)")
        print(f"candidates{agreement(store, catalog, queries[:25]):>10.1%} of the best 10 by all sentences")


def budgeted(query: QueryVectors, catalog: Catalog, books: Scope) -> list[Hit]:
    """Return what a search hands out within 300 words, by the steps of `library.search.hits.search`."""
    hits = catalog.search(query, Mode.HYBRID, books, CANDIDATES)
    sentence_vectors = catalog.sentence_vectors([hit.id for hit in hits])
    return choose(score_chunks(query, hits, sentence_vectors, words=300).evidence, 300)


def agreement(store: Store, catalog: Catalog, queries: list[QueryVectors]) -> float:
    """Return the share of the best 10 by every sentence of the library that a search returns."""
    shares = []
    for query in queries:
        best = {hit.id for hit in store.search(query, Stage(VectorName.SENTENCES, 10), {})}
        returned = {hit.id for hit in catalog.search(query, Mode.SENTENCES, catalog.everything(), 10)}
        shares.append(len(best & returned) / len(best))
    return float(np.mean(shares))


def remove(address: str) -> None:
    """Report how long it takes to remove a book."""
    with Catalog(open_store(address, "books", None)) as catalog:
        times = [timed(lambda book=book: catalog.forget(book)) for book in catalog.books()[:5]]  # type: ignore[misc]
    print(f"remove    {max(times):>10.2f} s per book at most ({len(times)} books)")


def size_of(folder: Path) -> int:
    """Return the bytes that a folder occupies on disk: the engine's files are sparse."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--store", help="a folder that is kept; a library that exists there is measured")
    arguments = parser.parse_args()
    n_books = arguments.points // CHUNKS_PER_BOOK
    address = arguments.store or tempfile.mkdtemp()
    try:
        if not (Path(address) / "books").exists():
            write(address, n_books)
        size = size_of(Path(address)) / n_books / 1e6
        print(f"disk      {size:>10.1f} MB per book of {CHUNKS_PER_BOOK} chunks")
        opens = [cost(lambda: Catalog(open_store(address, "books", None)).close()) for _ in range(3)]
        clock, processor = max(each.clock for each in opens), max(each.processor for each in opens)
        print(f"open      {clock:>10.2f} s at most ({len(opens)} runs), {processor:.2f} s of processor time")
        search(address, n_books)
        remove(address)
    finally:
        if not arguments.store:
            shutil.rmtree(address)


if __name__ == "__main__":
    main()
