#!/usr/bin/env bash
# Guess: `overwrite_payload(points, {...}, key="metadata")` replaces what is under "metadata" and leaves the rest.
# What happens: the key is ignored. The whole payload of the point becomes {...}: the text of the passage is gone, and the
#   new values stand at the top. `set_payload` honours the same parameter.
# Versions: qdrant-edge-py 0.9.0.
# Source: the stubs of the package call `key` of both operations an optional nested path.
# Why it matters: frameworks keep everything about a book under "metadata" and the passage beside it. Replacing the metadata
#   of a book, say after its year was corrected, empties every passage, and nothing is raised.
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
from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams, Point, UpdateOperation

print("qdrant-edge-py", version("qdrant-edge-py"))
shard = EdgeShard.create("shard", EdgeConfig(vectors=EdgeVectorParams(size=2, distance=Distance.Dot)))

def payload_after(operation) -> dict:
    payload = {"text": "It was late.", "metadata": {"title": "Middlemarch", "year": 1817}}
    shard.update(UpdateOperation.upsert_points([Point(1, [1.0, 0.0], payload)]))
    shard.update(operation([1], {"year": 1871}, key="metadata"))
    return shard.retrieve([1], True, False)[0].payload

set_, overwritten = payload_after(UpdateOperation.set_payload), payload_after(UpdateOperation.overwrite_payload)
print("set_payload, key='metadata':      ", set_)
print("overwrite_payload, key='metadata':", overwritten)
expected = {"text": "It was late.", "metadata": {"title": "Middlemarch", "year": 1871}}
sys.exit(not (set_ == expected and overwritten == {"year": 1871}))
PYTHON
