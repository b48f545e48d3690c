"""What the catalog of a library costs by its number of books: opening, searching, listing, one book more.

    python -m tools.scale [BOOKS ...] [--store ADDRESS] [--keep FOLDER]

The books have records of the usual size, but no texts: only the first hundred have points, ten each. What
grows from row to row is therefore the cost of the catalog alone. Each row is measured in a process of its
own; `--store` names a server, on which a collection is created for each row and deleted after it. The times
are of the processor, in this process only: other work on the machine does not count, nor a server's.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar
from uuid import uuid5

from alexandria.book import Point
from alexandria.config import load_domain
from alexandria.encoders import encoder_of
from alexandria.filters import EVERYTHING, Filters
from alexandria.location import binding_for, open_catalog
from alexandria.modes import Mode
from alexandria.query import search
from alexandria.store import Store, open_store
from alexandria.store.points import NAMESPACE, digest_of, point_id
from alexandria.store.record import Record
from alexandria.store.sparse import document_terms

T = TypeVar("T")

BOOKS = (100, 1_000, 10_000)
WITH_POINTS, CHUNKS = 100, 10
"""How many books have points, and how many each; the same in every row."""
DIGESTS, SECTIONS = 250, 25
"""Of a book like Frankenstein."""
BATCH = 500
REPEATED = 20
COLLECTION = "scale"
COLUMNS = ("open", "search", "author", "list", "find", "one more", "reopen", "MB")


def main() -> None:
    """Print a row per number of books."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("books", nargs="*", type=int, default=BOOKS)
    parser.add_argument("--store", help="a Qdrant server; by default a folder that is deleted at the end")
    parser.add_argument("--keep", type=Path, help="where the folders are kept, and found again")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(*measure(arguments.store, arguments.books[0]))
        return
    print(
        f"{'books':>8}",
        *(f"{column:>9}" for column in COLUMNS),
        "   milliseconds of processor time, MB",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as scratch:
        for n_books in arguments.books:
            address = arguments.store or str((arguments.keep or Path(scratch)) / str(n_books))
            row = measured(address, n_books)
            print(f"{n_books:>8,}", *(f"{value:>9.1f}" for value in row), flush=True)


def measured(address: str, n_books: int) -> list[float]:
    """Fill a library unless that has been done, and return its row, measured in another process."""
    if "://" in address or not Path(address).exists():
        fill(address, n_books)
    command = [sys.executable, "-m", "tools.scale", "--measure", "--store", address, str(n_books)]
    return list(
        map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    )


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
    store.flush()
    for i in range(0, n_books, BATCH):
        put_records(store, list(map(make_record, range(i, min(i + BATCH, n_books)))))
    store.close()


def put_records(store: Store, records: list[Record]) -> None:
    """Write records many at a time, which no program needs but this one."""
    if store.shared:
        from qdrant_client import models

        from alexandria.store.client import ClientStore

        assert isinstance(store, ClientStore)
        client, catalog = store._client, store._catalog
        batch = [
            models.PointStruct(id=str(uuid5(NAMESPACE, record.book_id)), vector=[1.0], payload=asdict(record))
            for record in records
        ]
        for i in range(0, len(batch), 50):
            client.upsert(catalog, batch[i : i + 50], wait=True)
        return
    from alexandria.store.edge import EdgeStore

    assert isinstance(store, EdgeStore)
    store._catalog.put([(record.book_id, asdict(record)) for record in records])


def measure(address: str, n_books: int) -> list[float]:
    """Return the columns of a row, in milliseconds and MB."""
    encoder = encoder_of(load_domain(options={"model": "hashing"}))
    encoder.encode(["warm"])
    before = memory()
    catalog, opened = timed(lambda: open_catalog(address, COLLECTION, None))
    query = "what befell the number"

    def searched(filters: Filters = EVERYTHING) -> float:
        return statistics.median(
            timed(lambda: search(query, catalog, encoder, mode=Mode.HYBRID, filters=filters))[1]
            for _ in range(REPEATED)
        )

    search_time = searched()
    used = memory() - before
    by_author = searched(Filters(author="Author 7"))
    _, listed = timed(catalog.books)
    number = min(n_books, WITH_POINTS) - 1
    _, found = timed(lambda: catalog.find(f"The Book of Number {number}"))
    new = replace(make_record(n_books + 1), n_chunks=CHUNKS)
    points = make_points(new)
    new = replace(new, digests=tuple(digest_of(point.payload) for point in points))
    _, added = timed(lambda: catalog.replace(new, points))
    catalog.remove(new)
    catalog.close()
    catalog, reopened = timed(lambda: open_catalog(address, COLLECTION, encoder))
    catalog.close()
    times = (opened, search_time, by_author, listed, found, added, reopened)
    return [*(1000 * seconds for seconds in times), used]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of the work, and the seconds of processor time that it took in this process."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def memory() -> float:
    """Return the most memory that this process has used so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
