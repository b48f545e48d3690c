"""Vectors: refused if no store should hold them, and read back as either Qdrant package returns them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import array_shapes, arrays
from hypothesis.strategies import floats
from numpy.typing import NDArray

from alexandria.book.model import Sparse
from alexandria.store.vectors import check_vectors, make_point, sentence_vectors_of
from tests.store.examples import point


def test_a_bm25_weight_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="BM25 weight"):
        check_vectors([replace(point(0), bm25=Sparse((1,), (float("nan"),)))], 4)


def test_a_lone_unnamed_vector_is_the_chunk_vector() -> None:
    stored = make_point("id", [1.0, 0.0], {"text": "One."})
    np.testing.assert_array_equal(stored.dense, np.array([1.0, 0.0], np.float32))
    assert (stored.sentences, stored.bm25, stored.payload) == (None, Sparse((), ()), {"text": "One."})


def test_a_point_without_vectors_has_an_empty_chunk_vector() -> None:
    assert make_point("id", None, {}).dense.shape == (0,)


def test_without_sentence_vectors_there_are_no_rows() -> None:
    vectors: list[Any] = [None, [1.0], {"": [1.0]}, {"sentences": []}]
    for vector in vectors:
        assert sentence_vectors_of(vector) is None


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2), elements=floats(width=32)))
def test_rows_are_read_back_as_numpy_reads_them(rows: NDArray[np.float32]) -> None:
    read = sentence_vectors_of({"sentences": rows.tolist()})
    assert read is not None
    assert read.dtype == np.float32
    assert read.flags.writeable
    np.testing.assert_array_equal(read, rows)


def test_what_is_no_matrix_is_refused_as_numpy_does() -> None:
    cases: dict[str, list[object]] = {"ragged": [[1.0, 2.0], [3.0]], "flat": [[1.0], 2.0], "text": [["a"]]}
    for rows in cases.values():
        with pytest.raises(ValueError, match=r"inhomogeneous|could not convert"):
            sentence_vectors_of({"sentences": rows})
