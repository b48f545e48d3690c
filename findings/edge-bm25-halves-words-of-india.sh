#!/usr/bin/env bash
# Guess: BM25 takes a Hindi, Tamil or Bengali word as one term, since it stands between spaces; and the tokenizer
#   "multilingual" divides Khmer and Burmese as it divides Thai and Chinese, which have no spaces either.
# What happens: the default tokenizer cuts every word in two at the sign that joins two consonants, or at the dot below one:
#   the Hindi word for love is found by asking for its second half, which is no word. Words without such a sign are whole, so
#   that a first try looks right. "Multilingual" keeps all of them whole and divides Thai, Chinese and Japanese, but takes a
#   whole clause of Khmer, Lao or Burmese for one term, so that no word of it is found.
# Versions: qdrant-edge-py 0.9.0.
# Source: what one expects of Unicode's definition of a word, by which marks never end one (UAX 29, WB4), and of a tokenizer
#   that is called multilingual.
# Why it matters: keyword search in the languages of a quarter of mankind misses words and finds fragments.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check qdrant-edge-py==0.9.0
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet, TokenizerType

print("qdrant-edge-py", version("qdrant-edge-py"))

def terms(text: str, tokenizer: TokenizerType | None) -> set[int]:
    config = Bm25Config(stemmer=DisabledStemmer(), stopwords=StopwordsSet(), tokenizer=tokenizer)
    return set(Bm25(config).embed_query(text).indices)

EXPECTED = {  # how many terms by default, and with "multilingual"
    "किताब": (1, 1), "प्रेम": (2, 1), "पढ़ी": (2, 1), "சோறு": (1, 1), "புத்தகம்": (2, 1), "বইটি": (1, 1), "রক্ষী": (2, 1),
    "แมวกินปลา": (1, 3), "猫吃鱼": (1, 3), "ឆ្មាស៊ីត្រី": (4, 1), "ແມວກິນປາ": (1, 1), "ကြောင်ငါးစား": (2, 1),
}
wrong = False
for text, expected in EXPECTED.items():
    seen = len(terms(text, None)), len(terms(text, TokenizerType.Multilingual))
    print(f"{text}: {seen[0]} terms by default, {seen[1]} with the tokenizer for many languages")
    wrong |= seen != expected
half = bool(terms("प्रेम", None) & terms("रेम", None))
print("asking for the second half of प्रेम finds it:", half)
sys.exit(wrong or not half)
PYTHON
