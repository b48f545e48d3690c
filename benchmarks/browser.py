"""The pages of `alexandria serve` in Chromium, on 100,000 chunks: the time until they are painted.

    python -m benchmarks.browser FOLDER [--points 100000] [--turns 15]

The library is that of `benchmarks.store`, made for the default model and with words that queries find; it is
kept in FOLDER. Search: from the last key to the frame in which the results are shown. Reading view: from the
click on a hit to the first frame of the page.
"""

import argparse
import statistics
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Thread

import numpy as np

from alexandria.book.model import Point, Sparse
from alexandria.doors.web.server import LibraryServer
from alexandria.embed import load_encoder
from alexandria.library.library import Library
from alexandria.store import Binding, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.record import Record
from alexandria.store.sparse import document_terms
from benchmarks import store as made
from tests.chromium import chromium_browser

MODEL = "all-MiniLM-L6-v2"
# A frame after the one in which the results were put into the page: by then it has been painted.
TYPED = """(text) => new Promise((done) => {
    const field = document.getElementById("q"), main = document.getElementById("main");
    field.value = text;
    const began = performance.now();
    const seen = new MutationObserver(() => {
        if (!main.querySelector(".status")?.textContent.includes(text)) return;
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));
    });
    seen.observe(main, { childList: true });
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""
PAINTED = """() => new Promise((done) => {
    const first = () => performance.getEntriesByName("first-contentful-paint")[0];
    const look = () => first() ? done(first().startTime) : requestAnimationFrame(look);
    look();
})"""


@cache
def index_of(rank: int) -> int:
    """Return the number under which the word of a rank is indexed."""
    return document_terms(f"word{rank}", "en").indices[0]


def readable(number: int, encoder: str) -> tuple[Record, list[Point]]:
    """Return a book of the benchmark of stores, with words that queries find."""
    record, points = made.make_book(number)
    found = [replace(point, bm25=_bm25(str(point.payload["text"]))) for point in points]
    return replace(record, settings={**record.settings, "model": encoder}), found


def _bm25(text: str) -> Sparse:
    ranks, counts = np.unique([int(word[4:]) for word in text.split()], return_counts=True)
    weights = sorted(zip(map(index_of, ranks.tolist()), (counts / (counts + 1.2)).tolist(), strict=True))
    return Sparse(tuple(index for index, _ in weights), tuple(weight for _, weight in weights))


def write(folder: Path, n_points: int) -> None:
    """Make the library, unless it is there."""
    if folder.exists():
        return
    encoder = load_encoder(MODEL)
    binding = Binding(encoder.name, encoder.dim, SCHEMA_VERSION)
    with Catalog(open_store(str(folder), "books", binding)) as catalog:
        for number in range(n_points // made.CHUNKS_PER_BOOK):
            catalog.replace(*readable(number, MODEL))
        catalog.store.optimize()


def queries(n: int) -> Iterator[str]:
    """Yield queries of four words, none twice."""
    ranks = np.random.default_rng(3).integers(20, 5000, size=(n, 4))
    yield from (" ".join(f"word{rank}" for rank in row) for row in ranks)


def main() -> None:
    """Measure, and print milliseconds: median, 95th percentile, most."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=15)
    options = parser.parse_args()
    write(options.folder, options.points)
    searches, readings = [], []
    with Library(options.folder) as library, LibraryServer(library) as server:
        library.prepare()
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        with chromium_browser() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(server.address)
            page.evaluate(TYPED, "warm up")
            for query in queries(options.turns):
                searches.append(page.evaluate(TYPED, query))
                page.locator("a.hit").nth(2).click()
                page.locator("#hit").wait_for()
                readings.append(page.evaluate(PAINTED))
                page.goto(server.address)
        server.stop()
    for name, times in (("search", searches), ("reading view", readings)):
        middle, late = statistics.median(times), np.percentile(times, 95)
        print(f"{name}: median {middle:.0f} ms, p95 {late:.0f}, most {max(times):.0f}")


if __name__ == "__main__":
    main()
