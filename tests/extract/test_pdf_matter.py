"""Pages of a PDF that are not its text: left out under the names that all formats use; kept on request."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import LEFT_OUT_KINDS, Book
from alexandria.extract import ReadOptions, extract
from alexandria.extract.pdf.contents import contents_title_keys, separate_contents, separate_entry_pages
from alexandria.extract.pdf.lines import Line, Page
from alexandria.extract.pdf.matter import _index_shape, _max_page_number
from tests.extract.typeset import (
    FONT,
    LEFT,
    LONG,
    MEASURE,
    SIZE,
    THINGS,
    TOP,
    WIDTH,
    Drawn,
    read,
    texts,
    typeset,
    write,
)

TITLE = "On Trades"
COVER: list[Drawn] = [(LEFT, TOP, 30, TITLE), (LEFT, TOP - 60, 14, "A. Writer")]
HALFTITLE: list[Drawn] = [(LEFT, TOP, 16, TITLE)]
TITLEPAGE: list[Drawn] = [*COVER, (LEFT, TOP - 300, 10, "Harbour Press, 1990")]
COPYRIGHT: list[Drawn] = [
    (LEFT, TOP - 12 * i, 8, line)
    for i, line in enumerate(
        [
            "© 1990 A. Writer",
            "All rights reserved.",
            "Printed in Mill Town by Quarry and Sons.",
            "ISBN 0 00 000000 0",
        ]
    )
]
CHAPTERS = [
    [(LEFT, TOP + 30, 16, f"Of {THINGS[i].title()}"), *typeset(LONG[4 * i : 4 * i + 4])[0][2:]]
    for i in range(5)
]
ENTRIES = sorted(f"{thing}, {kind}" for thing in THINGS for kind in ("broken", "mended", "sold"))


def listing(heading: str, entries: Sequence[str], size: float = 8) -> list[Drawn]:
    """Set a heading and two columns of lines."""
    half = (len(entries) + 1) // 2
    lines = [(LEFT + 150 * (i // half), TOP - 11 * (i % half), size, text) for i, text in enumerate(entries)]
    return [*([(LEFT, TOP + 30, 16, heading)] if heading else []), *lines]


INDEX = [f"{entry}, {5 + i % 4}, {i % 6 + 7}–{i % 6 + 9}" for i, entry in enumerate(ENTRIES)]


def book_of(
    tmp_path: Path,
    front: Sequence[Sequence[Drawn]] = (),
    back: Sequence[Sequence[Drawn]] = (),
    *,
    keep: bool = False,
    outline: Sequence[tuple[str, int, int]] = (),
) -> Book:
    """Return five chapters between these pages, in a file that names its title."""
    path = write(tmp_path / "book.pdf", [*front, *CHAPTERS, *back], outline, title=TITLE)
    return extract(path, ReadOptions(keep_matter=keep))


def n_drawn(*pages: Sequence[Drawn]) -> int:
    return sum(len(text.split()) for page in pages for *_, text in page)


CHAPTER_TEXTS = [text for i in range(5) for text in (f"Of {THINGS[i].title()}", *LONG[4 * i : 4 * i + 4])]


@pytest.mark.parametrize(
    ("front", "back", "kinds"),
    [
        pytest.param([TITLEPAGE], [], ["titlepage"], id="title page"),
        pytest.param([HALFTITLE, TITLEPAGE], [], ["halftitle", "titlepage"], id="half-title"),
        pytest.param([TITLEPAGE, COPYRIGHT], [], ["titlepage", "copyright"], id="copyright page"),
        pytest.param(
            [TITLEPAGE, [(LEFT, TOP + 20, 12, "Impressum"), *COPYRIGHT]],
            [],
            ["titlepage", "imprint"],
            id="copyright page with a name",
        ),
        pytest.param([], [COPYRIGHT], ["copyright"], id="copyright page at the end"),
        pytest.param([], [listing("Index", INDEX)], ["index"], id="index"),
        pytest.param([], [listing("Sachregister", INDEX)], ["index"], id="German index"),
        pytest.param(
            [], [listing("Index", INDEX[:20]), listing("", INDEX[20:])], ["index"], id="index of two pages"
        ),
        pytest.param([], [listing("", INDEX)], ["index"], id="index without a heading"),
        pytest.param(
            [],
            [sorted(listing("Index", INDEX), key=lambda drawn: -drawn[1])],
            ["index"],
            id="index drawn across its columns",
        ),
    ],
)
def test_matter_is_left_out_by_name_and_counted(
    tmp_path: Path, front: list[list[Drawn]], back: list[list[Drawn]], kinds: list[str]
) -> None:
    outline = [(f"Of {THINGS[i].title()}", 0, len(front) + i) for i in range(5)]
    book = book_of(tmp_path, front, back, outline=outline)
    assert texts(book) == CHAPTER_TEXTS
    assert [entry.kind for entry in book.left_out] == kinds
    assert set(kinds) <= LEFT_OUT_KINDS.keys()
    assert sum(entry.words for entry in book.left_out) == n_drawn(*front, *back)
    kept = book_of(tmp_path, front, back, outline=outline, keep=True)
    assert len(kept.text.split()) == n_drawn(*front, *back) + len(book.text.split())
    assert not kept.left_out


def test_the_outline_names_matter(tmp_path: Path) -> None:
    cases: list[tuple[str, list[Drawn], str]] = [
        ("Cover", COVER, "cover"),
        ("Title Page", TITLEPAGE, "titlepage"),
        ("Half Title", HALFTITLE, "halftitle"),
        ("Colophon", [(LEFT, TOP, SIZE, "Set in Times by the harbour.")], "colophon"),
        ("Impressum", [(LEFT, TOP, SIZE, "Set in Times by the harbour.")], "imprint"),
    ]
    for name, page, kind in cases:
        book = book_of(tmp_path, [page], outline=[(name, 0, 0), ("Of Clay", 0, 1), ("Of Glass", 0, 2)])
        assert texts(book) == CHAPTER_TEXTS
        assert [(entry.kind, entry.words) for entry in book.left_out] == [(kind, n_drawn(page))]


def test_a_title_without_letters_takes_no_page_away(tmp_path: Path) -> None:
    path = write(tmp_path / "book.pdf", [TITLEPAGE, *CHAPTERS], (), title="***")
    assert not extract(path, ReadOptions()).left_out


def test_a_first_page_with_a_picture_and_the_title_is_the_cover(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "book.pdf"), pagesize=A5)
    canvas.setTitle(TITLE)
    for i, page in enumerate([COVER, TITLEPAGE, *CHAPTERS]):
        if not i:
            canvas.drawInlineImage(Image.new("RGB", (4, 4), "red"), 0, 0, WIDTH, 100)
        for x, y, size, text in page:
            canvas.setFont(FONT, size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    book = extract(tmp_path / "book.pdf")
    assert [entry.kind for entry in book.left_out] == ["cover", "titlepage"]


def leaders(titles: Sequence[str]) -> list[Drawn]:
    return [
        (LEFT, TOP - 14 * i, SIZE, f"{title} . . . . . . . . . {3 + i}") for i, title in enumerate(titles)
    ]


def test_pages_of_dot_leaders_are_left_out(tmp_path: Path) -> None:
    cases = [("", "contents"), ("Contents", "contents"), ("List of Figures", "illustrations")]
    for heading, kind in cases:
        above: list[Drawn] = [(LEFT, TOP + 30, 16, heading)] if heading else []
        titles = [f"The {thing} and its use" for thing in THINGS]
        book = book_of(tmp_path, [[*above, *leaders(titles)]])
        assert [entry.kind for entry in book.left_out] == [kind]
        assert "its use" not in book.text


WORKS = [f"{thing.title()}, A. The book of it. {1800 + i}" for i, thing in enumerate(sorted(THINGS * 3))]


def test_lists_that_are_no_index_stay_in_the_text(tmp_path: Path) -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "bibliography": ("Sources", WORKS),
        "bibliography under another name": ("Index", WORKS),
        "table": ("Prices", [f"{entry} {i + 5}" for i, entry in enumerate(ENTRIES)]),
        "table out of order": ("Index", INDEX[::-1]),
        "glossary": ("Words", [f"{entry}: a word that is used" for entry in ENTRIES]),
    }
    for heading, lines in cases.values():
        back = listing(heading, lines)
        book = book_of(tmp_path, back=[back])
        assert not book.left_out
        assert len(book.text.split()) == n_drawn(*CHAPTERS, back)


def test_a_page_that_names_a_publisher_is_no_copyright_page(tmp_path: Path) -> None:
    page: list[Drawn] = [(LEFT, TOP, SIZE, "His first book was published by the Harbour Press in 1851.")]
    assert not book_of(tmp_path, [page]).left_out


def test_a_book_of_nothing_but_an_index_is_read(tmp_path: Path) -> None:
    book = extract(write(tmp_path / "book.pdf", [listing("Index", INDEX)]))
    assert len(book.text.split()) == n_drawn(listing("Index", INDEX))


TITLES = ["Of Clay", "Of Glass and Those Who Blow It", "Of Iron", "Of Salt"]
NUMBERS = ["12", "23", "34", "45"]
LAYOUTS: dict[str, list[Drawn]] = {
    "numbers in a column of their own": [
        *((LEFT, TOP - 30 - 12 * i, SIZE, title) for i, title in enumerate(TITLES)),
        *((LEFT + 260, TOP - 30 - 12 * i, SIZE, number) for i, number in enumerate(NUMBERS)),
    ],
    "numbers in a column of their own, a little lower": [
        *((LEFT, TOP - 30 - 12 * i, SIZE, title) for i, title in enumerate(TITLES)),
        *((LEFT + 260, TOP - 31 - 12 * i, SIZE - 1, number) for i, number in enumerate(NUMBERS)),
    ],
    "numbers below their titles": [
        piece
        for i, (title, number) in enumerate(zip(TITLES, NUMBERS, strict=True))
        for piece in ((LEFT, TOP - 30 - 30 * i, SIZE, title), (LEFT, TOP - 42 - 30 * i, SIZE, number))
    ],
    "numbers before their titles": [
        piece
        for i, (title, number) in enumerate(zip(TITLES, NUMBERS, strict=True))
        for piece in ((LEFT, TOP - 30 - 12 * i, SIZE, number), (LEFT + 30, TOP - 30 - 12 * i, SIZE, title))
    ],
}


@pytest.mark.parametrize("entries", LAYOUTS.values(), ids=LAYOUTS)
def test_contents_whose_page_numbers_are_apart_from_the_titles(tmp_path: Path, entries: list[Drawn]) -> None:
    contents = [(LEFT, TOP, 14, "Contents"), *entries]
    chapters = [
        [(LEFT, TOP + 30, 16, title), *typeset(LONG[2 * i : 2 * i + 2])[0][2:]]
        for i, title in enumerate(TITLES)
    ]
    book = read(tmp_path, [contents, *chapters])
    assert [section.headings for section in book.sections] == [(title,) for title in TITLES]
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", 18)]


def test_chapters_that_contents_list_without_numbers_may_be_printed_with_figures_alike(
    tmp_path: Path,
) -> None:
    """On a scan, `II` may be read as `Il`, and `I` as `1`."""
    numbered = [f"{'I' * (i + 1)}: {title}" for i, title in enumerate(TITLES)]
    misread = [title.replace("III", "Ill").replace("II", "Il").replace("I:", "1:") for title in numbered]
    contents = [(LEFT, TOP - 12 * i, SIZE, text) for i, text in enumerate(["Contents", *misread])]
    chapters = [
        [(LEFT, TOP + 30, 16, title), *typeset(LONG[2 * i : 2 * i + 2])[0][2:]]
        for i, title in enumerate(numbered)
    ]
    book = read(tmp_path, [contents, *chapters])
    assert [section.headings for section in book.sections] == [(title,) for title in numbered]


def entries_of(titles: Sequence[str], first: int = 10) -> list[Drawn]:
    """Set a row for each title, with page numbers from `first` on."""
    return [(LEFT, TOP - 30 - 12 * i, SIZE, f"{title} {first + i}") for i, title in enumerate(titles)]


def test_contents_may_go_on_after_a_blank_page(tmp_path: Path) -> None:
    titles = [f"Of {thing.title()}" for thing in THINGS[:10]]
    contents = [(LEFT, TOP, 14, "Contents"), *entries_of(titles[:5])]
    book = book_of(tmp_path, [contents, [], entries_of(titles[5:], 20)])
    assert texts(book) == CHAPTER_TEXTS
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", 31)]


@pytest.mark.parametrize(
    "ornaments", [pytest.param({2, 4}, id="between entries"), pytest.param({5}, id="at the end of a page")]
)
def test_contents_go_on_after_ornaments(tmp_path: Path, ornaments: set[int]) -> None:
    titles = [f"Of {thing.title()}" for thing in THINGS[:12]]
    rows = [
        (LEFT, TOP - 30 - 14 * (i % 6), SIZE, "* * *" if i in ornaments else f"{title} {10 + i}")
        for i, title in enumerate(titles)
    ]
    contents = [(LEFT, TOP, 14, "Contents"), *rows[:6]]
    book = book_of(tmp_path, [contents, rows[6:]])
    assert texts(book) == CHAPTER_TEXTS
    assert [(entry.kind, entry.words) for entry in book.left_out] == [
        ("contents", n_drawn(contents, rows[6:]))
    ]


@pytest.mark.parametrize("n_blank", [0, 1])
@pytest.mark.parametrize("has_outline", [True, False])
def test_the_title_page_of_a_part_after_the_contents_is_text(
    tmp_path: Path, n_blank: int, has_outline: bool
) -> None:
    part: list[Drawn] = [(LEFT, TOP - 100, 16, "Part I")]
    chapters = [f"Of {thing.title()}" for thing in THINGS[:5]]
    contents = [(LEFT, TOP, 14, "Contents"), *entries_of(["Part I", *chapters])]
    outline = [("Part I", 0, 1 + n_blank), *((title, 1, 2 + n_blank + i) for i, title in enumerate(chapters))]
    front = [contents, *([[]] * n_blank), part]
    book = book_of(tmp_path, front, outline=outline if has_outline else ())
    assert book.text.startswith("Part I")
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", n_drawn(contents))]


def first_page(*top: str) -> list[Drawn]:
    """Return a page with these lines above its text."""
    lines = [(LEFT, TOP + 15 * (len(top) - i), SIZE, text) for i, text in enumerate(top)]
    return [*lines, *typeset(LONG[16:18])[0][2:]]


def test_the_first_page_of_a_chapter_after_the_contents_is_text(tmp_path: Path) -> None:
    """Its heading, that of its first section, and a definition with a number look like entries."""
    titles = ["1 On Trades", "1.1 Old Trades", "1.2 New Trades", "1.3 Lost Trades"]
    contents = [(LEFT, TOP, 14, "Contents"), *entries_of(titles)]
    chapter = first_page("1 On Trades", "1.1 Old Trades", "Definition 1")
    outline = [(titles[0], 0, 1), (titles[1], 1, 1), *((title, 1, 2) for title in titles[2:])]
    book = book_of(tmp_path, [contents, chapter], outline=outline)
    assert texts(book)[:3] == ["1 On Trades", "1.1 Old Trades", "Definition 1"]
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", n_drawn(contents))]


def test_contents_go_on_below_an_ornament_and_above_text(tmp_path: Path) -> None:
    titles = [f"Of {thing.title()}" for thing in THINGS[:9]]
    contents = [(LEFT, TOP, 14, "Contents"), *entries_of(titles[:6])]
    page = first_page("* * *", *(f"{title} {30 + i}" for i, title in enumerate(titles[6:])))
    book = book_of(tmp_path, [contents, page], outline=[("On Trades", 0, 2)])
    n_words = n_drawn(contents) + n_drawn(page[:4])
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", n_words)]


def test_contents_of_a_part_below_its_title_continue_those_of_the_book(tmp_path: Path) -> None:
    titles = [f"Of {thing.title()}" for thing in THINGS[:5]]
    contents = [(LEFT, TOP, 14, "Contents"), *entries_of(["On Trades", *titles])]
    part = first_page("On Trades", "Of Salt Again 20", "Of Wool Again 21", "Of Amber Again 22")
    book = book_of(tmp_path, [contents, part], outline=[("On Trades", 0, 1)])
    n_words = n_drawn(contents) + n_drawn(part[:4])
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("contents", n_words)]


def test_an_index_may_be_drawn_before_its_heading(tmp_path: Path) -> None:
    heading, *entries = listing("Index", INDEX[:8])
    book = book_of(tmp_path, back=[[*entries, heading]])
    assert [entry.kind for entry in book.left_out] == ["index"]


def test_contents_in_one_column_take_no_line_of_the_other(tmp_path: Path) -> None:
    [first, *_] = typeset(LONG[:5], columns=2)
    middle = LEFT + MEASURE / 2
    beside = [drawn for drawn in first[2:] if drawn[0] > middle]
    entries = [f"{title[:12]} . . . . . . {number}" for title, number in zip(TITLES, NUMBERS, strict=True)]
    left = [(LEFT, TOP - 12 * i, SIZE, text) for i, text in enumerate(["Contents", *entries])]
    book = read(tmp_path, [[*left, *beside]])
    assert book.text.split() == " ".join(text for *_, text in beside).split()


def test_long_leaders_without_page_numbers_are_read_in_linear_time() -> None:
    leaders = [f"Chapter {n}" + " ." * 8_000 for n in range(4)]
    texts = ["Contents", *leaders]
    lines = tuple(Line(text, 0, 60, 340, 500 - 20 * i, 10) for i, text in enumerate(texts))
    started = time.process_time()
    pages, _ = separate_contents([Page(0, None, 600, lines)], ())
    separate_entry_pages([Page(0, None, 600, lines)])
    assert contents_title_keys(lines[1:]) == {"chapter0", "chapteri", "chapter2", "chapter3"}
    assert pages[0].lines
    assert time.process_time() - started < 2  # took a minute


def test_a_number_of_thousands_of_digits_is_no_page_number() -> None:
    lines = [Line(f"Bees, {'9' * 5000}", 0, 0, 300, 500, 10), Line("Bells, 12", 0, 0, 300, 488, 10)]
    assert _index_shape(lines, max_number=400).entries == [("b", "s, 12")]
    assert _max_page_number([Page(0, "9" * 5000, 600, tuple(lines))]) < 1000
