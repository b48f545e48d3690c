#!/usr/bin/env bash
# Guess: docx2python gives the text as Word shows it with all changes accepted, as it does for insertions and deletions.
# What happens: a sentence that was moved with changes tracked is there twice, at its old place too; and the hyphen that
#   forbids a line break (Ctrl, Shift, hyphen) is dropped: "Jean-Paul" becomes "JeanPaul". Mammoth keeps it.
# Versions: docx2python 3.7.1, mammoth 1.13.0.
# Source: ECMA-376 part 1, 17.13.5.22 (w:moveFrom is content that is no longer there) and 17.3.3.18 (w:noBreakHyphen).
# Why it matters: manuscripts carry tracked changes; a passage that is there twice is found twice and cited at a place where
#   the book does not have it. Editors put that hyphen into page ranges and double names, "112-15" becomes 11215.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check docx2python==3.7.1 mammoth==1.13.0
venv/bin/python - <<'PYTHON'
import io, sys, zipfile
from importlib.metadata import version
import mammoth
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
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'

changed = (
    '<w:p><w:moveFrom w:id="1" w:author="A">' + run("It was late. ") + "</w:moveFrom>" + run("The lamp burned. ")
    + '<w:moveTo w:id="2" w:author="A">' + run("It was late.") + "</w:moveTo></w:p>"
)
edited = (
    '<w:p><w:ins w:id="1" w:author="A">' + run("New. ") + '</w:ins><w:del w:id="2" w:author="A"><w:r><w:delText>Old. </w:delText>'
    + "</w:r></w:del>" + run("Kept.") + "</w:p>"
)
hyphens = "<w:p><w:r><w:t>pp. 112</w:t><w:noBreakHyphen/><w:t>15, Jean</w:t><w:noBreakHyphen/><w:t>Paul</w:t></w:r></w:p>"
expected = {
    "moved": (changed, "It was late. The lamp burned. It was late.", "The lamp burned. It was late."),
    "inserted, deleted": (edited, "New. Kept.", "New. Kept."),
    "hyphens": (hyphens, "pp. 11215, JeanPaul", "pp. 112\u201115, Jean\u2011Paul"),
}
print("docx2python", version("docx2python"), "and mammoth", version("mammoth"))
wrong = False
for name, (paragraphs, *texts) in expected.items():
    seen = [docx2python(docx(paragraphs)).text, mammoth.extract_raw_text(docx(paragraphs)).value.strip()]
    print(f"{name}:\n  docx2python  {seen[0]}\n  mammoth      {seen[1]}")
    wrong |= seen != texts
sys.exit(wrong)
PYTHON
