"""Vectors from which a model's languages have been taken out.

To a multilingual model, two sentences of one language are alike before either says anything: with
multilingual-e5-small their cosine lies between .7 and .95, and thresholds that were set for another model
mean nothing. So what is common to all texts is subtracted, and the directions in which the languages differ
are projected out: what is left is the content.

The constants are measured on the texts in `texts/` (`KIND.LANGUAGE.txt`), the same in every language: the
thirty articles of the Universal Declaration of Human Rights, and sentences on many subjects as stories and
works of reference tell them, written and translated for this purpose.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.errors import ConfigError

CONSTANTS = "alexandria-languages.json"
"""In the folder of a model that `alexandria models calibrate` has calibrated."""
_TEXTS = Path(__file__).with_name("texts")
_DECIMALS = 6
_KINDS = ("rights", "stories", "facts")
_KEPT = 0.9
"""The share of what languages differ in that is taken out; the rest is the texts', and noise."""


@dataclass(frozen=True, slots=True)
class LanguageConstants:
    """What is taken out of the vectors of one model."""

    languages: tuple[str, ...]
    """ISO 639-1: the languages that it was measured on."""
    common: NDArray[np.float32]
    """(dim,), the mean vector of texts of all kinds."""
    directions: NDArray[np.float32]
    """(n_directions, dim), orthonormal: in what the languages differ."""

    def take_out(self, rows: Embeddings) -> NDArray[np.float32]:
        """Return (n, dim) rows of length 1 without what is common and what is a language; not normalised."""
        left = rows - self.common
        return np.asarray(left - (left @ self.directions.T) @ self.directions, np.float32)

    def take_out_in_graph(self, ops: Any, pooled: Any) -> Any:
        """Return OpenVINO's operations that do the same to (n_texts, dim) rows of any length.

        Sums of products instead of matrix products: those would be computed in fewer bits, and the
        differences that are left here are small.
        """
        last = np.array([-1])
        squares = ops.reduce_sum(ops.multiply(pooled, pooled), last, keep_dims=True)
        left = ops.subtract(ops.divide(pooled, ops.sqrt(squares)), ops.constant(self.common[None]))
        directions = ops.constant(self.directions[None])  # (1, n_directions, dim)
        products = ops.multiply(ops.unsqueeze(left, np.int64(1)), directions)
        along = ops.multiply(ops.reduce_sum(products, last, keep_dims=True), directions)
        return ops.subtract(left, ops.reduce_sum(along, np.array([1]), keep_dims=False))

    def to_json(self) -> str:
        """Return the content of a file that `read_constants` reads: one vector per line."""
        lines = [f'"languages": {json.dumps(self.languages)}', f'"common": {_row(self.common)}']
        directions = ",\n".join(map(_row, self.directions))
        return "{" + ",\n".join([*lines, f'"directions": [\n{directions}]']) + "}\n"


def _row(vector: NDArray[np.float32]) -> str:
    return json.dumps([round(float(number), _DECIMALS) for number in vector])


def read_constants(path: Path) -> LanguageConstants | None:
    """Return the constants in a file; None if there is none.

    Raises:
        ConfigError: the file is damaged.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        common, directions = (np.array(content[name], np.float32) for name in ("common", "directions"))
        if common.shape != directions.shape[1:] or not np.isfinite(common).all():
            raise ValueError("its vectors differ in length")
        return LanguageConstants(tuple(content["languages"]), common, directions)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"cannot read the language constants in {path}",
            why=str(error).partition("\n")[0],
            fix=f"delete the file, then run  alexandria models calibrate {path.parent}",
        ) from error


def measure_constants(encode: Callable[[Sequence[str]], Embeddings]) -> LanguageConstants:
    """Return the constants of a model.

    Args:
        encode: returns the model's own vectors of texts, (n_texts, dim), rows of length 1.
    """
    texts = {kind: parallel_texts(kind) for kind in _KINDS}
    means = {kind: np.stack([_mean(encode(own)) for own in of.values()]) for kind, of in texts.items()}
    # Each kind of text counts the same: what is left of one that did not would be a similarity of its own.
    differences = np.concatenate([rows - rows.mean(axis=0) for rows in means.values()])
    _, lengths, directions = np.linalg.svd(differences, full_matrices=False)
    shares = np.cumsum(lengths**2) / np.sum(lengths**2)
    return LanguageConstants(
        tuple(texts[_KINDS[0]]),
        np.asarray(np.mean([rows.mean(axis=0) for rows in means.values()], axis=0), np.float32),
        np.asarray(directions[: np.searchsorted(shares, _KEPT) + 1], np.float32),
    )


def parallel_texts(kind: str) -> Mapping[str, Sequence[str]]:
    """Return the same texts of a kind in each language, by ISO 639-1."""
    files = sorted(_TEXTS.glob(f"{kind}.*.txt"))
    return {file.name.split(".")[1]: file.read_text(encoding="utf-8").splitlines() for file in files}


def _mean(rows: Embeddings) -> NDArray[np.float64]:
    return np.asarray(rows.mean(axis=0, dtype=np.float64), np.float64)
