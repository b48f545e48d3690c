"""Turns marks that name their note in an attribute, for a script or the browser to open it, into links."""

import re
from collections.abc import Sequence

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.links import targets_of
from alexandria.extract.markup.marks import is_mark
from alexandria.extract.markup.tree import Document, Element

_ATTRIBUTES = ("popovertarget", "data-target", "data-bs-target", "data-footnote", "aria-details")
"""Attributes with the id of the element that is opened, with or without `#`."""
_OPENERS = etree.XPath(f"descendant::*[{' or '.join(f'@{name}' for name in _ATTRIBUTES)}]")
_ID = re.compile(r"#?([\w:.-]+)")
_OPENER_NAMES = frozenset(["a", "button", "label", "span", "sup"])


def link_popups(documents: Sequence[Document]) -> None:
    """Turn marks that open a note into links to it, in place."""
    for document in documents:
        openers = tree.find_elements(_OPENERS, tree.body_of(document.root))
        marks = [element for element in openers if _is_unlinked_mark(element)]
        targets = targets_of([document]) if marks else {}
        for element in marks:
            id = _popup_id(element)
            note = targets.get((tree.fold(document.path), id))
            if note is None or note is element or is_mark(tree.text_of(note)):
                continue
            namespace, brace, _ = str(element.tag).rpartition("}")  # both empty without a namespace
            element.tag = f"{namespace}{brace}a"
            element.set("href", f"#{tree.without_illegal(id)}")
            element.set("role", "doc-noteref")


def _is_unlinked_mark(element: Element) -> bool:
    """Return whether an element is a mark that names its note in an attribute, and not in a link as well."""
    if tree.local_name(element) not in _OPENER_NAMES or not is_mark(tree.text_of(element)):
        return False
    hrefs = (e.get("href") or "" for e in element.iter("{*}a"))
    is_linked = any(href.rpartition("#")[2] for href in hrefs if "#" in href)
    return not is_linked and _popup_id(element) != ""


def _popup_id(element: Element) -> str:
    """Return the id that the first of `_ATTRIBUTES` names, or an empty string if none of them names an id."""
    for name in _ATTRIBUTES:
        if match := _ID.fullmatch(element.get(name) or ""):
            return match[1]
    return ""
