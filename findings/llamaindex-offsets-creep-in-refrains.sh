#!/usr/bin/env bash
# Guess: chunks that are cut without overlap have offsets that do not overlap, and the last ends where the text ends.
# What happens: LlamaIndex looks each chunk up in the text, from one character after the last start on. In a text that
#   repeats itself, each chunk is "found" inside the one before: the offsets creep, and the last chunk of 1,140 characters
#   is said to end at 341. text[start:end] is the chunk's text, so no check of that kind notices it. LangChain's splitter
#   looks from the end of the last chunk on and is right.
# Versions: llama-index-core 0.14.25, langchain-text-splitters 1.1.3.
# Source: LlamaIndex's reference of TextNode: start and end index of the node in its document.
# Why it matters: litanies, refrains, songs, tables and forms: what is cited is another verse than the one that was found,
#   often on another page, and parts of the book seem to be in no chunk.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check llama-index-core==0.14.25 langchain-text-splitters==1.1.3
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter

LITANY = "Lord, have mercy.\nChrist, have mercy.\n" * 30
PROSE = "".join(f"It was hour {number} of the watch.\n" for number in range(40))

def llama(text: str) -> list[tuple[int, int]]:
    splitter = SentenceSplitter(chunk_size=24, chunk_overlap=0, tokenizer=str.split, include_metadata=False)
    nodes = splitter.get_nodes_from_documents([Document(text=text)])
    assert all(text[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
    return [(node.start_char_idx, node.end_char_idx) for node in nodes]

def langchain(text: str) -> list[tuple[int, int]]:
    splitter = RecursiveCharacterTextSplitter(chunk_size=151, chunk_overlap=0, add_start_index=True)
    chunks = splitter.create_documents([text])
    return [(chunk.metadata["start_index"], chunk.metadata["start_index"] + len(chunk.page_content)) for chunk in chunks]

def report(name: str, text: str, spans: list[tuple[int, int]]) -> tuple[bool, int]:
    overlaps = any(start < end for (_, end), (start, _) in zip(spans, spans[1:]))
    print(f"  {name:26} {spans[:3]} ... {spans[-1]} of {len(text)}; overlap: {overlaps}")
    return overlaps, spans[-1][1]

names = [f"{name} {version(name)}" for name in ("llama-index-core", "langchain-text-splitters")]
print("prose")
seen = [report(names[0], PROSE, llama(PROSE)), report(names[1], PROSE, langchain(PROSE))]
print("litany")
seen += [report(names[0], LITANY, llama(LITANY)), report(names[1], LITANY, langchain(LITANY))]
n, m = len(PROSE) - 1, len(LITANY) - 1
sys.exit(seen != [(False, n), (False, n), (True, 341), (False, m)])
PYTHON
