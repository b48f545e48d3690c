#!/usr/bin/env bash
# Guess: where a font has no ToUnicode table, readers use its glyph names, and know the Adobe rules for composed names:
#   T_h is the ligature of T and h, f_j of f and j, one.oldstyle is 1, A.sc is a small capital A.
# What happens: pdfminer.six does. pypdf writes the names into the words ("/T_he"), PDFium writes the raw code of the
#   font for each ligature ("\x01he") and reads the names with a suffix right.
# Versions: pypdf 7.1.1, pdfminer.six 20260107, pypdfium2 5.15.2.
# Source: Adobe Glyph List Specification, section 2: drop what follows the first full stop, split the rest at underscores.
# Why it matters: type set with care has exactly these: Th and fj ligatures, old-style figures, small capitals. "The" is the
#   most frequent word, years are set in old-style figures, and heads of chapters in small capitals.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check pypdf==7.1.1 pdfminer.six==20260107 pypdfium2==5.15.2
venv/bin/python - <<'PYTHON'
import io, sys
from importlib.metadata import version
import pypdf, pypdfium2
from pdfminer.high_level import extract_text as pdfminer_text

def pdf(content: bytes, font: bytes) -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        font,
        b"<</Type/FontDescriptor/FontName/ABCDEF+Book/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800"
        b"/Descent -200/CapHeight 700/StemV 80>>",
    ]
    file, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    n = len(objects) + 1
    return file + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        n, table, n, len(file)
    )

HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

def texts(file: bytes) -> dict[str, str]:
    readers = {
        "pypdf": lambda: pypdf.PdfReader(io.BytesIO(file)).pages[0].extract_text(),
        "pdfminer.six": lambda: pdfminer_text(io.BytesIO(file)),
        "pypdfium2": lambda: pypdfium2.PdfDocument(file)[0].get_textpage().get_text_bounded(),
    }
    return {name: read().strip("\n\f") for name, read in readers.items()}

NAMES = ["T_h", "e", "space", "f_j", "o", "r", "d", "comma", "one.oldstyle", "eight.oldstyle", "A.sc", "D.sc"]
font = (
    b"<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Book/FirstChar 1/LastChar %d/Widths[%s]/FontDescriptor 6 0 R"
    b"/Encoding<</Type/Encoding/Differences[1 %s]>>>>"
) % (len(NAMES), b"500 " * len(NAMES), " ".join("/" + name for name in NAMES).encode())
codes = [NAMES.index(name) + 1 for name in (
    "T_h", "e", "space", "f_j", "o", "r", "d", "comma", "space", "A.sc", "D.sc", "space",
    "one.oldstyle", "eight.oldstyle", "one.oldstyle", "one.oldstyle",
)]
seen = texts(pdf(b"BT /F 12 Tf 50 300 Td <%s> Tj ET" % bytes(codes).hex().encode(), font))
for name, text in seen.items():
    print(f"{name:13}{version(name):10}{text!a}")
sys.exit(seen != {
    "pypdf": "/T_he /f_jord, /A.sc/D.sc /one.oldstyle/eight.oldstyle/one.oldstyle/one.oldstyle",
    "pdfminer.six": "The fjord, AD 1811",
    "pypdfium2": "\x01e \x04ord, AD 1811",
})
PYTHON
