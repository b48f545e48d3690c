"""The scripts on readers' grades run from a book to a fitted setting."""

from pathlib import Path

import pytest

from benchmarks.asking.__main__ import main as ask
from benchmarks.readers.__main__ import main
from tests.conftest import ROOT, SAMPLES
from tests.evaluate.made import write_paragraphs

EPUB = str(SAMPLES / "the-quiet-trades.epub")
READERS = ROOT / "benchmarks" / "readers"


def test_cuts_are_drawn_graded_and_fitted_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "review"
    draw = ["draw", EPUB, "--compare", "recursive max_words=60 overlap_words=0", "--folder", str(folder)]
    assert main([*draw, "--each", "40"]) == 0
    numbers = [line.split(",")[0] for line in (folder / "grades.csv").read_text().splitlines()[1:]]
    for reader, step in (("anna", 7), ("bo", 3)):
        lines = "".join(f"{n},{1 + int(n) * step % 5},Y\n" for n in numbers)
        (folder / f"grades-{reader}.csv").write_text(f"n,cut,begin\n{lines}")
    capsys.readouterr()
    assert main(["fit", EPUB, "--folder", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "cuts graded by anna, bo" in shown
    assert "Keep the present setting" in shown or "Use the fitted setting" in shown
    assert main(["fields", str(folder)]) == 0
    assert (
        f"| default | recursive max_words=60 overlap_words=0 | 1 | 2 | {len(numbers)} |"
        in capsys.readouterr().out
    )
    assert main(draw) == 0
    assert "is in the review already" in capsys.readouterr().err


def test_grades_come_from_the_keyboard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from io import StringIO

    compare = ["--compare", "recursive,percentile min_sentences=2", "--folder", str(tmp_path), "--each", "3"]
    assert main(["draw", EPUB, *compare]) == 0
    monkeypatch.setattr("sys.stdin", StringIO("5y\n7\n1\nb\n2 n\nn\n?\n4\ny\nq\n"))
    assert main(["grade", "--folder", str(tmp_path), "--reader", "ida"]) == 0
    rows = (tmp_path / "grades-ida.csv").read_text().splitlines()
    assert [row.split(",")[1:3] for row in rows[1:]] == [["5", "Y"], ["2", "N"], ["4", "Y"]]
    assert "percentile" not in capsys.readouterr().err, "a reader must not know the setting"


def test_the_grades_kept_here_are_read_by_field(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [str(READERS / f"{name}-grades.csv") for name in ("first", "second")]
    assert main(["fields", *tables]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| philosophy")]
    assert rows


def test_settings_are_compared_with_the_cuts_of_a_reader(capsys: pytest.CaptureFixture[str]) -> None:
    cuts = ["--cuts", str(READERS / "cuts.yaml")]
    assert main(["cuts", str(SAMPLES), *cuts]) == 0
    shown = capsys.readouterr().out
    assert "a reader's cuts: " in shown
    assert "| optimal |" in shown


def test_what_cannot_be_done_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "--folder", str(tmp_path)]) == 2
    assert "there are no cuts to grade" in capsys.readouterr().err
    assert main(["draw", EPUB, "--compare", "fixed,fixed", "--folder", str(tmp_path)]) == 2
    assert "is named twice" in capsys.readouterr().err


def test_a_search_is_compared_with_plain_pipelines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("question,quote\nWhat holds the gas?,What holds the gas is gluten.\n")
    assert ask(["answers", EPUB, "--questions", str(questions), "--setting", "fixed max_words=90"]) == 0
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if line[:1] == "|"]
    assert rows[-4:] == [
        "both, RRF",
        "Alexandria, optimal, hybrid",
        "Alexandria, fixed max_words=90, hybrid",
        "difference",
    ]


def test_paragraphs_are_asked_for_in_every_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(["paragraphs", str(write_paragraphs(tmp_path / "en.jsonl.gz"))]) == 0
    assert "| paragraphs | questions | dense | bm25 | hybrid |" in capsys.readouterr().out
    assert ask(["paragraphs", str(tmp_path / "none.jsonl")]) == 2
