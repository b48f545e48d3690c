"""FictionBook 2: its elements are renamed to XHTML's, and then read as markup."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lxml import etree

from alexandria.book.model import LeftOut, Metadata, count_words
from alexandria.book.people import AUTHOR, TRANSLATOR, Contributor
from alexandria.extract.clean import one_line, path_text
from alexandria.extract.draft import Draft
from alexandria.extract.markup import tree
from alexandria.extract.markup.compose import compose_file
from alexandria.extract.markup.tree import Element
from alexandria.extract.metadata import displayed_authors
from alexandria.extract.mojibake import mojibake_warnings
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import damaged

_XHTML_NAMES = {
    "annotation": "blockquote", "cite": "blockquote", "date": "p", "emphasis": "em", "epigraph": "blockquote",
    "image": "img", "poem": "div", "stanza": "p", "strikethrough": "s", "style": "span", "text-author": "p",
    "v": "span",
}  # fmt: skip
_MAX_NUMBER = 5  # most characters of a note's number; a longer title in a note is a heading
_PICTURE = re.compile(rb"(<binary\b[^<>]*>)[^<]*")  # a picture in Base64, maybe longer than libxml2 accepts
_NOTE_BODIES = ("notes", "comments", "footnotes")


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a FictionBook; the title before its first chapter is left out as `titlepage`.

    Raises:
        BookError: `damaged`, `no_text`, or `unreadable`.
    """
    data, n_doubtful = tree.repair_mojibake(_PICTURE.sub(rb"\1", path.read_bytes()))
    warnings = [*mojibake_warnings(n_doubtful)]
    root = tree.parse_xml(data)
    if root is None:
        root = tree.parse_xml(
            tree.declare_utf8(tree.decode_markup(data).encode("utf-8", "replace")), recover=True
        )
        warnings.append("its XML is damaged, or nested too deep: it was read as far as possible")
    elif warning := tree.warn_of_entities(data):
        warnings.append(f"it {warning}")
    if root is None:
        raise damaged(path, "it is not XML")
    metadata = _read_metadata(root)
    bodies = [element for element in root if tree.local_name(element) == "body"]
    main_body = next((body for body in bodies if not _has_notes(body)), None)
    documents = [_to_xhtml(body, is_main=body is main_body) for body in bodies]
    draft = compose_file(path, options, metadata, *documents, warnings=warnings)
    infos = ("title-info", "src-title-info")
    annotations = [e for info in infos for e in _description_elements(root, info, "annotation")]
    if n_words := sum(count_words(tree.text_of(part)) for annotation in annotations for part in annotation):
        left_out = *draft.left_out, LeftOut("annotation", path_text(path.name), n_words)
        draft = replace(draft, left_out=left_out)
    return draft


def _has_notes(body: Element) -> bool:
    return body.get("name", "").lower() in _NOTE_BODIES


def _to_xhtml(body: Element, *, is_main: bool) -> Element:
    """Rename the elements of a body in place, and return it; the title of the main body is the book's."""
    has_notes = _has_notes(body)
    depths: dict[Element | None, int] = {body: 0}  # how many sections each element is in, itself included
    for element in list(body.iter()):
        name = tree.local_name(element)
        depth = depths.get(element.getparent(), 0)  # the parent's; parents come before their children
        depths[element] = depth + (name == "section")
        if name == "title":
            _convert_title(element, depth, is_main=is_main)
        elif name == "subtitle" and any(map(str.isalpha, tree.text_of(element))):
            element.tag = f"h{min(depth + 1, 6)}"
        elif name == "section" and has_notes and element.get("id") and not _holds_notes(element):
            element.tag = "aside"
            element.set("role", "doc-footnote")
        elif name == "a":
            _convert_link(element)
        elif name == "empty-line":
            element.tag, element.text = "p", "\u00a0"
        else:
            _convert_other(element, name)
    return body


def _holds_notes(section: Element) -> bool:
    """Return whether a section of notes holds notes, rather than being one: the notes of a chapter."""
    return any(tree.local_name(e) == "section" and e.get("id") for e in section)


_TAG = re.compile(r"[a-z_][a-z0-9_.-]*")


