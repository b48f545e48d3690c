"""Do the cuts meet the beginnings of sections, headings gone? And the seams of texts put together?"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book import BlockKind, Book, Embeddings, count_words
from alexandria.chunking import Sizes, Strategy, segment_sentences
from alexandria.embed import Encoder
from alexandria.evaluate.agreement import TOLERANCE, Agreement, compare
from alexandria.pipeline import begin_sentences
from alexandria.sentences import split

N_PASSAGES = 10  # passages a document, as Choi (2000) has them
SHORTEST, LONGEST = 3, 11  # sentences a passage, as in his set 3-11
N_SHUFFLES = 20
"""Shuffled controls a document: their mean then varies a fifth as much as one of them."""
METRICS = tuple(one.name for one in fields(Agreement))


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences without headings, and where topics begin among them."""

    rows: Embeddings  # (n_sentences, dim)
    sizes: Sizes
    topics: frozenset[int]
    """Sentences that begin a topic, without 0."""
    stretches: tuple[tuple[int, int], ...]
    """Half-open runs of sentences that are judged each by itself; every one holds a topic's beginning."""


@dataclass(frozen=True, slots=True)
class Result:
    """One setting on one task: scores by stretch, and those of the same chunks in random order."""

    task: str
    setting: str
    n_chunks: int
    scores: dict[str, NDArray[np.float64]]
    """(n_stretches,) each, by the name of the metric."""
    chance: dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Body:
    """A book's sentences without its headings."""

    rows: Embeddings
    words: list[int]
    characters: list[int]
    starts_block: list[bool]
    sections: frozenset[int]
    chapters: frozenset[int]

    def document(self, topics: frozenset[int]) -> Document:
        """Return the body as a document to judge, in stretches of `N_PASSAGES` topics."""
        sizes = Sizes(
            np.array(self.words, np.int64),
            np.array(self.characters, np.int64),
            np.array(self.starts_block, np.bool_),
            may_begin=np.ones(len(self.words), np.bool_),
        )
        return Document(self.rows, sizes, topics, _stretches(topics, len(self.words)))


def strip_headings(book: Book, encoder: Encoder, *, splitter: str = "default") -> Body:
    """Return a book's sentences without its headings, and where its sections and chapters begin."""
    kinds = [block.kind for block in book.blocks]
    whole = split(book, splitter=splitter)
    # Headings are embedded with the rest: that list of texts is the one that an ingest has embedded before.
    begun = begin_sentences(book, whole, encoder)
    kept = [i for i, s in enumerate(whole) if kinds[s.block] is not BlockKind.HEADING]
    sentences = [whole[i] for i in kept]
    sections: set[int] = set()
    chapters: set[int] = set()
    for i, (last, this) in enumerate(pairwise(sentences), start=1):
        if this.section != last.section:
            sections.add(i)
            if any(one.chapter for one in book.sections[last.section + 1 : this.section + 1]):
                chapters.add(i)
    texts = [begun.texts[i] for i in kept]
    return Body(
        begun.embeddings()[kept],
        [count_words(text) for text in texts],
        [len(text) for text in texts],
        [i == 0 or s.block != sentences[i - 1].block for i, s in enumerate(sentences)],
        frozenset(sections),
        frozenset(chapters),
    )


def tasks(bodies: Sequence[Body], *, n_documents: int, seed: int) -> dict[str, list[Document]]:
    """Return what there is to find in these books, by name; a task that they do not offer is not there."""
    sections = [body.document(body.sections) for body in bodies if body.sections]
    coarser = any(body.chapters != body.sections for body in bodies)
    chapters = [body.document(body.chapters) for body in bodies if body.chapters and coarser]
    found = {
        "sections": sections,
        "chapters": chapters,
        "put together": concatenated(bodies, n_documents, seed),
    }
    return {name: documents for name, documents in found.items() if documents}


