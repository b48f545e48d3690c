"""PDFs of which each glyph is drawn by itself, in a font made for the test."""

from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.reader import read_pages

LETTERS = "कतदनीाขง港春夜שלם"
SIGNS = "ेึָ้"
"""Without a width: they are drawn over the letter before."""
SIZE = 16
WIDTH = 8
"""Of a letter, in points."""
CMAP = """begincmap 1 begincodespacerange <00> <FF> endcodespacerange
{n} beginbfchar {pairs} endbfchar endcmap"""


def code(character: str) -> str:
    return f"{(LETTERS + SIGNS).index(character):02x}"


def glyph(x: float, character: str, y: float = 500) -> str:
    return f"BT /F {SIZE} Tf {x} {y} Td <{code(character)}> Tj ET\n"


def syllable(text: str, *glyphs: str) -> str:
    """Draw the glyphs of a syllable that has its text as a whole, as browsers do."""
    return f"/Span << /ActualText <feff{text.encode('utf-16-be').hex()}> >> BDC\n{''.join(glyphs)}EMC\n"


def font() -> str:
    n = len(LETTERS + SIGNS)
    names = " ".join(f"/g{i}" for i in range(n))
    glyphs = " ".join(f"/g{i} {6 if i < len(LETTERS) else 7} 0 R" for i in range(n))
    widths = " ".join("500" if i < len(LETTERS) else "0" for i in range(n))
    return (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] "
        f"/FirstChar 0 /LastChar {n - 1} /Widths [{widths}] /Encoding << /Differences [0 {names}] >> "
        f"/CharProcs << {glyphs} >> /ToUnicode 5 0 R /Resources << >> >>"
    )


def read(path: Path, drawn: str) -> list[str]:
    pairs = " ".join(f"<{code(character)}> <{ord(character):04x}>" for character in LETTERS + SIGNS)
    streams = [
        CMAP.format(n=len(LETTERS + SIGNS), pairs=pairs),
        "500 0 0 0 500 700 d1 0 0 500 700 re f",
        "0 0 -200 500 0 700 d1 -200 500 200 200 re f",
        drawn,
    ]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Contents 8 0 R "
        "/Resources << /Font << /F 4 0 R >> >> >>",
        font(),
        *(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream" for stream in streams),
    ]
    body = "".join(f"{number} 0 obj\n{each}\nendobj\n" for number, each in enumerate(objects, 1))
    path.write_text(f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n%%EOF\n")
    (page,) = read_pages(pdfium.PdfDocument(path))
    return [line.text for line in page.lines]
