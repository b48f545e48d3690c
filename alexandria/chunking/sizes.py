"""What a strategy knows about the sentences besides their embeddings.

A cut falls before a sentence, which then begins a chunk; gap i lies between sentence i and sentence i + 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.chunking.cues.find import Cues, DeferredCues

CHARACTERS_PER_TOKEN = 4  # a token is estimated as four characters, as in the published descriptions


@dataclass(frozen=True, slots=True)
class Sizes:
    """The length of each sentence, where blocks begin, and where a chunk must or must not begin."""

    words: NDArray[np.int64]  # (n_sentences,)
    characters: NDArray[np.int64]  # (n_sentences,)
    starts_block: NDArray[np.bool_]  # (n_sentences,): True where a paragraph begins
    may_begin: NDArray[np.bool_]
    """(n_sentences,): False after a heading or a term, which belongs to the text after it, and at the
    signature of what stands before."""
    break_before: NDArray[np.bool_]  # (n_sentences,): True where the author set a break: a rule, asterisks
    breaks: tuple[int, ...] = ()
    """Sentences at which a chunk must begin, for a chapter or a long enough section; ascending, without 0."""
    cues: Cues = field(default_factory=dict)
    """What the text around each gap tells a reader, (n_sentences,) each; see `find_cues`."""

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the half-open spans of sentences between breaks; a strategy cuts inside each span."""
        yield from pairwise((0, *self.breaks, len(self.words)))

    def subset(self, first: int, stop: int) -> "Sizes":
        """Return the sizes of the sentences of one span, from `first` up to `stop`; no chapter ends in it."""
        span = slice(first, stop)
        return Sizes(
            words=self.words[span],
            characters=self.characters[span],
            starts_block=self.starts_block[span],
            may_begin=self.may_begin[span],
            break_before=self.break_before[span],
            cues=DeferredCues(lambda: {cue: strengths[span] for cue, strengths in self.cues.items()}),
        )

    def cut_before_headings(self, cut: int, begin: int) -> int:
        """Return `cut`, moved before any headings at the end of the chunk from `begin`.

        It is not moved if the chunk contains only headings.
        """
        moved = cut
        while moved > begin and not self.may_begin[moved]:
            moved -= 1
        return moved if moved > begin else cut


def prefix_sums(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the total size before each sentence, (n_sentences + 1,), the last of all sentences.

    The difference of two totals is the size of the sentences between them.
    """
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
