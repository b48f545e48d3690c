"""Empty paragraphs: scene breaks that the author intended if a book has few, mere spacing if it has many."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.book import BlockKind
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.sections import DocumentText

_MIN_PARAGRAPHS_PER_BLANK = 8
"""With fewer paragraphs than this per empty one, the empty ones are spacing, not breaks."""


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
    out = [*blocks[:1]]
    for before, block in pairwise(blocks):
        is_after_blank = block.blank_before and _are_paragraphs(before, block)
        out.append(replace(block, break_before=True) if is_after_blank else block)
    return tuple(out)


def _are_paragraphs(before: MarkupBlock, block: MarkupBlock) -> bool:
    """Return whether both blocks are paragraphs: around any other block, an empty paragraph is spacing."""
    return before.kind is block.kind is BlockKind.PARAGRAPH
