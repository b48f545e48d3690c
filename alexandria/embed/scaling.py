"""Moves the work to a GPU once there is enough of it to make up for the GPU's start."""

import logging
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed.deferred import DeferredEncoder
from alexandria.embed.encoder import Counter, Encoder, begin_encoding, encode_queries, precision_of, uncounted
from alexandria.modes import Precision

log = logging.getLogger(__name__)

MIN_TEXTS = 5_000
"""Sentences from which a GPU is worth its start, as torch alone takes five to twelve seconds to load: a long
book, or the second of a folder."""


class ScalingEncoder:
    """A model on the processor, and on a GPU once this process has been given `MIN_TEXTS` texts."""

    def __init__(self, on_processor: DeferredEncoder, load_on_gpu: Callable[[], Encoder | None]) -> None:
        """Prepare to compute a model in two places; nothing is loaded yet.

        Args:
            on_processor: the model on the processor, where questions stay.
            load_on_gpu: loads it on the GPU; returns None if torch finds none after all.
        """
        self.name = on_processor.name
        self._on_processor, self._load_on_gpu = on_processor, load_on_gpu
        self._on_gpu: Encoder | None = None
        self._n_texts = 0

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._on_processor.dim

    def cache_key(self) -> str:
        """Return one key for both places, whose vectors differ by rounding alone."""
        return f"{self._on_processor.cache_key()} or a GPU"

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, in the order of the texts."""
        return self.begin(texts)()

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, those of questions."""
        return encode_queries(self._on_processor, texts)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors."""
        self._n_texts += len(texts)
        if self._on_gpu is None and self._n_texts >= MIN_TEXTS:
            self._on_gpu = self._load_on_gpu() or self._on_processor
            if self._on_gpu is not self._on_processor:
                log.info("there is enough text for the GPU, which runs the model from here on")
        return begin_encoding(self._on_gpu or self._on_processor, texts, encoded=encoded)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits into the model's window."""
        return self._on_processor.coverage(texts)

    def knows(self, word: str) -> bool:
        """Return whether the model has a word whole."""
        return self._on_processor.knows(word)

    def find_precision(self) -> Precision | None:
        """Return the number format of the place that computes texts now."""
        return precision_of(self._on_gpu or self._on_processor)
