"""The PDF reader on small pages typeset in the test."""

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, extract
from alexandria.extract.metadata import read_metadata
from alexandria.extract.pdf.chapters import find_starts
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.fallback import UnreadableError, read_pages_slowly
from alexandria.extract.pdf.garbled import is_garbled, without_garbled
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page
from alexandria.extract.pdf.paragraphs import Paragraph, _continues_paragraph, paragraphs_of, with_drop_caps
from alexandria.extract.pdf.reader import read_outline
from alexandria.extract.pdf.running_heads import PAGE_NUMBER, separate_running_heads
from alexandria.extract.pdf.typography import Typography
from tests.extract.typeset import (
    FONT,
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    MEASURE,
    SENTENCE,
    SIZE,
    THINGS,
    TOP,
    VERBS,
    Drawn,
    break_lines,
    foot,
    read,
    texts,
    typeset,
    write,
)
from tests.pairs import by_pairs

# Syllables: words without vowels would rightly be called garbled.
words = st.lists(st.sampled_from(["ba", "re", "til", "mon", "su", "a"]), min_size=1, max_size=5).map("".join)
paragraphs = st.lists(
    st.lists(words, min_size=8, max_size=90).map(lambda ws: " ".join(ws).capitalize() + "."),
    min_size=12,
    max_size=40,
)


def test_paragraphs_come_back_as_they_were_set(tmp_path: Path) -> None:
    for columns in [1, 2, 3]:
        assert texts(read(tmp_path, typeset(LONG, columns=columns))) == LONG


@given(paragraphs=paragraphs, columns=st.sampled_from([1, 2]))
@settings(max_examples=15)
def test_no_word_is_lost_or_moved(
    tmp_path_factory: pytest.TempPathFactory, paragraphs: list[str], columns: int
) -> None:
    pages = typeset(paragraphs, columns=columns, depth=20)
    book = read(tmp_path_factory.mktemp("pdf"), pages)
    left_out = sum(entry.words for entry in book.left_out)
    drawn = sum(len(text.split()) for page in pages for _, _, _, text in page)
    assert len(book.text.split()) + left_out == drawn
    if len(pages) >= 3:  # fewer do not tell a running head from text
        assert book.text.split() == " ".join(paragraphs).split()


def test_columns_are_read_one_after_the_other_though_drawn_row_by_row(tmp_path: Path) -> None:
    pages = [sorted(page, key=lambda drawn: (-drawn[1], drawn[0])) for page in typeset(LONG, columns=2)]
    assert texts(read(tmp_path, pages)) == LONG


def test_a_head_that_prints_a_title_of_the_outline_is_known_at_once(tmp_path: Path) -> None:
    for head in ["ON SALT", "On Salt", "2 On Salt", "On Salt 2"]:
        first, second = (page[2:] for page in typeset(LONG[:12])[:2])
        heading: Drawn = (LEFT, HEIGHT - 40, SIZE, "On Salt")
        pages = [[heading, *first], [(LEFT, HEIGHT - 40, 8, head), *second]]
        book = read(tmp_path, pages, [("On Salt", 0, 0)])
        assert [block.text for block in book.blocks if "on salt" in block.text.lower()] == ["On Salt"]
        assert [(entry.kind, entry.words) for entry in book.left_out] == [("running_head", len(head.split()))]


def test_a_last_line_at_the_top_of_a_page_is_no_head(tmp_path: Path) -> None:
    first, second = (page[2:] for page in typeset(LONG[:12])[:2])
    pages = [[(LEFT, HEIGHT - 40, SIZE, "Salt"), *first], [(LEFT, HEIGHT - 40, SIZE, "salt."), *second]]
    assert read(tmp_path, pages, [("Salt", 0, 0)]).left_out == ()


@pytest.mark.parametrize(
    "outline",
    [
        pytest.param([("On Salt", 0, 1)], id="before its chapter"),
        pytest.param([("On Salt", 0, 0), ("On Salt", 0, 1)], id="of two chapters"),
    ],
)
def test_a_title_is_no_head_where_its_chapter_is_still_to_begin(
    tmp_path: Path, outline: list[tuple[str, int, int]]
) -> None:
    first, second = (page[2:] for page in typeset(LONG[:12])[:2])
    title: Drawn = (LEFT, HEIGHT - 40, SIZE, "On Salt")
    assert read(tmp_path, [[title, *first], [title, *second]], outline).left_out == ()


def test_running_heads_and_page_numbers_are_left_out_and_counted(tmp_path: Path) -> None:
    pages = typeset(LONG)
    book = read(tmp_path, pages)
    assert "A Book of Trials" not in book.text
    assert {entry.kind: entry.words for entry in book.left_out} == {
        "running_head": 4 * len(pages),
        "page_number": len(pages),
    }


HEAD = "A Book of Trials"


def headed(tmp_path: Path, *heads: Sequence[tuple[float, float, str]]) -> Book:
    """Return a book with these lines, by their points below the usual head and their sizes, on its pages."""
    pages = [
        [*((LEFT, HEIGHT - 40 - lower, size, text) for lower, size, text in lines), *page[2:]]
        for page, lines in zip(typeset(LONG), heads, strict=False)
    ]
    return read(tmp_path, pages)


def test_a_head_printed_once_is_known_by_the_place_of_three_others(tmp_path: Path) -> None:
    cases = {
        "there": (0, 8, True),
        "a little lower": (1, 8, True),
        "lower": (6, 8, False),
        "in another size": (0, 9, False),
    }
    for lower, size, is_head in cases.values():
        book = headed(tmp_path, *[[(0, 8, HEAD)]] * 3, [(lower, size, "Of Brevity")])
        assert HEAD not in book.text
        assert ("Of Brevity" not in book.text) is is_head


def test_heads_of_three_sizes_make_no_place_for_another(tmp_path: Path) -> None:
    book = headed(tmp_path, *([(0, size, HEAD)] for size in (7, 8, 9)), [(0, 8, "Of Brevity")])
    assert HEAD not in book.text
    assert "Of Brevity" in book.text


def test_a_line_printed_on_two_pages_is_no_head(tmp_path: Path) -> None:
    assert HEAD in headed(tmp_path, *[[(0, 8, HEAD)]] * 2, [], []).text


