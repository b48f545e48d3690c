"""PDFs in vertical Chinese and Japanese."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import registerFont  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract import extract
from alexandria.extract.pdf.lines import Line
from tests.extract.glyphs import glyph, read
from tests.pairs import by_pairs

PAGES = [
    [
        "第一章「港の夜」",
        "その夜、灯台の下で老水夫は静かに言った。もう遅い。波が",
        "高くなってきた。誰も答えなかった。",
    ],
    [
        "第二章「嵐の朝」",
        "港は春になると静かで、村人は朝まで待っていたという話で",
        "あった。そして誰も来なかった。",
    ],
]
FONT = """<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /90ms-RKSJ-{direction}
/DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000
/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>
/FontDescriptor << /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -137 1000 859]
/ItalicAngle 0 /Ascent 859 /Descent -137 /CapHeight 709 /StemV 69 >> >>] >>"""


def write(
    path: Path, pages: Sequence[Sequence[str]] = PAGES, *, vertical: bool, readings: Sequence[str] = ()
) -> Path:
    """Set the pages in columns from the right, or in lines from the top, with readings beside the columns.

    PDFium finds the objects itself.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append(FONT.format(direction="V" if vertical else "H"))
    for i, page in enumerate(pages):
        drawn = ""
        for j, text in enumerate(page):
            x, y = (340 - 20 * j, 540) if vertical else (40, 540 - 20 * j)
            drawn += f"BT /F 12 Tf {x} {y} Td <{text.encode('cp932').hex()}> Tj ET\n"
            if j < len(readings):
                drawn += f"BT /F 5 Tf {x + 9} {y} Td <{readings[j].encode('cp932').hex()}> Tj ET\n"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
    body = "".join(f"{number} 0 obj\n{each}\nendobj\n" for number, each in enumerate(objects, 1))
    path.write_text(f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n%%EOF\n")
    return path


@pytest.mark.parametrize("vertical", [True, False], ids=["vertical", "horizontal"])
def test_columns_are_read_from_right_to_left(tmp_path: Path, vertical: bool) -> None:
    book = extract(write(tmp_path / "a.pdf", vertical=vertical))
    assert book.text.replace("\n", "") == "".join(map("".join, PAGES))
    assert [section.headings[-1] for section in book.sections] == [page[0] for page in PAGES]


def test_readings_beside_a_column_are_left_out_and_counted(tmp_path: Path) -> None:
    book = extract(write(tmp_path / "a.pdf", vertical=True, readings=["だいいっしょう", "よる"]))
    assert book.text.replace("\n", "") == "".join(map("".join, PAGES))
    assert [(left.kind, left.words > 0) for left in book.left_out] == [("ruby", True)]


CHINESE = [
    ["老王每天清晨都会到码头上数一遍灯。", "潮水退去的时候，海鸥在石阶上", "走来走去。没有人愿意卖船。"],
    ["他的姑姑还记得那个漫长的冬天，", "雪一直下到三月。后来他们把旧船", "拖到岸上。孩子们在船里玩耍。"],
    ["每当有信从岛上寄来，他总要", "先看看邮票，然后才慢慢拆开。", "灯塔的光照着窗户，一夜没有熄灭。"],
]


def draw(path: Path, *, vertical: bool, number: str = "", step: int = 0) -> Path:
    """Set three pages in a font that PDFium does not have; with a step, each character is drawn by itself."""
    font = UnicodeCIDFont("STSong-Light", isVertical=vertical)
    registerFont(font)
    canvas = Canvas(str(path), pagesize=(400, 600))
    for page, columns in enumerate(CHINESE):
        canvas.setFont(font.fontName, 12)
        for i, text in enumerate(columns):
            for j, part in enumerate(text if step else [text]):
                x, y = (340 - 20 * i, 540 - step * j) if vertical else (40 + step * j, 540 - 20 * i)
                canvas.drawString(x, y, part)
        canvas.setFont("Times-Roman", 9)
        canvas.drawCentredString(200, 30, number and number.format(page + 7))
        canvas.showPage()
    canvas.save()
    return path


@by_pairs(("step", [0, 14]), ("number", ["", "{}", "- {} -"]))
def test_columns_in_a_font_without_glyphs_are_read(tmp_path: Path, number: str, step: int) -> None:
    book = extract(draw(tmp_path / "a.pdf", vertical=True, number=number, step=step))
    assert book.text.replace("\n", "") == "".join(map("".join, CHINESE))
    assert [left.kind for left in book.left_out] == ["page_number"] * bool(number)
    assert [start.label for start in book.page_starts] == (["7", "8", "9"] if number else [None] * 3)
    assert not book.warnings


@pytest.mark.parametrize(
    ("x", "y", "is_down", "title", "is_head"),
    [
        (250, 30, False, "灯台　上", True),
        (250, 560, False, "灯台　上", True),
        (250, 90, True, "灯台　上", True),
        (370, 400, True, "灯台　上", True),
        pytest.param(250, 90, True, "{}", False, id="other words on each page"),
    ],
)
def test_a_running_title_in_small_type_is_left_out(
    tmp_path: Path, x: float, y: float, is_down: bool, title: str, is_head: bool
) -> None:
    fonts = [UnicodeCIDFont("HeiseiMin-W3", isVertical=vertical) for vertical in (True, False)]
    for name, font in zip(("down", "level"), fonts, strict=True):
        font.name = font.fontName = name
        registerFont(font)
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(400, 600))
    for number, columns in enumerate(CHINESE, 94):
        canvas.setFont("down", 12)
        for i, text in enumerate(columns):
            canvas.drawString(340 - 20 * i, 540, text)
        canvas.setFont("down" if is_down else "level", 8)
        canvas.drawString(x if number % 2 or x < 300 else 30, y, title.format("春夏秋"[number - 94] * 3))
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(60 if number % 2 else 320, 30, str(number))
        canvas.showPage()
    canvas.save()
    book = extract(tmp_path / "a.pdf")
    assert (book.text.replace("\n", "") == "".join(map("".join, CHINESE))) is is_head
    assert [left.kind for left in book.left_out] == ["running_head"] * is_head + ["page_number"]
    assert [start.label for start in book.page_starts] == ["94", "95", "96"]


