"""Measures how much of one text is in another, by their shingles; titles, formats and cuts do not matter.

A shingle is a few successive words, as a hash (Broder 1997). A book's record keeps its MinHash sketch: the
smallest hashes of its shingles.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

SHINGLE_WORDS = 5  # words in a shingle: so many that hardly any shingle is in two books by chance
SKETCH_SIZE = 256
"""Shingles of a book that its record keeps; they give the share of one book in another to about 3 %."""
N_SHINGLES = 32
"""Shingles by which a book is looked up: editions of one text share most of these, other books none."""
_MIN_SHINGLES = 8  # fewest comparable shingles of two sketches: fewer say nothing about a long text

Sketch = tuple[int, ...]
"""The smallest hashes of a text's shingles, ascending. Chosen like this, the samples of two texts agree on
the shingles that both have."""


def sketch_of(texts: Iterable[str]) -> Sketch:
    """Return the sketch of a text, which is given in parts, in order."""
    import numpy as np

    hashes = np.fromiter(_hash_shingles(texts), np.uint32)
    return tuple(np.unique(hashes)[:SKETCH_SIZE].tolist())


def containment(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of one text's shingles that another text has as well, in [0, 1]."""
    # A full sketch has no hashes above its last one, so hashes of the other sketch above it prove nothing.
    ends = [full[-1] for full in (sketch, other) if len(full) == SKETCH_SIZE]
    if ends:
        sketch = sketch[: bisect_right(sketch, min(ends))]
        other = other[: bisect_right(other, min(ends))]
        if min(len(sketch), len(other)) < _MIN_SHINGLES:
            return 0.0
    return len(set(sketch) & set(other)) / len(sketch) if sketch else 0.0


def likeness(sketch: Sketch, other: Sketch) -> float:
    """Return the estimated share of the shorter text's shingles that the longer text also has, in [0, 1]."""
    return max(containment(sketch, other), containment(other, sketch))


def pack_sketch(sketch: Sketch) -> str:
    """Return a sketch as one string: eight hexadecimal digits per shingle."""
    return "".join(f"{shingle:08x}" for shingle in sketch)


def unpack_sketch(text: str) -> Sketch:
    """Return the sketch that `pack_sketch` wrote."""
    return tuple(int(text[i : i + 8], 16) for i in range(0, len(text), 8))


def _hash_shingles(texts: Iterable[str]) -> Iterator[int]:
    """Yield the CRC-32 of each shingle of a text; shingles extend across its parts."""
    words: Sequence[str] = [word for text in texts for word in re.findall(r"\w+", text.casefold())]
    starts = range(len(words) - SHINGLE_WORDS + 1)
    return (crc32(" ".join(words[i : i + SHINGLE_WORDS]).encode()) for i in starts)


def lookup_shingles(sketch: str) -> list[int]:
    """Return the shingles of a packed sketch by which its book is looked up: the first `N_SHINGLES`."""
    return list(unpack_sketch(sketch[: 8 * N_SHINGLES]))  # a shingle is packed into eight digits
