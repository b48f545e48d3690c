"""What is shown of a run while it goes on, and at its end."""

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from alexandria.errors import BookError, Code
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.show.json.ingest import OutcomeLine, summary_line
from alexandria.show.json.view import view_of
from alexandria.show.terminal.batch import show_outcome, show_summary

STORED = Outcome(
    Path("a.epub"),
    Status.INGESTED,
    "id",
    "A Tale",
    12,
    3_000,
    2.0,
    noted=(Remark(RemarkKind.PLAIN, "seems to be the same book"),),
)
PARTIAL = Outcome(Path("b.epub"), Status.PARTIAL, "id", "B", 1, 1_000, 1.0, warnings=("c.xhtml is missing",))
KNOWN = Outcome(Path("c.epub"), Status.UNCHANGED, "id", "C", 5, 5_000)
FAILED = Outcome(
    Path("d.epub"), Status.FAILED, error=BookError("w", why="torn", fix="get another", code=Code.DAMAGED)
)


def test_a_summary_adds_up() -> None:
    summary = summary_line(
        [STORED, PARTIAL, KNOWN, FAILED], 3.0, skipped={"hidden": 2, "accompanying": 1}, not_reached=7
    )["summary"]
    assert summary == {
        "ingested": 2,
        "partial": 1,
        "unchanged": 1,
        "failed": 1,
        "removed": 0,
        "failures": {"damaged": 1},
        "ignored": 0,
        "passed_over": [],
        "skipped": {"hidden": 2, "accompanying": 1},
        "not_reached": 7,
        "chunks": 13,
        "words": 4_000,
        "seconds": 3.0,
    }


def test_losses_remarks_and_failures_are_shown_below_their_book(capsys: pytest.CaptureFixture[str]) -> None:
    for outcome in (STORED, PARTIAL, FAILED):
        show_outcome(outcome)
    shown = [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()]
    assert shown == [
        "ingested “A Tale” 12 chunks, 3,000 words, 2.0 s",
        "note: seems to be the same book",
        "partial “B” 1 chunk, 1,000 words, 1.0 s",
        "warning: c.xhtml is missing",
        "failed d.epub",
        "why: torn",
        "fix: get another",
    ]


def test_no_line_is_broken_within_a_word_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Except for a command, which is on a line of its own, so that it can be copied."""
    shown = StringIO()
    terminal = Console(file=shown, width=60, force_terminal=True, no_color=True, highlight=False)
    monkeypatch.setattr("alexandria.show.terminal.batch.err", terminal)
    long = "a remark of so many words that a terminal of sixty columns has no room for all of them"
    show_outcome(
        replace(
            STORED,
            title="A Title That Is Far Too Long for a Narrow Terminal",
            noted=(Remark(RemarkKind.PLAIN, long),),
        )
    )
    show_outcome(replace(FAILED, error=BookError("w", why=long, fix=f"run  {long}", code=Code.DAMAGED)))
    *lines, fix = re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue()).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].split("  ", 1)[1].startswith("“A Title That Is")
    assert lines[0].endswith("…”  12 chunks, 3,000 words, 2.0 s")
    assert (lines[-1].strip(), fix.strip()) == ("fix: run", long)
    assert " ".join(" ".join(lines).split()).count(long) == 2


def test_the_table_omits_what_did_not_happen(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary(summary_line([STORED], 1.0, skipped={}), quiet=False, json=False)
    shown = [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()]
    assert shown == ["ingested 1", "12 chunks, 3,000 words in 1.0 s"]
    show_summary(summary_line([STORED, FAILED], 1.0, skipped={}), quiet=True, json=False)
    assert capsys.readouterr().err == "1 ingested, 1 failed; 12 chunks, 3,000 words in 1.0 s\n"


def test_a_line_of_json_carries_the_remarks() -> None:
    assert view_of(OutcomeLine, STORED)["remarks"] == ["seems to be the same book"]