def test_a_head_has_few_lines(tmp_path: Path) -> None:
    lines = [(9.0 * i, 8.0, text) for i, text in enumerate(("Salt", "Clay", "Iron", "Glass and more"))]
    book = headed(tmp_path, *[lines] * 4)
    assert "Clay" not in book.text
    assert "Glass and more" in book.text


def test_large_type_at_the_top_of_three_pages_is_no_head(tmp_path: Path) -> None:
    assert "Of Brevity" in headed(tmp_path, *[[(0, 16, "Of Brevity")]] * 3).text


@pytest.mark.parametrize(("above", "is_number"), [(LEADING, False), (3 * LEADING, True)])
def test_a_number_that_stands_apart_is_the_page_s_own(tmp_path: Path, above: float, is_number: bool) -> None:
    book = read(tmp_path, [[(LEFT, TOP + above, SIZE, "1"), *typeset(LONG[:4])[0][2:]]])
    assert [entry.kind for entry in book.left_out] == ["page_number"] * is_number


PAGE_NUMBERS = {
    "plain": "{n}",
    "dashes": "– {n} –",
    "brackets": "[{n}]",
    "of": "Page {n} of 140",
    "slash": "{n} / 140",
    "german": "Seite {n}",
    "short": "p. {n}",
    "ornaments": "~ {n} ~",
    "bar": "| {n} |",
    "with-a-head": "A Book of Trials | {n} | Salt",
    "swedish": "Sid {n} (64)",
    "turkish": "Sayfa {n}/120",
    "polish": "Strona {n} z 320",
    "russian": "{n} из 200",
    "spanish": "Página {n} de 300",
    "chinese": "第{n}页 共140页",
    "stamp": "Salt v0.9 – CONFIDENTIAL – do not copy  p. {n} / 180",
    "browser": "file:///home/ruth/Salt.html  {n}/64",
    "manual": "Salt TM 9-2320 – Operator’s Guide 3-{n}",
    "before-a-report": "Page {n} GAO-19-123 Salt Roads",
    "hindi": "पृष्ठ {n}",
}


def numbered(tmp_path: Path, printed: Sequence[str]) -> Book:
    """Return a book with these lines in place of the page numbers."""
    pages = [
        [*page[:1], (*page[1][:3], text), *page[2:]] if text else [*page[:1], *page[2:]]
        for page, text in zip(typeset(LONG), printed, strict=False)
    ]
    return read(tmp_path, pages)


@pytest.mark.parametrize("form", PAGE_NUMBERS.values(), ids=PAGE_NUMBERS.keys())
def test_a_page_number_with_anything_around_it_is_the_label_of_its_page(tmp_path: Path, form: str) -> None:
    n_pages = len(typeset(LONG))
    book = numbered(tmp_path, [form.format(n=21 + i) for i in range(n_pages)])
    assert texts(book) == LONG
    chapter = "3-" if "3-" in form else ""
    assert [start.label for start in book.page_starts] == [f"{chapter}{21 + i}" for i in range(n_pages)]
    kinds = {entry.kind for entry in book.left_out}
    assert kinds == ({"running_head"} if "Salt" in form else {"running_head", "page_number"})


def test_a_page_number_in_another_form_is_the_label(tmp_path: Path) -> None:
    cases: dict[str, tuple[list[str], list[str] | None]] = {
        "words": (["seven", "eight", "nine", "ten"], None),
        "chapter and page": (["2-7", "2-8", "2-9", "2-10"], None),
        "appendix and page": (["A-7", "A-8", "A-9", "A-10"], None),
        "leaves": (["f. 7r", "f. 7v", "f. 8r", "f. 8v"], ["7r", "7v", "8r", "8v"]),
    }
    for printed, labels in cases.values():
        book = numbered(tmp_path, printed)
        assert texts(book) == LONG
        assert [start.label for start in book.page_starts] == (labels or printed)


def test_a_page_between_two_numbers_has_the_number_between(tmp_path: Path) -> None:
    book = numbered(tmp_path, ["– 21 –", "– 22 –", "", "– 24 –"])
    assert [start.label for start in book.page_starts] == ["21", "22", "23", "24"]


def test_the_numbers_of_the_files_own_pages_are_no_labels(tmp_path: Path) -> None:
    assert {start.label for start in read(tmp_path, typeset(LONG)).page_starts} == {None}


@pytest.mark.parametrize(
    ("size", "titles", "is_text"),
    [
        pytest.param(SIZE, ["1848", "1849", "1850", "1851"], True, id="years"),
        pytest.param(SIZE, ["IV", "V", "VI", "VII"], True, id="numerals"),
        pytest.param(SIZE * 1.2, ["4", "5", "6", "7"], True, id="large"),
        pytest.param(SIZE, ["4", "5", "6", "7"], False, id="as large as the text"),
        pytest.param(SIZE, ["iv", "v", "vi", "vii"], False, id="small numerals"),
    ],
)
def test_numbers_above_the_text_are_titles_if_folios_are_below(
    tmp_path: Path, size: float, titles: list[str], is_text: bool
) -> None:
    pages = [
        [(LEFT, TOP + 20, size, title), *page[2:], (LEFT, 30, SIZE, f"[{i + 21}]")]
        for i, (title, page) in enumerate(zip(titles, typeset(LONG), strict=False))
    ]
    book = read(tmp_path, pages)
    assert [title in book.text.split() for title in titles] == [is_text] * 4
    assert "[" not in book.text


def test_words_with_a_number_above_the_text_are_titles_if_folios_are_below(tmp_path: Path) -> None:
    cases: dict[str, tuple[list[str], int, bool]] = {
        "dates": (["11. May", "12. May", "13. May", "14. May"], 140, True),
        "days": (["Day 3", "Day 4", "Day 5", "Day 6"], 140, True),
        "heads with the folio": (["Salt 3", "Salt 4", "Salt 5", "Salt 6"], 3, False),
        "page numbers of a file": (["Page 3", "Page 4", "Page 5", "Page 6"], 140, False),
        "heads": (["3 Of Old Salt", "4 Of Old Salt", "5 Of Old Salt", "6 Of Old Salt"], 140, False),
    }
    for titles, first_folio, is_text in cases.values():
        pages = [
            [(LEFT, TOP + 20, SIZE, title), *page[2:], (LEFT, 30, SIZE, str(first_folio + i))]
            for i, (title, page) in enumerate(zip(titles, typeset(LONG), strict=False))
        ]
        book = read(tmp_path, pages)
        assert [title in book.text for title in titles] == [is_text] * 4


