"""`optimal`: the objective by hand, and the division against all divisions there are."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria.book.model import Embeddings, Reason
from alexandria.chunking import OptionError, Sizes
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.strategies.optimal import Optimal
from tests.chunking.builders import random_rows, sizes_with, topics

# Nothing but the coherence of chunks: every gap may be cut, and no cut costs anything.
FREE = Optimal(
    threshold=1.0,
    min_words=0,
    max_words=1000,
    chunk_cost=0.0,
    paragraph_cost=0.0,
    window_cost=0.0,
    new_subject_cost=0.0,
)


def cuts(strategy: Optimal, rows: Embeddings, sizes: Sizes | None = None) -> list[int]:
    boundaries = strategy.segment(rows, sizes or sizes_with([10] * len(rows)))
    return [boundary.gap for boundary in boundaries]


def with_cue(sizes: Sizes, cue: Cue, *sentences: int, strength: float = 1.0) -> Sizes:
    strengths = np.zeros(len(sizes.words), np.float32)
    strengths[list(sentences)] = strength
    return replace(sizes, cues={**sizes.cues, cue: strengths})


def with_breaks(sizes: Sizes, *sentences: int) -> Sizes:
    return replace(sizes, break_before=np.isin(np.arange(len(sizes.words)), sentences))


@pytest.mark.parametrize(
    ("chunk_cost", "expected"),
    [
        pytest.param(1.15, [1], id="4 − 2 · 1.15 > √8 − 1.15: two chunks"),
        pytest.param(1.2, [], id="4 − 2 · 1.2 < √8 − 1.2: one"),
    ],
)
def test_two_topics_are_split_if_that_is_worth_the_cost(chunk_cost: float, expected: list[int]) -> None:
    assert cuts(replace(FREE, chunk_cost=chunk_cost), topics(2, 2)) == expected


def test_a_cut_needs_a_similarity_below_the_threshold() -> None:
    rows = np.array([[1, 0]] * 4 + [[0.6, 0.8]] * 4, np.float32)
    assert cuts(replace(FREE, threshold=0.7), rows) == [3]
    assert cuts(replace(FREE, threshold=0.5), rows) == []


def test_the_authors_break_may_be_cut_above_the_threshold() -> None:
    sizes = with_breaks(sizes_with([10] * 8), 4)
    rows = np.repeat(random_rows(1), 8, axis=0)
    [boundary] = replace(FREE, threshold=0.5, chunk_cost=0.5).segment(rows, sizes)
    assert (boundary.gap, boundary.reason) == (3, Reason.BREAK)


def test_a_break_that_makes_a_chunk_too_short_is_not_cut() -> None:
    sizes = with_breaks(sizes_with([10] * 8), 2)
    rows = np.repeat(random_rows(1), 8, axis=0)
    assert cuts(replace(FREE, threshold=0.5, min_words=30), rows, sizes) == []


def test_no_chunk_is_shorter_than_the_minimum() -> None:
    assert cuts(replace(FREE, min_words=20), topics(2, 2)) == [1]
    assert cuts(replace(FREE, min_words=21), topics(2, 2)) == []
    assert cuts(replace(FREE, min_words=50), topics(9, 5)) == [8]
    assert cuts(replace(FREE, min_words=51), topics(9, 5)) == []


def test_the_cap_goes_before_the_minimum() -> None:
    assert cuts(replace(FREE, min_words=15, max_words=15), topics(2)) == [0]


def test_a_cut_is_forced_at_the_cheapest_place_where_none_is_possible() -> None:
    rows = np.repeat(random_rows(1), 6, axis=0)
    sizes = sizes_with([10] * 6, paragraphs=[0, 2])
    strategy = replace(FREE, threshold=0.5, paragraph_cost=5.0, max_words=40)
    boundaries = strategy.segment(rows, sizes)
    assert [(b.gap, b.reason) for b in boundaries] == [(1, Reason.MAX_SIZE)]
    sizes = with_cue(sizes_with([10] * 6), Cue.LEAD_IN, 2, 3)
    assert cuts(replace(strategy, lead_in_cost=5.0), rows, sizes) == [3]


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        pytest.param(0.0, [3], id="free: where the topic changes"),
        pytest.param(0.5, [2], id="one sentence off, at the paragraph's end"),
    ],
)
def test_cuts_fall_between_paragraphs_unless_the_topic_insists(cost: float, expected: list[int]) -> None:
    half = 0.5**0.5
    rows = np.array([[1, 0]] * 3 + [[0.9, 0.19**0.5]] + [[0, 1]] * 4, np.float32)
    rows[3] = half + 0.05, (1 - (half + 0.05) ** 2) ** 0.5  # a little nearer to what is before
    sizes = sizes_with([10] * 8, paragraphs=[0, 3])
    assert cuts(replace(FREE, chunk_cost=1.0, paragraph_cost=cost), rows, sizes) == expected


@pytest.mark.parametrize("cue", list(Cue))
def test_each_cue_moves_a_cut_by_its_cost_and_strength(cue: Cue) -> None:
    """Of two cuts alike but for a cue, the one without its cost is made, or the one with its reward."""
    rows = topics(3, 1, 3)  # cutting on either side of the odd sentence is worth the same
    sizes = with_cue(sizes_with([10] * 7), cue, 3, strength=0.5)
    strategy = replace(FREE, min_words=30)
    costly, rewarded = ({f"{cue}_cost": cost} for cost in (1.0, -1.0))
    assert cuts(replace(strategy, **costly), rows, sizes) == [3]  # type: ignore[arg-type]  # names are built
    assert cuts(replace(strategy, **rewarded), rows, sizes) == [2]  # type: ignore[arg-type]  # as above


def test_the_sentences_around_a_gap_are_compared() -> None:
    # Sentence 3 is a digression, after which the first topic goes on; sentence 7 begins another.
    rows = np.eye(3, dtype=np.float32)[[0, 0, 0, 1, 0, 0, 0, 2, 2, 2]]
    strategy = replace(FREE, min_words=30)
    assert cuts(strategy, rows) == [2, 6]
    assert cuts(replace(strategy, window_cost=1.0), rows) == [6]


def test_windows_are_compared_with_those_around_them() -> None:
    """A change that is small in a book of small changes is worth as much as a large one among large ones."""
    alike = np.array([[1, 0]] * 5 + [[0.9, 0.19**0.5]] * 5, np.float32)
    unlike = topics(5, 5)
    for rows in (alike, unlike):
        terms = replace(FREE, window_cost=1.0).cut_costs(
            rows, neighbour_similarities(rows), sizes_with([10] * 10)
        )
        assert int(terms["window"][1:].argmin()) == 4
        assert terms["window"][5] < 0 < terms["window"][1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [pytest.param(40, [4], id="long paragraphs"), pytest.param(39, [], id="lines of a dialogue")],
)
def test_a_new_subject_is_cut_between_paragraphs_of_some_length(words: int, expected: list[int]) -> None:
    strategy = replace(FREE, chunk_cost=20.0, new_subject_cost=-20.0)
    rows, sizes = topics(5, 5), sizes_with([words] * 10)
    assert cuts(strategy, rows, sizes) == expected
    assert cuts(strategy, rows, replace(sizes, starts_block=np.zeros(10, np.bool_))) == []


def test_a_long_chunk_costs_by_the_square_of_what_is_above_500_words() -> None:
    strategy = replace(FREE, long_cost=0.2)
    squares = np.zeros(4)
    worths = strategy.chunk_worths(squares, np.array([500, 650, 800, 1100]))
    assert worths.tolist() == pytest.approx([0, -0.2, -0.8, -3.2])
    assert replace(FREE, long_cost=0.0).chunk_worths(squares, np.array([1000] * 4)).tolist() == [0] * 4


def test_a_heading_ends_a_chunk_only_where_the_cap_leaves_nothing_else() -> None:
    sizes = sizes_with([10] * 6, after_heading=[3])
    assert cuts(FREE, topics(3, 3), sizes) != [2]
    assert 2 not in cuts(replace(FREE, max_words=30), topics(3, 3), sizes)
    full = sizes_with([30, 10, 30], after_heading=[2])
    assert cuts(replace(FREE, max_words=30), topics(1, 2), full) == [0, 1]


def test_a_cost_that_would_outweigh_everything_is_refused() -> None:
    for option in ["chunk_cost", "window_cost", "turn_cost"]:
        with pytest.raises(OptionError, match=f"{option} must be a number from -20 to 20"):
            Optimal(**{option: 21.0})  # type: ignore[arg-type]  # the name is a parameter


def test_every_cue_has_a_cost() -> None:
    assert all(hasattr(Optimal(), f"{cue}_cost") for cue in Cue)


def cosine(before: Embeddings, after: Embeddings) -> float:
    """Return the cosine of the sums of some rows."""
    a, b = before.sum(axis=0, dtype=np.float64), after.sum(axis=0, dtype=np.float64)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def relative_similarity(rows: Embeddings, start: int) -> float:
    """Return the similarity of four sentences on both sides, minus its mean over eight gaps on both sides."""
    gaps = range(max(1, start - 8), min(len(rows), start + 9))
    of = {gap: cosine(rows[max(0, gap - 4) : gap], rows[gap : gap + 4]) for gap in gaps}
    return of[start] - float(np.mean(list(of.values())))


def subject_change(rows: Embeddings, sizes: Sizes, start: int) -> float:
    if not sizes.starts_block[start]:
        return 0.0
    begins = [0, *np.flatnonzero(sizes.starts_block[1:]) + 1, len(rows)]
    k = begins.index(start)
    before, after = slice(begins[k - 1], start), slice(start, begins[k + 1])
    if min(sizes.words[before].sum(), sizes.words[after].sum()) < 40:
        return 0.0
    alike = cosine(rows[before], rows[after]) + relative_similarity(rows, start)
    return min(1.0, max(0.0, (0.3 - alike) / 0.3))


def worth(starts: tuple[int, ...], rows: Embeddings, sizes: Sizes, strategy: Optimal) -> float:
    """Return the objective as the documentation states it; −inf above the cap."""
    total = 0.0
    for a, b in pairwise((0, *starts, len(rows))):
        words = int(sizes.words[a:b].sum())
        if words > strategy.max_words and b - a > 1:
            return -np.inf
        total += float(np.linalg.norm(rows[a:b].sum(axis=0, dtype=np.float64))) - strategy.chunk_cost
        total -= strategy.long_cost * (max(0, words - 500) / 150) ** 2
        if words < strategy.min_words:
            total -= 1000 + strategy.min_words - words
    for start in starts:
        total -= strategy.window_cost * relative_similarity(rows, start)
        total -= strategy.new_subject_cost * subject_change(rows, sizes, start)
        total -= sum(
            getattr(strategy, f"{cue}_cost") * float(strengths[start])
            for cue, strengths in sizes.cues.items()
        )
        if not sizes.starts_block[start]:
            total -= strategy.paragraph_cost
        if sizes.break_before[start]:
            total -= strategy.break_cost
        elif float(rows[start - 1] @ rows[start]) >= strategy.threshold:
            total -= 1000
        if not sizes.may_begin[start]:
            total -= 1e5
    return total


@settings(deadline=None)
@given(
    n=st.integers(1, 9),
    seed=st.integers(0, 10**6),
    threshold=st.floats(-1, 1),
    costs=st.lists(st.sampled_from([-6.0, -3.0, 0.0, 0.3, 2.0, 8.0]), min_size=20, max_size=20),
    min_words=st.sampled_from([0, 15, 40]),
    max_words=st.sampled_from([40, 60, 1000]),
)
def test_no_division_is_better(
    n: int, seed: int, threshold: float, costs: list[float], min_words: int, max_words: int
) -> None:
    names = [f"{name}_cost" for name in ("chunk", "paragraph", "window", "break", *Cue)]
    options = dict(zip(names, costs, strict=False))
    strategy = Optimal(threshold=threshold, min_words=min_words, max_words=max_words, **options)
    chance = np.random.default_rng(seed)
    rows = random_rows(n, dim=3, seed=seed)
    sizes = sizes_with(
        chance.integers(1, 50, n).tolist(),
        paragraphs=np.flatnonzero(chance.random(n) < 0.5).tolist(),
        after_heading=(np.flatnonzero(chance.random(n - 1) < 0.1) + 1).tolist(),
    )
    sizes = with_breaks(sizes, *np.flatnonzero(chance.random(n) < 0.1).tolist())
    for cue in Cue:
        strengths = (chance.random(n) * (chance.random(n) < 0.3)).astype(np.float32)
        sizes = replace(sizes, cues={**sizes.cues, cue: strengths})
    every = (starts for k in range(n) for starts in combinations(range(1, n), k))
    best = max(worth(starts, rows, sizes, strategy) for starts in every)
    starts = tuple(gap + 1 for gap in cuts(strategy, rows, sizes))
    assert worth(starts, rows, sizes, strategy) == pytest.approx(best, abs=1e-5)


def test_a_long_text_is_divided_as_its_parts_are() -> None:
    """Blocks of the table are no limits: 2,000 sentences that fall into 40 topics."""
    lengths = np.random.default_rng(1).integers(20, 80, 40).tolist()
    assert cuts(FREE, topics(*lengths)) == (np.cumsum(lengths)[:-1] - 1).tolist()
