"""The measuring commands as a person or a script meets them."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from alexandria.book.choices import Mode
from alexandria.chunking import STRATEGIES
from alexandria.lab.command import command_line
from tests.command import alexandria
from tests.conftest import SAMPLES
from tests.evaluate.made import write_text

EPUB = SAMPLES / "the-quiet-trades.epub"


def document(output: str) -> Any:
    loaded = json.loads(output)
    assert loaded["schema_version"] == 1
    return loaded


def test_boundaries_scores_every_strategy_beside_chance() -> None:
    done = alexandria("evaluate", "boundaries", EPUB, "--documents", "3", "--json")
    assert done.returncode == 0, done.stderr
    results = document(done.stdout)["results"]
    assert [one["setting"] for one in results if one["task"] == "sections"] == list(STRATEGIES)
    assert all(set(one["scores"]) == set(one["chance"]) for one in results)


def test_retrieval_scores_every_strategy_in_every_mode(tmp_path: Path) -> None:
    text = write_text(tmp_path, "made.txt")
    questions = tmp_path / "q.jsonl"
    raw = text.read_text()
    start = raw.index("Harbour")
    rows = [
        {"question": "the rope of the anchor", "spans": [[start, start + 20]], "book": "made"},
        {"question": "who kneads the dough?", "quotes": ["Oven yeast crust"]},
        {"question": "nobody knows", "quotes": ["these words stand nowhere"]},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)))
    done = alexandria("evaluate", "retrieval", text, "--questions", questions, "--json")
    assert done.returncode == 0, done.stderr
    assert "line 3" in done.stderr
    report = document(done.stdout)
    assert [one["line"] for one in report["left_out"]] == [3]
    baseline, *runs = report["results"]
    assert baseline["baseline"] is True
    assert [(one["setting"], one["mode"]) for one in runs] == [(s, m) for s in STRATEGIES for m in Mode]


def test_without_questions_the_table_says_that_they_are_self_made() -> None:
    done = alexandria("evaluate", "retrieval", EPUB, "--mode", "dense", "--markdown")
    assert done.returncode == 0, done.stderr
    assert "self-made: sentence" in done.stdout
    assert "self-made: heading" in done.stdout
    assert "| fixed | text-vector |" in done.stdout


def test_a_search_by_sentences_that_the_domain_does_not_store_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text("sentence_vectors: false\n")
    command = ("evaluate", "retrieval", EPUB, "--config", config, "--mode", "sentences")
    done = alexandria(*command)
    assert done.returncode == 2
    assert "the domain small stores no sentence vectors" in done.stderr
    with_another = alexandria(*command, "--setting", "fixed sentence_vectors=true", "--json")
    assert [run["setting"] for run in document(with_another.stdout)["results"] if not run["baseline"]] == [
        "fixed sentence_vectors=true"
    ] * 2


def test_quality_has_a_row_per_book_and_setting() -> None:
    done = alexandria("evaluate", "quality", EPUB, "--json")
    assert done.returncode == 0, done.stderr
    results = document(done.stdout)["results"]
    assert [one["setting"] for one in results] == list(STRATEGIES)


def test_tune_can_be_repeated_and_writes_no_file_where_nothing_is_better(tmp_path: Path) -> None:
    books = [write_text(tmp_path, f"{name}.txt") for name in ("one", "two")]
    out = tmp_path / "best.yaml"
    command: list[str | Path] = ["tune", *books, "--settings", "8", "--out", out, "--json"]
    first, second = alexandria(*command), alexandria(*command)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    report = document(first.stdout)
    assert report["n_settings"] == 8
    assert out.exists() == report["beyond_noise"]


def test_tune_writes_no_file_where_the_other_half_shows_no_gain(tmp_path: Path) -> None:
    books, out = [EPUB, SAMPLES / "the-town-clock.docx"], tmp_path / "best.yaml"
    done = alexandria("tune", *books, "--objective", "sections", "--settings", "30", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    report = document(done.stdout)
    assert report["found"] != report["present"] == report["recommended"]
    assert f"did not write {out}" in done.stderr
    assert not out.exists()


def test_what_cannot_be_done_is_an_error_with_a_fix() -> None:
    cases: dict[str, tuple[tuple[str | Path, ...], str]] = {
        "tune a short book": (("tune", EPUB, "--objective", "sections"), "too short to tune"),
        "objective": (("tune", EPUB, EPUB, "--objective", "beauty"), "for '--objective'"),
        "mode": (("evaluate", "retrieval", EPUB, "--mode", "magic"), "for '--mode'"),
        "setting": (("evaluate", "boundaries", EPUB, "--setting", "optimal 5"), "has no ="),
        "empty setting": (("evaluate", "boundaries", EPUB, "--setting", " "), "no strategy"),
        "model": (("evaluate", "quality", EPUB, "--setting", "fixed model=x"), "it has model=x"),
        "precision": (
            ("evaluate", "boundaries", EPUB, "--setting", "fixed precision=f32"),
            "it has precision=f32, the others precision=auto",
        ),
        "sentences": (
            ("evaluate", "boundaries", EPUB, "--setting", "fixed sentences=regex"),
            "it has sentences=regex, the others sentences=default",
        ),
        "notes": (
            ("evaluate", "retrieval", EPUB, "--setting", "optimal notes=inline"),
            "it has notes=inline, the others notes=attach",
        ),
        "no file": (("evaluate", "retrieval", EPUB, "--questions", "no.csv"), "no such file"),
    }
    for words, why in cases.values():
        done = alexandria(*words)
        assert done.returncode == 2
        assert why in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param(("tune", "no", "--out", "none/d.yaml"), "no folder none", id="tune"),
        pytest.param(("inspect", "no", "--html", "none/p.html"), "no folder none", id="inspect"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    words: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    """The book does not exist either: that would be said first once the work had begun."""
    (tmp_path / "a.svg").mkdir()
    done = alexandria(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert why in done.stderr


def test_a_recorded_command_can_be_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["alexandria", "tune", "My Books/Sea.epub", "--out", "it's.yaml"]
    monkeypatch.setattr("sys.argv", words)
    assert shlex.split(command_line()) == words
