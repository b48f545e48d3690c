"""How well cuts find where sections begin once headings are removed, and where concatenated passages meet."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book import BlockKind, Book, Embeddings
from alexandria.chunking import Sizes, Strategy, segment_sentences
from alexandria.chunking.cues import SENTENCE_CUES, Cues, DeferredCues
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.evaluate import bootstrap
from alexandria.evaluate.agreement import Agreement, compare
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.defaults import TOLERANCE
from alexandria.evaluate.hidden import HiddenResult, find_hidden
from alexandria.evaluate.shuffles import N_SHUFFLES, shuffled
from alexandria.evaluate.variants import Variant
from alexandria.pipeline import begin_sentences, measure
from alexandria.sentences import split

N_PASSAGES = 10  # passages per document, as in Choi (2000)
SHORTEST, LONGEST = 3, 11  # sentences per passage, as in his set 3-11
METRICS = tuple(field.name for field in fields(Agreement))


@dataclass(frozen=True, slots=True)
class ReferenceDocument:
    """Sentences without headings, and the sentences at which a new topic begins."""

    rows: Embeddings  # (n_sentences, dim)
    sizes: Sizes
    topics: frozenset[int]
    """Sentences that begin a topic, without 0."""
    stretches: tuple[tuple[int, int], ...]
    """Half-open runs of sentences, each scored separately; a topic begins in every one of them."""


@dataclass(frozen=True, slots=True)
class BoundaryResult:
    """One variant on one task: scores by stretch, and those of the same chunks in random order."""

    task: str
    setting: str
    n_chunks: int
    scores: dict[str, NDArray[np.float64]]
    """(n_stretches,) each, by the name of the metric."""
    chance: dict[str, NDArray[np.float64]]

    @property
    def n_stretches(self) -> int:
        """Stretches that were scored."""
        return len(self.scores["pk"])

    @property
    def estimates(self) -> dict[str, ScoreEstimate]:
        """The mean score with its interval, by the name of the metric."""
        return {name: bootstrap.mean(values) for name, values in self.scores.items()}

    @property
    def chance_means(self) -> dict[str, float]:
        """The mean score of the same chunks in random order, by the name of the metric."""
        return {name: float(values.mean()) for name, values in self.chance.items()}


@dataclass(frozen=True, slots=True)
class BoundaryReport:
    """Every variant on every task."""

    results: tuple[BoundaryResult, ...]
    hidden: tuple[HiddenResult, ...]
    """What each variant finds of the author's own divisions; empty if the books have none."""
    tolerance: int
    seed: int

    def by_task(self) -> list[tuple[BoundaryResult, ...]]:
        """Return the results task by task, in the order of the tasks."""
        names = dict.fromkeys(result.task for result in self.results)
        return [tuple(result for result in self.results if result.task == name) for name in names]


@dataclass(frozen=True, slots=True)
class Body:
    """A book's sentences without its headings."""

    rows: Embeddings
    sizes: Sizes
    """Without the author's breaks at the beginnings of sections, which they would give away."""
    sections: frozenset[int]
    chapters: frozenset[int]

    def document(self, topics: frozenset[int]) -> ReferenceDocument:
        """Return the body with these topics as the reference, in stretches of `N_PASSAGES` topics."""
        return ReferenceDocument(self.rows, self.sizes, topics, _stretches(topics, len(self.rows)))


def evaluate_boundaries(
    books: Sequence[Book],
    variants: Sequence[Variant],
    encoder: Encoder,
    *,
    n_documents: int,
    tolerance: int = TOLERANCE,
    seed: int = 0,
) -> BoundaryReport:
    """Return how well each variant does on each task that the books offer.

    Raises:
        ConfigError: the books offer no task.
    """
    bodies = [strip_headings(book, encoder) for book in books]
    offered = tasks(bodies, n_documents=n_documents, seed=seed)
    hidden = find_hidden(books, variants, encoder, seed=seed)
    if not offered and not hidden:
        raise ConfigError(
            "there are no boundaries to find in these books",
            why="none has more than one section, and passages need two sources",
            fix="name books with chapters, or more books",
        )
    results = tuple(
        score_strategy(
            task, variant.label, variant.domain.strategy, documents, tolerance=tolerance, seed=seed
        )
        for task, documents in offered.items()
        for variant in variants
    )
    return BoundaryReport(results, hidden, tolerance, seed)


