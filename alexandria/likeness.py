"""How much of one text is in another, by runs of words: titles, formats and cuts do not matter."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

RUN_WORDS = 5
"""Long enough that hardly any run is in two books by chance."""
SKETCH_SIZE = 256
"""Runs of a book that its record keeps: the share of one book in another is then known to some 3 %."""
_SAMPLED = 8
"""One run in eight is compared: enough to estimate a share, and fast for a long book."""
_FEWEST = 8
"""Runs that a part of a sketch must have to be compared: fewer say nothing about a long text."""

Sketch = tuple[int, ...]
"""The smallest hashes of a text's runs, ascending: a sample that is the same wherever the run occurs."""


def word_runs(texts: Iterable[str], *, sampled: int = _SAMPLED) -> set[int]:
    """Return hashes of a sample of the runs of words; the same run is in every sample or in none.

    Args:
        texts: parts of one text, in order.
        sampled: one run in so many is in the sample; 1 for a text of a few sentences.
    """
    return {number for number in _runs(texts) if number % sampled == 0}


def shared(runs: set[int], others: set[int]) -> float:
    """Return the share of the smaller sample that is in the larger, in [0, 1]; 0 if one is empty."""
    smaller = min(len(runs), len(others))
    return len(runs & others) / smaller if smaller else 0.0


def sketch_of(texts: Iterable[str]) -> Sketch:
    """Return the sketch of a text."""
    return tuple(sorted(set(_runs(texts)))[:SKETCH_SIZE])


def part_in(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of one text's runs that another text has as well, in [0, 1]."""
    # Beyond the end of a full sketch nothing is known of its text.
    ends = [each[-1] for each in (sketch, other) if len(each) == SKETCH_SIZE]
    own, others = (each[: bisect_right(each, min(ends))] if ends else each for each in (sketch, other))
    if ends and min(len(own), len(others)) < _FEWEST:
        return 0.0
    return len(set(own) & set(others)) / len(own) if own else 0.0


def likeness(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of the shorter text's runs that the longer one has as well, in [0, 1]."""
    return max(part_in(sketch, other), part_in(other, sketch))


def packed(sketch: Sketch) -> str:
    """Return a sketch as one string: eight hexadecimal digits per run."""
    return "".join(f"{number:08x}" for number in sketch)


def unpacked(text: str) -> Sketch:
    """Return the sketch that `packed` wrote."""
    return tuple(int(text[i : i + 8], 16) for i in range(0, len(text), 8))


def _runs(texts: Iterable[str]) -> Iterator[int]:
    words: Sequence[str] = [word for text in texts for word in re.findall(r"\w+", text.casefold())]
    return (crc32(" ".join(words[i : i + RUN_WORDS]).encode()) for i in range(len(words) - RUN_WORDS + 1))
