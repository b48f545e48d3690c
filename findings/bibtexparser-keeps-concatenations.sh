#!/usr/bin/env bash
# Guess: bibtexparser joins strings as BibTeX does: with @string{press = "Clarendon"}, the value press # " Press" is
#   Clarendon Press, and "10~" # jan is a date in January.
# What happens: a single name is replaced by its string, an expression with # is kept as its source, quotation marks and
#   all, and counts as a value that was read well. pybtex joins.
# Versions: bibtexparser 2.1.0, pybtex 0.26.1.
# Source: the BibTeX manual ("BibTeXing"), section 2: strings are concatenated with #.
# Why it matters: old and library-made bibliographies build publishers, series and dates with #. Publisher and month then
#   show up in citations as program text, and filters for a publisher find half of its books.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check bibtexparser==2.1.0 pybtex==0.26.1
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
import bibtexparser
from pybtex.database import parse_string

print("bibtexparser", version("bibtexparser"), "pybtex", version("pybtex"))
BIBLIOGRAPHY = """
@string{press = "Clarendon"}
@book{a, series = press, publisher = press # " Press", month = "10~" # jan, title = {Letters}}
"""
library = bibtexparser.parse_string(BIBLIOGRAPHY)
seen = {field.key: field.value for field in library.entries[0].fields}
other = dict(parse_string(BIBLIOGRAPHY, "bibtex").entries["a"].fields)
for key, value in seen.items():
    print(f"{key:10} bibtexparser: {value:24} pybtex: {other[key]}")
print("blocks that failed:", library.failed_blocks)
titles = {"title": "Letters", "series": "Clarendon"}
sys.exit(
    bool(library.failed_blocks)
    or seen != titles | {"publisher": 'press # " Press"', "month": '"10~" # jan'}
    or other != titles | {"publisher": "Clarendon Press", "month": "10~January"}
)
PYTHON
