"""Finds front and back matter: the parts of a book that are not its text, such as title page and index.

Prefaces, introductions, dedications, epigraphs, appendices and bibliographies are the book's text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePosixPath

from alexandria.book.model import count_words
from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.words import read_words

_KINDS = read_words("matter_types")  # the words of types, classes and names of files that say what matter is
_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words.split("|")}
# Without `index`: calibre names the files of chapters index_split_003.html.
_BY_FILE_NAME = {re.sub(r"\W", "", word): kind for word, kind in _BY_WORD.items() if kind != "index"}
_BY_FILE_NAME |= {"nav": "contents", "title": "titlepage"}
_STEP_WORDS = read_words("steps")
_ARROWS = r"[\s<>«»‹›←→⇐⇒◄►◀▶|·•/:\[\]()\-–—…]*"
_STEP = re.compile(rf"(?i){_ARROWS}(?:{_STEP_WORDS['steps']}){_ARROWS}")
_STEPS = re.compile(rf"(?i){_ARROWS}(?:(?:{_STEP_WORDS['steps']}|{_STEP_WORDS['others']}){_ARROWS})+")
_MAX_STEPS = 120  # characters of a row of links to other pages
_SECTIONS = frozenset(["body", "section", "div", "nav", "article", "aside"])
_MAX_TITLE_PAGE_WORDS = 300  # words of a cover or title page that only a name declares; more are a chapter


@dataclass(frozen=True, slots=True)
class MatterHints:
    """What the landmarks, guide and manifest of a book reveal about its parts."""

    landmarks: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """The types of parts, by path and fragment."""
    nav: str | None = None  # the navigation document's path


def find_declared_matter(document: Document) -> dict[Element, str]:
    """Return the elements whose own types declare them to be front or back matter, with the kind of each."""
    elements = (
        e for e in tree.typed_elements(tree.body_of(document.root)) if tree.local_name(e) in _SECTIONS
    )
    declared = {e: kind for e in elements if (kind := _matter_kind_of_types(tree.types(e)))}
    return dict.fromkeys(_find_rows_of_steps(document), "contents") | declared


def _find_rows_of_steps(document: Document) -> Iterator[Element]:
    """Yield the blocks of nothing but links to the previous and the next page, as web serials have them."""
    links = [e for e in tree.linked_elements(tree.body_of(document.root)) if tree.local_name(e) == "a"]
    for link in links:
        block = next((e for e in link.iterancestors() if tree.local_name(e) in BLOCKS), None)
        if block is None or not _STEP.fullmatch(tree.text_of(link)):
            continue
        text = tree.short_text_of(block, _MAX_STEPS)
        if text and _STEPS.fullmatch(text) and block is not tree.body_of(document.root):
            yield block


def find_matter(document: Document, hints: MatterHints) -> dict[Element, str]:
    """Return the elements of the document that are front or back matter, with the kind of each.

    They are declared by their own types or by a landmark; without such elements, the whole document can
    be matter, by a landmark, the manifest or the name of its file.
    """
    body = tree.body_of(document.root)
    matter = find_declared_matter(document)
    types_by_id = {id: words for (path, id), words in hints.landmarks.items() if id and path == document.path}
    if types_by_id:
        for element in tree.named_elements(body):
            id = tree.identifier(element) if tree.local_name(element) in _SECTIONS else None
            kind = _matter_kind_of_types(types_by_id.get(id, ())) if id else None
            if kind and _has_fitting_length(kind, element):
                matter.setdefault(element, kind)
    whole_kind = _matter_kind_of_document(document, hints)
    if matter or whole_kind is None or not _has_fitting_length(whole_kind, body):
        return matter
    text_start = _first_linked_element(document, body) if whole_kind == "contents" else None
    elements = [body] if text_start is None else _elements_before(text_start, body)
    return dict.fromkeys(elements, whole_kind)


def is_all_matter(document: Document, matter: Mapping[Element, str]) -> bool:
    """Return whether the document has no text besides its front and back matter."""
    outermost = (e for e in matter if not any(outer in matter for outer in e.iterancestors()))
    # Compared by length, as elements next to each other have white space between them or not.
    return bool(matter) and _count_letters(tree.body_of(document.root)) == sum(map(_count_letters, outermost))


def _count_letters(element: Element) -> int:
    """Return how many characters the text of an element has, white space not counted."""
    return len(tree.text_of(element).replace(" ", ""))


def matter_kind_named(name: str) -> str | None:
    """Return the kind of matter that the name of a file or a line of the contents means, or None.

    Only its letters count: `title-page_02` means `titlepage`.
    """
    return _BY_FILE_NAME.get(re.sub(r"[\W\d_]", "", name.lower()))


def _matter_kind_of_document(document: Document, hints: MatterHints) -> str | None:
    """Return the kind of matter that a whole document is, or None: by landmarks, manifest or file name."""
    landmark_types = hints.landmarks.get((document.path, ""), frozenset())
    if "bodymatter" in landmark_types or "text" in landmark_types:
        return None
    if document.path == hints.nav:
        return "contents"
    return _matter_kind_of_types(landmark_types) or matter_kind_named(PurePosixPath(document.path).stem)


def _first_linked_element(document: Document, body: Element) -> Element | None:
    """Return the first element to which an earlier link leads, or None."""
    # In a document that begins with contents, the text begins there.
    linked_ids: set[str] = set()
    for element in body.iter():
        if tree.identifier(element) in linked_ids:
            return element
        if tree.local_name(element) == "a" and (
            place := tree.resolve(document.path, element.get("href", ""))
        ):
            path, id = place
            if id and path == document.path:
                linked_ids.add(id)
    return None


def _elements_before(text_start: Element, body: Element) -> list[Element]:
    """Return the outermost elements of the body that end before the element with which its text begins."""
    # Inside anything but sections, what precedes the element is kept, as part of the same paragraph or table.
    inside_body = [text_start, *takewhile(lambda e: e is not body, text_start.iterancestors())]
    before: list[Element] = []
    for element in reversed(inside_body):  # the outermost first
        before += reversed(list(element.itersiblings(preceding=True)))
        if tree.local_name(element) not in _SECTIONS:
            break
    return before


def _matter_kind_of_types(words: Iterable[str]) -> str | None:
    """Return the kind of matter that the first of these types, by the alphabet, means; None if none does."""
    return next((_BY_WORD[word] for word in sorted(words) if word in _BY_WORD), None)


def _has_fitting_length(kind: str, element: Element) -> bool:
    """Return whether an element is not too long for its kind: a cover or title page is one page."""
    if kind not in ("cover", "titlepage", "halftitle"):
        return True
    return count_words(tree.text_of(element)) <= _MAX_TITLE_PAGE_WORDS
