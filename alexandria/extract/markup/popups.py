"""Notes that a script or the browser opens: a mark that names its note in an attribute becomes a link."""

import re
from collections.abc import Sequence
from typing import cast

from lxml import etree

from alexandria.extract.markup.links import targets_of
from alexandria.extract.markup.marks import is_mark
from alexandria.extract.markup.tree import Document, Element, body_of, fold, legal, local_name, text_of

_ATTRIBUTES = ("popovertarget", "data-target", "data-bs-target", "data-footnote", "aria-details")
"""Attributes that name what is opened by its id, with or without `#`."""
_OPENING = etree.XPath(f"descendant::*[{' or '.join(f'@{name}' for name in _ATTRIBUTES)}]")
_ID = re.compile(r"#?([\w:.-]+)")
_LINKS = frozenset(["a", "button", "label", "span", "sup"])


def link_popups(documents: Sequence[Document]) -> None:
    """Turn marks that open a note into links to it, in place."""
    for document in documents:
        opening = [e for e in cast(list[Element], _OPENING(body_of(document.root))) if _opens_by_mark(e)]
        targets = targets_of([document]) if opening else {}
        for element in opening:
            id = next(id for name in _ATTRIBUTES if (id := _id_in(element, name)))
            note = targets.get((fold(document.path), id))
            if note is None or note is element or is_mark(text_of(note)):
                continue
            element.tag = f"{str(element.tag).rpartition('}')[0]}}}a".removeprefix("}")
            element.set("href", f"#{legal(id)}")
            element.set("role", "doc-noteref")


def _opens_by_mark(element: Element) -> bool:
    """Return whether an element is a mark that names its note and is no link that does."""
    if local_name(element) not in _LINKS or not is_mark(text_of(element)):
        return False
    links = (e.get("href") or "" for e in element.iter("{*}a"))
    return any(_id_in(element, name) for name in _ATTRIBUTES) and not any(
        href.rpartition("#")[2] for href in links if "#" in href
    )


def _id_in(element: Element, attribute: str) -> str:
    match = _ID.fullmatch(element.get(attribute) or "")
    return match[1] if match else ""
