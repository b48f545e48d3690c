"""Reads title, author, language and date as Word and OpenDocument files state them."""

from dataclasses import replace

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.markup.tree import Element, local_name, text_of
from alexandria.extract.metadata import read_metadata

_DATES = ("created", "creation-date", "date")
_AUTHORS = ("creator", "initial-creator")
_UNKNOWN_LANGUAGES = ("", "und", "zxx", "none")
_DATE_LENGTH = 10
"""Characters of `2024-05-31`, without the time of day."""


def read_properties(root: Element | None) -> Metadata:
    """Return what `docProps/core.xml` or `meta.xml` states; the date is that of the file's creation."""
    properties: dict[str, list[str]] = {}
    for element in root.iter() if root is not None else ():
        if not len(element) and (text := one_line(text_of(element))):
            properties.setdefault(local_name(element), []).append(text)

    def first(*names: str) -> str:
        return next((texts[0] for name in names if (texts := properties.get(name))), "")

    # In OpenDocument, `creator` is the person who last saved the file.
    authors = _AUTHORS[::-1] if "initial-creator" in properties else _AUTHORS
    keywords = ",".join((*properties.get("keywords", ()), *properties.get("keyword", ())))
    info = {"Title": first("title"), "Author": first(*authors), "Keywords": keywords}
    language = first("language").replace("_", "-")
    is_known = language.casefold() not in _UNKNOWN_LANGUAGES
    return replace(
        read_metadata(info),
        language=language if is_known else None,
        language_source="metadata" if is_known else None,
        publisher=first("publisher"),
        date=first(*_DATES)[:_DATE_LENGTH],
        identifiers=tuple(properties.get("identifier", ())),
    )
