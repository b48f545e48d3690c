#!/usr/bin/env bash
# Guess: of a word with its reading above it (ruby, furigana) in a Word file, readers keep the word and drop the reading.
# What happens: python-docx and mammoth drop both, so the sentence loses its nouns and is still a sentence; docx2python
#   puts the reading before the word, in one string.
# Versions: python-docx 1.2.0, mammoth 1.13.0, docx2python 3.7.1.
# Source: ECMA-376 part 1, 17.3.3.25: w:rubyBase holds the text that the guide text belongs to.
# Why it matters: Japanese novels and all books for learners are full of it. What is missing is what one searches for, and
#   nothing shows that it is missing. Tools above these libraries inherit it.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check python-docx==1.2.0 mammoth==1.13.0 docx2python==3.7.1
venv/bin/python - <<'PYTHON'
import io, sys, zipfile
from importlib.metadata import version
import docx as python_docx, mammoth
from docx2python import docx2python

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

def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"

def ruby(base: str, reading: str) -> str:
    return f"<w:r><w:ruby><w:rubyPr/><w:rt>{run(reading)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>"

book = "<w:p>" + ruby("吾輩", "わがはい") + run("は") + ruby("猫", "ねこ") + run("である。") + "</w:p>"
seen = {
    "python-docx": python_docx.Document(docx(book)).paragraphs[0].text,
    "mammoth": mammoth.extract_raw_text(docx(book)).value.strip(),
    "mammoth, HTML": mammoth.convert_to_html(docx(book)).value,
    "docx2python": docx2python(docx(book)).text,
}
for name, text in seen.items():
    print(f"{name:14}{version(name.split(',')[0]):8}{text}")
print("in the file:          吾輩は猫である。")
sys.exit(list(seen.values()) != ["はである。", "はである。", "<p>はである。</p>", "わがはい吾輩はねこ猫である。"])
PYTHON