@pytest.mark.parametrize("size", [SIZE, 1.6 * SIZE], ids=["head", "title"])
def test_words_with_a_number_are_no_head_below_a_title(tmp_path: Path, size: float) -> None:
    pages = [
        [(LEFT, TOP + 40, size, THINGS[i].title()), (LEFT, TOP + 20, SIZE, f"Serves {4 + i}"), *page[2:]]
        for i, page in enumerate(typeset(LONG))
    ]
    assert ("Serves 5" in read(tmp_path, pages).text) is (size > SIZE)


def test_a_number_between_guide_words_is_the_label(tmp_path: Path) -> None:
    words = [
        [(LEFT, 555.0, 8.0, THINGS[i]), (205.0, 555.0, 8.0, str(300 + i)), (320.0, 555.0, 8.0, VERBS[i])]
        for i in range(4)
    ]
    book = read(tmp_path, [[*head, *page[2:]] for head, page in zip(words, typeset(LONG), strict=False)])
    assert texts(book) == LONG
    assert [start.label for start in book.page_starts] == ["300", "301", "302", "303"]


@pytest.mark.parametrize(("step", "n_numbers"), [(1, 0), (3, 8)], ids=["two pages of a book", "others"])
def test_numbers_of_two_pages_on_one_are_left_out(tmp_path: Path, step: int, n_numbers: int) -> None:
    pages = [
        [*page[2:], (LEFT, 30.0, SIZE, str(20 + 2 * i)), (300.0, 30.0, SIZE, str(20 + 2 * i + step))]
        for i, page in enumerate(typeset(LONG))
    ]
    assert sum(word.isdecimal() for word in read(tmp_path, pages).text.split()) == n_numbers


@pytest.mark.parametrize(("y", "is_text"), [(300, False), (560, True)], ids=["over the text", "above it"])
def test_a_watermark_is_left_out(tmp_path: Path, y: float, is_text: bool) -> None:
    pages = [[*page, (LEFT, y, 4 * SIZE, "SPECIMEN")] for page in typeset(LONG)]
    book = read(tmp_path, pages)
    assert ("SPECIMEN" in book.text) is is_text
    assert is_text or texts(book) == LONG


def test_lines_right_of_the_number_of_their_paragraph_belong_to_it(tmp_path: Path) -> None:
    cases = {
        "number": ("12. The keeper of the light was asked for the log of that winter in", 1),
        "words": ("The keeper of the light was asked for the log of that winter in it.", 2),
        "a short line": ("12. The keeper of the light.", 2),
    }
    for first, n_blocks in cases.values():
        page = typeset(LONG)[0][2:14]
        y = page[-1][1] - LEADING
        lines = [
            (LEFT, y, SIZE, first),
            (LEFT + 20, y - LEADING, SIZE, "The log was lost, and nobody has it."),
        ]
        blocks = [
            text for text in texts(read(tmp_path, [[*page, *lines]])) if first in text or "log was" in text
        ]
        assert len(blocks) == n_blocks


@pytest.mark.parametrize(("leader", "price"), [(" ........", "{}"), ("", "£{}.50"), (" . . . .", "{}.–")])
def test_a_price_at_the_end_of_a_row_stays_on_its_row(tmp_path: Path, leader: str, price: str) -> None:
    things = [f"{colour} {thing}" for colour in ("Old", "New", "Red", "Blue") for thing in THINGS]
    rows = [(f"{thing}{leader}", price.format(3 * i + 7)) for i, thing in enumerate(things)]
    pages = [
        [
            drawn
            for i, (thing, cost) in enumerate(rows[start : start + 11])
            for drawn in ((LEFT, TOP - 20 * i, SIZE, thing), (300.0, TOP - 20 * i, SIZE, cost))
        ]
        for start in range(0, 44, 11)
    ]
    text = read(tmp_path, pages).text.replace("\n", " ")
    assert [f"{thing} {cost}" for thing, cost in rows if f"{thing} {cost}" not in text] == []


def test_a_number_that_does_not_count_the_pages_is_text(tmp_path: Path) -> None:
    cases: dict[str, list[str]] = {
        "a year": ["1914", "", "", ""],
        "a note": [f"Ibid., p. {i}, and {i + 1} of it." for i in range(12, 16)],
        "a price": ["", "It cost 21 pence.", "", ""],
        "verses": ["21 And he went up.", "24 And he came.", "33 And it rained.", ""],
        "numbers that do not run with the pages": ["– 21 –", "– 29 –", "– 60 –", ""],
        "words that do not run with the pages": ["seven", "four", "forty", "ten"],
    }
    for printed in cases.values():
        book = numbered(tmp_path, printed)
        assert all(text in book.text for text in printed)
        assert {start.label for start in book.page_starts} == {None}


def test_page_numbers_are_recognised() -> None:
    cases = [
        *(
            *(
                "21",
                "xii",
                "- 21 -",
                "第21页",
                "21ページ",
                "Стр. 21",
                "· 21 ·",
                "21 von 140",
                "第七页",
                "二三",
            ),
            "f. 7r",
        ),
        *(
            *("Sid 9 (64)", "Sayfa 61/120", "Strona 3 z 20", "3 из 20", "Blz. 7 van 9", "стор. 5"),
            "第7页/共140页",
        ),
        "Twenty-one",
    ]
    for text in cases:
        assert PAGE_NUMBER.fullmatch(text)


def test_other_numbers_are_not_page_numbers() -> None:
    cases = ["21 gulls", "Chapter 21", "£21 a ton", "in 1914", "21:4 And he", "mild", "ten men"]
    for text in cases:
        assert not PAGE_NUMBER.fullmatch(text)


@pytest.mark.parametrize(
    ("head", "n_heads"), [("第{}章　灯台", 0), ("第 {} 章 灯台", 0), ("Page {} of Salt", 4)]
)
def test_chapters_that_count_with_the_pages_are_no_heads(head: str, n_heads: int) -> None:
    rows = [[head.format(12 + i), *(f"{letter}{i * i}" for letter in "abcdef")] for i in range(4)]
    pages = [
        Page(
            i,
            None,
            600,
            tuple(Line(text, i, 60, 180, 550 - 20 * at, 10) for at, text in enumerate(page_rows)),
        )
        for i, page_rows in enumerate(rows)
    ]
    assert len(separate_running_heads(pages, 10)[1]) == n_heads


