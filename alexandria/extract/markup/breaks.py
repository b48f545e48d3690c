"""The author's own breaks in XHTML: rules, ornaments, empty paragraphs, and classes named for breaks."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise

from alexandria.book.model import BlockKind
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.elements import PAGE_CLASSES, is_hidden
from alexandria.extract.markup.sections import DocumentText
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
_MAX_BLANK_ELEMENTS = 3  # elements in an empty paragraph; the search of a larger one ends there
_MIN_PARAGRAPHS_PER_BLANK = 8  # paragraphs per empty one: with fewer, these are spacing, not breaks


def is_break(element: Element, name: str) -> bool:
    """Return whether the element is the author's break between two thoughts, and not the end of a page.

    A break is a rule, or an element whose class names it so.
    """
    class_names = classes(element)
    if name != "hr" and not _any_names_break(class_names):
        return False
    return not (is_hidden(element) or "pagebreak" in types(element) or class_names & PAGE_CLASSES)


@lru_cache(maxsize=1024)
def _any_names_break(class_names: frozenset[str]) -> bool:
    return any(map(_BREAK_CLASS.fullmatch, class_names))


def is_blank(element: Element, name: str) -> bool:
    """Return whether the element is shown as an empty line: a paragraph of no-break spaces or line breaks.

    A browser does not show a paragraph that has nothing in it.
    """
    if name not in ("p", "div") or (element.text or "").strip():
        return False
    inner_names = [local_name(e) for e in islice(element.iterdescendants(), _MAX_BLANK_ELEMENTS + 1)]
    if len(inner_names) > _MAX_BLANK_ELEMENTS or not _INLINE.issuperset(inner_names):
        return False
    text = "".join(str(text) for text in element.itertext())
    return not text.strip() and ("\u00a0" in text or "br" in inner_names)


def is_ornamental_image(image: Element) -> bool:
    """Return whether an image is an ornament between two thoughts, by its class or alternative text."""
    return _any_names_break(classes(image)) or bool(_BREAK_IMAGE.fullmatch((image.get("alt") or "").strip()))


def with_blanks_as_breaks(documents: Sequence[DocumentText]) -> list[DocumentText]:
    """Return the documents with a break wherever an empty paragraph separates two others.

    If the book has many empty paragraphs, they are spacing, as between stanzas, and nothing is changed.
    """
    pairs = [pair for document in documents for pair in pairwise(document.blocks) if _are_paragraphs(*pair)]
    n_blanks = sum(after.blank_before for _, after in pairs)
    if n_blanks * _MIN_PARAGRAPHS_PER_BLANK > len(pairs):
        return list(documents)
    return [replace(document, blocks=_with_breaks(document.blocks)) for document in documents]


def _with_breaks(blocks: Sequence[MarkupBlock]) -> tuple[MarkupBlock, ...]:
    """Return the blocks of a document, with a break before each paragraph that follows an empty one."""
    with_breaks = [*blocks[:1]]
    for before, block in pairwise(blocks):
        is_after_blank = block.blank_before and _are_paragraphs(before, block)
        with_breaks.append(replace(block, break_before=True) if is_after_blank else block)
    return tuple(with_breaks)


def _are_paragraphs(before: MarkupBlock, block: MarkupBlock) -> bool:
    """Return whether both blocks are paragraphs: around any other block, an empty paragraph is spacing."""
    return before.kind is block.kind is BlockKind.PARAGRAPH
