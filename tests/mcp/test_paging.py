"""Long answers in parts: nothing is lost, nothing is repeated, and no part is too long."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria.doors.mcp.paging import (
    MAX_TOKENS,
    Entry,
    as_quotation,
    inline,
    render_part,
    size_of_text,
    truncate,
)
from alexandria.errors import ConfigError

CURSOR = re.compile(r'\n\n\([^()]*: repeat the call with cursor "(\d+\.\d+)"\)$')


def all_parts(entries: list[Entry]) -> list[str]:
    parts, cursor = [], None
    while True:
        part = render_part(entries, cursor).text
        following = CURSOR.search(part)
        parts.append(CURSOR.sub("", part))
        assert size_of_text(part) <= MAX_TOKENS * 3
        if following is None:
            return parts
        cursor = following.group(1)
        assert len(parts) < 500


WORDS = st.text("ab .\nя書", min_size=1, max_size=60)
TEXTS = st.builds(lambda text, times: text * times, WORDS, st.integers(0, 900))


@settings(max_examples=60)
@given(st.lists(TEXTS, max_size=12))
def test_the_parts_together_are_all_entries_in_order(texts: list[str]) -> None:
    entries = [Entry(f"entry {number}", text) for number, text in enumerate(texts)]
    shown = "\n".join(all_parts(entries))
    lines = [line for line in shown.split("\n") if line.startswith("entry ") and "(continued)" not in line]
    assert lines == [entry.line for entry in entries]
    letters = re.sub(r"\s", "", "".join(line[1:] for line in shown.split("\n") if line.startswith(">")))
    assert letters == re.sub(r"\s", "", "".join(texts))


def test_a_passage_that_fits_into_the_next_part_is_not_divided() -> None:
    entries = [Entry(str(number), "word " * 2_000) for number in range(3)]
    assert [part.count("(continued)") for part in all_parts(entries)] == [0, 0, 0]


def test_what_is_no_cursor_is_refused() -> None:
    for cursor in ["9.0", "x", "1", "1.x", "-1.0", "1.0.0", "².0", "0" * 30 + ".0"]:
        with pytest.raises(ConfigError, match="is not a cursor"):
            render_part([Entry("one"), Entry("two")], cursor)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_line_of_a_quotation_is_marked_as_one(text: str) -> None:
    assert all(line.startswith(">") for line in as_quotation(text).splitlines())
    assert len(inline(text).splitlines()) <= 1


def test_what_hides_or_reorders_text_is_removed() -> None:
    for unseen in ["\u202e", "\u2066", "\x1b", "\u200b", "\U000e0041"]:
        assert as_quotation(f"a{unseen}b") == "> ab"
        assert inline(f"a{unseen}b") == "ab"


@given(st.text("ab .\nя", max_size=300), st.integers(0, 200))
def test_the_fitting_beginning_is_a_beginning_and_fits(text: str, n_bytes: int) -> None:
    begun = truncate(text, n_bytes)
    assert text.startswith(begun)
    assert size_of_text(begun) <= n_bytes
