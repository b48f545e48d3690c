"""Other programs read what `--compat` writes, with their own packages, and find what we find.

The packages are in the optional group `compat`; a test is skipped if its package is not installed.
"""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from alexandria.book.choices import Mode
from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.run import ingest
from alexandria.store import Binding, QueryVectors, Server, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.sparse import query_terms
from tests.conftest import SAMPLES

BOOKS = [SAMPLES / "gull-rock.txt", SAMPLES / "the-quiet-trades.epub"]
ENCODER = HashingEncoder()
QUERY = "the keeper of the lamp"

# The packages warn on import and on exit, which we cannot fix.
pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True, slots=True)
class Ingested:
    """A library in a folder, and the payloads that our own search by chunk vector finds in it, best first."""

    folder: Path
    payloads: list[dict[str, Any]]

    @property
    def texts(self) -> list[str]:
        return [payload["text"] for payload in self.payloads]

    @property
    def metadata(self) -> list[dict[str, Any]]:
        return [payload["metadata"] for payload in self.payloads]


def ingest_for(reader: str, folder: Path) -> Ingested:
    """Ingest the books for a reader, and search them ourselves."""
    binding = Binding(ENCODER.name, ENCODER.dim, SCHEMA_VERSION)
    domain = load_domain(options={"model": "hashing", "max_words": 150, "min_words": 50}, environ={})
    with Catalog(open_store(f"local:{folder}", "books", binding, Server(compat=(reader,)))) as catalog:
        assert all(
            outcome.error is None
            for outcome in ingest(BOOKS, domain, ENCODER, catalog, RunOptions(workers=0, cache=False))
        )
        query = QueryVectors(ENCODER.encode([QUERY])[0], query_terms(QUERY, frozenset({"en"})))
        hits = catalog.search(query, Mode.DENSE, catalog.everything(), 5)
    assert len({hit.payload["text"] for hit in hits}) == 5
    return Ingested(folder, [dict(hit.payload) for hit in hits])


def vector(text: str) -> list[float]:
    """Return the vector of a text as the packages expect it."""
    return [float(number) for number in ENCODER.encode([text])[0]]


def test_langchain_finds_text_and_metadata(tmp_path: Path) -> None:
    langchain = pytest.importorskip("langchain_qdrant")
    from langchain_core.embeddings import Embeddings

    class Hashing(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vector(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return vector(text)

    library = ingest_for("langchain", tmp_path / "library")
    store = langchain.QdrantVectorStore.from_existing_collection(
        collection_name="books", embedding=Hashing(), path=str(library.folder)
    )
    documents = store.similarity_search(QUERY, k=5)
    store.client.close()
    assert [document.page_content for document in documents] == library.texts
    for document, metadata in zip(documents, library.metadata, strict=True):
        assert metadata.items() <= document.metadata.items()


def test_llamaindex_finds_text_and_metadata(tmp_path: Path) -> None:
    llamaindex = pytest.importorskip("llama_index.vector_stores.qdrant")
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import MetadataMode
    from qdrant_client import QdrantClient

    class Hashing(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return vector(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            return vector(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vector(query)

    library = ingest_for("llamaindex", tmp_path / "library")
    client = QdrantClient(path=str(library.folder))
    store = llamaindex.QdrantVectorStore(collection_name="books", client=client)
    index = VectorStoreIndex.from_vector_store(store, embed_model=Hashing())
    nodes = [result.node for result in index.as_retriever(similarity_top_k=5).retrieve(QUERY)]
    client.close()
    assert [node.text for node in nodes] == library.texts
    assert [node.metadata for node in nodes] == [payload["metadata"] for payload in library.payloads]
    sent = nodes[0].get_content(MetadataMode.LLM).partition("\n\n")[0]
    assert {line.partition(":")[0] for line in sent.splitlines()} == {
        "book_title",
        "author",
        "section",
        "page_label",
    }
    assert nodes[0].get_content(MetadataMode.EMBED) == library.texts[0]


def test_haystack_finds_text_and_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    haystack = pytest.importorskip("haystack_integrations.document_stores.qdrant")
    from haystack.dataclasses import SparseEmbedding
    from haystack_integrations.components.retrievers.qdrant import (
        QdrantEmbeddingRetriever,
        QdrantSparseEmbeddingRetriever,
    )

    library = ingest_for("haystack", tmp_path / "library")
    store = haystack.QdrantDocumentStore(
        path=str(library.folder), index="books", embedding_dim=ENCODER.dim, use_sparse_embeddings=True
    )
    documents = QdrantEmbeddingRetriever(store, top_k=5).run(vector(QUERY))["documents"]
    words = query_terms("lamp", frozenset({"en"}))
    embedding = SparseEmbedding(indices=list(words.indices), values=list(words.values))
    with_the_word = QdrantSparseEmbeddingRetriever(store, top_k=5).run(embedding)["documents"]
    store.close()
    assert [document.content for document in documents] == library.texts
    for document, payload in zip(documents, library.payloads, strict=True):
        assert document.meta == {**payload, "source": Path(payload["source"]).name}  # as it is stored
    assert with_the_word
    assert all("lamp" in document.content.lower() for document in with_the_word)


def test_the_mcp_server_finds_text_and_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp_server_qdrant")
    from fastmcp import Client
    from mcp_server_qdrant.embeddings.base import EmbeddingProvider
    from mcp_server_qdrant.mcp_server import QdrantMCPServer
    from mcp_server_qdrant.qdrant import Entry
    from mcp_server_qdrant.settings import EmbeddingProviderSettings, QdrantSettings, ToolSettings

    class Hashing(EmbeddingProvider):
        async def embed_documents(self, documents: list[str]) -> list[list[float]]:
            return [vector(text) for text in documents]

        async def embed_query(self, query: str) -> list[float]:
            return vector(query)

        def get_vector_name(self) -> str:
            # Their own provider derives the name from the default model.
            return f"fast-{EmbeddingProviderSettings().model_name.split('/')[-1].lower()}"

        def get_vector_size(self) -> int:
            return ENCODER.dim

    library = ingest_for("mcp", tmp_path / "library")
    monkeypatch.setenv("QDRANT_LOCAL_PATH", str(library.folder))
    monkeypatch.setenv("COLLECTION_NAME", "books")
    monkeypatch.setenv("QDRANT_SEARCH_LIMIT", "5")
    server = QdrantMCPServer(ToolSettings(), QdrantSettings(), embedding_provider=Hashing())

    async def ask() -> list[str]:
        async with Client(server) as client:
            answer = await client.call_tool("qdrant-find", {"query": QUERY})
        await server.qdrant_connector._client.close()
        entries: list[str] = json.loads(answer[0].text)
        return entries

    _, *entries = asyncio.run(ask())  # the first line repeats the query
    expected = [
        server.format_entry(Entry(content=text, metadata=metadata))
        for text, metadata in zip(library.texts, library.metadata, strict=True)
    ]
    assert entries == expected
