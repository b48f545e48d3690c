"""Recognises kinds of paragraphs by the names of their styles, as word processors and Pandoc name them.

Such a kind is a `Shape`: the element of XHTML as which a paragraph is written.
"""

import re
from dataclasses import dataclass

from alexandria.extract.words import read_words


@dataclass(frozen=True, slots=True)
class Shape:
    """How a paragraph is written in XHTML."""

    name: str = "p"  # `title` and `subtitle` stand in for others until `XhtmlPage.settle_titles` is called
    around: str = ""  # an element around it, such as `blockquote`; empty for none
    style: str = ""  # the class of the element around it, such as `verse`
    matter: str = ""  # the ARIA role of a part that is not the book's text, such as `doc-toc`


PLAIN = Shape()
LIST_ITEM = Shape("li")
CONTENTS = Shape(matter="doc-toc")
INDEX = Shape(matter="doc-index")
ILLUSTRATIONS = Shape(matter="doc-loi")
TITLE = Shape("title")

_WORDS = read_words("office")
_HEADING = re.compile(rf"(?:{_WORDS['headings']})[ _]?(\d)")
_SHAPES = (
    (r"title|book ?title", TITLE),
    (r"subtitle|author|date", Shape("subtitle")),
    (rf"(?:toc|contents) ?(?:\d+|heading)|(?:{_WORDS['contents']}) ?\d", CONTENTS),
    (r"index ?(?:\d+|heading|separator)", INDEX),
    (r"table of figures|(?:illustration|figure|table|object) index ?(?:\d+|heading)", ILLUSTRATIONS),
    (r"(?:intense )?quote|quotations?|block ?(?:text|quotation)|epigraph", Shape("p", around="blockquote")),
    (r"html preformatted|preformatted text|source ?code|code(?: block)?|macro", Shape("pre")),
    (r"caption|(?:table|image|figure) caption|captioned figure caption", Shape("figcaption")),
    (r"verse|poem|poetry|stanza", Shape("p", around="div", style="verse")),
    (r"list(?: bullet| number)?(?: \d)?", LIST_ITEM),
)
_NAMES = re.compile("|".join(f"({pattern})" for pattern, _ in _SHAPES))


def heading_shape(level: int) -> Shape:
    """Return the shape of a heading, from level 1 on; XHTML has six levels."""
    return Shape(f"h{min(max(level, 1), 6)}")


def shape_named(name: str) -> Shape | None:
    """Return the shape of paragraphs whose style has this name, or None if the name is not a known one."""
    folded = name.casefold().strip()
    if match := _HEADING.fullmatch(folded):
        return heading_shape(int(match[1]))
    match = _NAMES.fullmatch(folded)
    if match is None or match.lastindex is None:
        return None
    # `_NAMES` has one group per entry of `_SHAPES`, and only one of them matches: its number is the entry's.
    _, shape = _SHAPES[match.lastindex - 1]
    return shape
