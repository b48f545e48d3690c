#!/usr/bin/env bash
# Guess: the offsets of a word's token span the word, accent and all, however the accent is written: as part of the letter
#   or as a combining mark after it (NFD).
# What happens: where the last letter of a word has a combining mark, the offsets end before it: "café" is "cafe" and an
#   accent between words. This holds for the normalizers of BERT (which drops accents) and NFC (which composes them).
# Versions: tokenizers 0.23.3.
# Source: the reference of Encoding.offsets: positions in the original text; Unicode Standard Annex 29: a letter and its
#   combining marks are one character to users.
# Why it matters: chunks, marks in the margin and quotations are cut at such offsets. Text of PDFs, of file names from a
#   Mac and of Vietnamese, Greek and Indic books comes decomposed. The quotation loses the accent, and the next
#   chunk begins with a mark that is set upon whatever is printed before it.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check tokenizers==0.23.3
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from unicodedata import normalize
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

print("tokenizers", version("tokenizers"))

def words(normalizer, text: str) -> list[str]:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return [text[start:end] for start, end in tokenizer.encode(text).offsets]

wrong = False
for form in ("NFC", "NFD"):
    text = normalize(form, "le café désert")
    for name, normalizer in {"BertNormalizer": normalizers.BertNormalizer(), "NFC": normalizers.NFC()}.items():
        seen = words(normalizer, text)
        print(f"text in {form}, {name:15}", *map(ascii, seen))
        whole = text.split()
        wrong |= seen != ([whole[0], "cafe", whole[2]] if form == "NFD" else whole)
sys.exit(wrong)
PYTHON
