"""Words that a PDF sets close, letters that it sets apart, and text from right to left."""

from pathlib import Path

import pytest
from pypdf import PdfWriter
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract import extract
from alexandria.extract.pdf.lines import MIRRORED, Line
from alexandria.extract.pdf.reader import begin_at_left
from tests.extract.typeset import FONT, LEADING, LEFT, LONG, MEASURE, SIZE, TOP, Drawn, read, texts, typeset
from tests.pairs import by_pairs


def word_by_word(page: list[Drawn], gap: float) -> list[Drawn]:
    """Return a page that draws each word by itself, with this distance to the one before it and no space."""
    words: list[Drawn] = []
    for x, y, size, text in page:
        for word in text.split():
            words.append((x, y, size, word))
            x += stringWidth(word, FONT, size) + gap
    return words


def test_words_are_divided_where_they_are_apart(tmp_path: Path) -> None:
    for gap in [1.5, 1.9, 2.2, 3.0]:
        book = read(tmp_path, [word_by_word(page, gap) for page in typeset(LONG)])
        assert book.text.split() == " ".join(LONG).split()


def letter_by_letter(text: str, x: float, y: float, size: float, gap: float) -> list[Drawn]:
    """Return the letters of a text, each drawn by itself, and spaces as wide as in the font."""
    letters: list[Drawn] = []
    for letter in text:
        if letter != " ":
            letters.append((x, y, size, letter))
        x += stringWidth(letter, FONT, size) + gap
    return letters


@pytest.mark.parametrize("title", ["CHAPTER ONE", "Chapter Two", "The Mill by the Sea"])
@pytest.mark.parametrize("gap", [4, 6])
def test_letters_set_apart_are_words(tmp_path: Path, title: str, gap: float) -> None:
    pages = typeset(LONG)
    heading = letter_by_letter(title, LEFT, TOP + 2 * LEADING, 1.4 * SIZE, gap)
    book = read(tmp_path, [[*heading, *pages[0]], *pages[1:]])
    assert texts(book)[0] == title


def test_cells_of_a_table_are_no_letters_set_apart(tmp_path: Path) -> None:
    for row in ["a b c d e", "1 2 3 4 5", "A N D Y"]:
        cells = [
            (LEFT + 60.0 * i, TOP - 20 * LEADING, float(SIZE), cell) for i, cell in enumerate(row.split())
        ]
        book = read(tmp_path, [[*typeset(LONG)[0][:8], *cells]])
        assert row.replace(" ", "") not in book.text


def rows(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(text, 0, 300 - 5 * len(text), 300, 500 - 15 * i, 10) for i, text in enumerate(texts))


def test_text_from_right_to_left_begins_at_the_left_of_a_mirror() -> None:
    (line, last) = begin_at_left(rows("השומר ספר את המנורות", "והלך"))
    assert (line.x0, line.x1, last.x0, last.x1) == (-300, -200, -300, -280)
    assert line.turn == MIRRORED
    assert line.box[::2] == (200, 300)


@pytest.mark.parametrize(
    ("texts", "texts_read"),
    [
        (["השומר )הישנה( ספר", "את ]1871[ המנורות"], ["השומר (הישנה) ספר", "את [1871] המנורות"]),
        (["השומר (הישנה) ספר", "המנורות) ספר את"], ["השומר (הישנה) ספר", "המנורות) ספר את"]),
    ],
    ids=["mirrored", "as they are"],
)
def test_brackets_are_those_of_the_text(texts: list[str], texts_read: list[str]) -> None:
    assert [line.text for line in begin_at_left(rows(*texts))] == texts_read


def spoken(path: Path, line: str, *, whole_words: bool = False) -> Path:
    """Draw a line from right to left as browsers do, from its left end, each glyph with what it is for."""
    canvas = Canvas(str(path))
    canvas.setFont(FONT, 12)
    x = 60.0
    for piece in reversed(line.split(" ") if whole_words else line):
        text = f"{piece} " if whole_words else piece
        canvas._code.append(f"/Span <</ActualText <feff{text.encode('utf-16-be').hex()}>>> BDC")
        canvas.drawString(x, 500, "n" * len(text))
        canvas._code.append("EMC")
        x += stringWidth("n" * len(text), FONT, 12)
    canvas.save()
    return path