def _convert_title(title: Element, depth: int, *, is_main: bool) -> None:
    """Rename a title to what it is in XHTML: a heading, the title page, or the number of a note."""
    # `depth`: how many sections it is in; the title of the book is in none.
    # `is_main`: True for the main body; the title of any other is a heading, such as "Notes".
    parent = title.getparent()
    parent_name = parent.tag if parent is not None else ""
    if (
        parent_name == "aside" and len(tree.text_of(title)) <= _MAX_NUMBER
    ):  # the note's number, as in its mark
        title.tag = "a"
        title.set("role", "doc-backlink")
        return
    if parent_name in ("div", "p", "blockquote"):  # of a poem, stanza or quotation: no chapter begins
        title.tag = "div"
        return
    if depth == 0 and is_main:
        title.tag = "section"
        title.set("role", "doc-titlepage")
    else:
        title.tag = "hgroup"
    for line in title:
        if tree.local_name(line) == "p":
            line.tag = f"h{min(max(depth, 1), 6)}"


def _convert_link(element: Element) -> None:
    """Turn a link into one of XHTML: its name and its `href` lose their namespaces (`l:`, `xlink:`)."""
    href = next((value for name, value in element.attrib.items() if str(name).endswith("href")), "")
    element.tag = "a"
    element.set("href", str(href))
    if element.get("type") == "note":
        element.set("role", "doc-noteref")


def _convert_other(element: Element, name: str) -> None:
    """Rename an element, and make a line of verse end with a line break."""
    if name == "v":
        line_end = etree.SubElement(element, "br")
        line_end.tail = ""
    elif name in ("poem", "stanza"):
        element.set("class", name)
    elif name == "image" and not element.get("alt"):
        element.set("alt", element.get("title", ""))  # readers print it below the image
    # Repaired markup contains names that lxml rejects: `p:`, `l:1`.
    element.tag = _XHTML_NAMES.get(name, name if _TAG.fullmatch(name) else "span")


def _read_metadata(root: Element) -> Metadata:
    """Return the metadata in `description`: the book, its authors, its publication and its genres."""
    language = _first_text(root, "title-info", "lang")
    people = tuple(
        person
        for role in (AUTHOR, TRANSLATOR)
        for element in _description_elements(root, "title-info", role)
        if (person := _person(element, role)).name
    )
    return Metadata(
        title=_first_text(root, "title-info", "book-title"),
        authors=displayed_authors(people),
        people=people,
        translators=tuple(person.name for person in people if person.role == TRANSLATOR),
        language=language or None,
        language_source="metadata" if language else None,
        publisher=_first_text(root, "publish-info", "publisher"),
        place=_first_text(root, "publish-info", "city"),
        date=_first_text(root, "publish-info", "year") or _first_text(root, "title-info", "date"),
        identifiers=tuple(
            text
            for part, name in (("publish-info", "isbn"), ("document-info", "id"))
            if (text := _first_text(root, part, name))
        ),
        subjects=tuple(
            one_line(tree.text_of(genre)) for genre in _description_elements(root, "title-info", "genre")
        ),
    )


def _description_elements(root: Element, part: str, name: str) -> Iterator[Element]:
    """Yield the elements with a name in a part of the description, such as `author` in `title-info`."""
    description = next((e for e in root if tree.local_name(e) == "description"), None)
    for info in description if description is not None else ():
        if tree.local_name(info) == part:
            yield from (e for e in info if tree.local_name(e) == name)


def _first_text(root: Element, part: str, name: str) -> str:
    """Return the text of the first element with a name in a part of the description, or an empty text."""
    return next((one_line(tree.text_of(e)) for e in _description_elements(root, part, name)), "")


def _person(element: Element, role: str) -> Contributor:
    """Return a person, whose names are apart: first, middle and last; or a nickname."""
    parts = {tree.local_name(e): one_line(tree.text_of(e)) for e in element}
    given = " ".join(parts[key] for key in ("first-name", "middle-name") if parts.get(key))
    family = parts.get("last-name", "")
    name = f"{given} {family}".strip() or parts.get("nickname", "")
    if given and family:
        return Contributor(role=role, name=name, family=family, given=given)
    return Contributor(role=role, name=name, literal=name)
