"""Computes the anchors of a block: where each part of its cleaned text is in the text nodes of the file."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from alexandria.book.places import Edit, align_texts, join_anchors, write_edits

_WHITE = re.compile(r"[ \t\r\n\f]{2,}")
# What cleaning removes inside words: placeholders, with the brackets around them, and invisible characters.
# The pattern begins with one set of characters and not with alternatives: the search is four times as fast.
_REMOVED = re.compile(
    "[\\[(\ufdd0\ufdd1\ufdd3\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
    "(?:(?<![\\[(])|(?<=[\\[(])\ufdd0[\\])])"
)


_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
"""A character that is two code units in UTF-16, which CFIs count (EPUB CFI 1.1, character offset)."""


class TextNode(NamedTuple):
    """A text node that contributes to a block. A tuple and not a dataclass: a book has 100,000."""

    part: int  # the index of its text among the parts of the block
    path: str  # the path from the root of the document to the node, as in an EPUB CFI
    original: str  # the node's text as in the file; for a picture or a formula, the text shown in its place
    has_offsets: bool = True  # False for a picture or a formula: a CFI cannot point into its text
    passed_over: str = (
        ""  # what is in the file between this text node and the one before: marks of notes, ruby
    )


class _Place(NamedTuple):
    """A place in the file."""

    node: int  # index of a text node among those of the block
    offset: int  # offset in the node


def anchors_of(
    prefix: str, parts: Sequence[str], sources: Sequence[TextNode], raw: str, text: str, after: str = ""
) -> str:
    """Return the anchors of a block, as `join_anchors` writes them, with the edits of its text.

    Args:
        prefix: how a CFI into this document begins.
        parts: the pieces of text that the block is joined from, not yet cleaned.
        sources: the text nodes among the parts, in order.
        raw: the parts, joined.
        text: the block's text, cleaned.
        after: what the file has after the last text node, up to the end of the block.
    """
    # Pairs of an offset in the cleaned text and the same place in the raw text. A run reaches from one pair
    # to the next; within it, both texts have the same characters.
    pairs = align_texts(raw, text, _REMOVED)
    if not pairs or not sources:
        return ""
    first = sources[0]
    is_one_node = len(pairs) == len(parts) == 1 and first.has_offsets
    is_one_node = is_one_node and (text.isascii() or not _TWO_UNITS.search(first.original))
    if is_one_node and first.original.startswith(text, pairs[0][1]):
        return f"0 {prefix}{first.path}:{pairs[0][1]}"  # one unchanged node, as in most paragraphs
    raw_run_starts = [raw_offset for _, raw_offset in pairs]
    places: dict[int, _Place] = {}  # by the offset in the cleaned text
    for raw_offset, place in _anchor_points(parts, sources, raw_run_starts):
        run = max(0, bisect_right(raw_run_starts, raw_offset) - 1) if len(pairs) > 1 else 0
        run_start, raw_run_start = pairs[run]
        run_end = pairs[run + 1][0] if run + 1 < len(pairs) else len(text)
        offset = run_start + raw_offset - raw_run_start
        if offset < 0:  # white space that cleaning removes from the start: the text begins later in this node
            offset, place = 0, _Place(place.node, place.offset - offset)
        if offset < run_end:  # otherwise cleaning removed the text at this point
            places[offset] = place
    if not text.isascii():
        places |= _places_after_two_units(places, sources, text)
    return join_anchors(_with_edits(prefix, sources, sorted(places.items()), text, after))


def _places_after_two_units(
    places: dict[int, _Place], sources: Sequence[TextNode], text: str
) -> Iterator[tuple[int, _Place]]:
    """Yield the places after characters of two units, from which on the offset in the node is larger."""
    starts = sorted(places)
    for match in _TWO_UNITS.finditer(text):
        at = match.end()
        start = starts[max(0, bisect_left(starts, at) - 1)]
        node, offset = places[start]
        if start < at < len(text) and sources[node].has_offsets:
            yield at, places.get(at, _Place(node, offset + at - start))


def _with_edits(
    prefix: str, sources: Sequence[TextNode], places: Sequence[tuple[int, _Place]], text: str, after: str
) -> Iterator[tuple[int, str]]:
    """Yield the offset of each place in a block's text, and its anchor with the edits up to the next."""
    texts = [(node.passed_over, node.original if node.has_offsets else "") for node in sources]
    in_file = "".join((*chain.from_iterable(texts), after))
    node_ends = list(accumulate(len(passed_over) + len(own) for passed_over, own in texts))

    def offset_in_file(place: _Place) -> int:
        node_start = node_ends[place.node] - len(texts[place.node][1])
        return node_start + (place.offset if sources[place.node].has_offsets else 0)

    ends = [(offset, offset_in_file(place)) for offset, place in places[1:]]
    ends.append((len(text), len(in_file)))
    for k, ((offset, place), (end, end_in_file)) in enumerate(zip(places, ends, strict=True)):
        node = sources[place.node]
        units = place.offset + len(_TWO_UNITS.findall(node.original, 0, place.offset))
        anchor = f"{prefix}{node.path}:{units}" if node.has_offsets else prefix + node.path
        part_in_file = in_file[offset_in_file(place) : end_in_file]
        edits = _find_edits(text[offset:end], part_in_file, is_last=k + 1 == len(places))
        yield offset, anchor + write_edits(edits)


