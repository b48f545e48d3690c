"""How close each strategy's cuts are to known topic boundaries: Pk, WindowDiff and F1, as Markdown tables.

    python benchmarks/boundaries.py [DATA]

DATA is the folder with `eval/wiki50` and `eval/bookseg`. There are three sets: documents assembled from
passages of the bookseg books, as in Choi (2000); wiki50 (Wikipedia articles with their sections); and the
bookseg books themselves, to see where in a paragraph a strategy cuts. On the first two, each strategy is
measured as shipped and with the best options of a small grid, chosen on other documents.
"""

import argparse
import json
import random
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from alexandria.book.model import Embeddings, count_words
from alexandria.chunking import STRATEGIES, Sizes, Strategy, segment_sentences
from alexandria.chunking.sentences import SPLITTERS
from alexandria.embed import Encoder, load_encoder
from alexandria.lab.agreement import compare

DATA = Path(__file__).parents[2] / "shared" / "data"
N_DOCUMENTS, N_PASSAGES = 100, 10  # Choi's documents have ten passages
MIN_LENGTH, MAX_LENGTH = 3, 11  # sentences per passage, as in his set 3–11
N_TUNING = 30  # documents for choosing options; the measured documents have another seed

# The options that determine the number of cuts. Size limits are relaxed where they would hide the rule.
GRIDS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "universal-semantic": {"threshold": (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55), "min_words": (0, 60, 120)},
    "percentile": {"percentile": (0.05, 0.1, 0.15, 0.2, 0.3, 0.5), "min_sentences": (1, 3, 5)},
    "tiered": {"percentile": (0.8, 0.85, 0.9, 0.95), "short_tokens": (0,), "window_tokens": (200, 500, 4000)},
    "smoothed": {
        "std_devs": (0.0, 0.5, 1.0, 1.5),
        "window": (3, 5),
        "min_tokens": (0, 50, 100),
        "max_tokens": (400, 4000),
    },
    "centroid": {"threshold": (0.05, 0.1, 0.15, 0.2, 0.3, 0.5), "max_chars": (1000, 4000)},
    "optimal": {
        "chunk_cost": (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0),
        "min_words": (0, 50, 100),
        "window_cost": (0.0, 9.0),
    },
    "recursive": {"max_words": (100, 150, 200), "overlap_words": (0,)},
    "fixed": {"max_words": (100, 150, 200), "overlap_words": (0,)},
}


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences, with the indices at which topics and paragraphs begin."""

    sentences: tuple[str, ...]
    topics: frozenset[int]
    paragraphs: frozenset[int]
    sentence_vectors: Embeddings

    @property
    def sizes(self) -> Sizes:
        starts = np.isin(np.arange(len(self.sentences)), list(self.paragraphs))
        return replace(sizes_of(self.sentences), starts_block=starts)


def sizes_of(sentences: Sequence[str]) -> Sizes:
    """Return the sizes of sentences from plain text: one block, no headings, no sections."""
    n = len(sentences)
    return Sizes(
        words=np.array([count_words(sentence) for sentence in sentences], np.int64),
        characters=np.array([len(sentence) for sentence in sentences], np.int64),
        starts_block=np.arange(n) == 0,
        may_begin=np.ones(n, np.bool_),
        break_before=np.zeros(n, np.bool_),
    )


Score = tuple[float, float, float]
"""Pk, WindowDiff and the F1 of exact cuts, as means over documents; lower is better for the first two."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    folder = parser.parse_args().data / "eval"
    encoder = load_encoder()
    wiki = [wiki_document(path, encoder) for path in sorted((folder / "wiki50").glob("*.ref"))]
    books = [book_document(path, encoder) for path in sorted((folder / "bookseg").glob("*.json"))]
    print(f"### Documents assembled from passages ({N_DOCUMENTS} documents)\n")
    print_scores(choi_documents(books, N_DOCUMENTS, seed=2000), choi_documents(books, N_TUNING, seed=1))
    measured, tuning = wiki[::2], wiki[1::2]
    print(f"\n### Wikipedia articles ({len(measured)}, tuned on {len(tuning)} others)\n")
    print_scores(measured, tuning)
    print("\n### Books\n")
    print_paragraph_cuts(books)


# --- documents -----------------------------------------------------------------------------------


def wiki_document(path: Path, encoder: Encoder) -> Document:
    """Read an article: one sentence per line, sections separated by lines of `========,level,title`."""
    sentences: list[str] = []
    topics: set[int] = set()
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("========"):
            topics.add(len(sentences))
        elif line.strip():
            sentences.append(line)
    topics -= {0, len(sentences)}
    # Paragraphs are not marked: every sentence may begin one.
    everywhere = frozenset(range(len(sentences)))
    return Document(tuple(sentences), frozenset(topics), everywhere, encoder.encode(sentences))


