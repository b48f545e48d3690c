"""Recognises verse in MOBI 6, which has no markup for it, by hanging indents and no space between lines."""

import re
from itertools import pairwise

from lxml import etree

from alexandria.book import count_words
from alexandria.extract.markup.tree import Document, Element, local_name, text_of

_ZERO = re.compile(r"\s*0+(?:\.0+)?\s*(?:pt|px|em|%)?\s*")
_NEGATIVE = re.compile(r"\s*-\s*0*\.?0*[1-9].*")
_MAX_WORDS_PER_LINE = 14
"""Words of a line of verse on average; items of a bibliography, also with hanging indents, are longer."""


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
    """Join adjacent paragraphs into a stanza, in place.

    They stay as they are if there is only one, if text is between them, or if they are longer than verses.
    """
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
    """Turn an empty paragraph before a stanza in a cell into a `span`, in place.

    It is the space above a speech in a play, and not an empty line of the text.
    """
    before, parent = stanza.getprevious(), stanza.getparent()
    if before is None or parent is None or local_name(parent) != "td":
        return
    if local_name(before) == "p" and not text_of(before):
        before.tag = "span"
