"""PDFs in vertical Chinese and Japanese."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from alexandria.extract import extract
from alexandria.extract.pdf.lines import Line

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


def write(path: Path, *, vertical: bool, readings: Sequence[str] = ()) -> Path:
    """Set the pages in columns from the right, or in lines from the top, with readings beside the columns.

    PDFium finds the objects itself.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(PAGES)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(PAGES)} >>")
    objects.append(FONT.format(direction="V" if vertical else "H"))
    for i, page in enumerate(PAGES):
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


def test_a_column_is_where_it_is_on_the_page() -> None:
    line = Line("港", page=0, x0=-540, x1=-500, y=340, size=12, turn=3)
    left, bottom, right, top = line.box
    assert (bottom, top) == (500, 540)
    assert left < 340 < right
