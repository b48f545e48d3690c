"""Pages of odd shapes: boxes, turned leaves, characters beyond the BMP, refusals that say the truth."""

import re
from pathlib import Path

import pypdf
import pytest
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, StreamObject
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.pdf.fallback import read_pages_slowly
from alexandria.extract.pdf.picture import draw_page
from tests.extract.typeset import (
    FONT,
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    MEASURE,
    SIZE,
    THINGS,
    TOP,
    VERBS,
    WIDTH,
    Drawn,
    break_lines,
    foot,
    read,
    texts,
    typeset,
    with_mark,
    write,
)
from tests.pairs import by_pairs

ITALIC_X = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
2 beginbfrange <20> <7D> <0020> <7E> <7E> <D835DC65> endbfrange endcmap end end"""
"""A character map in which ~ is 𝑥, which takes two UTF-16 units."""


def with_italic_x(source: Path, path: Path) -> Path:
    """Write a copy of a file in which each ~ is an 𝑥."""
    writer = PdfWriter(clone_from=source)
    stream = StreamObject()
    stream.set_data(ITALIC_X)
    reference = writer._add_object(stream)
    for page in writer.pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index]  # a dictionary
            font.get_object()[NameObject("/ToUnicode")] = reference
    writer.write(path)
    return path


@pytest.mark.parametrize("columns", [1, 2])
def test_a_character_beyond_the_bmp_moves_nothing_after_it(tmp_path: Path, columns: int) -> None:
    paragraphs = [paragraph.replace(" a house", " ~, ~ and ~") for paragraph in LONG]
    source = write(tmp_path / "plain.pdf", typeset(paragraphs, columns=columns))
    book = extract(with_italic_x(source, tmp_path / "book.pdf"))
    assert texts(book) == [paragraph.replace("~", "𝑥") for paragraph in paragraphs]


def test_a_note_is_cited_after_characters_beyond_the_bmp(tmp_path: Path) -> None:
    page = typeset([f"The numbers ~~~~ {LONG[0]}"])[0]
    cited = page[2][3].split()[-1]
    page = foot(with_mark(page, 0, "1"), "1. See the first edition.")
    book = extract(with_italic_x(write(tmp_path / "plain.pdf", [page]), tmp_path / "book.pdf"))
    (note,) = book.notes
    assert note.cited_at is not None
    assert book.text[: note.cited_at].endswith(cited)


def test_a_letter_that_only_the_name_of_its_glyph_tells_is_kept_and_moves_nothing(tmp_path: Path) -> None:
    paragraphs = [paragraph.replace(" a house", " ~, ~ and ~") for paragraph in LONG]
    writer = PdfWriter(clone_from=write(tmp_path / "plain.pdf", typeset(paragraphs, columns=2)))
    names = {"/Type": NameObject("/Encoding"), "/BaseEncoding": NameObject("/WinAnsiEncoding")}
    encoding = DictionaryObject({NameObject(key): value for key, value in names.items()})
    encoding[NameObject("/Differences")] = ArrayObject([NumberObject(126), NameObject("/u1D465")])
    for page in writer.pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index]  # a dictionary
            font.get_object()[NameObject("/Encoding")] = encoding
    writer.write(tmp_path / "book.pdf")
    assert " ".join(texts(extract(tmp_path / "book.pdf"))) == " ".join(paragraphs).replace("~", "𝑥")


def boxed(tmp_path: Path, owner: str, **boxes: tuple[float, float, float, float]) -> Path:
    """Return a book whose page, or page tree, has these boxes."""
    writer = PdfWriter(clone_from=write(tmp_path / "whole.pdf", typeset(LONG[:4])))
    for page in writer.pages:
        del page["/MediaBox"]
        place = page if owner == "page" else page["/Parent"].get_object()
        for name, box in boxes.items():
            place[NameObject(f"/{name}")] = ArrayObject(map(FloatObject, box))  # type: ignore[index]
    writer.write(tmp_path / "boxed.pdf")
    return tmp_path / "boxed.pdf"


BOXES = {
    "both corners": {"MediaBox": (WIDTH, HEIGHT, 0, 0)},
    "left and right": {"MediaBox": (WIDTH, 0, 0, HEIGHT)},
    "CropBox": {"MediaBox": (0, 0, WIDTH, HEIGHT), "CropBox": (WIDTH, HEIGHT, 0, 0)},
    "empty CropBox": {"MediaBox": (0, 0, WIDTH, HEIGHT), "CropBox": (0, 0, 0, 0)},
}


@by_pairs(("owner", ["page", "tree"]), ("boxes", BOXES))
def test_the_corners_of_a_box_have_any_order(
    tmp_path: Path, owner: str, boxes: dict[str, tuple[float, float, float, float]]
) -> None:
    book = extract(boxed(tmp_path, owner, **boxes))
    assert texts(book)[-4:] == LONG[:4]
    assert not [entry for entry in book.left_out if entry.kind == "hidden"]


def test_a_large_page_inherits_its_box(tmp_path: Path) -> None:
    shift = 1000
    page = [(x + shift, y + shift, size, text) for x, y, size, text in typeset(LONG[:4])[0][2:]]
    writer = PdfWriter(clone_from=write(tmp_path / "whole.pdf", [page]))
    del writer.pages[0]["/MediaBox"]
    box = ArrayObject(map(FloatObject, (0, 0, 2000, 2000)))
    writer.pages[0]["/Parent"].get_object()[NameObject("/MediaBox")] = box  # type: ignore[index]
    writer.write(tmp_path / "large.pdf")
    assert texts(extract(tmp_path / "large.pdf")) == LONG[:4]


def test_type_outside_the_crop_box_is_left_out_and_counted(tmp_path: Path) -> None:
    page = [*typeset(LONG[:2])[0], (LEFT, HEIGHT - 10, 6, "signature 7, proof of March")]
    writer = PdfWriter(clone_from=write(tmp_path / "whole.pdf", [page]))
    writer.pages[0].cropbox.upper_right = (WIDTH, HEIGHT - 20)
    writer.write(tmp_path / "cropped.pdf")
    book = extract(tmp_path / "cropped.pdf")
    assert "proof" not in book.text
    assert [(entry.kind, entry.where, entry.words) for entry in book.left_out if entry.kind == "hidden"] == [
        ("hidden", "page 1", 5)
    ]


@pytest.mark.parametrize("side", [-1, 1])
def test_what_is_beside_the_page_takes_no_line_of_it_along(tmp_path: Path, side: int) -> None:
    page = typeset(LONG[:3])[0]
    x = LEFT + side * 2 * WIDTH
    beside = [(x, y, SIZE, "A side note") for _, y, size, _ in page[2:9:3]]
    book = read(tmp_path, [sorted([*page, *beside], key=lambda line: (-line[1], line[0]))])
    assert texts(book)[-3:] == LONG[:3]
    assert ("hidden", 9) in [(entry.kind, entry.words) for entry in book.left_out]


def test_a_line_that_runs_over_the_edge_of_the_page_is_text(tmp_path: Path) -> None:
    long_line = f"The path is {'/'.join(['usr', 'share'] * 30)}."
    book = read(tmp_path, [[*typeset(LONG[:1])[0], (LEFT, HEIGHT / 2, SIZE, long_line)]])
    assert long_line in book.text


def refusal(path: Path) -> str:
    with pytest.raises(BookError) as caught:
        extract(path)
    assert caught.value.code == Code.NO_TEXT
    return caught.value.why


def test_a_book_whose_text_is_cropped_away_is_no_scan(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=write(tmp_path / "whole.pdf", typeset(LONG[:2])))
    writer.pages[0].cropbox.lower_left = (0, HEIGHT - 20)
    writer.write(tmp_path / "cropped.pdf")
    assert "outside the visible part of its pages" in refusal(tmp_path / "cropped.pdf")


def test_blank_pages_are_no_scan(tmp_path: Path) -> None:
    why = refusal(write(tmp_path / "blank.pdf", [[], []]))
    assert "2 of 2 pages have no text layer" in why
    assert "scan" not in why


@pytest.mark.parametrize(("n_shapes", "is_named"), [(190, False), (210, True)], ids=["a vignette", "letters"])
def test_a_page_whose_letters_are_shapes_is_named(tmp_path: Path, n_shapes: int, is_named: bool) -> None:
    canvas = Canvas(str(tmp_path / "shapes.pdf"), pagesize=A5)
    canvas.drawString(LEFT, TOP, "The log of the light was lost, and nobody has it now.")
    canvas.showPage()
    for i in range(n_shapes):
        canvas.rect(LEFT + 5 * (i % 50), TOP - 12 * (i // 50), 3, 8, fill=1)
    canvas.save()
    warnings = extract(tmp_path / "shapes.pdf").warnings
    assert [warning.partition(":")[0] for warning in warnings] == ["page 2 not read"] * is_named


def test_signs_without_letters_are_no_scan(tmp_path: Path) -> None:
    assert "no letters or digits" in refusal(write(tmp_path / "signs.pdf", [[(LEFT, TOP, SIZE, "* * *")]]))


def test_a_form_of_pages_all_alike_is_read(tmp_path: Path) -> None:
    for lines in [1, 2, 4, 30]:
        form = [(LEFT, TOP - 14 * i, SIZE, text) for i, text in enumerate(" ".join(LONG).split(".")[:lines])]
        book = read(tmp_path, [form] * 3)
        assert len(book.text.split()) + sum(entry.words for entry in book.left_out) == 3 * sum(
            len(text.split()) for *_, text in form
        )


@pytest.mark.parametrize("angle", [30, 45, 60, 135, 200, 315])
def test_a_leaf_turned_by_any_angle_is_read(tmp_path: Path, angle: int) -> None:
    canvas = Canvas(str(tmp_path / "turned.pdf"), pagesize=A5)
    for _ in range(3):
        canvas.translate(WIDTH / 2, HEIGHT / 2)
        canvas.rotate(angle)
        canvas.setFont(FONT, SIZE)
        canvas.drawString(-100, 0, "Draft for the printer, not to be sold.")
        canvas.showPage()
    canvas.save()
    assert "Draft for the printer, not to be sold." in extract(tmp_path / "turned.pdf").text


def overhanging(pages: list[list[Drawn]], points: float) -> list[list[Drawn]]:
    """Move every fifth line of the right column a little to the left, as an italic letter reaches."""
    right = LEFT + MEASURE / 2
    return [
        [
            (x - points * (i % 5 == 0 and x > right), y, size, text)
            for i, (x, y, size, text) in enumerate(page)
        ]
        for page in pages
    ]


def test_a_letter_that_hangs_over_the_gutter_turns_no_page_around(tmp_path: Path) -> None:
    for points in [0.6, 1.2, 1.7, 2.5]:
        pages = overhanging(typeset(LONG, columns=2), points)
        assert read(tmp_path, pages).text.split() == " ".join(LONG).split()


def banded(bands: list[tuple[int, str]]) -> list[Drawn]:
    """Set paragraphs one below the other, each in its number of columns, which are drawn one by one."""
    y = TOP
    page: list[Drawn] = []
    for n_columns, paragraph in bands:
        measure = (MEASURE - 20 * (n_columns - 1)) / n_columns
        lines = break_lines(paragraph, measure)
        depth = -(-len(lines) // n_columns)
        for i, (indent, text) in enumerate(lines):
            x = LEFT + (measure + 20) * (i // depth) + indent
            page.append((x, y - LEADING * (i % depth), SIZE, text))
        y -= LEADING * (depth + 1)
    return page


@pytest.mark.parametrize("columns", [2, 3])
def test_columns_between_lines_across_the_page_are_read_one_after_the_other(
    tmp_path: Path, columns: int
) -> None:
    bands = [(1, LONG[0]), (columns, LONG[1]), (1, LONG[2]), (columns, LONG[3]), (1, LONG[4])]
    pages = [banded(bands), banded([(1, LONG[5]), (columns, LONG[6]), (1, LONG[7])])]
    assert read(tmp_path, pages).text.split() == " ".join(LONG[:8]).split()


@pytest.mark.parametrize("is_drawn_last", [True, False])
def test_columns_below_a_wide_table_are_read_one_after_the_other(tmp_path: Path, is_drawn_last: bool) -> None:
    page = typeset(LONG[:4], columns=2)[0]
    head, *body = [drawn for drawn in page if drawn[2] == SIZE or drawn[1] > TOP]
    row = "Amber and copper by weight, as each of the four harbours has it in its book"
    table = [(LEFT, TOP - 9 * i, 8, f"{row} {i}") for i in range(12)]
    columns = [(x, y - 9 * 12 - 40, size, text) for x, y, size, text in body]
    columns = [drawn for drawn in columns if drawn[1] > 40]
    n_left = sum(drawn[0] < LEFT + MEASURE / 2 for drawn in columns)
    book = read(tmp_path, [[head, *columns, *table] if is_drawn_last else [head, *table, *columns]])
    whole = "".join(texts(book)).replace(" ", "")
    in_order = "".join(text.replace(" ", "") for *_, text in columns)
    assert 5 <= n_left < len(columns)
    assert in_order in whole
    assert whole.index("eachofthefourharbours") < whole.index(in_order)


def test_a_list_in_the_right_column_is_no_column_of_its_own(tmp_path: Path) -> None:
    page = typeset(LONG[:6], columns=2)[0][2:]
    right = LEFT + MEASURE / 2
    listed = [
        (x + 25 * (x > right and i % 3 != 0), y, size, text[:26]) for i, (x, y, size, text) in enumerate(page)
    ]
    drawn = sorted(listed, key=lambda drawn: -drawn[1])  # row by row: the order tells nothing
    assert read(tmp_path, [drawn]).text.split() == " ".join(text for *_, text in listed).split()


def test_a_table_within_the_text_is_read_row_by_row(tmp_path: Path) -> None:
    rows = [(f"The {thing} of the house", f"{verb} well") for thing, verb in zip(THINGS, VERBS, strict=False)]
    table = [
        (LEFT + 150 * column, TOP - 300 - LEADING * i, SIZE, cell)
        for i, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    text = read(tmp_path, [[*banded([(1, LONG[0]), (1, LONG[1])]), *table]]).text
    assert text.split() == " ".join((*LONG[:2], *(cell for row in rows for cell in row))).split()


@pytest.mark.parametrize("error", [pypdf.errors.DeprecationError, KeyError, Exception], ids=repr)
def test_whatever_the_second_reader_raises_is_an_error_of_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        raise error("getObject is deprecated")

    path = tmp_path / "book.pdf"
    path.write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    monkeypatch.setattr(pypdf, "PdfReader", fails)
    with pytest.raises(BookError) as caught:
        extract(path)
    assert caught.value.code == Code.DAMAGED


def test_a_page_of_which_the_second_reader_makes_nothing_is_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract_text = pypdf.PageObject.extract_text

    def fails(page: pypdf.PageObject, **kwargs: object) -> str:
        if page.page_number == 1:
            raise pypdf.errors.DeprecationError("getObject is deprecated")
        return extract_text(page, **kwargs)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(pypdf.PageObject, "extract_text", fails)
    pages, _ = read_pages_slowly(write(tmp_path / "book.pdf", typeset(LONG)), None)
    assert [page.unread for page in pages] == [False, True, False, False]


@pytest.mark.parametrize(("n_pages", "why"), [(1, "it has 1 page$"), (2, "it has 2 pages$")])
def test_a_page_after_the_last_cannot_be_drawn(tmp_path: Path, n_pages: int, why: str) -> None:
    writer = PdfWriter()
    for _ in range(n_pages):
        writer.add_blank_page(*A5)
    writer.write(tmp_path / "blank.pdf")
    with pytest.raises(BookError) as caught:
        draw_page(tmp_path / "blank.pdf", n_pages + 1, width=100)
    assert re.search(why, caught.value.why)


def test_labels_by_letters_are_doubled_after_z_as_the_standard_says(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=write(tmp_path / "plain.pdf", [[(LEFT, TOP, SIZE, LONG[0][:60])]] * 28))
    writer.set_page_label(0, 27, style=PageLabelStyle.UPPERCASE_LETTER)
    writer.write(tmp_path / "letters.pdf")
    labels = [start.label for start in extract(tmp_path / "letters.pdf").page_starts]
    assert labels[24:] == ["Y", "Z", "AA", "BB"]


def test_the_second_code_of_the_hyphen_is_a_hyphen(tmp_path: Path) -> None:
    """Code 255 (octal) of Latin fonts, which other programs read as a space or as nothing."""
    line = "They wrote of the co\xadoperation of 1914\xad18"
    path = write(tmp_path / "hyphens.pdf", [[(LEFT, TOP, SIZE, line)]])
    assert "\xad" in pypdf.PdfReader(path).pages[0].extract_text()  # the code is in the file
    assert texts(extract(path)) == [line.replace("\xad", "-")]
