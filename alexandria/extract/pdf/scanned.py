"""Recognised words to lines of type: pages turned upright, lines with the sizes and margins of the book.

A printed line has one baseline, one size and one left margin; on a scan, each word has its own. The other
modules compare them as a typesetter set them, so what differs by less than a scan's noise is made equal.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import atan, cos, sin
from statistics import median, median_low

from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.scanned_marks import Raised, with_marks
from alexandria.extract.scans import ScannedPage, ScannedWord

_LETTER = re.compile(r"[^\W_]")
_DEPTH = 0.21
"""Times the size: how far letters reach below the line."""
_SMALLEST = 1.0
"""Points: no type is smaller, only what is no type."""
_ODD = 0.2
"""Share of the size by which a word differs that is not read in full, or is of another size."""
_WIDEST_SPACE = 2.5
"""Times the size: words farther apart are in two columns, or a head and its page number."""
_LEVEL_WORDS = 4
"""Fewest words of a line that shows how far a page is turned."""
_STEEPEST = 0.1
"""Slope of a page that was laid on the glass by hand: six degrees."""
_SAME_EDGE = 0.25
"""Times the size: left edges that are nearer to each other are one margin."""
_NOISE = 0.05
"""Share of a size by which it is measured too large or too small on a whole line."""
_MISMEASURED = 0.2
"""Share of its size by which a line within a paragraph may be measured too large or too small."""
_TIGHT = 1.5
"""Times the size: the most that lines of a paragraph are apart; a heading has more space around it."""
_HEADS = 3
"""Fewest lines at one height at the top of pages that are heads."""
_DRIFT, _MOST_DRIFT = 1.5, 8
"""Times the size: how far a page is moved upwards and sidewards to be where the others are."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring words of one line, upright, in points from the lower left corner of the page."""

    words: tuple[ScannedWord, ...]
    x0: float
    x1: float
    y: float
    size: float
    n_letters: int
    """Of the whole line: the more, the more certain its size is."""


def scanned_lines(pages: Mapping[int, ScannedPage]) -> dict[int, tuple[Line, ...]]:
    """Return the lines of recognised pages, by the index of their page.

    Args:
        pages: the words of each page, by its index in the file, from 0.
    """
    runs = {index: _aligned(tuple(_runs(page))) for index, page in pages.items()}
    sizes = _usual_sizes([run for page in runs.values() for run in page])
    placed = _placed(runs, sizes)
    evened = {index: _evened(page, sizes) for index, page in placed.items()}
    lines = {index: [_line(run, index) for run in page] for index, page in evened.items()}
    raised = (sign for index, page in placed.items() for sign in _raised(index, page))
    return with_marks(lines, raised, sizes[0] if sizes else 0.0)


def _runs(page: ScannedPage) -> Iterator[_Run]:
    words = [word for word in page.words if _LETTER.search(word.text) or word.confidence > 50]
    lines = [tuple(line) for _, line in groupby(words, key=lambda word: word.line)]
    slope = _slope(lines)
    for line in lines:
        size, y = _size(line), _baseline(line, page, slope)
        n_letters = sum(len(word.text) for word in line)
        start = 0
        for end in range(1, len(line) + 1):
            if end < len(line) and line[end].left - line[end - 1].right < _WIDEST_SPACE * size:
                continue
            yield _run(line[start:end], page, slope, size=size, y=y, n_letters=n_letters)
            start = end


def _slope(lines: Iterable[Sequence[ScannedWord]]) -> float:
    """Return how many pixels the page's lines sink per pixel to the right."""
    slopes = []
    for line in lines:
        feet = _feet(line)
        if len(feet) < _LEVEL_WORDS:
            continue
        xs, ys = [x for x, _ in feet], [y for _, y in feet]
        x, y = sum(xs) / len(xs), sum(ys) / len(ys)
        across = sum((a - x) ** 2 for a in xs)
        if across > 0:
            slopes.append(sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / across)
    slope = median(slopes) if slopes else 0.0
    return slope if abs(slope) < _STEEPEST else 0.0


