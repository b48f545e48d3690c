"""Any sentence-transformers model, through torch: on a GPU where there is one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import DEFAULT_MODEL
from alexandria.embed.packaged import DIM, WEIGHTS_SHA256, packaged_model
from alexandria.embed.rows import unit_rows
from alexandria.errors import ConfigError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BATCH_SIZE = 32


class TransformerEncoder:
    """A sentence-transformers model as an `Encoder`; loaded when first asked for a vector or its length."""

    def __init__(self, name: str, where: str, dim: int | None = None) -> None:
        self.name, self._where, self._dim = name, where, dim

    @classmethod
    def find(cls, model: str) -> TransformerEncoder:
        """Find the packaged model, a folder, or else take the name for one of the hub's.

        Raises:
            ConfigError: the packaged model is missing or altered, or the folder holds no weights.
        """
        if model == DEFAULT_MODEL:
            return cls(f"{model}@{WEIGHTS_SHA256[:12]}", str(packaged_model()), DIM)
        folder = Path(model)
        if folder.is_dir():
            return cls(f"{folder.resolve().name}@{_weights_digest(folder)}", model)
        return cls(model, model)

    @cached_property
    def _model(self) -> SentenceTransformer:
        return _load(self._where, self.name)

    @cached_property
    def dim(self) -> int:
        """Length of a vector.

        Raises:
            ConfigError: the model cannot be loaded, or does not say.
        """
        dim = self._dim or self._model.get_embedding_dimension()
        if dim is None:
            raise ConfigError(
                f"cannot use the model {self.name}",
                why="it does not say how long its vectors are",
                fix="choose another sentence-transformers model",
            )
        return dim

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); what lies beyond the model's window is not read (see `coverage`)."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        rows = self._model.encode(
            list(texts), batch_size=BATCH_SIZE, convert_to_numpy=True, show_progress_bar=False
        )
        return unit_rows(np.asarray(rows))

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the share of each text's word pieces that fit into the model's window."""
        window = self._model.max_seq_length
        shares = np.ones(len(texts), np.float32)
        if window is None:
            return shares
        # A piece is at least one character: a text shorter than the window needs no counting.
        long = [i for i, text in enumerate(texts) if len(text) > window - 2]
        for i in long:
            pieces = self._model.tokenizer(
                texts[i], add_special_tokens=False, truncation=False, verbose=False
            )
            n_pieces = len(pieces["input_ids"])
            shares[i] = min(1.0, (window - 2) / max(n_pieces, 1))  # 2: the marks at start and end
        return shares


def _load(where: str, name: str) -> SentenceTransformer:
    # The library reports its loading with progress bars and asks the hub for news even of local models.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if Path(where).is_dir():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import transformers
    from sentence_transformers import SentenceTransformer

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # untyped there
    try:
        return SentenceTransformer(where)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(
            f"cannot load the model {name}",
            why=str(error).splitlines()[0] if str(error) else type(error).__name__,
            fix=f"give a folder with a sentence-transformers model, or use the packaged {DEFAULT_MODEL}",
        ) from error


def _weights_digest(folder: Path) -> str:
    """Return a short hash of a folder's weights: two models of one name are not to be confused."""
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))
    if not files:
        raise ConfigError(
            f"cannot load the model {folder}",
            why="the folder holds no weights (*.safetensors, *.bin)",
            fix="give the folder that holds modules.json and the weights",
        )
    with files[0].open("rb") as weights:
        return file_digest(weights, "sha256").hexdigest()[:12]