@pytest.mark.parametrize("whole_words", [False, True])
@pytest.mark.parametrize("line", ["لم يخبر أحد صديقه وليد", "קובי ירד אל הרציף"])
def test_the_letters_of_a_word_are_read_from_right_to_left(
    tmp_path: Path, line: str, whole_words: bool
) -> None:
    assert extract(spoken(tmp_path / "a.pdf", line, whole_words=whole_words)).text == line


def test_a_bracket_is_beside_what_it_encloses() -> None:
    cases: dict[str, tuple[list[str], list[str]]] = {
        "mirrored": (["המגדלור] העליון[ של", "המנורות"], ["המגדלור [העליון] של", "המנורות"]),
        "crossed": (["בשנת (לפי הפנקס[ )כך במקור] נסגר"], ["בשנת (לפי הפנקס) [כך במקור] נסגר"]),
        "crossed twice": (
            ["في عام (وقيل بعده« )كما في الدفتر[ »كذا]"],
            ["في عام (وقيل بعده) «كما في الدفتر» [كذا]"],
        ),
        "as they are": (["המנורה (הישנה) [כך] של"], ["המנורה (הישנה) [כך] של"]),
        "from left to right": (["f( x)", "a (b) c"], ["f( x)", "a (b) c"]),
    }
    for drawn, lines in cases.values():
        assert [line.text for line in begin_at_left(rows(*drawn))] == lines


@pytest.mark.parametrize("phrase", ["The Salt Road (1903)", "Salt [1903]", "The Salt Road", "(1903)"])
def test_a_year_after_words_in_latin_letters_is_read_after_them(tmp_path: Path, phrase: str) -> None:
    words = ["הספר", "הישן", phrase, "נמכר", "בירושלים", "שוב"]
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(FONT, 12)
    x = 60.0
    for word in reversed(words):
        text = f"{word} "
        if word != phrase:
            canvas._code.append(f"/Span <</ActualText <feff{text.encode('utf-16-be').hex()}>>> BDC")
            text = "n" * len(text)
        canvas.drawString(x, 500, text)
        canvas._code.append("EMC" if word != phrase else "")
        x += stringWidth(text, FONT, 12)
    canvas.save()
    assert extract(tmp_path / "a.pdf").text == " ".join(words)


@by_pairs(
    ("is_space_drawn", [False, True]),
    (
        "drawn, line",
        [
            ("The word قلم (qalam) stood in the ledger", "The word قلم (qalam) stood in the ledger"),
            ("The word קלם [qalam] stood in the ledger", "The word קלם [qalam] stood in the ledger"),
            ("The (word) قلم stood in the ledger", "The (word) قلم stood in the ledger"),
            ("The|line|קלם|לקח|השומר|is|the|last|one|here", "The line השומר לקח קלם is the last one here"),
            ("שוב|בירושלים|נמכר|(The Salt Times)|הישן|הספר", "הספר הישן (The Salt Times) נמכר בירושלים שוב"),
        ],
    ),
)
def test_a_bracket_around_words_in_latin_letters_is_beside_them(
    tmp_path: Path, drawn: str, line: str, is_space_drawn: bool
) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(FONT, 12)
    x = 60.0
    for word in drawn.split("|") if "|" in drawn else drawn.split():
        for piece in [word] if word.isascii() else reversed(word):
            if not word.isascii():
                canvas._code.append(f"/Span <</ActualText <feff{piece.encode('utf-16-be').hex()}>>> BDC")
            glyphs = piece if word.isascii() else "n"
            canvas.drawString(x, 500, glyphs)
            canvas._code.append("" if word.isascii() else "EMC")
            x += stringWidth(glyphs, FONT, 12)
        if is_space_drawn:
            canvas.drawString(x, 500, " ")
        x += stringWidth(" ", FONT, 12)
    canvas.save()
    assert extract(tmp_path / "a.pdf").text == line


def test_text_from_left_to_right_stays_as_it_is() -> None:
    lines = rows("The word השומר means", "keeper) or guard")
    assert begin_at_left(lines) is lines


