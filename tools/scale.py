"""What the catalog of a library costs by its number of books: opening, searching, listing, one book more.

    python -m tools.scale [BOOKS ...] [--store ADDRESS | --stand-in] [--keep FOLDER]

The books have records of the usual size, but no texts: only the first hundred have points, ten each. What
grows from row to row is therefore the cost of the catalog alone. Each row is measured in a process of its
own; `--store` names a server, on which a collection is created for each row and deleted after it. The times
are of the processor, in this process only: other work on the machine does not count, nor a server's. With
`--stand-in`, the stand-in for a server that the tests use answers, and the requests of each operation and the
kilobytes of the responses are counted.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from alexandria.book.filters import EVERYTHING, Filters
from alexandria.book.model import Point
from alexandria.book.shingles import SKETCH_SIZE, pack_sketch
from alexandria.chunking.domains import load_domain
from alexandria.library.ingest.duplicates import find_same_work
from alexandria.library.ingest.encoder import encoder_of
from alexandria.library.location import binding_for, open_catalog
from alexandria.library.search.hits import search
from alexandria.library.search.request import SearchRequest
from alexandria.store import open_store
from alexandria.store.payload import digest_of
from alexandria.store.points import point_id
from alexandria.store.record import Record
from alexandria.store.sparse import document_terms

T = TypeVar("T")

BOOKS = (100, 1_000, 10_000)
WITH_POINTS = 100
"""Books that have points, in every row."""
CHUNKS = 10
"""Points of each of them."""
DIGESTS, SECTIONS = 250, 25
"""Chunks and sections in the record of a book like Frankenstein."""
MAX_HASH = 14_000_000
"""The 256 smallest hashes of the words of such a book are below this."""
BATCH = 500
"""Records written at once."""
REPEATED = 20
"""Searches, of whose costs the median counts."""
COLLECTION = "scale"
COLUMNS = (
    *("open", "search", "author", "title", "domain", "page", "list", "find", "part", "one more"),
    *("next", "reopen", "MB"),
)


def main() -> None:
    """Print a row per number of books."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("books", nargs="*", type=int, default=BOOKS)
    parser.add_argument("--store", help="a Qdrant server; by default a folder that is deleted at the end")
    parser.add_argument("--keep", type=Path, help="where the folders are kept, and found again")
    parser.add_argument(
        "--stand-in", action="store_true", help="count the requests to a stand-in of a server"
    )
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(*measure(arguments.store, arguments.books[0], timed))
        return
    unit = "requests / kB" if arguments.stand_in else "milliseconds of processor time, MB"
    print(f"{'books':>8}", *(f"{column:>9}" for column in COLUMNS), f"   {unit}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for n_books in arguments.books:
            address = arguments.store or str((arguments.keep or Path(scratch)) / str(n_books))
            cells = count_requests(n_books) if arguments.stand_in else measure_apart(address, n_books)
            print(f"{n_books:>8,}", *(f"{cell:>9}" for cell in cells), flush=True)


def measure_apart(address: str, n_books: int) -> list[str]:
    """Return the row of a library, measured in a process of its own; the library is filled if it is new."""
    if "://" in address or not Path(address).exists():
        fill(address, n_books)
    command = [sys.executable, "-m", "tools.scale", "--measure", "--store", address, str(n_books)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def count_requests(n_books: int) -> list[str]:
    """Return the row of a library on a stand-in for a server: requests, and kilobytes of responses."""
    from tests.store.fake_server import FakeServer

    with FakeServer() as server:
        fill(server.url, n_books)

        def count(work: Callable[[], T]) -> tuple[T, str]:
            n_requests, n_bytes = len(server.requests), server.n_bytes
            result = work()
            return result, f"{len(server.requests) - n_requests}/{(server.n_bytes - n_bytes) / 1000:.0f}"

        return measure(server.url, n_books, count)


def make_record(number: int) -> Record:
    """Return the record of a book, the same in every run."""
    digests = tuple(sha256(b"%d/%d" % (number, i)).hexdigest()[:16] for i in range(DIGESTS))
    return Record(
        book_id=sha256(b"%d" % number).hexdigest(),
        generation=f"{number:040x}",
        title=f"The Book of Number {number}",
        author=f"Author {number % 997}",
        language="en",
        format="epub",
        source=f"/shelf/{number % 100}/{number}.epub",
        domain="default",
        strategy="optimal",
        settings=settings(),
        n_chunks=DIGESTS,
        n_words=78_000,
        warnings=(),
        ingested_at="2026-01-01T00:00:00+00:00",
        sections=tuple(f"Chapter {i}: of what befell number {number}" for i in range(SECTIONS)),
        digests=digests,
        sketch=pack_sketch(tuple(sorted(Random(number).sample(range(MAX_HASH), SKETCH_SIZE)))),
    )


@cache
def settings() -> dict[str, object]:
    """Return the settings of every book."""
    return {**asdict(load_domain()), "model": "hashing"}


def make_points(record: Record) -> list[Point]:
    """Return the points of a book."""
    domain = load_domain(options={"model": "hashing"})
    texts = [f"Chapter {i} tells what befell the number {record.title}." for i in range(CHUNKS)]
    rows = encoder_of(domain).encode(texts)
    return [
        Point(
            id=point_id(record.book_id, record.generation, i),
            dense=row,
            sentences=row[None],
            bm25=document_terms(text, "en"),
            payload={
                **{"text": text, "book_title": record.title, "author": record.author, "domain": "default"},
                **{"language": "en", "ingested_at": record.ingested_at, "strategy": record.strategy},
                **{"chunk_id": i, "word_count": 9, "book_id": record.book_id, "format": "epub"},
                **{"generation": record.generation, "source": f"{record.book_id[:8]}.epub", "section": []},
                **{"start": i * 100, "end": i * 100 + len(text), "n_sentences": 1, "total_chunks": CHUNKS},
                **{"sentence_starts": str(i * 100), "similarities": "", "page_start": i, "notes": []},
                **{"page_end": i, "page_label": str(i), "href": "", "avg_similarity": 0.5},
            },
        )
        for i, (text, row) in enumerate(zip(texts, rows, strict=True))
    ]


def fill(address: str, n_books: int) -> None:
    """Write a library of so many books."""
    encoder = encoder_of(load_domain(options={"model": "hashing"}))
    store = open_store(address, COLLECTION, binding_for(encoder))
    for number in range(min(n_books, WITH_POINTS)):
        store.upsert(make_points(make_record(number)))
    for i in range(0, n_books, BATCH):
        records = map(make_record, range(i, min(i + BATCH, n_books)))
        store.records.commit(put=list(map(asdict, records)))
    store.close()


def measure(address: str, n_books: int, take: Callable[[Callable[[], Any]], tuple[Any, str]]) -> list[str]:
    """Return the columns of a row; `take` runs some work and returns its result and its cost."""
    encoder = encoder_of(load_domain(options={"model": "hashing"}))
    encoder.encode(["warm"])
    before = memory()
    catalog, opened = take(lambda: open_catalog(address, COLLECTION, None))
    query = "what befell the number"

    def search_cost_of(filters: Filters = EVERYTHING) -> str:
        """Return the median cost of a search."""
        work = partial(search, SearchRequest(query=query, filters=filters), catalog, encoder)
        return sorted((take(work)[1] for _ in range(REPEATED)), key=cost_of)[REPEATED // 2]

    search_cost = search_cost_of()
    used = memory() - before
    last = min(n_books, WITH_POINTS) - 1
    filtered = [
        search_cost_of(filters)
        for filters in (
            Filters(author="Author 7"),
            Filters(book=f"Number {last}"),
            Filters(domain="default"),
        )
    ]
    page = take(lambda: catalog.page(EVERYTHING, start=n_books // 2, limit=50))[1]
    find_cost = take(lambda: catalog.find(f"The Book of Number {last}"))[1]
    part = take(lambda: catalog.find(f"{make_record(last).book_id[:8]}"))[1]
    new = replace(make_record(n_books + 1), n_chunks=CHUNKS)
    points = make_points(new)
    new = replace(new, digests=tuple(digest_of(point.payload) for point in points))

    def ingest(record: Record) -> None:
        """Do what an ingest does for each of its books."""
        assert find_same_work(catalog, record) is None
        catalog.replace(record, points)
        assert catalog.n_books > n_books
        catalog.precisions()

    first, more = (take(lambda: ingest(new))[1] for _ in range(2))
    catalog.forget(new)
    listed = take(catalog.books)[1]
    catalog.close()
    catalog, reopened = take(lambda: open_catalog(address, COLLECTION, encoder))
    catalog.close()
    return [
        opened,
        search_cost,
        *filtered,
        page,
        listed,
        find_cost,
        part,
        first,
        more,
        reopened,
        f"{used:.1f}",
    ]


def cost_of(cell: str) -> float:
    """Return the number by which cells are compared."""
    return float(cell.partition("/")[0])


def timed(work: Callable[[], T]) -> tuple[T, str]:
    """Return the result of the work, and the milliseconds of processor time that it took in this process."""
    start = time.process_time()
    result = work()
    return result, f"{1000 * (time.process_time() - start):.1f}"


def memory() -> float:
    """Return the most memory that this process has used so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
