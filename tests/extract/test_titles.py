"""The title of a book whose file states none: as its first page prints it, marked as guessed."""

from pathlib import Path

from alexandria.extract import extract
from tests.command import alexandria as run
from tests.extract.typeset import LEFT, SIZE, TOP, write

PROSE = "The keeper lit the lamp before the tide turned, and the boats came home."


def drawn(*lines: tuple[float, str]) -> list[tuple[float, float, float, str]]:
    return [(LEFT, TOP - 30 * i, size, text) for i, (size, text) in enumerate(lines)]


BODY: list[tuple[float, str]] = [(SIZE, PROSE[:40])] * 8


def test_the_largest_type_of_a_first_page_is_the_title(tmp_path: Path) -> None:
    cases: dict[str, tuple[list[tuple[float, str]], str]] = {
        "two": ([(24, "The Lamps"), (24, "of Hull"), (12, "Ida Marlow"), *BODY], "The Lamps of Hull"),
        "capitals below a series": ([(9, "REPORT 7"), (18, "TIDES"), *BODY], "Tides"),
        "hardly larger": ([(11, "the lamps of the quay"), *BODY], "book"),
        "a chapter": ([(24, "Chapter 1"), *BODY], "book"),
        "contents": ([(24, "Contents"), *BODY], "book"),
        "a part": ([(24, "Introduction"), *BODY], "book"),
        "a number": ([(24, "7"), *BODY], "book"),
        "an abstract": ([(16.0, PROSE[:40])] * 4 + BODY * 2, "book"),
        "one size": ([*BODY], "book"),
    }
    for lines, title in cases.values():
        path = write(tmp_path / "book.pdf", [drawn(*lines), drawn(*BODY), drawn((30, "A Part"), *BODY)])
        metadata = extract(path).metadata
        assert (metadata.title, metadata.guessed_title) == (title, title)


def test_a_stated_title_is_not_guessed(tmp_path: Path) -> None:
    path = write(tmp_path / "book.pdf", [drawn((24, "The Lamps"), *BODY)], title="Lamps of the North")
    assert (extract(path).metadata.title, extract(path).metadata.guessed_title) == ("Lamps of the North", "")


def test_the_first_lines_of_a_text_are_its_title_if_they_are_set_as_one(tmp_path: Path) -> None:
    cases = [
        ("THE LAMPS OF HULL", "The Lamps Of Hull", True),
        ("The Lamps\nof Hull and Other Tales", "The Lamps of Hull and Other Tales", True),
        ("Gull Rock\nby Ruth Penhale", "Gull Rock", False),
        ("Chapter One", "a b", True),
        ("The keeper lit the lamp", "a b", True),
        ("Dear Friend,", "a b", True),
        ("https://lamps.example/Hull", "a b", True),
        ("Lamps © Hull", "a b", True),
        (PROSE, "a b", True),
    ]
    for first, title, guessed in cases:
        (tmp_path / "a_b.txt").write_text(f"{first}\n\n{PROSE}\n\n{PROSE}\n")
        metadata = extract(tmp_path / "a_b.txt").metadata
        assert (metadata.title, metadata.guessed_title) == (title, title if guessed else "")


def test_the_first_paragraph_is_the_title_unless_it_heads_a_chapter(tmp_path: Path) -> None:
    cases: list[tuple[str, str, tuple[str, ...]]] = [
        ("<p>THE LAMP</p><p>by Ann Reed</p><h2>Chapter 1</h2><p>It burned.</p>", "The Lamp", ("Ann Reed",)),
        ("<p>The Lamp</p><p>It burned.</p>", "The Lamp", ()),
        ("<h2>The Lamp</h2><p>It burned.</p><h2>The Tide</h2><p>It turned.</p>", "page", ()),
    ]
    for body, title, author in cases:
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
