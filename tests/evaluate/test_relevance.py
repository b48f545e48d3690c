"""Retrieval metrics: worked by hand, and against a computation by sets of characters."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.lab.ranking import RetrievedChunk, judge, recall_in_budget

TEXT = " ".join(f"w{i:03}" for i in range(100))  # 499 characters, five a word


def passage(start: int, end: int, book: int = 0) -> RetrievedChunk:
    return RetrievedChunk(book, start, end, TEXT[start:end])


def test_the_scores_of_a_small_case() -> None:
    """Found are half of the first reference, a chunk of another book, and all of the second."""
    ranked = [passage(0, 30), passage(0, 30, book=1), passage(100, 150)]
    holding = [passage(0, 30), passage(30, 60), passage(100, 150)]
    one = judge(0, [(20, 40), (110, 130)], ranked, holding, k=2, budget=100)
    assert one.recall == pytest.approx(10 / 40)
    assert one.precision == pytest.approx(10 / 60)
    assert one.iou == pytest.approx(10 / (60 + 30))
    assert one.precision_omega == pytest.approx(40 / 110)
    assert one.recall_in_budget == pytest.approx(30 / 40)
    assert one.mrr == 1
    ideal = 20 / log2(2) + 10 / log2(3) + 10 / log2(4)
    assert one.ndcg == pytest.approx((10 / log2(2) + 20 / log2(4)) / ideal)


def test_a_budget_ends_inside_a_passage() -> None:
    cases = {
        "only the first passage is read": (4, 0.0),
        "one word of the second: w020 without the space after it": (5, 1 / 19),
        "up to the next word": (6, 6 / 19),
        "all of it": (100, 1.0),
    }
    for budget, expected in cases.values():
        ranked = [passage(0, 19), passage(100, 119)]
        recall = recall_in_budget(0, [(100, 119)], ranked, budget)
        assert recall == pytest.approx({0.0: 0.0, 1 / 19: 5 / 19, 6 / 19: 10 / 19, 1.0: 1.0}[expected])


SPANS = st.lists(
    st.tuples(st.integers(0, 499), st.integers(1, 60))
    .map(lambda p: (p[0], min(p[0] + p[1], 499)))
    .filter(lambda span: span[0] < span[1]),
    min_size=1,
    max_size=6,
)


@given(SPANS, SPANS, st.integers(1, 6))
def test_recall_precision_and_iou_are_those_of_sets_of_characters(
    references: list[tuple[int, int]], ranked: list[tuple[int, int]], k: int
) -> None:
    passages = [passage(start, end) for start, end in ranked]
    one = judge(0, references, passages, passages, k=k, budget=1)
    wanted = {i for start, end in references for i in range(start, end)}
    read = {i for start, end in ranked[:k] for i in range(start, end)}
    n_wanted = sum(end - start for start, end in references)
    n_read = sum(end - start for start, end in ranked[:k])
    assert one.recall == pytest.approx(len(wanted & read) / n_wanted, abs=1e-9)
    assert one.precision == pytest.approx(len(wanted & read) / n_read, abs=1e-9)
    assert one.iou == pytest.approx(len(wanted & read) / (n_read + len(wanted - read)), abs=1e-9)


@given(SPANS, st.permutations(range(6)))
def test_the_best_order_has_an_ndcg_of_1(references: list[tuple[int, int]], order: list[int]) -> None:
    chunks = [passage(start, min(start + 80, 499)) for start in range(0, 480, 80)]
    holding = [one for one in chunks if any(one.start < e and s < one.end for s, e in references)]
    if not holding:
        return
    one = judge(0, references, [chunks[i] for i in order], holding, k=1, budget=1)
    assert 0 <= one.ndcg <= 1 + 1e-9
    best = judge(0, references, chunks, holding, k=1, budget=1)
    assert best.precision_omega == one.precision_omega  # it depends on the cuts alone
