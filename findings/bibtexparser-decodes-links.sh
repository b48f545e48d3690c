#!/usr/bin/env bash
# Guess: bibtexparser's LatexDecodingMiddleware turns accents into letters and leaves URLs, DOIs and file names alone.
# What happens: it treats every field as running LaTeX text. All after a percent sign is a comment and is gone, in a URL, in
#   a DOI and in a title; a tilde becomes a no-break space; of a Windows path the folders are gone.
# Versions: bibtexparser 2.1.0, pylatexenc 2.11.
# Source: the manual of biblatex: url, doi and file are verbatim fields; bibtexparser's documentation gives the
#   middleware for decoding LaTeX-encoded characters.
# Why it matters: bibliographies are where a library of books gets its metadata and its links to files. The links still
#   look like links, and lead elsewhere.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check bibtexparser==2.1.0 pylatexenc==2.11
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware

print("bibtexparser", version("bibtexparser"), "pylatexenc", version("pylatexenc"))
BIBLIOGRAPHY = r"""
@book{a,
  author = {Mu{\~n}oz, Ana},
  title = {The 100% Library},
  url = {https://example.org/~ann/two%20words.pdf?page=7},
  doi = {10.1000/(a)%3C1},
  file = {C:\Users\Ann\book.pdf},
}
"""
plain = {field.key: field.value for field in bibtexparser.parse_string(BIBLIOGRAPHY).entries[0].fields}
library = bibtexparser.parse_string(BIBLIOGRAPHY, append_middleware=[LatexDecodingMiddleware()])
decoded = {field.key: field.value for field in library.entries[0].fields}
for key, value in decoded.items():
    print(f"{key:8}{plain[key]!a}  ->  {value!a}")
print("blocks that failed:", library.failed_blocks)
sys.exit(bool(library.failed_blocks) or decoded != {
    "author": "Mu\xf1oz, Ana",
    "title": "The 100",
    "url": "https://example.org/\xa0ann/two",
    "doi": "10.1000/(a)",
    "file": "C:.pdf",
})
PYTHON
