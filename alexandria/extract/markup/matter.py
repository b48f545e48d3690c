"""Matter: the parts of a book that are not its text, such as cover, title page, contents, imprint and index.

Prefaces, introductions, dedications, epigraphs, appendices and bibliographies are the book's text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from alexandria.book import count_words
from alexandria.extract.markup.tree import (
    Document,
    Element,
    body_of,
    identifier,
    local_name,
    named_elements,
    resolve,
    text_of,
    typed_elements,
    types,
)

_KINDS: Mapping[str, tuple[str, ...]] = {
    "cover": ("cover", "coverpage"),
    "titlepage": ("titlepage", "title-page"),
    "halftitle": ("halftitlepage", "halftitle", "half-title"),
    "contents": ("toc", "contents", "landmarks", "page-list", "pagelist", "toc-brief", "tableofcontents"),
    "imprint": ("imprint", "imprimatur"),
    "colophon": ("colophon",),
    "copyright": ("copyright-page", "copyright", "uncopyright", "copyrightpage"),
    "index": ("index",),
    "illustrations": ("loi", "lot", "loa", "lov"),
}
_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words}
# `index` does not count in file names: calibre calls chapters index_split_003.html.
_BY_NAME = {re.sub(r"\W", "", word): kind for word, kind in _BY_WORD.items() if kind != "index"} | {
    "nav": "contents",
    "title": "titlepage",
}
_SECTIONS = frozenset(["body", "section", "div", "nav", "article", "aside"])
_FRONT_WORDS = 300
"""Most words of a cover or title page known only by a name or landmark: a page, not a chapter."""


@dataclass(frozen=True, slots=True)
class MatterHints:
    """What landmarks, guide and manifest reveal about parts of the book."""

    landmarks: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Types by path and fragment."""
    nav: str | None = None
    """The navigation document's path."""


def declared_matter(document: Document) -> dict[Element, str]:
    """Return the elements that are declared as matter by their types, with their kinds."""
    elements = (e for e in typed_elements(body_of(document.root)) if local_name(e) in _SECTIONS)
    return {e: kind for e in elements if (kind := _kind(types(e)))}


def matter_of(document: Document, hints: MatterHints) -> dict[Element, str]:
    """Return the elements of the document that are matter, with their kinds."""
    body = body_of(document.root)
    matter = declared_matter(document)
    named = any(path == document.path and id for path, id in hints.landmarks)
    for element in named_elements(body) if named else ():
        id = identifier(element) if local_name(element) in _SECTIONS else None
        kind = _kind(hints.landmarks.get((document.path, id), ())) if id else None
        if kind and _fits(kind, element):
            matter.setdefault(element, kind)
    kind = _whole(document, hints)
    if kind and body not in matter and not matter and _fits(kind, body):
        text = _linked_text(document, body) if kind == "contents" else None
        matter |= dict.fromkeys([body] if text is None else _before(text, body), kind)
    return matter


def leaves_nothing(document: Document, matter: Mapping[Element, str]) -> bool:
    """Return whether the document has no text besides its matter."""
    outermost = (e for e in matter if not any(outer in matter for outer in e.iterancestors()))
    return bool(matter) and text_of(body_of(document.root)) == " ".join(map(text_of, outermost))


def kind_named(name: str) -> str | None:
    """Return the kind of matter that the name of a file or a line of the contents means, or None."""
    return _BY_NAME.get(re.sub(r"[\W\d_]", "", name.lower()))


def _whole(document: Document, hints: MatterHints) -> str | None:
    """Return the kind of a document that is matter as a whole, by landmarks, manifest or name; else None."""
    own_types = hints.landmarks.get((document.path, ""), frozenset())
    if "bodymatter" in own_types or "text" in own_types:
        return None
    if document.path == hints.nav:
        return "contents"
    return _kind(own_types) or kind_named(PurePosixPath(document.path).stem)


def _linked_text(document: Document, body: Element) -> Element | None:
    """Return the first element to which a link above it leads: where contents end and text begins."""
    linked: set[str] = set()
    for element in body.iter():
        if identifier(element) in linked:
            return element
        if local_name(element) == "a" and (place := resolve(document.path, element.get("href", ""))):
            path, id = place
            linked |= {id} if id and path == document.path else set()
    return None


def _before(text: Element, body: Element) -> list[Element]:
    """Return the elements before a text, those that are in the same sections as the text included."""
    around = [text, *text.iterancestors()]
    around = around[: around.index(body)]
    before: list[Element] = []
    for element in reversed(around):
        before += reversed(list(element.itersiblings(preceding=True)))
        if local_name(element) not in _SECTIONS:
            break
    return before


def _kind(own_types: Iterable[str]) -> str | None:
    return next((_BY_WORD[word] for word in sorted(own_types) if word in _BY_WORD), None)


def _fits(kind: str, element: Element) -> bool:
    return kind not in ("cover", "titlepage", "halftitle") or count_words(text_of(element)) <= _FRONT_WORDS