def _feet(words: Iterable[ScannedWord]) -> list[tuple[float, float]]:
    """Return where words stand on the line."""
    return [((word.left + word.right) / 2, word.foot) for word in words if word.foot is not None]


def _size(words: Sequence[ScannedWord]) -> float:
    """Return the size of a line's type in pixels, the mean of its words."""
    sized = [word for word in words if word.size]
    if not sized:
        return float(max(word.bottom - word.top for word in words))
    usual = median_low([word.size for word in sized for _ in word.text])  # one that a word has
    sound = [word for word in sized if abs(word.size - usual) <= _ODD * usual]
    return sum(word.size * len(word.text) for word in sound) / sum(len(word.text) for word in sound)


def _baseline(words: Sequence[ScannedWord], page: ScannedPage, slope: float) -> float:
    """Return where a line stands on the upright page, in pixels from the top."""
    feet = _feet(words) or [(word.left, word.bottom - _DEPTH * _size(words)) for word in words]
    return median(_upright(foot, page, slope)[1] for foot in feet)


def _upright(point: tuple[float, float], page: ScannedPage, slope: float) -> tuple[float, float]:
    """Return a point of the picture turned about its middle, so that lines are level."""
    angle = atan(slope)
    x, y = point[0] - page.width / 2, point[1] - page.height / 2
    return (
        cos(angle) * x + sin(angle) * y + page.width / 2,
        cos(angle) * y - sin(angle) * x + page.height / 2,
    )


def _run(
    words: Sequence[ScannedWord],
    page: ScannedPage,
    slope: float,
    *,
    size: float,
    y: float,
    n_letters: int,
) -> _Run:
    scale = page.points_per_pixel
    x0 = _upright((words[0].left, words[0].bottom), page, slope)[0]
    x1 = _upright((words[-1].right, words[-1].bottom), page, slope)[0]
    own_size = max(size * scale, _SMALLEST)
    return _Run(tuple(words), x0 * scale, x1 * scale, (page.height - y) * scale, own_size, n_letters)


def _aligned(runs: tuple[_Run, ...]) -> tuple[_Run, ...]:
    """Return the lines of a page with left edges that differ by less than noise made equal."""
    ordered = sorted(range(len(runs)), key=lambda i: runs[i].x0)
    groups: list[list[int]] = []
    for i in ordered:
        if groups and runs[i].x0 - runs[groups[-1][-1]].x0 <= _SAME_EDGE * runs[i].size:
            groups[-1].append(i)
        else:
            groups.append([i])
    edges = {i: median(runs[i].x0 for i in group) for group in groups for i in group}
    return tuple(replace(run, x0=edges[i]) for i, run in enumerate(runs))


def _usual_sizes(runs: Iterable[_Run]) -> list[float]:
    """Return the sizes of the book's type, the most frequent first."""
    letters: Counter[float] = Counter()
    for run in runs:
        letters[round(run.size, 1)] += sum(len(word.text) for word in run.words)
    sizes: list[float] = []
    while letters:
        # The middle of the window of sizes that holds most letters: one size, measured with some noise.
        def within(size: float) -> list[float]:
            return [other for other in letters if abs(other - size) <= _NOISE * size]

        best = max(letters, key=lambda size: (sum(letters[other] for other in within(size)), -size))
        window = within(best)
        total = sum(letters[size] for size in window)
        sizes.append(round(sum(size * letters[size] for size in window) / total, 1))
        for size in window:
            del letters[size]
    return sizes


def _usual(run: _Run, sizes: Iterable[float]) -> float:
    """Return the most frequent size that a line may have: with few letters, its own is uncertain."""
    tolerance = _NOISE + 0.25 / max(run.n_letters, 1) ** 0.5
    return next((size for size in sizes if abs(size - run.size) <= tolerance * size), round(run.size, 1))


