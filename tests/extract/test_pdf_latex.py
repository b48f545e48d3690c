"""Books set by LaTeX, each beside its source: the source says where its notes are.

Made with `pdflatex NAME.tex`, twice, by TeX Live 2022; the tests need no LaTeX.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.extract import extract

BOOKS = sorted((Path(__file__).parent / "latex").glob("*.pdf"))
NOTE = re.compile(r"(\S+?)\\(?:foot|end)note\{((?:[^{}]|\{[^{}]*\})*)\}")
SOURCE = re.compile(r"\\bibitem\{\w+\}(.*)")


@cache
def read(path: Path) -> Book:
    return extract(path)


def plain(tex: str) -> str:
    """Return letters and digits alone: PDFs have spaces in formulas, and hyphens at line ends."""
    return re.sub(r"[\W_]", "", tex.replace("~", " "))


def notes_of(tex: str) -> Iterator[tuple[str, str]]:
    """The word that each note follows, and the note."""
    for match in NOTE.finditer(tex):
        yield plain(match[1]), plain(match[2])


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_each_note_is_tied_to_its_word_and_nothing_else_is_a_note(path: Path) -> None:
    book = read(path)
    found = [(book.text[: note.cited_at].split()[-1], note.text) for note in book.notes]
    assert all(note.cited_at for note in book.notes)
    assert [(plain(word), plain(text)) for word, text in found] == [
        *notes_of(path.with_suffix(".tex").read_text(encoding="utf-8"))
    ]


def test_a_numbered_bibliography_cited_by_raised_numbers_stays_in_the_text() -> None:
    (path,) = (path for path in BOOKS if path.stem == "bibliography")
    text = plain(read(path).text)
    sources = SOURCE.findall(path.with_suffix(".tex").read_text(encoding="utf-8"))
    assert len(sources) == 24
    assert all(plain(source) in text for source in sources)


def test_exponents_and_indices_stay_in_the_text() -> None:
    (path,) = (path for path in BOOKS if path.stem == "mathematics")
    tex = NOTE.sub("", path.with_suffix(".tex").read_text(encoding="utf-8"))
    text = plain(read(path).text)
    for printed, source in {"km2": "km$^2$", "103trees": "10$^3$ trees", "x2y2r2": "$x^2+y^2=r^2$"}.items():
        assert text.count(printed) == tex.count(source) > 0
