"""Turn books into a searchable, explainable Qdrant collection."""

from importlib import import_module
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError, BookError, ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.book import Book, Chunk
    from alexandria.library import Library
    from alexandria.passage import Hit, Passage
    from alexandria.plain_text import UniversalChunker, chunk
    from alexandria.shortcuts import ingest, inspect, open, search
    from alexandria.store import Server

__version__ = "0.1.0"
__all__ = [
    "AlexandriaError",
    "Book",
    "BookError",
    "Chunk",
    "ConfigError",
    "Hit",
    "Library",
    "Passage",
    "Server",
    "StoreError",
    "UniversalChunker",
    "chunk",
    "ingest",
    "inspect",
    "open",
    "search",
]

# No module of this package has one of these names: importing it would replace the function.
_MODULES = {
    "Book": "book",
    "Chunk": "book",
    "Hit": "passage",
    "Library": "library",
    "Passage": "passage",
    "Server": "store",
    "UniversalChunker": "plain_text",
    "chunk": "plain_text",
    "ingest": "shortcuts",
    "inspect": "shortcuts",
    "open": "shortcuts",
    "search": "shortcuts",
}


def __getattr__(name: str) -> object:
    # Loaded on first use: importing the package alone must not import the readers and numpy.
    if name not in _MODULES:
        raise AttributeError(f"module 'alexandria' has no attribute {name!r}")
    return getattr(import_module(f"alexandria.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
