"""Verse in MOBI 6, which knows no stanzas: lines with a hanging indent and no space between them."""

import re
from itertools import islice, pairwise

from lxml import etree

from alexandria.book import count_words
from alexandria.extract.markup.tree import Document, Element, local_name, text_of

_ZERO = re.compile(r"\s*0+(?:\.0+)?\s*(?:pt|px|em|%)?\s*")
_NEGATIVE = re.compile(r"\s*-\s*0*\.?0*[1-9].*")
_MOST_WORDS = 14
"""Words of a line on average: the items of a bibliography, which hang too, are longer."""


def mark_stanzas(document: Document) -> None:
    """Make one paragraph of the class `verse` of each run of lines, in place."""
    run: list[Element] = []
    for line in filter(_is_line, document.elements):
        if run and run[-1].getnext() is not line:
            _mark(run)
            run = []
        run.append(line)
    _mark(run)


def _is_line(element: Element) -> bool:
    return (
        local_name(element) == "p"
        and bool(_ZERO.fullmatch(element.get("height", "")))
        and bool(_NEGATIVE.fullmatch(element.get("width", "")))
    )


def _mark(run: list[Element]) -> None:
    if any((line.tail or "").strip() for line, _ in pairwise(run)):
        return
    if len(run) < 2 or sum(count_words(text_of(line)) for line in run) > _MOST_WORDS * len(run):
        return
    stanza = etree.Element("p", {"class": "verse"})
    run[0].addprevious(stanza)
    stanza.tail, run[-1].tail = run[-1].tail, None
    for i, line in enumerate(run):
        if i:
            etree.SubElement(stanza, "br")
        line.tag, line.tail = "span", None  # it keeps its id
        stanza.append(line)
    before = stanza.getprevious()
    in_cell = any(local_name(e) == "td" for e in islice(stanza.iterancestors(), 1))
    if in_cell and before is not None and local_name(before) == "p" and not text_of(before):
        before.tag = "span"  # the space above a speech is no empty line below the speaker
