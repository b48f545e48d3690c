"""Adds the markup that MOBI 6 lacks: of headings, title pages and the imprint by the contents, and of verse.

MOBI 6 has only large and bold type, and converters carry it over into KF8. A paragraph to which a line of the
contents leads is a heading if it prints the same words; a document to which such a line leads is matter if
the line names it so, as in `Titlepage` or `Imprint`. Verse shows by hanging indents without space between
lines.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise

from lxml import etree

from alexandria.book.model import count_words
from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.matter import matter_kind_named
from alexandria.extract.markup.toc import Toc, TocLine
from alexandria.extract.markup.tree import Document, Element, body_of, identifier, local_name, text_of

_WORDS = re.compile(r"\w+")
_MAX_MATTER_WORDS = 500  # words of matter that only the contents name; a chapter on copyright has more
_MAX_RANK = 6
_MAX_ELEMENTS = 60  # elements around and after a line's target, of paragraphs that may print its title
_ZERO = re.compile(r"\s*0+(?:\.0+)?\s*(?:pt|px|em|%)?\s*")
_NEGATIVE = re.compile(r"\s*-\s*0*\.?0*[1-9].*")
_MAX_WORDS_PER_LINE = 14  # words of a line of verse, on average; items of a bibliography are longer


def mark_headings(documents: Sequence[Document], lines: Sequence[TocLine]) -> None:
    """Turn the paragraphs that print a line of the contents at its target into headings, in place."""
    lines_by_path: dict[str, dict[str, TocLine]] = {}  # the lines that lead to a path, by id
    for line in lines:
        if line.target is not None:
            path, target_id = line.target
            lines_by_path.setdefault(path, {})[target_id] = line
    for document in documents:
        if document.path in lines_by_path:
            _mark_headings_in(document, lines_by_path[document.path])


def _mark_headings_in(document: Document, line_by_id: Mapping[str, TocLine]) -> None:
    """Turn the paragraphs of a document that print a line of the contents into headings, in place."""
    # `line_by_id`: the lines that lead to it, by the id of their target; empty for the document itself.
    body = body_of(document.root)
    words_of = cache(lambda element: _words(text_of(element)))  # several lines may lead to one paragraph
    unmarked = dict(line_by_id)
    for i, element in enumerate(document.elements):
        id = "" if element is body else identifier(element)
        line = unmarked.pop(id, None) if id is not None else None  # of elements with one id, the first
        if line is None:
            continue
        for paragraph in _paragraphs_with_title(document, i, _words(line.title), words_of):
            paragraph.tag = f"h{min(line.depth, _MAX_RANK)}"


def with_named_matter(toc: Toc, documents: Sequence[Document], title: str) -> Toc:
    """Return the contents with a landmark for each document that a line of the contents names as matter.

    The line that leads to the document names its kind, such as an index. A document that only prints the
    title of the book is a half-title. A document to which several lines lead gets no landmark: none of these
    lines names the whole document.
    """
    n_lines = Counter(line.target[0] for line in toc.lines if line.target is not None)
    line_titles = {line.target[0]: line.title for line in toc.lines if line.target is not None}
    landmarks = dict(toc.landmarks)
    for document in documents:
        if n_lines[document.path] > 1 or (document.path, "") in landmarks:
            continue
        text = text_of(body_of(document.root))
        is_title_alone = _words(text) == _words(title)
        kind = "halftitle" if is_title_alone else matter_kind_named(line_titles.get(document.path, ""))
        if kind and count_words(text) <= _MAX_MATTER_WORDS:
            landmarks[document.path, ""] = frozenset([kind])
    return replace(toc, landmarks=landmarks)


def _paragraphs_with_title(
    document: Document, start: int, title: list[str], words_of: Callable[[Element], list[str]]
) -> list[Element]:
    """Return the paragraphs that together print a title, at or after an element; empty if there are none."""
    # `start`: the index of the element in `document.elements`.
    paragraphs: list[Element] = []
    rest = title  # the words that are still to be found
    for paragraph in _paragraphs_from(document, start):
        words = words_of(paragraph)
        if not rest or rest[: len(words)] != words:
            break
        if words:
            paragraphs.append(paragraph)
        rest = rest[len(words) :]
    return paragraphs if not rest else []


def _paragraphs_from(document: Document, start: int) -> Iterator[Element]:
    """Yield the paragraph around an element, then the paragraphs after the element up to a heading."""
    # A division without blocks in it counts as a paragraph. The search ends after `_MAX_ELEMENTS`.
    ancestors = islice(document.elements[start].iterancestors(), _MAX_ELEMENTS)
    around = next((e for e in ancestors if local_name(e) == "p"), None)
    if around is not None:
        yield around
    for element in document.elements[start : start + _MAX_ELEMENTS]:
        name = local_name(element)
        if name in HEADINGS:
            return
        is_division = name in ("div", "blockquote")
        if name == "p" or (is_division and not any(local_name(e) in BLOCKS for e in element)):
            yield element


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def mark_stanzas(document: Document) -> None:
    """Join successive lines of verse into one paragraph of the class `verse`, in place.

    MOBI 6 has a paragraph for each line: `<p height="0" width="-20">`.
    """
    lines: list[Element] = []
    for line in filter(_may_be_verse_line, document.elements):
        if lines and lines[-1].getnext() is not line:
            _join_stanza(lines)
            lines = []
        lines.append(line)
    _join_stanza(lines)


def _may_be_verse_line(element: Element) -> bool:
    """Return whether an element is a paragraph with a hanging indent and no space before it."""
    return (
        local_name(element) == "p"
        and bool(_ZERO.fullmatch(element.get("height", "")))
        and bool(_NEGATIVE.fullmatch(element.get("width", "")))
    )


def _join_stanza(lines: list[Element]) -> None:
    """Join adjacent paragraphs into a stanza, in place."""
    # They stay as they are if there is only one, if text is between them, or if they are longer than verses.
    if len(lines) < 2 or any((line.tail or "").strip() for line, _ in pairwise(lines)):
        return
    n_words = sum(count_words(text_of(line)) for line in lines)
    if n_words > _MAX_WORDS_PER_LINE * len(lines):
        return
    stanza = etree.Element("p", {"class": "verse"})
    lines[0].addprevious(stanza)
    stanza.tail = lines[-1].tail  # the text after the stanza, which moves out of its last line
    for i, line in enumerate(lines):
        if i:
            etree.SubElement(stanza, "br")
        line.tag, line.tail = "span", None  # a span, so that the line keeps its id
        stanza.append(line)
    _ignore_space_above(stanza)


def _ignore_space_above(stanza: Element) -> None:
    """Turn an empty paragraph before a stanza in a cell into a `span`, in place."""
    # It is the space above a speech in a play, and not an empty line of the text.
    before, parent = stanza.getprevious(), stanza.getparent()
    if before is None or parent is None or local_name(parent) != "td":
        return
    if local_name(before) == "p" and not text_of(before):
        before.tag = "span"
