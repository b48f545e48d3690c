"""Cut synthetic books of up to 10 million words with `optimal`: time and memory; and its share of an ingest.

    python benchmarks/long_books.py [BOOK]

The sentences are random unit vectors of 384 numbers with random cues, in a single chapter, which is the
worst case. The vectors are in a file that is mapped into memory, so the peak is what cutting adds to them.
With BOOK, the processor seconds of cutting it (cues, division and ledger) are compared with those of
embedding it. One thread for the division: more would wait actively for one another, which counts as work.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WORDS = (1_250_000, 2_500_000, 5_000_000, 10_000_000)
WORDS_PER_SENTENCE = 20
DIM = 384


def main(books: list[str]) -> None:
    """Print a line per size, each measured in a process of its own, and one per book."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    print("| words | chunks | cutting, s | ledger, s | µs per word | peak beyond the vectors, MB |")
    print("|---|---|---|---|---|---|", flush=True)
    for argument in (*map(str, WORDS), *books):
        subprocess.run([sys.executable, __file__, "--one", argument], env=environment, check=True)


def measure_size(n_words: int) -> None:
    """Print time and memory for a synthetic book of this many words."""
    import numpy as np

    from alexandria.chunking import Sizes, segment_sentences
    from alexandria.chunking.balancing import with_balances
    from alexandria.chunking.cues.find import Cue
    from alexandria.chunking.strategies.optimal import Optimal

    n = n_words // WORDS_PER_SENTENCE
    chance = np.random.default_rng(0)
    words = chance.integers(5, 2 * WORDS_PER_SENTENCE - 4, n)
    with tempfile.NamedTemporaryFile(dir=os.environ.get("TMPDIR", "/tmp")) as file:
        rows = np.memmap(file.name, np.float32, "w+", shape=(n, DIM))
        for first in range(0, n, 10_000):
            block = chance.standard_normal((min(10_000, n - first), DIM), np.float32)
            rows[first : first + len(block)] = block / np.linalg.norm(block, axis=1, keepdims=True)
        sizes = Sizes(
            words=words,
            characters=5 * words,
            starts_block=chance.random(n) < 0.25,
            may_begin=np.ones(n, np.bool_),
            break_before=chance.random(n) < 0.002,
            cues={cue: (chance.random(n) < 0.1).astype(np.float32) for cue in Cue},
        )
        before, peak = _own_bytes(), Peak()
        began = time.process_time()
        segmentation = segment_sentences(Optimal(), rows, sizes)
        cut = time.process_time()
        segmentation = with_balances(Optimal(), rows, sizes, segmentation)
        weighed = time.process_time()
        added = peak.end() - before
    total = weighed - began
    print(
        f"| {int(words.sum()):,} | {len(segmentation.boundaries) + 1:,} | {cut - began:.1f} "
        f"| {weighed - cut:.1f} | {total / int(words.sum()) * 1e6:.2f} | {added / 1e6:.0f} |",
        flush=True,
    )


class Peak(threading.Thread):
    """Watches the memory of the process, fifty times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._most = 0
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Look until the end."""
        while not self._ended.wait(0.02):
            self._most = max(self._most, _own_bytes())

    def end(self) -> int:
        """Return the most bytes seen."""
        self._ended.set()
        self.join()
        return self._most


def _own_bytes() -> int:
    """Return the process's memory without that of mapped files (Linux)."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))


def measure_book(path: str) -> None:
    """Print the processor seconds of embedding a book and of cutting it."""
    from alexandria.chunking.domains import load_domain
    from alexandria.embed import load_encoder
    from alexandria.library.ingest import one_book

    domain = load_domain("default")
    encoder = load_encoder(domain.model)
    book = one_book.read(Path(path))
    encoder.encode(["The model is loaded once."])
    began = time.process_time()
    begun = one_book.begin(book, domain, encoder)
    begun.embeddings()
    embedded = time.process_time()
    analysis = one_book.finish(begun, domain)
    cut = time.process_time()
    print(
        f"\n{book.title}, {analysis.n_words:,} words: embedding {embedded - began:.1f} s, "
        f"cutting {cut - embedded:.2f} s, {(cut - embedded) / (embedded - began):.2%}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one = sys.argv[2]
        measure_size(int(one)) if one.isdigit() else measure_book(one)
    else:
        main(sys.argv[1:])
