import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from alexandria.show.terminal.plot import braille, column_of, lowest_by_column, means_by_column


def test_a_curve_is_drawn_in_dots() -> None:
    cases: dict[str, tuple[list[float], int, list[str]]] = {
        "from the lowest dot to the highest": ([0.0, 1.0], 1, ["⡸"]),
        "one value is a level line": ([0.5], 2, ["⠤⠤"]),
        "at the upper edge": ([1.0, 1.0, 1.0, 1.0], 2, ["⠉⠉"]),
        "the mean of two values a dot": ([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0], 2, ["⡸⡾"]),
    }
    for values, width, lines in cases.values():
        assert braille(means_by_column(np.array(values), 2 * width), low=0, high=1, height=1) == lines


def test_costs_are_drawn_as_single_dots() -> None:
    cases: dict[str, tuple[list[float], int, list[str]]] = {
        "dots are not joined": ([0.0, 1.0], 1, ["⡈"]),
        "where none may be cut is no dot": ([0.0, np.nan, np.nan, 1.0], 2, ["⡀⠈"]),
        "the lowest of two a dot": ([0.0, 1.0, np.nan, np.nan, 1.0, np.nan, 0.5, 1.0], 2, ["⡀⠡"]),
        "from the left edge to the right": ([0.0, 1.0], 2, ["⡀⠈"]),
    }
    for values, width, lines in cases.values():
        lowest = lowest_by_column(np.array(values), 2 * width)
        assert braille(lowest, low=0, high=1, height=1, joined=False) == lines


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=400), st.integers(1, 60), st.integers(1, 8))
def test_a_curve_fills_its_columns_and_no_more(values: list[float], width: int, height: int) -> None:
    lines = braille(means_by_column(np.array(values), 2 * width), low=-1, high=1, height=height)
    assert [len(line) for line in lines] == [width] * height
    cells = np.array([[ord(char) - 0x2800 for char in line] for line in lines])
    assert ((cells >= 0) & (cells < 256)).all()
    either = np.bitwise_or.reduce(cells, axis=0)
    assert (either & 0b01000111).all()  # the left dots of every character
    assert (either & 0b10111000).all()  # and the right ones


@given(st.integers(1, 5000), st.integers(1, 200))
def test_marks_stand_below_the_curve_in_order(n: int, width: int) -> None:
    columns = [column_of(i, n, width) for i in range(n)]
    assert columns == sorted(columns)
    assert columns[0] == 0
    assert columns[-1] < width
    assert n == 1 or columns[-1] == width - 1
