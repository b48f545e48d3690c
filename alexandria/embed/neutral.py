"""Vectors from which a model's languages have been taken out.

To a multilingual model, two sentences of one language are alike before either says anything: with
multilingual-e5-small their cosine lies between .7 and .95, and thresholds that were set for another model
mean nothing. So what is common to all texts is subtracted, and the directions in which the languages differ
are projected out: what is left is the content.

The constants are measured on the texts in `texts/`: the thirty articles of the Universal Declaration of Human
Rights, which differ in nothing but the language (`rights.LANGUAGE.txt`), and English sentences on many
subjects, written for this purpose (`stories.txt`, `facts.txt`).
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
_LEAST = 1e-3
"""Directions shorter than this share of the longest are rounding."""


@dataclass(frozen=True, slots=True)
class LanguageConstants:
    """What is taken out of the vectors of one model."""

    languages: tuple[str, ...]
    """ISO 639-1: the languages that it was measured on."""
    common: NDArray[np.float32]
    """(dim,), the mean vector of texts of all kinds."""
    directions: NDArray[np.float32]
    """(at most n_languages − 1, dim), orthonormal: in what the languages differ."""

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
    means = {language: _mean(encode(texts)) for language, texts in parallel_texts().items()}
    rows = np.stack(list(means.values()))
    _, lengths, directions = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    # Each kind of text counts the same: what is left of one that did not would be a similarity of its own.
    kinds = [rows.mean(axis=0), *(_mean(encode(_lines(f"{kind}.txt"))) for kind in ("stories", "facts"))]
    return LanguageConstants(
        tuple(means),
        np.asarray(np.mean(kinds, axis=0), np.float32),
        np.asarray(directions[lengths > _LEAST * lengths[0]], np.float32),
    )


def parallel_texts() -> Mapping[str, Sequence[str]]:
    """Return the same texts in each language, by ISO 639-1."""
    names = sorted(path.name for path in _TEXTS.glob("rights.*.txt"))
    return {name.split(".")[1]: _lines(name) for name in names}


def _lines(name: str) -> list[str]:
    return (_TEXTS / name).read_text(encoding="utf-8").splitlines()


def _mean(rows: Embeddings) -> NDArray[np.float64]:
    return np.asarray(rows.mean(axis=0, dtype=np.float64), np.float64)
