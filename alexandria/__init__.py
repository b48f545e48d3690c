"""Turn books into a searchable, explainable Qdrant collection.

    with alexandria.open("my-library") as library:
        library.ingest("republic.epub", domain="philosophy")
        for hit in library.search("what is justice?", limit=3):
            print(hit.strength, hit.citation, hit.text)

In one call each, without `with`:
    ingest(paths)       read books and store them, cut where the topic changes
    search(question)    the passages that answer, best first
    inspect(book)       where a book is cut, and why, without storing it
    chunk(text)         cut plain text; no library is needed

With a library open:
    open, Library, Libraries    one collection, or several read as one; help(alexandria.Library) has the rest
    Server                      how to reach a Qdrant server, and how to create a collection there
    Filters                     which books a search considers: domain, book, author, language, chapter

What they return:
    Results, Hit        the hits of a search with its verdict and notes; a passage with its relevance
    Passage, Quotation  a chunk with its place and citation; a place where a quotation was found
    Places, Searched    the places of a quotation; what was looked at
    CheckReport         the quotations of a manuscript, compared with the books
    Record, Chapter     a stored book; a chapter with its topic
    Outcome             what became of a file
    Book, Chunk         a book as it was read; a piece of it with the boundary before it

Errors are AlexandriaError: BookError, ConfigError or StoreError; each says what, why and the fix. A wrong
type is a TypeError. What takes long is logged to the logger `alexandria`, from INFO on.

UniversalChunker is the class of the published description; alexandria.described has those of the others.
docs/api.md lists every name with its arguments.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError as AlexandriaError
from alexandria.errors import BookError as BookError
from alexandria.errors import ConfigError as ConfigError
from alexandria.errors import StoreError as StoreError
from alexandria.system import __version__ as __version__

if TYPE_CHECKING:
    from alexandria.book.filters import Filters as Filters
    from alexandria.book.model import Book as Book
    from alexandria.book.model import Chunk as Chunk
    from alexandria.library.check.report import CheckReport as CheckReport
    from alexandria.library.chunk_text import UniversalChunker as UniversalChunker
    from alexandria.library.chunk_text import chunk as chunk
    from alexandria.library.ingest.outcome import Outcome as Outcome
    from alexandria.library.libraries import Libraries as Libraries
    from alexandria.library.library import Library as Library
    from alexandria.library.read.contents import Chapter as Chapter
    from alexandria.library.search.hits import Results as Results
    from alexandria.library.shortcuts import ingest as ingest
    from alexandria.library.shortcuts import inspect as inspect
    from alexandria.library.shortcuts import open as open
    from alexandria.library.shortcuts import search as search
    from alexandria.store import Server as Server
    from alexandria.store.passage import Hit as Hit
    from alexandria.store.passage import Passage as Passage
    from alexandria.store.passage import Places as Places
    from alexandria.store.passage import Quotation as Quotation
    from alexandria.store.passage import Searched as Searched
    from alexandria.store.record import Record as Record


# No module of this package has one of these names: importing it would replace the function.
_MODULES = {
    "Book": "book.model",
    "Chapter": "library.read.contents",
    "CheckReport": "library.check.report",
    "Chunk": "book.model",
    "Filters": "book.filters",
    "Hit": "store.passage",
    "Libraries": "library.libraries",
    "Library": "library.library",
    "Outcome": "library.ingest.outcome",
    "Passage": "store.passage",
    "Places": "store.passage",
    "Quotation": "store.passage",
    "Searched": "store.passage",
    "Record": "store.record",
    "Results": "library.search.hits",
    "Server": "store",
    "UniversalChunker": "library.chunk_text",
    "chunk": "library.chunk_text",
    "ingest": "library.shortcuts",
    "inspect": "library.shortcuts",
    "open": "library.shortcuts",
    "search": "library.shortcuts",
}

_NAMES = sorted([*_MODULES, "AlexandriaError", "BookError", "ConfigError", "StoreError"])
"""The public names. Not `__all__`: `help(alexandria)` would print each of them in full."""


def __getattr__(name: str) -> object:
    """Load a name on first use (PEP 562): importing the package alone must not import readers and numpy."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"alexandria.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
