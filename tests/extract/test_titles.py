"""The title of a book whose file states none: as its first page prints it, marked as guessed."""

from pathlib import Path

import pytest

from alexandria.extract import extract
from tests.command import alexandria as run
from tests.extract.typeset import LEFT, SIZE, TOP, write

PROSE = "The keeper lit the lamp before the tide turned, and the boats came home."


def drawn(*lines: tuple[float, str]) -> list[tuple[float, float, float, str]]:
    return [(LEFT, TOP - 30 * i, size, text) for i, (size, text) in enumerate(lines)]


BODY = [(SIZE, PROSE[:40])] * 8


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        pytest.param(
            [(24, "The Lamps"), (24, "of Hull"), (12, "Ida Marlow"), *BODY], "The Lamps of Hull", id="two"
        ),
        pytest.param([(9, "REPORT 7"), (18, "TIDES"), *BODY], "Tides", id="capitals below a series"),
        # No titles:
        pytest.param([(11, "the lamps of the quay"), *BODY], "book", id="hardly larger"),
        pytest.param([(24, "Chapter 1"), *BODY], "book", id="a chapter"),
        pytest.param([(24, "Contents"), *BODY], "book", id="contents"),
        pytest.param([(24, "Introduction"), *BODY], "book", id="a part"),
        pytest.param([(24, "7"), *BODY], "book", id="a number"),
        pytest.param([(16, f"{PROSE[:40]}")] * 4 + BODY * 2, "book", id="an abstract"),
        pytest.param(BODY, "book", id="one size"),
    ],
)
def test_the_largest_type_of_a_first_page_is_the_title(
    tmp_path: Path, lines: list[tuple[float, str]], title: str
) -> None:
    path = write(tmp_path / "book.pdf", [drawn(*lines), drawn(*BODY), drawn((30, "A Part"), *BODY)])
    metadata = extract(path).metadata
    assert (metadata.title, metadata.guessed_title) == (title, title)


def test_a_stated_title_is_not_guessed(tmp_path: Path) -> None:
    path = write(tmp_path / "book.pdf", [drawn((24, "The Lamps"), *BODY)], title="Lamps of the North")
    assert (extract(path).metadata.title, extract(path).metadata.guessed_title) == ("Lamps of the North", "")


@pytest.mark.parametrize(
    ("first", "title", "guessed"),
    [
        ("THE LAMPS OF HULL", "The Lamps Of Hull", True),
        ("The Lamps\nof Hull and Other Tales", "The Lamps of Hull and Other Tales", True),
        ("Gull Rock\nby Ruth Penhale", "Gull Rock", False),
        ("Chapter One", "a b", True),
        ("The keeper lit the lamp", "a b", True),
        ("Dear Friend,", "a b", True),
        ("https://lamps.example/Hull", "a b", True),
        ("Lamps © Hull", "a b", True),
        (PROSE, "a b", True),
    ],
)
def test_the_first_lines_of_a_text_are_its_title_if_they_are_set_as_one(
    tmp_path: Path, first: str, title: str, guessed: bool
) -> None:
    (tmp_path / "a_b.txt").write_text(f"{first}\n\n{PROSE}\n\n{PROSE}\n")
    metadata = extract(tmp_path / "a_b.txt").metadata
    assert (metadata.title, metadata.guessed_title) == (title, title if guessed else "")


@pytest.mark.parametrize(
    ("body", "title", "author"),
    [
        ("<p>THE LAMP</p><p>by Ann Reed</p><h2>Chapter 1</h2><p>It burned.</p>", "The Lamp", ("Ann Reed",)),
        ("<p>The Lamp</p><p>It burned.</p>", "The Lamp", ()),
        ("<h2>The Lamp</h2><p>It burned.</p><h2>The Tide</h2><p>It turned.</p>", "page", ()),
    ],
)
def test_the_first_paragraph_is_the_title_unless_it_heads_a_chapter(
    tmp_path: Path, body: str, title: str, author: tuple[str, ...]
) -> None:
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><html><body>{body}</body></html>")
    metadata = extract(tmp_path / "page.html").metadata
    assert (metadata.title, metadata.authors) == (title, author)


def test_guessed_titles_are_named_once_and_marked_until_they_are_edited(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"THE LAMPS OF HULL\n\n{PROSE}\n")
    (tmp_path / "b.txt").write_text(f"Gull Rock\nby Ruth Penhale\n\n{PROSE} Then he slept.\n")
    there = ("--store", tmp_path / "library")
    shown = run("ingest", tmp_path / "a.txt", tmp_path / "b.txt", "--model", "hashing", *there).stderr
    assert "1 book has a guessed title or none (The Lamps Of Hull): alexandria edit BOOK --title" in shown
    assert "guessed title" not in run("ingest", tmp_path / "a.txt", "--model", "hashing", *there).stderr
    assert "title guessed" in run("show", "lamps", *there).stdout
    assert "title guessed" not in run("show", "gull", *there).stdout
    run("edit", "lamps", "--title", "The Lamps of Hull", *there)
    assert "title guessed" not in run("show", "lamps", *there).stdout