def concatenated(bodies: Sequence[Body], n: int, seed: int) -> list[Document]:
    """Return documents of passages, each from another book than the one before, as Choi (2000) made them.

    Of a single book, the passages come from its sections. None where there are no two sources.
    """
    sources = [_runs(body) for body in bodies]
    if len(bodies) == 1:
        sources = [[one] for one in sources[0]]
    usable = [(bodies[min(i, len(bodies) - 1)], runs) for i, runs in enumerate(sources) if runs]
    if len(usable) < 2:
        return []
    chance = random.Random(seed)
    return [_concatenated(usable, chance) for _ in range(n)]


def scores(strategy: Strategy, documents: Sequence[Document]) -> dict[str, NDArray[np.float64]]:
    """Return the strategy's scores on the documents, (n_stretches,) each, by the name of the metric."""
    return _columns([one for document in documents for one in judged(document, _cuts(strategy, document))])


def measure(
    task: str,
    label: str,
    strategy: Strategy,
    documents: Sequence[Document],
    *,
    tolerance: int = TOLERANCE,
    seed: int = 0,
) -> Result:
    """Return how one strategy does on a task, beside its own chunks in random order."""
    found: list[Agreement] = []
    chance: list[Agreement] = []
    n_chunks = 0
    drawn = np.random.default_rng(seed)
    for document in documents:
        n = len(document.rows)
        cuts = _cuts(strategy, document)
        n_chunks += len(cuts) + 1
        found += judged(document, cuts, tolerance=tolerance)
        controls = [
            judged(document, shuffled(cuts, n, drawn), tolerance=tolerance) for _ in range(N_SHUFFLES)
        ]
        chance += [_mean(one) for one in zip(*controls, strict=True)]
    return Result(task, label, n_chunks, _columns(found), _columns(chance))


def judged(document: Document, cuts: Sequence[int], *, tolerance: int = TOLERANCE) -> list[Agreement]:
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


def shuffled(cuts: Sequence[int], n: int, drawn: np.random.Generator) -> list[int]:
    """Return the cuts of the same chunks in random order: what their sizes alone can find."""
    lengths = np.diff([0, *cuts, n])
    drawn.shuffle(lengths)
    return [int(cut) for cut in np.cumsum(lengths)[:-1]]


def _stretches(topics: frozenset[int], n: int) -> tuple[tuple[int, int], ...]:
    """Return runs of `N_PASSAGES` topics, so that long and short sections meet windows of their own size.

    A last run of less than half as many joins the one before.
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


def _concatenated(sources: Sequence[tuple[Body, list[tuple[int, int]]]], chance: random.Random) -> Document:
    parts = list(_passages(sources, chance))
    lengths = [stop - start for _, start, stop in parts]
    n, starts = sum(lengths), np.cumsum([0, *lengths[:-1]])
    sizes = Sizes(
        np.array([w for body, start, stop in parts for w in body.words[start:stop]], np.int64),
        np.array([c for body, start, stop in parts for c in body.characters[start:stop]], np.int64),
        # Every sentence may begin a paragraph: a passage must not be told by its own doing so.
        starts_block=np.ones(n, np.bool_),
        may_begin=np.ones(n, np.bool_),
    )
    rows = np.concatenate([body.rows[start:stop] for body, start, stop in parts])
    return Document(rows, sizes, frozenset(map(int, starts[1:])), ((0, n),))


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


def _cuts(strategy: Strategy, document: Document) -> list[int]:
    return [one.gap + 1 for one in segment_sentences(strategy, document.rows, document.sizes).boundaries]


def _mean(agreements: Sequence[Agreement]) -> Agreement:
    return Agreement(*(float(np.mean([getattr(one, name) for one in agreements])) for name in METRICS))


def _columns(agreements: Sequence[Agreement]) -> dict[str, NDArray[np.float64]]:
    return {name: np.array([getattr(one, name) for one in agreements]) for name in METRICS}
