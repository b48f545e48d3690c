"""Text and vectors a second time, under the names that other readers of Qdrant collections look for.

LlamaIndex needs nothing: it reads the unnamed vector with `text`. LangChain finds `page_content`, or is told
`content_payload_key="text"`. A reader that wants a vector of its own name gets a copy of the chunk's; which
there are is fixed when the collection is created.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alexandria.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Reader:
    """What another program looks for in a collection, beside what is there anyway."""

    text_key: str | None = None
    """The payload key of the text."""
    vector: str | None = None
    """The name of the chunk vector."""
    word_vector: str | None = None
    """The name of the word weights."""


READERS: Mapping[str, Reader] = {
    "langchain": Reader(text_key="page_content"),
    "llamaindex": Reader(),
    # QdrantDocumentStore(use_sparse_embeddings=True): it refuses named vectors otherwise. No `meta`: it takes
    # every other key for metadata, and refuses both at once.
    "haystack": Reader(text_key="content", vector="text-dense", word_vector="text-sparse"),
    "mcp": Reader(text_key="document", vector="fast-all-minilm-l6-v2"),
}
_KEYS = frozenset(one.text_key for one in READERS.values())


def check_readers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, sorted, each once.

    Raises:
        ConfigError: a reader we do not know.
    """
    chosen = tuple(sorted(set(names)))
    if unknown := [name for name in chosen if name not in READERS]:
        raise ConfigError(
            f"unknown reader {unknown[0]!r}",
            why=f"the readers are {', '.join(READERS)}",
            fix="--compat with one of them, or several with commas",
        )
    return chosen


def added_vectors(names: Sequence[str]) -> list[str]:
    """Return the names under which the chunk vector is stored again."""
    return [vector for name in names if (vector := READERS[name].vector)]


def added_word_vectors(names: Sequence[str]) -> list[str]:
    """Return the names under which the word weights are stored again."""
    return [vector for name in names if (vector := READERS[name].word_vector)]


def dressed(payload: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the payload with the copies that these readers want."""
    keys = [key for name in names if (key := READERS[name].text_key)]
    return {**payload, **dict.fromkeys(keys, payload["text"])} if keys else dict(payload)


def undressed(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload without any reader's copies: what was stored for ourselves."""
    return {key: value for key, value in payload.items() if key not in _KEYS}
