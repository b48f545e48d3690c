"""How well each mode finds known answers, in libraries cut by several strategies.

    python -m benchmarks.retrieval ../shared/data/eval/chroma/corpora/*.md \\
        --questions ../shared/data/eval/chroma/questions_dev.csv

Prints Markdown tables with a row per strategy and a column per mode. `alexandria evaluate retrieval` computes
the same metrics without a store; this benchmark ingests and searches.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Book
from alexandria.chunking.domains import load_domain
from alexandria.embed import Encoder, load_encoder
from alexandria.extract import ReadOptions
from alexandria.lab.bootstrap import difference
from alexandria.lab.corpus import read_as_is
from alexandria.lab.questions import AnsweredQuestion, place_questions, read_questions
from alexandria.lab.ranking import RetrievedChunk, judge
from alexandria.library.ingest.one_book import analyse, generation, prepare, store
from alexandria.store import Binding, QueryVectors, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.sparse import query_terms

STRATEGIES: dict[str, dict[str, object]] = {
    "fixed 500/50": {"strategy": "fixed", "max_words": 500, "overlap_words": 50},
    "recursive": {"strategy": "recursive"},
    "universal-semantic": {"strategy": "universal-semantic", "threshold": 0.55},
    "optimal": {"strategy": "optimal"},
    "optimal, ≤ 170 words": {"strategy": "optimal", "min_words": 0, "max_words": 170},
}
METRICS = {
    "recall_in_budget": "recall of the references within the best 1,000 words",
    "recall": "recall@5",
    "precision": "precision@5",
    "iou": "IoU@5",
}
K, BUDGET = 5, 1000
MAX_HITS = 100
"""Hits per question: chunks of a few words need so many to fill the budget."""

Scores = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The books that are searched, and the questions."""

    books: Sequence[Book]
    probes: Sequence[AnsweredQuestion]
    queries: Sequence[QueryVectors]


def read_corpus(paths: Sequence[Path], questions: Path, encoder: Encoder) -> Corpus:
    """Read books and questions, and encode the questions."""
    books = [read_as_is(path) for path in paths]
    probes, unplaced = place_questions(read_questions(questions), books)
    if unplaced:
        raise SystemExit(f"{len(unplaced)} questions have no answer in these books: {unplaced[0]}")
    rows = encoder.encode([probe.question for probe in probes])
    languages = frozenset(book.language for book in books)
    terms = [query_terms(probe.question, languages) for probe in probes]
    return Corpus(books, probes, [QueryVectors(row, words) for row, words in zip(rows, terms, strict=True)])


@contextmanager
def library_of(corpus: Corpus, options: dict[str, object], encoder: Encoder) -> Iterator[Catalog]:
    """Yield a library of the books, ingested with these options."""
    domain = load_domain(options=options, environ={})
    with tempfile.TemporaryDirectory() as folder:
        empty = open_store(folder, "books", Binding(encoder.name, encoder.dim, SCHEMA_VERSION))
        with Catalog(empty) as catalog:
            for book in corpus.books:
                name = generation(book.id, domain, encoder, ReadOptions())
                store(prepare(analyse(book, domain, encoder), name), catalog)
            yield catalog


def measure(corpus: Corpus, catalog: Catalog, mode: Mode) -> Scores:
    """Return every metric, (n_questions,) each."""
    numbers = {book.id: i for i, book in enumerate(corpus.books)}
    judged = []
    for probe, query in zip(corpus.probes, corpus.queries, strict=True):
        hits = catalog.search(query, mode, catalog.everything(), MAX_HITS)
        ranked = [_passage(hit, numbers) for hit in hits]
        judged.append(judge(probe.book, probe.references, ranked, (), k=K, budget=BUDGET))
    return {name: np.array([getattr(judgement, name) for judgement in judged]) for name in METRICS}


def _passage(hit: Hit, numbers: dict[str, int]) -> RetrievedChunk:
    payload = hit.payload
    return RetrievedChunk(numbers[payload["book_id"]], payload["start"], payload["end"], payload["text"])


def print_tables(results: dict[str, dict[Mode, Scores]], n_questions: int) -> None:
    """Print a table per metric, and how hybrid compares with the best of its parts."""
    for metric, title in METRICS.items():
        print(f"\n{title} ({n_questions} questions)\n")
        print("| strategy | " + " | ".join(Mode) + " |")
        print("|---|" + "---|" * len(Mode))
        for name, modes in results.items():
            means = [modes[mode][metric].mean() for mode in Mode]
            print(f"| {name} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
        overall = [np.mean([modes[mode][metric].mean() for modes in results.values()]) for mode in Mode]
        print("| mean | " + " | ".join(f"{mean:.3f}" for mean in overall) + " |")
    print("\nhybrid − the best of its parts, recall within 1,000 words, 95 % interval (paired bootstrap)\n")
    print("| strategy | best part | difference | interval |\n|---|---|---|---|")
    recalls = {
        name: {mode: modes[mode]["recall_in_budget"] for mode in Mode} for name, modes in results.items()
    }
    mean_recall = {mode: np.mean([recall[mode] for recall in recalls.values()], axis=0) for mode in Mode}
    parts = [mode for mode in Mode if mode is not Mode.HYBRID]
    for name, recall in {**recalls, "mean of all, per question": mean_recall}.items():
        best = parts[int(np.argmax([recall[mode].mean() for mode in parts]))]
        gain = difference(recall[Mode.HYBRID], recall[best])
        print(f"| {name} | {best} | {gain.value:+.4f} | {gain.low:+.4f} to {gain.high:+.4f} |")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("books", nargs="+", type=Path)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    encoder = load_encoder(arguments.model, cache=True)
    corpus = read_corpus(arguments.books, arguments.questions, encoder)
    results: dict[str, dict[Mode, Scores]] = {}
    for name, options in STRATEGIES.items():
        with library_of(corpus, {"model": arguments.model, **options}, encoder) as catalog:
            results[name] = {mode: measure(corpus, catalog, mode) for mode in Mode}
    print_tables(results, len(corpus.probes))


if __name__ == "__main__":
    main()
