"""Takes the language of a text out of its vector, so that only the content is compared.

To a multilingual model, two sentences of one language are alike before either says anything: with
multilingual-e5-small their cosine lies between .7 and .95, and thresholds that were set for another model
mean nothing. So the mean vector of all texts is subtracted, and the directions in which the languages differ
are projected out.

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

from alexandria.book.model import Embeddings
from alexandria.errors import ConfigError

CONSTANTS = "alexandria-languages.json"
"""File in the folder of a model that `alexandria models calibrate` has calibrated."""
_TEXTS = Path(__file__).with_name("texts")
_DECIMALS = 6  # decimals of the numbers in the file
_KINDS = ("rights", "stories", "facts")  # the kinds of parallel texts, as in the names of their files
_EXPLAINED_VARIANCE = 0.9
"""Share of the variance between languages that is taken out; the rest is due to the texts, and to noise."""


@dataclass(frozen=True, slots=True)
class LanguageConstants:
    """The mean vector and the directions that are taken out of the vectors of one model."""

    languages: tuple[str, ...]  # the languages on which they were measured, by ISO 639-1
    common: NDArray[np.float32]  # (dim,), the mean vector of texts of all kinds
    directions: NDArray[np.float32]
    """(n_directions, dim), orthonormal: the directions in which the languages differ."""

    def project_out_language(self, vectors: Embeddings) -> NDArray[np.float32]:
        """Return vectors, (n, dim), of length 1, minus the mean and with the language projected out.

        The vectors returned differ in length.
        """
        centred = vectors - self.common
        return np.asarray(centred - (centred @ self.directions.T) @ self.directions, np.float32)

    def project_out_language_in_graph(self, ops: Any, pooled: Any) -> Any:
        """Return what `project_out_language` computes as operations of OpenVINO, for vectors of any length.

        `pooled` is the node of the graph that gives these vectors, (n_texts, dim).

        Sums of products take the place of matrix products, which OpenVINO may compute in fewer bits: the
        differences that are left here are small.
        """
        last_axis = np.array([-1])
        squares = ops.reduce_sum(ops.multiply(pooled, pooled), last_axis, keep_dims=True)
        units = ops.divide(pooled, ops.sqrt(squares))
        centred = ops.subtract(units, ops.constant(self.common[None]))
        directions = ops.constant(self.directions[None])  # (1, n_directions, dim)
        products = ops.multiply(ops.unsqueeze(centred, np.int64(1)), directions)
        lengths = ops.reduce_sum(products, last_axis, keep_dims=True)  # (n_texts, n_directions, 1)
        components = ops.multiply(lengths, directions)
        return ops.subtract(centred, ops.reduce_sum(components, np.array([1]), keep_dims=False))

    def to_json(self) -> str:
        """Return the constants as `read_constants` reads them: one vector per line."""
        lines = [f'"languages": {json.dumps(self.languages)}', f'"common": {_to_json(self.common)}']
        directions = ",\n".join(map(_to_json, self.directions))
        return "{" + ",\n".join([*lines, f'"directions": [\n{directions}]']) + "}\n"


def _to_json(vector: NDArray[np.float32]) -> str:
    return json.dumps([round(float(number), _DECIMALS) for number in vector])


def read_constants(path: Path) -> LanguageConstants | None:
    """Return the constants in a file, or None if there is none.

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
        encode: returns the model's own vectors of texts, (n_texts, dim), of length 1.
    """
    texts = {kind: parallel_texts(kind) for kind in _KINDS}
    means = {  # by kind, (n_languages, dim)
        kind: np.stack([_mean(encode(texts_of_language)) for texts_of_language in texts[kind].values()])
        for kind in _KINDS
    }
    # The kinds of text are centred one by one: otherwise, the kind of a text would count as its language.
    differences = np.concatenate([vectors - vectors.mean(axis=0) for vectors in means.values()])
    _, singular_values, directions = np.linalg.svd(differences, full_matrices=False)
    explained = np.cumsum(singular_values**2) / np.sum(singular_values**2)
    n_directions = int(np.searchsorted(explained, _EXPLAINED_VARIANCE)) + 1  # the fewest with this share
    mean = np.mean([vectors.mean(axis=0) for vectors in means.values()], axis=0)  # kinds weigh the same
    return LanguageConstants(
        languages=tuple(texts[_KINDS[0]]),
        common=np.asarray(mean, np.float32),
        directions=np.asarray(directions[:n_directions], np.float32),
    )


def parallel_texts(kind: str) -> Mapping[str, Sequence[str]]:
    """Return the same texts of a kind in each language, by ISO 639-1."""
    files = sorted(_TEXTS.glob(f"{kind}.*.txt"))
    return {file.name.split(".")[1]: file.read_text(encoding="utf-8").splitlines() for file in files}


def _mean(vectors: Embeddings) -> NDArray[np.float64]:
    return np.asarray(vectors.mean(axis=0, dtype=np.float64), np.float64)
