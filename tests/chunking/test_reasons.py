"""The rank of a cut among the possible ones, and its reason in words."""

import numpy as np
import pytest

from alexandria.book import Boundary, Reason
from alexandria.chunking import explain_boundary
from alexandria.chunking.reasons import rank_boundaries
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from tests.chunking.builders import sizes_with

DEPTHS = np.array([0.5, 0.4, 0.3, 0.3, 0.1, 0.2, 0.0], np.float32)


def rank(
    gap: int, *, breaks: tuple[int, ...] = (), after_heading: tuple[int, ...] = ()
) -> tuple[object, object]:
    sizes = sizes_with([10] * 8, breaks=breaks, after_heading=after_heading)
    cut = Boundary(gap, float(DEPTHS[gap]), 0.5, Reason.TOPIC)
    (ranked,) = rank_boundaries([cut], sizes, DEPTHS, min_words=20, max_words=50)
    return ranked.rank, ranked.n_candidates


@pytest.mark.parametrize(
    ("gap", "options", "expected"),
    [
        pytest.param(4, {}, (1, 4), id="the deepest of the gaps at 20 to 50 words"),
        pytest.param(1, {}, (4, 4), id="the first chance, and the shallowest"),
        pytest.param(2, {}, (2, 4), id="equals share a rank"),
        pytest.param(0, {}, (5, 5), id="a cut below the minimum is a candidate too"),
        pytest.param(1, {"breaks": (4,)}, (2, 2), id="no gap beyond the section is in reach"),
        pytest.param(1, {"after_heading": (5,)}, (3, 3), id="nor one after a heading"),
    ],
)
def test_the_rank_among_the_gaps_in_reach(
    gap: int, options: dict[str, tuple[int, ...]], expected: tuple[int, int]
) -> None:
    assert rank(gap, **options) == expected


def test_a_chunk_counts_from_the_cut_before_and_a_section_is_not_ranked() -> None:
    sizes = sizes_with([10] * 8, breaks=(3,))
    cuts = [Boundary(2, 0.3, None, Reason.SECTION), Boundary(5, 0.2, 0.5, Reason.TOPIC)]
    ranked = rank_boundaries(cuts, sizes, DEPTHS, min_words=20, max_words=50)
    assert [(b.rank, b.n_candidates) for b in ranked] == [(None, None), (3, 3)]


@pytest.mark.parametrize(
    ("boundary", "words"),
    [
        (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=14, n_candidates=52),
            "first chance after 200 words (rank 14 of 52)",
        ),
        (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=1, n_candidates=52),
            "first chance after 200 words (the deepest gap in reach, of 52)",
        ),
        (
            Boundary(9, 0.3, 0.5, Reason.TOPIC, rank=1, n_candidates=1),
            "first chance after 200 words (the only gap in reach)",
        ),
        (Boundary(9, 0.8, 0.5, Reason.MAX_SIZE, rank=40, n_candidates=52), "cap of 1,200 words"),
        (Boundary(9, 0.8, None, Reason.SECTION), "a chapter or section begins"),
    ],
)
def test_a_boundary_in_words(boundary: Boundary, words: str) -> None:
    assert explain_boundary(boundary, UniversalSemantic()) == words
