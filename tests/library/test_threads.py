"""One library, used by many threads at once: "safe for several threads", with all that a reader calls."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import alexandria
from alexandria import Library
from alexandria.library.ingest.outcome import Status
from tests.conftest import SAMPLES

KEPT = SAMPLES / "the-quiet-trades.epub"
OPTIONS = {"model": "hashing", "min_words": 20, "max_words": 60}
QUESTION = "how do bees tell each other where the flowers are"
STORES: list[Callable[[Path], str]] = [str, "local:{}".format, lambda folder: ":memory:"]


def read_all(library: Library) -> None:
    """Call what a reader calls, on the book that stays."""
    hits = library.search(QUESTION, limit=3, book="Quiet Trades", mode="hybrid").hits
    assert hits
    hit = hits[0]
    assert hit.sentence
    assert hit.sentence in hit.text
    passages = library.read(hit, before=1, after=1)
    assert hit.text in [passage.text for passage in passages]
    assert hit.title in library.cite(hit).reference
    assert library.explain(hit).chunk.index == hit.chunk_id
    first_words = " ".join(hit.text.split()[:8])
    assert hit.book_id in {quotation.book_id for quotation in library.find(first_words)}
    assert "The Quiet Trades" in {record.title for record in library.books()}
    assert library.contents(hit.book_id)


@pytest.mark.parametrize("store", STORES, ids=["folder", "local", "memory"])
def test_eight_threads_read_while_books_are_replaced_and_removed(
    store: Callable[[Path], str], tmp_path: Path
) -> None:
    book = tmp_path / "tide.txt"

    def read_twice(library: Library) -> None:
        for _ in range(2):
            read_all(library)

    with alexandria.open(store(tmp_path / "library")) as library, ThreadPoolExecutor(8) as threads:
        library.ingest(KEPT, options=OPTIONS)
        readers = [threads.submit(read_twice, library) for _ in range(8)]
        for year in (1, 2):
            book.write_text(f"The tide of year {year} is high. " * 20)
            (outcome,) = library.ingest(book, options=OPTIONS, again=True)
            assert outcome.status is Status.INGESTED
            assert outcome.book_id
            library.remove(outcome.book_id)
        for reader in readers:
            reader.result()
        assert not library.verify().findings
        assert [record.title for record in library.books()] == ["The Quiet Trades"]
