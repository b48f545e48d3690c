"""A book as one HTML file: one document for the walker, its headings the only table of contents."""

from pathlib import Path

from alexandria.book import Metadata
from alexandria.errors import BookError, Code
from alexandria.extract.clean import one_line, path_text
from alexandria.extract.draft import Draft
from alexandria.extract.markup.compose import compose, no_matter
from alexandria.extract.markup.matter import declared_matter
from alexandria.extract.markup.tree import Document, Element, local_name, parse_xhtml, text_of
from alexandria.extract.options import ReadOptions

# Names under which pages state the same things: plain HTML, Dublin Core, Open Graph.
_AUTHOR = ("author", "dc.creator", "dcterms.creator", "citation_author")
_DATE = ("date", "dc.date", "dcterms.date", "article:published_time", "citation_publication_date")
_PUBLISHER = ("publisher", "dc.publisher", "dcterms.publisher")
_IDENTIFIER = ("dc.identifier", "dcterms.identifier", "citation_isbn", "citation_doi")
_SUBJECTS = ("keywords", "dc.subject", "dcterms.subject")


def extract(path: Path, options: ReadOptions) -> Draft:
    """Read an HTML file; its navigation is left out as `contents`.

    Raises:
        BookError: `no_text`, or `unreadable`.
    """
    root, _ = parse_xhtml(path.read_bytes())
    if root is None:
        raise no_text(path)
    matter_of = no_matter if options.keep_matter else _matter_of
    draft = compose(_metadata(root), [Document(path_text(path.name), root)], matter_of=matter_of)
    if not draft.sections:
        raise no_text(path)
    return draft


def no_text(path: Path) -> BookError:
    """Return the refusal of a file without a word to read."""
    return BookError(f"cannot read {path}", why="it has no text", fix="check the file", code=Code.NO_TEXT)


def _matter_of(document: Document) -> dict[Element, str]:
    navigation = {e: "contents" for e in document.root.iter() if local_name(e) == "nav"}
    return navigation | declared_matter(document)


def _metadata(root: Element) -> Metadata:
    said: dict[str, list[str]] = {}
    for element in root.iter():
        if local_name(element) == "meta" and (value := one_line(element.get("content") or "")):
            name = element.get("name") or element.get("property") or ""
            said.setdefault(name.lower(), []).append(value)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return Metadata(
        title=_title(root),
        authors=tuple(dict.fromkeys(_all(said, _AUTHOR))),
        language=language or None,
        language_source="metadata" if language else None,
        publisher=_first(said, _PUBLISHER),
        date=_first(said, _DATE),
        identifiers=tuple(_all(said, _IDENTIFIER)),
        subjects=tuple(s.strip() for each in _all(said, _SUBJECTS) for s in each.split(",") if s.strip()),
    )


def _title(root: Element) -> str:
    for name in ("title", "h1"):
        for element in root.iter():
            if local_name(element) == name and (title := one_line(text_of(element))):
                return title
    return ""


def _all(said: dict[str, list[str]], names: tuple[str, ...]) -> list[str]:
    return [value for name in names for value in said.get(name, ())]


def _first(said: dict[str, list[str]], names: tuple[str, ...]) -> str:
    return next(iter(_all(said, names)), "")
