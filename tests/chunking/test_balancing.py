"""The balances of `optimal`: what they record against all the cuts that could have been made instead."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from alexandria.book.model import Boundary, Embeddings, Segmentation
from alexandria.book.weighed import Term
from alexandria.chunking import STRATEGIES, Sizes, Strategy, segment_sentences
from alexandria.chunking.balancing import NOT_CUES, with_balances
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.cues.notes import NOTES, phrase_of
from alexandria.chunking.strategies.optimal import CUT_COSTS, Optimal
from tests.chunking.builders import random_rows, sizes_with, topics
from tests.chunking.strategies.test_optimal import FREE, with_breaks, with_cue, worth


def weighed(strategy: Strategy, rows: Embeddings, sizes: Sizes) -> Segmentation:
    return with_balances(strategy, rows, sizes, segment_sentences(strategy, rows, sizes))


def coherence(rows: Embeddings, *starts: int) -> float:
    return sum(float(np.linalg.norm(rows[a:b].sum(axis=0))) for a, b in pairwise((0, *starts, len(rows))))


def test_a_cut_has_its_costs_by_name_its_gain_and_the_next_best() -> None:
    rows = np.array([[1, 0], [1, 0], [0.8, 0.6], [0, 1], [0, 1], [0, 1]], np.float32)
    sizes = with_cue(sizes_with([10] * 6, paragraphs=[0, 1, 2, 4, 5]), Cue.NEW_TIME, 3)
    strategy = replace(FREE, paragraph_cost=0.1, new_time_cost=-0.25)
    [boundary] = weighed(replace(strategy, chunk_cost=1.0), rows, sizes).boundaries
    balance = boundary.balance
    assert (boundary.gap, balance is not None) == (2, True)
    assert balance is not None
    assert balance.inside_paragraph
    assert balance.terms == (Term("paragraph", 0.1), Term("new_time", -0.25))
    assert balance.cost == -0.15
    assert balance.gain == pytest.approx(coherence(rows, 3) - coherence(rows) - 1, abs=1e-3)
    assert balance.next_best is not None
    # Between equal sentences the similarity is not below the threshold.
    assert (balance.next_best.gap, balance.next_best.cost) == (1, 0)
    loss = coherence(rows, 3) + 0.15 - coherence(rows, 2)
    assert balance.next_best.loss == pytest.approx(loss, abs=1e-3)


def test_a_place_is_kept_together_by_its_cue() -> None:
    rows, sizes = topics(3, 3), with_cue(sizes_with([10] * 6), Cue.QUOTATION, 3)
    strategy = replace(FREE, chunk_cost=1.0, quotation_cost=4.0)
    segmentation = weighed(strategy, rows, sizes)
    assert segmentation.boundaries == ()
    [kept] = segmentation.kept
    assert (kept.gap, kept.similarity, kept.terms) == (2, 0.0, (Term("quotation", 4.0),))
    assert kept.loss == pytest.approx(18**0.5 - 1 - (6 - 2 - 4), abs=1e-3)
    weaker = replace(strategy, quotation_cost=0.5)
    assert [b.gap for b in weighed(weaker, rows, sizes).boundaries] == [2]
    assert weighed(replace(strategy, chunk_cost=9.0), rows, sizes).kept == ()  # no cut there in any case


def test_gaps_are_counted_in_the_whole_book() -> None:
    rows = np.concatenate((topics(3, 3), topics(3, 3)))
    sizes = with_cue(replace(sizes_with([10] * 12), breaks=(6,)), Cue.QUOTATION, 9)
    segmentation = weighed(replace(FREE, chunk_cost=1.0, quotation_cost=4.0), rows, sizes)
    assert [b.gap for b in segmentation.boundaries] == [2, 5]
    first, section = (b.balance for b in segmentation.boundaries)
    assert first is not None
    assert section is None  # a section begins: nothing was weighed
    assert [kept.gap for kept in segmentation.kept] == [8]


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "optimal"])
def test_a_strategy_that_adds_up_no_costs_has_no_balances(name: str) -> None:
    segmentation = weighed(STRATEGIES[name](), random_rows(300), sizes_with([10] * 300))
    assert segmentation.boundaries
    assert all(boundary.balance is None for boundary in segmentation.boundaries)
    assert segmentation.kept == ()


def moves(starts: tuple[int, ...], n: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return every division in which one cut is moved up to its neighbours, or one is added, by its place."""
    edges = (0, *starts, n)
    moved = [
        (place, (*starts[:k], place, *starts[k + 1 :]))
        for k in range(len(starts))
        for place in range(edges[k] + 1, edges[k + 2])
        if place != starts[k]
    ]
    added = [(place, tuple(sorted((*starts, place)))) for place in range(1, n) if place not in starts]
    return moved + added


