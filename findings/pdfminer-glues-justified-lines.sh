#!/usr/bin/env bash
# Guess: the three ways to go to the next line and show text (T* Tj, the operator ' and the operator ") read alike.
# What happens: pdfminer.six takes " for a mere Tj and stays on the line. A paragraph becomes one line that runs off the
#   page, and the last word of each line is glued to the first of the next. PDFium and pypdf read it right.
# Versions: pdfminer.six 20260107, pypdf 7.1.1, pypdfium2 5.15.2.
# Source: ISO 32000-1, table 109: the operator " moves to the next line, sets word and character spacing, shows the text.
# Why it matters: it is the operator for justified text, made to set each line's word spacing. Old writers use it for whole
#   books. pdfplumber and the loaders of the frameworks read by pdfminer.
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

content = {
    "T* Tj": b"(The lamp burned low) Tj T* (and nobody came.) Tj",
    "'": b"(The lamp burned low) Tj (and nobody came.) '",
    '"': b'(The lamp burned low) Tj 0 0 (and nobody came.) "',
}
print(*(f"{name} {version(name)}" for name in ("pypdf", "pdfminer.six", "pypdfium2")))
wrong = False
right = {"pypdf": "The lamp burned low\nand nobody came.", "pdfminer.six": "The lamp burned low\nand nobody came.",
         "pypdfium2": "The lamp burned low\r\nand nobody came."}
for operator, shown in content.items():
    seen = texts(pdf(b"BT /F 12 Tf 14 TL 50 300 Td " + shown + b" ET", HELVETICA))
    print(operator, seen)
    wrong |= seen != (right if operator != '"' else right | {"pdfminer.six": "The lamp burned lowand nobody came."})
sys.exit(wrong)
PYTHON
