"""Vectors: refused if no store should hold them, and read back as either Qdrant package returns them."""

from dataclasses import replace

import numpy as np
import pytest

from alexandria.book import Sparse
from alexandria.store.vectors import check_vectors, sentence_rows, stored_point
from tests.store.examples import point


def test_a_bm25_weight_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="BM25 weight"):
        check_vectors([replace(point(0), bm25=Sparse((1,), (float("nan"),)))], 4)


def test_a_lone_unnamed_vector_is_the_chunk_vector() -> None:
    stored = stored_point("id", [1.0, 0.0], {"text": "One."})
    np.testing.assert_array_equal(stored.dense, np.array([1.0, 0.0], np.float32))
    assert (stored.sentences, stored.bm25, stored.payload) == (None, Sparse((), ()), {"text": "One."})


def test_a_point_without_vectors_has_an_empty_chunk_vector() -> None:
    assert stored_point("id", None, {}).dense.shape == (0,)


@pytest.mark.parametrize("vector", [None, [1.0], {"": [1.0]}, {"sentences": []}])
def test_without_sentence_vectors_there_are_no_rows(vector: object) -> None:
    assert sentence_rows(vector) is None
