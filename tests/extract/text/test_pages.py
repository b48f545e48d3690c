"""Texts that are divided into pages, with numbers and running heads at their edges."""

from pathlib import Path

import pytest

from alexandria.book import Book
from alexandria.extract import extract

PARAGRAPH = (
    "   The ferryman sold two acres of gravel before the first coach left\n"
    "   for the county town. The organist kept the spare key while the\n"
    "   others were still at supper."
)
BEGUN = "   Her younger brother carried the kettle for no better reason than an old"
FOOTS = {
    "RFC": "Okafor                       Informational                     [Page {}]",
    "number": "                                  {}",
    "between dashes": "                                - {} -",
    "page of": "                               Page {}",
}
HEAD = "RFC 9999                       Salt Road                   November 2025"


def read(tmp_path: Path, text: str) -> Book:
    path = tmp_path / "book.txt"
    path.write_text(text, encoding="utf-8")
    return extract(path)


def paged(foot: str, end: str = "\n\f\n") -> str:
    first = f"{n}.  Ferries {'I' * n}\n\n{PARAGRAPH}\n\n{BEGUN}\n\n\n{foot.format(n)}" if (n := 1) else ""
    pages = [
        f"{HEAD}\n\n\n   promise.\n\n{n}.  Ferries {'I' * n}\n\n{PARAGRAPH}\n\n{BEGUN}\n\n\n{foot.format(n)}"
        for n in (2, 3, 4)
    ]
    return end.join([first, *pages, f"{HEAD}\n\n\n   promise.\n"])


@pytest.mark.parametrize("foot", FOOTS.values(), ids=FOOTS.keys())
def test_what_is_at_the_edges_of_pages_is_left_out_and_paragraphs_go_on(tmp_path: Path, foot: str) -> None:
    book = read(tmp_path, paged(foot))
    texts = [" ".join(text.split()) for text in (PARAGRAPH, f"{BEGUN} promise.")]
    assert [block.text for block in book.blocks if block.kind == "paragraph"] == texts * 4
    assert [s.headings[-1] for s in book.sections] == [f"{n}. Ferries {'I' * n}" for n in (1, 2, 3, 4)]
    n_words = sum(len(line.split()) for line in [HEAD] * 4 + [foot.format(n) for n in (1, 2, 3, 4)])
    assert [part.words for part in book.left_out if part.kind == "running_head"] == [n_words]


def test_copies_without_form_feeds_have_pages_too(tmp_path: Path) -> None:
    assert read(tmp_path, paged(FOOTS["RFC"], end="\n")).text == read(tmp_path, paged(FOOTS["RFC"])).text


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param([f"{n}\n\n{PARAGRAPH}" for n in (1, 2, 3, 4)], id="chapters"),
        pytest.param([f"Fable {n}\n\n{PARAGRAPH}" for n in (1, 2, 3, 4)], id="fables"),
        pytest.param([f"My dear Edith,\n\n{PARAGRAPH}" for _ in range(4)], id="letters"),
        pytest.param([f"{PARAGRAPH}\n\n{year}" for year in (1801, 1811, 1815, 1830)], id="years"),
        pytest.param([f"{PARAGRAPH}\n\n{n}" for n in (1, 2)], id="two pages"),
        pytest.param([f"{n}\n" for n in (1, 2, 3, 4)], id="nothing else"),
    ],
)
def test_lines_after_form_feeds_that_are_no_furniture_are_text(tmp_path: Path, pages: list[str]) -> None:
    book = read(tmp_path, "\n\f".join(pages))
    assert not book.left_out
    assert book.text.split() == " ".join(pages).split()
