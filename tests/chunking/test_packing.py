"""`recursive` and `fixed` by hand: what fits, where paragraphs end, and what is repeated."""

import numpy as np
import pytest

from alexandria.chunking import Strategy
from alexandria.chunking.strategies.fixed import Fixed
from alexandria.chunking.strategies.recursive import Recursive
from tests.chunking.builders import sizes_with

NO_ROWS = np.empty((0, 0), np.float32)


def cuts(
    strategy: Strategy, words: list[int], paragraphs: list[int], **sizes: tuple[int, ...]
) -> list[object]:
    measured = sizes_with(
        words,
        paragraphs=paragraphs,
        breaks=sizes.get("breaks", ()),
        after_heading=sizes.get("after_heading", ()),
    )
    boundaries = strategy.segment(np.empty((len(words), 0), np.float32), measured)
    return [(b.gap, b.overlap) if b.overlap else b.gap for b in boundaries]


def test_recursive() -> None:
    cases: dict[str, tuple[list[int], list[int], list[object]]] = {
        "all fits": ([10] * 4, [0], []),
        "at the last paragraph end that fits": ([10] * 8, [0, 3, 6], [2, 5]),
        "as many paragraphs as fit": ([10] * 8, [0, 1, 2, 3, 4, 5, 6, 7], [3]),
        "a long paragraph at sentence ends": ([10] * 9, [0], [3, 7]),
        "a long paragraph does not share with the one before": ([10] * 8, [0, 1], [0, 4]),
        "a sentence above the cap is alone": ([50, 10, 60], [0, 1, 2], [0, 1]),
    }
    for words, paragraphs, expected in cases.values():
        assert cuts(Recursive(max_words=40, overlap_words=0), words, paragraphs) == expected


def test_fixed() -> None:
    cases: dict[str, tuple[int, list[int], list[object]]] = {
        "windows of whole sentences, wherever paragraphs end": (0, [10] * 9, [3, 7]),
        "a sentence is never cut": (0, [30, 15, 30, 5], [0, 1]),
        "repeated sentences count towards the window": (10, [10] * 9, [(3, 1), (6, 1)]),
        "only whole sentences are repeated": (19, [10] * 9, [(3, 1), (6, 1)]),
        "a sentence longer than the overlap is not": (9, [10] * 9, [3, 7]),
        "nothing from before the last chunk is repeated": (40, [10] * 6, [(3, 4), (4, 1)]),
    }
    for overlap, words, expected in cases.values():
        assert cuts(Fixed(max_words=40, overlap_words=overlap), words, [0, 5]) == expected


@pytest.mark.parametrize("strategy", [Recursive(40, 10), Fixed(40, 10)])
def test_nothing_is_repeated_across_a_section(strategy: Strategy) -> None:
    assert cuts(strategy, [10] * 6, [0, 3], breaks=(3,)) == []


@pytest.mark.parametrize("strategy", [Recursive(40, 0), Fixed(40, 0)], ids=lambda s: s.name)
def test_a_heading_goes_with_what_follows(strategy: Strategy) -> None:
    assert cuts(strategy, [10, 10, 10, 5, 10], [0, 1, 2, 3, 4], after_heading=(4,)) == [2]


def test_more_overlap_than_window_is_refused() -> None:
    with pytest.raises(ValueError, match=r"max_words must be at least overlap_words \(50\), not 40"):
        Fixed(max_words=40)
