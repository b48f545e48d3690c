"""An encoder that embeds no sentence twice: many settings cut the same sentences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import Encoder


class Remembering:
    """Another encoder, with the rows that it has already made."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self._places: dict[str, int] = {}
        self._rows: Embeddings | None = None

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) rows of length 1, in the order of the texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._places]
        if self._rows is None or len(new) > len(texts) / 2:
            # The list as it is, not what is new in it: a cache on disk knows whole lists.
            new = list(texts)
        if new:
            self._keep(new, self._encoder.encode(new))
        rows: Embeddings = np.empty((0, self.dim), np.float32) if self._rows is None else self._rows
        return rows[[self._places[text] for text in texts]]

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text that the model's window holds."""
        return self._encoder.coverage(texts)

    def _keep(self, texts: Sequence[str], rows: Embeddings) -> None:
        first = 0 if self._rows is None else len(self._rows)
        self._rows = rows if self._rows is None else np.concatenate((self._rows, rows))
        for i, text in enumerate(texts):
            # What came first stays: the same text has the same row whatever else is asked.
            self._places.setdefault(text, first + i)
