"""Computes any sentence-transformers model through torch: on a GPU in half precision, if there is one."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings
from alexandria.embed.batches import PIECES_PER_BATCH, Batch, make_batches, pad_batch, prepare_ahead
from alexandria.embed.encoder import Counter, uncounted, unit_rows
from alexandria.embed.extra import require_extra
from alexandria.embed.graph.folder import MAX_WINDOW
from alexandria.embed.models.locate import DEFAULT_MODEL, Model
from alexandria.embed.neutral import CONSTANTS, read_constants
from alexandria.errors import ConfigError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

log = logging.getLogger(__name__)

GPUS = ("cuda", "mps")  # the types of torch's devices that are GPUs; ROCm's are called `cuda`, too
GPU_PIECES_PER_BATCH = 1 << 15
"""Word pieces of a batch on a GPU, padding included: enough to keep it busy, and half a gigabyte at most."""
TEXTS_PER_BLOCK = 1 << 14  # texts tokenised at once; their vectors leave the GPU together
N_SPECIAL = 2  # pieces that the model adds to a text: the marks at start and end


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
        self._batch_size = batch_size
        self._model = load_torch(model, precision)
        self._n_pieces = GPU_PIECES_PER_BATCH if self.is_on_gpu else PIECES_PER_BATCH
        self._tokenizer = _plain_tokenizer(self._model)
        self._thread = ThreadPoolExecutor(1)
        self._constants = read_constants(model.folder / CONSTANTS) if calibrated else None
        dim = self._model.get_embedding_dimension()
        if dim is None:
            raise ConfigError(
                f"cannot use the model {self.name}",
                why="it does not state the length of its vectors",
                fix="choose another sentence-transformers model",
            )
        self.dim: int = dim

    @property
    def is_on_gpu(self) -> bool:
        """Whether a GPU computes the model: CUDA, ROCm, or Apple's."""
        return self._model.device.type in GPUS

    def find_precision(self) -> Precision:
        """Return the number format of the model's weights."""
        types = {"torch.float16": Precision.F16, "torch.bfloat16": Precision.BF16}
        return types.get(str(next(self._model.parameters()).dtype), Precision.F32)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); text beyond the model's window is ignored (see `coverage`)."""
        return self.begin(texts)()

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return what `encode` returns: prompts are put before texts by `AdaptedEncoder`."""
        return self.encode(texts)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts in a thread; the function returned waits for their vectors."""
        return self._thread.submit(self._encode, list(texts), encoded).result

    def _encode(self, texts: list[str], encoded: Counter) -> Embeddings:
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        if self._tokenizer is None:
            vectors = self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        else:
            vectors = self._encode_in_batches(texts, encoded)
        rows = unit_rows(np.asarray(vectors, np.float32))
        return rows if self._constants is None else unit_rows(self._constants.project_out_language(rows))

    def _encode_in_batches(self, texts: list[str], encoded: Counter) -> NDArray[np.float32]:
        """Return (n_texts, dim), from batches of one width; the next block is tokenised meanwhile."""
        import torch

        vectors = np.empty((len(texts), self.dim), np.float32)
        starts = range(0, len(texts), TEXTS_PER_BLOCK)
        blocks = (texts[start : start + TEXTS_PER_BLOCK] for start in starts)
        with closing(prepare_ahead(self._tokenise, blocks)) as tokenised_blocks, torch.inference_mode():
            for start, pieces in zip(starts, tokenised_blocks, strict=True):
                # They stay on the GPU until the block is done: a copy would wait for each batch.
                computed = list(self._compute(pieces, np.arange(len(pieces))))
                members = np.concatenate([members for members, _ in computed])
                vectors[start + members] = torch.cat([rows for _, rows in computed]).cpu().numpy()
                encoded(sum(map(len, texts[start : start + TEXTS_PER_BLOCK])))
        return vectors

    def _compute(
        self, pieces: Sequence[NDArray[np.int64]], chosen: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], torch.Tensor]]:
        """Yield the chosen texts in batches, each with its vectors, (n_members, dim), on the device."""
        # If the device has too little memory for a batch, all further batches are half as large.
        lengths = [len(pieces[i]) for i in chosen]
        window = self._model.max_seq_length
        batches = make_batches(lengths, window, batch_size=self._batch_size, n_pieces=self._n_pieces)
        for batch in batches:
            batch = replace(batch, members=chosen[batch.members])
            try:
                yield batch.members, self._forward(batch, pieces)
            except RuntimeError as error:  # torch.OutOfMemoryError, and what MPS raises, are such
                if "out of memory" not in str(error) or batch.n_rows == 1:
                    raise
                self._batch_size, self._n_pieces = None, batch.n_rows * batch.width // 2
                log.warning("too little memory on the GPU: batches now have %d word pieces", self._n_pieces)
                remaining = [chosen[other.members] for other in batches]
                yield from self._compute(pieces, np.concatenate([batch.members, *remaining]))

    def _forward(self, batch: Batch, pieces: Sequence[NDArray[np.int64]]) -> torch.Tensor:
        """Return the vectors of a batch, (n_members, dim), in float32 on the device."""
        import torch

        ids, mask = pad_batch(batch, pieces, self._model.tokenizer.pad_token_id or 0)
        features: dict[str, Any] = {
            "input_ids": torch.from_numpy(ids).to(self._model.device, non_blocking=True),
            "attention_mask": torch.from_numpy(mask).to(self._model.device, non_blocking=True),
        }
        vectors: torch.Tensor = self._model(features)["sentence_embedding"]
        return vectors[: len(batch.members)].float()

    def _tokenise(self, texts: list[str]) -> list[NDArray[np.int64]]:
        """Return the ids of the word pieces of each text."""
        assert self._tokenizer is not None  # otherwise, the library tokenises
        return [np.array(text.ids, np.int64) for text in self._tokenizer.encode_batch_fast(texts)]

    def knows(self, word: str) -> bool:
        """Return whether the model has a word in one piece."""
        return len(self._model.tokenizer(word, add_special_tokens=False)["input_ids"]) == 1

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the share of each text's word pieces that fit into the model's window."""
        window = self._model.max_seq_length or MAX_WINDOW
        shares_read = np.ones(len(texts), np.float32)
        n_fitting = window - N_SPECIAL
        # A piece has at least one character: pieces are counted only in texts longer than the window.
        long_texts = [i for i, text in enumerate(texts) if len(text) > n_fitting]
        for i in long_texts:
            pieces = self._model.tokenizer(
                texts[i], add_special_tokens=False, truncation=False, verbose=False
            )
            n_pieces = len(pieces["input_ids"])
            shares_read[i] = min(1.0, n_fitting / max(n_pieces, 1))
        return shares_read


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
            f"cannot run the model {model.label} in int8",
            why="it runs on torch, and int8 needs OpenVINO",
            fix="--set precision=auto",
        )
    model.check()
    require_extra("sentence_transformers", what=f"cannot run the model {model.name} with torch")
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
    loaded.max_seq_length = min(loaded.max_seq_length or MAX_WINDOW, MAX_WINDOW)
    loaded.default_prompt_name = None  # prompts are applied to any backend (`AdaptedEncoder`)
    return _cast(loaded.eval(), precision)


def _plain_tokenizer(model: SentenceTransformer) -> Any:
    """Return a copy of a model's tokenizer that truncates and does not pad."""
    # None if the model is no transformer: the library then encodes the texts.
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None or type(model[0]).__name__ != "Transformer":
        return None
    tokenizer = copy.deepcopy(backend)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if model.max_seq_length is not None:
        tokenizer.enable_truncation(model.max_seq_length)
    return tokenizer


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
    on_gpu = model.device.type in GPUS
    if precision is Precision.F16 or (precision is Precision.AUTO and on_gpu):
        return model.half()
    return model.float()
