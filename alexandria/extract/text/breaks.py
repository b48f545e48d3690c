"""The author's own breaks in plain text: lines of ornaments, and wider gaps than between other paragraphs."""

from collections.abc import Iterator, Sequence
from statistics import median_low

from alexandria.book import BlockKind
from alexandria.extract.ornaments import is_ornament
from alexandria.extract.text.unwrapping import Group, Layout, blocks_of, illustration_caption

_WIDER = 2
"""Blank lines more than between other paragraphs: a single one more may be chance."""
_RARE = 8
"""Groups of lines per wide gap, at least: where they are more frequent they do not separate thoughts."""
_UNSPACED = 4
"""Paragraphs per group, at least, in a text that does not space its paragraphs."""
_SAMPLE = 60
"""Groups that show how a text is spaced."""


def has_words(group: Group) -> bool:
    """Return whether a group is text: no ornament, and no mark of an illustration without a caption."""
    return illustration_caption(group) != "" and any(map(str.isalnum, group.text))


def find_breaks(groups: Sequence[Group], layout: Layout) -> frozenset[int]:
    """Return the groups that follow a break, by their index among the groups with words."""
    body = [group for group in groups if has_words(group)]
    return frozenset((*_after_ornaments(groups), *_after_gaps(body, layout)))


def _after_ornaments(groups: Sequence[Group]) -> Iterator[int]:
    n, ornament = 0, False
    for group in groups:
        if not has_words(group):
            ornament = ornament or is_ornament(group.text)
            continue
        if ornament:
            yield n
        n, ornament = n + 1, False


def _after_gaps(body: Sequence[Group], layout: Layout) -> list[int]:
    """Return the groups after gaps between paragraphs that are wider than usual, and not two in a row."""
    # The gap before the first group is that of the file.
    gaps = [0, *(group.blank_before for group in body[1:]), 0]
    if _is_spaced(body, layout):
        wide = median_low(gaps[1:]) + _WIDER
        at = [i for i in range(1, len(body)) if gaps[i] >= wide]
        if len(at) * _RARE > len(body):
            return []
        at = [i for i in at if gaps[i - 1] < wide and gaps[i + 1] < wide]
    else:
        at = list(range(1, len(body)))
    # After verse and around quotations, tables and captions, a gap only sets them apart.
    return [i for i in at if _is_prose(body[i - 1], layout) and _is_prose(body[i], layout)]


def _is_prose(group: Group, layout: Layout) -> bool:
    own = min(group.indents) <= layout.indent or len(group.lines) == 1
    return own and all(block.kind is BlockKind.PARAGRAPH for block in blocks_of(group, layout))


def _is_spaced(body: Sequence[Group], layout: Layout) -> bool:
    """Return whether blank lines separate paragraphs; in other texts, every blank line is a break."""
    sample = body[:: len(body) // _SAMPLE + 1]
    n_paragraphs = sum(len(list(blocks_of(group, layout))) for group in sample)
    return n_paragraphs < _UNSPACED * len(sample)
