"""Where the time of an ingest goes, and how near the model comes to a bare OpenVINO loop.

    python benchmarks/speed.py [--runs 3] [BOOK]

Stages are timed one after the other, in this process, with the model loaded; the bare loop gets the same word
pieces, tokenised and padded beforehand, so that it does nothing but compute. Runs alternate; medians count.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from alexandria.api import open_library
from alexandria.book import count_words
from alexandria.chunking import assemble
from alexandria.chunking import segment as cut
from alexandria.config import load_domain
from alexandria.embed import Backend, Encoder, Precision, load_encoder
from alexandria.embed.graph import open_graph
from alexandria.embed.locate import DEFAULT_MODEL, locate
from alexandria.embed.openvino import batches, compile_graph, load_tokenizer, padded
from alexandria.pipeline import Analysis, generation, index, read, read_options
from alexandria.sentences import split

BOOK = Path(__file__).parents[2] / "shared" / "data" / "epub" / "shelley-frankenstein.epub"
STAGES = ("extract", "split", "encode", "segment", "write")


class Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - began


def ingest(path: Path, encoder: Encoder, store: str) -> tuple[dict[str, float], list[str]]:
    """Put a book into a new library, stage by stage; return the seconds of each and its sentences."""
    domain, clock = load_domain(), Clock()
    with clock("extract"):
        book = read(path, domain)
    with clock("split"):
        sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
        texts = [book.text[one.start : one.end] for one in sentences]
    with clock("encode"):
        rows = encoder.encode(texts)
    with clock("segment"):
        cuts = cut(domain.strategy, rows, sentences, book, respect_sections=domain.respect_sections)
        analysis = Analysis(book, domain, sentences, rows, cuts, assemble(book, sentences, cuts))
    with clock("write"), open_library(store, "books", encoder) as library:
        index(analysis, generation(book.id, domain, encoder, read_options(domain)), encoder, library)
    return clock.seconds, texts


class BareLoop:
    """The graph and the pieces of some texts, ready to be computed."""

    def __init__(self) -> None:
        self._graph = open_graph(locate(DEFAULT_MODEL))
        self._queue = compile_graph(self._graph, Precision.AUTO)
        self._tokenizer = load_tokenizer(self._graph)
        self._tokenizer.enable_truncation(self._graph.window)

    def seconds(self, texts: list[str]) -> tuple[float, int]:
        """Return how long the model alone takes, and the number of word pieces."""
        pieces = [np.array(one.ids, np.int64) for one in self._tokenizer.encode_batch_fast(texts)]
        ready = [
            padded([pieces[i] for i in members], width, self._graph.pad)
            for width, members in batches([len(one) for one in pieces], self._graph.window)
        ]
        began = time.perf_counter()
        for ids, mask in ready:
            self._queue.start_async([ids, mask])
        self._queue.wait_all()
        return time.perf_counter() - began, sum(map(len, pieces))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("book", type=Path, nargs="?", default=BOOK)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    encoder, bare = load_encoder(backend=Backend.OPENVINO), BareLoop()
    timed: list[dict[str, float]] = []
    loop: list[float] = []
    n_pieces = n_words = 0
    for run in range(arguments.runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            seconds, texts = ingest(arguments.book, encoder, folder)
        bare_seconds, n_pieces = bare.seconds(texts)
        n_words = sum(map(count_words, texts))
        if run:  # the first is slow: each width of a batch is new to the model
            timed.append(seconds)
            loop.append(bare_seconds)
    middle = {stage: statistics.median(one[stage] for one in timed) for stage in STAGES}
    total = sum(middle.values())
    print(f"{arguments.book.stem}: {n_words:,} words, {n_pieces:,} word pieces, {arguments.runs} runs\n")
    print("| stage | seconds | share |\n|---|---:|---:|")
    for stage, one in middle.items():
        print(f"| {stage} | {one:.3f} | {one / total:.1%} |")
    print(f"| all | {total:.3f} | {n_words / total:,.0f} words/s |\n")
    ours, alone = n_pieces / middle["encode"], n_pieces / statistics.median(loop)
    print(f"word pieces/s: {ours:,.0f}, of a bare loop {alone:,.0f}: {ours / alone:.1%}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in KiB
    print(f"peak memory: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
