"""The engine finds, and we rank: whatever the order of equal scores that it returns, the list is the same."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.choices import Mode
from alexandria.book.model import Sparse
from alexandria.store.edge import EdgeStore
from alexandria.store.passage import Hit
from alexandria.store.plan import (
    MAX_EXHAUSTIVE,
    MAX_FUSED_ONCE,
    N_CANDIDATES,
    N_FUSED,
    Stage,
    VectorName,
    plan_search,
)
from alexandria.store.ranking import (
    MAX_TIED,
    TIE,
    Nearest,
    Scored,
    by_score,
    carry_out,
    first_with_ties,
    fuse,
    settled,
)
from alexandria.store.store import QueryVectors
from tests.store.examples import AXES, BINDING, folder_place, point


class Engine:
    """Returns equal scores in a new order at each call, and any of those at the limit, as real ones do."""

    def __init__(self, scores: dict[VectorName, dict[str, float]], seed: int) -> None:
        self._scores, self._random = scores, random.Random(seed)
        self.asked: list[int] = []

    def find(self, requests: Sequence[Nearest]) -> list[list[Scored]]:
        self.asked += [request.limit for request in requests]
        return [self._nearest(request) for request in requests]

    def _nearest(self, request: Nearest) -> list[Scored]:
        points = [
            (id, score + self._random.uniform(0, TIE / 10))
            for id, score in self._scores[request.using].items()
            if not request.among or id in request.among
        ]
        self._random.shuffle(points)
        return sorted(points, key=lambda point: -point[1])[: request.limit]


def names(scored: Sequence[Scored]) -> list[str]:
    return [name for name, _ in scored]


def shelf(n: int, n_equal: int, seed: int = 1) -> dict[VectorName, dict[str, float]]:
    """Return scores of so many points, of which some have the same by each vector, as equal texts have."""
    chosen = random.Random(seed)
    return {
        using: {f"{i:04}": 0.5 if i < n_equal else chosen.random() for i in range(n)} for using in VectorName
    }


@pytest.mark.parametrize("n_points", [300, 10**6], ids=["exhaustive", "candidates"])
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("n_equal", [8, 50, 250])
def test_equal_points_change_nothing_however_the_engine_orders_them(
    mode: Mode, n_points: int, n_equal: int
) -> None:
    plan = plan_search(mode, 20, n_points=n_points, sentences=True)
    first, *others = (carry_out(plan, Engine(shelf(300, n_equal), seed).find) for seed in range(6))
    for other in others:
        assert names(other) == names(first)
        assert [score for _, score in other] == pytest.approx([score for _, score in first], abs=TIE)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_short_list_is_the_head_of_a_long_one(mode: Mode) -> None:
    lists = [
        names(
            carry_out(plan_search(mode, limit, n_points=300, sentences=True), Engine(shelf(300, 50), 1).find)
        )
        for limit in (5, 20, 100)
    ]
    assert lists[0] == lists[1][: len(lists[0])]
    assert lists[1] == lists[2][: len(lists[1])]


def test_a_search_has_more_stages_above_its_thresholds() -> None:
    small, large, wide = (
        plan_search(Mode.SENTENCES, limit, n_points=n_points, sentences=True)
        for n_points, limit in ((MAX_EXHAUSTIVE, 10), (MAX_EXHAUSTIVE + 1, 10), (MAX_EXHAUSTIVE + 1, 10**4))
    )
    assert [stage.limit for stage in (*small.prefetch, *large.prefetch)] == [N_CANDIDATES] * 2
    assert [stage.limit for stage in wide.prefetch] == [10**4] * 2
    for weight, n_stages in ((MAX_FUSED_ONCE, 2), (MAX_FUSED_ONCE + 0.1, 4)):
        for sentences in (True, False):
            plan = plan_search(Mode.HYBRID, 10, n_points=10, sentences=sentences, meaning_weight=weight)
            assert len(plan.prefetch) == n_stages


def test_more_is_asked_for_until_the_score_at_the_border_is_lower() -> None:
    engine = Engine(shelf(400, 50), 1)
    plan = Stage(VectorName.DENSE, 190)  # inside the group of fifty equal points, whose score is .5
    scored = carry_out(plan, engine.find)
    assert {f"{i:04}" for i in range(50)} <= set(names(scored))
    assert engine.asked == [191, 4 * 191]
    assert all(score >= 0.5 for _, score in scored)


def test_not_more_than_a_thousand_are_asked_for() -> None:
    engine = Engine(shelf(3 * MAX_TIED, 3 * MAX_TIED), 1)
    assert len(carry_out(Stage(VectorName.BM25, 5), engine.find)) == MAX_TIED
    assert engine.asked[-1] == MAX_TIED


def test_a_stage_that_a_plan_has_twice_is_asked_for_once() -> None:
    engine = Engine(shelf(30, 0), 1)
    plan = plan_search(Mode.HYBRID, 5, n_points=30, sentences=True, meaning_weight=4.0)
    carry_out(plan, engine.find)
    assert engine.asked == [N_FUSED + 1] * 3


def test_neighbours_that_differ_by_less_than_a_tie_are_one_group() -> None:
    cases: dict[str, tuple[list[float], list[float]]] = {
        "none": ([], []),
        "apart": ([0.9, 0.5], [0.9, 0.5]),
        "a chain, wider than a tie": ([0.5, 0.5 - 4e-7, 0.5 - 8e-7, 0.5 - 12e-7], [0.5] * 4),
        "more than a tie apart": ([0.5000006, 0.4999995], [0.5000006, 0.4999995]),
        "around a rounding": ([0.50000051, 0.50000049, 0.4], [0.50000051, 0.50000051, 0.4]),
        "around zero": ([5e-7, 0.0, -1.0], [5e-7, 5e-7, -1.0]),
    }
    for scores, expected in cases.values():
        assert settled(scores) == expected


def test_fusion_is_that_of_qdrant() -> None:
    """Mean and deviation of 1, 2, 3 are 2 and 1: -1 is 0, and 5 is 1. One score is .5, as are equals."""
    ranked = [[("a", 3.0), ("b", 2.0), ("c", 1.0)], [("b", 7.0)], [("c", 4.0), ("d", 4.0)]]
    sums = dict(fuse(ranked))
    assert sums == pytest.approx({"a": 4 / 6, "b": 3 / 6 + 0.5, "c": 2 / 6 + 0.5, "d": 0.5})
    assert names(fuse(ranked)) == ["b", "c", "a", "d"]
    assert fuse([]) == fuse([[]]) == []


def test_nearly_equal_scores_are_not_spread_by_the_fusion() -> None:
    """Their deviation is that of rounding: divided by it, equal texts would be worlds apart."""
    engine = Engine({using: {f"{i}": 0.7 for i in range(30)} for using in VectorName}, 1)
    plan = plan_search(Mode.HYBRID, 5, n_points=30, sentences=True)
    scored = carry_out(plan, engine.find)
    assert names(scored) == sorted(f"{i}" for i in range(30))
    assert len({score for _, score in scored}) == 1


def hit(title: str, chunk: int, score: float, book: str = "") -> Hit:
    return Hit(
        id=f"{title}{chunk}{book}",
        payload={"book_title": title, "book_id": book or title, "chunk_id": chunk},
        score=score,
    )


def test_hits_of_one_group_are_in_the_order_of_the_list_and_of_the_book() -> None:
    order = [
        hit("über", 1, 0.9),
        hit("Alpha", 2, 0.5),
        hit("alpha", 10, 0.5 + 3e-7, "b"),
        hit("Beta", 0, 0.5),
    ]
    expected = ["über1", "Alpha2", "alpha10b", "Beta0"]
    for seed in range(5):
        shuffled = random.Random(seed).sample(order, len(order))
        ranked = by_score(shuffled)
        assert [one.id for one in ranked] == expected
        assert {one.score for one in ranked[1:]} == {0.5 + 3e-7}
    assert [one.id for one in first_with_ties(ranked, 2)] == expected
    assert [one.id for one in first_with_ties(ranked, 1)] == expected[:1]


@given(st.lists(st.integers(0, 12), max_size=40), st.integers(1, 10))
def test_what_is_returned_never_ends_inside_a_group(values: list[int], limit: int) -> None:
    ranked = by_score([hit("t", i, value / 10) for i, value in enumerate(values)])
    head = first_with_ties(ranked, limit)
    assert head == ranked[: len(head)]
    assert len(head) >= min(limit, len(ranked))
    assert {one.score for one in head}.isdisjoint(one.score for one in ranked[len(head) :])
    assert by_score(replace(one, score=one.score) for one in reversed(ranked)) == ranked


def test_words_are_weighed_by_the_points_that_are_left_of_twelve_thousand(tmp_path: Path) -> None:
    """The engine has optimised such a store once, after which it goes on counting what was deleted then."""
    chosen = random.Random(2)
    points = [
        point(i, book=f"b{i % 30}", generation=f"g{i % 30}", axis=i % 4, words=chosen.sample(range(400), 12))
        for i in range(12_000)
    ]
    gone = [f"g{n}" for n in range(30) if n % 3]
    query = QueryVectors(AXES[1], Sparse(tuple(range(5)), (1.0,) * 5))
    plan = plan_search(Mode.BM25, 50, n_points=4_000, sentences=True)
    answers = []
    for name, written in (
        ("changed", points),
        ("fresh", [p for p in points if p.payload["generation"] not in gone]),
    ):
        store = folder_place(tmp_path / name).open(BINDING)
        assert isinstance(store, EdgeStore)
        store.upsert(written)
        if name == "changed":
            store.delete({"generation": gone[:10]})
            store._points.optimize()
            store.delete({"generation": gone[10:]})
        for _ in range(2):  # as it is, and opened again
            answers.append([(hit.id, round(hit.score, 5)) for hit in store.search(query, plan, {})])
            store.close()
            store = folder_place(tmp_path / name).open(BINDING)
        store.close()
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert len(answers[0]) >= 50
