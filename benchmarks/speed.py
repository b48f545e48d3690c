"""The time of each stage of an ingest, and the speed of the encoder compared with a bare OpenVINO loop.

    python benchmarks/speed.py [--runs 3] [BOOK]

Stages are timed one after the other in this process, with the model loaded. The bare loop gets the same word
pieces, tokenised and padded beforehand, so that it only computes. Runs alternate, and medians are printed.
"""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# As the command line does: threads of OpenBLAS wait busily for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from openvino import AsyncInferQueue  # type: ignore[import-untyped]  # it ships no types

from alexandria.book.choices import Backend, Precision
from alexandria.book.model import count_words
from alexandria.chunking.domains import load_domain
from alexandria.chunking.sentences import split
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.batches import make_batches, pad_batch
from alexandria.embed.graph.measure import actual_precision
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.embed.openvino import compile_graph, load_tokenizer
from alexandria.extract import extract
from alexandria.library.ingest import one_book
from alexandria.library.ingest.one_book import begin_sentences, finish, generation, prepare, read_options
from alexandria.library.location import open_catalog

BOOK = Path(__file__).parents[2] / "shared" / "data" / "epub" / "shelley-frankenstein.epub"
STAGES = ("extract", "split", "encode", "segment", "write")


class Clock:
    """Seconds per stage: wall-clock time, and processor time, which other work hardly affects."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.processor: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        began, processor = time.perf_counter(), time.process_time()
        yield
        self.seconds[stage] = time.perf_counter() - began
        self.processor[stage] = time.process_time() - processor


def ingest(path: Path, encoder: Encoder, store: str) -> tuple[Clock, list[str]]:
    """Ingest a book into a new library stage by stage; return the time of each, and the sentences."""
    domain, clock = load_domain(), Clock()
    with clock("extract"):
        book = extract(path, read_options(domain))
    with clock("split"):
        sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
    with clock("encode"):
        begun = begin_sentences(book, sentences, encoder)
        begun.embeddings()
    with clock("segment"):
        analysis = finish(begun, domain)
    with clock("write"), open_catalog(store, "books", encoder) as library:
        name = generation(book.id, domain, encoder, read_options(domain))
        one_book.store(prepare(analysis, name), library)
    return clock, list(begun.texts)


class BareLoop:
    """The model's graph and tokenizer, without anything around them."""

    def __init__(self) -> None:
        self._graph = open_graph(locate(DEFAULT_MODEL))
        network = compile_graph(self._graph, actual_precision(self._graph, Precision.AUTO))
        self._queue = AsyncInferQueue(network, 2 * network.get_property("NUM_STREAMS"))
        self._tokenizer = load_tokenizer(self._graph)
        self._tokenizer.enable_truncation(self._graph.window)

    def time(self, texts: list[str]) -> tuple[Clock, int]:
        """Return the time of the model alone, and the number of word pieces."""
        pieces = [np.array(encoding.ids, np.int64) for encoding in self._tokenizer.encode_batch_fast(texts)]
        ready = [
            pad_batch(batch, pieces, self._graph.pad)
            for batch in make_batches([len(text) for text in pieces], self._graph.window)
        ]
        clock = Clock()
        with clock("bare"):
            for ids, mask in ready:
                self._queue.start_async([ids, mask])
            self._queue.wait_all()
        return clock, sum(map(len, pieces))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("book", type=Path, nargs="?", default=BOOK)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    encoder, bare = load_encoder(backend=Backend.OPENVINO), BareLoop()
    clocks: list[Clock] = []
    n_pieces = n_words = 0
    for run in range(arguments.runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            clock, texts = ingest(arguments.book, encoder, folder)
        with clock("encoder"):  # again, as the bare loop is timed: in warm memory
            encoder.encode(texts)
        alone, n_pieces = bare.time(texts)
        clock.seconds |= alone.seconds
        clock.processor |= alone.processor
        n_words = sum(map(count_words, texts))
        if run:  # the first run is slow: the model compiles for each width of a batch
            clocks.append(clock)
    timed = (*STAGES, "encoder", "bare")
    wall = {stage: statistics.median(clock.seconds[stage] for clock in clocks) for stage in timed}
    cpu = {stage: statistics.median(clock.processor[stage] for clock in clocks) for stage in timed}
    total = sum(wall[stage] for stage in STAGES)
    total_cpu = sum(cpu[stage] for stage in STAGES)
    print(f"{arguments.book.stem}: {n_words:,} words, {n_pieces:,} word pieces, {arguments.runs} runs\n")
    print("| stage | seconds | share | processor seconds | share |\n|---|---:|---:|---:|---:|")
    for stage in STAGES:
        shares = wall[stage] / total, cpu[stage] / total_cpu
        print(f"| {stage} | {wall[stage]:.3f} | {shares[0]:.1%} | {cpu[stage]:.3f} | {shares[1]:.1%} |")
    print(f"| all | {total:.3f} | | {total_cpu:.3f} | |\n")
    speeds = ", ".join(f"{stage} {n_pieces / wall[stage]:,.0f}" for stage in ("encode", "encoder", "bare"))
    print(f"word pieces/s: {speeds}")
    shares = wall["bare"] / wall["encoder"], cpu["bare"] / cpu["encoder"]
    print(f"bare loop, share of the encoder's time: {shares[0]:.1%}, of its processor time {shares[1]:.1%}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in KiB
    print(f"peak memory: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