@settings(deadline=None, max_examples=40)
@example(  # a new subject holds nothing together, whatever it costs
    n=10, seed=10, max_words=80, costs=[0, 0, -1, 1, -1, -1, 0, *[-1.0] * 10, 1, 1, 0.3, -1, -1, 0]
)
@given(
    n=st.integers(2, 14),
    seed=st.integers(0, 10**6),
    costs=st.lists(st.sampled_from([-1.0, 0.0, 0.3, 1.0]), min_size=5 + len(Cue), max_size=5 + len(Cue)),
    max_words=st.sampled_from([80, 1000]),
)
def test_the_records_are_those_of_all_moves_tried(
    n: int, seed: int, costs: list[float], max_words: int
) -> None:
    options = dict(zip(("chunk_cost", *CUT_COSTS), costs, strict=False))
    strategy = Optimal(threshold=0.8, min_words=20, max_words=max_words, **options)
    chance = np.random.default_rng(seed)
    rows = random_rows(n, dim=3, seed=seed)
    sizes = sizes_with(
        chance.integers(5, 30, n).tolist(), paragraphs=np.flatnonzero(chance.random(n) < 0.5).tolist()
    )
    sizes = with_breaks(sizes, *np.flatnonzero(chance.random(n) < 0.1).tolist())
    for cue in Cue:
        sizes = with_cue(sizes, cue, *np.flatnonzero(chance.random(n) < 0.3).tolist(), strength=0.7)
    # As the strategy cuts: the limits may drop a cut, which the balances of all strategies allow for.
    similarities = np.einsum("ij,ij->i", rows[:-1], rows[1:])
    segmentation = with_balances(
        strategy, rows, sizes, Segmentation(similarities, strategy.segment(rows, sizes))
    )
    starts = tuple(boundary.gap + 1 for boundary in segmentation.boundaries)
    best = worth(starts, rows, sizes, strategy)
    losses = [
        (place, set(other), best - worth(other, rows, sizes, strategy)) for place, other in moves(starts, n)
    ]
    for boundary in segmentation.boundaries:
        others = set(starts) - {boundary.gap + 1}
        moved = [
            loss
            for place, other, loss in losses
            if place not in others and other - {place} == others and loss < 500
        ]
        without = best - worth(tuple(sorted(others)), rows, sizes, strategy)
        _check_balance(boundary, min(moved, default=None), without, sizes, strategy)
    _check_kept(segmentation, starts, [(place, loss) for place, _, loss in losses], sizes, strategy)


def _check_balance(
    boundary: Boundary, least: float | None, without: float, sizes: Sizes, strategy: Optimal
) -> None:
    balance = boundary.balance
    assert balance is not None
    assert (balance.next_best is None) == (least is None)
    if balance.next_best is not None:
        assert balance.next_best.loss == pytest.approx(least, abs=2e-3)
    assert (balance.gain is None) == (without == np.inf)
    if balance.gain is not None:
        allowed = boundary.similarity < strategy.threshold or sizes.break_before[boundary.gap + 1]
        assert balance.gain - balance.cost - (0 if allowed else 1000) == pytest.approx(without, abs=2e-2)


def _check_kept(
    segmentation: Segmentation,
    starts: tuple[int, ...],
    losses: list[tuple[int, float]],
    sizes: Sizes,
    strategy: Optimal,
) -> None:
    def tie(place: int) -> float:
        of_cues = sum(
            max(0.0, float(getattr(strategy, f"{cue}_cost") * strengths[place]))
            for cue, strengths in sizes.cues.items()
            if cue not in NOT_CUES
        )
        return of_cues + max(0.0, strategy.break_cost) * float(sizes.break_before[place])

    n = len(sizes.words)
    for first, stop in pairwise((0, *starts, n)):
        decided = {
            place: tie(place) - min(loss for at, loss in losses if at == place)
            for place in range(first + 1, stop)
        }
        here = [kept for kept in segmentation.kept if first <= kept.gap < stop - 1]
        if max(decided.values(), default=0) > 2e-3:
            [kept] = here
            assert decided[kept.gap + 1] == pytest.approx(max(decided.values()), abs=2e-3)
            assert sum(term.cost for term in kept.terms) > kept.loss - 1e-3
        elif max(decided.values(), default=0) < -2e-3:
            assert here == []


def test_every_cost_of_a_cut_is_described_and_a_new_one_is_named() -> None:
    assert tuple(f"{name}_cost" for name in NOTES) == CUT_COSTS
    assert set(NOT_CUES) < set(NOTES)
    assert all(" | " in note.example for note in NOTES.values())
    assert phrase_of("new_scene") == "new scene"
