#!/usr/bin/env bash
# Guess: the stems of Qdrant's BM25 are those of Snowball, so that today's Python stemmer agrees with it.
# What happens: it stems by an older Snowball. "University" and "universe", "organization" and "organ", "evening" and
#   "even", "past" and "paste" are one word each; Dutch "huis" and "huizen" (house, houses), German "System" and
#   "Systems" are two. snowballstemmer 3 decides each of these the other way.
# Versions: qdrant-edge-py 0.9.0, snowballstemmer 3.1.1.
# Source: Qdrant's guide to text search names Snowball as the stemmer; Snowball's news for 3.0 list the new exceptions and the
#   exchanged Dutch algorithm.
# Why it matters: sparse vectors from two programs do not meet in one collection, marks set in found passages by another
#   stemmer miss words, and a question about universities brings the universe.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check qdrant-edge-py==0.9.0 snowballstemmer==3.1.1
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from qdrant_edge import Bm25, Bm25Config
from snowballstemmer import stemmer

print("qdrant-edge-py", version("qdrant-edge-py"), "snowballstemmer", version("snowballstemmer"))
PAIRS = {  # words, whether Qdrant takes them for one
    "english": {
        ("university", "universe"): True, ("organization", "organ"): True,
        ("past", "paste"): True, ("evening", "even"): True,
    },
    "dutch": {("huis", "huizen"): False, ("brief", "brieven"): False, ("leven", "leef"): False},
    "german": {("System", "Systems"): False, ("Lehrerin", "Lehrerinnen"): False},
}
wrong = False
for language, pairs in PAIRS.items():
    bm25, snowball = Bm25(Bm25Config(language=language)), stemmer(language)
    for (one, other), expected in pairs.items():
        by_qdrant = bm25.embed_document(one).indices == bm25.embed_query(other).indices
        by_snowball = snowball.stemWord(one.lower()) == snowball.stemWord(other.lower())
        words = {True: "one word", False: "two words"}
        print(f"{language:8} {one}, {other}: Qdrant {words[by_qdrant]}, snowballstemmer {words[by_snowball]}")
        wrong |= (by_qdrant, by_snowball) != (expected, not expected)
sys.exit(wrong)
PYTHON
