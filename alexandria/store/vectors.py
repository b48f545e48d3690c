"""The vectors of points: the check before a write, their checksum, and how they are read."""

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from alexandria.book.model import Point, Sparse
from alexandria.store.plan import VectorName

if TYPE_CHECKING:  # slow to import, and not needed by commands that look only at the catalog
    import numpy as np
    from numpy.typing import NDArray


def check_vectors(points: Sequence[Point], dim: int) -> None:
    """Refuse points with vectors that no store should accept.

    Raises:
        ValueError: a vector does not have `dim` finite numbers.
    """
    for point in points:
        sentences = point.sentences
        is_valid = point.dense.shape == (dim,) and _all_finite(point.dense)
        if sentences is not None:
            is_valid = is_valid and sentences.shape[1:] == (dim,) and _all_finite(sentences)
        if not is_valid:
            raise ValueError(f"point {point.id} has a vector that is not {dim} finite numbers")
        if not all(map(isfinite, point.bm25.values)):
            raise ValueError(f"point {point.id} has a BM25 weight that is not a finite number")


def vector_sum(point: Point) -> float:
    """Return the sum of all numbers of a point's vectors, each weighted by the sine of its position.

    The sum serves as a checksum: it differs if numbers, vectors or words were changed or exchanged. Two
    machines may round it differently, by up to 1e-5: smaller changes are not detected. Each vector is scaled
    to length 1 first: local mode scales vectors when it writes, but not when it reads. The position of a BM25
    weight is the id of its term.
    """
    import numpy as np

    numbers = _to_unit_rows(point.dense[np.newaxis])
    if point.sentences is not None:
        numbers = np.concatenate([numbers, _to_unit_rows(point.sentences)])
    bm25_sum = _dot(np.asarray(point.bm25.values), np.sin(np.asarray(point.bm25.indices, np.float64)))
    return round(_dot(numbers.ravel(), _sines(numbers.size)) + bm25_sum, 6)


def _sines(n: int) -> "NDArray[np.float64]":
    """Return the sines of 1, 2, … n, kept for the points of a book."""
    return _sines_up_to(-(-n // _SINES_STEP) * _SINES_STEP)[:n]


_SINES_STEP = 1 << 16


@lru_cache(2)
def _sines_up_to(n: int) -> "NDArray[np.float64]":
    import numpy as np

    sines: NDArray[np.float64] = np.sin(np.arange(1.0, n + 1))
    return sines


def _dot(left: "NDArray[np.floating]", right: "NDArray[np.floating]") -> float:
    import numpy as np

    # Not `@`: OpenBLAS splits a long product between threads, which then wait busily for the next one. While
    # other programs compute on all processors, that took twenty times as long.
    return float(np.einsum("i,i", left, right))


def _to_unit_rows(rows: "NDArray[np.floating]") -> "NDArray[np.float64]":
    """Return rows scaled to length 1; rows of zeros stay zero."""
    import numpy as np

    exact = rows.astype(np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(exact, axis=1, keepdims=True)
    # `tiny` prevents a division by zero. The numbers come from float32, so only rows of zeros are shorter.
    return exact / np.maximum(lengths, np.finfo(np.float32).tiny)


def _all_finite(numbers: "NDArray[np.floating]") -> bool:
    # The dot product is not finite if any number is not, and takes a third of the time of testing each.
    return isfinite(_dot(numbers.ravel(), numbers.ravel()))


def make_point(id: object, vector: object, payload: Mapping[str, Any]) -> Point:
    """Return a point from id, vectors and payload as either Qdrant package returns them.

    A missing vector becomes an empty one.
    """
    import numpy as np

    vectors = named_vectors(vector)
    bm25 = vectors.get(VectorName.BM25)
    return Point(
        id=str(id),
        dense=np.asarray(vectors.get(VectorName.DENSE, ()), np.float32),
        sentences=sentence_vectors_of(vector),
        bm25=Sparse(tuple(bm25.indices), tuple(bm25.values)) if bm25 else Sparse((), ()),
        payload=payload,
    )


def sentence_vectors_of(vector: object) -> "NDArray[np.float32] | None":
    """Return the sentence vectors of a stored point, (n_sentences, dim), or None if it has none."""
    numbers = named_vectors(vector).get(VectorName.SENTENCES)
    return _to_array(numbers) if numbers else None


def _to_array(rows: Sequence[Sequence[float]]) -> "NDArray[np.float32]":
    """Return rows of numbers as an array, as `np.asarray` does, in less than half the time."""
    import numpy as np

    try:
        dim = len(rows[0])
        pack = struct.Struct(f"{dim}f").pack
        packed = bytearray().join([pack(*row) for row in rows])  # not bytes: the array must be writable
    except (struct.error, OverflowError, TypeError):
        # Rows of several lengths, or numbers that a float32 cannot hold: numpy decides what to make of them.
        return np.asarray(rows, np.float32)
    return np.frombuffer(packed, np.float32).reshape(len(rows), dim)


def rarities_of(terms: Sequence[int], nearest: Sequence[Sequence[Any]]) -> dict[int, float | None]:
    """Return the inverse document frequency of terms: the score of a point for one, by its weight there.

    Args:
        terms: the terms.
        nearest: for each, the points that an engine finds with it alone, best first, with their vectors.

    Returns:
        None for a term that no point has.
    """
    rarities = dict[int, float | None].fromkeys(terms)
    for term, points in zip(terms, nearest, strict=True):
        bm25 = named_vectors(points[0].vector).get(VectorName.BM25) if points else None
        weights = dict(zip(bm25.indices, bm25.values, strict=True)) if bm25 else {}
        rarities[term] = points[0].score / weights[term] if weights.get(term) else None
    return rarities


def named_vectors(vector: object) -> Mapping[str, Any]:
    """Return the vectors of a stored point by name; the engines return a single unnamed vector as it is."""
    if isinstance(vector, Mapping):
        return vector
    return {} if vector is None else {VectorName.DENSE: vector}
