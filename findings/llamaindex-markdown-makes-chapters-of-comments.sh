#!/usr/bin/env bash
# Guess: a parser that knows code fences knows both kinds, and headings of both kinds: underlined ones as well as "#".
# What happens: LlamaIndex's MarkdownNodeParser knows ``` and # alone. A comment inside a ~~~ fence becomes a chapter, and all
#   that follows is filed below it; a book with underlined headings, as pandoc wrote them for years, is one node without
#   a heading.
# Versions: llama-index-core 0.14.25.
# Source: CommonMark 0.31, 4.3 (setext headings) and 4.5 (fences of tildes).
# Why it matters: the path of headings is what such a parser is used for: it is embedded, filtered by, and cited. Here it
#   names a chapter that is a line of a program, or none.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check llama-index-core==0.14.25
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser

print("llama-index-core", version("llama-index-core"))

def nodes(text: str) -> list[tuple[str, str]]:
    parsed = MarkdownNodeParser().get_nodes_from_documents([Document(text=text)])
    return [(node.metadata["header_path"], node.text) for node in parsed]

FENCED = "# Loomings\n\n{0}sh\n# make tea\nkettle --on\n{0}\n\nCall me Ishmael.\n\n## Of ships\n\nWhales."
seen = {
    "fence of backticks": nodes(FENCED.format("```")),
    "fence of tildes": nodes(FENCED.format("~~~")),
    "underlined": nodes("Loomings\n========\n\nCall me Ishmael.\n\nOf ships\n--------\n\nWhales."),
}
for name, found in seen.items():
    print(name)
    for path, text in found:
        print(f"  {path:12} {text!r}")
sys.exit([[path for path, _ in found] for found in seen.values()] != [["/", "/Loomings/"], ["/", "/", "/make tea/"], ["/"]])
PYTHON
