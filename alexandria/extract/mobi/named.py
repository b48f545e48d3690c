"""Recognises headings, title pages and the imprint of a book without markup for them, by its contents.

MOBI 6 has only large and bold type, and converters carry it over into KF8. A paragraph to which a line of the
contents leads is a heading if it prints the same words; a document to which such a line leads is matter if
the line names it so, as in `Titlepage` or `Imprint`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from alexandria.book import count_words
from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.matter import kind_named
from alexandria.extract.markup.toc import Toc, TocLine
from alexandria.extract.markup.tree import Document, Element, body_of, identifier, local_name, text_of

_WORDS = re.compile(r"\w+")
_MAX_MATTER_WORDS = 500
"""Words of matter that only a line of the contents names; a chapter on copyright has more."""
_MAX_RANK = 6
_MAX_ELEMENTS = 60
"""Elements searched around and after the target of a line for the paragraphs that print its title."""


def mark_headings(documents: Sequence[Document], lines: Sequence[TocLine]) -> None:
    """Turn the paragraphs that print a line of the contents at its target into headings, in place."""
    by_path: dict[str, dict[str, TocLine]] = {}
    for line in lines:
        if line.target is not None:
            path, target_id = line.target
            by_path.setdefault(path, {})[target_id] = line
    for document in documents:
        line_by_id, body = by_path.get(document.path, {}), body_of(document.root)
        words_of = cache(lambda element: _words(text_of(element)))  # several lines may lead to one paragraph
        for i, element in enumerate(document.elements) if line_by_id else ():
            id = "" if element is body else identifier(element)
            if id in line_by_id:
                line = line_by_id.pop(id)
                for paragraph in _paragraphs_with_title(document, i, _words(line.title), words_of):
                    paragraph.tag = f"h{min(line.depth, _MAX_RANK)}"


def with_named_matter(toc: Toc, documents: Sequence[Document], title: str) -> Toc:
    """Return the contents with landmarks for the documents that are matter by the line that leads to them.

    A document that only prints the title of the book is matter, too. A document to which several lines lead
    is not: none of them names the whole.
    """
    n_lines = Counter(line.target[0] for line in toc.lines if line.target is not None)
    titles = {line.target[0]: line.title for line in toc.lines if line.target is not None}
    landmarks = dict(toc.landmarks)
    for document in documents:
        if n_lines[document.path] > 1 or (document.path, "") in landmarks:
            continue
        text = text_of(body_of(document.root))
        kind = "halftitle" if _words(text) == _words(title) else kind_named(titles.get(document.path, ""))
        if kind and count_words(text) <= _MAX_MATTER_WORDS:
            landmarks[document.path, ""] = frozenset([kind])
    return replace(toc, landmarks=landmarks)


def _paragraphs_with_title(
    document: Document, start: int, title: list[str], words_of: Callable[[Element], list[str]]
) -> list[Element]:
    """Return the paragraphs that together print a title, at or after an element; empty if there are none.

    Args:
        document: the document.
        start: the index of the element in the document.
        title: the words of the title.
        words_of: returns the words of an element.
    """
    paragraphs: list[Element] = []
    rest = title
    for paragraph in _paragraphs(document, start):
        words = words_of(paragraph)
        if not rest or rest[: len(words)] != words:
            break
        if words:
            paragraphs.append(paragraph)
        rest = rest[len(words) :]
    return paragraphs if not rest else []


def _paragraphs(document: Document, start: int) -> Iterator[Element]:
    """Yield the paragraph around an element, and those after it up to a heading."""
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
