"""Reads the XMP metadata of a PDF: authors one by one, publisher, date, ISBN.

Source: ISO 16684-1 (XMP), and the PRISM namespace, in which publishers state ISBN, DOI and publication date.
"""

import mmap
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from alexandria.book.model import ARTICLE_KEYS, Metadata
from alexandria.book.people import divide, split_names
from alexandria.extract.clean import one_line
from alexandria.extract.markup.tree import Element, local_name, parse_xml
from alexandria.extract.metadata import (
    displayed_authors,
    divide_imprint,
    is_date,
    is_placeholder,
    read_metadata,
)

_MARK = b"<x:xmpmeta"
_DATES = ("coverdate", "publicationdate", "date", "coverdisplaydate")
"""Properties with the date of publication, the surest first, without capitals; others are of the file."""
_IDENTIFIERS = ("isbn", "doi", "identifier")
_FILE_ID = re.compile(r"(?:uuid|xmp\.\w+|adobe):|[0-9a-f-]{32,}$", re.IGNORECASE)
"""Identifiers of a file, which say nothing about the book."""


def with_xmp(metadata: Metadata, path: Path, password: str | None) -> Metadata:
    """Return the metadata of a PDF's Info dictionary, with what its XMP packet states in their place."""
    packet = _read_packet(path, password)
    root = parse_xml(packet, recover=True) if packet else None
    return metadata if root is None else _merged(metadata, root)


def _read_packet(path: Path, password: str | None) -> bytes:
    """Return the XMP packet of the document (not of a picture in it), or no bytes."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_MARK) < 0:
            return b""
    import pypdf  # half of the import time of the PDF modules, for files that have a packet

    try:
        root = pypdf.PdfReader(path, password=password).root_object
        return bytes(root["/Metadata"].get_object().get_data())  # type: ignore[union-attr]
    except MemoryError:
        raise
    except Exception:  # on damaged files pypdf raises whatever its own code runs into
        return b""


def _merged(metadata: Metadata, root: Element) -> Metadata:
    """Return the metadata of the Info dictionary, with what an XMP packet states in its place."""
    properties = _properties(root)

    def values(*names: str) -> list[str]:
        return [value for name in names for value in properties.get(name, ())]

    title = read_metadata({"Title": next(iter(values("title")), "")}).title
    names = [name for creator in values("creator") for name in split_names(creator)]
    people = tuple(divide(name) for name in names if not is_placeholder(name))
    place, publisher = divide_imprint(next(iter(values("publisher")), ""))
    identifiers = [text for text in values(*_IDENTIFIERS) if not _FILE_ID.match(text)]
    read = replace(
        metadata,
        title=title or metadata.title,
        authors=displayed_authors(people) or metadata.authors,
        people=people,
        publisher=publisher,
        place=place,
        date=next(filter(is_date, values(*_DATES)), ""),
        identifiers=tuple(dict.fromkeys(identifiers)),
        subjects=properties.get("subject", metadata.subjects),
    )
    return replace(read, **_journal(properties))


def _journal(properties: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the journal of an article with its volume, issue and pages, as fields of metadata."""
    name, kind, *stated, first, last, both = (next(iter(properties.get(key, ())), "") for key in _JOURNAL)
    if not name or not any(stated) or kind not in ("journal", ""):
        return {}
    pages = "–".join(dict.fromkeys(filter(None, (first, last)))) or re.sub("-+", "–", both)
    values = (re.sub(r"^(\w+) - (?=\1 )", "", name), *stated, pages)
    return dict(zip(ARTICLE_KEYS, values, strict=True))


_JOURNAL = (
    "publicationname", "aggregationtype", "volume", "number", "startingpage", "endingpage", "pagerange"
)  # fmt: skip


def _properties(root: Element) -> dict[str, tuple[str, ...]]:
    """Return the values of each property by its local name: all of an array, the default of alternatives."""
    values_by_name: dict[str, tuple[str, ...]] = {}
    for description in root.iter("{*}Description"):
        for name, value in description.attrib.items():
            values_by_name.setdefault(str(name).rpartition("}")[2].lower(), (one_line(str(value)),))
        for element in description:
            if values := _values_of(element):
                values_by_name[local_name(element)] = values
    return values_by_name


def _values_of(element: Element) -> tuple[str, ...]:
    """Return the values of a property without empty ones: the items of its array, or its text."""
    items = list(element.iter("{*}li"))
    if not items:
        return tuple(filter(None, (_text_of(element),)))
    if any(True for _ in element.iter("{*}Alt")):
        items.sort(key=lambda item: item.get("{http://www.w3.org/XML/1998/namespace}lang") != "x-default")
        items = items[:1]
    return tuple(filter(None, (_text_of(item) for item in items)))


def _text_of(element: Element) -> str:
    return one_line("".join(map(str, element.itertext())))
