"""Turns recognised words into lines of type, on deskewed pages, with the sizes and margins of the book.

A printed line has one baseline, one size and one left margin; on a scan, each word is measured differently.
The other modules compare these values as a typesetter set them, so values that differ by less than a scan's
noise are made equal. Begin with `make_scanned_lines`: it calls the steps in order.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import atan, cos, sin
from statistics import median, median_low

from alexandria.extract.notes.scanned_marks import RaisedEnd, with_marks
from alexandria.extract.pdf.lines import Line
from alexandria.extract.runs import group_runs
from alexandria.extract.scans import ScannedPage, ScannedWord

_LETTER = re.compile(r"[^\W_]")
_MIN_CONFIDENCE = 50  # percent: a word without letters that was recognised with less is dirt on the page
_DEPTH = 0.21  # times the size: how far letters reach below the line
_MIN_SIZE = 1.0  # points: anything smaller is not type
_ODD_SIZE = 0.2  # share of the usual size: a word that differs by more was misread, or is larger type
_MAX_SPACE = 2.5  # times the size: words farther apart are in two columns, or are a head and its page number
_MIN_SKEW_WORDS = 4  # fewest words of a line from which the skew of a page is measured
_MAX_SLOPE = 0.1  # largest slope of a page that was laid on the glass by hand: six degrees
_SAME_EDGE = 0.25  # times the size: left edges closer to each other than this are one margin
_NOISE = 0.05  # how far, as a share of its size, a whole line may be measured too large or too small
_LETTER_NOISE = 0.25  # added to `_NOISE` for a line of one letter; with n letters, divided by √n
_MISMEASURED = 0.2  # share of its size by which a line within a paragraph may be measured wrongly
_MISMEASURED_LETTER = 0.5  # added to `_MISMEASURED` for a line of one letter; with n letters, divided by √n
_MAX_LEADING = 1.5  # times the size: the largest distance of lines of a paragraph; headings have more
_MIN_HEADS = 3  # fewest lines at one height, at the top of pages, that are running heads
_MAX_SHIFT_UP = 1.5  # times the size: how far a page is shifted up or down to agree with the others
_MAX_SHIFT_SIDEWAYS = 8  # times the size: how far a page is shifted left or right
_SAME_WIDTH = 1.5  # times the size: pages whose widths of type differ by less have the same margins


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of a line between two wide gaps, deskewed, in points from the lower left corner of the page."""

    text: str
    raised: tuple[tuple[int, int], ...]  # where the raised ends of its words start and end in the text
    confidence: float | None  # 0 to 100; None for words of a text layer, which nobody has measured
    place: tuple[float, float, float, float]  # left, bottom, right and top on the page before it is deskewed
    x0: float
    x1: float
    y: float
    size: float
    n_letters: int  # letters of the whole line: the more there are, the more certain is its size


def make_scanned_lines(pages: Mapping[int, ScannedPage]) -> dict[int, tuple[Line, ...]]:
    """Return the lines of recognised pages, with the marks of their notes, by the index of their page.

    Args:
        pages: the words of each page, by its index in the file, from 0.
    """
    return lines_of_segments({index: segments_of(page) for index, page in pages.items()})


def lines_of_segments(pages: Mapping[int, Sequence[Segment]]) -> dict[int, tuple[Line, ...]]:
    """Return the lines of pages, with the marks of their notes; the pages are those of one book."""
    segments = {index: snap_left_edges(tuple(page)) for index, page in pages.items()}
    sizes = _find_usual_sizes([segment for page in segments.values() for segment in page])
    segments = _shift_pages(segments, sizes)  # a book has a million words: no step keeps those before it
    lines = {
        index: [to_line(segment, index) for segment in _snap_sizes(page, sizes)]
        for index, page in segments.items()
    }
    raised_ends = [end for index, page in segments.items() for end in _find_raised_ends(index, page)]
    del segments
    body_size = sizes[0] if sizes else 0.0
    return with_marks(lines, raised_ends, body_size)


