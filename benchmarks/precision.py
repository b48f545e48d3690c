"""What other numbers than f32 save and cost: speed, vectors, cuts, Pk, hidden divisions, search.

    python -m benchmarks.precision [DATA] [--runs 3]

DATA is the folder with `eval/bookseg`, `eval/chroma` and `epub`. Every number format that this processor
supports is compared with f32 in one process, as Markdown tables. Differences are paired, with 95 % intervals
of a bootstrap over documents, hidden divisions or questions. A measure is worse if its whole interval is.
"""

import argparse
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Backend, Mode, Precision
from alexandria.book.model import Embeddings
from alexandria.chunking import STRATEGIES, segment_sentences
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.embed.graph.measure import measured_trials
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.extract import extract
from alexandria.lab.agreement import compare
from alexandria.lab.bootstrap import difference
from alexandria.lab.leave_out_marks import KINDS, are_found, hide
from alexandria.lab.reports import MemoizedEncoder
from alexandria.lab.settings import Cutter
from benchmarks.boundaries import DATA, Document, book_document, choi_documents
from benchmarks.retrieval import METRICS, library_of, measure, read_corpus
from benchmarks.retrieval import STRATEGIES as SEARCHED

N_DOCUMENTS = 300
CUT_BY = ("optimal", "universal-semantic", "percentile")
SETTINGS = ("universal-semantic", "optimal", "optimal, ≤ 170 words")
MODES = (Mode.DENSE, Mode.SENTENCES, Mode.HYBRID)
HIDDEN_IN = (
    "russell-the-problems-of-philosophy",
    "shelley-frankenstein",
    "james-the-varieties-of-religious-experience",
    "darwin-the-voyage-of-the-beagle",
    "machiavelli-the-prince",
    "melville-moby-dick",
)

Values = NDArray[np.float64]
Scores = dict[str, Values]
"""Scores of one precision by measure: per document, hidden division or question, in the same order."""
LOWER_IS_BETTER = "Pk"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    folder: Path = arguments.data
    precisions = [trial.precision for trial in measured_trials(open_graph(locate(DEFAULT_MODEL)))]
    encoders = {
        precision: MemoizedEncoder(load_encoder(backend=Backend.OPENVINO, precision=precision))
        for precision in precisions
    }
    files = sorted((folder / "eval" / "bookseg").glob("*.json"))
    books = {p: [book_document(file, encoder) for file in files] for p, encoder in encoders.items()}
    print_speed(precisions, books[Precision.F32][0].sentences, arguments.runs)
    print_vectors(books, [file.stem.partition("-")[0] for file in files])
    print_cuts(books)
    scores = {
        precision: {
            **pk_scores(choi_documents(books[precision], N_DOCUMENTS, seed=2000)),
            **hidden_scores(folder / "epub", encoder),
            **search_scores(folder / "eval" / "chroma", encoder),
        }
        for precision, encoder in encoders.items()
    }
    print_differences(scores)


# --- speed, vectors, cuts ------------------------------------------------------------------------


def print_speed(precisions: Sequence[Precision], texts: Sequence[str], runs: int) -> None:
    """Print the processor time of each precision; they take turns, after a first run that compiles."""
    seconds: dict[Precision, list[float]] = {precision: [] for precision in precisions}
    encoders = {p: load_encoder(backend=Backend.OPENVINO, precision=p) for p in precisions}
    for run in range(runs + 1):
        for precision, encoder in encoders.items():
            began = time.process_time()
            encoder.encode(texts)
            if run:
                seconds[precision].append(time.process_time() - began)
    print(f"\n{len(texts):,} sentences, processor seconds, medians of {runs} runs\n")
    print("| precision | seconds | × f32 |\n|---|---:|---:|")
    medians = {precision: statistics.median(times) for precision, times in seconds.items()}
    for precision, median in medians.items():
        print(f"| {precision} | {median:.1f} | {medians[Precision.F32] / median:.2f} |", flush=True)


def print_vectors(books: Mapping[Precision, Sequence[Document]], names: Sequence[str]) -> None:
    print("\n| precision | book | similarity off, mean | max | cosine to f32, mean | min |")
    print("|---|---|---:|---:|---:|---:|")
    for precision, documents in books.items():
        for name, exact, ours in zip(names, books[Precision.F32], documents, strict=True):
            if precision is Precision.F32:
                continue
            off = np.abs(neighbours(ours.sentence_vectors) - neighbours(exact.sentence_vectors))
            cosines = np.sum(ours.sentence_vectors * exact.sentence_vectors, axis=1)
            figures = (off.mean(), off.max(), cosines.mean(), cosines.min())
            print(f"| {precision} | {name} | " + " | ".join(f"{figure:.5f}" for figure in figures) + " |")


