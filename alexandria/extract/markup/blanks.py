"""Empty paragraphs: breaks of the author in a book with few of them, mere spacing in a book with many."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.book import BlockKind
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.sections import DocumentText

_MIN_PARAGRAPHS_PER_BLANK = 8
"""Paragraphs for each empty one, if those are breaks; more frequent ones are spacing, as between stanzas."""


def with_rare_blanks(documents: Sequence[DocumentText]) -> list[DocumentText]:
    """Return a book's documents with breaks at the empty lines between paragraphs, if such lines are rare."""
    pairs = [pair for document in documents for pair in pairwise(document.blocks) if _in_prose(*pair)]
    if sum(after.blank_before for _, after in pairs) * _MIN_PARAGRAPHS_PER_BLANK > len(pairs):
        return list(documents)
    return [replace(document, blocks=_with_breaks(document.blocks)) for document in documents]


def _with_breaks(blocks: Sequence[MarkupBlock]) -> tuple[MarkupBlock, ...]:
    return tuple(
        replace(block, break_before=True)
        if before and block.blank_before and _in_prose(before, block)
        else block
        for before, block in zip((None, *blocks), blocks, strict=False)
    )


def _in_prose(before: MarkupBlock, block: MarkupBlock) -> bool:
    """Return whether both are paragraphs: around pictures, lists or quotations, empty lines are spacing."""
    return before.kind is block.kind is BlockKind.PARAGRAPH
