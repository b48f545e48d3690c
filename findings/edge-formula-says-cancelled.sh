#!/usr/bin/env bash
# Guess: in a formula query, `defaults={"year": 1900}` serves all books without a usable year, and what cannot be computed
#   is named in the error.
# What happens: the default serves a missing field and an empty list. One candidate whose year is null, a string, true or a
#   list of two numbers makes the whole query fail with "Operation cancelled: process cancelled by service", which reads
#   like a time-out and is retried in vain. A list of one number works.
# Versions: qdrant-edge-py 0.9.0.
# Source: Qdrant's guide to hybrid queries: a default is used where the payload has no value.
# Why it matters: boosting by year, page or chapter is what formulas are for, and metadata of books are full of "c. 1850",
#   nulls and ranges. The query works until such a book gets among the candidates.
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
from qdrant_edge import (
    Distance, EdgeConfig, EdgeShard, EdgeVectorParams, Expression, Formula, Point, Prefetch, Query, QueryRequest,
    UpdateOperation,
)

print("qdrant-edge-py", version("qdrant-edge-py"))
CANCELLED = "Operation cancelled: process cancelled by service"

def scores(name: str, payload: dict) -> str:
    shard = EdgeShard.create(name, EdgeConfig(vectors=EdgeVectorParams(size=2, distance=Distance.Dot)))
    good = Point(1, [1.0, 0.0], {"year": 1851})
    shard.update(UpdateOperation.upsert_points([good, Point(2, [1.0, 0.0], payload)]))
    query = QueryRequest(
        limit=2,
        prefetches=[Prefetch(limit=2, query=Query.Nearest([1.0, 0.0]))],
        query=Formula(Expression.Variable("year"), {"year": 1900.0}),
    )
    try:
        return str(sorted(hit.score for hit in shard.query(query)))
    except Exception as error:
        return str(error)
    finally:
        shard.close()

cases = {
    "missing": ({}, "[1851.0, 1900.0]"),
    "[]": ({"year": []}, "[1851.0, 1900.0]"),
    "[1871]": ({"year": [1871]}, "[1851.0, 1871.0]"),
    "[1871, 1872]": ({"year": [1871, 1872]}, CANCELLED),
    "null": ({"year": None}, CANCELLED),
    "'1871'": ({"year": "1871"}, CANCELLED),
    "true": ({"year": True}, CANCELLED),
}
wrong = False
for number, (name, (payload, expected)) in enumerate(cases.items()):
    seen = scores(f"shard{number}", payload)
    print(f"year {name:14}{seen}")
    wrong |= seen != expected
sys.exit(wrong)
PYTHON
