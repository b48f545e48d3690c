"""Hits that are not all alike."""

import numpy as np
import pytest

from alexandria.book.choices import Diverse
from alexandria.library.search.diversity import diversify
from alexandria.store.passage import Hit


def hit(name: str, score: float, *, book: str = "a", chapter: str = "One") -> Hit:
    return Hit(id=name, payload={"book_id": book, "section": [chapter, "1.1"]}, score=score)


HITS = [
    hit("1", 3.0),
    hit("2", 2.9),
    hit("3", 2.8, chapter="Two"),
    hit("4", 2.0, book="b"),
    hit("5", 1.0, book="b", chapter="Two"),
]


@pytest.mark.parametrize(
    ("diverse", "kept"), [(Diverse.BOOK, ["1", "4"]), (Diverse.CHAPTER, ["1", "3", "4", "5"])]
)
def test_the_best_hit_of_each_is_kept(diverse: Diverse, kept: list[str]) -> None:
    assert [one.id for one in diversify(HITS, diverse, {})] == kept


@pytest.mark.parametrize("diverse", [Diverse.BOOK, Diverse.CHAPTER])
def test_a_worse_hit_of_the_same_book_or_chapter_does_not_change_the_order(diverse: Diverse) -> None:
    best, second, worse = hit("1", 3.0), hit("2", 2.0, book="b"), hit("3", 1.0)
    assert [one.id for one in diversify([best, second, worse], diverse, {})] == ["1", "2"]


def test_a_hit_like_one_before_it_comes_later() -> None:
    same, other = np.array([[1.0, 0.0]], np.float32), np.array([[0.0, 1.0]], np.float32)
    rows = {"1": same, "2": same, "3": other, "4": other, "5": same}
    ranked = diversify(HITS, Diverse.MMR, rows)
    assert [one.id for one in ranked][:2] == ["1", "3"], "2 says what 1 says"
    assert sorted(one.id for one in ranked) == ["1", "2", "3", "4", "5"]
    assert diversify(HITS, Diverse.MMR, {}) == HITS, "without vectors, by score alone"
    assert diversify(HITS[:1], Diverse.MMR, rows) == HITS[:1]


def test_seven_tenths_of_the_score_and_three_of_the_likeness_decide() -> None:
    rows = {
        "first": np.array([[1.0, 0.0, 0.0]], np.float32),
        "like it": np.array([[0.7, 0.51**0.5, 0.0]], np.float32),
        "other": np.array([[0.0, 0.0, 1.0]], np.float32),
    }
    for score, second in ((0.31, "like it"), (0.29, "other")):  # .7 · .3 = .3 · .7
        hits = [hit("first", 1.0), hit("like it", score), hit("other", 0.0)]
        assert diversify(hits, Diverse.MMR, rows)[1].id == second
        assert diversify(hits[:2], Diverse.MMR, rows) == hits[:2]
