"""Notes of PDFs: which small type is a note, and where it is cited."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import registerFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import Book
from alexandria.extract import extract
from alexandria.extract.notes.labels import CERTAIN, CitedMark, NoteStart, find_note_sequences, follows
from alexandria.extract.pdf.lines import Line, Mark
from tests.extract.typeset import (
    LEFT,
    LONG,
    SIZE,
    THINGS,
    TOP,
    Drawn,
    foot,
    read,
    texts,
    typeset,
    with_mark,
    with_scripts,
)


@pytest.mark.parametrize(("mark", "label"), [("1", "1. "), ("12", "12 "), ("*", "* "), ("†", "† ")])
def test_a_foot_note_leaves_the_text_and_keeps_its_place(tmp_path: Path, mark: str, label: str) -> None:
    pages = typeset(LONG, depth=25)
    cited = pages[1][7][3]
    pages[1] = foot(with_mark(pages[1], 5, mark), f"{label}See the first edition, which is", "better.")
    book = read(tmp_path, pages)
    assert texts(book) == LONG
    (note,) = book.notes
    assert (note.label, note.text) == (mark, "See the first edition, which is better.")
    assert note.cited_at is not None
    assert book.text[: note.cited_at].endswith(cited.split()[-1])


@pytest.mark.parametrize("sign", ["*", "*)", "†)"])
def test_a_sign_typed_after_a_word_cites_its_note(tmp_path: Path, sign: str) -> None:
    pages = typeset(LONG, depth=25)
    x, y, size, text = pages[1][7]
    head, _, tail = text.partition(" ")
    pages[1][7] = x, y, size, f"{head}{sign} {tail}"
    pages[1] = foot(pages[1], f"{sign} See the first edition.")
    book = read(tmp_path, pages)
    assert texts(book) == LONG
    assert [(note.label, note.text) for note in book.notes] == [(sign[0], "See the first edition.")]


@pytest.mark.parametrize("stop", [".", ",", ";"])
def test_a_sign_may_be_before_a_stop(tmp_path: Path, stop: str) -> None:
    pages = typeset(LONG, depth=25)
    x, y, size, text = pages[1][7]
    head, _, tail = text.partition(" ")
    pages[1][7] = x, y, size, f"{head}*{stop} {tail}"
    pages[1] = foot(pages[1], "* See the first edition.")
    book = read(tmp_path, pages)
    assert f"{head}{stop} {tail}" in book.text
    assert [(note.label, note.text) for note in book.notes] == [("*", "See the first edition.")]


@pytest.mark.parametrize("is_note", [True, False], ids=["note", "list"])
def test_a_number_in_a_circle_cites_a_note(tmp_path: Path, is_note: bool) -> None:
    registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(400, 600))
    lines = ["潮水退去的时候，海鸥在石阶上走来走去①。没有人愿意卖船，", "后来他们把旧船拖到岸上。"] * 5
    for i, text in enumerate([lines[0], lines[1], *lines[1:10:2]]):
        canvas.setFont("STSong-Light", 12)
        canvas.drawString(30, 540 - 20 * i, text)
    canvas.setFont("STSong-Light", 9 if is_note else 12)
    canvas.drawString(30, 80 if is_note else 400, "①见县志卷二，第十三叶。")
    canvas.save()
    book = extract(tmp_path / "a.pdf")
    assert [(note.label, note.text) for note in book.notes] == [("1", "见县志卷二，第十三叶。")] * is_note
    assert ("①" in book.text) is not is_note


def test_a_bracket_that_closes_after_a_sign_is_text(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    x, y, size, text = pages[1][7]
    pages[1][7] = x, y, size, f"(so*) {text}"
    pages[1] = foot(pages[1], "* See the first edition.")
    assert "(so*)" in read(tmp_path, pages).text


def test_a_note_goes_on_at_the_foot_of_the_next_page(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    pages[0] = foot(with_mark(pages[0], 3, "1"), "1. A note that is too long for its page and")
    pages[1] = foot(pages[1], "ends on the next.")
    book = read(tmp_path, pages)
    assert [note.text for note in book.notes] == [
        "A note that is too long for its page and ends on the next."
    ]
    assert texts(book) == LONG


def test_small_type_that_nothing_cites_stays_in_the_text(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    pages[1] = foot(pages[1], "1. Not a note: no mark names it.")
    book = read(tmp_path, pages)
    assert not book.notes
    assert "1. Not a note: no mark names it." in book.text


def test_an_exponent_stays_in_the_text(tmp_path: Path) -> None:
    pages = typeset(LONG)
    pages[0] = with_mark(pages[0], 2, "2")
    assert f"{pages[0][4][3].split()[-1]}2" in read(tmp_path, pages).text


def notes_of(book: Book) -> list[tuple[str, str, str | None]]:
    """Each note's label and text, and the word that cites it."""
    return [
        (note.label, note.text, None if note.cited_at is None else book.text[: note.cited_at].split()[-1])
        for note in book.notes
    ]


