"""The rules for all strategies: a section begins a chunk, none exceeds the cap, a short tail is joined, and
what a chunk repeats from the one before it is stored separately from its text.

A cut falls before a sentence, which then begins a chunk; gap i lies between sentence i and sentence i + 1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import BlockKind, Book, Boundary, Reason, Sentence, count_words
from alexandria.chunking.cues.find import Cues, DeferredCues, find_cues, find_terms
from alexandria.chunking.packing import count_overlap_sentences, furthest_cut, join_short_tails
from alexandria.chunking.sizes import Sizes, prefix_sums

# A line with a dash before it, and no mark at its end but that of an initial: unlike a speech, it names who
# wrote what stands above.
_SIGNATURE = re.compile(r"(?:[—–―]|--)\s?[“‘\"«]?[^\W\d_].{,80}(?:[^\W_]|\b[^\W\d_]\.|(?<![.!?…])[”’\"»])")


def with_overlap(boundaries: Sequence[Boundary], sizes: Sizes, overlap_words: int) -> tuple[Boundary, ...]:
    """Return the boundaries, each with the number of sentences before it that the next chunk repeats.

    Nothing is repeated across a section, and no more than the chunk before holds. A boundary at which the
    strategy itself repeats sentences is left as it is.

    Args:
        boundaries: the boundaries of a book, ascending.
        overlap_words: words to repeat, at most; as many whole sentences as fit.
    """
    words_before = prefix_sums(sizes.words)
    begin = 0  # the first sentence of the chunk before the boundary
    overlapping = []
    for boundary in boundaries:
        cut = boundary.gap + 1
        overlap = boundary.overlap
        if boundary.reason is not Reason.SECTION and not overlap:
            overlap = count_overlap_sentences(words_before, begin, cut, overlap_words)
        overlapping.append(replace(boundary, overlap=overlap))
        begin = cut
    return tuple(overlapping)


def apply_limits(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the boundaries that the strategy, the sections and the cap call for, ascending.

    A last chunk of a span that is shorter than `min_words` joins the chunk before, if the cap allows. A
    strategy's cut after a heading is dropped: this may exceed the strategy's own limits, but never the cap.

    Args:
        boundaries: the boundaries that the strategy chose inside the spans, ascending.
        sizes: the sizes of the sentences; their `breaks` become section boundaries.
        similarities: (n_sentences - 1,), stored with the boundaries added here.
        min_words: the shortest tail that is a chunk of its own.
        max_words: the cap; only a single sentence can exceed it.
    """
    sections = (
        Boundary(gap=i - 1, similarity=float(similarities[i - 1]), threshold=None, reason=Reason.SECTION)
        for i in sizes.breaks
    )
    # `may_begin` is False after a heading.
    allowed = (boundary for boundary in boundaries if sizes.may_begin[boundary.gap + 1])
    cuts = sorted((*allowed, *sections), key=lambda boundary: boundary.gap)
    capped = list(_enforce_cap(cuts, sizes, similarities, max_words))
    return tuple(join_short_tails(capped, sizes, sizes.words, min_size=min_words, max_size=max_words))


def _enforce_cap(
    cuts: Sequence[Boundary], sizes: Sizes, similarities: NDArray[np.float32], max_words: int
) -> Iterator[Boundary]:
    """Yield the cuts, and further ones where a chunk between them would exceed the cap."""
    words_before = prefix_sums(sizes.words)
    begin = 0  # the first sentence of the chunk before the next cut
    for cut in (*cuts, None):  # None: the end of the book
        end = cut.gap + 1 if cut else len(sizes.words)
        for forced in _forced_starts(words_before, begin, end, max_words, sizes):
            yield Boundary(forced - 1, float(similarities[forced - 1]), None, Reason.MAX_SIZE)
            begin = forced
        if cut is None:
            return  # the end of the book is no boundary
        # A forced cut may have left fewer sentences before this one than it repeats.
        overlap = min(cut.overlap, end - begin)
        # Two sentences that do not fit into one chunk are separated by the cap, whatever the topic.
        fits = words_before[end + 1] - words_before[end - 1] <= max_words
        reason = cut.reason if fits or cut.reason is Reason.SECTION else Reason.MAX_SIZE
        yield replace(cut, overlap=overlap, reason=reason)
        begin = end


