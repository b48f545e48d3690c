#!/usr/bin/env bash
# Guess: `EdgeShard.load(path, EdgeConfig(optimizers=...))` changes one setting and takes the vectors from the shard.
# What happens: it raises ValueError before the shard is looked at, so each setting can only be changed by a program
#   that repeats size, distance, datatype and comparator of every vector.
# Versions: qdrant-edge-py 0.9.0.
# Source: the docstring of EdgeConfig in the package: parameters that are left out are inherited from the shard.
# Why it matters: whoever opens a collection of books to compact it (another threshold, fewer threads) rarely knows
#   how another program declared its vectors; a wrong guess is refused, too.
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
from qdrant_edge import Distance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeVectorParams, Point, UpdateOperation

print("qdrant-edge-py", version("qdrant-edge-py"))
vectors = EdgeVectorParams(size=2, distance=Distance.Dot)
shard = EdgeShard.create("shard", EdgeConfig(vectors=vectors))
shard.update(UpdateOperation.upsert_points([Point(1, [1.0, 0.0], {"title": "Middlemarch"})]))
shard.close()

def points_of(**settings) -> str:
    try:
        shard = EdgeShard.load("shard", EdgeConfig(**settings))
    except ValueError as error:
        return f"ValueError: {error}"
    count = shard.info().points_count
    shard.close()
    return f"{count} point"

optimizers = EdgeOptimizersConfig(deleted_threshold=0.1)
seen = {
    "optimizers alone": points_of(optimizers=optimizers),
    "threads alone": points_of(max_search_threads=1),
    "optimizers and vectors": points_of(optimizers=optimizers, vectors=vectors),
}
for name, result in seen.items():
    print(f"{name:24} {result}")
refusal = "ValueError: EdgeConfig requires at least one of vectors or sparse_vectors to be non-empty"
sys.exit(list(seen.values()) != [refusal, refusal, "1 point"])
PYTHON
