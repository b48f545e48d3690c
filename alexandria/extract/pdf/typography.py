"""The typography of a book: the size of its body text and the usual distances between lines."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract.pdf.lines import Line, Page

_LEADING = 1.2
"""Times the size: the default of most typesetting programs."""
_MIN_DISTANCE = 0.5
"""Times the size: closer baselines belong to a line and to a raised sign in it."""
_TITLE_SIZE = 1.2
"""Times the size of the text, at least, of a title."""
_SAME_SIZE = 0.95
_MAX_DISTANCE = 3
"""Times the size: baselines further apart have a figure or a formula between them."""


@dataclass(frozen=True, slots=True)
class Typography:
    """The size of the body text in points, and the usual distance between baselines for each size."""

    body_size: float
    leadings: Mapping[float, float]

    def leading(self, size: float) -> float:
        """Return the usual distance between baselines of text of this size."""
        return self.leadings.get(size, _LEADING * size)


def measure_body_size(lines: Iterable[Line]) -> float:
    """Return the size of most of the text, or 0 without text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def largest_type(pages: Sequence[Page]) -> str:
    """Return the lines in the largest type on the first page with text; empty if it is hardly larger."""
    first = next((page for page in pages if page.lines), None)
    upright = [line for line in first.lines if not line.turn] if first else []
    size = max((line.size for line in upright), default=0)
    if size < _TITLE_SIZE * measure_body_size(line for page in pages for line in page.lines):
        return ""
    return " ".join(line.text.strip() for line in upright if line.size > _SAME_SIZE * size)


def typography_of(columns: Iterable[tuple[Line, ...]], body_size: float) -> Typography:
    """Return the typography of a book.

    Args:
        columns: the lines of each column, from top to bottom.
        body_size: the size of the body text.
    """
    # Pairs of successive lines of one size, by size and distance: few are distinct, so that few are rounded.
    n_pairs: Counter[tuple[float, float]] = Counter()
    for lines in columns:
        n_pairs.update(
            [(above.size, above.y - below.y) for above, below in pairwise(lines) if above.size == below.size]
        )
    distances: dict[float, Counter[float]] = {}  # by size
    for (size, distance), n in n_pairs.items():
        if _MIN_DISTANCE * size < distance < _MAX_DISTANCE * size:
            distances.setdefault(size, Counter())[round(distance, 1)] += n
    return Typography(body_size, {size: _usual_distance(counter) for size, counter in distances.items()})


def _usual_distance(distances: Counter[float]) -> float:
    """Return the most common distance; of equally common ones the smallest, which is not a gap."""
    most = max(distances.values())
    return min(distance for distance, n in distances.items() if n == most)
