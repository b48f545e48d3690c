"""Anchors of a block: from the text nodes it was put together from, to the text that readers see."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from alexandria.anchors import join_anchors, same_text

_WHITE = re.compile(r"[ \t\r\n\f]{2,}")
# What cleaning takes out of a word: placeholders, with the brackets around them, and invisible characters.
# It begins with one set of characters, not with a choice: so it is searched for four times as fast.
_REMOVED = re.compile(
    "[\\[(\ufdd0\ufdd1\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
    "(?:(?<![\\[(])|(?<=[\\[(])\ufdd0[\\])])"
)


class TextNode(NamedTuple):
    """A text node, as a part of a block. A tuple: a book has 100,000."""

    part: int
    """Its number among the parts of the block."""
    path: str
    """From the root of the document to the node, as in an EPUB CFI."""
    original: str
    """Its text as the file has it; for an element that is shown as a text, that text."""
    has_offsets: bool = True
    """False for a picture or a formula, which has no text of its own."""


def anchors_of(prefix: str, parts: Sequence[str], sources: Sequence[TextNode], raw: str, text: str) -> str:
    """Return the anchors of a block.

    Args:
        prefix: how a CFI into this document begins.
        parts: what the block was put together from.
        sources: those of them that are text nodes, in order.
        raw: the parts as one text.
        text: the block, cleaned.
    """
    pairs = same_text(raw, text, _REMOVED)
    if not pairs or not sources:
        return ""
    first = sources[0]
    if len(pairs) == len(parts) == 1 and first.has_offsets and len(raw) == len(first.original):
        return f"0 {prefix}{first.path}:{pairs[0][1]}"  # one node, as in most paragraphs
    starts = [at for _, at in pairs]
    anchors: dict[int, str] = {}
    for at, node, offset in _turns(parts, sources, starts):
        i = max(0, bisect_right(starts, at) - 1) if len(starts) > 1 else 0
        place = pairs[i][0] + at - pairs[i][1]
        if place < 0:  # white space before the text: it begins later in this node
            place, offset = 0, offset - place
        after = pairs[i + 1][0] if i + 1 < len(pairs) else len(text)
        if place < after:  # what cleaning takes out has no place
            anchors[place] = f"{prefix}{node.path}:{offset}" if node.has_offsets else prefix + node.path
    return join_anchors(sorted(anchors.items()))


def _turns(
    parts: Sequence[str], sources: Sequence[TextNode], starts: Sequence[int]
) -> Iterator[tuple[int, TextNode, int]]:
    """Yield the places in the raw text where a node begins or offsets in it change: place, node, offset."""
    begins = [0, *accumulate(map(len, parts))]
    for source in sources:
        part = parts[source.part]
        start, stop = begins[source.part], begins[source.part + 1]
        if len(part) == len(source.original):  # as most are
            first = stop - len(part.lstrip()) if part[:1].isspace() else start
            if first < stop:
                yield first, source, first - start
                if len(starts) > 1:
                    for at in starts[bisect_right(starts, first) : bisect_right(starts, stop - 1)]:
                        yield at, source, at - start
            continue
        shifts = _shifts(source.original, part)
        ats = [start + at for at, _ in shifts]
        every = {start + at: offset for at, offset in shifts}
        for at in starts[bisect_right(starts, start) : bisect_right(starts, stop - 1)]:
            i = bisect_right(ats, at) - 1
            if i >= 0:  # what is before is white space
                every.setdefault(at, shifts[i][1] + at - ats[i])
        for at in sorted(every):
            yield at, source, every[at]


def _shifts(original: str, part: str) -> list[tuple[int, int]]:
    """Return pairs of an offset in a part, beginning with its first letter, and the same in its node."""
    lead = len(part) - len(part.lstrip())
    if lead == len(part):
        return []
    lost = 0
    shifts = [(lead, lead)]
    for white in _WHITE.finditer(original):
        lost += white.end() - white.start() - 1
        shifts.append((white.end() - lost, white.end()))
    shifts = [(at, offset) for at, offset in shifts if lead <= at < len(part)]
    shifts = shifts if shifts[0][0] == lead else [(lead, len(original) - len(original.lstrip())), *shifts]
    return [shift for i, shift in enumerate(shifts) if not i or shift[0] > shifts[i - 1][0]]