def segments_of(page: ScannedPage) -> tuple[Segment, ...]:
    """Return the segments of a page's lines: a line is split where a gap is wider than a space."""
    segments: list[Segment] = []
    words = [word for word in page.words if _LETTER.search(word.text) or word.confidence > _MIN_CONFIDENCE]
    lines = [tuple(line) for _, line in groupby(words, key=lambda word: word.line)]
    slope = _median_slope(lines)
    for line in lines:
        size, y = _type_size(line), _baseline(line, page, slope)
        n_letters = sum(len(word.text) for word in line)
        start = 0
        for end in range(1, len(line) + 1):
            is_at_gap = end == len(line) or line[end].left - line[end - 1].right >= _MAX_SPACE * size
            if is_at_gap:
                segments.append(
                    _to_segment(line[start:end], page, slope, size=size, y=y, n_letters=n_letters)
                )
                start = end
    return tuple(segments)


def _median_slope(lines: Iterable[Sequence[ScannedWord]]) -> float:
    """Return the slope of a page's lines, positive if they go down to the right: the median of their slopes.

    The slope of a line is fitted through the baseline points of its words. Returns 0 if no line has enough
    words, or if the slope is too steep to be skew.
    """
    points_by_line = [_baseline_points(line) for line in lines]
    fitted = [_fit_slope(points) for points in points_by_line if len(points) >= _MIN_SKEW_WORDS]
    slopes = [slope for slope in fitted if slope is not None]
    slope = median(slopes) if slopes else 0.0
    return slope if abs(slope) < _MAX_SLOPE else 0.0


def _fit_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the slope of the regression line through points (x, y), or None if all have the same x."""
    # `statistics.linear_regression` rounds differently, and would move the lines of books already stored.
    mean_x = sum([x for x, _ in points]) / len(points)
    mean_y = sum([y for _, y in points]) / len(points)
    squares = sum((x - mean_x) ** 2 for x, _ in points)
    products = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return products / squares if squares > 0 else None


def _baseline_points(words: Iterable[ScannedWord]) -> list[tuple[float, float]]:
    """Return the point of the baseline below the middle of each word whose baseline is known."""
    return [((word.left + word.right) / 2, word.baseline) for word in words if word.baseline is not None]


def _type_size(words: Sequence[ScannedWord]) -> float:
    """Return the size of a line's type in pixels: the mean over its letters, without words of an odd size."""
    # If no word shows its size, return the height of the highest word.
    sized = [word for word in words if word.size]
    if not sized:
        return float(max(word.bottom - word.top for word in words))
    # The low median is a size that occurs: at least the words of this size are regular.
    usual = median_low([word.size for word in sized for _letter in word.text])
    regular = [word for word in sized if abs(word.size - usual) <= _ODD_SIZE * usual]
    n_letters = sum(len(word.text) for word in regular)
    return sum(word.size * len(word.text) for word in regular) / n_letters


def _baseline(words: Sequence[ScannedWord], page: ScannedPage, slope: float) -> float:
    """Return the baseline of a line on the deskewed page, in pixels from the top."""
    points = _baseline_points(words)
    if not points:  # as in "gyp": all of the letters reach below the baseline
        points = [(word.left, word.bottom - _DEPTH * _type_size(words)) for word in words]
    return median(_deskew(point, page, slope)[1] for point in points)


def _deskew(point: tuple[float, float], page: ScannedPage, slope: float) -> tuple[float, float]:
    """Return a point turned about the middle of the picture by the slope, which makes the lines level."""
    angle = atan(slope)
    middle_x, middle_y = page.width / 2, page.height / 2
    x, y = point[0] - middle_x, point[1] - middle_y
    return (cos(angle) * x + sin(angle) * y + middle_x, cos(angle) * y - sin(angle) * x + middle_y)


def _to_segment(
    words: Sequence[ScannedWord], page: ScannedPage, slope: float, *, size: float, y: float, n_letters: int
) -> Segment:
    """Return words as a segment in points."""
    # `size`: the size of the whole line's type, in pixels.
    # `y`: the line's baseline on the deskewed page, in pixels from the top.
    # `n_letters`: the number of letters of the whole line.
    scale = page.points_per_pixel
    x0 = _deskew((words[0].left, words[0].bottom), page, slope)[0]
    x1 = _deskew((words[-1].right, words[-1].bottom), page, slope)[0]
    n_own_letters = sum(len(word.text) for word in words)
    return Segment(
        text=" ".join(map(_text_of, words)),
        raised=tuple(_raised_ends(words)),
        confidence=sum(word.confidence * len(word.text) for word in words) / max(n_own_letters, 1),
        place=(
            min(word.left for word in words) * scale,
            (page.height - max(word.bottom for word in words)) * scale,
            max(word.right for word in words) * scale,
            (page.height - min(word.top for word in words)) * scale,
        ),
        x0=x0 * scale,
        x1=x1 * scale,
        y=(page.height - y) * scale,
        size=max(size * scale, _MIN_SIZE),
        n_letters=n_letters,
    )


