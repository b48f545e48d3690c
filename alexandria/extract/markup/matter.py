"""What of a book is not its text: cover, title page, contents, imprint, copyright, colophon, index, lists.

Prefaces, introductions, dedications, epigraphs, appendices and bibliographies are the book's text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from alexandria.book import count_words
from alexandria.extract.markup.tree import Document, Element, body_of, identifier, local_name, text_of, types

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
# By name alone a file is matter only if no book hides in it: calibre calls chapters index_split_003.html.
_BY_NAME = {re.sub(r"\W", "", word): kind for word, kind in _BY_WORD.items() if kind != "index"} | {
    "nav": "contents",
    "title": "titlepage",
}
_SECTIONS = frozenset(["body", "section", "div", "nav", "article", "aside"])
_FRONT_WORDS = 300
"""A cover or title page by name or landmark alone has at most so many words: a page, not a chapter."""


@dataclass(frozen=True, slots=True)
class MatterHints:
    """What landmarks, guide and manifest say about parts of the book."""

    landmarks: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Types by path and fragment."""
    nav: str | None = None
    """The navigation document's path."""


def declared_matter(document: Document) -> dict[Element, str]:
    """Return the elements that say of themselves that they are matter, and of which kind."""
    elements = (e for e in body_of(document.root).iter() if local_name(e) in _SECTIONS)
    return {e: kind for e in elements if (kind := _kind(types(e)))}


def matter_of(document: Document, hints: MatterHints) -> dict[Element, str]:
    """Return the elements of the document that are matter, and of which kind."""
    body = body_of(document.root)
    found = declared_matter(document)
    for element in body.iter():
        id = identifier(element) if local_name(element) in _SECTIONS else None
        kind = _kind(hints.landmarks.get((document.path, id), ())) if id else None
        if kind and _fits(kind, element):
            found.setdefault(element, kind)
    kind = _whole(document, hints)
    if kind and body not in found and not found and _fits(kind, body):
        found[body] = kind
    return found


def leaves_nothing(document: Document, matter: Mapping[Element, str]) -> bool:
    """Tell whether no text of the document is left when its matter is gone."""
    outermost = (e for e in matter if not any(outer in matter for outer in e.iterancestors()))
    return bool(matter) and text_of(body_of(document.root)) == " ".join(map(text_of, outermost))


def _whole(document: Document, hints: MatterHints) -> str | None:
    """Return the kind of a document that is matter as a whole, by what others say of it."""
    said = hints.landmarks.get((document.path, ""), frozenset())
    if "bodymatter" in said or "text" in said:
        return None
    if document.path == hints.nav:
        return "contents"
    stem = re.sub(r"[\W\d_]", "", PurePosixPath(document.path).stem.lower())
    return _kind(said) or _BY_NAME.get(stem)


def _kind(said: Iterable[str]) -> str | None:
    return next((_BY_WORD[word] for word in sorted(said) if word in _BY_WORD), None)


def _fits(kind: str, element: Element) -> bool:
    return kind not in ("cover", "titlepage", "halftitle") or count_words(text_of(element)) <= _FRONT_WORDS
