"""The rules by which a line begins a paragraph or goes on with one: where each decides, and beside it."""

import pytest

pytest.importorskip("pypdfium2")

from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import _RULES, _is_quotation, _LineBreak
from alexandria.extract.pdf.typography import Typography

SIZE, LEADING, RIGHT = 10.0, 12.0, 300.0
ABOVE = Line("the line above is full and ends in mid-sentence", 0, x0=0, x1=RIGHT, y=100, size=SIZE)
LINE = Line("And below it", 0, x0=0, x1=60, y=100 - LEADING, size=SIZE)
Change = dict[str, object]

# The name of a rule; what makes it decide, of the line above and of the line; what no longer does.
CASES: list[tuple[str, tuple[Change, Change], tuple[Change, Change]]] = [
    ("another size or pitch", ({}, {"size": 10.5}), ({}, {"size": 10.3})),
    ("another size or pitch", ({}, {"fixed": True}), ({"fixed": True}, {"fixed": True})),
    (
        "a word goes on after its hyphen",
        ({"text": "a line of sen-"}, {"text": "tences"}),
        ({"text": "a line of sen-"}, {"text": "Tences"}),
    ),
    (
        "the last cell of the row",
        ({"x1": 100}, {"text": "12.50", "x0": 200, "x1": 230, "y": 100}),
        ({"x1": 100}, {"text": "12 men", "x0": 200, "x1": 230, "y": 100}),
    ),
    (
        "the first cell of the next row",
        ({"text": "12.50", "x0": 200, "x1": 230}, {"text": "Apples"}),
        ({"text": "12.50", "x0": 200, "x1": 230}, {"text": "apples"}),
    ),
    (
        "the sentence goes on below a full line",
        ({}, {"text": "and below it", "y": 100 - 2.25 * LEADING}),
        ({}, {"text": "and below it", "y": 100 - 2.35 * LEADING}),
    ),
    ("a wide gap", ({}, {"y": 100 - 1.5 * LEADING}), ({}, {"y": 100 - 1.4 * LEADING})),
    (
        "a gap after an end",
        ({"text": "the line above ends."}, {"y": 100 - 1.2 * LEADING}),
        ({"text": "the line above ends."}, {"y": 100 - 1.1 * LEADING}),
    ),
    ("a bullet", ({}, {"text": "• An item"}), ({}, {"text": "An item"})),
    (
        "the next line of a heading, centred or ragged",
        ({"size": 12, "x1": 90}, {"size": 12}),
        ({"size": 11, "x1": 90}, {"size": 11}),
    ),
    ("back at the margin after a quotation", ({"x0": 30, "x1": 250}, {}), ({"x0": 5, "x1": 250}, {})),
    (
        "beside the number of its paragraph",
        ({"text": "12. The first of its words"}, {"x0": 20, "x1": 80}),
        ({"text": "Twelve, the first of its words"}, {"x0": 20, "x1": 80}),
    ),
    (
        "a quotation goes on below a full line",
        ({"x0": 20, "x1": 250}, {"x0": 20, "x1": 80}),
        ({"x0": 20, "x1": 200}, {"x0": 20, "x1": 80}),
    ),
    ("an indent", ({}, {"x0": 7, "x1": 67}), ({}, {"x0": 6, "x1": 66})),
    ("a short line above", ({"x1": 274}, {}), ({"x1": 276}, {})),
]
IN_QUOTATION = {"back at the margin after a quotation", "a quotation goes on below a full line"}


def deciding_rule(above: Change, line: Change, right: float) -> str:
    at = _LineBreak(
        ABOVE._replace(**above),  # type: ignore[arg-type]
        LINE._replace(**line),  # type: ignore[arg-type]
        right,
        right,
        Column((), 0, RIGHT),
        Typography(SIZE, {SIZE: LEADING}),
    )
    return next((rule.name for rule in _RULES if rule.applies(at)), "")


def test_a_rule_decides_up_to_its_threshold() -> None:
    for name, inside, outside in CASES:
        right = 250 if name in IN_QUOTATION else RIGHT
        assert deciding_rule(*inside, right) == name
        assert deciding_rule(*outside, right) != name


def test_each_rule_has_its_cases() -> None:
    assert {name for name, _, _ in CASES} == {rule.name for rule in _RULES}


def test_a_quotation_is_three_lines_of_which_two_thirds_are_full() -> None:
    cases: list[tuple[list[float], bool]] = [
        ([250, 80], False),
        ([250, 250, 80], True),
        ([250, 245.5, 80], True),
        ([250, 245, 80], False),
        ([250, 250, 200, 80], True),
    ]
    for edges, is_quotation in cases:
        assert _is_quotation([LINE._replace(x1=x1) for x1 in edges], SIZE) is is_quotation
