"""Copies of text and vectors under the names that other programs expect in a Qdrant collection.

LlamaIndex reads the unnamed vector and `text`, and sends models every other key as metadata unless it finds a
node of its own. LangChain reads `page_content`, or `text` with `content_payload_key="text"`. A program that
expects a vector under a name of its own gets a copy of the chunk vector; the names are fixed when the
collection is created.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alexandria.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Reader:
    """What another program expects in a collection, besides what is always there."""

    text_key: str | None = None
    """The payload key of the text."""
    vector: str | None = None
    """The name of the chunk vector."""
    sparse_vector: str | None = None
    """The name of the BM25 vector."""
    has_node: bool = False
    """Whether it reads a node of LlamaIndex: the text, and the metadata with what of it a model is sent."""


_NODE_KEY, _NODE_TYPE_KEY = "_node_content", "_node_type"
_SENT_TO_MODELS = ("book_title", "author", "section", "page_label")
"""The metadata of a node that a model needs besides the text; the rest is for programs."""

READERS: Mapping[str, Reader] = {
    "langchain": Reader(text_key="page_content"),
    "llamaindex": Reader(has_node=True),
    # QdrantDocumentStore(use_sparse_embeddings=True): otherwise it refuses named vectors. No `meta` key: it
    # takes every other key as metadata, and refuses a collection that has both.
    "haystack": Reader(text_key="content", vector="text-dense", sparse_vector="text-sparse"),
    "mcp": Reader(text_key="document", vector="fast-all-minilm-l6-v2"),
}
_KEYS = frozenset({*(reader.text_key for reader in READERS.values()), _NODE_KEY, _NODE_TYPE_KEY})


def check_readers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of other programs that read the collection, sorted and without duplicates.

    Raises:
        ConfigError: a name is unknown.
    """
    chosen = tuple(sorted(set(names)))
    if unknown := [name for name in chosen if name not in READERS]:
        raise ConfigError(
            f"unknown reader {unknown[0]!r}",
            why=f"the readers are {', '.join(READERS)}",
            fix="pass one of them with --compat, or several separated by commas",
        )
    return chosen


def extra_dense_vectors(names: Sequence[str]) -> list[str]:
    """Return the names under which the chunk vector is stored again."""
    return [vector for name in names if (vector := READERS[name].vector)]


def extra_sparse_vectors(names: Sequence[str]) -> list[str]:
    """Return the names under which the BM25 vector is stored again."""
    return [vector for name in names if (vector := READERS[name].sparse_vector)]


def with_copies(id: str, payload: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the payload of a point with the copies that these readers expect."""
    keys = [key for name in names if (key := READERS[name].text_key)]
    copies = dict.fromkeys(keys, payload["text"]) if keys else {}
    if any(READERS[name].has_node for name in names):
        copies |= {_NODE_KEY: _node(id, payload), _NODE_TYPE_KEY: "TextNode"}
    return {**payload, **copies}


def _node(id: str, payload: Mapping[str, Any]) -> str:
    """Return a chunk as LlamaIndex writes its nodes."""
    metadata = payload["metadata"]
    node = {
        "id_": id,
        "text": payload["text"],
        "metadata": metadata,
        "excluded_embed_metadata_keys": sorted(metadata),
        "excluded_llm_metadata_keys": sorted(metadata.keys() - set(_SENT_TO_MODELS)),
    }
    return json.dumps(node, ensure_ascii=False)


def without_copies(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload without any reader's copies."""
    return {key: value for key, value in payload.items() if key not in _KEYS}
