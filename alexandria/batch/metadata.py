"""Metadata that a user or Calibre states for a book, in place of what its file states."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from alexandria.book import Book
from alexandria.errors import ConfigError, well_formed
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.rewrite import with_payload_changes


class Edits(TypedDict, total=False):
    """The fields that can be given, as keyword arguments of `Library.edit`."""

    title: str
    author: str
    publisher: str
    date: str
    translators: Sequence[str]
    identifiers: Sequence[str]
    series: str


FIELDS = tuple(Edits.__annotations__)
LISTS = ("translators", "identifiers")
"""The fields with several values."""
_PAYLOAD_KEYS = {"title": "book_title"}
"""The key of a field in the payloads of points, where that is not its name."""


def with_metadata(book: Book, new_values: Mapping[str, Any]) -> Book:
    """Return a book with other metadata: new values by field name (see `FIELDS`)."""
    values: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value for name, value in new_values.items()
    }
    if "author" in values:
        author = values.pop("author")
        values["authors"] = (author,) if author else ()
    return replace(book, metadata=replace(book.metadata, **values)) if values else book


def edit_book(
    catalog: Catalog, record: Record, new_values: Mapping[str, Any], *, record_edit: bool = True
) -> Record:
    """Change the metadata of a stored book, and return its new record; vectors and cuts stay as they are.

    Nothing is written if the book already has these values.

    Args:
        catalog: holds the book.
        record: the book.
        new_values: new values by field name (see `FIELDS`); the other fields stay as they are.
        record_edit: whether the book keeps the values when it is ingested again.

    Raises:
        ConfigError: an unknown field, a value of another type, or an empty title.
    """
    if unknown := [name for name in new_values if name not in FIELDS]:
        raise ConfigError(
            f"cannot edit {unknown[0]!r}", why=f"the fields are {', '.join(FIELDS)}", fix="choose one of them"
        )
    _check_types(new_values)
    if "title" in new_values and not new_values["title"].strip():
        raise ConfigError("cannot edit the title", why="it would be empty", fix="give a title")
    # JSON has lists, the record has tuples.
    as_json = {
        name: [well_formed(text) for text in value] if name in LISTS else well_formed(value)
        for name, value in new_values.items()
    }
    as_fields: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value for name, value in as_json.items()
    }
    edits = {**record.edits, **as_json} if record_edit else record.edits
    new: Record = replace(record, **as_fields, edits=edits)
    if new == record:
        return record
    payload = {_PAYLOAD_KEYS.get(name, name): value for name, value in as_json.items()}
    with catalog.write_lock():
        return catalog.replace(*with_payload_changes(new, catalog.points(record), payload))


def _check_types(new_values: Mapping[str, Any]) -> None:
    """Refuse values that are not strings, or not lists of strings: a string is no list of its letters.

    Raises:
        ConfigError: a value has another type.
    """
    for name, value in new_values.items():
        if name in LISTS:
            is_sound = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
            expected = "a list of strings"
        else:
            is_sound, expected = isinstance(value, str), "a string"
        if not is_sound:
            raise ConfigError(
                f"cannot edit the {name}", why=f"{value!r} is not {expected}", fix=f"give {expected}"
            )


def needs_edit(record: Record, new_values: Mapping[str, Any]) -> bool:
    """Return whether a value in `new_values`, by field name, differs from that of the stored book."""
    return any(value != _stored_value(record, name) for name, value in new_values.items())


def _stored_value(record: Record, name: str) -> Any:
    """Return the value of a metadata field as JSON has it: a list, not a tuple, for several values."""
    value = getattr(record, name)
    return list(value) if name in LISTS else value
