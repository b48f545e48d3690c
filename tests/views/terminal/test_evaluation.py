"""Tables of scores on terminals of any width."""

import io

import pytest
from rich.console import Console

from alexandria.views.tables import ScoreTable
from alexandria.views.terminal import evaluation

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
    assert "Not shown" not in text


@pytest.mark.parametrize("width", [50, 60])
def test_a_narrow_one_shows_whole_cells_and_names_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    text = shown(monkeypatch, width)
    assert "universal-semantic" in text
    assert "…" not in text
    assert "Not shown" in text
    assert "MRR" in text


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
