"""The vectors of a point: their names, the check before they are written, and a point read back."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import isfinite
from struct import Struct, error
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Point, Sparse


class VectorName(StrEnum):
    """The vectors of a point, by their names in the collection."""

    DENSE = ""
    SENTENCES = "sentences"
    BM25 = "bm25"


def check_vectors(points: Sequence[Point], dim: int) -> None:
    """Refuse points with vectors that no store should accept.

    Raises:
        ValueError: a vector does not have `dim` finite numbers.
    """
    for point in points:
        rows = point.sentences
        valid = point.dense.shape == (dim,) and _finite(point.dense)
        if not valid or (rows is not None and not (rows.shape[1:] == (dim,) and _finite(rows))):
            raise ValueError(f"point {point.id} has a vector that is not {dim} finite numbers")
        if not all(map(isfinite, point.bm25.values)):
            raise ValueError(f"point {point.id} has a BM25 weight that is not a finite number")


def are_valid(points: Sequence[Point], dim: int) -> bool:
    """Return whether `check_vectors` accepts the points."""
    try:
        check_vectors(points, dim)
    except ValueError:
        return False
    return True


def vector_sum(point: Point) -> float:
    """Return the sum of all numbers of a point's vectors, each weighted by the sine of its position.

    Numbers, rows or words that were changed or exchanged change it; two machines may differ in it by 1e-5, so
    that a smaller change is not told from that. Rows count with length 1: local mode scales them when it
    writes, but not when it reads. The position of a BM25 weight is the number of its word.
    """
    dense, rows = _of_length_1(point.dense[np.newaxis]), point.sentences
    numbers = dense if rows is None else np.concatenate([dense, _of_length_1(rows)])
    words = _dot(np.asarray(point.bm25.values), np.sin(np.asarray(point.bm25.indices, np.float64)))
    return round(_dot(numbers.ravel(), np.sin(np.arange(1.0, numbers.size + 1))) + words, 6)


def _dot(left: NDArray[np.floating], right: NDArray[np.floating]) -> float:
    # Not `@`: the threads of OpenBLAS share each long product, then wait busily for the next one. While
    # others compute on all processors, that took twenty times as long.
    return float(np.einsum("i,i", left, right))


def _of_length_1(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    exact = rows.astype(np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(exact, axis=1, keepdims=True)
    return exact / np.maximum(lengths, np.finfo(np.float32).tiny)


def _finite(numbers: NDArray[np.floating]) -> bool:
    # The dot product is not finite if any number is not, and takes a third of the time of testing each.
    return isfinite(_dot(numbers.ravel(), numbers.ravel()))


def stored_point(id: object, vector: object, payload: Mapping[str, Any]) -> Point:
    """Return a point from what either Qdrant package has read; a missing vector becomes an empty one."""
    vectors = named_vectors(vector)
    terms = vectors.get(VectorName.BM25)
    return Point(
        id=str(id),
        dense=np.asarray(vectors.get(VectorName.DENSE, ()), np.float32),
        sentences=sentence_rows(vector),
        bm25=Sparse(tuple(terms.indices), tuple(terms.values)) if terms else Sparse((), ()),
        payload=payload,
    )


def sentence_rows(vector: object) -> NDArray[np.float32] | None:
    """Return the sentence vectors among those of a stored point, (n_sentences, dim); None if it has none."""
    rows = named_vectors(vector).get(VectorName.SENTENCES)
    return _to_array(rows) if rows else None


def _to_array(rows: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    """Return rows of numbers as an array: as numpy makes it of them, in less than half the time."""
    try:
        dim = len(rows[0])
        pack = Struct(f"{dim}f").pack
        packed = bytearray().join([pack(*row) for row in rows])
    except (error, OverflowError, TypeError):  # of different lengths, beyond float32, or no rows of numbers
        return np.asarray(rows, np.float32)
    return np.frombuffer(packed, np.float32).reshape(len(rows), dim)


def named_vectors(vector: object) -> Mapping[str, Any]:
    """Return the vectors of a stored point by name: a lone unnamed one is returned bare by the engines."""
    if isinstance(vector, Mapping):
        return vector
    return {} if vector is None else {VectorName.DENSE: vector}
