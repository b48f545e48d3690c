"""Gutters are found where several lines continue at the same place after a gap."""

from alexandria.extract.pdf.columns import Boxes, gutters_of

SECOND = 320.0
"""Where the second column begins."""


def line(number: int, *starts: float, width: float = 230) -> Boxes:
    """Return the runs of a line of type 10 points high, each from its start on."""
    bottom = 700.0 - 12 * number
    return [(start, bottom, start + width, bottom + 10) for start in starts]


def test_a_column_begins_where_three_lines_continue_after_a_gap() -> None:
    cases: dict[str, tuple[list[Boxes], set[int]]] = {
        "three lines are a column": ([line(n, 60, SECOND) for n in range(3)], {320}),
        "two are not": ([line(n, 60, SECOND) for n in range(2)], set()),
        "a point aside is the same place": (
            [line(0, 60, SECOND), line(1, 60, SECOND + 1), line(2, 60, SECOND - 1)],
            {320},
        ),
        "two points are another": (
            [line(0, 60, SECOND), line(1, 60, SECOND + 2), line(2, 60, SECOND - 2)],
            set(),
        ),
        "a fifth of the type's width": ([line(n, 60, SECOND, width=80) for n in range(3)], {320}),
        "a column of numbers": ([line(n, 60, SECOND, width=40) for n in range(3)], set()),
        "lines without a gap": ([line(n, 60) for n in range(9)], set()),
        "nothing": ([], set()),
    }
    for lines, found in cases.values():
        assert gutters_of(lines, lines) == found


def test_a_single_line_is_cut_where_ten_others_begin() -> None:
    across = line(0, 60, SECOND)
    others = [line(n, SECOND) for n in range(1, 11)]
    assert gutters_of([across], [across, *others]) == {320}
    assert gutters_of([across], [across, *others[1:]]) == set()
    assert gutters_of([across], [across, *others], from_right=True) == set()