def book_document(path: Path, encoder: Encoder) -> Document:
    """Read a book as one run of sentences, with its sections as topics."""
    sentences: list[str] = []
    topics: set[int] = set()
    paragraphs: set[int] = set()
    for section in json.loads(path.read_text("utf-8"))["sections"]:
        topics.add(len(sentences))
        for paragraph in section["paragraphs"]:
            paragraphs.add(len(sentences))
            sentences += (paragraph[start:end] for start, end in SPLITTERS["default"](paragraph))
    topics -= {0, len(sentences)}
    return Document(tuple(sentences), frozenset(topics), frozenset(paragraphs), encoder.encode(sentences))


def choi_documents(books: Sequence[Document], n: int, *, seed: int) -> list[Document]:
    """Return documents of passages, each passage from a different book than the one before."""
    generator = random.Random(seed)
    return [_choi_document(books, generator) for _ in range(n)]


def _choi_document(books: Sequence[Document], generator: random.Random) -> Document:
    sentences: list[str] = []
    topics: list[int] = []
    sentence_vectors: list[Embeddings] = []
    book = generator.choice(books)
    for _ in range(N_PASSAGES):
        book = generator.choice([other for other in books if other is not book])
        length = generator.randint(MIN_LENGTH, MAX_LENGTH)
        start = generator.choice(list(_starts_inside_a_section(book, length)))
        topics.append(len(sentences))
        sentences += book.sentences[start : start + length]
        sentence_vectors.append(book.sentence_vectors[start : start + length])
    # The first sentence of a passage must not be recognisable by beginning a paragraph.
    everywhere = frozenset(range(len(sentences)))
    return Document(tuple(sentences), frozenset(topics[1:]), everywhere, np.concatenate(sentence_vectors))


def _starts_inside_a_section(book: Document, length: int) -> Iterator[int]:
    edges = sorted({0, *book.topics, len(book.sentences)})
    for first, stop in pairwise(edges):
        yield from range(first, stop - length + 1)


# --- tables --------------------------------------------------------------------------------------


def score(documents: Iterable[Document], strategy: Strategy) -> Score:
    agreements = []
    for document in documents:
        cuts = {
            b.gap + 1
            for b in segment_sentences(strategy, document.sentence_vectors, document.sizes).boundaries
        }
        agreements.append(compare(document.topics, cuts, len(document.sentences), tolerance=0))
    return (
        statistics.fmean(a.pk for a in agreements),
        statistics.fmean(a.window_diff for a in agreements),
        statistics.fmean(a.f1 for a in agreements),
    )


def print_scores(documents: Sequence[Document], tuning: Sequence[Document]) -> None:
    print("| strategy | Pk | WindowDiff | F1 | Pk, tuned | WindowDiff | F1 | tuned options |")
    print("|---|---|---|---|---|---|---|---|")
    whole = statistics.fmean(compare(d.topics, (), len(d.sentences)).pk for d in documents)
    for name, strategy in STRATEGIES.items():
        shipped = score(documents, strategy())
        options = best_options(name, tuning)
        chosen = score(documents, strategy(**options))
        cells = [f"{x:.3f}" for x in (*shipped, *chosen)]
        print(f"| {name} | {' | '.join(cells)} | {', '.join(f'{k} {v}' for k, v in options.items())} |")
    print(f"| no cuts | {whole:.3f} | | | | | | |", flush=True)


def best_options(name: str, tuning: Sequence[Document]) -> dict[str, Any]:
    """Return the options of the grid with the lowest Pk."""
    grid = GRIDS[name]
    choices = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return min(choices, key=lambda options: score(tuning, STRATEGIES[name](**options))[0])


def print_paragraph_cuts(books: Sequence[Document]) -> None:
    print("| strategy | chunks | words per chunk, p5 / p50 / p95 | cuts at paragraph ends |")
    print("|---|---|---|---|")
    for name, strategy in STRATEGIES.items():
        words: list[int] = []
        at_paragraph: list[bool] = []
        for book in books:
            cuts = [
                b.gap + 1 for b in segment_sentences(strategy(), book.sentence_vectors, book.sizes).boundaries
            ]
            at_paragraph += [cut in book.paragraphs for cut in cuts]
            words += np.add.reduceat(book.sizes.words, [0, *cuts]).tolist()
        p5, p50, p95 = np.percentile(words, (5, 50, 95))
        share = statistics.fmean(at_paragraph)
        print(f"| {name} | {len(words):,} | {p5:.0f} / {p50:.0f} / {p95:.0f} | {share:.0%} |")


if __name__ == "__main__":
    main()
