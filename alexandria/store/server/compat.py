"""Copies of text and vectors under the names that other programs expect in a Qdrant collection.

LlamaIndex reads the unnamed vector and `text`. Unless it finds a node in its own format, it sends models
every other key of the payload as metadata. LangChain reads `page_content`, or `text` with
`content_payload_key="text"`. A program that expects the vector under another name gets a copy of the chunk
vector; these names are fixed when the collection is created.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alexandria.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Reader:
    """What another program expects in a collection, besides what is always there."""

    text_key: str | None = None  # the payload key of the text
    vector: str | None = None  # the name of the chunk vector
    sparse_vector: str | None = None  # the name of the BM25 vector
    has_node: bool = False
    """Whether it reads a node of LlamaIndex: the text, the metadata, and which of the metadata models get."""


_NODE_KEY, _NODE_TYPE_KEY = "_node_content", "_node_type"
_SENT_TO_MODELS = ("book_title", "author", "section", "page_label")
"""The metadata of a node that a model needs besides the text; the rest is for programs."""

READERS: Mapping[str, Reader] = {
    "langchain": Reader(text_key="page_content"),
    "llamaindex": Reader(has_node=True),
    # For QdrantDocumentStore(use_sparse_embeddings=True), which alone accepts named vectors. Without a key
    # `meta`: it takes all other keys as metadata, and refuses a collection that has `meta` as well.
    "haystack": Reader(text_key="content", vector="text-dense", sparse_vector="text-sparse"),
    "mcp": Reader(text_key="document", vector="fast-all-minilm-l6-v2"),
}
_COPY_KEYS = frozenset({*(reader.text_key for reader in READERS.values()), _NODE_KEY, _NODE_TYPE_KEY})
"""The payload keys that only copies have."""


def parse_readers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of programs for which copies are to be written, sorted and without duplicates.

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
        copies |= {_NODE_KEY: _make_node(id, payload), _NODE_TYPE_KEY: "TextNode"}
    return {**payload, **copies}


def _make_node(id: str, payload: Mapping[str, Any]) -> str:
    """Return a chunk as a node of LlamaIndex, in its JSON."""
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
    return {key: value for key, value in payload.items() if key not in _COPY_KEYS}
