"""The author's own breaks in XHTML: rules, ornaments, empty paragraphs, and classes named for breaks."""

import re
from functools import lru_cache
from itertools import islice

from alexandria.extract.markup.elements import PAGE_CLASSES, is_hidden
from alexandria.extract.markup.tree import Element, classes, local_name, types

# Names that publishers and converters give to scene breaks; `tb` (thought break) is Project Gutenberg's.
_BREAK_CLASS = re.compile(
    r"(?:scene|thought|section|sect|space|text|story|ornamental|asterisk)[-_]?(?:break|brk)s?"
    r"|tb|asterism|dinkus|fleuron|ornament",
    re.IGNORECASE,
)
_BREAK_IMAGE = re.compile(
    r"(?:scene|thought|section|text|ornamental|decorative)[ -](?:break|ornament|divider|rule)"
    r"|ornament|divider|dinkus|asterism|fleuron|flourish",
    re.IGNORECASE,
)
_INLINE = frozenset(("br", "span", "b", "i", "em", "strong"))
_BLANK_ELEMENTS = 3
"""Most elements in an empty paragraph: of a larger one, no more are searched."""


def is_break(element: Element, name: str) -> bool:
    """Return whether the element is a break between two thoughts, and not the end of a page.

    It is a rule, or its class is a name of such breaks.
    """
    words = classes(element)
    if name != "hr" and not _name_break(words):
        return False
    return not (is_hidden(element) or "pagebreak" in types(element) or words & PAGE_CLASSES)


@lru_cache(maxsize=1024)
def _name_break(words: frozenset[str]) -> bool:
    return any(map(_BREAK_CLASS.fullmatch, words))


def is_blank(element: Element, name: str) -> bool:
    """Return whether the element is shown as an empty line: a paragraph of no-break spaces or line breaks.

    A paragraph without anything in it is not shown.
    """
    if name not in ("p", "div") or (element.text or "").strip():
        return False
    inside = [local_name(e) for e in islice(element.iterdescendants(), _BLANK_ELEMENTS + 1)]
    if len(inside) > _BLANK_ELEMENTS or not _INLINE.issuperset(inside):
        return False
    text = "".join(str(text) for text in element.itertext())
    return not text.strip() and ("\u00a0" in text or "br" in inside)


def is_ornamental_image(image: Element) -> bool:
    """Return whether an image is an ornament between two thoughts, by its class or alternative text."""
    return _name_break(classes(image)) or bool(_BREAK_IMAGE.fullmatch((image.get("alt") or "").strip()))