def snap_left_edges(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Return the segments of a page, each group of nearly equal left edges replaced by the group's median."""
    from_left = sorted(range(len(segments)), key=lambda i: segments[i].x0)
    groups = group_runs(
        from_left,
        lambda group, i: segments[i].x0 - segments[group[-1]].x0 <= _SAME_EDGE * segments[i].size,
    )
    edges = {i: median(segments[i].x0 for i in group) for group in groups for i in group}
    return tuple(replace(segment, x0=edges[i]) for i, segment in enumerate(segments))


def _find_usual_sizes(segments: Iterable[Segment]) -> list[float]:
    """Return the sizes of the book's type, the most frequent first."""
    # Sizes within the noise of each other are one size. Each turn of the loop takes the window of sizes that
    # holds most letters, and returns their mean.
    n_letters: Counter[float] = Counter()  # by size
    for segment in segments:
        n_letters[round(segment.size, 1)] += len(segment.text) - segment.text.count(" ")

    def window_around(size: float) -> list[float]:
        return [other for other in n_letters if abs(other - size) <= _NOISE * size]

    def weight(size: float) -> tuple[int, float]:
        return sum(n_letters[other] for other in window_around(size)), -size

    sizes: list[float] = []
    while n_letters:
        window = window_around(max(n_letters, key=weight))
        total = sum(n_letters[size] for size in window)
        sizes.append(round(sum(size * n_letters[size] for size in window) / total, 1))
        for size in window:
            del n_letters[size]
    return sizes


def _usual_size(segment: Segment, sizes: Iterable[float]) -> float:
    """Return the most frequent size close to a segment's measured size; if none is close, the measured size.

    The fewer letters a line has, the less certain is its measured size.
    """
    tolerance = _NOISE + _LETTER_NOISE / max(segment.n_letters, 1) ** 0.5
    measured = round(segment.size, 1)
    return next((size for size in sizes if abs(size - segment.size) <= tolerance * size), measured)


def _snap_sizes(page: Sequence[Segment], sizes: Sequence[float]) -> list[Segment]:
    """Return the segments of a page in the book's usual sizes."""
    # A line with many capitals, or with few ascenders and descenders, is measured wrongly as a whole. In the
    # middle of a paragraph, such a line gets the size of the lines above and below: it is at the same
    # distance from both, and has the left edge of one of them.
    usual = [replace(segment, size=_usual_size(segment, sizes)) for segment in page]
    inner: list[Segment] = []  # all but the first and the last
    for above, segment, below in zip(usual, usual[1:], usual[2:], strict=False):
        size = above.size
        space_above, space_below = above.y - segment.y, segment.y - below.y
        # With few letters, the size is less certain; but a short line with space around it may be a heading.
        tolerance = _MISMEASURED
        if max(space_above, space_below) <= _MAX_LEADING * size:
            tolerance += _MISMEASURED_LETTER / max(segment.n_letters, 1) ** 0.5
        is_mid_paragraph = (
            size == below.size
            and abs(segment.size - size) <= tolerance * size
            and abs(space_above - space_below) <= _SAME_EDGE * size
            and segment.x0 in (above.x0, below.x0)
        )
        inner.append(replace(segment, size=size) if is_mid_paragraph else segment)
    first, last = usual[:1], usual[1:][-1:]  # both are empty on an empty page; a lone segment is the first
    return [*first, *inner, *last]


def _shift_pages(
    segments: dict[int, tuple[Segment, ...]], sizes: Sequence[float]
) -> dict[int, tuple[Segment, ...]]:
    """Return the pages shifted: their heads and margins are then where most pages have them."""
    # Left-hand and right-hand pages have different margins. The heads also get one size.
    # `sizes`: the sizes of the book's type, the most frequent first.
    pages = {index: page for index, page in segments.items() if page}
    if not pages:
        return segments
    body_size = sizes[0]
    tops = {index: max(segment.y for segment in page) for index, page in pages.items()}
    top = median(tops.values())
    # A larger distance is not drift: a chapter begins lower than a head.
    ups = {
        index: top - page_top if abs(top - page_top) < _MAX_SHIFT_UP * body_size else 0.0
        for index, page_top in tops.items()
    }
    rights: dict[int, float] = {}
    for parity in (0, 1):
        same_side = {index: page for index, page in pages.items() if index % 2 == parity}
        rights |= _shifts_right(same_side, body_size)
    shifted = dict(segments)
    for index, page in pages.items():
        up, right = ups[index], rights[index]
        shifted[index] = tuple(
            replace(
                segment,
                x0=segment.x0 + right,
                x1=segment.x1 + right,
                # Exactly `top`, without a rounding error: heads are recognised by it.
                y=top if up and segment.y == tops[index] else segment.y + up,
            )
            for segment in page
        )
    return _unify_heads(shifted, top)


def _shifts_right(pages: Mapping[int, Sequence[Segment]], body_size: float) -> dict[int, float]:
    """Return how far to the right each page is shifted to bring its margin to where most pages have it."""
    # A page is not shifted if its type is wider or narrower than usual, or if its margin is far from the
    # usual one: a plate has no margin, and long quotations have a margin of their own.
    if not pages:
        return {}
    margins = {index: _find_margin(page) for index, page in pages.items()}
    widths = {index: max(segment.x1 for segment in page) - margins[index] for index, page in pages.items()}
    usual_margin, usual_width = median(margins.values()), median(widths.values())
    shifts = {}
    for index, margin in margins.items():
        shift = usual_margin - margin
        has_usual_width = abs(widths[index] - usual_width) < _SAME_WIDTH * body_size
        is_drift = has_usual_width and abs(shift) < _MAX_SHIFT_SIDEWAYS * body_size
        shifts[index] = shift if is_drift else 0.0
    return shifts


def _unify_heads(pages: dict[int, tuple[Segment, ...]], top: float) -> dict[int, tuple[Segment, ...]]:
    """Return the pages with all segments at the height `top` in one size, if there are enough of them."""
    # Running heads share one size, but each has too few letters to be measured well.
    heads = [segment for page in pages.values() for segment in page if segment.y == top]
    if len(heads) < _MIN_HEADS:
        return pages
    size = median(segment.size for segment in heads for _letter in range(segment.n_letters))
    n_letters = sum(segment.n_letters for segment in heads)
    return {
        index: tuple(
            replace(segment, size=size, n_letters=n_letters) if segment.y == top else segment
            for segment in page
        )
        for index, page in pages.items()
    }


def _find_margin(page: Sequence[Segment]) -> float:
    """Return the left edge of the leftmost column: the leftmost of the frequent left edges."""
    # An edge is frequent if it has more than a third as many segments as the most frequent edge.
    n_segments = Counter(segment.x0 for segment in page)  # by left edge
    max_segments = max(n_segments.values())
    return min(edge for edge, n in n_segments.items() if n > max_segments / 3)


def _raised_ends(words: Iterable[ScannedWord]) -> Iterator[tuple[int, int]]:
    """Yield where the raised ends of words start and end in their text."""
    word_start = 0
    for word in words:
        word_end = word_start + len(word.text)
        if 0 < word.n_raised < len(word.text):
            yield word_end - word.n_raised, word_end
        word_start = word_end + 1  # after a space


def _find_raised_ends(index: int, page: Sequence[Segment]) -> Iterator[RaisedEnd]:
    for line_index, segment in enumerate(page):
        for start, end in segment.raised:
            yield RaisedEnd(page=index, line=line_index, start=start, end=end, text=segment.text[start:end])


def _text_of(word: ScannedWord) -> str:
    """Return a word's text; a vertical stroke by itself is a misread pronoun "I"."""
    return "I" if word.text == "|" else word.text


def to_line(segment: Segment, page: int) -> Line:
    """Return a segment of recognised words as a line of the page with this index."""
    return Line(
        text=segment.text,
        page=page,
        x0=segment.x0,
        x1=segment.x1,
        y=segment.y,
        size=segment.size,
        confidence=segment.confidence,
        place=segment.place,
    )
