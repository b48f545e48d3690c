#!/usr/bin/env bash
# Guess: a full-text condition on a field without a full-text index looks for the text as a substring.
# What happens: it looks for whole words, in Edge and in the client's local mode alike: "ship" does not find "friendship", nor
#   "whal" the whale; the words may stand anywhere and in any order. Only MatchSubstring (Edge) finds parts, and it knows
#   capitals, unlike the other.
# Versions: qdrant-edge-py 0.9.0, qdrant-client 1.20.0.
# Source: Qdrant's guide to filtering: without a full-text index, a text match works as an exact substring match.
# Why it matters: filters for a part of a title or a series, and search as one types, are built on that sentence. Books are
#   not found, and text in Chinese or German compounds least of all.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check qdrant-edge-py==0.9.0 qdrant-client==1.20.0
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version
from qdrant_client import QdrantClient, models
from qdrant_edge import (
    Distance, EdgeConfig, EdgeShard, EdgeVectorParams, FieldCondition, Filter, MatchSubstring, MatchText, Point,
    ScrollRequest, UpdateOperation,
)

print("qdrant-edge-py", version("qdrant-edge-py"), "qdrant-client", version("qdrant-client"))
TITLES = ["On Friendship", "The Ship of Fools", "The White Whale", "Dampfschifffahrt", "鲸鱼是哺乳动物"]
shard = EdgeShard.create("shard", EdgeConfig(vectors=EdgeVectorParams(size=2, distance=Distance.Dot)))
shard.update(UpdateOperation.upsert_points([Point(i, [1.0, 0.0], {"title": t}) for i, t in enumerate(TITLES)]))
client = QdrantClient(":memory:")
client.create_collection("c", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
client.upsert("c", [models.PointStruct(id=i, vector=[1, 0], payload={"title": t}) for i, t in enumerate(TITLES)])

def edge(match) -> list[str]:
    condition = Filter(must=[FieldCondition("title", match=match)])
    return [record.payload["title"] for record in shard.scroll(ScrollRequest(filter=condition, with_payload=True))[0]]

def local(text: str) -> list[str]:
    condition = models.FieldCondition(key="title", match=models.MatchText(text=text))
    return [record.payload["title"] for record in client.scroll("c", models.Filter(must=[condition]))[0]]

expected = {  # by word (Edge and local mode), by substring
    "ship": (["The Ship of Fools"], ["On Friendship"]),
    "whal": ([], []),
    "whale white": (["The White Whale"], []),
    "schiff": ([], ["Dampfschifffahrt"]),
    "哺乳": ([], ["鲸鱼是哺乳动物"]),
}
wrong = False
for text, (by_word, by_part) in expected.items():
    seen = edge(MatchText(text)), local(text), edge(MatchSubstring(text))
    print(f"{text}: MatchText {seen[0]}, local mode {seen[1]}, MatchSubstring {seen[2]}")
    wrong |= seen != (by_word, by_word, by_part)
sys.exit(wrong)
PYTHON
