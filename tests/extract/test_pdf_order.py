"""The order of reading on pages where something is beside, across or below the columns."""

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import BlockKind
from alexandria.extract import extract
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.typography import measure_body_size
from tests.extract.test_pdf_text_layers import page_rows, write_layer
from tests.extract.typeset import (
    FONT,
    LEADING,
    LEFT,
    LONG,
    MEASURE,
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
)

COLUMN = (MEASURE - 20) / 2
RIGHT = LEFT + COLUMN + 20
"""Where the second column begins."""


def column(lines: list[tuple[float, str]], x: float, top: float = TOP) -> list[Drawn]:
    return [(x + indent, top - LEADING * i, SIZE, text) for i, (indent, text) in enumerate(lines)]


def paragraphs(*texts: str, measure: float = COLUMN) -> list[tuple[float, str]]:
    return [line for text in texts for line in break_lines(text, measure)]


def full(line: tuple[float, str]) -> bool:
    """Return whether a line of a column is full and in mid-sentence."""
    indent, text = line
    return COLUMN - indent - stringWidth(text, FONT, SIZE) < SIZE and not text.endswith(".")


@pytest.mark.parametrize(
    "notes",
    [
        pytest.param([(7.5, "Printed by the mill")], id="small type"),
        pytest.param([(7.5, "a Wick 12"), (7.5, "b Perth 40")], id="two lines of it"),
        pytest.param([(SIZE, "* Department of Tides")], id="a sign"),
    ],
)
def test_a_foot_is_below_the_paragraph_that_goes_on_in_the_next_column(
    tmp_path: Path, notes: list[tuple[float, str]]
) -> None:
    lines = paragraphs(*LONG[:4])
    cut = next(i for i in range(20, len(lines)) if full(lines[i - 1]))
    below = TOP - LEADING * cut - LEADING
    feet: list[Drawn] = [(LEFT, below - 10 * i, size, text) for i, (size, text) in enumerate(notes)]
    book = read(tmp_path, [[*column(lines[:cut], LEFT), *feet, *column(lines[cut:], RIGHT)]])
    assert [text for text in texts(book) if len(text) > 100] == LONG[:4]
    assert all(text in book.text for _, text in notes)


def test_a_name_above_its_office_is_not_joined_to_the_name_in_the_next_column(tmp_path: Path) -> None:
    names = ["Ann Roper", "Ben Tyler", "Cid Usher", "Dan Vesey", "Eve Wells", "Fay Young"]
    page: list[Drawn] = []
    for i, name in enumerate(names):
        x, y = (LEFT, RIGHT)[i // 3], TOP - 40 * (i % 3)
        page += [(x, y, SIZE, name), (x, y - LEADING, 8, f"Warden of lamps {i}")]
    book = read(tmp_path, [page, *typeset(LONG[:6])])
    assert all(name in texts(book) for name in names)


def test_a_stamp_that_runs_up_the_margin_is_outside_the_sentence(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "stamped.pdf"), pagesize=A5)
    for drawn in typeset(LONG[:4], columns=2):
        for x, y, size, text in drawn:
            canvas.setFont(FONT, size)
            canvas.drawString(x, y, text)
        canvas.rotate(90)
        canvas.setFont(FONT, 14)
        canvas.drawString(200, -20, "Repository: 2004.04906v3 [cs.CL] 30 Sep 2020")
        canvas.showPage()
    canvas.save()
    book = extract(tmp_path / "stamped.pdf")
    assert [text for text in texts(book) if len(text) > 100] == LONG[:4]
    assert "Repository" in book.text


def test_text_beside_a_wide_figure_is_above_the_next_column(tmp_path: Path) -> None:
    narrow = COLUMN - 40
    above, beside = paragraphs(*LONG[:2]), paragraphs(LONG[2], measure=narrow)
    y = TOP - LEADING * len(above)
    caption = "Figure 1. The tower of Kelso, seen from the ford of the"
    captions: list[Drawn] = [
        (LEFT + narrow + 12, y - LEADING * (len(beside) - 3 + i) - 2, 8, text)
        for i, text in enumerate((caption, "river, where the keeper of the lamp was seen"))
    ]
    page = [*column(above, LEFT), *column(beside, LEFT, y), *column(paragraphs(LONG[3]), RIGHT), *captions]
    book = read(tmp_path, [page, *typeset(LONG[4:10], columns=2)])
    at = 0
    for text in (LONG[1], *(text for _, text in beside), LONG[3]):
        at = book.text.index(text, at) + len(text)
    assert [block.kind for block in book.blocks if block.text.startswith("Figure 1")] == [BlockKind.CAPTION]


