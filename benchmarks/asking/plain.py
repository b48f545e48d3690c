"""The steps of a plain pipeline, as a baseline: chunks of limited length, and fusion by rank."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from alexandria.lab.spans import Span

SIZE = 1000
"""Characters per chunk, at most."""
OVERLAP = 200
"""Characters at the end of a chunk that the next one repeats, at most."""
CONSTANT = 60
"""The constant of reciprocal rank fusion, as its authors set it (Cormack et al. 2009)."""
_SEPARATORS = ("\n\n", "\n", " ", "")


def split_recursively(text: str, *, size: int = SIZE, overlap: int = OVERLAP) -> list[Span]:
    """Return the spans of chunks of at most `size` characters, without white space at their ends.

    A chunk holds whole paragraphs. A paragraph that does not fit is split into lines, a line into words, and
    a word into characters. Each chunk may repeat up to `overlap` characters of the one before.

    Like LangChain's `RecursiveCharacterTextSplitter`, which keeps each separator with what follows it.
    """
    spans = _split(text, (0, len(text)), _SEPARATORS, size, overlap)
    stripped = [_strip_span(text, span) for span in spans]
    return [(start, end) for start, end in stripped if start < end]


def _split(text: str, span: Span, separators: Sequence[str], size: int, overlap: int) -> list[Span]:
    """Return chunks of a span, split at the first separator it contains; long pieces are split at the next.

    The last separator is empty, which splits between characters.
    """
    start, end = span
    # The last separator, "", is in any text.
    level = next(i for i, separator in enumerate(separators) if separator in text[start:end])
    finer = separators[level + 1 :]
    chunks: list[Span] = []
    short_pieces: list[Span] = []  # since the last long one
    for piece in _split_at(text, span, separators[level]):
        if piece[1] - piece[0] < size:
            short_pieces.append(piece)
            continue
        chunks += _merge_pieces(short_pieces, size, overlap)
        short_pieces = []
        chunks += _split(text, piece, finer, size, overlap) if finer else [piece]
    return chunks + _merge_pieces(short_pieces, size, overlap)


def _split_at(text: str, span: Span, separator: str) -> list[Span]:
    """Return the pieces of a span, each from one separator up to the next.

    At spaces, `one two six` becomes `one`, ` two` and ` six`. An empty separator gives single characters.
    """
    start, end = span
    if not separator:
        return [(i, i + 1) for i in range(start, end)]
    edges = [start]
    search_from = start
    while (at := text.find(separator, search_from, end)) >= 0:
        if at > start:  # no empty piece before a separator at the start of the span
            edges.append(at)
        search_from = at + len(separator)
    return list(pairwise([*edges, end]))


def _merge_pieces(pieces: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Return chunks of neighbouring pieces, as many in each as fit.

    Each chunk begins with the last pieces of the one before, up to `overlap` characters. Fewer are repeated
    if a new piece would not fit after them.
    """
    chunks: list[Span] = []
    current: list[Span] = []  # the pieces of the next chunk
    for start, end in pieces:
        if current and end - current[0][0] > size:
            chunks.append((current[0][0], current[-1][1]))
            # Drop the first pieces until the rest is short enough to be repeated, and this piece fits.
            while current and (start - current[0][0] > overlap or end - current[0][0] > size):
                current.pop(0)
        current.append((start, end))
    if current:
        chunks.append((current[0][0], current[-1][1]))
    return chunks


def _strip_span(text: str, span: Span) -> Span:
    """Return the span without white space at its ends."""
    start, end = span
    inner = text[start:end]
    first = start + len(inner) - len(inner.lstrip())
    return first, first + len(inner.strip())


def fuse_ranks(rankings: Sequence[Sequence[int]], *, constant: int = CONSTANT) -> list[int]:
    """Return the items of all rankings, best first, by reciprocal rank fusion."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1 / (constant + rank)
    return sorted(scores, key=lambda item: -scores[item])


def reciprocal_rank(hits: Sequence[bool]) -> float:
    """Return 1 / the rank of the first hit that is right, or 0 if no hit is."""
    right = np.flatnonzero(np.asarray(hits, np.bool_))
    return 1 / (int(right[0]) + 1) if len(right) else 0.0
