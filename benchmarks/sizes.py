"""Libraries of several sizes in a folder, in one table: from ten thousand chunks to a million.

    python -m benchmarks.sizes [CHUNKS ...] [--keep FOLDER] [--readers 4]

The books are those of `benchmarks.store`. Each size is written once and measured in a process of its own;
with `--keep`, a library that is already there is measured again. A million chunks need some 8 GB of disk.

A library that has just been opened is on disk only: `first` is the time of the first questions to it. From
the second one on it reads its vectors ahead; the other times are those after it has read them.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from alexandria.book.choices import Mode
from alexandria.book.filters import EVERYTHING, Filters
from alexandria.store import QueryVectors, Store, open_store
from alexandria.store.catalog import Catalog
from benchmarks.store import (
    BINDING,
    CHUNKS_PER_BOOK,
    Cost,
    agreement,
    cost,
    make_book,
    make_queries,
    make_questions,
    size_of,
    timed,
)
from benchmarks.together import measure_readers

CHUNKS = (10_000, 100_000, 1_000_000)
SETTLED_EVERY = 50_000
"""Chunks after which the index is brought up to date: it grows as books come in, not in one go at the end."""
EXACT = 25
"""Queries that are also answered by comparing every sentence."""
FIRST = 5
"""Questions to a library that has just been opened."""
SEARCHES = 40
"""Of each reader, when several search at once."""


def main() -> None:
    """Print a line per measure and size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("chunks", nargs="*", type=int, default=CHUNKS)
    parser.add_argument("--keep", type=Path, help="where the libraries are kept, and found again")
    parser.add_argument("--readers", type=int, default=4, help="that search at once; 0 leaves that out")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure is not None:
        print(json.dumps(dict(measure(str(chosen.measure), chosen.chunks[0], chosen.readers))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        for n_chunks in chosen.chunks:
            folder = (chosen.keep or Path(scratch)) / str(n_chunks)
            print(f"{n_chunks:,} chunks", flush=True)
            if not folder.exists():
                report(write(str(folder), n_chunks))
            command = [sys.executable, "-m", "benchmarks.sizes", str(n_chunks)]
            command += ["--measure", str(folder), "--readers", str(chosen.readers)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            report(json.loads(done.stdout))


def report(measures: dict[str, float]) -> None:
    """Print some measures."""
    for name, value in measures.items():
        print(f"    {name:<34}{value:>12,.3f}", flush=True)


def write(address: str, n_chunks: int) -> dict[str, float]:
    """Fill a library, and return how fast, and what it costs to settle its index."""
    written, settled = Cost(), Cost()
    with Catalog(open_store(address, "books", BINDING)) as catalog:
        for number in range(n_chunks // CHUNKS_PER_BOOK):
            book, points = make_book(number)
            written += cost(partial(catalog.replace, book, points))
            if (number + 1) * CHUNKS_PER_BOOK % SETTLED_EVERY == 0:
                settled += cost(catalog.store.optimize)
        settled += cost(catalog.store.optimize)
    return {
        "written, chunks/s": n_chunks / written.clock,
        "written, chunks/s of processor": n_chunks / written.processor,
        "settled, s": settled.clock,
        "settled, s of processor": settled.processor,
    }


def measure(address: str, n_chunks: int, n_readers: int) -> Iterator[tuple[str, float]]:
    """Yield what is measured of a library that is there."""
    n_books = n_chunks // CHUNKS_PER_BOOK
    queries = list(make_queries(n_books))
    yield "opened, s", max(timed(lambda: Catalog(opened(address)).close()) for _ in range(3))
    before = memory()
    with Catalog(store := opened(address)) as catalog:
        yield from searches(catalog, queries)
        yield "recall@10 of all sentences", agreement(store, catalog, queries[:EXACT])
        yield "memory, MB", memory() - before
        books = catalog.page(EVERYTHING, start=0, limit=3)
        yield "a book removed, s", max(timed(partial(catalog.remove, book)) for book in books)
    yield "on the disk, GB", size_of(Path(address)) / 1e9
    if n_readers:
        questions = list(make_questions(n_books))
        one, several = (
            np.percentile(measure_readers(address, questions, n, SEARCHES), 95) for n in (1, n_readers)
        )
        yield "one reader, p95 ms", 1000 * float(one)
        yield f"{n_readers} readers, p95 ms", 1000 * float(several)


def opened(address: str) -> Store:
    """Return the store at an address, opened."""
    return open_store(address, "books", None)


def searches(catalog: Catalog, queries: list[QueryVectors]) -> Iterator[tuple[str, float]]:
    """Yield the times of the first questions, and of each kind of search once the vectors have been read."""
    everything = catalog.everything()
    some = catalog.scope(Filters(book="1"))
    kinds = {
        "dense": (Mode.DENSE, everything),
        "hybrid": (Mode.HYBRID, everything),
        "filtered": (Mode.HYBRID, some),
    }
    hybrid = [timed(partial(catalog.search, query, Mode.HYBRID, everything, 5)) for query in queries[:FIRST]]
    yield "first, mean ms", 1000 * float(np.mean(hybrid))
    for name, (mode, scope) in kinds.items():
        for query in islice(queries, 20):
            catalog.search(query, mode, scope, 5)
        times = [timed(partial(catalog.search, query, mode, scope, 5)) for query in queries]
        for percentile in (50, 95):
            yield f"{name}, p{percentile} ms", 1000 * float(np.percentile(times, percentile))


def memory() -> float:
    """Return the most memory that this process has used so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
