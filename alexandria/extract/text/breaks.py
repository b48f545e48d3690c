"""Finds the author's breaks in plain text: lines of ornaments, and gaps wider than usual."""

from collections.abc import Iterator, Sequence
from statistics import median_low

from alexandria.book.model import BlockKind
from alexandria.extract.ornaments import is_ornament
from alexandria.extract.text.unwrapping import Group, Layout, blocks_of, illustration_caption

_MIN_EXTRA_BLANKS = 2  # blank lines of a wide gap beyond those of other gaps; one more may be chance
_MIN_GROUPS_PER_GAP = 8  # groups of lines for each wide gap; more frequent gaps do not separate thoughts
_MIN_PARAGRAPHS_PER_GROUP = 4  # paragraphs per group, on average, in a text without blank lines in between
_SAMPLE_SIZE = 60  # groups, at most, from which the spacing of a text is judged


def has_words(group: Group) -> bool:
    """Return whether a group is text, and not an ornament or an illustration without a caption."""
    is_bare_illustration = illustration_caption(group) == ""
    return not is_bare_illustration and any(map(str.isalnum, group.text))


def find_breaks(groups: Sequence[Group], layout: Layout) -> frozenset[int]:
    """Return the index of each group that follows a break; the indexes count only groups with words."""
    body = [group for group in groups if has_words(group)]
    return frozenset((*_indexes_after_ornaments(groups), *_indexes_after_gaps(body, layout)))


def _indexes_after_ornaments(groups: Sequence[Group]) -> Iterator[int]:
    """Yield the index of each group that follows an ornament; the indexes count only groups with words."""
    index = 0  # of the next group with words
    follows_ornament = False
    for group in groups:
        if has_words(group):
            if follows_ornament:
                yield index
            index += 1
            follows_ornament = False
        elif is_ornament(group.text):
            follows_ornament = True


def _indexes_after_gaps(body: Sequence[Group], layout: Layout) -> list[int]:
    """Return the indexes of the groups after gaps that are breaks."""
    # A break is a gap between paragraphs that is wider than usual, without another wide gap right before or
    # after it. In a text that does not space its paragraphs, any gap between groups is a break.
    # The gap before each group, and one after the last. Blank lines before the first group are the file's
    # beginning, and no gap.
    gaps = [0, *(group.blank_before for group in body[1:]), 0]
    if _is_spaced(body, layout):
        min_wide = median_low(gaps[1:]) + _MIN_EXTRA_BLANKS
        wide = [i for i in range(1, len(body)) if gaps[i] >= min_wide]
        if len(wide) * _MIN_GROUPS_PER_GAP > len(body):
            return []
        candidates = [i for i in wide if gaps[i - 1] < min_wide and gaps[i + 1] < min_wide]
    else:
        candidates = list(range(1, len(body)))
    # A gap next to verse, a quotation, a table or a caption only sets this group apart.
    return [i for i in candidates if _is_prose(body[i - 1], layout) and _is_prose(body[i], layout)]


def _is_prose(group: Group, layout: Layout) -> bool:
    """Return whether a group consists of paragraphs, which are not all indented more than the text."""
    if len(group.lines) > 1 and min(group.indents) > layout.indent:
        return False
    return all(block.kind is BlockKind.PARAGRAPH for block in blocks_of(group, layout))


def _is_spaced(body: Sequence[Group], layout: Layout) -> bool:
    """Return whether blank lines separate paragraphs; in other texts, every blank line is a break."""
    # Where blank lines separate paragraphs, a group of lines is a single paragraph.
    every_nth = len(body) // _SAMPLE_SIZE + 1
    sample = body[::every_nth]
    n_paragraphs = sum(len(list(blocks_of(group, layout))) for group in sample)
    return n_paragraphs < _MIN_PARAGRAPHS_PER_GROUP * len(sample)
