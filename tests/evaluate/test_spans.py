"""Arithmetic of spans, against sets of characters."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from alexandria.lab.spans import Span, intersection, overlap_mask, total_length, union

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda pair: (min(pair), max(pair))))


def characters(spans: list[Span]) -> set[int]:
    return {i for start, end in spans for i in range(start, end)}


@given(SPANS)
def test_a_union_covers_the_same_characters_once(spans: list[Span]) -> None:
    merged = union(spans)
    assert characters(merged) == characters(spans)
    assert total_length(merged) == len(characters(spans))
    assert all(a[1] < b[0] for a, b in pairwise(merged))


@given(SPANS, SPANS)
def test_what_is_common_is_the_intersection(spans: list[Span], others: list[Span]) -> None:
    assert characters(intersection(spans, others)) == characters(spans) & characters(others)


@given(SPANS, SPANS)
def test_a_span_is_touched_where_it_shares_a_character(spans: list[Span], others: list[Span]) -> None:
    expected = [bool(characters([span]) & characters(others)) for span in spans]
    assert overlap_mask(spans, others).tolist() == expected