def test_a_year_that_counts_with_the_pages_in_a_note_is_text(tmp_path: Path) -> None:
    pages = [
        foot(page, f"* See the log of the year {1840 + i}, where it is.")
        for i, page in enumerate(typeset(LONG))
    ]
    book = read(tmp_path, pages)
    assert all(f"{1840 + i}, where it is." in book.text for i in range(len(pages)))


def stanzas(*forms: str) -> list[str]:
    """Return fifteen stanzas with a line of each form, no two alike."""
    return [
        "\n".join(form.format(THINGS[(i + j) % 11], VERBS[(i * j + i) % 9]) for j, form in enumerate(forms))
        for i in range(15)
    ]


def stanza_pages(texts: Sequence[str]) -> list[list[Drawn]]:
    """Set five stanzas on each page, with a gap between them."""
    pages: list[list[Drawn]] = []
    for start in range(0, len(texts), 5):
        lines = "\n\n".join(texts[start : start + 5]).split("\n")
        pages.append([(LEFT, TOP - LEADING * i, SIZE, line) for i, line in enumerate(lines) if line])
    return pages


def test_in_a_book_of_verse_each_stanza_keeps_its_lines(tmp_path: Path) -> None:
    verse = stanzas("And {0} it {1} by the sea,", "Nor {0} nor orchard", "O {0}, that {1};", "It {1} {0}.")
    book = read(tmp_path, stanza_pages(verse))
    assert [(block.kind, block.text) for block in book.blocks] == [(BlockKind.VERSE, text) for text in verse]


def test_lines_that_begin_with_capitals_and_end_in_nothing_are_no_book_of_verse(tmp_path: Path) -> None:
    slides = stanzas("The {0} that {1} the first point", "The second {0} {1} it.", "A {0}")
    kinds = {block.text: block.kind for block in read(tmp_path, stanza_pages(slides)).blocks}
    assert not any(kinds.get(slide) is BlockKind.VERSE for slide in slides)


def test_each_page_begins_at_its_own_first_word(tmp_path: Path) -> None:
    pages = typeset(LONG)
    book = read(tmp_path, pages)
    assert [start.page for start in book.page_starts] == list(range(1, len(pages) + 1))
    for start, page in zip(book.page_starts, pages, strict=True):
        assert book.text[start.start :].startswith(page[2][3].split()[0])


def test_a_drop_cap_is_joined_to_its_word(tmp_path: Path) -> None:
    page = typeset(LONG)[0][2:]
    first = (LEFT + 25, TOP, SIZE, "he reader who turns a page expects that nothing")
    second = (LEFT + 25, TOP - LEADING, SIZE, "is lost; the initial is two lines high, and then")
    rest = [(LEFT, y - 2 * LEADING, size, text) for _, y, size, text in page]
    book = read(tmp_path, [[(LEFT, TOP - LEADING, 28, "T"), first, second, *rest]])
    assert book.text.startswith("The reader who turns a page expects that nothing is lost; the initial")


@pytest.mark.parametrize("last", ["It ends here.", LONG[0][:62]], ids=["short", "full"])
def test_a_drop_cap_below_a_paragraph_begins_the_next_one(tmp_path: Path, last: str) -> None:
    above = [(LEFT, TOP - LEADING * i, SIZE, text) for i, text in enumerate([LONG[1][:60], last])]
    y = TOP - 2 * LEADING
    beside = [
        (LEFT + 25, y - LEADING * i, SIZE, text) for i, text in enumerate(["he mill stood on a hill,", "and"])
    ]
    below = [(LEFT, y - 2 * LEADING, SIZE, "the river below it.")]
    book = read(tmp_path, [[*above, (LEFT, y - LEADING, 28, "T"), *beside, *below]])
    assert texts(book)[-1] == "The mill stood on a hill, and the river below it."
    assert last in texts(book)[0]


def test_lines_beside_two_initials_are_read(tmp_path: Path) -> None:
    page = typeset(LONG)[0][2:]
    beside = [(LEFT + 25, y, size, text[:45]) for _, y, size, text in page[:5]]
    rest = [(LEFT, y, size, text) for _, y, size, text in page[5:]]
    initials = [(LEFT, TOP - LEADING, 28, "T"), (LEFT, TOP - 2.5 * LEADING, 28, "H")]
    book = read(tmp_path, [[*initials, *beside, *rest]])
    assert book.text.startswith(f"T{beside[0][3]}")
    assert f"H {beside[1][3]}" in book.text  # apart: both stand in the book as words
    assert " ".join(book.text.split()).endswith(rest[-1][3])


@pytest.mark.parametrize("y", [TOP, TOP - LEADING], ids=["raised", "dropped"])
@pytest.mark.parametrize("sizes", [(28, 20), (20, 28), (24, 24)])
def test_two_initials_on_one_baseline_are_joined_in_order(y: float, sizes: tuple[int, int]) -> None:
    initials = [
        Line(text, 0, x, x + 18, y, size) for text, x, size in zip("TH", (60, 90), sizes, strict=True)
    ]
    text = [Line(text, 0, 112, 300, TOP - LEADING * i, SIZE) for i, text in enumerate(["e last", "of them"])]
    joined, _ = with_drop_caps([*initials, *text], SIZE, Vocabulary(text))
    assert [line.text for line in joined] == ["THe last", "of them"]


def laid_out(texts: Sequence[str], sizes: st.SearchStrategy[int]) -> st.SearchStrategy[list[Line]]:
    """Lines of made-up sizes, left edges and baselines, some of them the same."""

    def line(text: str) -> st.SearchStrategy[Line]:
        edges, baselines = st.sampled_from([55, 58, 60, 75, 90, 120]), st.sampled_from(range(400, 472, 6))
        return st.builds(
            lambda x, y, size: Line(text, 0, x, x + size * len(text) / 2, y, size), edges, baselines, sizes
        )

    return st.tuples(*map(line, texts)).map(list)


