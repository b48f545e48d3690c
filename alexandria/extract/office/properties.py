"""Title, author, language and date as Word and OpenDocument files state them."""

from dataclasses import replace

from alexandria.book import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.markup.tree import Element, local_name, text_of
from alexandria.extract.metadata import read_metadata

_DATES = ("created", "creation-date", "date")
_AUTHORS = ("creator", "initial-creator")
_UNKNOWN = ("", "und", "zxx", "none")


def read_properties(root: Element | None) -> Metadata:
    """Return what `docProps/core.xml` or `meta.xml` states; the date is the day when the file was begun."""
    stated: dict[str, list[str]] = {}
    for element in root.iter() if root is not None else ():
        if not len(element) and (text := one_line(text_of(element))):
            stated.setdefault(local_name(element), []).append(text)

    def first(*names: str) -> str:
        return next((texts[0] for name in names if (texts := stated.get(name))), "")

    # OpenDocument's `creator` is who saved the file last.
    authors = _AUTHORS[::-1] if "initial-creator" in stated else _AUTHORS
    keywords = ",".join((*stated.get("keywords", ()), *stated.get("keyword", ())))
    info = {"Title": first("title"), "Author": first(*authors), "Keywords": keywords}
    language = first("language").replace("_", "-")
    known = language.casefold() not in _UNKNOWN
    return replace(
        read_metadata(info),
        language=language if known else None,
        language_source="metadata" if known else None,
        publisher=first("publisher"),
        date=first(*_DATES)[:10],
        identifiers=tuple(stated.get("identifier", ())),
    )
