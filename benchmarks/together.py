"""Several processes that search one library of 100,000 chunks at the same time.

    python -m benchmarks.together [--store FOLDER] [--readers 4] [--searches 60] [--turns 3]

Each reader searches without a pause, as `Library.search` does: it embeds a question with the default model,
searches by meaning and by words, and finds the best sentence of each hit. It is timed once the vectors of the
library have been read from the disk. As the texts and the vectors of the
library are synthetic (benchmarks/store.py), so are those of the questions. One reader and
several take turns; the times are compared within a turn, so that the speed of the machine matters little.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings
from alexandria.embed import DEFAULT_MODEL, Encoder, load_encoder
from alexandria.embed.encoder import PlainEncoder
from alexandria.library.location import open_bound
from alexandria.library.search import hits as query
from alexandria.library.search.request import SearchRequest
from alexandria.store.sharing import Access
from benchmarks.store import BINDING, CHUNKS_PER_BOOK, make_questions, write

QUESTIONS = 40
WARM = 5
"""Searches before those that are timed."""
PROCESSES = get_context("spawn")

Question = tuple[str, Embeddings]
"""Its text and its vector."""


class PreparedQuestions(PlainEncoder):
    """An encoder that does the work of the model, but returns the vectors of prepared questions in turn."""

    name, dim = "benchmark", BINDING.dim

    def __init__(self, model: Encoder, vectors: Sequence[Embeddings]) -> None:
        self._model, self._vectors = model, cycle(vectors)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Encode, and return the next question's vector, (1, dim)."""
        self._model.encode(texts)
        return next(self._vectors)[None]

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the model's coverage."""
        return self._model.coverage(texts)


def read(address: str, questions: Sequence[Question], n_searches: int, ready: Barrier, answers: Any) -> None:
    """Search again and again; put the seconds of each search, and the hits of the last, into `answers`."""
    encoder = PreparedQuestions(load_encoder(DEFAULT_MODEL), [dense for _, dense in questions])
    times, hits = [], 0
    with open_bound(address, "books", None) as catalog:
        for number, (text, _) in enumerate(islice(cycle(questions), WARM + n_searches)):
            if number == WARM:
                ready.wait()
            began = time.perf_counter()
            hits = len(query.search(SearchRequest(query=text), catalog, encoder))
            times.append(time.perf_counter() - began)
        ready.wait()  # whoever has the library open serves the other readers until they end
    answers.put((times[WARM:], hits))


def hold_open(address: str, opened: Event, done: Event) -> None:
    """Hold the library open for writing, like a process that has nothing to write at the moment."""
    with open_bound(address, "books", BINDING, access=Access(write=True)):
        opened.set()
        done.wait()


def measure_readers(
    address: str, questions: list[Question], n_readers: int, n_searches: int
) -> NDArray[np.float64]:
    """Return the seconds of every search of some readers that begin together, each with its own question."""
    ready, answers = PROCESSES.Barrier(n_readers), PROCESSES.Queue()
    # Each reader begins with another question.
    orders = [questions[first:] + questions[:first] for first in range(0, 10 * n_readers, 10)]
    readers = [
        PROCESSES.Process(target=read, args=(address, order, n_searches, ready, answers)) for order in orders
    ]
    for reader in readers:
        reader.start()
    times: list[float] = []
    for _ in readers:
        seconds, hits = answers.get(timeout=600)  # a reader that has failed never answers
        assert hits == 5, "a search has found nothing"
        times += seconds
    for reader in readers:
        reader.join()
    return np.array(times)


def compare(
    address: str,
    questions: list[Question],
    n_readers: int,
    n_searches: int,
    n_turns: int,
    *,
    writer: bool,
) -> None:
    """Report the times of one reader and of several, and their ratios."""
    opened, done = PROCESSES.Event(), PROCESSES.Event()
    keeper = PROCESSES.Process(target=hold_open, args=(address, opened, done))
    if writer:
        keeper.start()
        opened.wait()
    ratios = []
    for _ in range(n_turns):
        alone, together = (measure_readers(address, questions, n, n_searches) for n in (1, n_readers))
        one, several = (np.percentile(times, [50, 95]) * 1000 for times in (alone, together))
        ratios.append(several / one)
        print(
            f"{'beside a writer' if writer else 'without a writer':<18}"
            f"one {one[0]:6.1f} ms p50 {one[1]:6.1f} p95    {n_readers} at once {several[0]:6.1f} p50 "
            f"{several[1]:6.1f} p95    × {ratios[-1][0]:.2f} × {ratios[-1][1]:.2f}",
            flush=True,
        )
    p50, p95 = np.median(ratios, axis=0)
    print(f"{'':<18}median of the ratios: p50 × {p50:.2f}, p95 × {p95:.2f}", flush=True)
    if writer:
        done.set()
        keeper.join()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", help="a folder that is kept; a library that exists there is measured")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--searches", type=int, default=60)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    address = arguments.store or tempfile.mkdtemp()
    try:
        if not (Path(address) / "books").exists():
            write(address, arguments.points // CHUNKS_PER_BOOK)
        questions = list(islice(make_questions(40), QUESTIONS))
        for writer in (False, True):
            compare(address, questions, arguments.readers, arguments.searches, arguments.turns, writer=writer)
    finally:
        if not arguments.store:
            shutil.rmtree(address)


if __name__ == "__main__":
    main()