@given(
    initials=st.lists(st.sampled_from("THE"), min_size=2, max_size=3).flatmap(
        lambda letters: laid_out(letters, st.sampled_from([20, 24, 28]))
    ),
    text=laid_out(["abcd", "efgh", "ijkl", "mnop"], st.just(SIZE)),
    shuffled=st.randoms(use_true_random=False),
)
def test_no_drop_cap_is_lost_wherever_it_is(
    initials: list[Line], text: list[Line], shuffled: random.Random
) -> None:
    drawn = [*initials, *text]
    shuffled.shuffle(drawn)
    joined, _ = with_drop_caps(drawn, SIZE, Vocabulary(text))
    letters = "".join(line.text for line in joined).replace(" ", "")
    assert sorted(letters) == sorted("".join(line.text for line in drawn))


def test_the_outline_names_the_chapters_and_their_levels(tmp_path: Path) -> None:
    body = typeset(LONG[:4])[0][2:]
    pages = [
        [(LEFT, TOP + 30, 16, title), *body] for title in ("Part One", "Chapter A", "Chapter B", "Part Two")
    ]
    outline = [("Part One", 0, 0), ("Chapter A", 1, 1), ("Chapter B", 1, 2), ("Part Two", 0, 3)]
    book = read(tmp_path, pages, outline=outline)
    assert [section.headings for section in book.sections] == [
        ("Part One",),
        ("Part One", "Chapter A"),
        ("Part One", "Chapter B"),
        ("Part Two",),
    ]
    assert [section.blocks[0].kind for section in book.sections] == [BlockKind.HEADING] * 4
    assert [section.blocks[0].location.page for section in book.sections] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("tops", "lengths"),
    [
        pytest.param((TOP + 20, TOP - 100), [1, 2], id="where it points to"),
        pytest.param((TOP + 20, 0), [3], id="to the page, if it points to no height"),
    ],
)
def test_a_chapter_without_a_printed_title_begins_where_the_outline_points(
    tmp_path: Path, tops: tuple[float, float], lengths: list[int]
) -> None:
    canvas = Canvas(str(tmp_path / "book.pdf"), pagesize=A5)
    for title, top in zip(("Salt", "Clay"), tops, strict=True):
        canvas.bookmarkPage(title, fit="XYZ", left=30, top=top, zoom=0)
        canvas.addOutlineEntry(title, title, 0)
    canvas.setFont(FONT, SIZE)
    for i, paragraph in enumerate(LONG[:3]):
        for j, (indent, line) in enumerate(break_lines(paragraph, MEASURE)):
            canvas.drawString(LEFT + indent, TOP - 110 * i - LEADING * j, line)
    canvas.showPage()
    canvas.save()
    book = extract(tmp_path / "book.pdf")
    assert [len(section.blocks) for section in book.sections] == lengths
    assert book.sections[-1].headings == ("Clay",)


def test_only_a_destination_by_its_corner_points_to_a_height(tmp_path: Path) -> None:
    """The second number of the others is no top: of FitR it is the bottom."""
    canvas = Canvas(str(tmp_path / "book.pdf"), pagesize=A5)
    canvas.bookmarkPage("corner", fit="XYZ", left=30, top=400, zoom=0)
    canvas.bookmarkPage("box", fit="FitR", left=30, bottom=100, right=300, top=400)
    canvas.bookmarkPage("page", fit="Fit")
    for name in ("corner", "box", "page"):
        canvas.addOutlineEntry(name, name, 0)
    canvas.showPage()
    canvas.save()
    entries = read_outline(pdfium.PdfDocument(tmp_path / "book.pdf"))
    assert [(entry.title, entry.y) for entry in entries] == [("corner", 400), ("box", None), ("page", None)]


def test_a_title_that_is_one_long_number_is_found_in_linear_time() -> None:
    number = "1" * 28
    lines = [Line(text, 0, 60, 340, 500 - 20 * i, 10) for i, text in enumerate((SENTENCE, number))]
    started = time.process_time()
    starts = find_starts(
        [Paragraph([line], 340, 60) for line in lines], [OutlineEntry(number, 1, 0, None)], 10
    )
    assert [(start.index, start.n_heading) for start in starts] == [(1, 1)]
    assert time.process_time() - started < 2  # took half a minute, and twice that with a digit more


def test_large_type_names_the_chapters_where_no_outline_does(tmp_path: Path) -> None:
    body = typeset(LONG[:4])[0][2:]
    pages = [[(LEFT, TOP + 30, 16, title), *body] for title in ("Of Clay", "Of Glass")]
    assert [section.headings for section in read(tmp_path, pages).sections] == [("Of Clay",), ("Of Glass",)]


def test_the_printed_contents_are_left_out(tmp_path: Path) -> None:
    contents = [
        (LEFT, TOP, 14, "Contents"),
        (LEFT, TOP - 30, SIZE, "Of Clay . . . . . . . . . 2"),
        (LEFT, TOP - 42, SIZE, "Of Glass . . . . . . . . . 3"),
    ]
    chapters = [
        [(LEFT, TOP + 30, 16, title), *typeset(text)[0][2:]]
        for title, text in (("Of Clay", LONG[:4]), ("Of Glass", LONG[4:8]))
    ]
    book = read(tmp_path, [contents, *chapters])
    assert [section.headings for section in book.sections] == [("Of Clay",), ("Of Glass",)]
    assert [entry.kind for entry in book.left_out] == ["contents"]
    kept = extract(tmp_path / "book.pdf", ReadOptions(keep_matter=True))
    assert "Of Glass . . . ." in kept.text


def test_verse_keeps_its_lines(tmp_path: Path) -> None:
    page = typeset(LONG)[0]
    verse = ["Who reads by candle, line by line,", "Forgets the hour, forgets the wine,"]
    y = page[-1][1]
    lines = [(LEFT + 30, y - LEADING * (i + 2), SIZE, line) for i, line in enumerate(verse)]
    block = read(tmp_path, [[*page, *lines]]).blocks[-1]
    assert (block.kind, block.text) == (BlockKind.VERSE, "\n".join(verse))


