"""The rules by which marks and notes are paired, each with what it pairs and what it leaves."""

from collections.abc import Sequence
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from alexandria.extract.notes.pairing import (
    AMONG_TEXT,
    AT_FOOT,
    IN_LISTS,
    PlacedMark,
    PlacedNote,
    is_notes_title,
    pair,
    pair_in_order,
)


def placed(text: str) -> tuple[list[PlacedMark], list[PlacedNote]]:
    """Return the marks and notes of a text of blocks: `a1` is a mark, `=1` a note, `/` ends a document."""
    marks: list[PlacedMark] = []
    notes: list[PlacedNote] = []
    document, above = 0, -1
    for place, block in enumerate(text.split()):
        if block == "/":
            document += 1
        elif block.startswith("="):
            notes.append(PlacedNote(block[1:], place, document, above))
            continue
        elif len(block) > 1:
            marks.append(PlacedMark(block[1:], place, document, blocks=(place,)))
        above = place
    return marks, notes


def test_a_rule_pairs_marks_with_notes() -> None:
    cases = {
        "as many in the book": (AMONG_TEXT, "a1 b1 =1 =1", "a=0 b=1"),
        "more marks than notes": (AMONG_TEXT, "a1 b1 =1", ""),
        "a note before its mark": (AMONG_TEXT, "=1 a1", ""),
        "as many in one document": (AMONG_TEXT, "a1 =1 / b1 c1 =1", "a=0"),
        "not in a document, but in the book": (AMONG_TEXT, "a1 / b1 c =1 / =1", "a=0 b=1"),
        "right below the block of its mark": (AMONG_TEXT, "a1 b1 =1 c =1", "a=1 b=0"),
        "below another note": (AMONG_TEXT, "a1 b2 c1 =2 =1 d =1", "a=2 b=0 c=1"),
        "two notes below one block": (AMONG_TEXT, "a1 b1 =1 =1 c", "a=0 b=1"),
        "nearest to the foot": (AT_FOOT, "a1 b1 =1", "b=0"),
        "marks of footnotes cross": (AT_FOOT, "a1 b2 =2 =1", "b=0"),
        "a mark of a footnote is missing": (AT_FOOT, "a1 b3 =1 =2 =3", "a=0 b=2"),
        "the first mark alike": (IN_LISTS, "a1 b1 =1", "a=0"),
        "lists of two chapters": (IN_LISTS, "a1 b2 c1 =1 =2 =1", "a=0 b=1 c=2"),
        "a label is missing": (IN_LISTS, "a1 b2 c3 =1 =3", "a=0 c=1"),
        "marks cross": (IN_LISTS, "a2 b1 =1 =2", "a=1"),
        "a mark after its note": (IN_LISTS, "a1 =1 =2 b2", "a=0"),
        "brackets around the label alone": (IN_LISTS, "a1 =[1]", "a=0"),
        "brackets around the mark alone": (IN_LISTS, "a[1] =1", ""),
    }
    for rules, text, pairs in cases.values():
        marks, notes = placed(text)
        words = text.split()
        mark_of = pair(marks, notes, rules)
        assert " ".join(sorted(f"{words[marks[j].place][0]}={i}" for i, j in mark_of.items())) == pairs


def test_a_certain_mark_counts_more_than_doubtful_ones() -> None:
    assert pair_in_order([(0, [(1, 1), (2, 1)]), (1, [(0, 3)]), (2, [(2, 1)])]) == {1: 0, 2: 2}
    assert pair_in_order([(0, [(1, 3)]), (1, [(0, 3)])]) == {1: 0}


labelled = st.lists(st.sampled_from("123"), max_size=7)


@given(labels=labelled, marks=labelled)
def test_notes_and_marks_meet_in_the_longest_order_there_is(labels: list[str], marks: list[str]) -> None:
    mark_of = pair(
        [PlacedMark(mark, 0) for mark in marks], [PlacedNote(label, 1) for label in labels], IN_LISTS
    )
    places = list(mark_of.values())
    assert all(labels[i] == marks[j] for i, j in mark_of.items())
    assert places == sorted(set(places))
    longest = max(
        len(some)
        for n in range(len(labels) + 1)
        for some in combinations(labels, n)
        if is_subsequence(some, marks)
    )
    assert len(mark_of) == longest


def is_subsequence(some: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(label in rest for label in some)


def test_a_heading_of_notes_is_nothing_else() -> None:
    cases = [
        ("Notes", True),
        ("ENDNOTES:", True),
        ("Anmerkungen", True),
        ("Notes on a Scandal", False),
        ("", False),
    ]
    for text, expected in cases:
        assert is_notes_title(text) is expected
