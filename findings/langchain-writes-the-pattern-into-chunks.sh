#!/usr/bin/env bash
# Guess: a splitter with `is_separator_regex=True` cuts at what the pattern matches and joins small pieces again with the
#   text that stood between them, or with a blank line.
# What happens: it joins them with the pattern: chunks contain the letters \n\s*\n where a paragraph ended. And as no such
#   chunk is in the book, `add_start_index` gives -1, also to the chunks after it that are whole.
# Versions: langchain-text-splitters 1.1.3.
# Source: the reference of RecursiveCharacterTextSplitter describes the flag as how separators are interpreted.
# Why it matters: "paragraphs end at a line with or without spaces" is the first pattern one writes for books. The rubbish is
#   embedded, shown and cited; every link back to the page is lost.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check langchain-text-splitters==1.1.3
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter

print("langchain-text-splitters", version("langchain-text-splitters"))
BOOK = "It was late.\n \nThe lamp had burnt low.\n\nNobody came."
options = {"is_separator_regex": True, "chunk_size": 50, "chunk_overlap": 0, "add_start_index": True}
splitters = [
    CharacterTextSplitter(separator=r"\n\s*\n", **options),
    RecursiveCharacterTextSplitter(separators=[r"\n\s*\n", " "], keep_separator=False, **options),
]
expected = [(-1, r"It was late.\n\s*\nThe lamp had burnt low."), (-1, "Nobody came.")]
wrong = False
for splitter in splitters:
    chunks = [(chunk.metadata["start_index"], chunk.page_content) for chunk in splitter.create_documents([BOOK])]
    print(type(splitter).__name__)
    for start, text in chunks:
        print(f"  start_index {start:3}: {text}")
    wrong |= chunks != expected
sys.exit(wrong)
PYTHON