def test_a_list_item_at_the_top_of_a_page_begins_a_block() -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("• A full line of an item that ends", "• The next item", ["list_item", "list_item"]),
        ("A full line that ends a sentence.", "– The first item", ["paragraph", "list_item"]),
        ("A full line in mid-sentence", "– with a dash", ["paragraph"]),
        ("• A full line of an item that ends", "on the next page", ["list_item"]),
    ]
    for above, first, kinds in cases:
        columns = [
            Column((Line(text, page, LEFT, LEFT + MEASURE, TOP, SIZE),), LEFT, LEFT + MEASURE)
            for page, text in enumerate([above, first])
        ]
        found = paragraphs_of(columns, Typography(SIZE, {SIZE: LEADING}), Vocabulary([]))
        assert [paragraph.kind.value for paragraph in found] == kinds


def kinds_of(*rows: tuple[float, float, str]) -> list[str]:
    """Return the kinds of the paragraphs in a column of lines, which have an indent and a width."""
    lines = [
        Line(text, 0, LEFT + indent, LEFT + indent + width, TOP - LEADING * i, SIZE)
        for i, (indent, width, text) in enumerate(rows)
    ]
    column = Column(tuple(lines), LEFT, LEFT + MEASURE)
    found = paragraphs_of([column], Typography(SIZE, {SIZE: LEADING}), Vocabulary([]))
    return [paragraph.kind.value for paragraph in found]


@pytest.mark.parametrize(
    ("indent", "width", "above", "line", "kinds"),
    [
        (20, 200, "كان في قديم الزمان صياد فقير", "يسكن بيتا صغيرا", ["paragraph"]),
        (20, 200, "有一天，大约是中秋前的两三天", "掌柜正在慢慢的结账", ["paragraph"]),
        pytest.param(20, 200, "كان هناك صياد فقير.", "يسكن بيتا", ["paragraph"] * 2, id="a sentence ends"),
        pytest.param(0, 200, "يا ليل الصب متى غده", "أقيام الساعة موعده", ["verse"], id="no indent"),
        pytest.param(20, 20, "此致", "敬礼", ["verse"], id="less than half of a line"),
        pytest.param(20, 200, "There was a fisherman of", "Basra was old", ["verse"], id="with capitals"),
    ],
)
def test_in_a_script_without_capitals_a_line_at_the_margin_goes_on_with_a_sentence(
    indent: float, width: float, above: str, line: str, kinds: list[str]
) -> None:
    assert kinds_of((indent, width, above), (0, 50, line)) == kinds


def test_lines_of_chinese_and_japanese_end_where_their_sentences_do() -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("账簿的第 7 页上写着 12 个名字，名字下面划", "了一道粗粗的黑线", ["paragraph"]),
        ("账簿的第七页上写着十二个名字，名字下面划", "了一道粗粗的黑线", ["verse"]),
        ("「そこに居るのは一体誰だ。」", "「私だ。」", ["paragraph"] * 2),
        ("床前明月光，疑是地上霜。", "举头望明月，低头思故乡。", ["verse"]),
    ]
    for above, line, kinds in cases:
        assert kinds_of((0, MEASURE - 5 * SIZE, above), (0, SIZE * len(line), line)) == kinds


@pytest.mark.parametrize("indent", [0, 30])
@pytest.mark.parametrize(("label", "is_transcript"), [("Q.", True), ("C.", False)])
def test_in_a_transcript_a_paragraph_begins_where_a_speaker_does(
    label: str, is_transcript: bool, indent: float
) -> None:
    speeches = [f"{label} Did you see", "Captain Oakes?", "A. I did.", "I saw him."] * 4
    rows = [
        (indent * (text[1] == "."), 150.0 if i % 4 < 3 else MEASURE, text) for i, text in enumerate(speeches)
    ]
    kinds = kinds_of(*rows, (indent, 150, "MR. HALE: Objection."), (0, 150, "(A recess was taken.)"))
    assert (kinds == ["paragraph"] * 10) is is_transcript


@pytest.mark.parametrize(
    ("inset", "goes_on"),
    [
        pytest.param(0, False, id="in a column: the indent of a first line"),
        pytest.param(20, True, id="in a quotation: the indent of all its lines"),
    ],
)
def test_an_indented_line_at_the_top_of_a_page_goes_on_only_within_a_quotation(
    inset: float, goes_on: bool
) -> None:
    indent, right = LEFT + 2 * SIZE, LEFT + MEASURE
    above, line = (
        Line(text, page, indent, right - inset, TOP, SIZE)
        for page, text in enumerate(["A full line that ends a sentence.", "Another full line begins here"])
    )
    column = Column((line,), LEFT, right)
    paragraph = Paragraph([above], right - inset, LEFT)
    found = _continues_paragraph(paragraph, line, right - inset, column, Typography(SIZE, {SIZE: LEADING}))
    assert found is goes_on


@by_pairs(("shown", [0, 90, 180, 270]), ("turned", [90, 180, 270]))
def test_type_that_runs_up_or_down_or_backwards_is_read_in_order(
    tmp_path: Path, turned: int, shown: int
) -> None:
    canvas = Canvas(str(tmp_path / "drawn.pdf"), pagesize=(HEIGHT, HEIGHT))
    canvas.translate(HEIGHT / 2, HEIGHT / 2)
    canvas.rotate(turned)
    canvas.translate(-HEIGHT / 2, -HEIGHT / 2)
    for x, y, size, text in typeset(LONG[:4])[0][2:]:
        canvas.setFont(FONT, size)
        canvas.drawString(x, y, text)
    canvas.save()
    writer = PdfWriter(clone_from=tmp_path / "drawn.pdf")
    writer.pages[0].rotate(shown)
    writer.write(tmp_path / "turned.pdf")
    assert texts(extract(tmp_path / "turned.pdf")) == LONG[:4]


def lines(*texts: str) -> list[Line]:
    return [Line(text, 0, 0, 100, 700 - 12 * i, 10) for i, text in enumerate(texts)]