def strip_headings(book: Book, encoder: Encoder, *, splitter: str = "default") -> Body:
    """Return a book's sentences without its headings, and where its sections and chapters begin."""
    kinds = [block.kind for block in book.blocks]
    whole = split(book, splitter=splitter)
    # Headings are embedded too: the vector cache is keyed by the list of texts that an ingest embeds.
    begun = begin_sentences(book, whole, encoder)
    body = [i for i, s in enumerate(whole) if kinds[s.block] is not BlockKind.HEADING]
    sentences = [whole[i] for i in body]
    sections: set[int] = set()
    chapters: set[int] = set()
    for i, (last, this) in enumerate(pairwise(sentences), start=1):
        if this.section != last.section:
            sections.add(i)
            if any(section.chapter for section in book.sections[last.section + 1 : this.section + 1]):
                chapters.add(i)
    sizes = measure(book, sentences)
    begins_section = np.isin(np.arange(len(sentences)), list(sections))
    return Body(
        rows=begun.embeddings()[body],
        sizes=replace(sizes, break_before=sizes.break_before & ~begins_section),
        sections=frozenset(sections),
        chapters=frozenset(chapters),
    )


def tasks(bodies: Sequence[Body], *, n_documents: int, seed: int) -> dict[str, list[ReferenceDocument]]:
    """Return the tasks that these books offer, by name; a task without documents is absent."""
    sections = [body.document(body.sections) for body in bodies if body.sections]
    coarser = any(body.chapters != body.sections for body in bodies)
    chapters = [body.document(body.chapters) for body in bodies if body.chapters and coarser]
    offered = {
        "sections": sections,
        "chapters": chapters,
        "put together": concatenated(bodies, n_documents, seed),
    }
    return {name: documents for name, documents in offered.items() if documents}


def concatenated(bodies: Sequence[Body], n: int, seed: int) -> list[ReferenceDocument]:
    """Return documents of passages, each from another book than the one before, as Choi (2000) built them.

    With a single book, the passages come from its sections. Empty where there are no two sources.
    """
    sources = [_runs(body) for body in bodies]
    if len(bodies) == 1:
        sources = [[run] for run in sources[0]]
    usable = [(bodies[min(i, len(bodies) - 1)], runs) for i, runs in enumerate(sources) if runs]
    if len(usable) < 2:
        return []
    chance = random.Random(seed)
    return [_concatenated(usable, chance) for _ in range(n)]


def raw_scores(strategy: Strategy, documents: Sequence[ReferenceDocument]) -> dict[str, NDArray[np.float64]]:
    """Return the strategy's scores on the documents, (n_stretches,) each, by the name of the metric."""
    return _columns(
        [score for document in documents for score in agreements(document, _cuts(strategy, document))]
    )


def score_strategy(
    task: str,
    label: str,
    strategy: Strategy,
    documents: Sequence[ReferenceDocument],
    *,
    tolerance: int = TOLERANCE,
    seed: int = 0,
) -> BoundaryResult:
    """Return how one strategy does on a task, beside its own chunks in random order."""
    scores: list[Agreement] = []
    chance: list[Agreement] = []
    n_chunks = 0
    generator = np.random.default_rng(seed)
    for document in documents:
        n = len(document.rows)
        cuts = _cuts(strategy, document)
        n_chunks += len(cuts) + 1
        scores += agreements(document, cuts, tolerance=tolerance)
        controls = [
            agreements(document, shuffled(cuts, n, generator), tolerance=tolerance) for _ in range(N_SHUFFLES)
        ]
        chance += [_mean(stretch) for stretch in zip(*controls, strict=True)]
    return BoundaryResult(
        task=task, setting=label, n_chunks=n_chunks, scores=_columns(scores), chance=_columns(chance)
    )


