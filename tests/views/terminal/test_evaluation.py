"""Tables of scores on terminals of any width."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from alexandria.lab import terminal as evaluation
from alexandria.lab.tables import ScoreTable

TABLE = ScoreTable(
    "Title",
    ("setting", "mode", "recall in 1,000 words", "gain", "MRR"),
    (("universal-semantic", "dense", ".916 [.885, .947]", "+34 % [+24, +45]", "0.741"),),
    ("A note.",),
)


def shown(monkeypatch: pytest.MonkeyPatch, width: int, table: ScoreTable = TABLE) -> str:
    written = io.StringIO()
    console = Console(width=width, file=written, force_terminal=True, color_system=None)
    monkeypatch.setattr(evaluation, "out", console)
    evaluation.show_table(table)
    return written.getvalue()


def test_a_wide_terminal_shows_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, 120)
    assert all(name in text for name in TABLE.columns)
    assert len(text.splitlines()) == 6


@pytest.mark.parametrize("width", [50, 70])
def test_a_narrow_one_shows_every_cell_whole_with_the_rows_as_columns(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    rows = (*TABLE.rows, ("percentile", "hybrid", ".926 [.895, .957]", "+36 % [+26, +47]", "0.751"))
    text = shown(monkeypatch, width, replace(TABLE, rows=rows))
    cells = [cell for row in (TABLE.columns, *rows) for cell in row]
    assert [cell for cell in cells if cell not in text] == []
    assert max(map(len, text.splitlines())) <= width
    # Both rows fit beside each other only in the wider one.
    assert text.count("recall in 1,000 words") == (2 if width == 50 else 1)


def test_brackets_in_the_title_of_a_book_are_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ScoreTable("F1 by book", ("setting", "Beowulf [draft]", "[/i]"), (("fixed", "1", "2"),))
    assert "Beowulf [draft]   [/i]" in shown(monkeypatch, 120, table)


def test_a_bar_in_a_cell_is_escaped_in_markdown() -> None:
    table = ScoreTable("T", ("setting", "Either | Or"), (("fixed", "1"),))
    assert table.markdown().splitlines()[2] == "| setting | Either \\| Or |"


def test_markdown_is_what_a_page_can_hold(capsys: pytest.CaptureFixture[str]) -> None:
    evaluation.show_table(TABLE, markdown=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "### Title"
    assert lines[2] == "| setting | mode | recall in 1,000 words | gain | MRR |"
    assert lines[4].count("|") == 6