def _forced_starts(
    words_before: NDArray[np.int64], begin: int, end: int, max_words: int, sizes: Sizes
) -> Iterator[int]:
    """Yield the sentences at which to cut the chunk from `begin` to `end`; no part then exceeds the cap."""
    cut = furthest_cut(words_before, begin, end, max_words, sizes)
    while cut < end:
        yield cut
        cut = furthest_cut(words_before, cut, end, max_words, sizes)


def measure_sentences(
    book: Book,
    sentences: Sequence[Sentence],
    *,
    min_words: int,
    respect_sections: bool,
    cues: Cues | None = None,
) -> Sizes:
    """Return the sizes of a book's sentences, and where its chapters and sections require a cut.

    A chapter always breaks, and so does a section of any level that others wrote. A lower section breaks if
    there are at least `min_words` since the last break; a shorter last section of a chapter joins what
    precedes it. No break follows a heading directly: a part or section that is only a heading stays with the
    chapter after it.

    Args:
        min_words: the fewest words of a lower section that begins a chunk.
        respect_sections: False requires no cut anywhere.
        cues: the cues of the sentences; if not given, they are found when a strategy reads them.
    """
    words = np.array([count_words(book.text[s.start : s.end]) for s in sentences], np.int64)
    characters = np.array([s.end - s.start for s in sentences], np.int64)
    block_of = np.array([s.block for s in sentences], np.int64)
    starts_block = np.diff(block_of, prepend=-1) != 0
    blocks = book.blocks
    is_heading = np.array([blocks[s.block].kind is BlockKind.HEADING for s in sentences], np.bool_)
    in_block_after_break = np.array([blocks[s.block].break_before for s in sentences], np.bool_)
    may_begin = np.ones(len(sentences), np.bool_)
    may_begin[1:] = ~(is_heading | np.isin(block_of, list(find_terms(blocks))))[:-1]
    may_begin &= ~np.array([bool(_SIGNATURE.fullmatch(blocks[s.block].text)) for s in sentences], np.bool_)
    return Sizes(
        words=words,
        characters=characters,
        starts_block=starts_block,
        may_begin=may_begin,
        break_before=starts_block & in_block_after_break,
        breaks=_find_breaks(book, sentences, words, may_begin, min_words) if respect_sections else (),
        cues=DeferredCues(lambda: find_cues(book, sentences)) if cues is None else cues,
    )


def _find_breaks(
    book: Book,
    sentences: Sequence[Sentence],
    words: NDArray[np.int64],
    may_begin: NDArray[np.bool_],
    min_words: int,
) -> tuple[int, ...]:
    """Return the sentences at which a chunk must begin, by the rule of `measure_sentences`; ascending."""
    words_before = prefix_sums(words).tolist()
    breaks: list[int] = []
    last_is_section = False  # whether the last break begins a lower section, not a chapter

    def drop_short_section(stop: int) -> None:
        """Drop the last break if it begins a lower section that is too short; its chapter ends at `stop`."""
        if last_is_section and words_before[stop] - words_before[breaks[-1]] < min_words:
            breaks.pop()

    for i, (previous, this) in enumerate(pairwise(sentences), start=1):
        if this.section == previous.section:
            continue
        begin = breaks[-1] if breaks else 0
        # The sections between the two may have no sentences, and one of them may begin the chapter.
        last, *later = book.sections[previous.section : this.section + 1]
        if any(section.chapter or section.contribution != last.contribution for section in later):
            start = _first_heading(may_begin, i)
            if start > begin:  # otherwise only headings lie between, which belong to this chapter
                drop_short_section(start)
                breaks.append(start)
            last_is_section = False
        elif may_begin[i] and words_before[i] - words_before[begin] >= min_words:
            breaks.append(i)
            last_is_section = True
    drop_short_section(len(sentences))
    return tuple(breaks)


def _first_heading(may_begin: NDArray[np.bool_], i: int) -> int:
    """Return the first of the headings directly before sentence i, or i itself."""
    # `may_begin`: whether a chunk may begin with each sentence: not with one that directly follows a heading.
    while not may_begin[i]:
        i -= 1
    return i
