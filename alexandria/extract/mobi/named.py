"""Headings, title pages and imprint of a book that has no markup for them, recognised by its contents.

MOBI 6 knows large and bold type only, and converters write it into KF8, too. What the contents lead to is
a heading where the same words are printed there, and matter where they name it so: `Titlepage`, `Imprint`.
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
_MOST_MATTER_WORDS = 500
"""Most words of matter known by its line of the contents only: a chapter on copyright has more."""
_DEEPEST = 6
_FURTHEST = 60
"""Elements between the place to which a line leads and the paragraphs that print it, and among them."""


def mark_headings(documents: Sequence[Document], lines: Sequence[TocLine]) -> None:
    """Make headings, in place, of the paragraphs that print a line of the contents where it leads to."""
    by_path: dict[str, dict[str, TocLine]] = {}
    for line in lines:
        if line.target is not None:
            by_path.setdefault(line.target[0], {})[line.target[1]] = line
    for document in documents:
        own, body = by_path.get(document.path, {}), body_of(document.root)
        words_of = cache(lambda element: _words(text_of(element)))  # lines may lead to one paragraph
        for i, element in enumerate(document.elements) if own else ():
            id = "" if element is body else identifier(element)
            if id in own:
                line = own.pop(id)
                for paragraph in _printed(document, i, _words(line.title), words_of):
                    paragraph.tag = f"h{min(line.depth, _DEEPEST)}"


def with_named_matter(toc: Toc, documents: Sequence[Document], title: str) -> Toc:
    """Return the contents with the types of documents that they, or the title of the book, name as matter.

    Of a document to which several lines lead, none names the whole.
    """
    n_lines = Counter(line.target[0] for line in toc.lines if line.target is not None)
    titles = {line.target[0]: line.title for line in toc.lines if line.target is not None}
    landmarks = dict(toc.landmarks)
    for document in documents:
        if n_lines[document.path] > 1 or (document.path, "") in landmarks:
            continue
        text = text_of(body_of(document.root))
        kind = "halftitle" if _words(text) == _words(title) else kind_named(titles.get(document.path, ""))
        if kind and count_words(text) <= _MOST_MATTER_WORDS:
            landmarks[document.path, ""] = frozenset([kind])
    return replace(toc, landmarks=landmarks)


def _printed(
    document: Document, at: int, title: list[str], words_of: Callable[[Element], list[str]]
) -> list[Element]:
    """Return the paragraphs from an element on that print a title, together; none if they do not."""
    paragraphs: list[Element] = []
    rest = title
    for paragraph in _paragraphs(document, at):
        words = words_of(paragraph)
        if not rest or rest[: len(words)] != words:
            break
        paragraphs += [paragraph] if words else []
        rest = rest[len(words) :]
    return paragraphs if not rest else []


def _paragraphs(document: Document, at: int) -> Iterator[Element]:
    """Yield the paragraph around an element, and those after it up to a heading."""
    target = document.elements[at]
    if (
        around := next((e for e in islice(target.iterancestors(), _FURTHEST) if local_name(e) == "p"), None)
    ) is not None:
        yield around
    for element in document.elements[at : at + _FURTHEST]:
        name = local_name(element)
        if name in HEADINGS:
            return
        if name == "p" or (
            name in ("div", "blockquote") and not any(local_name(e) in BLOCKS for e in element)
        ):
            yield element


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())
