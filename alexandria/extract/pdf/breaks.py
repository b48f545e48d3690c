"""The author's own breaks in a PDF: lines of ornaments, and gaps that are clearly wider than usual."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from alexandria.book import BlockKind
from alexandria.extract.ornaments import is_ornament
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph
from alexandria.extract.pdf.typography import Typography

_WIDER = 0.75
"""Leadings more than between other paragraphs: less may be a page stretched to full height."""
_WIDEST = 4.0
"""Leadings more than between other paragraphs: more is the place of a figure."""
_STRETCHED = 0.3
"""Leadings by which the other gaps of the page may be wider than usual: more, and the page is stretched."""
_RARE = 8
"""Gaps per wide one, at least: where they are more frequent they do not separate thoughts."""
_INDENT = 2.5
"""Times the body size: the widest indent of a paragraph; centred lines and quotations have more."""
_LINE = 3
"""Signs of an ornament: fewer may be a note's mark, a dash or part of a formula; not so those that follow."""
_ALONE = frozenset("⁂❦❧☙❖✻")
_SHORTEST = 20
"""Characters of a paragraph: less is part of a formula or a figure."""
# Signs that text layers also have alone: bullets apart from their items, the rules of tables.
_OTHERS = frozenset("+=_#•-–")


def take_ornaments(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], list[Line]]:
    """Return the paragraphs without ornaments, those after them marked, and the lines of the ornaments."""
    remaining: list[Paragraph] = []
    ornaments: list[Line] = []
    after = False
    for paragraph in paragraphs:
        if _is_ornament(paragraph):
            ornaments += paragraph.lines
            after = True
        else:
            paragraph.break_before = paragraph.break_before or after
            remaining.append(paragraph)
            after = False
    return remaining, ornaments


def mark_wide_gaps(paragraphs: Sequence[Paragraph], typography: Typography) -> None:
    """Mark the paragraphs after a wide gap; gaps at page ends and around other blocks are not considered."""
    gaps: dict[int, float] = {}
    prose = [_is_prose(paragraph, typography) for paragraph in paragraphs]
    for i, (above, below) in enumerate(pairwise(paragraphs), start=1):
        if prose[i - 1] and prose[i] and _follows(above, below):
            distance = above.lines[-1].y - below.lines[0].y
            gaps[i] = distance / typography.leading(typography.body)
    if not gaps:
        return
    usual = median(gaps.values())
    wide = [i for i, gap in gaps.items() if _WIDER <= gap - usual <= _WIDEST]
    if len(wide) * _RARE > len(gaps):
        return
    on_page: dict[int, list[float]] = defaultdict(list)
    for i, gap in gaps.items():
        on_page[paragraphs[i].lines[0].page].append(gap)
    for i in wide:
        others = sorted(on_page[paragraphs[i].lines[0].page])[:-1]
        if not others or median(others) - usual <= _STRETCHED:
            paragraphs[i].break_before = True


def _is_ornament(paragraph: Paragraph) -> bool:
    if paragraph.lines[0].text[:1].isalpha():
        return False  # as most are
    text = "".join("".join(line.text.split()) for line in paragraph.lines)
    clear = len(text) >= _LINE or text in _ALONE
    return clear and is_ornament(text) and not _OTHERS.intersection(text)


def _is_prose(paragraph: Paragraph, typography: Typography) -> bool:
    """Return whether a paragraph is body text at the margin: no heading, quotation, verse or centred line."""
    first, *others = paragraph.lines
    body = typography.body
    return (
        paragraph.kind is BlockKind.PARAGRAPH
        and first.x0 - paragraph.left <= _INDENT * body
        and sum([len(line.text) for line in paragraph.lines]) >= _SHORTEST
        and not all(line.bold for line in paragraph.lines)
        and all(abs(line.size - body) < 0.5 for line in paragraph.lines)
        and all(abs(line.x0 - paragraph.left) <= 0.6 * body for line in others)
    )


def _follows(above: Paragraph, below: Paragraph) -> bool:
    """Return whether one paragraph is below another in the same column."""
    a, b = above.lines[-1], below.lines[0]
    return a.page == b.page and a.y > b.y and abs(above.left - below.left) < 1