def cite(paragraph: str, word: int, mark: str) -> str:
    """Add something after a word of a paragraph."""
    words = paragraph.split(" ")
    return " ".join([*words[:word], words[word] + mark, *words[word + 1 :]])


FORMULAS = [
    *("x^{2} + y^{2} = r^{2}", "a_{1}, a_{2} and a_{3}", "25 km^{2} of 10^{3} m^{2}"),
    *("sin^{2} x and E = mc^{2}", "f^{-1} of A^{1}, B^{2} and C^{3}", "H_{2}O and CO_{2}"),
    "e^{n+1} and 2^{10}",
]
FORMULAIC = [cite(text, 7, f" {FORMULAS[i % 7]}") for i, text in enumerate(LONG)]


def unmarked(text: str) -> str:
    return re.sub(r"[\^_]\{([^}]*)\}", r"\1", text)


def test_exponents_and_indices_of_a_mathematics_book_stay_in_the_text(tmp_path: Path) -> None:
    # Type at the foot that begins with a number, as of a licence or an index, on every page.
    feet = [
        (f"{i + 1}. You may copy the {thing} as often as you like,", f"2 {THINGS[-i]}s or 3 of them.")
        for i, thing in enumerate(THINGS)
    ]
    pages = [foot(page, *lines) for page, lines in zip(typeset(FORMULAIC, depth=25), feet, strict=False)]
    book = read(tmp_path, with_scripts(pages))
    assert not book.notes
    drawn = " ".join([*FORMULAIC, *(line for lines in feet[: len(pages)] for line in lines)])
    assert sorted(re.findall(r"\d", book.text)) == sorted(re.findall(r"\d", drawn))


def test_notes_among_exponents_are_found_and_nothing_else_is(tmp_path: Path) -> None:
    words = [text.split()[16] for text in FORMULAIC]
    marked = [cite(text, 16, f"^{{{i}}}") for i, text in enumerate(FORMULAIC, 1)]
    pages = []
    for page in typeset(marked, depth=25):
        drawn = " ".join(text for *_, text in page)
        own = [n for n, word in enumerate(words, 1) if f"{word}^{{{n}}}" in drawn]
        pages.append(foot(page, *(f"^{{{n}}}See the book of {1500 + n}, where x^{{2}} = 3." for n in own)))
    book = read(tmp_path, with_scripts(pages))
    assert notes_of(book) == [
        (str(i), f"See the book of {1500 + i}, where x2 = 3.", word) for i, word in enumerate(words, 1)
    ]
    assert book.text.split() == unmarked(" ".join(FORMULAIC)).split()


CHAPTERS = [("Of Clay", 4), ("Of Glass", 0), ("Of Iron", 6), ("Of Paper", 2)]
"""Titles, and how many notes each chapter has."""


def chapter(number: int, n_notes: int) -> list[str]:
    paragraphs = LONG[number * 5 : number * 5 + 5]
    for n in range(n_notes):
        at = n * 5 // n_notes
        paragraphs[at] = cite(paragraphs[at], 10 + 7 * (n % 3), f"^{{{n + 1}}}")
    return paragraphs


def listed(number: int, n_notes: int) -> list[str]:
    return [f"{n + 1}. Note {n + 1} of chapter {number + 1}, on page {n + 3}." for n in range(n_notes)]


def small_lines(lines: Sequence[str], top: float) -> list[Drawn]:
    return [(LEFT, top - 10 * i, 8, line) for i, line in enumerate(lines)]


def tied(book: Book) -> list[tuple[str, str | None]]:
    """Each note's text and the heading of the chapter that cites it."""
    headings = {}
    for block in book.blocks:
        for note in book.notes:
            if note.cited_at is not None and block.start < note.cited_at <= block.end:
                headings[note.text] = block.location.headings[-1]
    return [(note.text, headings.get(note.text)) for note in book.notes]


EXPECTED = [
    (f"Note {n + 1} of chapter {number + 1}, on page {n + 3}.", title)
    for number, (title, n_notes) in enumerate(CHAPTERS)
    for n in range(n_notes)
]