def agreements(
    document: ReferenceDocument, cuts: Sequence[int], *, tolerance: int = TOLERANCE
) -> list[Agreement]:
    """Return the agreement of the cuts with the document's topics, stretch by stretch."""
    return [
        compare(
            [topic - start for topic in document.topics if start < topic < stop],
            [cut - start for cut in cuts if start < cut < stop],
            stop - start,
            tolerance=tolerance,
        )
        for start, stop in document.stretches
    ]


def _stretches(topics: frozenset[int], n: int) -> tuple[tuple[int, int], ...]:
    """Return runs of `N_PASSAGES` topics, so that the metrics' windows fit long and short sections alike.

    A last run of fewer than half as many joins the one before it.
    """
    edges = [0, *sorted(topics), n]
    starts = edges[:-1:N_PASSAGES]
    if len(starts) > 1 and len(edges) - 1 - edges.index(starts[-1]) < N_PASSAGES // 2:
        starts.pop()
    return tuple(pairwise((*starts, n)))


def _runs(body: Body) -> list[tuple[int, int]]:
    """Return the sections that are long enough for any passage."""
    edges = [0, *sorted(body.sections), len(body.rows)]
    return [(start, stop) for start, stop in pairwise(edges) if stop - start >= LONGEST]


def _concatenated(
    sources: Sequence[tuple[Body, list[tuple[int, int]]]], chance: random.Random
) -> ReferenceDocument:
    parts = list(_passages(sources, chance))
    lengths = [stop - start for _, start, stop in parts]
    n, starts = sum(lengths), np.cumsum([0, *lengths[:-1]])
    sizes = Sizes(
        np.concatenate([body.sizes.words[start:stop] for body, start, stop in parts]),
        np.concatenate([body.sizes.characters[start:stop] for body, start, stop in parts]),
        # Any sentence may begin a paragraph: otherwise paragraph breaks would give the passages away.
        starts_block=np.ones(n, np.bool_),
        may_begin=np.ones(n, np.bool_),
        break_before=np.zeros(n, np.bool_),
        # For the same reason, only the cues that a sentence holds by itself.
        cues=DeferredCues(lambda: _sentence_cues(parts)),
    )
    rows = np.concatenate([body.rows[start:stop] for body, start, stop in parts])
    return ReferenceDocument(rows, sizes, frozenset(map(int, starts[1:])), ((0, n),))


def _sentence_cues(parts: Sequence[tuple[Body, int, int]]) -> Cues:
    """Return the cues of the parts that do not depend on the text before a sentence."""
    return {
        cue: np.concatenate(
            [
                body.sizes.cues.get(cue, np.zeros(len(body.rows), np.float32))[start:stop]
                for body, start, stop in parts
            ]
        )
        for cue in SENTENCE_CUES
    }


def _passages(
    sources: Sequence[tuple[Body, list[tuple[int, int]]]], chance: random.Random
) -> Iterator[tuple[Body, int, int]]:
    last = chance.randrange(len(sources))
    for _ in range(N_PASSAGES):
        last = chance.choice([i for i in range(len(sources)) if i != last])
        body, runs = sources[last]
        first, stop = chance.choice(runs)
        length = chance.randint(SHORTEST, LONGEST)
        start = chance.randint(first, stop - length)
        yield body, start, start + length


def _cuts(strategy: Strategy, document: ReferenceDocument) -> list[int]:
    return [
        boundary.gap + 1 for boundary in segment_sentences(strategy, document.rows, document.sizes).boundaries
    ]


def _mean(scores: Sequence[Agreement]) -> Agreement:
    return Agreement(*(float(np.mean([getattr(score, name) for score in scores])) for name in METRICS))


def _columns(scores: Sequence[Agreement]) -> dict[str, NDArray[np.float64]]:
    return {name: np.array([getattr(score, name) for score in scores]) for name in METRICS}
