"""Measures how much of one text is in another by runs of words; titles, formats and cuts do not matter."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

RUN_WORDS = 5
"""Words in a run: so many that hardly any run is in two books by chance."""
SKETCH_SIZE = 256
"""Runs of a book that its record keeps; they give the share of one book in another to about 3 %."""
_SAMPLING = 8
"""One run in so many is compared: enough to estimate a share, and fast for a long book."""
_MIN_RUNS = 8
"""Fewest comparable runs of two sketches: fewer say nothing about a long text."""

Sketch = tuple[int, ...]
"""The smallest hashes of a text's runs, ascending. Chosen like this, the samples of two texts agree on the
runs that both have."""


def word_runs(texts: Iterable[str], *, sampled: int = _SAMPLING) -> set[int]:
    """Return the hashes of a sample of a text's runs of words.

    Whether a run is in the sample depends only on its words, so the samples of two texts can be compared.

    Args:
        texts: parts of one text, in order.
        sampled: one run in so many is in the sample; 1 for a text of a few sentences.
    """
    return {run for run in _hash_runs(texts) if run % sampled == 0}


def shared_part(runs: set[int], others: set[int]) -> float:
    """Return the share of the smaller sample that is in the larger, in [0, 1]; 0 if one is empty."""
    smaller = min(len(runs), len(others))
    return len(runs & others) / smaller if smaller else 0.0


def sketch_of(texts: Iterable[str]) -> Sketch:
    """Return the sketch of a text."""
    return tuple(sorted(set(_hash_runs(texts)))[:SKETCH_SIZE])


def part_in(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of one text's runs that another text has as well, in [0, 1]."""
    # A full sketch has no hashes above its last one, so hashes of the other sketch above it prove nothing.
    ends = [full[-1] for full in (sketch, other) if len(full) == SKETCH_SIZE]
    if ends:
        sketch = sketch[: bisect_right(sketch, min(ends))]
        other = other[: bisect_right(other, min(ends))]
        if min(len(sketch), len(other)) < _MIN_RUNS:
            return 0.0
    return len(set(sketch) & set(other)) / len(sketch) if sketch else 0.0


def likeness(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of the shorter text's runs that the longer one has as well, in [0, 1]."""
    return max(part_in(sketch, other), part_in(other, sketch))


def pack_sketch(sketch: Sketch) -> str:
    """Return a sketch as one string: eight hexadecimal digits per run."""
    return "".join(f"{run:08x}" for run in sketch)


def unpack_sketch(text: str) -> Sketch:
    """Return the sketch that `pack_sketch` wrote."""
    return tuple(int(text[i : i + 8], 16) for i in range(0, len(text), 8))


def _hash_runs(texts: Iterable[str]) -> Iterator[int]:
    """Yield the CRC-32 of each run of words in a text; runs extend across its parts."""
    words: Sequence[str] = [word for text in texts for word in re.findall(r"\w+", text.casefold())]
    return (crc32(" ".join(words[i : i + RUN_WORDS]).encode()) for i in range(len(words) - RUN_WORDS + 1))