@pytest.mark.parametrize("heading", ["Notes", "ENDNOTES", "Anmerkungen"])
def test_notes_at_the_end_of_a_book_are_tied_to_their_chapters(tmp_path: Path, heading: str) -> None:
    pages: list[list[Drawn]] = []
    last: list[Drawn] = [(LEFT, TOP + 30, 16, heading)]
    for number, (title, n_notes) in enumerate(CHAPTERS):
        pages.append([(LEFT, TOP + 30, 16, title), *typeset(chapter(number, n_notes))[0][2:]])
        if n_notes:
            y = min(drawn[1] for drawn in last)
            last += [(LEFT, y - 20, 10, title), *small_lines(listed(number, n_notes), y - 34)]
    book = read(tmp_path, with_scripts([*pages, last]))
    assert tied(book) == EXPECTED
    assert texts(book) == [
        text
        for number, (title, _) in enumerate(CHAPTERS)
        for text in (title, *LONG[number * 5 : number * 5 + 5])
    ]
    assert {entry.kind: entry.words for entry in book.left_out}["notes"] == 1 + 3 * 2


def test_notes_at_the_end_of_each_chapter_are_tied_to_it(tmp_path: Path) -> None:
    pages = []
    for number, (title, n_notes) in enumerate(CHAPTERS):
        page = [(LEFT, TOP + 30, 16, title), *typeset(chapter(number, n_notes))[0][2:]]
        y = min(drawn[1] for drawn in page)
        notes = [(LEFT, y - 20, 10, "Notes"), *small_lines(listed(number, n_notes), y - 34)]
        pages.append([*page, *(notes if n_notes else [])])
    assert tied(read(tmp_path, with_scripts(pages))) == EXPECTED


def test_a_numbered_bibliography_is_text_though_raised_numbers_cite_it(tmp_path: Path) -> None:
    paragraphs = [cite(text, 12, f"^{{{i + 1}}}") for i, text in enumerate(LONG)]
    works = [f"{i}. A. Writer, The book of {THINGS[i % 11]} ({1800 + i})." for i in range(1, 21)]
    sources = [(LEFT, TOP, 14, "References"), *small_lines(works, TOP - 20)]
    book = read(tmp_path, with_scripts([*typeset(paragraphs), sources]))
    assert not book.notes
    assert all(work in book.text for work in works)


def test_addresses_of_authors_are_text(tmp_path: Path) -> None:
    title: list[Drawn] = [
        (LEFT, TOP + 20, 16, "On Trades"),
        (LEFT, TOP, 12, "A. Writer^{1}, B. Reader^{2}"),
        *small_lines(["^{1}Institute of Clay, Harbour", "^{2}Institute of Salt, Mill Town"], TOP - 16),
    ]
    body = [(x, y - 50, size, text) for x, y, size, text in typeset(LONG[:4])[0][2:]]
    book = read(tmp_path, with_scripts([[*title, *body]]))
    assert not book.notes
    assert "Institute of Salt, Mill Town" in book.text


def test_a_mark_follows_a_word(tmp_path: Path) -> None:
    cases = {
        "word": ("the clay", "1", True),
        "sentence": ("the clay.", "1", True),
        "quotation": ("the clay”", "1", True),
        "brackets": ("(the clay)", "1", True),
        "year": ("in 1845", "1", True),
        "sentence with a formula": ("where x = 3.", "1", True),
        "variable": ("let x", "1", False),
        "function": ("as sin", "1", False),
        "sum": ("let a+b", "1", False),
        "power": ("some 10", "-1", False),
    }
    for before, mark, is_note in cases.values():
        page = typeset([f"We see {before}^{{{mark}}} The rest. {LONG[0]}", *LONG[1:3]])[0]
        book = read(tmp_path, with_scripts([foot(page, "1. See the first edition, which is better.")]))
        assert bool(book.notes) is is_note


def test_labels_count_up_from_page_to_page(tmp_path: Path) -> None:
    cases: dict[str, tuple[list[list[str]], str]] = {
        "through the book": ([["1", "2"], ["3"], ["4", "5"]], "12345"),
        "by page": ([["1", "2"], ["1"], ["1", "2"]], "12112"),
        "by chapter": ([["1", "2"], ["3"], ["1"], ["2"]], "12312"),
        "signs": ([["*", "†"], ["*"], ["*"]], "*†**"),
        "a page out of order": ([["1", "2"], ["9"], ["3"]], "123"),
    }
    for labels, found in cases.values():
        pages = []
        for page, own in zip(typeset(LONG, depth=20), labels, strict=False):
            for i, label in enumerate(own):
                page = with_mark(page, 3 + 4 * i, label)
            pages.append(foot(page, *(f"{label} See the first edition of it." for label in own)))
        assert "".join(note.label for note in read(tmp_path, pages).notes) == found


def test_a_note_without_its_mark_is_kept_apart_from_the_note_before_it(tmp_path: Path) -> None:
    page = with_mark(with_mark(typeset(LONG[:4])[0], 3, "1"), 9, "3")
    book = read(tmp_path, [foot(page, *(f"{n}. See the edition of {n}." for n in (1, 2, 3)))])
    assert [note.text for note in book.notes] == [f"See the edition of {n}." for n in (1, 2, 3)]
    assert [note.cited_at is None for note in book.notes] == [False, True, False]


