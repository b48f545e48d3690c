#!/usr/bin/env bash
# Guess: where a line of verse ends in a Word file (Shift and Enter, w:br), mammoth's raw text has a line break or a space.
# What happens: it has nothing. The last word of a line and the first of the next become one: "nightlong". The same with
#   w:cr, which is lost in its HTML as well, where w:br is <br />. python-docx has a line break for both.
# Versions: mammoth 1.13.0, python-docx 1.2.0.
# Source: the read-me of mammoth: raw text is the text without formatting, each paragraph followed by two newlines; ECMA-376
#   part 1, 17.3.3.1: a break is where text goes on in the next line.
# Why it matters: poems, plays, addresses and title pages are written that way. Both words at each line's end are lost to
#   search, and a quotation from the book is not found in it.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check mammoth==1.13.0 python-docx==1.2.0
venv/bin/python - <<'PYTHON'
import io, sys, zipfile
from importlib.metadata import version
import docx as python_docx, mammoth

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE, PACKAGE = "http://schemas.openxmlformats.org/officeDocument/2006", "http://schemas.openxmlformats.org/package/2006"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

def docx(paragraphs: str) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", f"""<Types xmlns="{PACKAGE}/content-types">
          <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
          <Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>""")
        archive.writestr("_rels/.rels", f"""<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1"
          Type="{OFFICE}/relationships/officeDocument" Target="word/document.xml"/></Relationships>""")
        archive.writestr("word/_rels/document.xml.rels", f"""<Relationships xmlns="{PACKAGE}/relationships"/>""")
        archive.writestr("word/document.xml", f"""<w:document xmlns:w="{W}" xmlns:r="{OFFICE}/relationships"><w:body>{paragraphs}<w:sectPr/>
          </w:body></w:document>""")
    file.seek(0)
    return file

poem = (
    "<w:p><w:r><w:t>The lamp burned all night</w:t><w:br/><w:t>long as the rain</w:t><w:br/><w:t>fell.</w:t></w:r></w:p>"
    "<w:p><w:r><w:t>Nobody</w:t><w:cr/><w:t>came.</w:t></w:r></w:p>"
)
raw = mammoth.extract_raw_text(docx(poem)).value
html = mammoth.convert_to_html(docx(poem)).value
texts = [paragraph.text for paragraph in python_docx.Document(docx(poem)).paragraphs]
print("mammoth", version("mammoth"), "raw: ", repr(raw))
print("mammoth", version("mammoth"), "HTML:", repr(html))
print("python-docx", version("python-docx") + ":  ", texts)
sys.exit(
    raw != "The lamp burned all nightlong as the rainfell.\n\nNobodycame.\n\n"
    or "night<br />long as the rain<br />fell." not in html
    or texts != ["The lamp burned all night\nlong as the rain\nfell.", "Nobody\ncame."]
)
PYTHON
