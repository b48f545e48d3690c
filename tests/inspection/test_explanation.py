"""Why a chunk begins and ends where it does."""

from itertools import pairwise

import pytest

from alexandria.errors import ConfigError
from alexandria.library.inspect.explanation import CONTEXT_CHARACTERS, Explanation
from tests.conftest import SAMPLES
from tests.inspection.made import inspected

INSPECTION = inspected(SAMPLES / "gull-rock.txt")


def test_a_chunk_ends_where_the_next_one_begins() -> None:
    explanations = [Explanation.of(INSPECTION, number) for number in range(len(INSPECTION.chunks))]
    for explanation, following in pairwise(explanations):
        assert explanation.ends == following.begins
        assert explanation.ends.boundary == following.chunk.boundary


def test_the_edges_show_the_text_on_both_sides() -> None:
    first, second = INSPECTION.chunks[2:4]
    edge = Explanation.of(INSPECTION, 3).begins
    assert edge.before
    assert edge.after
    assert first.text.endswith(f" {edge.before}")  # whole words
    assert second.text.startswith(f"{edge.after} ")
    assert {CONTEXT_CHARACTERS - len(text) < 20 for text in (edge.before, edge.after)} == {True}


def test_the_book_has_two_ends() -> None:
    first = Explanation.of(INSPECTION, 0).begins
    last = Explanation.of(INSPECTION, len(INSPECTION.chunks) - 1).ends
    assert (first.why, first.before, first.boundary) == ("The book begins.", None, None)
    assert (last.why, last.after, last.boundary) == ("The book ends.", None, None)


@pytest.mark.parametrize("number", [-1, len(INSPECTION.chunks)])
def test_a_chunk_that_does_not_exist_is_an_error(number: int) -> None:
    with pytest.raises(ConfigError, match=f"no chunk {number}") as raised:
        Explanation.of(INSPECTION, number)
    assert f"0 to {len(INSPECTION.chunks) - 1}" in raised.value.why
