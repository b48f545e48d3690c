"""How many of the author's own divisions a strategy finds without seeing them: breaks, sections, chapters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import BlockKind, Book, Section
from alexandria.embed import Encoder
from alexandria.lab import bootstrap
from alexandria.lab.agreement import N_SHUFFLES, shuffle_cuts
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.settings import Cutter, Variant
from alexandria.library.ingest.one_book import Analysis
from alexandria.library.inspect.quality import quality_of

KINDS = ("breaks", "sections", "chapters")
"""What is hidden: the author's breaks, and the starts of sections of any level, or of chapters alone."""


@dataclass(frozen=True, slots=True)
class HiddenBook:
    """A book as one section without headings and breaks, and where it had them."""

    book: Book
    starts: Mapping[str, tuple[int, ...]]
    """By kind of division: the numbers of the blocks of `book` that one preceded, ascending, without 0."""


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
    mean_words: float  # words per chunk
    share_mid_thought: float | None
    """Share of the cuts that a pronoun or a connective follows; None without a list for the language."""
    recalls: Mapping[str, Recall]  # by kind of division, for the kinds that the books have


def hide(book: Book) -> HiddenBook:
    """Return the book as one section without headings and breaks, and where it had them.

    The text and all offsets stay the same. The place of a section, chapter or break is the number of the
    block that follows it, counted without headings.
    """
    # Each block that is not a heading, with the number of its section.
    numbered = [
        (section_number, block)
        for section_number, section in enumerate(book.sections)
        for block in section.blocks
        if block.kind is not BlockKind.HEADING
    ]
    starts: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for n, ((section_before, _), (section_here, block)) in enumerate(pairwise(numbered), start=1):
        if block.break_before:
            starts["breaks"].append(n)
        if section_here != section_before:
            starts["sections"].append(n)
        # Sections in between have headings only; one of them may be what begins the chapter.
        entered = book.sections[section_before + 1 : section_here + 1]
        if any(section.chapter for section in entered):
            starts["chapters"].append(n)
    blocks = tuple(replace(block, break_before=False) for _, block in numbered)
    one_section = Section(headings=(), level=0, chapter=False, href=None, blocks=blocks)
    whole = replace(book, sections=(one_section,) if blocks else ())
    return HiddenBook(whole, {kind: tuple(places) for kind, places in starts.items()})


def find_hidden(
    books: Sequence[Book], variants: Sequence[Variant], encoder: Encoder, *, seed: int = 0
) -> tuple[HiddenResult, ...]:
    """Return how much of the hidden divisions of all books each variant finds; empty if there are none."""
    hidden = [hide(book) for book in books]
    if not any(places for hidden_book in hidden for places in hidden_book.starts.values()):
        return ()
    cut = Cutter()
    results = []
    for variant in variants:
        analyses = [cut(hidden_book.book, variant.domain, encoder) for hidden_book in hidden]
        results.append(_score_variant(variant.label, hidden, analyses, seed=seed))
    return tuple(results)


def are_found(analysis: Analysis, places: Sequence[int], cuts: Sequence[int]) -> NDArray[np.bool_]:
    """Return for each place whether a cut is at most one paragraph away, (n_places,).

    Args:
        places: numbers of the blocks that a division precedes, ascending, without 0.
        cuts: numbers of the sentences at which a chunk begins.
    """
    block_of_sentence = np.array([sentence.block for sentence in analysis.sentences])
    blocks = np.array(places, np.int64)
    # From the first sentence of the paragraph before to the first of the paragraph after, both included.
    first = np.searchsorted(block_of_sentence, blocks - 1)
    last = np.minimum(np.searchsorted(block_of_sentence, blocks + 1), len(block_of_sentence) - 1)
    ascending = np.sort(np.array(cuts, np.int64))
    n_cuts_before = np.searchsorted(ascending, first)
    n_cuts_up_to = np.searchsorted(ascending, last, side="right")
    found: NDArray[np.bool_] = n_cuts_before < n_cuts_up_to
    return found


def _score_variant(
    setting: str, hidden: Sequence[HiddenBook], analyses: Sequence[Analysis], *, seed: int
) -> HiddenResult:
    """Return how one variant does on all books, from its analysis of each."""
    qualities = [quality_of(analysis) for analysis in analyses]
    # The books in a language with a word list.
    judged = [quality for quality in qualities if quality.n_mid_thought is not None]
    # `n_mid_thought` leaves out the turns (`However`, where the topic changes), which are connectives too.
    n_openers = sum((quality.n_mid_thought or 0) + (quality.n_turns or 0) for quality in judged)
    n_chunks = sum(len(analysis.chunks) for analysis in analyses)
    n_cuts = sum(quality.n_cuts for quality in judged)
    n_words = sum(analysis.n_words for analysis in analyses)
    return HiddenResult(
        setting=setting,
        n_chunks=n_chunks,
        mean_words=n_words / max(1, n_chunks),
        share_mid_thought=n_openers / n_cuts if n_cuts else None,
        recalls={
            kind: _measure_recall([hidden_book.starts[kind] for hidden_book in hidden], analyses, seed=seed)
            for kind in KINDS
            if any(hidden_book.starts[kind] for hidden_book in hidden)
        },
    )


def _measure_recall(places_of: Sequence[Sequence[int]], analyses: Sequence[Analysis], *, seed: int) -> Recall:
    """Return what share of the divisions of one kind is found in all books."""
    # `places_of`: the places of each book: the numbers of the blocks that a division precedes.
    # `analyses`: the analyses of the same books, in the same order.
    # `seed`: the seed of the random orders of chunks that give `Recall.chance`.
    generator = np.random.default_rng(seed)
    found: list[NDArray[np.bool_]] = []
    chance: list[NDArray[np.float64]] = []
    n_exact = 0
    for places, analysis in zip(places_of, analyses, strict=True):
        cuts = [boundary.gap + 1 for boundary in analysis.segmentation.boundaries]
        found.append(are_found(analysis, places, cuts))
        cut_starts = {analysis.sentences[cut].start for cut in cuts}
        n_exact += len(cut_starts & _block_starts(analysis, places))
        n = len(analysis.sentences)
        controls = [are_found(analysis, places, shuffle_cuts(cuts, n, generator)) for _ in range(N_SHUFFLES)]
        chance.append(np.mean(controls, axis=0))
    values = np.concatenate(found).astype(np.float64)
    return Recall(
        n=len(values),
        found=bootstrap.mean(values),
        chance=float(np.concatenate(chance).mean()),
        exact=n_exact / len(values),
    )


def _block_starts(analysis: Analysis, places: Sequence[int]) -> set[int]:
    """Return the offsets at which the blocks with these numbers begin."""
    blocks = analysis.book.blocks
    return {blocks[place].start for place in places}
