"""What is usual in a book: the size of its body type and the distance between lines."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract.pdf.lines import Line

_LEADING = 1.2
"""Times the size: what a typesetter takes when he is told nothing."""


@dataclass(frozen=True, slots=True)
class Typography:
    """The body size in points, and the usual distance of baselines for each size."""

    body: float
    leadings: Mapping[float, float]

    def leading(self, size: float) -> float:
        """Return the usual distance of baselines of that size."""
        return self.leadings.get(size, _LEADING * size)


def body_size(lines: Iterable[Line]) -> float:
    """Return the size in which most of the text is set; 0 where there is none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def typography_of(columns: Iterable[tuple[Line, ...]], body: float) -> Typography:
    """Return what is usual in these columns."""
    deltas: dict[float, Counter[float]] = {}
    for lines in columns:
        for above, below in pairwise(lines):
            if above.size == below.size and 0.5 * above.size < above.y - below.y < 3 * above.size:
                deltas.setdefault(above.size, Counter())[round(above.y - below.y, 1)] += 1
    return Typography(body, {size: _usual(counter) for size, counter in deltas.items()})


def _usual(deltas: Counter[float]) -> float:
    """The commonest distance, the smaller of equals: gaps between paragraphs are never the rule."""
    most = max(deltas.values())
    return min(delta for delta, n in deltas.items() if n == most)