def neighbours(rows: Embeddings) -> NDArray[np.float32]:
    """Return the similarity across each gap, (n_sentences − 1,)."""
    similarities: NDArray[np.float32] = np.sum(rows[:-1] * rows[1:], axis=1)
    return similarities


def print_cuts(books: Mapping[Precision, Sequence[Document]]) -> None:
    """Print the share of cuts in common with f32, with each book as one piece without chapters."""
    others = [precision for precision in books if precision is not Precision.F32]
    print("\n| strategy | cuts | " + " | ".join(others) + " |\n|---|---:|" + "---:|" * len(others))
    for name in STRATEGIES:
        cuts = {precision: cuts_of(name, documents) for precision, documents in books.items()}
        exact = cuts[Precision.F32]
        shares = [len(cuts[other] & exact) / len(cuts[other] | exact) for other in others]
        print(f"| {name} | {len(exact):,} | " + " | ".join(f"{share:.2%}" for share in shares) + " |")


def cuts_of(strategy: str, documents: Sequence[Document]) -> set[tuple[int, int]]:
    """Return the cuts of all documents, as pairs of document and gap."""
    return {
        (i, boundary.gap)
        for i, document in enumerate(documents)
        for boundary in segment_sentences(
            STRATEGIES[strategy](), document.sentence_vectors, document.sizes
        ).boundaries
    }


# --- quality -------------------------------------------------------------------------------------


def pk_scores(documents: Sequence[Document]) -> Scores:
    return {
        f"Pk, `{name}`": np.array(
            [
                compare(
                    document.topics,
                    {gap + 1 for _, gap in cuts_of(name, [document])},
                    len(document.sentences),
                    tolerance=0,
                ).pk
                for document in documents
            ]
        )
        for name in CUT_BY
    }


def hidden_scores(folder: Path, encoder: MemoizedEncoder) -> Scores:
    """Return for every hidden division whether the default strategy finds it, by kind."""
    domain, cut = load_domain(environ={}), Cutter()
    hits: dict[str, list[Values]] = {kind: [] for kind in KINDS}
    for name in HIDDEN_IN:
        hidden = hide(extract(folder / f"{name}.epub"))
        analysis = cut(hidden.book, domain, encoder)
        cuts = [boundary.gap + 1 for boundary in analysis.segmentation.boundaries]
        for kind, places in hidden.starts.items():
            hits[kind].append(are_found(analysis, places, cuts).astype(np.float64))
    return {f"hidden {kind} found": np.concatenate(values) for kind, values in hits.items()}


def search_scores(folder: Path, encoder: MemoizedEncoder) -> Scores:
    """Return each metric of search, per question the mean of all settings and modes."""
    paths = sorted((folder / "corpora").glob("*.md"))
    corpus = read_corpus(paths, folder / "questions_dev.csv", encoder)
    results = []
    for setting in SETTINGS:
        with library_of(corpus, SEARCHED[setting], encoder) as catalog:
            results += [measure(corpus, catalog, mode) for mode in MODES]
    return {title: np.mean([result[name] for result in results], axis=0) for name, title in METRICS.items()}


def print_differences(scores: Mapping[Precision, Scores]) -> None:
    print("\n| precision | measure | n | f32 | value | difference | 95 % interval | |")
    print("|---|---|---:|---:|---:|---:|---|---|")
    for precision, name, exact, ours in compared_with_f32(scores):
        gain = difference(ours, exact)
        worse = gain.low > 0 if name.startswith(LOWER_IS_BETTER) else gain.high < 0
        means = f"{len(ours):,} | {exact.mean():.4f} | {ours.mean():.4f}"
        interval = f"{gain.value:+.4f} | {gain.low:+.4f} to {gain.high:+.4f}"
        print(f"| {precision} | {name} | {means} | {interval} | {'worse' if worse else ''} |")


def compared_with_f32(scores: Mapping[Precision, Scores]) -> Iterable[tuple[Precision, str, Values, Values]]:
    """Yield precision, measure, and the values in f32 and in that precision."""
    for precision, measures in scores.items():
        if precision is not Precision.F32:
            for name, values in measures.items():
                yield precision, name, scores[Precision.F32][name], values


if __name__ == "__main__":
    main()
