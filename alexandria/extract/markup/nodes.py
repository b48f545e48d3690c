"""Computes the anchors of a block: where each part of its cleaned text is in the text nodes of the file."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from alexandria.anchors import align_texts, join_anchors

_WHITE = re.compile(r"[ \t\r\n\f]{2,}")
# What cleaning removes inside words: placeholders, with the brackets around them, and invisible characters.
# The pattern begins with one set of characters and not with alternatives: the search is four times as fast.
_REMOVED = re.compile(
    "[\\[(\ufdd0\ufdd1\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
    "(?:(?<![\\[(])|(?<=[\\[(])\ufdd0[\\])])"
)


class TextNode(NamedTuple):
    """A text node that contributes to a block. A tuple and not a dataclass: a book has 100,000."""

    part: int
    """The index of its text among the parts of the block."""
    path: str
    """The path from the root of the document to the node, as in an EPUB CFI."""
    original: str
    """The node's text as it is in the file; for a picture or a formula, the text shown in its place."""
    has_offsets: bool = True
    """False for a picture or a formula: a CFI cannot point into its text."""


def anchors_of(prefix: str, parts: Sequence[str], sources: Sequence[TextNode], raw: str, text: str) -> str:
    """Return the anchors of a block, as `join_anchors` writes them.

    Args:
        prefix: how a CFI into this document begins.
        parts: the pieces of text that the block is joined from, not yet cleaned.
        sources: the text nodes among the parts, in order.
        raw: the parts, joined.
        text: the block's text, cleaned.
    """
    # Pairs of an offset in the cleaned text and the same place in the raw text.
    pairs = align_texts(raw, text, _REMOVED)
    if not pairs or not sources:
        return ""
    first = sources[0]
    if len(pairs) == len(parts) == 1 and first.has_offsets and len(raw) == len(first.original):
        return f"0 {prefix}{first.path}:{pairs[0][1]}"  # one unchanged node, as in most paragraphs
    run_starts = [at for _, at in pairs]  # in the raw text; within a run, both texts advance together
    anchors: dict[int, str] = {}
    for at, node, node_offset in _anchor_points(parts, sources, run_starts):
        i = max(0, bisect_right(run_starts, at) - 1) if len(run_starts) > 1 else 0
        offset = pairs[i][0] + at - pairs[i][1]
        if offset < 0:  # white space that cleaning removes from the start: the text begins later in this node
            offset, node_offset = 0, node_offset - offset
        run_end = pairs[i + 1][0] if i + 1 < len(pairs) else len(text)
        if offset < run_end:  # otherwise cleaning removed the text at this point
            anchors[offset] = f"{prefix}{node.path}:{node_offset}" if node.has_offsets else prefix + node.path
    return join_anchors(sorted(anchors.items()))


def _anchor_points(
    parts: Sequence[str], sources: Sequence[TextNode], run_starts: Sequence[int]
) -> Iterator[tuple[int, TextNode, int]]:
    """Yield the points of the raw text that need an anchor: its offset, the node, and the offset in the node.

    They are the start of each node, and each place after which offsets in the node, in the raw text and in
    the cleaned text do not advance together any more.
    """
    part_starts = [0, *accumulate(map(len, parts))]
    for source in sources:
        part = parts[source.part]
        start, stop = part_starts[source.part], part_starts[source.part + 1]
        if len(part) == len(source.original):  # most nodes: their white space is not collapsed
            first = stop - len(part.lstrip()) if part[:1].isspace() else start
            if first < stop:
                yield first, source, first - start
                if len(run_starts) > 1:
                    inside = slice(bisect_right(run_starts, first), bisect_right(run_starts, stop - 1))
                    for at in run_starts[inside]:
                        yield at, source, at - start
            continue
        shifts = _offset_pairs(source.original, part)
        shift_starts = [start + at for at, _ in shifts]
        node_offsets = {start + at: offset for at, offset in shifts}
        for at in run_starts[bisect_right(run_starts, start) : bisect_right(run_starts, stop - 1)]:
            i = bisect_right(shift_starts, at) - 1
            if i >= 0:  # otherwise it is in the white space before the first letter
                node_offsets.setdefault(at, shifts[i][1] + at - shift_starts[i])
        for at in sorted(node_offsets):
            yield at, source, node_offsets[at]


def _offset_pairs(original: str, part: str) -> list[tuple[int, int]]:
    """Return pairs of an offset in a part and the same place in its node, from the first letter on.

    There is a pair after each run of white space that was collapsed; between pairs, both advance together.
    """
    lead = len(part) - len(part.lstrip())
    if lead == len(part):
        return []
    n_removed = 0
    pairs = [(lead, lead)]
    for white in _WHITE.finditer(original):
        n_removed += white.end() - white.start() - 1
        pairs.append((white.end() - n_removed, white.end()))
    pairs = [(at, offset) for at, offset in pairs if lead <= at < len(part)]
    if pairs[0][0] != lead:
        pairs.insert(0, (lead, len(original) - len(original.lstrip())))
    return [pair for i, pair in enumerate(pairs) if not i or pair[0] > pairs[i - 1][0]]