def _find_edits(text: str, in_file: str, *, is_last: bool) -> list[Edit]:
    """Return the edits that turn a part of a block's text into that part of the file."""
    # What the file has after the last part is ignored.
    if text == in_file or (is_last and in_file.startswith(text)):
        return []
    edits = []
    at = 0
    for at, (character, character_in_file) in enumerate(zip(text, in_file, strict=False)):
        if character == character_in_file:
            continue
        if not (character.isspace() and character_in_file.isspace()):
            break
        edits.append(Edit(at, 1, character_in_file))
    else:
        at = min(len(text), len(in_file))
        if at == len(text) and (is_last or at == len(in_file)):
            return edits
    # The rest differs: white space that was collapsed, a mark, ruby, or a formula.
    if edits and edits[-1].at + 1 == at:
        at -= 1
        edits.pop()
    return [*edits, Edit(at, len(text) - at, in_file[at:])]


def _anchor_points(
    parts: Sequence[str], sources: Sequence[TextNode], run_starts: Sequence[int]
) -> Iterator[tuple[int, _Place]]:
    """Yield the offsets in the raw text that need an anchor, each with the same place in the file."""
    # They are the start of each node, and each place after which offsets in the node, in the raw text and in
    # the cleaned text do not advance together any more.
    # `parts`: the pieces of the raw text.
    # `sources`: the text nodes among the parts, in order.
    # `run_starts`: the offsets in the raw text at which the cleaned text was aligned with it, ascending.
    part_starts = [0, *accumulate(map(len, parts))]
    for i, node in enumerate(sources):
        part, start = parts[node.part], part_starts[node.part]
        is_collapsed = len(part) != len(node.original)  # in most nodes, no white space is
        if is_collapsed:
            points = _points_of_collapsed(node.original, part, start, run_starts)
        else:
            points = _points_of_unchanged(part, start, run_starts)
        for raw_offset, node_offset in points:
            yield raw_offset, _Place(i, node_offset)


def _points_of_unchanged(part: str, start: int, run_starts: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of an offset in the raw text and in the node, for a part that is as long as its node."""
    # `part`: the part.
    # `start`: where it begins in the raw text.
    lead = len(part) - len(part.lstrip()) if part[:1].isspace() else 0
    if lead == len(part):
        return []
    first = start + lead
    points = [(first, lead)]
    if len(run_starts) > 1:
        points += [(at, at - start) for at in _offsets_between(run_starts, first, start + len(part))]
    return points


def _points_of_collapsed(
    original: str, part: str, start: int, run_starts: Sequence[int]
) -> list[tuple[int, int]]:
    """Return pairs of an offset in the raw text and in the node, for a part with collapsed white space."""
    pairs = [(start + offset, node_offset) for offset, node_offset in _offset_pairs(original, part)]
    pair_starts = [raw_offset for raw_offset, _ in pairs]
    node_offsets = dict(pairs)
    for at in _offsets_between(run_starts, start, start + len(part)):
        i = bisect_right(pair_starts, at) - 1
        if i >= 0:  # otherwise it is in the white space before the first letter
            pair_start, node_offset = pairs[i]
            node_offsets.setdefault(at, node_offset + at - pair_start)
    return sorted(node_offsets.items())


def _offsets_between(offsets: Sequence[int], start: int, end: int) -> Sequence[int]:
    """Return the offsets after `start` and before `end`; all offsets are ascending."""
    return offsets[bisect_right(offsets, start) : bisect_left(offsets, end)]


def _offset_pairs(original: str, part: str) -> list[tuple[int, int]]:
    """Return pairs of an offset in a part and the same place in its node, from the first letter on."""
    # There is a pair after each run of white space that was collapsed; between pairs, both advance together.
    # If `a b c` becomes `a b c`, they are (0, 0), (2, 3) and (4, 7).
    lead = len(part) - len(part.lstrip())
    if lead == len(part):
        return []
    pairs = [(lead, len(original) - len(original.lstrip()))]
    n_removed = 0
    for white in _WHITE.finditer(original):
        n_removed += white.end() - white.start() - 1
        offset = white.end() - n_removed
        if lead < offset < len(part):
            pairs.append((offset, white.end()))
    return pairs
