"""What the shell completes: the names of domains and strategies, and the titles of stored books."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress

import typer

from alexandria.book.choices import CitationStyle
from alexandria.book.filters import Filters
from alexandria.book.words import fold_text
from alexandria.doors.cli.help import strategy_names
from alexandria.errors import AlexandriaError


def complete_domain(incomplete: str) -> list[str]:
    """Return the domains whose names begin like this, and `auto`."""
    from alexandria.chunking.domains import domain_names

    return _beginning_with(incomplete, ["auto", *domain_names()])


def complete_strategy(incomplete: str) -> list[str]:
    """Return the strategies whose names begin like this."""
    return _beginning_with(incomplete, strategy_names())


def complete_style(incomplete: str) -> list[str]:
    """Return the styles of citations whose names begin like this."""
    return _beginning_with(incomplete, CitationStyle)


def complete_title(context: typer.Context, incomplete: str) -> list[str]:
    """Return the titles of stored books that begin like this; none if the library cannot be read at once."""
    from alexandria.library.library import Library

    store = context.params.get("store") or os.environ.get("ALEXANDRIA_STORE")
    collection = context.params.get("collection")
    with (
        suppress(AlexandriaError),
        Library(store, collection if isinstance(collection, str) else "books", wait=0) as library,
    ):
        titles = (book.title for book in library.books(Filters(book=incomplete) if incomplete else Filters()))
        return [_quoted(title) for title in titles if fold_text(title).startswith(fold_text(incomplete))]
    return []


def _quoted(title: str) -> str:
    """Return a title as one word of bash, which inserts it as it is; other shells quote it themselves."""
    is_bash = "bash" in os.environ.get("_ALEXANDRIA_COMPLETE", "")
    return re.sub(r"([^\w.,:-])", r"\\\1", title) if is_bash else title


def _beginning_with(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
