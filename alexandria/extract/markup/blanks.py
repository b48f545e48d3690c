"""Empty paragraphs: breaks of the author in a book that has few, mere spacing in a book that has many."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.book import BlockKind
from alexandria.extract.markup.blocks import MarkupBlock
from alexandria.extract.markup.sections import DocumentText

_RARE = 8
"""Paragraphs per empty one, at least: where they space paragraphs or stanzas, each has one."""


def with_rare_blanks(documents: Sequence[DocumentText]) -> list[DocumentText]:
    """Return a book's documents with breaks at the empty lines between paragraphs, if these are rare."""
    pairs = [pair for document in documents for pair in pairwise(document.blocks) if _in_prose(*pair)]
    if sum(after.blank_before for _, after in pairs) * _RARE > len(pairs):
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
    """Return whether both are paragraphs: around pictures, lists and quotations, empty lines only space."""
    return before.kind is block.kind is BlockKind.PARAGRAPH