def _evened(page: Sequence[_Run], sizes: Sequence[float]) -> list[_Run]:
    """Return the lines in usual sizes; one that differs a little from both of its neighbours has theirs.

    A line with many capitals, or with few letters that rise or hang, is measured wrongly as a whole. In the
    middle of a paragraph, it stands as far below the line above as above the one below, at their margin.
    """
    usual = [replace(run, size=_usual(run, sizes)) for run in page]
    evened = usual[:1]
    for above, run, below in zip(usual, usual[1:], usual[2:], strict=False):
        size = above.size
        spaces = above.y - run.y, run.y - below.y
        few_letters = 0.5 / max(run.n_letters, 1) ** 0.5 if max(spaces) <= _TIGHT * size else 0.0
        is_between = (
            size == below.size
            and abs(run.size - size) <= (_MISMEASURED + few_letters) * size
            and abs(spaces[0] - spaces[1]) <= _SAME_EDGE * size
            and run.x0 in (above.x0, below.x0)
        )
        evened.append(replace(run, size=size) if is_between else run)
    return evened + (usual[-1:] if len(usual) > 1 else [])


def _placed(runs: dict[int, tuple[_Run, ...]], sizes: Sequence[float]) -> dict[int, tuple[_Run, ...]]:
    """Return the pages moved so that margins and heads are where they are on most pages, left or right."""
    result = {}
    tops = {index: max(run.y for run in page) for index, page in runs.items() if page}
    top = median(tops.values()) if tops else 0.0
    for parity in (0, 1):
        pages = {index: page for index, page in runs.items() if index % 2 == parity and page}
        lefts = {index: _margin(page) for index, page in pages.items()}
        widths = {index: max(run.x1 for run in page) - lefts[index] for index, page in pages.items()}
        left = median(lefts.values()) if lefts else 0.0
        width = median(widths.values()) if widths else 0.0
        for index, page in pages.items():
            right = left - lefts[index]
            up = top - tops[index]
            # A chapter begins lower than a head; a plate has no margin, and long quotations have their own.
            up = up if abs(up) < _DRIFT * sizes[0] else 0.0
            is_usual = abs(widths[index] - width) < _DRIFT * sizes[0]
            right = right if is_usual and abs(right) < _MOST_DRIFT * sizes[0] else 0.0
            result[index] = tuple(
                replace(
                    run,
                    x0=run.x0 + right,
                    x1=run.x1 + right,
                    y=top if up and run.y == tops[index] else run.y + up,
                )
                for run in page
            )
    heads = [run for page in result.values() for run in page if run.y == top]
    if len(heads) < _HEADS:
        return {index: result.get(index, ()) for index in runs}
    # What is at one height on the pages is of one size, which the few letters of each show badly.
    size = median(run.size for run in heads for _ in range(run.n_letters))
    n_letters = sum(run.n_letters for run in heads)
    return {
        index: tuple(
            replace(run, size=size, n_letters=n_letters) if run.y == top else run
            for run in result.get(index, ())
        )
        for index in runs
    }


def _margin(page: Sequence[_Run]) -> float:
    """Return the left edge of most lines in the leftmost column."""
    edges = Counter(run.x0 for run in page)
    most = max(edges.values())
    return min(edge for edge, n in edges.items() if n > most / 3)


def _raised(index: int, page: Sequence[_Run]) -> Iterator[Raised]:
    """Yield what is raised at the ends of words, as offsets in their lines."""
    for number, run in enumerate(page):
        at = 0
        for word in run.words:
            text = _text_of(word)
            if 0 < word.n_raised < len(text):
                start = at + len(text) - word.n_raised
                yield Raised(index, number, start, at + len(text), text[-word.n_raised :])
            at += len(text) + 1


def _text_of(word: ScannedWord) -> str:
    """Return the word; a vertical stroke between spaces is the pronoun."""
    return "I" if word.text == "|" else word.text


def _line(run: _Run, page: int) -> Line:
    n_letters = sum(len(word.text) for word in run.words)
    return Line(
        " ".join(map(_text_of, run.words)),
        page,
        run.x0,
        run.x1,
        run.y,
        run.size,
        confidence=sum(word.confidence * len(word.text) for word in run.words) / max(n_letters, 1),
    )
