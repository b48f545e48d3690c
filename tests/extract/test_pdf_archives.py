"""Articles of archives: covers, stamps and labels; and pages with two grids of columns."""

from pathlib import Path

import pypdf
import pytest

import alexandria
from alexandria.book.model import Book
from alexandria.extract import ReadOptions, extract
from alexandria.show.terminal.library import show_record
from tests.extract.typeset import (
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    SIZE,
    TOP,
    Drawn,
    break_lines,
    texts,
    typeset,
    write,
)

COVER: list[Drawn] = [
    (40, 540, 12, "Salt, Toll, and the Northern Road"),
    (40, 520, 10, "Author(s): Ada Wren and Bram Castel"),
    (40, 504, 10, "Source: Annals of the Salt Coast, Autumn, 1969, Vol. 6, No. 3 (Autumn, 1969),"),
    (40, 492, 10, "pp. 167-171"),
    (40, 480, 10, "Published by: Society for the Salt Coast"),
    (40, 460, 10, "Stable URL: https://archive.example.org/stable/42 ."),
    (40, 380, 7, "Your use of the archive indicates your acceptance of its Terms & Conditions of Use."),
]
STAMP: list[Drawn] = [
    (100, 22, 7, "This content downloaded from"),
    (100, 14, 7, "192.0.2.17 on Fri, 15 Mar 2024 13:22:12 UTC"),
    (100, 6, 7, "All use subject to https://archive.example.org/terms"),
]


def article(tmp_path: Path, labels: list[str]) -> Path:
    """Return a file with a cover, stamps, and these labels in place of the numbers printed from 167 on."""
    pages = typeset(LONG)
    for i, page in enumerate(pages):
        page[:2] = [] if i == 0 else [(LEFT, HEIGHT - 40, 8, f"{167 + i} Ada Wren")]
        page += STAMP
    path = write(tmp_path / "article.pdf", [[*COVER, *STAMP], *pages])
    writer = pypdf.PdfWriter(clone_from=path)
    for i, label in enumerate(labels[: len(pages) + 1]):
        writer.set_page_label(i, i, prefix=label)
    writer.write(path)
    return path


@pytest.mark.parametrize("labels", [[f"image {i}" for i in range(9)], [str(i + 1) for i in range(9)]])
def test_an_article_of_an_archive(
    tmp_path: Path, labels: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = article(tmp_path, labels)
    book = extract(path)
    assert texts(book) == LONG
    assert book.title == "Salt, Toll, and the Northern Road"
    assert book.metadata.authors == ("Ada Wren", "Bram Castel")
    assert book.metadata.date == "1969"
    assert book.metadata.kind == "article"
    assert book.metadata.container == "Annals of the Salt Coast"
    assert (book.metadata.container_volume, book.metadata.issue, book.metadata.pages) == ("6", "3", "167–171")
    assert book.metadata.publisher == "Society for the Salt Coast"
    assert book.metadata.url == "https://archive.example.org/stable/42"
    assert {line.page for line in book.left_out_lines if line.kind == "cover"} == {1}
    assert [page.label for page in book.page_starts] == [str(167 + i) for i in range(len(book.page_starts))]
    (given_way,) = [part for part in book.left_out if part.kind == "page_label"]
    assert f"in place of the file's: {labels[1]} → 167, {labels[2]} → 168, " in given_way.where
    with alexandria.open(tmp_path / "library") as library:
        library.ingest(path, options={"model": "hashing"})
        show_record(library.book("Salt"), [])
    assert "page labels: printed numbers are cited" in " ".join(capsys.readouterr().out.split())


def test_a_cover_is_kept_if_matter_is(tmp_path: Path) -> None:
    book = extract(article(tmp_path, []), ReadOptions(keep_matter=True))
    assert "Stable URL" in book.text


def test_a_line_of_the_first_page_names_the_journal(tmp_path: Path) -> None:
    cases: list[tuple[str, tuple[str, ...] | None]] = [
        ("Annals of the Salt Coast 6 (3): 167–168", ("6", "3", "167–168", "")),
        ("Annals of the Salt Coast 6 ( 1969 ) 167 – 168", ("6", "", "167–168", "1969")),
        ("Annals of the Salt Coast, vol. 6, no. 3 (1969), pp. 167-168", ("6", "3", "167–168", "1969")),
        ("Annals of the Salt Coast 6(3), 167–168 (1969)", ("6", "3", "167–168", "1969")),
        ("Annals of the Salt Coast 6 (3): 167–171", None),  # has more pages than the file
        ("The tide rose 6 (3) feet on 12 days", None),
    ]
    for line, read in cases:
        pages = typeset(LONG * 2)[:2]
        pages[0].insert(0, (LEFT, HEIGHT - 30, 8, line))
        stated = extract(write(tmp_path / "article.pdf", pages)).metadata
        assert stated.container == ("Annals of the Salt Coast" if read else "")
        if read:
            assert (stated.container_volume, stated.issue, stated.pages, stated.date) == read


def test_the_number_in_a_label(tmp_path: Path) -> None:
    """A label without a number stays if no number is printed."""
    cases = [("p. [219]", "219"), ("xii", "xii"), ("A-3", "A-3"), ("12a", "12a"), ("image 3", "image 3")]
    for label, number in cases:
        path = write(tmp_path / "book.pdf", [[drawn for drawn in typeset(LONG[:2])[0] if drawn[2] == SIZE]])
        writer = pypdf.PdfWriter(clone_from=path)
        writer.set_page_label(0, 0, prefix=label)
        writer.write(path)
        assert [page.label for page in extract(path).page_starts] == [number]


def grid(paragraphs: list[str], top: float, lefts: tuple[float, float], measure: float) -> list[Drawn]:
    """Return paragraphs in two columns of equal height below `top`."""
    lines = [line for paragraph in paragraphs for line in break_lines(paragraph, measure)]
    half = -(-len(lines) // 2)
    return [
        (lefts[i >= half] + indent, top - LEADING * (i % half), SIZE, text)
        for i, (indent, text) in enumerate(lines)
    ]


@pytest.mark.parametrize("head_is_last", [True, False])
def test_two_grids_on_a_page_are_read_one_after_the_other(tmp_path: Path, head_is_last: bool) -> None:
    first = grid(LONG[:2], TOP, (40, 225), 160)
    second = grid(LONG[2:4], TOP - 200, (110, 270), 120)
    head: list[Drawn] = [(40, HEIGHT - 40, 8, "The Salt Watch 447")]
    page = [*first, *second, *head] if head_is_last else [*head, *first, *second]
    found: Book = extract(write(tmp_path / "magazine.pdf", [page]))
    assert [text for text in texts(found) if text != "The Salt Watch 447"] == LONG[:4]
