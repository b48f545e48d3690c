"""Turn books into a searchable, explainable Qdrant collection."""

from importlib import import_module
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError

if TYPE_CHECKING:
    from alexandria.book import Book, Chunk
    from alexandria.library import ingest, inspect, search
    from alexandria.plain_text import UniversalChunker

__version__ = "0.1.0"
__all__ = ["AlexandriaError", "Book", "Chunk", "UniversalChunker", "ingest", "inspect", "search"]

_WHERE = {
    "Book": "alexandria.book",
    "Chunk": "alexandria.book",
    "UniversalChunker": "alexandria.plain_text",
    "ingest": "alexandria.library",
    "inspect": "alexandria.library",
    "search": "alexandria.library",
}


def __getattr__(name: str) -> object:
    # Loaded when first asked for: importing the package alone must not cost the readers and numpy.
    if name not in _WHERE:
        raise AttributeError(f"module 'alexandria' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)
