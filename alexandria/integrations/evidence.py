"""What all frameworks share: the search for passages, and the metadata that comes with each."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from alexandria.embed.extra import extra_command
from alexandria.errors import ConfigError
from alexandria.library import Library
from alexandria.passage import Hit

FOR_MODELS = ("citation",)
"""The metadata that a language model needs besides the text; the rest is for programs."""


def require_framework(package: str, extra: str) -> None:
    """Make sure that a framework is installed.

    Args:
        package: as it is imported.
        extra: the extra that brings it.

    Raises:
        ConfigError: the framework is not installed.
    """
    if find_spec(package) is None:
        raise ConfigError(
            f"cannot make a retriever for {extra}",
            why=f"{package.replace('_', '-')} is not installed",
            fix=extra_command(extra),
        )


def metadata_of(hit: Hit) -> dict[str, Any]:
    """Return the metadata of a passage, as JSON values."""
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
        "score": hit.score,
        "relevance": hit.relevance,
    }


def find_hits(
    library: Library, query: str, *, limit: int, words: int | None, filters: Mapping[str, str]
) -> tuple[Hit, ...]:
    """Return what `Library.search` finds; with `words`, excerpts of at most that many words in all."""
    # Any: a type checker cannot know that the keys are names of filters.
    keywords: dict[str, Any] = dict(filters)
    return library.search(query, limit=limit, words=words, **keywords).hits