def test_a_page_whose_glyphs_give_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light", isVertical=True))  # not in the file, nor in PDFium
    canvas = Canvas(str(path))
    for y in range(60, 360, 12):
        canvas.setFont("STSong-Light", 10)
        canvas.drawString(60, y, "海鸥在石阶上走来走去")
    canvas.setFont(FONT, 10)
    canvas.drawString(60, 30, "- 1 -")
    canvas.save()
    assert extract(path).warnings == (
        "page 1 not read: no text layer; scanned, damaged, or in fonts without letters",
    )


@pytest.mark.parametrize(
    ("text", "is_partial"),
    [
        ("Der Fluß fiel, und die Mühle ging wieder.", True),
        ("Der Ärger wuchs.", True),
        ("The mill, and the river — a bridge.", False),
        ("The mill: § 3 and 7 × 4.", False),
        ("The mill.", False),
    ],
)
def test_a_page_that_loses_letters_of_its_words_is_named(tmp_path: Path, text: str, is_partial: bool) -> None:
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))  # comes with reportlab
    canvas = Canvas(str(tmp_path / "whole.pdf"))
    for _ in range(2):
        canvas.setFont("Vera", 12)
        for y in range(500, 700, 20):
            canvas.drawString(60, y, text if y == 500 else "The mill by the river and the bridge.")
        canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=tmp_path / "whole.pdf")
    for font in writer.pages[0]["/Resources"]["/Font"].values():  # type: ignore[index]  # a dictionary
        font.get_object().pop("/ToUnicode", None)
    writer.write(tmp_path / "a.pdf")
    assert extract(tmp_path / "whole.pdf").warnings == ()
    warning = "pages 1-2 read only in part: some letters are in fonts that give no text"
    assert extract(tmp_path / "a.pdf").warnings == ((warning,) if is_partial else ())


def test_a_chapter_begins_after_a_full_last_line(tmp_path: Path) -> None:
    for title in ["Chapter Two: The Sea", "Chapitre II", "Epilogue"]:
        full = "The salt carries what the wool of a house praises. The wool carries"
        lines = [(float(LEFT), TOP - LEADING * i, float(SIZE), f"{full} it.") for i in range(20)]
        above, below = (
            lines,
            [(LEFT, TOP, SIZE, title), *((x, y - 3 * LEADING, s, t) for x, y, s, t in lines)],
        )
        assert title in texts(read(tmp_path, [above, below]))


@pytest.mark.parametrize(("end", "goes_on"), [("since the", True), ("since then.", False)])
def test_a_compound_goes_on_where_no_sentence_ends(tmp_path: Path, end: str, goes_on: bool) -> None:
    above, begin = "The road", "Saint-Michel-Fair it was closed."
    while stringWidth(f"{above} so {end}", FONT, SIZE) < MEASURE - stringWidth("Saint-Michel", FONT, SIZE):
        above += " so"
    body = [text for *_, text in typeset(LONG)[0][2:14]]
    page = [
        (float(LEFT), TOP - LEADING * i, float(SIZE), text)
        for i, text in enumerate([f"{above} {end}", begin, *body])
    ]
    assert (f"{end} {begin}" in read(tmp_path, [page, *typeset(LONG)]).text) is goes_on


def test_blank_lines_of_a_word_processor_are_no_glyphs_without_text(tmp_path: Path) -> None:
    page: list[Drawn] = [(LEFT, TOP - LEADING * i, SIZE, " ") for i in range(30)]
    assert read(tmp_path, [[*page, (LEFT, 40, SIZE, "Salt")]] * 2).warnings == ()


@pytest.mark.parametrize("kern", [250, 0])
def test_a_space_over_which_the_next_letter_is_drawn_is_none(tmp_path: Path, kern: int) -> None:
    """Some programs write a space after a syllable and go back by its width, 250, to draw the next one."""
    canvas = Canvas(str(tmp_path / "book.pdf"), pagesize=(420, 595))
    for i in range(20):
        line = canvas.beginText(60, 500 - 14 * i)
        line.setFont(FONT, 10)
        line._code.append(f"[(the ge ) {kern} (ne ) {kern} (tics of a new kind of wheat)] TJ")
        canvas.drawText(line)
    canvas.save()
    expected = "the genetics of a new" if kern else "the ge ne tics of a new"
    assert extract(tmp_path / "book.pdf").text.count(expected) == 20
