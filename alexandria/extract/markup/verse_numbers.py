"""Numbers of verses, as in Bibles: set against the next word, `<sup>16</sup>For`; they name a place."""

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import pairwise

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.notes.links import block_of
from alexandria.extract.notes.marks import begins_line, is_attached, text_before
from alexandria.extract.words import read_words

_INLINE = tuple(f"{{*}}{name}" for name in ("sup", "b", "strong", "span", "small", "i", "em", "font", "a"))
_NUMBER = re.compile(r"\s*(?:(\d{1,3})[:.])?(\d{1,3})[.:]?\s*")  # a verse's number, maybe after its chapter's
_BOOKS = read_words("verses")["books"]
# Book, chapter and verse in an id: `GEN.3.16`, `gen3:16`, `v3_16`, `v01003016`, `V16`; not `col3-16`.
_PLACE = re.compile(
    rf"(?:({_BOOKS}|(?i:{_BOOKS})(?=\d+:))|[^\W\d_]*)[\s._:-]*"
    r"(?:\d\d(?=\d{6}))?(?:(\d{1,3})(?:[\s._:v-]+|(?<=\d{5})(?=\d{3})))?(\d{1,3})(?!\d).*"
)
_IDS = ("id", "name", "osisID", "osisid", "sID", "sid", "data-verse")
_WITH_IDS = etree.XPath(f"descendant-or-self::*[@{' or @'.join(_IDS)}]")
# An element or a class of numbers of verses alone; others may be those of paragraphs.
_VERSE = re.compile(r"(?:v|verse)[-_]?(?:n|num|number)?|sup", re.IGNORECASE)
# What may be before a number, or nothing.
_BEFORE = re.compile(r"[\s(\[“‘„«\"'.,;:!?…”’»)\]—–。，、；：！？」』-]|")
_WORD = re.compile(r"[“‘„«\"'(\[¿¡]*(?!(?:st|nd|rd|th|er|re|e|ère|ème|de|te|ter|D|x)\b)[^\W\d_]")
"""The beginning of a word, and no ending of an ordinal."""
_MIN_STEPS = 2  # numbers that follow the one before; where the numbers begin at 1, one is enough


def separate_verse_numbers(documents: Sequence[Document], marks: Container[Element]) -> None:
    """Put a made space beside each number of a verse that touches a word, and mark the verses, in place.

    The numbers of a kind of element, by its name and class, are verses if they count up through the book.
    `marks` are those of notes.
    """
    numbered: defaultdict[tuple[str, str], list[tuple[Element, str, int]]] = defaultdict(list)
    for document in documents:
        for element in tree.body_of(document.root).iter(*_INLINE):
            text = element.text
            match = _NUMBER.fullmatch(text) if text and not len(element) else None
            if match and not _is_apart(element, marks) and _BEFORE.fullmatch(text_before(element)[-1:]):
                kind = tree.local_name(element), element.get("class") or ""
                numbered[kind].append((element, match[1] or "", int(match[2])))
        for element in tree.find_elements(_WITH_IDS, document.root):
            for name in _IDS:
                place = _PLACE.fullmatch(element.get(name) or "")
                if place and (all(place.groups()) or name == "data-verse"):
                    element.set(tree.VERSE, f"{place[1] or ''} {':'.join(filter(None, place.groups()[1:]))}")
    for (name, labels), numbers in numbered.items():
        steps = [after - before for (*_, before), (*_, after) in pairwise(numbers)]
        n_steps = steps.count(1)
        is_series = n_steps >= _MIN_STEPS or (n_steps and numbers[0][2] == 1)
        if is_series and 2 * n_steps >= len(steps):
            elements = [element for element, *_ in numbers]
            n_notes = sum(is_attached(e) and not _WORD.match(_text_after(e)) for e in elements)
            are_named = any(map(_VERSE.fullmatch, (name, *labels.split())))
            are_verses = 2 * n_notes < len(numbers) and (are_named or not all(map(begins_line, elements)))
            for element, chapter, number in numbers:
                if are_verses:
                    around = (element, *element.iterancestors(*_INLINE))
                    ids = (_PLACE.fullmatch(e.get("id") or "") for e in around)
                    chapters = (id[2] for id in ids if id and id[2] and int(id[3]) == number)
                    element.set(tree.VERSE, f"{chapter or next(chapters, '')}:{number}".lstrip(":"))
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
    if (element.text or "")[-1:].isspace() or not _WORD.match(_text_after(element)):
        return
    space = etree.Element(tree.SPACE, {tree.MADE: ""})
    space.tail, element.tail = tree.without_illegal(element.tail or ""), None
    element.addnext(space)
    if text_before(element)[-1:] in set(".,;:!?…”’»)"):
        element.addprevious(etree.Element(tree.SPACE, {tree.MADE: ""}))
