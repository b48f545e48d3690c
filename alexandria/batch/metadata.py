"""Metadata that a user or Calibre gives a book, in place of what its file states."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from alexandria.book import Book
from alexandria.errors import ConfigError
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.rewrite import rewritten

FIELDS = ("title", "author", "publisher", "date", "translators", "identifiers", "series")
"""What can be given."""
LISTS = ("translators", "identifiers")


def with_metadata(book: Book, given: Mapping[str, Any]) -> Book:
    """Return a book with the metadata given for it."""
    values: dict[str, Any] = {name: tuple(value) if name in LISTS else value for name, value in given.items()}
    if "author" in values:
        author = values.pop("author")
        values["authors"] = (author,) if author else ()
    return replace(book, metadata=replace(book.metadata, **values)) if values else book


def edit_book(catalog: Catalog, record: Record, given: Mapping[str, Any], *, keep: bool = True) -> Record:
    """Give a stored book other metadata, and return its new record; vectors and cuts stay as they are.

    What the book has already is not written again.

    Args:
        catalog: that holds the book.
        record: the book.
        given: values by field, one of `FIELDS`; what is given already and not named stays.
        keep: whether the book keeps them when it is ingested again.

    Raises:
        ConfigError: an unknown field, or an empty title.
    """
    if unknown := [name for name in given if name not in FIELDS]:
        raise ConfigError(
            f"cannot edit {unknown[0]!r}", why=f"the fields are {', '.join(FIELDS)}", fix="choose one of them"
        )
    if not str(given.get("title", "x")).strip():
        raise ConfigError("cannot edit the title", why="it would be empty", fix="give a title")
    values = {name: list(value) if name in LISTS else value for name, value in given.items()}
    fields: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value for name, value in values.items()
    }
    new: Record = replace(record, **fields, edits={**record.edits, **(values if keep else {})})
    if new == record:
        return record
    payload = {_KEYS.get(name, name): value for name, value in values.items()}
    with catalog.changing():
        return catalog.replace(*rewritten(new, catalog.points(record), payload))


_KEYS = {"title": "book_title"}


def differs(record: Record, given: Mapping[str, Any]) -> bool:
    """Return whether a stored book lacks some of the metadata given for it."""
    return any(value != _stored(record, name) for name, value in given.items())


def _stored(record: Record, name: str) -> Any:
    value = getattr(record, name)
    return list(value) if name in LISTS else value
