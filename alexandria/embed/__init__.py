"""Sentences become unit vectors.

To add an encoder: write `embed/<name>.py` with a class that answers `Encoder`, and a line in `load_encoder`.
Heavy packages are imported inside, so that a command which embeds nothing never loads them.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings

DEFAULT_MODEL = "all-MiniLM-L6-v2"


class Encoder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Its identity: encoders of one name give the same vectors; a collection is bound to it."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 rows of length 1, in the order of the texts."""
        ...

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that the model's window holds."""
        ...


def load_encoder(model: str = DEFAULT_MODEL) -> Encoder:
    """Return the encoder for a model: the packaged one, a sentence-transformers name or folder, or `hashing`.

    Raises:
        ConfigError: the model is not on this machine and cannot be fetched, or is not what it should be.
    """
    if model == "hashing":
        from alexandria.embed.hashing import HashingEncoder

        return HashingEncoder()
    from alexandria.embed.transformer import TransformerEncoder

    return TransformerEncoder.find(model)