def test_line_ends_are_mended() -> None:
    cases: dict[str, tuple[list[str], str, str, str]] = {
        "joined word is known": (["to remember it"], "we remem-", "ber it", "we remember it"),
        "compound is known": (["a well-known man"], "a well-", "known man", "a well-known man"),
        "neither is known": ([], "the consti-", "tution", "the constitution"),
        "half of other compounds": (["a sea of slugs, a slug, a sea-cow"], "a sea-", "slug", "a sea-slug"),
        "half of their ends": (["a tree-slug, the sea, a slug"], "a sea-", "slug", "a sea-slug"),
        "half that is no word alone": (["a sea-cow, a son"], "a sea-", "son", "a season"),
        "halves of two letters": (["a by-way, and by it go"], "a by-", "go", "a bygo"),
        "both as often": (["a sea-slug, a seaslug"], "a sea-", "slug", "a seaslug"),
        "halves are words by chance": (["it stands under it"], "he under-", "stands", "he understands"),
        "capital keeps the hyphen": ([], "Anglo-", "Saxon", "Anglo-Saxon"),
        "typesetter's own hyphen": (["a cut-and-dried thing"], "so re‐", "cover", "so recover"),
        "author's own hyphen": (["re‐", "a cut-and-dried"], "a sea-", "green", "a sea-green"),
        "dash without spaces": ([], "he said—", "nothing", "he said—nothing"),
        "dash with spaces": ([], "he said –", "nothing", "he said – nothing"),
        "no hyphen": ([], "no hyphen", "here", "no hyphen here"),
    }
    for book, above, below, joined in cases.values():
        vocabulary = Vocabulary(lines(*book, above, below))
        assert vocabulary.end_line(above, below) + below == joined


COMPOUNDS = {
    "en": (
        "self-made self-control self-made-man well-known well-educated half-hearted half-past "
        "so-called twenty-one ninety-ninth two-thirds ex-minister great-grandmother vice-president "
        "mother-|in-law mother-in-|law cloud-capped absent-minded well-to-|do cross-examined quasi-legal "
        "by-and-|by e-mail x-ray ten-year-|old left-handed far-reaching"
    ),
    "de": "griechisch-römischen deutsch-französische öffentlich-rechtlich schwarz-rot-goldene",
    "fr": (
        "vingt-deux quatre-vingts dix-sept peut-être c'est-à-|dire demi-heure grand-mère dit-il "
        "a-|t-il allez-vous puis-je lui-même celle-ci arrière-pensée avant-garde chef-|d'œuvre vis-à-|vis "
        "après-midi petits-enfants tête-à-|tête"
    ),
    "nl": "ex-minister technisch-historische zes-en-|twintig",
    "pt": "segunda-feira fazê-lo recém-nascido",
    "es": "histórico-político ex-presidente",
    "it": "storico-critica",
    "ru": "кто-то что-нибудь по-русски из-за всё-таки",
    "pl": "polsko-niemiecki biało-czerwona",
}
"""By language: words that the book has nowhere else. One is broken at its hyphen, or at a `|` after one."""
SYLLABLES = {
    "en": (
        "self-ish self-less self-ishness self-same well-ing well-ington well-ness half-pennies half-ling "
        "ex-ample ex-ception so-lution so-ciety sea-men har-bour twenty-fold one-self three-pence six-teen "
        "self-con-|tained well-estab-|lished great-grand-|mother vice-roy great-ness "
        "a-bout o-pen all-owed ever-more never-theless mid-night in-lay red-den cross-ing brig-and"
    ),
    "de": "selb-ständig fleisch-lich deutsch-sprachig befind-lich tat-sächlich fisch-reich",
    "fr": "mor-telle vil-le pa-tron mer-ci voi-là avan-tage sous-traction demoi-selle grand-eur contre-dire",
    "nl": "lo-pen zogenaamd-heid wor-den",
    "pt": "men-te pala-vra fi-lho es-sa car-los",
    "es": "pala-bra histori-cista",
    "it": "politica-mente storio-grafia",
    "ru": "по-иски пято-го по-тому рус-ский",
    "pl": "biało-ruski",
    "hu": "self-made",
}
"""The same of words that have no hyphen."""


def test_a_compound_keeps_its_hyphen_though_the_book_has_it_nowhere_else() -> None:
    for language, word in [(tag, word) for tag, words in COMPOUNDS.items() for word in words.split()]:
        first, _, rest = word.partition("-")
        above, tail = word.split("|") if "|" in word else (f"{first}-", rest)
        joined = Vocabulary(lines(above, tail), f"{language}-XX").end_line(above, tail) + tail
        assert joined == above + tail


def test_a_word_broken_between_syllables_is_joined() -> None:
    for language, word in [(tag, word) for tag, words in SYLLABLES.items() for word in words.split()]:
        head, tail = word.split("-|") if "|" in word else word.split("-")
        joined = Vocabulary(lines(f"{head}-", tail), language).end_line(f"{head}-", tail) + tail
        assert joined == head + tail


def test_a_hyphen_may_stand_for_the_rest_of_a_word() -> None:
    cases = [
        ("de", "die Vor-", "und Nachteile", "die Vor- und Nachteile"),
        ("de", "ein zwei-", "bis dreimal", "ein zwei- bis dreimal"),
        ("en", "the pre-", "and post-war years", "the pre- and post-war years"),
        ("nl", "de voor-", "en nadelen", "de voor- en nadelen"),
        ("sv", "för-", "och nackdelar", "för- och nackdelar"),
        ("de", "der H-", "unde Zahl", "der Hunde Zahl"),
        ("en", "one-", "and-twenty", "one-and-twenty"),
        ("en", "the thous-", "and ships", "the thousand ships"),
    ]
    for language, above, below, joined in cases:
        assert Vocabulary(lines(above, below), language).end_line(above, below) + below == joined


def test_the_book_s_own_words_go_before_the_lists_of_compounds() -> None:
    for known, joined in (("a selfmade man", "selfmade"), ("a Grund, der Grund", "grund")):
        above = f"{joined[:-4]}-"
        vocabulary = Vocabulary(lines(known, above), "en" if joined == "selfmade" else "de")
        assert vocabulary.end_line(above, joined[-4:]) + joined[-4:] == joined


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("The captain was a man whom every sailor of the harbour knew. ", ["ditil", "self-made"]),
        ("Le capitaine était un homme que tous les marins du port connaissaient. ", ["dit-il", "selfmade"]),
    ],
    ids=["en", "fr"],
)
def test_the_language_of_a_book_is_detected_if_it_states_none(prose: str, expected: list[str]) -> None:
    vocabulary = Vocabulary(lines(*[prose] * 20))
    ends = [vocabulary.end_line(f"{head}-", tail) + tail for head, tail in (("dit", "il"), ("self", "made"))]
    assert ends == expected


