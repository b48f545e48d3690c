import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.extract.clean import CELL, MARK, clean, clean_code, clean_rows, is_clean, lift_marks, one_line

CLEANED = {
    "soft hyphen": ("phi\u00adlosophy", "philosophy"),
    "word joiner": ("matter\u2060—for", "matter—for"),
    "no-break and hair spaces": ("A.\u00a0N.\u200aWhitehead", "A. N. Whitehead"),
    "ideographic space": ("山路を\u3000登り", "山路を 登り"),
    "decomposed": ("cafe\u0301", "café"),
    "control characters": ("a\x07b\x9fc", "abc"),
    "carriage returns": ("a\r\nb\rc", "a\nb\nc"),
    "space round line breaks": ("  a  \n  b ", "a\nb"),
}


def test_what_a_reader_does_not_see_goes() -> None:
    for before, after in CLEANED.values():
        assert clean(before) == after


def test_a_heading_is_one_line() -> None:
    assert one_line("Book\n\n I") == "Book I"


@given(st.text(alphabet="ae \n\t\u0301\u00e9\u00ad\u200b\u00a0\ufdd0\x1f", max_size=6))
def test_a_clean_text_remains_as_it_is(text: str) -> None:
    assert not is_clean(text) or clean(text) == one_line(text) == text


def test_plain_words_are_clean() -> None:
    assert is_clean("“Plain words,” – né Émile")


def test_code_keeps_its_indentation_and_loses_empty_ends() -> None:
    assert clean_code("\n\n  def f():  \n\treturn 1\n\n") == "  def f():\n\treturn 1"


def test_a_table_keeps_its_columns_and_loses_its_empty_rows() -> None:
    rows = f" a {CELL} {CELL} c {CELL}\n \n{CELL} b {CELL}\n"
    assert clean_rows(rows) == "a\t\tc\n\tb"


LIFTED = {
    "inside a word": (f"wo{MARK}rd", "word", (2,)),
    "after a word": (f"word{MARK} next", "word next", (5,)),
    "spaces on both sides become one": (f"word {MARK} next", "word next", (5,)),
    "two marks": (f"a {MARK} {MARK} b", "a b", (2, 2)),
    "at the start": (f"{MARK} a", "a", (0,)),
    "at the end": (f"a {MARK}", "a", (1,)),
    "in brackets": (f"a [{MARK}] b ({MARK}).", "a b.", (2, 3)),
    "before a line break": (f"a {MARK}\nb", "a\nb", (2,)),
    "alone in a cell": (f"a\t{MARK}\tb", "a\t\tb", (3,)),
    "none": (" a ", "a", ()),
}


def test_a_mark_leaves_no_trace_but_its_offset() -> None:
    for before, after, offsets in LIFTED.values():
        assert lift_marks(before) == (after, offsets)


@given(st.lists(st.text("ab \n", max_size=4), max_size=6))
def test_marks_change_no_word_and_stay_in_order(pieces: list[str]) -> None:
    text, offsets = lift_marks(clean(MARK.join(pieces)))
    assert "".join(text.split()) == "".join("".join(pieces).split())
    assert len(offsets) == max(len(pieces) - 1, 0)
    assert list(offsets) == sorted(offsets)
    before = [len("".join("".join(pieces[: i + 1]).split())) for i in range(len(offsets))]
    assert [len("".join(text[:at].split())) for at in offsets] == before


@given(st.text(alphabet="a\u0301\u0323\u0f71\u0f73\u0f75\u0344\u0338=é\u302e—", min_size=30, max_size=80))
def test_many_marks_are_ordered_as_unicode_says(text: str) -> None:
    assert clean(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73"])
def test_marks_are_ordered_in_linear_time(marks: str) -> None:
    started = time.process_time()
    assert len(clean("a" + marks * 60_000)) > 100_000
    assert time.process_time() - started < 3  # took 5 s, and four times that at twice the size
