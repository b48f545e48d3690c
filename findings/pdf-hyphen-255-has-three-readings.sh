#!/usr/bin/env bash
# Guess: code 255 (octal) of a WinAnsi font, which the PDF standard calls hyphen, is read as a hyphen.
# What happens: PDFium reads a hyphen, pypdf the invisible soft hyphen U+00AD, pdfminer.six a space. "Co-operation" is two
#   words for one and looks like "Cooperation" for another; the years 1914-18 become two numbers, or look like 191418.
# Versions: pypdf 7.1.1, pdfminer.six 20260107, pypdfium2 5.15.2.
# Source: ISO 32000-1, table D.2 with its notes: hyphen is encoded as 255 in WinAnsiEncoding, beside 055.
# Why it matters: programs that set hyphens at line ends write this code, and so do forms and older office exports. Year
#   ranges, double names and compounds are lost to search in a way that depends on the reader.
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

seen = texts(pdf(rb"BT /F 12 Tf 50 300 Td (Co\255operation, 1914\25518) Tj ET", HELVETICA))
for name, text in seen.items():
    print(f"{name:13}{version(name):10}{text!a}")
sys.exit(seen != {
    "pypdf": "Co\xadoperation, 1914\xad18",
    "pdfminer.six": "Co operation, 1914 18",
    "pypdfium2": "Co-operation, 1914-18",
})
PYTHON
