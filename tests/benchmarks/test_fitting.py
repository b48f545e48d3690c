"""A setting fitted to a person's grades, and tested on grades held back."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import ConfigError
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.library.ingest.one_book import PendingAnalysis, analyse, begin
from benchmarks.readers.fitting import GradedCuts, concordance, fit_setting, fitted_yaml, graded_cuts
from benchmarks.readers.grades import Grade, Grades
from benchmarks.readers.items import ReviewItem
from benchmarks.readers.tables import fitted_table
from tests.evaluate.made import book

PRESENT = load_domain("literature", options={"model": "hashing"})


def made_cuts(n: int, *, asks_for: str | None) -> GradedCuts:
    """Return cuts whose grades follow one of two costs, or none of them."""
    chance = np.random.default_rng(7)
    units = {
        "question_cost": chance.integers(0, 2, n).astype(float),
        "turn_cost": chance.integers(0, 2, n).astype(float),
    }
    grades = chance.integers(1, 6, n).astype(float)
    if asks_for is not None:
        grades = 4.0 - 2 * units[asks_for] + chance.integers(0, 2, n)
    return GradedCuts(grades, np.full(n, 0.1), np.zeros(n, np.bool_), units)


def graded(items: list[ReviewItem]) -> dict[str, Grades]:
    return {"anna": {item.n: Grade(1 + item.n % 5, begins=True) for item in items}}


def items_of(pending: PendingAnalysis, every: int = 3) -> list[ReviewItem]:
    """Return an item at every third sentence of a book, say."""
    return [
        ReviewItem(
            n=i,
            settings=("optimal",),
            domain="literature",
            book_id=pending.book.id,
            title=pending.book.title,
            start=sentence.start,
            before="",
            after="",
        )
        for i, sentence in enumerate(pending.sentences)
        if i % every == every - 1
    ]


def test_concordance_counts_pairs_with_different_grades_worked_by_hand() -> None:
    # Of 5 and 1, the 5 costs less: right. Of 5 and 3, both cost the same: half. Of 3 and 1: right.
    shares = concordance(np.array([1.0, 1.0, 4.0]), np.array([5.0, 3.0, 1.0]))
    assert shares.tolist() == [0.75, 0.75, 1.0]
    assert np.isnan(concordance(np.array([1.0, 2.0]), np.array([3.0, 3.0]))).all()


def test_a_cut_that_the_threshold_forbids_is_the_dearest_but_at_a_break() -> None:
    units = {"turn_cost": np.array([1.0, 0.0, 0.0])}
    cuts = GradedCuts(
        np.array([3.0, 1.0, 5.0]), np.array([0.1, 0.6, 0.6]), np.array([False, False, True]), units
    )
    costs = cuts.costs({"threshold": 0.5, "turn_cost": 4.0})
    assert costs[1] > costs[0] > costs[2]


def test_grades_that_ask_for_a_cost_get_it_and_prove_it_on_those_held_back() -> None:
    result = fit_setting(PRESENT, made_cuts(120, asks_for="question_cost"), ["anna"])
    assert result.changes["turn_cost"][1] < result.changes["turn_cost"][0]  # it only disturbs
    assert result.beyond_noise
    assert result.recommended is result.fitted
    assert result.fitted_heldout.value > result.present_heldout.value


def test_grades_by_chance_change_nothing_that_is_kept() -> None:
    result = fit_setting(PRESENT, made_cuts(60, asks_for=None), ["anna"])
    assert not result.beyond_noise
    assert result.recommended is PRESENT
    assert ", not more than noise. Keep" in fitted_table(result).notes[0]
    worse = replace(result, gain_heldout=ScoreEstimate(-0.09, -0.14, -0.04))
    assert ", a loss of more than noise. Keep" in fitted_table(worse).notes[0]


def test_the_same_grades_give_the_same_setting_and_no_more_than_three_changes() -> None:
    cuts = made_cuts(60, asks_for="turn_cost")
    first, second = (fit_setting(PRESENT, cuts, ["anna"]) for _ in range(2))
    assert (first.changes, first.gain_heldout) == (second.changes, second.gain_heldout)
    assert len(first.changes) <= 3


def test_the_fitted_domain_file_loads_and_differs_in_what_was_changed_only(tmp_path: Path) -> None:
    result = fit_setting(PRESENT, made_cuts(120, asks_for="question_cost"), ["anna"])
    file = tmp_path / "mine.yaml"
    text = fitted_yaml(result, "alexandria tune")
    # The shares are those of settings fitted to a part of the grades, not of the one in the file.
    assert re.search(r"held back, settings fitted to the other cuts order [01]\.\d{3}", text)
    file.write_text(text)
    loaded = load_domain(file=file, options={"model": "hashing"})
    assert loaded.strategy == result.fitted.strategy
    assert set(result.changes) < set(yaml.safe_load(file.read_text()))


@pytest.mark.parametrize("domain", [None, "literature"])
@pytest.mark.parametrize("name", ["mine", "history"])
def test_the_fitted_domain_file_keeps_what_a_file_of_the_users_states(
    tmp_path: Path, name: str, domain: str | None
) -> None:
    own = tmp_path / f"{name}.yaml"
    own.write_text("min_words: 77\nquestion_cost: 0.4\nnotes: drop\n", encoding="utf-8")
    present = load_domain(domain, file=own)
    result = fit_setting(present, made_cuts(120, asks_for="question_cost"), ["anna"])
    assert result.changes
    file = tmp_path / "fitted.yaml"
    file.write_text(fitted_yaml(result, "alexandria tune"), encoding="utf-8")
    loaded = load_domain(file=file)
    assert loaded.strategy == result.fitted.strategy
    assert (loaded.notes, loaded.strategy.min_words) == (present.notes, 77)


def test_costs_of_graded_cuts_are_those_that_the_strategy_weighs() -> None:
    options = {"model": "hashing", "min_words": 20, "respect_sections": False}
    present = load_domain("literature", options=options)
    analysis = analyse(book(), present, HashingEncoder())
    pending = begin(book(), present, HashingEncoder())
    items = items_of(pending, every=1)[1:]
    cuts, _ = graded_cuts([pending], present, items, graded(items))
    costs = cuts.costs({option: getattr(present.strategy, option) for option in ("threshold", *cuts.units)})
    weighed = {
        boundary.gap: sum(term.cost for term in boundary.balance.terms)
        for boundary in analysis.segmentation.boundaries
        if boundary.balance is not None
    }
    assert len(weighed) == 3
    for gap, cost in weighed.items():
        assert costs[gap] == pytest.approx(cost, abs=0.01)


def test_grades_of_items_at_one_place_are_averaged() -> None:
    pending = begin(book(), PRESENT, HashingEncoder())
    items = items_of(pending)
    readers = graded(items)
    once, _ = graded_cuts([pending], PRESENT, items, readers)
    again = [replace(item, n=1000 + item.n) for item in items]
    twice = {"anna": {**readers["anna"], **{item.n: Grade(1, begins=True) for item in again}}}
    cuts, _ = graded_cuts([pending], PRESENT, [*items, *again], twice)
    assert cuts.grades.tolist() == ((once.grades + 1) / 2).tolist()


def test_grades_of_a_text_that_was_read_otherwise_are_counted_and_too_few_refused() -> None:
    pending = begin(book(), PRESENT, HashingEncoder())
    items = items_of(pending)
    moved = [replace(item, n=1000 + item.n, start=item.start + 1) for item in items[:3]]
    _, n_unplaced = graded_cuts([pending], PRESENT, [*items, *moved], graded([*items, *moved]))
    assert n_unplaced == 3
    with pytest.raises(ConfigError, match="too few grades"):
        graded_cuts([pending], PRESENT, items[:5], graded(items[:5]))
    with pytest.raises(ConfigError, match="cannot fit recursive"):
        graded_cuts([pending], load_domain(options={"strategy": "recursive"}), items, graded(items))
