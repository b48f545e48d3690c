"""Reads the parts of a word processor's file: members of its archive, as XML, and the metadata in them."""

from dataclasses import replace

from alexandria.book.model import Metadata
from alexandria.errors import BookError
from alexandria.extract.clean import one_line
from alexandria.extract.container import Container, MemberError
from alexandria.extract.markup.tree import Element, local_name, parse_xml, text_of
from alexandria.extract.metadata import first_value, read_metadata
from alexandria.extract.refusals import damaged

SAVE_AGAIN = "open it in Word or LibreOffice, and save it again"
_DATES = ("created", "creation-date", "date")
_AUTHORS_OF_WORD = ("creator",)
_AUTHORS_OF_OPENDOCUMENT = ("initial-creator", "creator")
"""The author first: `creator` is the person who last saved the file."""
_UNKNOWN_LANGUAGES = ("", "und", "zxx", "none")
_DATE_LENGTH = 10  # characters of `2024-05-31`, without the time of day


def main_part(container: Container, name: str) -> Element:
    """Return the root element of the part that holds the text.

    Raises:
        BookError: `damaged`; it is missing, is not well-formed XML, or is nested too deep.
    """
    try:
        root = parse_xml(container.read(name))
    except MemberError as error:
        raise _damaged_error(container, f"{name}, which holds its text, cannot be read: {error}") from error
    if root is None:
        why = f"{name}, which holds its text, is not well-formed XML, or nests more than 256 elements"
        raise _damaged_error(container, why)
    return root


def _damaged_error(container: Container, why: str) -> BookError:
    return damaged(container.path, why, fix=SAVE_AGAIN)


def optional_part(container: Container, name: str, warnings: list[str]) -> Element | None:
    """Return the root element of any other part; if it cannot be read, add to `warnings` and return None."""
    try:
        root = parse_xml(container.read(name))
    except MemberError as error:
        warnings.append(f"{name} was not read: {error}")
        return None
    if root is None:
        warnings.append(f"{name} was not read: it is not well-formed XML")
    return root


def read_properties(root: Element | None, printed_title: str) -> Metadata:
    """Return the metadata in `docProps/core.xml` or `meta.xml`; empty for a missing part (None).

    The date is that at which the file was created. If there is no title, it is that which is printed.
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
    metadata = read_metadata(info)
    return replace(
        metadata,
        title=metadata.title or printed_title,
        language=language if is_known else None,
        language_source="metadata" if is_known else None,
        publisher=first_value(properties, "publisher"),
        date=first_value(properties, *_DATES)[:_DATE_LENGTH],
        identifiers=tuple(properties.get("identifier", ())),
    )
