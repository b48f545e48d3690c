#!/usr/bin/env bash
# Guess: reading an OpenDocument text paragraph by paragraph with odfpy gives the text as the writer sees it, with notes at
#   their place or at the end.
# What happens: what was deleted with changes tracked comes first, as a paragraph like any other. The note stands inside the
#   word that bears its mark, number and all ("word1See the"), and once more as a paragraph of its own; a comment is text in
#   mid-sentence, its author's name glued to it.
# Versions: odfpy 1.4.1.
# Source: odfpy's teletype module says that it handles the white space of OpenDocument; OpenDocument 1.3, part 3, 5.5
#   (tracked changes keep deleted content apart from the text), 6.3 (notes), 14.1 (annotations).
# Why it matters: loaders for .odt are built on these two calls. Words that an author struck out are found and cited, and
#   remarks of an editor are quoted as the book.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check odfpy==1.4.1
venv/bin/python - <<'PYTHON'
import io, sys, zipfile
from importlib.metadata import version
from odf import teletype, text
from odf.opendocument import load

OASIS = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
BODY = """<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info><dc:creator>A</dc:creator>
<dc:date>2020-01-01T00:00:00</dc:date></office:change-info><text:p>Struck out.</text:p></text:deletion></text:changed-region>
</text:tracked-changes><text:p>The <text:change text:change-id="c"/>last word<text:note text:id="n" text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>See the letters.</text:p></text:note-body></text:note> was 
kind<office:annotation><dc:creator>Ed</dc:creator><text:p>check</text:p></office:annotation>.</text:p>""".replace("\n", "")

file = io.BytesIO()
with zipfile.ZipFile(file, "w") as archive:
    archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    archive.writestr("META-INF/manifest.xml", f"""<m:manifest xmlns:m="{OASIS.format("manifest")}"><m:file-entry
      m:full-path="/" m:media-type="application/vnd.oasis.opendocument.text"/><m:file-entry m:full-path="content.xml"
      m:media-type="text/xml"/></m:manifest>""")
    archive.writestr("content.xml", f"""<office:document-content xmlns:office="{OASIS.format("office")}"
      xmlns:text="{OASIS.format("text")}" xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3"><office:body>
      <office:text>{BODY}</office:text></office:body></office:document-content>""")
file.seek(0)
seen = [teletype.extractText(paragraph) for paragraph in load(file).getElementsByType(text.P)]
print("odfpy", version("odfpy"))
for paragraph in seen:
    print(" ", repr(paragraph))
sys.exit(seen != ["Struck out.", "The last word1See the letters. was kindEdcheck.", "See the letters.", "check"])
PYTHON
