"""What all frameworks share: the search for passages, and the metadata that comes with each."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from alexandria.embed.extra import extra_command
from alexandria.errors import ConfigError, MissingPackageError
from alexandria.library.libraries import AnyLibrary, Libraries
from alexandria.library.library import Library
from alexandria.store.passage import Hit

Answer = TypeVar("Answer")
FOR_MODELS = ("citation",)
"""The metadata that a language model needs besides the text; the rest is for programs."""


def require_framework(package: str, extra: str) -> None:
    """Make sure that a framework is installed.

    Raises:
        MissingPackageError: the framework is not installed.
    """
    if find_spec(package) is None:
        raise MissingPackageError(
            f"cannot make a retriever for {extra}",
            why=f"{package.replace('_', '-')} is not installed",
            fix=extra_command(extra),
        )


def as_library(library: object, collection: str | Sequence[str] = "books") -> AnyLibrary:
    """Return a library as it is, or one that opens at an address when it is first searched.

    Raises:
        ConfigError: it is neither a library nor an address.
    """
    if isinstance(library, Library | Libraries):
        return library
    if isinstance(library, str | Path):
        if isinstance(collection, str):
            return Library(library, collection)
        return Libraries(library, collection)
    raise ConfigError(
        f"library cannot be of the type {type(library).__name__}",
        why="it must be a Library, or where one is: a folder or the address of a server",
        fix="library=Library('my-library')",
    )


def metadata_of(hit: Hit) -> dict[str, Any]:
    """Return the metadata of a passage, as JSON values; `score` is its relevance, as frameworks expect it."""
    return {
        "citation": hit.citation,
        "title": hit.title,
        "author": hit.author,
        "language": hit.language,
        "section": " › ".join(hit.section),
        "page": hit.page,
        "page_label": hit.page_label,
        "page_start": hit.page_start,
        "page_end": hit.page_end,
        "book_id": hit.book_id,
        "chunk_id": hit.chunk_id,
        "hit": hit.short_id,
        "source": hit.source,
        "sentence": hit.sentence,
        "score": hit.relevance,
        "relevance": hit.relevance,
    }


def find_hits(
    library: AnyLibrary, query: str, *, limit: int, words: int | None, filters: Mapping[str, str]
) -> tuple[Hit, ...]:
    """Return what `Library.search` finds; with `words`, excerpts of at most that many words in all."""
    # Any: a type checker cannot know that the keys are names of filters.
    keywords: dict[str, Any] = dict(filters)
    return library.search(query, limit=limit, words=words, **keywords).hits


async def in_background(search: Callable[[], Answer]) -> Answer:
    """Return the result of a search without holding up the event loop."""
    run = partial(copy_context().run, search)
    return await asyncio.get_running_loop().run_in_executor(_threads(os.getpid()), run)


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """Return the threads that search for this process; after a fork, those of the parent do not run."""
    # Two: each more that waits for the interpreter's lock holds up the event loop by 5 ms per turn.
    return ThreadPoolExecutor(2, thread_name_prefix="alexandria")
