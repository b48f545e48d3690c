"""How well cuts find where sections begin once headings are removed, and where concatenated passages meet."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import BlockKind, Book, Embeddings
from alexandria.chunking import Sizes, Strategy, segment_sentences
from alexandria.chunking.cues.find import SENTENCE_CUES, Cues, DeferredCues
from alexandria.chunking.sentences import split
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.lab import TOLERANCE, bootstrap
from alexandria.lab.agreement import N_SHUFFLES, Agreement, compare, shuffle_cuts
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.leave_out_marks import HiddenResult, find_hidden
from alexandria.lab.settings import Variant
from alexandria.library.ingest.one_book import begin_sentences, measure

N_PASSAGES = 10  # passages per document, as in Choi (2000)
MIN_LENGTH = 3  # sentences per passage, as in his set 3-11
MAX_LENGTH = 11
METRICS = tuple(field.name for field in fields(Agreement))


@dataclass(frozen=True, slots=True)
class ReferenceDocument:
    """Sentences without headings, and the sentences at which a new topic begins."""

    sentence_vectors: Embeddings  # (n_sentences, dim)
    sizes: Sizes
    topics: frozenset[int]  # sentences that begin a topic, without 0
    stretches: tuple[tuple[int, int], ...]
    """Half-open ranges of sentences, each scored separately; a topic begins inside each of them."""


@dataclass(frozen=True, slots=True)
class BoundaryResult:
    """One variant on one task: its scores, and the scores of the same chunks in random order."""

    task: str
    setting: str
    n_chunks: int
    scores: dict[str, NDArray[np.float64]]  # (n_stretches,) each, by the name of the metric
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
class BodyText:
    """A book's sentences without its headings."""

    sentence_vectors: Embeddings
    sizes: Sizes
    """Without the author's breaks at the beginnings of sections: such a break would give a section away."""
    sections: frozenset[int]
    chapters: frozenset[int]

    def document(self, topics: frozenset[int]) -> ReferenceDocument:
        """Return the body with these topics as the reference, in stretches of `N_PASSAGES` topics."""
        stretches = _group_topics(topics, len(self.sentence_vectors))
        return ReferenceDocument(self.sentence_vectors, self.sizes, topics, stretches)


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

    The variants must split the books into the same sentences (`Domain.sentences`).

    Raises:
        ConfigError: the books offer no task.
    """
    splitter = variants[0].domain.sentences
    bodies = [strip_headings(book, encoder, splitter=splitter) for book in books]
    offered = make_tasks(bodies, n_documents=n_documents, seed=seed)
    hidden = find_hidden(books, variants, encoder, seed=seed)
    if not offered and not hidden:
        raise ConfigError(
            "there are no boundaries to find in these books",
            why="no book has more than one section, and test documents are built from two at least",
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


def strip_headings(book: Book, encoder: Encoder, *, splitter: str = "default") -> BodyText:
    """Return a book's sentences without its headings, and where its sections and chapters begin.

    Args:
        splitter: the name of the function that splits a text into sentences (`SPLITTERS`).
    """
    kinds = [block.kind for block in book.blocks]
    with_headings = split(book, splitter=splitter)
    # Headings are embedded too: the vector cache is keyed by the list of texts that an ingest embeds.
    pending = begin_sentences(book, with_headings, encoder)
    kept = [i for i, sentence in enumerate(with_headings) if kinds[sentence.block] is not BlockKind.HEADING]
    sentences = [with_headings[i] for i in kept]
    sections: set[int] = set()
    chapters: set[int] = set()
    for i, (before, sentence) in enumerate(pairwise(sentences), start=1):
        if sentence.section == before.section:
            continue
        sections.add(i)
        # Sections in between have headings only; one of them may be what begins the chapter.
        entered = book.sections[before.section + 1 : sentence.section + 1]
        if any(section.chapter for section in entered):
            chapters.add(i)
    sizes = measure(book, sentences)
    begins_section = np.isin(np.arange(len(sentences)), list(sections))
    return BodyText(
        sentence_vectors=pending.embeddings()[kept],
        # An author's break where a section begins would give the section away.
        sizes=replace(sizes, break_before=sizes.break_before & ~begins_section),
        sections=frozenset(sections),
        chapters=frozenset(chapters),
    )


def make_tasks(
    bodies: Sequence[BodyText], *, n_documents: int, seed: int
) -> dict[str, list[ReferenceDocument]]:
    """Return the documents of each task that these books offer, by the task's name.

    A task is to find where sections begin, where chapters do, or where passages were put together.

    Args:
        bodies: the books without headings.
        n_documents: how many documents are put together from passages.
        seed: the same seed gives the same documents.
    """
    sections = [body.document(body.sections) for body in bodies if body.sections]
    # If every section is a chapter, the task `chapters` would repeat `sections`.
    differ = any(body.chapters != body.sections for body in bodies)
    chapters = [body.document(body.chapters) for body in bodies if body.chapters] if differ else []
    offered = {
        "sections": sections,
        "chapters": chapters,
        "put together": concatenate_passages(bodies, n_documents, seed),
    }
    return {name: documents for name, documents in offered.items() if documents}


def concatenate_passages(bodies: Sequence[BodyText], n: int, seed: int) -> list[ReferenceDocument]:
    """Return n documents of concatenated passages, as Choi (2000) built them.

    Each passage is from another book than the one before; with a single book, from another section. Empty if
    there are fewer than two sources.
    """
    if len(bodies) == 1:
        body = bodies[0]
        sources = [_Source(body, [section]) for section in _long_sections(body)]
    else:
        all_sources = [_Source(body, _long_sections(body)) for body in bodies]
        sources = [source for source in all_sources if source.sections]
    if len(sources) < 2:
        return []
    generator = random.Random(seed)
    return [_draw_document(sources, generator) for _ in range(n)]


def raw_scores(strategy: Strategy, documents: Sequence[ReferenceDocument]) -> dict[str, NDArray[np.float64]]:
    """Return the strategy's scores on the documents, (n_stretches,) each, by the name of the metric."""
    return _by_metric(
        [
            score
            for document in documents
            for score in measure_agreements(document, _cuts_of(strategy, document))
        ]
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
    """Return how one strategy does on a task, and how its chunks do in random order.

    Args:
        tolerance: sentences by which a cut may be off and still count.
    """
    scores: list[Agreement] = []
    chance: list[Agreement] = []
    n_chunks = 0
    generator = np.random.default_rng(seed)
    for document in documents:
        n = len(document.sentence_vectors)
        cuts = _cuts_of(strategy, document)
        n_chunks += len(cuts) + 1
        scores += measure_agreements(document, cuts, tolerance=tolerance)
        controls = [
            measure_agreements(document, shuffle_cuts(cuts, n, generator), tolerance=tolerance)
            for _ in range(N_SHUFFLES)
        ]
        # Each control has one agreement per stretch; their mean is taken stretch by stretch.
        chance += [_mean_agreement(of_stretch) for of_stretch in zip(*controls, strict=True)]
    return BoundaryResult(
        task=task, setting=label, n_chunks=n_chunks, scores=_by_metric(scores), chance=_by_metric(chance)
    )


def measure_agreements(
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


def _group_topics(topics: frozenset[int], n: int) -> tuple[tuple[int, int], ...]:
    """Return ranges of `N_PASSAGES` topics each, as half-open ranges of the n sentences."""
    # The metrics' windows are half a mean topic long: in one stretch of the whole book, they would suit
    # neither its long sections nor its short ones. A last stretch of few topics is merged with the one before
    # it.
    topic_starts = [0, *sorted(topics)]
    starts = topic_starts[::N_PASSAGES]
    n_topics_in_last = len(topic_starts) - (len(starts) - 1) * N_PASSAGES
    if len(starts) > 1 and n_topics_in_last < N_PASSAGES // 2:
        starts.pop()
    return tuple(pairwise((*starts, n)))


class _Source(NamedTuple):
    """What passages are drawn from: a book, or one section of the only book."""

    body: BodyText
    sections: Sequence[tuple[int, int]]  # half-open ranges of sentences, each long enough for any passage


class _Passage(NamedTuple):
    """Sentences of a body, from `start` up to `stop`."""

    body: BodyText
    start: int
    stop: int


def _long_sections(body: BodyText) -> list[tuple[int, int]]:
    """Return the sections that are long enough for any passage, as half-open ranges of sentences."""
    edges = [0, *sorted(body.sections), len(body.sentence_vectors)]
    return [(start, stop) for start, stop in pairwise(edges) if stop - start >= MAX_LENGTH]


def _draw_document(sources: Sequence[_Source], generator: random.Random) -> ReferenceDocument:
    """Return a document of passages drawn at random, whose topics are the passages."""
    passages = list(_draw_passages(sources, generator))
    lengths = [stop - start for _, start, stop in passages]
    n = sum(lengths)
    topic_starts = np.cumsum(lengths)[:-1].tolist()  # without 0
    sizes = Sizes(
        words=np.concatenate([body.sizes.words[start:stop] for body, start, stop in passages]),
        characters=np.concatenate([body.sizes.characters[start:stop] for body, start, stop in passages]),
        # Any sentence may begin a paragraph: otherwise paragraph breaks would give the passages away.
        starts_block=np.ones(n, np.bool_),
        may_begin=np.ones(n, np.bool_),
        break_before=np.zeros(n, np.bool_),
        # For the same reason, only the cues that a sentence holds by itself.
        cues=DeferredCues(lambda: _sentence_cues(passages)),
    )
    return ReferenceDocument(
        sentence_vectors=np.concatenate(
            [body.sentence_vectors[start:stop] for body, start, stop in passages]
        ),
        sizes=sizes,
        topics=frozenset(topic_starts),
        stretches=((0, n),),
    )


def _sentence_cues(passages: Sequence[_Passage]) -> Cues:
    """Return the passages' cues, except those that depend on the text before a sentence."""
    return {
        cue: np.concatenate(
            [
                body.sizes.cues.get(cue, np.zeros(len(body.sentence_vectors), np.float32))[start:stop]
                for body, start, stop in passages
            ]
        )
        for cue in SENTENCE_CUES
    }


def _draw_passages(sources: Sequence[_Source], generator: random.Random) -> Iterator[_Passage]:
    """Yield `N_PASSAGES` random passages, each from another source than the one before."""
    last = generator.randrange(len(sources))
    for _ in range(N_PASSAGES):
        last = generator.choice([i for i in range(len(sources)) if i != last])
        body, sections = sources[last]
        first, stop = generator.choice(sections)
        length = generator.randint(MIN_LENGTH, MAX_LENGTH)
        start = generator.randint(first, stop - length)
        yield _Passage(body, start, start + length)


def _cuts_of(strategy: Strategy, document: ReferenceDocument) -> list[int]:
    """Return the sentences at which the strategy begins a chunk, without 0."""
    segmentation = segment_sentences(strategy, document.sentence_vectors, document.sizes)
    return [boundary.gap + 1 for boundary in segmentation.boundaries]


def _mean_agreement(scores: Sequence[Agreement]) -> Agreement:
    means = {name: float(np.mean([getattr(score, name) for score in scores])) for name in METRICS}
    return Agreement(**means)


def _by_metric(scores: Sequence[Agreement]) -> dict[str, NDArray[np.float64]]:
    return {name: np.array([getattr(score, name) for score in scores]) for name in METRICS}
