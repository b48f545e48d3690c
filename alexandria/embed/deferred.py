"""Encoders that put off an expensive start: a model is loaded when first needed, a GPU used once it pays."""

import ctypes
import logging
import os
from collections.abc import Callable, Sequence
from threading import Lock

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings
from alexandria.embed.encoder import Counter, Encoder, ForwardingEncoder, uncounted

log = logging.getLogger(__name__)

MIN_TEXTS = 5_000
"""Sentences from which a GPU is worth its start, as torch alone takes five to twelve seconds to load: a long
book, or the second of a folder."""


class DeferredEncoder(ForwardingEncoder):
    """A model that is loaded into memory when it is first used."""

    def __init__(
        self,
        *,
        name: str,
        dim: int | None,
        cache_key: Callable[[], str],
        precision: Callable[[], Precision | None],
        load: Callable[[], Encoder],
    ) -> None:
        """Defer `load` until a vector is requested.

        Args:
            name: the name of the encoder that `load` returns.
            dim: the length of its vectors; None if that is only known once the encoder is loaded.
            cache_key: returns everything besides texts that decides vectors: equal keys give equal vectors.
            precision: returns the number format; None if that is only known once the model is loaded.
            load: called once, even if several threads request vectors.
        """
        self.name, self.cache_key = name, cache_key
        self._dim, self._precision, self._load = dim, precision, load
        self._encoder: Encoder | None = None
        self._loading, self._process = Lock(), os.getpid()

    @property
    def inner(self) -> Encoder:
        """The model, loaded."""
        return self._load_once()

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim or self.inner.dim

    def find_precision(self) -> Precision | None:
        """Return the number format of the model, which is loaded only if its format is not known before."""
        if self._encoder is None and (planned := self._precision()) is not None:
            return planned
        # A loaded model is asked, whatever was planned: loading may have shown that torch has to compute it.
        return self.inner.find_precision()

    def _load_once(self) -> Encoder:
        """Return the encoder, which the first call loads; so does the first one in a forked process."""
        if self._process != os.getpid():
            # The threads of a loaded model run in the parent only. Freeing it would wait for them: leak it.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._encoder))
            self._loading, self._process, self._encoder = Lock(), os.getpid(), None
        # Not a cached_property: since Python 3.12 it has no lock, and two threads would load two models.
        with self._loading:
            if self._encoder is None:
                self._encoder = self._load()
            return self._encoder


class ScalingEncoder(ForwardingEncoder):
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
    def inner(self) -> Encoder:
        """The model on the processor."""
        return self._on_processor

    def cache_key(self) -> str:
        """Return one key for both places, whose vectors differ by rounding alone."""
        return f"{self._on_processor.cache_key()} or a GPU"

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors."""
        self._n_texts += len(texts)
        if self._on_gpu is None and self._n_texts >= MIN_TEXTS:
            self._on_gpu = self._load_on_gpu() or self._on_processor
            if self._on_gpu is not self._on_processor:
                log.info("there is enough text for the GPU, which runs the model from here on")
        return (self._on_gpu or self._on_processor).begin(texts, encoded=encoded)

    def find_precision(self) -> Precision | None:
        """Return the number format of the place that computes texts now."""
        return (self._on_gpu or self._on_processor).find_precision()