FRENCH = "Longtemps, je me suis couché de bonne heure, et mes yeux se fermaient si vite. "
ARABIC = "كان يا ما كان في قديم الزمان رجل يحب الكتب "
MATHS = "Für x ∈ ℝⁿ gilt ‖x‖ ≤ ∑ᵢ |xᵢ|, d. h. f(x₀) = ∫ g(t) dt und A ⊆ B ⇒ A ∪ B = B. "
CZECH = "Když se Řehoř Samsa jednou ráno probudil z nepokojných snů, shledal, že se v posteli proměnil. "


def test_garbled_text_is_recognised() -> None:
    cases = {
        "english": (SENTENCE, False),
        "french": (FRENCH, False),
        "arabic": (ARABIC, False),
        "mathematics": (MATHS, False),
        "czech": (CZECH, False),
        "japanese": ("吾輩は猫である。名前はまだ無い。", False),
        "glyph numbers shifted by 31": ("".join(chr(ord(c) - 31) for c in SENTENCE), True),
        "private characters": ("".join(chr(0xE000 + ord(c)) for c in SENTENCE), True),
        "replacement characters": ("\ufffd" * 40, True),
        "letters exchanged": (
            SENTENCE.replace("e", "x").replace("a", "q").replace("o", "z").replace("i", "w"),
            True,
        ),
    }
    for text, garbled in cases.values():
        assert is_garbled([text] * 30) is garbled


def test_a_garbled_page_of_a_book_is_unread_and_one_without_strange_characters_is_read() -> None:
    shifted = "".join(chr(ord(character) - 31) for character in SENTENCE)
    pages = [
        Page(i, None, 600, tuple(Line(text, i, 0, 300, 500 - 12 * j, 10) for j in range(9)))
        for i, text in enumerate([SENTENCE, shifted, ARABIC, SENTENCE + "\x01"])
    ]
    assert [page.unread for page in without_garbled(pages)] == [False, True, False, False]
    assert without_garbled(pages[1:2]) == pages[1:2]  # a book that is garbled throughout is refused
    assert without_garbled(pages[1:2], also_all=True)[0].unread


def test_a_program_s_default_is_not_a_title() -> None:
    cases = [
        ("The Prince", "The Prince"),
        ("Microsoft Word - chapter3.doc", ""),
        ("untitled", ""),
        ("debian-tutorial.dvi", ""),
        ("1984", "1984"),
        ("20210412", ""),
        ("Untitled Love Poems", "Untitled Love Poems"),
    ]
    for stated, title in cases:
        assert read_metadata({"Title": stated}).title == title


def test_title_and_author_come_from_the_file_but_not_the_day_it_was_typeset() -> None:
    info = {
        "Title": "The Prince",
        "Author": "N. Machiavelli; W. K. Marriott",
        "CreationDate": "D:20240229101010Z",
    }
    metadata = read_metadata(info)
    assert metadata.authors == ("N. Machiavelli", "W. K. Marriott")
    assert metadata.date == ""


@pytest.mark.parametrize(
    "title",
    [
        pytest.param(b"<FEFFD8000041>", id="half a pair of surrogates"),
        pytest.param(b"<FFFE00D8>", id="cut off in a pair"),
    ],
)
def test_an_undecodable_title_is_ignored_and_no_text_is_lost(tmp_path: Path, title: bytes) -> None:
    whole = write(tmp_path / "whole.pdf", typeset(LONG)).read_bytes()
    torn, n_titles = re.subn(rb"(?<=/Title )\(.*?\)", title, whole)
    (tmp_path / "torn.pdf").write_bytes(torn)
    book = extract(tmp_path / "torn.pdf")
    assert (n_titles, book.title, texts(book)) == (1, "torn", LONG)


def test_a_page_without_text_makes_a_scan_of_a_book_of_one(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="1 of 1 pages have no text layer") as caught:
        read(tmp_path, [[]])
    assert caught.value.code == Code.NO_TEXT


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"%PDF-1.7\n" + bytes(range(256)) * 40])
def test_a_file_without_pages_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(content)
    with pytest.raises(BookError) as caught:
        extract(path)
    assert caught.value.code == Code.DAMAGED


def test_an_empty_user_password_is_no_password(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=write(tmp_path / "open.pdf", typeset(LONG)))
    writer.encrypt(user_password="", owner_password="owner", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    assert texts(extract(tmp_path / "locked.pdf")) == LONG


def test_a_file_locked_with_aes_whose_catalog_is_lost_is_damaged(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=write(tmp_path / "open.pdf", typeset(LONG)))
    writer.encrypt(user_password="", owner_password="owner", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    # AES of 128 bits has the keys of RC4: the file need only say so.
    aes = b"/V 4 /R 4 /StmF /A /StrF /A /CF << /A << /CFM /AESV2 >> >>\n"
    locked = (tmp_path / "locked.pdf").read_bytes().replace(b"/V 2\n/R 3\n", aes)
    assert aes in locked
    (tmp_path / "torn.pdf").write_bytes(re.sub(rb"/Root \d+ 0 R", b"/Root 99 0 R", locked))
    with pytest.raises(BookError) as caught:
        extract(tmp_path / "torn.pdf")
    assert caught.value.code is Code.DAMAGED


def test_the_second_reader_gives_the_same_words(tmp_path: Path) -> None:
    path = write(tmp_path / "book.pdf", typeset(LONG))
    pages, _ = read_pages_slowly(path, None)
    assert len(pages) == len(PdfReader(path).pages)
    drawn = [text for page in typeset(LONG) for _, _, _, text in page]
    assert [line.text for page in pages for line in page.lines] == drawn
    with pytest.raises(UnreadableError):
        read_pages_slowly(write(tmp_path / "empty.pdf", [[]]), None)


def test_the_second_reader_reads_the_text_where_the_info_is_no_dictionary(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.pdf", typeset(LONG))
    torn, n_torn = re.subn(rb"/Info \d+ 0 R", b"/Info [0 0 0]", whole.read_bytes())
    (tmp_path / "torn.pdf").write_bytes(torn)
    pages, info = read_pages_slowly(tmp_path / "torn.pdf", None)
    assert (n_torn, info, pages) == (1, {}, read_pages_slowly(whole, None)[0])
