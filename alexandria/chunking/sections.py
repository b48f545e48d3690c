"""Where the divisions of a book itself require a cut, whatever the strategy."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book import BlockKind, Book, Sentence, count_words
from alexandria.chunking.cues import Cues, DeferredCues, find_cues
from alexandria.chunking.sizes import Sizes, prefix_sums


def measure_sentences(
    book: Book,
    sentences: Sequence[Sentence],
    *,
    min_words: int,
    respect_sections: bool,
    cues: Cues | None = None,
) -> Sizes:
    """Return the sizes of a book's sentences, and where its chapters and sections require a cut.

    A chapter always breaks. A lower section breaks if there are at least `min_words` since the last break;
    a shorter last section of a chapter joins what precedes it. No break follows a heading directly: a part
    or section that is only a heading stays with the chapter after it.

    Args:
        book: as extracted.
        sentences: all sentences of the book, in order.
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
    may_begin[1:] = ~is_heading[:-1]
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
        if any(section.chapter for section in book.sections[previous.section + 1 : this.section + 1]):
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
    """Return the first of the headings directly before sentence i, or i itself.

    Args:
        may_begin: whether a chunk may begin with each sentence: not with one that directly follows a heading.
        i: the sentence.
    """
    while not may_begin[i]:
        i -= 1
    return i
