"""How many of the author's own divisions a strategy finds without seeing them: breaks, sections, chapters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Block, BlockKind, Book, Section
from alexandria.embed import Encoder
from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.cutting import Cutter
from alexandria.evaluate.shuffles import N_SHUFFLES, shuffled
from alexandria.evaluate.variants import Variant
from alexandria.inspection.quality import quality_of
from alexandria.pipeline import Analysis

KINDS = ("breaks", "sections", "chapters")
"""What is hidden: the author's own breaks; the starts of sections of any level; those of chapters alone."""


@dataclass(frozen=True, slots=True)
class HiddenBook:
    """A book as one section without headings and breaks, and where they were."""

    book: Book
    starts: Mapping[str, tuple[int, ...]]
    """By the kinds of `KINDS`: the blocks of `book` before which there was one, ascending, without 0."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of hidden divisions of one kind with a cut at most one paragraph away."""

    n: int
    """Hidden divisions."""
    found: ScoreEstimate
    chance: float
    """The share that the same chunks find in random order."""
    exact: float
    """The share with a cut exactly there."""


@dataclass(frozen=True, slots=True)
class HiddenResult:
    """One variant on all books."""

    setting: str
    n_chunks: int
    mean_words: float
    """Words per chunk."""
    share_mid_thought: float | None
    """Of the cuts, those that a pronoun or a connective follows; None without a list for the language."""
    recalls: Mapping[str, Recall]
    """By the kinds of `KINDS` that the books have."""


def hide(book: Book) -> HiddenBook:
    """Return the book as one section without headings and breaks, and where it had them.

    The text and all offsets stay the same. The place of a section, chapter or break is the number of the
    block that follows it, counted without headings.
    """
    placed = [
        (i, block)
        for i, section in enumerate(book.sections)
        for block in section.blocks
        if block.kind is not BlockKind.HEADING
    ]
    starts: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for n, ((before, _), (here, block)) in enumerate(pairwise(placed), start=1):
        if block.break_before:
            starts["breaks"].append(n)
        if here != before:
            starts["sections"].append(n)
        # Of sections between that have headings only, one may begin the chapter.
        if any(section.chapter for section in book.sections[before + 1 : here + 1]):
            starts["chapters"].append(n)
    blocks = tuple(replace(block, break_before=False) for _, block in placed)
    whole = replace(book, sections=(_one_section(blocks),) if blocks else ())
    return HiddenBook(whole, {kind: tuple(places) for kind, places in starts.items()})


def find_hidden(
    books: Sequence[Book], variants: Sequence[Variant], encoder: Encoder, *, seed: int = 0
) -> tuple[HiddenResult, ...]:
    """Return how much of the hidden divisions of all books each variant finds; empty if there are none."""
    hidden = [hide(book) for book in books]
    if not any(places for one in hidden for places in one.starts.values()):
        return ()
    cut = Cutter()
    return tuple(
        _result(variant.label, hidden, [cut(one.book, variant.domain, encoder) for one in hidden], seed=seed)
        for variant in variants
    )


def are_found(analysis: Analysis, places: Sequence[int], cuts: Sequence[int]) -> NDArray[np.bool_]:
    """Return for each place whether a cut is at most one paragraph away, (n_places,).

    Args:
        analysis: of the book.
        places: blocks, ascending, without 0.
        cuts: sentences at which a chunk begins.
    """
    blocks = np.array([sentence.block for sentence in analysis.sentences])
    at, n = np.array(places, np.int64), len(blocks)
    # From the first sentence of the paragraph before to that of the paragraph after.
    first = np.searchsorted(blocks, at - 1)
    last = np.minimum(np.searchsorted(blocks, at + 1), n - 1)
    ascending = np.sort(np.array(cuts, np.int64))
    found: NDArray[np.bool_] = np.searchsorted(ascending, first) < np.searchsorted(ascending, last, "right")
    return found


def _result(
    setting: str, hidden: Sequence[HiddenBook], analyses: Sequence[Analysis], *, seed: int
) -> HiddenResult:
    qualities = [quality_of(analysis) for analysis in analyses]
    known = [quality for quality in qualities if quality.n_mid_thought is not None and quality.n_cuts]
    n_openers = sum((quality.n_mid_thought or 0) + (quality.n_turns or 0) for quality in known)
    n_chunks = sum(len(analysis.chunks) for analysis in analyses)
    n_cuts = sum(quality.n_cuts for quality in known)
    n_words = sum(analysis.n_words for analysis in analyses)
    return HiddenResult(
        setting=setting,
        n_chunks=n_chunks,
        mean_words=n_words / max(1, n_chunks),
        share_mid_thought=n_openers / n_cuts if n_cuts else None,
        recalls={
            kind: _recall([one.starts[kind] for one in hidden], analyses, seed=seed)
            for kind in KINDS
            if any(one.starts[kind] for one in hidden)
        },
    )


def _recall(places: Sequence[Sequence[int]], analyses: Sequence[Analysis], *, seed: int) -> Recall:
    generator = np.random.default_rng(seed)
    found: list[NDArray[np.bool_]] = []
    chance: list[NDArray[np.float64]] = []
    n_exact = 0
    for own, analysis in zip(places, analyses, strict=True):
        cuts = [boundary.gap + 1 for boundary in analysis.segmentation.boundaries]
        found.append(are_found(analysis, own, cuts))
        n_exact += len({analysis.sentences[cut].start for cut in cuts} & _starts(analysis, own))
        n = len(analysis.sentences)
        controls = [are_found(analysis, own, shuffled(cuts, n, generator)) for _ in range(N_SHUFFLES)]
        chance.append(np.mean(controls, axis=0))
    values = np.concatenate(found).astype(np.float64)
    return Recall(
        n=len(values),
        found=bootstrap.mean(values),
        chance=float(np.concatenate(chance).mean()),
        exact=n_exact / len(values),
    )


def _starts(analysis: Analysis, places: Sequence[int]) -> set[int]:
    """Return the offsets at which the blocks begin."""
    blocks = analysis.book.blocks
    return {blocks[place].start for place in places}


def _one_section(blocks: tuple[Block, ...]) -> Section:
    return Section(headings=(), level=0, chapter=False, href=None, blocks=blocks)
