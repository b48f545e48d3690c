"""HTML: a book in one file, divided by its headings."""

import re
from collections.abc import Sequence
from pathlib import Path

from alexandria.book.model import Metadata
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft
from alexandria.extract.markup import tree
from alexandria.extract.markup.compose import compose_file
from alexandria.extract.markup.matter import find_declared_matter
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.metadata import all_values, first_value, is_no_title
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.notes.marks import is_declared_notes
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import no_text
from alexandria.extract.words import read_words

# Names of metadata in plain HTML, Dublin Core, Open Graph and Highwire.
_AUTHOR = ("author", "dc.creator", "dcterms.creator", "citation_author")
_DATE = ("date", "dc.date", "dcterms.date", "article:published_time", "citation_publication_date")
_PUBLISHER = ("publisher", "dc.publisher", "dcterms.publisher")
_IDENTIFIER = ("dc.identifier", "dcterms.identifier", "citation_isbn", "citation_doi")
_WEBSITE = re.compile(read_words("website")["classes"])
_CONTROLS = frozenset(("button", "dialog", "noscript"))
_PARTS_OF_PAGES = frozenset(("footer", "header"))
_PARTS_OF_TEXT = frozenset(("article", "blockquote", "section", "figure"))
_SUBJECTS = ("keywords", "dc.subject", "dcterms.subject")


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of an HTML file; its navigation is left out as `contents`.

    Raises:
        BookError: `no_text`, or `unreadable`.
    """
    data, n_doubtful = tree.repair_mojibake(path.read_bytes())
    root, _ = tree.parse_xhtml(data)
    if root is None:
        raise no_text(path)
    warnings = mojibake_warnings(n_doubtful)
    elements = tree.all_elements(root)  # kept until the draft is composed: see there
    metadata = _read_metadata(root, elements)
    return compose_file(path, options, metadata, root, find_matter=_matter_of, warnings=warnings)


def _matter_of(document: Document) -> dict[Element, str]:
    """Return the elements that are not the book's text, with their kinds; navigation counts as `contents`."""
    navigation = {e: "contents" for e in document.root.iter() if tree.local_name(e) == "nav"}
    body = tree.body_of(document.root)
    most = len(tree.text_of(body)) / 2
    website = {e: "website" for e in body.iterdescendants() if _is_of_website(e, most)}
    return website | navigation | find_declared_matter(document)


def _is_of_website(element: Element, most: float) -> bool:
    """Return whether an element belongs to the website around a page: a banner, a footer, a box of links."""
    # One with a title, with notes, or with more than `most` characters, holds the page itself.
    name = tree.local_name(element)
    if name in _PARTS_OF_PAGES:
        is_declared = not any(tree.local_name(e) in _PARTS_OF_TEXT for e in element.iterancestors())
        is_declared = is_declared and (name != "header" or any(tree.local_name(e) == "nav" for e in element))
    else:
        names = {*tree.classes(element), (element.get("id") or "").lower()}
        is_declared = name in _CONTROLS or any(map(_WEBSITE.fullmatch, names))
    if not is_declared or any(tree.local_name(e) == "h1" or is_declared_notes(e) for e in element.iter()):
        return False
    return len(tree.text_of(element)) < most


def _read_metadata(root: Element, elements: Sequence[Element]) -> Metadata:
    """Return the metadata that a page states: in its `meta` elements, its title and its language."""
    values: dict[str, list[str]] = {}
    for element in elements:
        if tree.local_name(element) == "meta" and (content := one_line(element.get("content") or "")):
            name = element.get("name") or element.get("property") or ""
            values.setdefault(name.lower(), []).append(content)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return Metadata(
        title=_find_title(root),
        authors=tuple(dict.fromkeys(all_values(values, *_AUTHOR))),
        language=language or None,
        language_source="metadata" if language else None,
        publisher=first_value(values, *_PUBLISHER),
        date=first_value(values, *_DATE),
        identifiers=all_values(values, *_IDENTIFIER),
        subjects=tuple(
            subject.strip()
            for subjects in all_values(values, *_SUBJECTS)
            for subject in subjects.split(",")
            if subject.strip()
        ),
    )


def _find_title(root: Element) -> str:
    """Return the first `title`, or the first `h1`, that says anything; empty if there is none."""
    named = (e for name in ("title", "h1") for e in root.iter() if tree.local_name(e) == name)
    titles = (one_line(tree.text_of(element)) for element in named)
    return next((title for title in titles if title and not is_no_title(title)), "")
