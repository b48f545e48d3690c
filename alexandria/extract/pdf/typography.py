"""The typography of a book: the size of its body text and the usual distances between lines."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract.pdf.lines import Line, Page

_LEADING = 1.2  # times the size: the default of most typesetting programs
_MIN_DISTANCE = 0.5  # times the size: closer baselines belong to a line and to a raised sign in it
_MIN_RIVAL = 0.75  # share of the characters in the most common size that a larger one of the text has
_TITLE_SIZE = 1.2  # times the size of the text, at least, of a title
_SAME_SIZE = 0.95
_MAX_DISTANCE = 3  # times the size: baselines further apart have a figure or a formula between them
_STOPS = tuple(".!?…:。！？：।॥؟۔)]”»")
_MIN_GAP = 1.3  # times the distance of lines: that of paragraphs of one line
_MIN_COMMON = 1 / 4  # how common the distance of lines is beside that of paragraphs of one line
_MIN_STOPS = 0.6  # share of paragraphs that end with a stop; of the lines of text, a fifth does


@dataclass(frozen=True, slots=True)
class Typography:
    """The size of the body text in points, and the usual distance between baselines for each size."""

    body_size: float
    leadings: Mapping[float, float]

    def leading(self, size: float) -> float:
        """Return the usual distance between baselines of text of this size."""
        return self.leadings.get(size, _LEADING * size)


def measure_body_size(lines: Iterable[Line]) -> float:
    """Return the size of most of the text, or 0 without text.

    Notes and references, which may be longer, are smaller: of sizes, the text has the one of most pages.
    """
    pages: dict[int, Counter[float]] = defaultdict(Counter)  # characters by size
    for line in lines:
        pages[line.page][line.size] += len(line.text)
    sizes = sum(pages.values(), Counter[float]())
    if not sizes:
        return 0.0
    usual = sizes.most_common(1)[0][0]
    n_pages = Counter(page.most_common(1)[0][0] for page in pages.values())
    rivals = [
        size
        for size, n in sizes.items()
        if size >= usual and n >= _MIN_RIVAL * sizes[usual] and n_pages[size] >= n_pages[usual]
    ]
    return max(rivals, key=lambda size: (n_pages[size], size))


def largest_type(pages: Sequence[Page]) -> str:
    """Return the lines in the largest type on the first page with text; empty if it is hardly larger."""
    first = next((page for page in pages if page.lines), None)
    upright = [line for line in first.lines if not line.turn] if first else []
    size = max((line.size for line in upright), default=0)
    if size < _TITLE_SIZE * measure_body_size(line for page in pages for line in page.lines):
        return ""
    return " ".join(line.text.strip() for line in upright if line.size > _SAME_SIZE * size)


def typography_of(columns: Iterable[tuple[Line, ...]], body_size: float) -> Typography:
    """Return the typography of a book."""
    # Pairs of successive lines of one size, by size and distance: few are distinct, so that few are rounded.
    n_pairs: Counter[tuple[float, float, bool]] = Counter()
    for lines in columns:
        n_pairs.update(
            [
                (above.size, above.y - below.y, above.text.endswith(_STOPS))
                for above, below in pairwise(lines)
                if above.size == below.size
            ]
        )
    distances: dict[float, Counter[float]] = {}  # by size
    after_stops: dict[float, Counter[float]] = {}
    for (size, distance, is_after_stop), n in n_pairs.items():
        if _MIN_DISTANCE * size < distance < _MAX_DISTANCE * size:
            distances.setdefault(size, Counter())[round(distance, 1)] += n
            after_stops.setdefault(size, Counter())[round(distance, 1)] += n * is_after_stop
    usual = {size: _usual_distance(counter, after_stops[size]) for size, counter in distances.items()}
    return Typography(body_size, usual)


def _usual_distance(distances: Counter[float], after_stops: Counter[float]) -> float:
    """Return the most common distance; of equally common ones the smallest, which is not a gap."""
    # Where paragraphs of one line are more common than others, that is the distance between paragraphs: it is
    # after a stop, and a smaller one is common too.
    most = max(distances.values())
    usual = min(distance for distance, n in distances.items() if n == most)
    closer = {d: n for d, n in distances.items() if d < usual / _MIN_GAP and n > _MIN_COMMON * most}
    is_gap = after_stops[usual] > _MIN_STOPS * most
    return max(closer, key=closer.__getitem__) if closer and is_gap else usual