def in_text(paragraphs: Sequence[str], mark: str, n: int) -> list[str]:
    """Add the first `n` marks to paragraphs, one each."""
    return [cite(text, 12, mark.format(i)) if i <= n else text for i, text in enumerate(paragraphs, 1)]


def test_marks_in_brackets_cite_notes_in_brackets(tmp_path: Path) -> None:
    cases = {
        "on the line": (" [{}]", "[{}] "),
        "raised": ("^{{[{}]}}", "^{{[{}]}}"),
        "brackets at the foot only": ("^{{{}}}", "[{}] "),
    }
    for mark, label in cases.values():
        page = typeset(in_text(LONG[:4], mark, 3))[0][2:]
        notes = [f"{label.format(i)}See the edition of {1800 + i}." for i in (1, 2, 3)]
        book = read(tmp_path, with_scripts([foot(page, *notes)]))
        words = [text.split()[12] for text in LONG]
        assert notes_of(book) == [
            (str(i), f"See the edition of {1800 + i}.", words[i - 1]) for i in (1, 2, 3)
        ]
        assert texts(book) == LONG[:4]


def test_a_bibliography_without_a_heading_cited_more_than_once_is_text(tmp_path: Path) -> None:
    cited = in_text(in_text(LONG[:4], " [{}]", 3), " [2]", 4)
    works = [f"[{i}] A. Writer, The book of {1800 + i}." for i in (1, 2, 3)]
    book = read(tmp_path, [foot(typeset(cited)[0], *works)])
    assert not book.notes
    assert all(work in book.text for work in works)


def test_notes_in_one_line_are_kept_apart(tmp_path: Path) -> None:
    marked = in_text(LONG[:4], "^{{{}}}", 3)
    lines = ["^{1} See the edition of 1801. ^{2} An area of 5 km^{3} and", "of 7. ^{3} Ibid."]
    book = read(tmp_path, with_scripts([foot(typeset(marked)[0], *lines)]))
    assert [(note.label, note.text) for note in book.notes] == [
        ("1", "See the edition of 1801."),
        ("2", "An area of 5 km3 and of 7."),
        ("3", "Ibid."),
    ]


def test_a_note_goes_on_above_other_notes_after_the_end_of_a_sentence(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    pages[0] = foot(with_mark(pages[0], 3, "1"), "1. A note whose last line here is a sentence.")
    pages[1] = foot(with_mark(pages[1], 3, "2"), "It goes on above the next note.", "2. See there.")
    book = read(tmp_path, pages)
    assert [note.text for note in book.notes] == [
        "A note whose last line here is a sentence. It goes on above the next note.",
        "See there.",
    ]
    assert texts(book) == LONG


def test_a_note_below_a_bibliography_is_a_note(tmp_path: Path) -> None:
    sources = [(LEFT, TOP - 12 * i, SIZE, f"{i}. A. Writer: {THINGS[i]}.") for i in range(1, 6)]
    page = [(LEFT, TOP - 100 - (TOP - y), size, text) for _, y, size, text in typeset(LONG[:2])[0][2:]]
    page = [(LEFT, TOP, 14, "References"), *sources, (LEFT, TOP - 80, 14, "Afterword"), *page]
    x, y, size, text = page[-1]
    page[-1] = (x, y, size, f"{text}^{{1}}")
    columns = [*page, (LEFT, 60, 14, "References"), (LEFT, 46, SIZE, "6. A. Writer: Wool.")]
    book = read(tmp_path, with_scripts([[*columns, (LEFT, 30, 7.5, "^{1}See the edition of 1801.")]]))
    assert [note.text for note in book.notes] == ["See the edition of 1801."]
    assert "6. A. Writer: Wool." in book.text


def test_a_label_follows_the_one_before_it() -> None:
    cases = [
        ("2", "1", True),
        ("3", "1", False),
        ("†", "*", True),
        ("[2]", "[1]", True),
        ("[3]", "[1]", False),
        ("[†]", "[*]", True),
        ("2", "[1]", False),
        ("[2]", "*", False),
    ]
    for label, before, expected in cases:
        assert follows(label, before) is expected


def test_uncited_notes_belong_to_those_before_if_they_are_the_next() -> None:
    cited = NoteStart(9, 10, "1", is_raised=True)
    mark = CitedMark(0, Line("the clay.1", 0, 60, 340, 500, 10), Mark(9, 10, "1"), CERTAIN)
    for label, labels in (("2", ["1", "2"]), ("3", ["1"])):
        starts = [cited, NoteStart(10, 11, label, is_raised=True)]
        (sequence,) = find_note_sequences(starts, {cited: mark}, backwards=False)
        assert [note.label for note, _ in sequence.notes] == labels
