"""Numbers of verses, as in Bibles, that are set against the next word: `<sup>16</sup>For`."""

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import pairwise

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.links import block_of
from alexandria.extract.markup.marks import text_before
from alexandria.extract.markup.tree import Document, Element

_INLINE = tuple(f"{{*}}{name}" for name in ("sup", "b", "strong", "span", "small", "i", "em", "font", "a"))
_NUMBER = re.compile(r"\s*(?:\d{1,3}[:.])?(\d{1,3})[.:]?")
"""The number of a verse, maybe after that of its chapter, without a space after it."""
_BEFORE = re.compile(r"[\s(\[“‘„«\"'.,;:!?…”’»)\]—–-]|")
"""What may be before a number, or nothing."""
_WORD = re.compile(r"[“‘„«\"'(\[¿¡]*(?!(?:st|nd|rd|th|er|re|e|ère|ème|de|te|ter|D|x)\b)[^\W\d_]")
"""The beginning of a word, and no ending of an ordinal."""
_MIN_STEPS = 2
"""Numbers that follow the one before; where the numbers begin at 1, one is enough."""


def separate_verse_numbers(documents: Sequence[Document], marks: Container[Element]) -> None:
    """Put a made space beside each number of a verse that touches a word, in place.

    The numbers of a kind of element, by its name and class, are verses if they count up through the book.
    `marks` are those of notes.
    """
    numbered: defaultdict[tuple[str, str], list[tuple[Element, int]]] = defaultdict(list)
    for document in documents:
        for element in tree.body_of(document.root).iter(*_INLINE):
            text = element.text
            match = _NUMBER.fullmatch(text) if text and not len(element) else None
            if match and not _is_apart(element, marks) and _BEFORE.fullmatch(text_before(element)[-1:]):
                kind = tree.local_name(element), element.get("class") or ""
                numbered[kind].append((element, int(match[1])))
    for numbers in numbered.values():
        steps = [after - before for (_, before), (_, after) in pairwise(numbers)]
        n_steps = steps.count(1)
        is_series = n_steps >= _MIN_STEPS or (n_steps and numbers[0][1] == 1)
        if is_series and 2 * n_steps >= len(steps):
            for element, _ in numbers:
                _separate(element)


def _is_apart(element: Element, marks: Container[Element]) -> bool:
    """Return whether an element is a mark of a note, in a link, or in a heading."""
    around = [element, *element.iterancestors()]
    block = block_of(element)
    in_heading = block is not None and tree.local_name(block) in HEADINGS
    return in_heading or any(e in marks or e.get("href") for e in around)


def _text_after(element: Element) -> str:
    """Return the text right after an element in its line, also in inline elements; empty if none is."""
    while not element.tail:
        following, parent = element.getnext(), element.getparent()
        if following is not None:
            return "" if tree.local_name(following) in BLOCKS else tree.text_of(following)
        if parent is None or tree.local_name(parent) in BLOCKS:
            return ""
        element = parent
    return element.tail


def _separate(element: Element) -> None:
    """Put a made space after a number, and before it if it touches the end of a sentence, in place."""
    if not _WORD.match(_text_after(element)):
        return
    space = etree.Element(tree.SPACE, {tree.MADE: ""})
    space.tail, element.tail = tree.without_illegal(element.tail or ""), None
    element.addnext(space)
    if text_before(element)[-1:] in set(".,;:!?…”’»)"):
        element.addprevious(etree.Element(tree.SPACE, {tree.MADE: ""}))
