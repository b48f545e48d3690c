"""A library of 100,000 chunks: how fast it is written, opened, searched, a book removed, and what it weighs.

    python -m benchmarks.store [--points 100000] [--store FOLDER]

Payloads are made up, of the size that prose has; vectors have the shape of real ones: sentences lie around
the topic of their chunk, topics around that of their book, as MiniLM's do (cosine to the mean about 0.5).
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alexandria.book import Embeddings, Point, Sparse
from alexandria.modes import Mode
from alexandria.store import Binding, QueryVectors, Store, open_store
from alexandria.store.catalog import Catalog, Record
from alexandria.store.plan import Stage
from alexandria.store.points import SCHEMA_VERSION, digest_of, join_numbers, point_id
from alexandria.store.vectors import VectorName

DIM = 384
SENTENCES = 12
"""A chunk of some 240 words."""
CHUNKS_A_BOOK = 500
WORDS = 30_000
"""Words the books know; how often each occurs falls with its rank, as Zipf found."""
TERMS = 110
"""Different words of a chunk, without those that BM25 leaves out."""
BINDING = Binding("benchmark", DIM, SCHEMA_VERSION)
QUERIES = 200


def unit(rows: Embeddings) -> Embeddings:
    """Return the rows with length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def make_book(number: int) -> tuple[Record, list[Point]]:
    """Return a book's record and points, the same each time."""
    chance = np.random.default_rng(number)
    book, generation = f"{number:064x}", f"{number:040x}"
    topics = chance.normal(size=DIM) + 1.2 * chance.normal(size=(CHUNKS_A_BOOK, DIM))
    rows = unit(
        (topics[:, None] + 1.5 * chance.normal(size=(CHUNKS_A_BOOK, SENTENCES, DIM))).astype(np.float32)
    )
    dense = unit(rows.mean(axis=1))
    terms = np.minimum(chance.zipf(1.2, size=(CHUNKS_A_BOOK, TERMS)), WORDS)
    points = [
        Point(
            point_id(book, generation, i),
            dense[i],
            rows[i],
            words(terms[i]),
            payload(book, generation, i, terms[i]),
        )
        for i in range(CHUNKS_A_BOOK)
    ]
    return record(book, generation, points), points


def words(ranks: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> Sparse:
    """Return the weights of these words."""
    indices, counts = np.unique(ranks, return_counts=True)
    return Sparse(tuple(indices.tolist()), tuple((counts / (counts + 1.2)).tolist()))


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
            "total_chunks": CHUNKS_A_BOOK,
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
            "sentence_starts": join_numbers(range(0, SENTENCES * 100, 100)),
            "similarities": join_numbers([0.312345] * SENTENCES),
            "vector_coverage": 1.0,
            "schema_version": SCHEMA_VERSION,
        },
        "boundary": {
            **{"gap": i * 12, "reason": "topic", "similarity": 0.2, "threshold": 0.55, "margin": 0.35},
            **{"rank": i, "n_candidates": CHUNKS_A_BOOK},
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
        warnings=(),
        ingested_at="2026-01-01T00:00:00+00:00",
        sections=tuple(f"Chapter {i}" for i in range(CHUNKS_A_BOOK // 20)),
        digests=tuple(digest_of(one.payload) for one in points),
    )


def questions(n_books: int) -> Iterator[QueryVectors]:
    """Yield questions: a sentence of some chunk, moved, and four words."""
    chance = np.random.default_rng(1)
    for number in chance.integers(n_books, size=QUERIES):
        _, points = make_book(int(number))
        rows = points[int(chance.integers(CHUNKS_A_BOOK))].sentences
        assert rows is not None  # ours always have them
        near = unit(rows[0] + 0.03 * chance.normal(size=DIM).astype(np.float32))
        ranks = tuple(sorted({int(rank) for rank in chance.integers(20, 5000, size=4)}))
        yield QueryVectors(near, Sparse(ranks, (1.0,) * len(ranks)))


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the clock, and of processors: only these mean something where others are at work too."""

    clock: float = 0.0
    processor: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.clock + other.clock, self.processor + other.processor)


def cost(work: Callable[[], object]) -> Cost:
    """Return what the work costs; the engine's threads count too."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - clock, time.process_time() - processor)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that work takes."""
    return cost(work).clock


def write(where: str, n_books: int) -> None:
    """Fill a library and report how fast it took the points, the making of them left out."""
    total = Cost()
    with Catalog(open_store(where, "books", BINDING)) as library:
        for number in range(n_books):
            made, points = make_book(number)
            total += cost(lambda made=made, points=points: library.replace(made, points))  # type: ignore[misc]
        n_points = n_books * CHUNKS_A_BOOK
        print(
            f"write     {n_points / total.clock:>10,.0f} points/s, "
            f"{n_points / total.processor:,.0f} for each second of processor time",
            flush=True,
        )
        graph = cost(library.store.optimize)
    print(f"graph     {graph.clock:>10.1f} s, {graph.processor:.1f} s of processor time", flush=True)


def search(where: str, n_books: int) -> None:
    """Report how long each mode takes, warm, and what the candidates lose against all sentences."""
    asked = list(questions(n_books))
    store = open_store(where, "books", None)
    with Catalog(store) as library:
        books = library.books()
        for mode in Mode:
            for one in asked[:20]:
                library.search(one, mode, books, 5)
            times = [timed(lambda one=one, mode=mode: library.search(one, mode, books, 5)) for one in asked]  # type: ignore[misc]
            p50, p95 = np.percentile(times, [50, 95]) * 1000
            print(f"{mode:<10}{p50:>10.1f} ms p50, {p95:.1f} ms p95")
        print(f"candidates{agreement(store, library, asked[:25]):>10.1%} of the best 5 by all sentences")


def agreement(store: Store, library: Catalog, asked: list[QueryVectors]) -> float:
    """Return the share of the best 5 by every sentence of the library that a search finds."""
    shares = []
    for one in asked:
        best = {hit.id for hit in store.search(one, Stage(VectorName.SENTENCES, 5), {})}
        found = {hit.id for hit in library.search(one, Mode.SENTENCES, library.books(), 5)}
        shares.append(len(best & found) / len(best))
    return float(np.mean(shares))


def remove(where: str) -> None:
    """Report how long it takes to remove a book."""
    with Catalog(open_store(where, "books", None)) as library:
        times = [timed(lambda one=one: library.remove(one)) for one in library.books()[:5]]  # type: ignore[misc]
    print(f"remove    {max(times):>10.2f} s a book at most, of {len(times)}")


def size_of(folder: Path) -> int:
    """Return the bytes a folder really takes on disk: the engine's files have holes."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--store", help="a folder that is kept; an existing library there is measured")
    wanted = parser.parse_args()
    n_books = wanted.points // CHUNKS_A_BOOK
    where = wanted.store or tempfile.mkdtemp()
    try:
        if not (Path(where) / "books").exists():
            write(where, n_books)
        print(f"disk      {size_of(Path(where)) / n_books / 1e6:>10.1f} MB a book of {CHUNKS_A_BOOK} chunks")
        opens = [cost(lambda: Catalog(open_store(where, "books", None)).close()) for _ in range(3)]
        clock, processor = max(one.clock for one in opens), max(one.processor for one in opens)
        print(f"open      {clock:>10.2f} s at most, of {len(opens)}; {processor:.2f} s of processor time")
        search(where, n_books)
        remove(where)
    finally:
        if not wanted.store:
            shutil.rmtree(where)


if __name__ == "__main__":
    main()
