"""Numbers in words, and JSON that any reader takes."""

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from alexandria.chunking.domains import Domain, load_domain
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.boundaries import BoundaryReport, BoundaryResult
from alexandria.lab.documents import retrieval_document
from alexandria.lab.retrieval import METRICS, RetrievalReport, Run
from alexandria.lab.tables import (
    _advice,
    boundary_tables,
    format_gain,
    in_percent,
    retrieval_table,
    tuning_table,
    with_interval,
)
from alexandria.lab.tuning import TuningReport, best_of


def test_a_share_is_shown_with_its_interval() -> None:
    cases = {
        "an interval": (ScoreEstimate(0.8124, 0.79, 0.834), ".812 [.790, .834]"),
        "all of it": (ScoreEstimate(1.0, 0.95, 1.0), "1.00 [.950, 1.00]"),
        "a single unit has no interval": (ScoreEstimate(0.5, 0.5, 0.5), ".500"),
    }
    for estimate, expected in cases.values():
        assert with_interval(estimate) == expected


def test_gains_carry_their_sign() -> None:
    assert in_percent(ScoreEstimate(0.12, -0.08, 0.15)) == "+12 % [-8, +15]"
    assert in_percent(ScoreEstimate(np.nan, np.nan, np.nan)) == "–"
    assert format_gain(ScoreEstimate(-0.031, -0.05, 0.012)) == "-0.031 [-0.050, +0.012]"


def run_of(value: float) -> Run:
    return Run("optimal", "dense", 3, 120.4, {name: np.full(4, value) for name in METRICS})


def test_over_a_baseline_that_finds_nothing_there_is_no_gain_and_json_has_no_nan() -> None:
    report = RetrievalReport(("heading",) * 4, run_of(0.0), (run_of(0.5),))
    document = retrieval_document(report)
    text = json.dumps(document, allow_nan=False)
    assert [one["gain"] for one in json.loads(text)["results"]] == [None, None]
    assert all(one["self_made"] for one in document["results"])


def test_the_baseline_is_the_first_row_and_the_title_says_how_questions_were_made() -> None:
    report = RetrievalReport(("heading",), run_of(0.4), (run_of(0.5),), budget=99)
    table = retrieval_table("heading", report)
    assert table.title == "1 question, self-made: heading"
    assert retrieval_table("given", RetrievalReport(("given",) * 2, run_of(0.4), ())).title == "2 questions"
    assert [row[4] for row in table.rows] == [".400", ".500"]
    assert table.columns[4] == "recall in 99 words"


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        pytest.param([0.1] * 5, "+0.100, +0.100], more than noise. Use the best setting.", id="gain"),
        pytest.param([0.2, -0.2, 0.1, -0.1, 0.1], "within noise. Keep the present setting.", id="noise"),
        pytest.param([-0.1] * 5, "a loss of more than noise. Keep the present setting.", id="loss"),
        pytest.param([0.1] * 4, "too few to tell a gain from noise. Keep the present", id="few"),
    ],
)
def test_the_table_of_tune_says_which_setting_to_use(gains: list[float], verdict: str) -> None:
    present, best = load_domain(), load_domain(options={"strategy": "fixed"})
    even, gained = np.full(9, 0.5), np.array(gains)
    tuned = best_of(
        present,
        [best],
        train=lambda domain: even + 0.1 * (domain is best),
        test=lambda domain: even[: len(gained)] + gained * (domain is best),
    )
    assert verdict in tuning_table(TuningReport(tuned, "recall", ("A",), ("B",))).notes[-1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({}, None, id="none"),
        pytest.param(
            {"threshold": 0.3, "min_words": 50},
            "optimal with threshold 0.55 → 0.3, min_words 100 → 50",
            id="same",
        ),
        pytest.param({"strategy": "fixed"}, "fixed max_words=500 overlap_words=50", id="other"),
    ],
)
def test_the_table_of_tune_fits_a_terminal_and_says_what_the_best_setting_is(
    options: dict[str, object], words: str | None
) -> None:
    best = load_domain(options=options)

    def score(domain: Domain) -> NDArray[np.float64]:
        return np.full(9, 0.5 + 0.1 * (domain is best))

    tuned = best_of(load_domain(), [best] if options else [], train=score, test=score)
    table = tuning_table(TuningReport(tuned, "recall", ("A",), ("B",)))
    assert all(len("  ".join(row)) <= 70 for row in table.rows)
    assert table.notes[:-1] == ((f"Best: {words}.",) if words else ())


def test_an_evaluation_says_what_to_do() -> None:
    cases: dict[str, tuple[dict[str, list[float]], str]] = {
        "the present one": (
            {"own": [0.9] * 9, "other": [0.5] * 9},
            "own does it, and beats every other by more than noise: keep it.",
        ),
        "a tie": (
            {"own": [0.9] * 9, "other": [0.9] * 9},
            "own does it, though it does not beat every other by more than noise: keep it.",
        ),
        "a better one": (
            {"own": [0.5] * 9, "other": [0.9] * 9},
            "other does it, and beats own by more than noise: use other.",
        ),
        "noise": (
            {"own": [0.5, 0.6, 0.4] * 3, "other": [0.4, 0.6, 0.6] * 3},
            "other does it, but does not beat own by more than noise: keep own.",
        ),
        "too few": ({"own": [0.1] * 4, "other": [0.9] * 4}, "Too few to tell the settings apart: keep own."),
    }
    for scores, advice in cases.values():
        assert _advice({name: np.array(values) for name, values in scores.items()}, "does it") == advice


@pytest.mark.parametrize(
    ("tasks", "advice"),
    [
        ([(0.9, 0.5), (0.7, 0.6)], "All in all: keep own."),
        ([(0.5, 0.9), (0.5, 0.8)], "All in all: use other."),
        ([(0.9, 0.5), (0.5, 0.8)], "All in all: keep own; another setting is better only in some tables."),
        ([(0.5, 0.9)], "other agrees best with the sections, and beats own by more than noise: use other."),
    ],
    ids=["keep", "use", "divided", "one table"],
)
def test_the_last_table_ends_with_the_advice_of_all(tasks: list[tuple[float, float]], advice: str) -> None:
    names = ("pk", "window_diff", "precision", "recall", "f1")
    results = tuple(
        BoundaryResult(
            f"task {i}",
            setting,
            9,
            dict.fromkeys(names, np.full(9, score)),
            dict.fromkeys(names, np.zeros(9)),
        )
        for i, scores in enumerate(tasks)
        for setting, score in zip(("own", "other"), scores, strict=True)
    )
    assert boundary_tables(BoundaryReport(results, (), 2, 0))[-1].notes[-1] == advice
