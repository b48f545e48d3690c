"""Metadata that a user or Calibre states for a book, in place of what its file states."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from alexandria.book.edits import DATES, FIELDS, LISTS, STATED
from alexandria.book.model import Book
from alexandria.book.people import (
    AUTHOR,
    EDITOR,
    TRANSLATOR,
    Contributor,
    joined_names,
    people_of,
    stray_brace,
)
from alexandria.book.words import entered_text
from alexandria.errors import ConfigError
from alexandria.library.cite.works import people_of_record, year_of
from alexandria.store.catalog import Catalog
from alexandria.store.payload import OPTIONAL_KEYS, STATED_KEYS, as_stored
from alexandria.store.record import Record, with_payload_changes

_ROLES = {"author": AUTHOR, "editors": EDITOR, "translators": TRANSLATOR}  # the fields that name people
_PAYLOAD_KEYS = {
    "title": "book_title",
    **{name: name for name in ("author", *STATED_KEYS, "kind", *OPTIONAL_KEYS)},
}  # the fields that are also in the payloads of points, with their keys there


def with_metadata(book: Book, new_values: Mapping[str, Any]) -> Book:
    """Return a book with other metadata: new values by field name (see `FIELDS`)."""
    if not new_values:
        return book
    stated = book.metadata
    people = stated.people or people_of(", ".join(stated.authors), language=stated.language)
    people = _with_people(people, new_values, stated.language)
    values: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value
        for name, value in new_values.items()
        if name not in _ROLES
    }
    for name, field in (("author", "authors"), ("translators", "translators")):
        if name in new_values:
            values[field] = tuple(person.name for person in people if person.role == _ROLES[name])
    if any(name in _ROLES for name in new_values):
        values["people"] = people
    return replace(book, metadata=replace(stated, **values))


def with_metadata_of(book: Book, record: Record) -> Book:
    """Return a book with the metadata that it is stored with."""
    stored = {name: getattr(record, name) for name in STATED}
    authors = (record.author,) if record.author else ()
    return replace(book, metadata=replace(book.metadata, authors=authors, **stored))


def _with_people(
    people: Sequence[Contributor], new_values: Mapping[str, Any], language: str | None
) -> tuple[Contributor, ...]:
    """Return the people who made a book, with those of other roles in place of the ones that are given."""
    # A name is taken as it is typed: `Family, Given`, `Given Family`, an organisation, or any name in braces.
    named = {role: new_values[name] for name, role in _ROLES.items() if name in new_values}
    kept = [person for person in people if person.role not in named]
    given = [
        person
        for role, value in named.items()
        for text in ([value] if isinstance(value, str) else value)
        for person in people_of(text, language=language, role=role)
    ]
    rank_of = {role: rank for rank, role in enumerate(_ROLES.values())}
    return tuple(sorted([*given, *kept], key=lambda person: rank_of.get(person.role, len(rank_of))))


def edit_book(catalog: Catalog, record: Record, new_values: Mapping[str, Any]) -> Record:
    """Change the metadata of a stored book for good, and return its new record.

    Args:
        new_values: new values by field name (see `FIELDS`); the other fields stay as they are.

    Raises:
        ConfigError: an unknown field, a value of another type, or an empty title.
    """
    typed = _as_typed(new_values)
    return _write(catalog, record, replace(_with_fields(record, typed), edits={**record.edits, **typed}))


def update_metadata(catalog: Catalog, record: Record, new_values: Mapping[str, Any]) -> Record:
    """Give a stored book the metadata that is stated for its file; raises what `edit_book` does.

    Returns:
        Its new record, or the one given if the book has these values already.
    """
    if _with_fields(record, new_values) == record:
        return record
    return _write(catalog, record, _with_fields(record, _as_typed(new_values)))


def _as_typed(new_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as they are stored, once each was found to be right for its field.

    Raises:
        ConfigError: an unknown field, a value of another type, an empty title, a brace of no pair, or a date
            without a year.
    """
    if unknown := [name for name in new_values if name not in FIELDS]:
        raise ConfigError(
            f"cannot edit {unknown[0]!r}", why=f"the fields are {', '.join(FIELDS)}", fix="choose one of them"
        )
    _check_types(new_values)
    if "title" in new_values and not new_values["title"].strip():
        raise ConfigError("cannot edit the title", why="it would be empty", fix="give a title")
    for name in _ROLES.keys() & new_values.keys():
        texts = [new_values[name]] if isinstance(new_values[name], str) else new_values[name]
        if text := next(filter(stray_brace, texts), ""):
            raise ConfigError(
                f"cannot edit the {name}",
                why=f"a brace in {text!r} is not one of a pair around a whole name",
                fix="write a name that is to stay whole as {Marcus Aurelius}",
            )
    for name in DATES:
        if new_values.get(name) and not year_of(new_values[name]):
            raise ConfigError(
                f"cannot edit the {name.replace('_', ' ')}",
                why=f"{new_values[name]!r} has no year",
                fix="give a date such as 1912 or 1912-05-30",
            )
    return {
        name: [entered_text(text) for text in value] if name in LISTS else entered_text(value)
        for name, value in new_values.items()
    }


def _write(catalog: Catalog, record: Record, new: Record) -> Record:
    """Write the new record of a book, and its payloads if they have what changed; vectors and cuts stay.

    Nothing is written if nothing changed.
    """
    if new == record:
        return record
    payload = {
        key: as_stored(getattr(new, name))
        for name, key in _PAYLOAD_KEYS.items()
        if getattr(new, name) != getattr(record, name)
    }
    with catalog.write_lock():
        if not payload:  # only the record has these fields
            catalog.update(new)
            return new
        return catalog.replace(*with_payload_changes(new, catalog.points(record), payload))


def _with_fields(record: Record, values: Mapping[str, Any]) -> Record:
    """Return the record of a book with metadata that is stated for it, by field name (see `FIELDS`)."""
    fields: dict[str, Any] = {
        name: tuple(value) if name in LISTS else value for name, value in values.items() if name not in _ROLES
    }
    if any(name in _ROLES for name in values):
        people = _with_people(people_of_record(record), values, record.language)
        fields["people"] = people
        if "author" in values:
            fields["author"] = joined_names(people, AUTHOR)
        if "translators" in values:
            fields["translators"] = tuple(person.name for person in people if person.role == TRANSLATOR)
    changed: Record = replace(record, **fields)
    return changed


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
