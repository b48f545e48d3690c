#!/usr/bin/env bash
# Guess: a chunker that counts bytes still cuts between characters.
# What happens: where no delimiter is near, chonkie's FastChunker cuts at the byte, and its decoding raises UnicodeDecodeError:
#   a Chinese text of 3,564 bytes passes whole, one of 7,236 fails at the default size of 4,096, since a character has three
#   bytes; at 4,095 it passes. And each chunk's token_count is 0.
# Versions: chonkie 1.7.0, chonkie-core 0.10.2.
# Source: the class's docstring: sizes are in bytes; delimiters are full stop, question mark and line break of ASCII.
# Why it matters: Chinese and Japanese books have none of these inside a paragraph. Whether a book can be ingested depends on
#   the remainder of a size by three; token counts of 0 make every budget of a prompt fit.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check chonkie==1.7.0 chonkie-core==0.10.2
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from chonkie import FastChunker

print("chonkie", version("chonkie"), "chonkie-core", version("chonkie-core"))
PARAGRAPH = "天色已经很晚了，灯光很暗，没有人来。"

def chunks(text: str, **options) -> str:
    try:
        found = FastChunker(**options).chunk(text)
    except UnicodeDecodeError as error:
        return f"{type(error).__name__} ({error.reason})"
    assert "".join(chunk.text for chunk in found) == text
    return f"{len(found)} chunks, tokens {sorted({chunk.token_count for chunk in found})}"

short, long = PARAGRAPH * 66, PARAGRAPH * 134
english = "It was late. The lamp had burnt low. " * 200
seen = {
    f"{len(short.encode())} bytes of Chinese": chunks(short),
    f"{len(long.encode())} bytes of Chinese": chunks(long),
    "the same, chunk_size=4095": chunks(long, chunk_size=4095),
    f"{len(english)} bytes of English": chunks(english),
}
for name, result in seen.items():
    print(f"{name:28} {result}")
error = "UnicodeDecodeError (unexpected end of data)"
sys.exit(list(seen.values()) != ["1 chunks, tokens [0]", error, "2 chunks, tokens [0]", "2 chunks, tokens [0]"])
PYTHON