@pytest.mark.parametrize("drawn_last", [False, True])
def test_a_table_above_the_columns_is_read_first(tmp_path: Path, drawn_last: bool) -> None:
    rows = [("Society of Wardens", "No lamp is to be lit", "Oil, wick, glass"), ("(2012)", "", "Salt")] * 3
    table: list[Drawn] = [(LEFT, TOP + 14, 8, "Table 4 What the wardens of the several towers recommend")]
    for i, row in enumerate(rows):
        table += [
            (x, TOP - 10 * i, 8, cell)
            for x, cell in zip((LEFT, LEFT + 100, LEFT + 200), row, strict=True)
            if cell
        ]
    top = TOP - 110
    columns = [*column(paragraphs(LONG[0]), LEFT, top), *column(paragraphs(LONG[1]), RIGHT, top)]
    page = [*columns, *table] if drawn_last else [*table, *columns]
    book = read(tmp_path, [page, *typeset(LONG[4:8], columns=2)])
    assert [text for text in texts(book) if len(text) > 150][:2] == LONG[:2]
    assert book.text.rindex("Salt") < book.text.index(LONG[0])


def test_the_last_lines_of_columns_below_a_wide_caption_are_columns(tmp_path: Path) -> None:
    wide = paragraphs(*LONG[4:6], measure=MEASURE * SIZE / 8)
    captions: list[Drawn] = [(LEFT, TOP - 10 * i, 8, text) for i, (_, text) in enumerate(wide)]
    lines = paragraphs(LONG[0])
    y = captions[-1][1] - 30
    last = sorted([*column(lines[:4], LEFT, y), *column(lines[4:8], RIGHT, y)], key=lambda drawn: -drawn[1])
    pages = [*typeset(LONG[8:14], columns=2), [*captions, *last]]
    assert " ".join(text for _, text in lines[2:8]) in read(tmp_path, pages).text


@pytest.mark.parametrize("label", ["(a)", "(iv)", "12."])
def test_the_marker_of_an_item_of_a_layer_is_in_its_line(tmp_path: Path, label: str) -> None:
    rows = page_rows(LONG[:2], MEASURE)
    y = rows[-1][1] - 2 * LEADING
    for item in LONG[2:6]:
        rows.append((LEFT + 20, y, stringWidth(label, FONT, SIZE), label))
        for _, text in break_lines(item, MEASURE - 60, 0):
            rows.append((LEFT + 60, y, stringWidth(text, FONT, SIZE), text))
            y -= LEADING
    book = write_layer(tmp_path / "items.pdf", [rows])
    items = [text for text in texts(book) if text.startswith(label)]
    assert all(item.startswith(f"{label} {text[:60]}") for item, text in zip(items, LONG[2:6], strict=True))


def test_the_reference_to_a_figure_at_the_beginning_of_a_line_is_no_caption(tmp_path: Path) -> None:
    small = [
        "After the motifs were examined again, it was found that the centres form a stable structure (see",
        "Fig. 4). Such a representation can balance the impact of a lamp and of a tower on each other, since",
        "Table 5 has fewer of them.",
    ]
    page = foot(typeset(LONG[:3])[0], *small)
    book = read(tmp_path, [page, *typeset(LONG[3:9])])
    assert " ".join(small) in texts(book)
    assert BlockKind.CAPTION not in {block.kind for block in book.blocks}


def test_items_in_small_type_on_a_page_without_other_text_are_no_notes(tmp_path: Path) -> None:
    items = [f"({i}) {text}" for i, text in enumerate(LONG[8:11], 1)]
    lines = paragraphs(*items, measure=MEASURE * SIZE / 8)
    small = [(LEFT + indent, TOP - 10 * i, 8, text) for i, (indent, text) in enumerate(lines)]
    text = typeset([f"{LONG[0]} As the keeper of paragraph (1) said.", *LONG[1:6]])
    book = read(tmp_path, [*text, [(x, y, size, t) for x, y, size, t in small]])
    assert not book.notes
    assert all(item in texts(book) for item in items)


def test_references_longer_than_the_text_are_not_its_size(tmp_path: Path) -> None:
    def lines(page: int, size: float, n: int) -> list[Line]:
        return [Line("x" * 60, page, 60, 300, 700 - 10 * i, size) for i in range(n)]

    text = [line for page in range(3) for line in lines(page, 10, 20)]
    references = [line for page in (3, 4) for line in lines(page, 8, 35)]
    assert measure_body_size([*text, *references]) == 10
    assert measure_body_size([*text, *references, *references]) == 8
    assert measure_body_size([]) == 0


def test_what_stands_more_than_once_on_a_page_is_no_head_of_it(tmp_path: Path) -> None:
    pages = []
    for i, (page, _) in enumerate(zip(typeset(LONG, depth=20), range(4), strict=False)):
        offices = [(LEFT, TOP - 250 - 40 * n, 8, "Warden of the lamps") for n in range(3)]
        names = [(x, y + LEADING, SIZE, f"{THINGS[n]} {VERBS[i]}") for n, (x, y, *_) in enumerate(offices)]
        pages.append([*page, *names, *offices])
    book = read(tmp_path, pages)
    assert book.text.count("Warden of the lamps") == 3 * len(pages)
