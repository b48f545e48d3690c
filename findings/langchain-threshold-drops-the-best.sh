#!/usr/bin/env bash
# Guess: a retriever with search_type="similarity_score_threshold" drops hits whose similarity is below the threshold.
# What happens: it compares another number. For cosine, (1 + s) / 2: at a threshold of 0.5 all passes that is not opposed to
#   the question. For dot product, 1 - s, and the sign is dropped: the exact copy has relevance 0 and is thrown away, what has
#   nothing to do with the question has relevance 1 and stays. The same keyword of similarity_search_with_score is compared
#   with the similarity itself.
# Versions: langchain-qdrant 1.1.0, langchain-core 1.8.3, qdrant-client 1.20.0 (local mode).
# Source: LangChain's reference: relevance scores are in the range of 0 to 1, where 1 is most similar.
# Why it matters: the threshold is how a program says "the library has nothing on this". With vectors of unit length, for which
#   many models recommend the dot product, it keeps the wrong passages and drops the right ones, without an error.
# Needs beside Python: nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check langchain-qdrant==1.1.0 langchain-core==1.8.3 qdrant-client==1.20.0
venv/bin/python - <<'PYTHON'
import math, sys, warnings
from importlib.metadata import version
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, VectorParams

warnings.simplefilter("ignore")
DEGREES = {"question": 0, "exact copy": 0, "near": 20, "far": 80, "unrelated": 90, "opposed": 150}

class Angles(Embeddings):
    def embed_query(self, text: str) -> list[float]:
        angle = math.radians(DEGREES.get(text, 0))
        return [math.cos(angle), math.sin(angle)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

print(*(f"{name} {version(name)}" for name in ("langchain-qdrant", "langchain-core", "qdrant-client")))
client = QdrantClient(":memory:")

def found(distance: Distance) -> tuple[list[str], ...]:
    client.create_collection(distance.value, vectors_config=VectorParams(size=2, distance=distance))
    store = QdrantVectorStore(client, distance.value, Angles(), distance=distance)
    store.add_documents([Document(page_content=text) for text in list(DEGREES)[1:]])
    limits = {"k": 5, "score_threshold": 0.5}
    retriever = store.as_retriever(search_type="similarity_score_threshold", search_kwargs=limits)
    relevance = store.similarity_search_with_relevance_scores("question", k=5)
    print(distance.value, "relevance:", {document.page_content: round(score, 2) for document, score in relevance})
    by_retriever = [document.page_content for document in retriever.invoke("question")]
    by_search = [document.page_content for document, _ in store.similarity_search_with_score("question", **limits)]
    print("  retriever, threshold 0.5:", by_retriever)
    print("  search, threshold 0.5:   ", by_search)
    return by_retriever, by_search

seen = [found(distance) for distance in (Distance.COSINE, Distance.DOT)]
right = ["exact copy", "near"]
sys.exit(seen != [([*right, "far", "unrelated"], right), (["far", "unrelated", "opposed"], right)])
PYTHON
