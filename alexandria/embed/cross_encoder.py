"""Cross-encoders: models that read a question and a passage together, and score how well it answers.

The model is in a folder of the user's. OpenVINO computes it if its architecture is known here, otherwise
torch (extra `models`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from alexandria.embed.extra import require_extra
from alexandria.embed.graph.folder import import_openvino
from alexandria.embed.models.locate import name_of
from alexandria.errors import ConfigError

BATCH = 8  # pairs computed at once. They are of similar lengths, so there is little padding.


class CrossEncoder(Protocol):
    """A model that scores passages for a question."""

    @property
    def name(self) -> str:
        """Its folder's name, and a hash of its files."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,); higher is better. A text that exceeds the window scores as its best part."""
        ...


def load_cross_encoder(folder: Path) -> CrossEncoder:
    """Load the cross-encoder in a folder in the layout of transformers.

    Raises:
        ConfigError: there is no such model, it needs packages that are not installed, or it cannot be loaded.
    """
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"cannot rank with {folder}",
            why="it is not a folder with a model" if folder.is_dir() else "there is no such folder",
            fix="name the folder of a cross-encoder: config.json, model.safetensors, tokenizer.json",
        )
    from alexandria.embed.graph.blueprint import UnknownModelError

    try:
        return OpenVinoCrossEncoder(folder)
    except UnknownModelError as error:
        require_extra(
            "sentence_transformers", what=f"cannot rank with {folder}", why=f"only torch can ({error})"
        )
        return TorchCrossEncoder(folder)


class OpenVinoCrossEncoder:
    """A cross-encoder on the processor, without torch."""

    def __init__(self, folder: Path) -> None:
        """Build the graph of the model in a folder.

        Raises:
            UnknownModelError: the architecture is not known here; the message says why.
        """
        from tokenizers import Tokenizer

        from alexandria.embed.graph.bert import build_ranker
        from alexandria.embed.graph.blueprint import read_ranker_blueprint
        from alexandria.embed.graph.build import load_weights

        self.name = name_of(folder)
        blueprint = read_ranker_blueprint(folder)
        self._is_sigmoid = _is_sigmoid(folder)
        network = build_ranker(blueprint, load_weights(blueprint.weights))
        # f32: the same ranking on every processor.
        self._network = (
            import_openvino().Core().compile_model(network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        )
        self._tokenizer = Tokenizer.from_file(str(blueprint.tokenizer))
        self._tokenizer.no_padding()
        self._pad, self._window = blueprint.pad, blueprint.window

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,), by the model's activation; a text in several parts scores as the best one."""
        if not texts:
            return np.zeros(0, np.float32)
        parts_of_texts = self._encode_pairs(query, texts)
        parts = [part for parts_of_text in parts_of_texts for part in parts_of_text]
        n_parts = [len(parts_of_text) for parts_of_text in parts_of_texts]
        scores = np.empty(len(parts), np.float32)
        by_length = np.argsort([len(part.ids) for part in parts], kind="stable")  # indices of parts
        for start in range(0, len(parts), BATCH):
            members = by_length[start : start + BATCH]
            scores[members] = self._compute([parts[i] for i in members])
        first_parts = np.cumsum([0, *n_parts[:-1]])  # the index of the first part of each text
        best = np.maximum.reduceat(scores, first_parts)
        return np.asarray(1 / (1 + np.exp(-best)) if self._is_sigmoid else best, np.float32)

    def _encode_pairs(self, query: str, texts: Sequence[str]) -> list[list[Any]]:
        """Return the pairs of question and text as word pieces, each pair in parts that fit into the window.

        Every part of a pair has the question and a part of the text; a question that takes more than half the
        window is cut off there.
        """
        self._tokenizer.no_truncation()
        question = self._tokenizer.encode(query, add_special_tokens=False)
        max_pieces = self._window // 2
        if len(question.ids) > max_pieces:
            _, end_of_last_piece = question.offsets[max_pieces - 1]
            query = query[:end_of_last_piece]
        self._tokenizer.enable_truncation(self._window, strategy="only_second")
        encoded = self._tokenizer.encode_batch([(query, text) for text in texts])
        return [[pair, *pair.overflowing] for pair in encoded]

    def _compute(self, parts: Sequence[Any]) -> NDArray[np.float32]:
        """Return the scores of encoded pairs, (n_parts,), computed as one batch."""
        width = max(len(part.ids) for part in parts)
        ids = np.full((len(parts), width), self._pad, np.int64)
        mask, token_types = np.zeros_like(ids), np.zeros_like(ids)
        for row, part in enumerate(parts):
            n_pieces = len(part.ids)
            ids[row, :n_pieces] = part.ids
            mask[row, :n_pieces] = 1
            token_types[row, :n_pieces] = part.type_ids
        return np.asarray(self._network([ids, mask, token_types])[0][:, 0], np.float32)


def _is_sigmoid(folder: Path) -> bool:
    """Return whether the scores of the cross-encoder in a folder go through a sigmoid, as is usual.

    Raises:
        UnknownModelError: they go through something else.
    """
    from alexandria.embed.graph.blueprint import UnknownModelError, read_object

    config = read_object(folder / "config.json")
    named = (config.get("sentence_transformers") or {}).get("activation_fn")
    kind = str(named or config.get("sbert_ce_default_activation_function") or "Sigmoid").rpartition(".")[2]
    if kind not in ("Sigmoid", "Identity"):
        raise UnknownModelError(f"its activation is {kind}")
    return kind == "Sigmoid"


class TorchCrossEncoder:
    """Any cross-encoder of sentence-transformers, through torch; it ignores the end of a long text."""

    def __init__(self, folder: Path) -> None:
        """Load the model in a folder.

        Raises:
            ConfigError: the model cannot be loaded.
        """
        from sentence_transformers import CrossEncoder as Loaded

        self.name = name_of(folder)
        try:
            self._model = Loaded(str(folder), local_files_only=True)
        except Exception as error:  # in a damaged folder, the library may stumble over anything
            raise ConfigError(
                f"cannot rank with {folder}",
                why=str(error).splitlines()[0] if str(error) else type(error).__name__,
                fix="name the folder of a cross-encoder: config.json, model.safetensors, tokenizer.json",
            ) from error

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,), as the model's classifier gives them.

        Raises:
            ConfigError: the model gives several scores per pair, as classifiers of several classes do.
        """
        pairs = [(query, text) for text in texts]
        scores = np.asarray(self._model.predict(pairs, show_progress_bar=False), np.float32)
        if scores.ndim != 1:
            raise ConfigError("cannot rank with this model", why="it gives several scores per pair")
        return scores
