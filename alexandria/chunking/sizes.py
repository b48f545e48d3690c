"""What a strategy may know of the sentences besides their embeddings."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CHARACTERS_A_TOKEN = 4
"""A token is estimated as four characters, as the specifications do."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long each sentence is, where blocks begin, and where a chunk must begin."""

    words: NDArray[np.int64]  # (n_sentences,)
    characters: NDArray[np.int64]  # (n_sentences,)
    starts_block: NDArray[np.bool_]  # (n_sentences,): True where a paragraph begins
    breaks: tuple[int, ...] = ()
    """Sentences at which a chunk must begin whatever the topic: chapters and full sections; ascending, without 0."""

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the half-open runs of sentences between breaks; a strategy cuts inside each."""
        yield from pairwise((0, *self.breaks, len(self.words)))
