#!/usr/bin/env bash
# Guess: with a `!=` filter, a book that lacks the field is found or not found, but by one rule for all of LlamaIndex's stores.
# What happens: the built-in store finds it, the Qdrant store does not. NIN behaves likewise. In Qdrant, NOT (==) finds it:
#   two ways to write one condition, two lists.
# Versions: llama-index-core 0.14.25, llama-index-vector-stores-qdrant 0.10.4, qdrant-client 1.20.0 (local mode).
# Source: LlamaIndex's reference of FilterOperator: NE is "not equal to", for any store.
# Why it matters: "not in German", "status is not draft": metadata of books are full of gaps. The prototype on the built-in
#   store finds all other books; moved to Qdrant, it finds only those that state the field.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check llama-index-core==0.14.25 llama-index-vector-stores-qdrant==0.10.4 qdrant-client==1.20.0
venv/bin/python - <<'PYTHON'
import sys, warnings
from importlib.metadata import version

warnings.simplefilter("ignore")
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import (
    FilterCondition, FilterOperator, MetadataFilter, MetadataFilters, SimpleVectorStore, VectorStoreQuery,
)
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import QdrantClient

print(*(f"{name} {version(name)}" for name in ("llama-index-core", "llama-index-vector-stores-qdrant", "qdrant-client")))
BOOKS = {"0" * 31 + "1": {"language": "de"}, "0" * 31 + "2": {"language": "en"}, "0" * 31 + "3": {}}
stores = {"simple": SimpleVectorStore(), "Qdrant": QdrantVectorStore("books", client=QdrantClient(":memory:"))}
for store in stores.values():
    store.add([TextNode(id_=id, text=id, metadata=dict(data), embedding=[1.0, 0.0]) for id, data in BOOKS.items()])

def found(store, value, operator, condition=FilterCondition.AND) -> list[str]:
    filters = MetadataFilters(
        filters=[MetadataFilter(key="language", value=value, operator=operator)], condition=condition
    )
    result = store.query(VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=5, filters=filters))
    names = [BOOKS[str(id).replace("-", "")].get("language", "none stated") for id in result.ids]
    return sorted(names)

seen = {
    ("simple", "!= de"): found(stores["simple"], "de", FilterOperator.NE),
    ("Qdrant", "!= de"): found(stores["Qdrant"], "de", FilterOperator.NE),
    ("simple", "not in [de]"): found(stores["simple"], ["de"], FilterOperator.NIN),
    ("Qdrant", "not in [de]"): found(stores["Qdrant"], ["de"], FilterOperator.NIN),
    ("Qdrant", "NOT (== de)"): found(stores["Qdrant"], "de", FilterOperator.EQ, FilterCondition.NOT),
}
for (name, condition), books in seen.items():
    print(f"{name}: language {condition:12} {books}")
both, stated = ["en", "none stated"], ["en"]
sys.exit(list(seen.values()) != [both, stated, both, stated, both])
PYTHON
