"""Finds the author's own breaks: lines of ornaments, and gaps that are clearly wider than usual."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from alexandria.book.model import BlockKind
from alexandria.extract.ornaments import is_ornament
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph
from alexandria.extract.pdf.typography import Typography

_MIN_EXTRA_GAP = 0.75  # leadings by which a gap exceeds the usual one: less may be a stretched page
_MAX_EXTRA_GAP = 4.0  # leadings by which a gap exceeds the usual one, at most: more is the place of a figure
_MAX_STRETCH = 0.3  # leadings by which other gaps may exceed the usual one: with more, a page is stretched
_MIN_GAPS_PER_BREAK = 8  # gaps per wide one: where these are more frequent, they separate no thoughts
_MAX_INDENT = 2.5  # times the body size: the widest indent of a paragraph; centred lines have more
_AT_MARGIN = 0.6  # times the body size: how far from the margin lines of text may begin, after the first
_SAME_SIZE = 0.5  # points by which lines of text may differ from the body size
_SAME_MARGIN = 1  # points by which the left margins of paragraphs in one column may differ
_MIN_SIGNS = 3  # fewest signs of an ornament: fewer may be a note's mark, a dash or part of a formula
_SINGLE_ORNAMENTS = frozenset("⁂❦❧☙❖✻")  # signs that are ornaments even by themselves
_MIN_CHARACTERS = 20  # fewest characters of a paragraph of text; a formula or a figure has fewer
_NOT_ORNAMENTS = frozenset("+=_#•-–")
"""Signs that are not ornaments in a PDF: bullets without their items, and the rules of tables."""


def separate_ornaments(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], list[Line]]:
    """Return the paragraphs without ornaments, and the ornaments' lines; set breaks where ornaments were.

    `break_before` is set, in place, for each paragraph that follows an ornament.
    """
    remaining: list[Paragraph] = []
    ornaments: list[Line] = []
    is_after_ornament = False
    for paragraph in paragraphs:
        if _is_ornament(paragraph):
            ornaments += paragraph.lines
            is_after_ornament = True
        else:
            paragraph.break_before = paragraph.break_before or is_after_ornament
            remaining.append(paragraph)
            is_after_ornament = False
    return remaining, ornaments


def set_breaks_at_wide_gaps(paragraphs: Sequence[Paragraph], typography: Typography) -> None:
    """Set `break_before`, in place, for each paragraph below a wide gap.

    Gaps at the ends of pages and next to anything but text are ignored. Nothing is set if wide gaps are
    frequent; a gap on a page whose other gaps are stretched as well is not a break.
    """
    gaps: dict[int, float] = {}  # in leadings, by the index of the paragraph below
    are_prose = [_is_prose(paragraph, typography) for paragraph in paragraphs]
    for i, (above, below) in enumerate(pairwise(paragraphs), start=1):
        if are_prose[i - 1] and are_prose[i] and _is_next_in_column(above, below):
            distance = above.lines[-1].y - below.lines[0].y
            gaps[i] = distance / typography.leading(typography.body_size)
    if not gaps:
        return
    usual = median(gaps.values())
    wide = [i for i, gap in gaps.items() if _MIN_EXTRA_GAP <= gap - usual <= _MAX_EXTRA_GAP]
    if len(wide) * _MIN_GAPS_PER_BREAK > len(gaps):
        return
    gaps_by_page: dict[int, list[float]] = defaultdict(list)
    for i, gap in gaps.items():
        gaps_by_page[paragraphs[i].lines[0].page].append(gap)
    for i in wide:
        # Without the widest gap of the page: it is this gap, or another break.
        others = sorted(gaps_by_page[paragraphs[i].lines[0].page])[:-1]
        if not others or median(others) - usual <= _MAX_STRETCH:
            paragraphs[i].break_before = True


def _is_ornament(paragraph: Paragraph) -> bool:
    """Return whether a paragraph is an ornament, by signs that are unlikely to be anything else in a PDF."""
    if paragraph.lines[0].text[:1].isalpha():
        return False  # the usual case: text
    signs = "".join("".join(line.text.split()) for line in paragraph.lines)
    is_clear = len(signs) >= _MIN_SIGNS or signs in _SINGLE_ORNAMENTS
    return is_clear and is_ornament(signs) and not _NOT_ORNAMENTS.intersection(signs)


def _is_prose(paragraph: Paragraph, typography: Typography) -> bool:
    """Return whether a paragraph is body text at the margin, not a heading, quotation, verse or centred."""
    first, *others = paragraph.lines
    body_size = typography.body_size
    return (
        paragraph.kind is BlockKind.PARAGRAPH
        and first.x0 - paragraph.left <= _MAX_INDENT * body_size
        and sum([len(line.text) for line in paragraph.lines]) >= _MIN_CHARACTERS
        and not all(line.bold for line in paragraph.lines)
        and all(abs(line.size - body_size) < _SAME_SIZE for line in paragraph.lines)
        and all(abs(line.x0 - paragraph.left) <= _AT_MARGIN * body_size for line in others)
    )


def _is_next_in_column(above: Paragraph, below: Paragraph) -> bool:
    """Return whether two paragraphs are in the same column, the second one below the first."""
    last, first = above.lines[-1], below.lines[0]
    is_below = last.page == first.page and last.y > first.y
    return is_below and abs(above.left - below.left) < _SAME_MARGIN
