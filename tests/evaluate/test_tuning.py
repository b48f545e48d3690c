"""The search for the best setting: what it chooses, what it reports, and that it is repeatable."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import Domain, load_domain
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.embed import load_encoder
from alexandria.errors import ConfigError
from alexandria.lab.books_and_questions import make_questions
from alexandria.lab.bootstrap import Values
from alexandria.lab.scores import OBJECTIVES, Material, Objective
from alexandria.lab.tuning import (
    TuningReport,
    best_as_yaml,
    best_of,
    draw_candidates,
    halves_of_book,
    split_in_halves,
)
from tests.evaluate.made import TOPICS, book

PRESENT = load_domain("literature")
BETTER, LUCKY = (load_domain("literature", options={"threshold": value}) for value in (0.1, 0.2))


def objective(scores: dict[str, Values]) -> Objective:
    """Return an objective that knows the settings by their thresholds."""
    return lambda domain: scores[str(getattr(domain.strategy, "threshold"))]  # noqa: B009


EVEN = np.full(40, 0.5)
NOISE = np.random.default_rng(0).normal(0, 0.3, 40)


def test_the_setting_with_the_surest_gain_is_chosen_and_tested_on_the_other_half() -> None:
    # LUCKY has the higher mean, through a few questions; BETTER gains a little on each.
    few = np.where(np.arange(40) < 3, 1.0, 0.0)
    train = objective({"0.55": EVEN, "0.1": EVEN + 0.05, "0.2": EVEN + few})
    test = objective({"0.55": EVEN, "0.1": EVEN + 0.04})
    tuned = best_of(PRESENT, [LUCKY, BETTER], train, test)
    assert tuned.best is BETTER
    assert tuned.gain_test.value == pytest.approx(0.04)
    assert tuned.beyond_noise
    assert tuned.recommended is BETTER
    assert tuned.n_settings == 3


def test_where_nothing_is_beyond_noise_the_present_setting_stays() -> None:
    train = objective({"0.55": EVEN, "0.1": EVEN + NOISE - NOISE.mean() + 0.01, "0.2": EVEN - 0.1})
    tuned = best_of(PRESENT, [BETTER, LUCKY], train, train)
    assert tuned.best is PRESENT
    assert tuned.recommended is PRESENT
    assert (tuned.gain_test.value, tuned.beyond_noise) == (0, False)


def test_a_gain_that_the_other_half_does_not_show_is_not_recommended() -> None:
    train = objective({"0.55": EVEN, "0.1": EVEN + 0.05})
    test = objective({"0.55": EVEN, "0.1": EVEN - 0.05})
    tuned = best_of(PRESENT, [BETTER], train, test)
    assert (tuned.best, tuned.recommended) == (BETTER, PRESENT)


def test_a_gain_on_a_few_questions_is_not_beyond_noise() -> None:
    for n in [1, 4, 5]:
        train = objective({"0.55": EVEN, "0.1": EVEN + 0.05})
        test = objective({"0.55": EVEN[:n], "0.1": EVEN[:n] + 0.2})
        tuned = best_of(PRESENT, [BETTER], train, test)
        assert tuned.gain_test.low > 0
        assert tuned.beyond_noise == (n >= 5)


def test_candidates_are_different_valid_of_every_strategy_and_repeatable() -> None:
    settings = draw_candidates(PRESENT, 60, seed=3)
    keys = [repr(one.strategy) for one in settings]
    assert len(set(keys)) == len(keys) == 60
    assert repr(PRESENT.strategy) not in keys
    assert {one.strategy.name for one in settings} == set(STRATEGIES)
    assert {one.name for one in settings} == {"literature"}
    assert keys == [repr(one.strategy) for one in draw_candidates(PRESENT, 60, seed=3)]
    assert keys != [repr(one.strategy) for one in draw_candidates(PRESENT, 60, seed=4)]


def test_candidates_keep_the_options_of_a_file_and_of_the_domain_that_it_overrides(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("notes: drop\n", encoding="utf-8")
    present = load_domain("literature", file=own)
    settings = draw_candidates(present, 30, seed=0, domain="literature", file=own)
    assert {(setting.name, setting.notes) for setting in settings} == {("literature", "drop")}
    turn_costs = {setting.strategy.turn_cost for setting in settings if isinstance(setting.strategy, Optimal)}
    assert turn_costs == {5.0}  # as in the domain; 4.0 by default


def test_each_book_is_in_one_half() -> None:
    for n in [2, 3, 4, 9]:
        train, test = split_in_halves(n, seed=1)
        assert sorted((*train, *test)) == list(range(n))
        assert len(train) - len(test) in (0, 1)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_one_book_is_divided_in_its_middle(name: str) -> None:
    one = book("Book 1", tuple(TOPICS) * 5)  # sections are scored ten at a time
    questions, hidden = make_questions([one])
    encoder = load_encoder("hashing")
    material = Material([one], questions, hidden, encoder, "hybrid")
    parts = halves_of_book(OBJECTIVES[name], material, PRESENT, seed=1)
    whole = OBJECTIVES[name](material, [0])(PRESENT)
    train, test = parts.train(PRESENT), parts.test(PRESENT)
    first, second = (test, train) if "second" in parts.train_titles[0] else (train, test)
    assert np.array_equal(np.concatenate([first, second]), whole)
    assert len(first) - len(second) in (0, 1)
    assert {*parts.train_titles, *parts.test_titles} == {
        "the first half of Book 1",
        "the second half of Book 1",
    }


def test_the_halves_follow_the_book_in_whatever_order_its_questions_come() -> None:
    one = book("Book 1")
    questions, hidden = make_questions([one])
    mixed = [*questions[::2], *questions[1::2]]
    material = Material([one], mixed, hidden, load_encoder("hashing"), "hybrid")

    def places(material: Material, _: Sequence[int]) -> Objective:
        starts = np.array([question.references[0][0] for question in material.questions], dtype=float)
        return lambda domain: starts

    parts = halves_of_book(places, material, PRESENT, seed=1)
    low, high = sorted((parts.train(PRESENT), parts.test(PRESENT)), key=lambda half: float(half.min()))
    assert low.max() <= high.min()


def test_the_seed_decides_which_half_of_a_book_is_searched_on() -> None:
    one = book("Book 1")
    questions, hidden = make_questions([one])
    material = Material([one], questions, hidden, load_encoder("hashing"), "hybrid")
    searched = {
        halves_of_book(OBJECTIVES["recall"], material, PRESENT, seed=seed).train_titles for seed in range(6)
    }
    assert len(searched) == 2


def test_a_book_with_one_question_cannot_be_halved() -> None:
    one = book("Book 1")
    questions, hidden = make_questions([one])
    material = Material([one], questions[:1], hidden, load_encoder("hashing"), "hybrid")
    with pytest.raises(ConfigError, match="too short to tune with"):
        halves_of_book(OBJECTIVES["recall"], material, PRESENT, seed=0)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_scores_each_setting_on_the_same_units(name: str) -> None:
    books = [book(f"Book {i}") for i in range(4)]
    questions, hidden = make_questions(books)
    material = Material(books, questions, hidden, load_encoder("hashing"), "hybrid")
    score = OBJECTIVES[name](material, [1, 3])
    shapes = {score(load_domain(options={"strategy": strategy})).shape for strategy in STRATEGIES}
    assert len(shapes) == 1
    assert shapes.pop()[0] > 0


def test_the_file_that_is_written_is_a_domain_with_the_found_options(tmp_path: Path) -> None:
    train = objective({"0.55": EVEN, "0.1": EVEN + 0.05})
    titles = ("A\nthreshold: 1",), ("B",)  # a title must not become an option
    report = TuningReport(best_of(PRESENT, [BETTER], train, train), "recall", *titles)
    text = best_as_yaml(report, "alexandria tune A B")
    path = tmp_path / "best.yaml"
    path.write_text(text, encoding="utf-8")
    loaded: Domain = load_domain(file=path)
    assert loaded.strategy == BETTER.strategy
    assert text.startswith("# Found by: alexandria tune A B\n")
    assert "# tested on B" in text
    assert "# The gain there is more than noise." in text
    assert yaml.safe_load(text)["extends"] == "literature"


def test_a_setting_found_for_a_file_of_its_own_extends_nothing(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("description: 'Letters: mine'\nthreshold: 0.55\n", encoding="utf-8")
    train = objective({"0.55": EVEN, "0.1": EVEN + 0.05})
    tuned = best_of(load_domain(file=own), [BETTER], train, train)
    written = tmp_path / "best.yaml"
    written.write_text(best_as_yaml(TuningReport(tuned, "recall", (), ()), "tune"), encoding="utf-8")
    assert load_domain(file=written).strategy == BETTER.strategy
    assert yaml.safe_load(written.read_text("utf-8"))["description"] == "Letters: mine, tuned"
