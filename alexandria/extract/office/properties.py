"""Reads title, author, language and date as Word and OpenDocument files state them."""

from dataclasses import replace

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.markup.tree import Element, local_name, text_of
from alexandria.extract.metadata import first_value, read_metadata

_DATES = ("created", "creation-date", "date")
_AUTHORS_OF_WORD = ("creator",)
_AUTHORS_OF_OPENDOCUMENT = ("initial-creator", "creator")
"""The author first: `creator` is the person who last saved the file."""
_UNKNOWN_LANGUAGES = ("", "und", "zxx", "none")
_DATE_LENGTH = 10
"""Characters of `2024-05-31`, without the time of day."""


def read_properties(root: Element | None) -> Metadata:
    """Return the metadata in `docProps/core.xml` or `meta.xml`; empty for a missing part (None).

    The date is that at which the file was created.
    """
    properties: dict[str, list[str]] = {}
    for element in root.iter() if root is not None else ():
        is_leaf = len(element) == 0
        if is_leaf and (text := one_line(text_of(element))):
            properties.setdefault(local_name(element), []).append(text)

    authors = _AUTHORS_OF_OPENDOCUMENT if "initial-creator" in properties else _AUTHORS_OF_WORD
    keywords = ",".join((*properties.get("keywords", ()), *properties.get("keyword", ())))
    info = {
        "Title": first_value(properties, "title"),
        "Author": first_value(properties, *authors),
        "Keywords": keywords,
    }
    language = first_value(properties, "language").replace("_", "-")
    is_known = language.casefold() not in _UNKNOWN_LANGUAGES
    return replace(
        read_metadata(info),
        language=language if is_known else None,
        language_source="metadata" if is_known else None,
        publisher=first_value(properties, "publisher"),
        date=first_value(properties, *_DATES)[:_DATE_LENGTH],
        identifiers=tuple(properties.get("identifier", ())),
    )
