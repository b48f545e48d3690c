"""A few unusual texts by which two computations of a model are compared."""

import numpy as np

from alexandria.book import Embeddings
from alexandria.embed.encoder import Encoder

# Faults of tokenizers and masks show in such texts: short, long, cased, accented, unspaced, empty, too long.
PROBES = (
    "What is knowledge?",
    "  ÉCOLE, naïve — 東京は大きい。 ﬁn\u00adal\tend…",
    "",
    "The appearance of a table changes with the light and with the place from which it is seen. " * 3,
    "the same words over and over " * 200,
)
MIN_COSINE = 0.9999
"""The lowest cosine similarity to the model's own vectors that is accepted. Rounding leaves .9999999 in
float32 and .99999 in f16; a wrong pooling, tokenizer or mask costs .01 or more."""


def lowest_cosine(encoder: Encoder, expected: Embeddings) -> float:
    """Return the lowest cosine similarity of a vector from the encoder to the expected one, in [-1, 1].

    It is -1 if the encoder fails because numbers are too large for its precision.

    Args:
        encoder: the encoder to check.
        expected: the model's own vectors of `PROBES`, (n_probes, dim), of length 1.
    """
    try:
        vectors = encoder.encode(PROBES)
    except FloatingPointError:
        return -1.0
    return float(np.sum(vectors * expected, axis=1).min())
