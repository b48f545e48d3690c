"""Computes a model as its authors mean it, with similarities like those of the default model.

A model for retrieval is trained with a prompt before each question and another before each passage; without
them, it finds less. And the similarities of many models lie between .6 and .95, so that a threshold that was
set for another model means nothing: so a share of the mean vector is taken out, as much as makes neighbouring
sentences of six books as alike, on average, as they are to the default model (docs/models.md).
"""

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings
from alexandria.embed.encoder import Counter, Encoder, ForwardingEncoder, uncounted, unit_rows
from alexandria.embed.models.locate import Model
from alexandria.system.cache import graphs_folder
from alexandria.system.files import write_durably

log = logging.getLogger(__name__)

NEIGHBOURS = 0.3311
"""The mean similarity of neighbouring sentences in `texts/neighbours.en.txt` to the default model."""
_TEXT = Path(__file__).with_name("texts") / "neighbours.en.txt"
_DECIMALS = 6
_HALVINGS = 20  # steps of the search for a share between 0 and 1


class AdaptedEncoder(ForwardingEncoder):
    """A model with its prompts, its vectors shortened and scaled as its `Adaptation` says."""

    def __init__(self, encoder: Encoder, model: Model) -> None:
        """Wrap the bare model; its scale is measured if this machine has not done so before."""
        self._encoder, self._prompts = encoder, model.adaptation
        self.name = model.name
        self._dim = model.adaptation.dimensions or encoder.dim
        self._scale = Scale(np.zeros(self.dim, np.float32), np.zeros(self.dim, np.float32))
        if model.adaptation.scaled:
            self._scale = _open_scale(model, self)

    @property
    def inner(self) -> Encoder:
        """The bare model."""
        return self._encoder

    @property
    def dim(self) -> int:
        """Length of a vector, shortened."""
        return self._dim

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, those of questions."""
        vectors = self._encoder.encode([self._prompts.query + text for text in texts])
        return self._adapt(vectors, self._scale.query)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors."""
        wait = self._encoder.begin(self._prompted(texts), encoded=encoded)
        return lambda: self._adapt(wait(), self._scale.passage)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits after its prompt."""
        return self._encoder.coverage(self._prompted(texts))

    def _prompted(self, texts: Sequence[str]) -> Sequence[str]:
        return [self._prompts.passage + text for text in texts] if self._prompts.passage else texts

    def _adapt(self, vectors: Embeddings, taken_out: NDArray[np.float32]) -> Embeddings:
        """Return the vectors of the bare model, shortened, without what is taken out, at length 1."""
        if self.dim < vectors.shape[1]:
            vectors = unit_rows(vectors[:, : self.dim])
        return unit_rows(vectors - taken_out) if taken_out.any() else vectors


@dataclass(frozen=True, slots=True)
class Scale:
    """What is taken out of vectors of length 1: a share of their mean; each is (dim,)."""

    passage: NDArray[np.float32]
    query: NDArray[np.float32]


def measure_scale(encoder: AdaptedEncoder) -> Scale:
    """Return the scale by which neighbouring sentences are as alike as they are to the default model.

    Nothing is taken out if they are less alike as they are.
    """
    by_book = [encoder.encode(sentences) for sentences in neighbours()]
    mean = np.mean([vectors.mean(axis=0) for vectors in by_book], axis=0)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        alike = np.mean([neighbour_similarity(unit_rows(vectors - share * mean)) for vectors in by_book])
        low, high = (share, high) if alike > NEIGHBOURS else (low, share)
    queries = np.mean([encoder.encode_queries(sentences).mean(axis=0) for sentences in neighbours()], axis=0)
    return Scale(*(np.asarray((low * of_kind).round(_DECIMALS), np.float32) for of_kind in (mean, queries)))


def neighbour_similarity(vectors: Embeddings) -> float:
    """Return the mean cosine similarity of each vector, (n, dim) of length 1, and the next one."""
    return float(np.einsum("ij,ij->i", vectors[1:], vectors[:-1]).mean())


@cache
def neighbours() -> tuple[tuple[str, ...], ...]:
    """Return sentences that follow each other, by book."""
    books = _TEXT.read_text(encoding="utf-8").split("\n\n")[1:]  # the first part says where they are from
    return tuple(tuple(book.splitlines()) for book in books)


def _open_scale(model: Model, encoder: AdaptedEncoder) -> Scale:
    """Return the scale that was measured with a model, or measure it: it lies beside the model's graph."""
    version = sha256(f"{model.name} {NEIGHBOURS}".encode() + _TEXT.read_bytes()).hexdigest()[:12]
    file = graphs_folder() / f"{model.digest}-scale-{version}" / "scale.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(file.read_text(encoding="utf-8"))
        return Scale(
            *(np.array(stored[kind], np.float32).reshape(encoder.dim) for kind in ("passage", "query"))
        )
    log.info("measuring how alike sentences are to the model %s (only once)", model.label)
    scale = measure_scale(encoder)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        content = {"passage": scale.passage.tolist(), "query": scale.query.tolist()}
        write_durably(file, json.dumps(content))
    return scale
