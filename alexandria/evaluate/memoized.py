"""An encoder that embeds no sentence twice: many variants cut the same sentences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.config import Domain
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.encoder import QueryEncoder


class MemoizedEncoder:
    """Wraps an encoder, and remembers the vectors that it has computed."""

    def __init__(self, encoder: Encoder) -> None:
        """Wrap an encoder; its vectors are remembered by text as long as this object exists."""
        self._encoder = encoder
        self.name = encoder.name
        self._position_of: dict[str, int] = {}
        self._vectors: Embeddings | None = None
        self._queries: dict[str, NDArray[np.float32]] = {}

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) vectors of length 1, in the order of the texts."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._position_of]
        # If most are missing, encode the whole list: the cache on disk is keyed by whole lists.
        most_are_missing = self._vectors is None or len(missing) > len(texts) / 2
        to_encode = list(texts) if most_are_missing else missing
        if to_encode:
            self._remember(to_encode, self._encoder.encode(to_encode))
        if self._vectors is None:  # nothing has been encoded yet, so there are no texts
            return np.empty((0, self.dim), np.float32)
        return self._vectors[[self._position_of[text] for text in texts]]

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) vectors of length 1 of questions, in the order of the texts."""
        if not isinstance(self._encoder, QueryEncoder):  # such an encoder embeds questions like texts
            return self.encode(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._queries]
        if missing:
            self._queries.update(zip(missing, self._encoder.encode_queries(missing), strict=True))
        vectors = [self._queries[text] for text in texts]
        # The shape is given because an array of no vectors is (0,), not (0, dim).
        return np.array(vectors, np.float32).reshape(len(texts), self.dim)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text that fits the model's window."""
        return self._encoder.coverage(texts)

    def _remember(self, texts: Sequence[str], vectors: Embeddings) -> None:
        """Remember the vectors of texts, (n_texts, dim), besides the vectors that are remembered already."""
        first = 0 if self._vectors is None else len(self._vectors)
        self._vectors = vectors if self._vectors is None else np.concatenate((self._vectors, vectors))
        for i, text in enumerate(texts):
            # The first vector wins: a text must keep its vector whatever else is encoded.
            self._position_of.setdefault(text, first + i)


def memoized_encoder(domain: Domain) -> MemoizedEncoder:
    """Return the domain's encoder; no sentence is embedded twice, in this run (memory) or the next (disk)."""
    return MemoizedEncoder(
        load_encoder(
            domain.model,
            backend=domain.backend,
            precision=domain.precision,
            batch_size=domain.batch_size,
            cache=True,
        )
    )
