"""What is said on a terminal is broken between words; in a pipe, each thing said is one line."""

import io

import pytest
from rich.console import Console

from alexandria.errors import BookError, Code
from alexandria.show.terminal import console as consoles
from alexandria.show.terminal.batch import show_passed_over

COMMAND = "ocrmypdf --force-ocr a-scan-with-a-long-name.pdf a-scan-with-a-long-name-ocr.pdf"


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> io.StringIO:
    """What goes to stderr, 40 columns wide."""
    file = io.StringIO()
    monkeypatch.setattr(
        consoles, "err", Console(file=file, width=40, force_terminal=terminal, color_system=None)
    )
    return file


def lines(printed: io.StringIO) -> list[str]:
    return [line.rstrip() for line in printed.getvalue().splitlines()]


def error() -> BookError:
    return BookError(
        "cannot read the book with the very long name.pdf",
        why="its text layer is garbled: its fonts do not map glyphs to letters",
        fix=f"run OCR over it, for example  {COMMAND}",
        code=Code.GARBLED,
    )


@pytest.mark.parametrize("terminal", [True])
def test_an_error_is_broken_between_words_and_its_command_is_whole(printed: io.StringIO) -> None:
    consoles.show_error(error())
    assert lines(printed) == [
        "Error: cannot read the book with the",
        "very long name.pdf",
        "  why: its text layer is garbled: its",
        "  fonts do not map glyphs to letters",
        "  fix: run OCR over it, for example",
        f"  {COMMAND}",
    ]


@pytest.mark.parametrize("terminal", [True])
def test_a_remark_in_parentheses_is_broken_too(printed: io.StringIO) -> None:
    remark = "(macOS: brew install tesseract-lang); or name the language"
    consoles.print_below(consoles.err, 2, "fix", f"apt install tesseract-ocr-rus  {remark}")
    assert lines(printed) == [
        "  fix: apt install tesseract-ocr-rus",
        "  (macOS: brew install tesseract-lang);",
        "  or name the language",
    ]


@pytest.mark.parametrize("terminal", [True])
def test_columns_stay_on_one_line(printed: io.StringIO) -> None:
    columns = "15aa161d  “The Prince”  epub  2014  /shelf/machiavelli-the-prince.epub"
    consoles.print_below(consoles.err, 2, "why", columns)
    assert lines(printed) == [f"  why: {columns}"]


@pytest.mark.parametrize("terminal", [True])
def test_a_message_is_broken_between_words_but_columns_are_not(printed: io.StringIO) -> None:
    consoles.show_message("this new library uses the model multilingual for its books")
    consoles.show_message("embedded  “A Title of a Book”  12 chunks  (1 of 20 books)")
    assert lines(printed) == [
        "this new library uses the model",
        "multilingual for its books",
        "embedded  “A Title of a Book”  12 chunks  (1 of 20 books)",
    ]


@pytest.mark.parametrize("terminal", [False])
def test_in_a_pipe_each_thing_said_is_one_line(printed: io.StringIO) -> None:
    consoles.show_error(error())
    consoles.show_message("this new library uses the model multilingual for its books")
    assert len(lines(printed)) == 4


@pytest.mark.parametrize(("terminal", "n_lines"), [(True, 2), (False, 1)])
def test_the_kind_of_a_skipped_file_is_below_it_where_both_do_not_fit(
    printed: io.StringIO, n_lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.show.terminal.batch.err", consoles.err)
    show_passed_over([{"source": "shelf/the-voyage.json", "kind": "not a book", "fix": ""}])
    assert len(lines(printed)) == n_lines
    assert lines(printed)[-1].endswith("not a book by its name")
