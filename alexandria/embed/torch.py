"""Computes any sentence-transformers model through torch: on a GPU in half precision, if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed.extra import require_extra
from alexandria.embed.locate import DEFAULT_MODEL, Model
from alexandria.embed.neutral import CONSTANTS, read_constants
from alexandria.embed.rows import unit_rows
from alexandria.errors import ConfigError
from alexandria.modes import Precision

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BATCH_SIZE = 32
"""The library's default; on a CPU, larger batches lose more by padding than they save."""

N_SPECIAL = 2
"""Pieces that the model adds to a text: the marks at start and end."""


class TorchEncoder:
    """A sentence-transformers model in memory, as an `Encoder`."""

    def __init__(
        self,
        model: Model,
        precision: Precision = Precision.AUTO,
        batch_size: int | None = None,
        *,
        calibrated: bool = True,
    ) -> None:
        """Load a model; if not `calibrated`, its language constants are ignored (see `neutral.py`)."""
        self.name = model.name
        self._batch_size = batch_size or BATCH_SIZE
        self._model = load_torch(model, precision)
        self._constants = read_constants(model.folder / CONSTANTS) if calibrated else None
        dim = self._model.get_embedding_dimension()
        if dim is None:
            raise ConfigError(
                f"cannot use the model {self.name}",
                why="it does not state the length of its vectors",
                fix="choose another sentence-transformers model",
            )
        self.dim: int = dim

    def find_precision(self) -> Precision:
        """Return the number format of the model's weights."""
        types = {"torch.float16": Precision.F16, "torch.bfloat16": Precision.BF16}
        return types.get(str(next(self._model.parameters()).dtype), Precision.F32)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); text beyond the model's window is ignored (see `coverage`)."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        vectors = self._model.encode(
            list(texts), batch_size=self._batch_size, convert_to_numpy=True, show_progress_bar=False
        )
        vectors = unit_rows(np.asarray(vectors, np.float32))
        if self._constants is None:
            return vectors
        return unit_rows(self._constants.project_out_language(vectors))

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the share of each text's word pieces that fit into the model's window."""
        window = self._model.max_seq_length
        covered = np.ones(len(texts), np.float32)
        if window is None:
            return covered
        n_fitting = window - N_SPECIAL
        # A piece has at least one character: pieces are counted only in texts longer than the window.
        long_texts = [i for i, text in enumerate(texts) if len(text) > n_fitting]
        for i in long_texts:
            pieces = self._model.tokenizer(
                texts[i], add_special_tokens=False, truncation=False, verbose=False
            )
            n_pieces = len(pieces["input_ids"])
            covered[i] = min(1.0, n_fitting / max(n_pieces, 1))
        return covered


def load_torch(
    model: Model, precision: Precision = Precision.AUTO, device: str | None = None
) -> SentenceTransformer:
    """Load a model with torch, on `device` or the fastest one available.

    The environment and the settings of the libraries stay unchanged: the host program may use them too.

    Raises:
        ConfigError: the weights are not the expected ones, or the library is missing or cannot load them.
    """
    if precision is Precision.INT8:
        raise ConfigError(
            f"cannot compute the model {model.label} in int8",
            why="torch computes it, and int8 is there with OpenVINO only",
            fix="--set precision=auto",
        )
    model.check()
    require_extra("sentence_transformers", what=f"cannot compute the model {model.name} with torch")
    from sentence_transformers import SentenceTransformer

    try:
        with _without_progress_bars():
            # Without `local_files_only`, the library looks local models up on the hub.
            loaded = SentenceTransformer(str(model.folder), device=device, local_files_only=True)
    except Exception as error:  # in a damaged folder, the library may stumble over anything
        raise ConfigError(
            f"cannot load the model {model.name}",
            why=str(error).splitlines()[0] if str(error) else type(error).__name__,
            fix=f"pass a folder with a sentence-transformers model, or use the packaged {DEFAULT_MODEL}",
        ) from error
    return _cast(loaded.eval(), precision)


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    """Hide the progress bars of transformers for the duration of the block."""
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # untyped there
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # untyped there


def _cast(model: SentenceTransformer, precision: Precision) -> SentenceTransformer:
    """Return the model in a precision; `auto` is f16 on a GPU and f32 on a CPU."""
    if precision is Precision.BF16:
        return model.bfloat16()
    on_gpu = model.device.type in ("cuda", "mps")
    if precision is Precision.F16 or (precision is Precision.AUTO and on_gpu):
        return model.half()
    return model.float()
