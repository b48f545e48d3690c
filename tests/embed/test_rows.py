import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from alexandria.embed.rows import unit_rows


@given(arrays(np.float32, (3, 4), elements=st.floats(-1e6, 1e6, width=32)))
def test_rows_keep_their_direction_and_get_length_one(rows: np.ndarray) -> None:
    rows = rows + np.array([1, 0, 0, 0], np.float32) * (np.abs(rows).max(axis=1, keepdims=True) < 1e-3)
    unit = unit_rows(rows)
    assert unit.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(unit * np.linalg.norm(rows, axis=1, keepdims=True), rows, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_row_that_is_no_vector_is_an_error(bad: float) -> None:
    rows = np.ones((3, 2), np.float32)
    rows[1] = bad
    with pytest.raises(FloatingPointError, match="text 1"):
        unit_rows(rows)


def test_no_rows_stay_no_rows() -> None:
    assert unit_rows(np.zeros((0, 5), np.float32)).shape == (0, 5)