def test_columns_in_two_tiers_are_read_tier_by_tier(tmp_path: Path) -> None:
    upper, lower = PAGES
    tiers = [*((340 - 20 * i, 540, text[:12]) for i, text in enumerate(upper))]
    tiers += [(340 - 20 * i, 300, text[:12]) for i, text in enumerate(lower)]
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(400, 600))
    registerFont(UnicodeCIDFont("HeiseiMin-W3", isVertical=True))
    canvas.setFont("HeiseiMin-W3", 12)
    for x, y, text in sorted(tiers, key=lambda tier: -tier[0]):
        canvas.drawString(x, y, text)
    canvas.save()
    assert extract(tmp_path / "a.pdf").text.replace("\n", "") == "".join(text for *_, text in tiers)


def test_columns_of_which_each_character_is_a_line_are_columns(tmp_path: Path) -> None:
    columns = ["港春夜春港春", "夜港春港夜"] * 3
    drawn = [
        glyph(300 - 32 * i, c, 500 - 16 * j) for i, text in enumerate(columns) for j, c in enumerate(text)
    ]
    assert read(tmp_path / "a.pdf", "".join([*drawn, glyph(150, "क", 26)])) == [*columns, "क"]


def test_lines_in_such_a_font_are_no_columns(tmp_path: Path) -> None:
    book = extract(draw(tmp_path / "a.pdf", vertical=False, number="{}"))
    assert book.text.replace("\n", "") == "".join(map("".join, CHINESE))
    assert not book.warnings


def test_columns_that_give_no_text_are_named(tmp_path: Path) -> None:
    book = extract(write(tmp_path / "a.pdf", [["港春夜", *PAGES[0]], PAGES[1]], vertical=True))
    assert "港春夜" not in book.text
    assert [warning.partition(":")[0] for warning in book.warnings] == ["page 1 read only in part"]


def test_a_column_is_where_it_is_on_the_page() -> None:
    line = Line("港", page=0, x0=-540, x1=-500, y=340, size=12, turn=3)
    left, bottom, right, top = line.box
    assert (bottom, top) == (500, 540)
    assert left < 340 < right
