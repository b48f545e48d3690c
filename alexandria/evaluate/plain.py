"""What most people run, to compare with: chunks of so many characters, and a vector of each one's text."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from alexandria.evaluate.spans import Span

SIZE, OVERLAP = 1000, 200
"""Characters of a chunk, and of the end of one that the next one repeats."""
CONSTANT = 60
"""Of reciprocal rank fusion, as its authors set it (Cormack et al. 2009)."""
_SEPARATORS = ("\n\n", "\n", " ", "")


def split_recursively(text: str, *, size: int = SIZE, overlap: int = OVERLAP) -> list[Span]:
    """Return chunks of `size` characters at most: paragraphs, or else lines, words, characters, put together.

    As LangChain's `RecursiveCharacterTextSplitter` does, which keeps each separator before what follows it.
    """
    spans = _split(text, (0, len(text)), _SEPARATORS, size, overlap)
    return [stripped for span in spans if (stripped := _stripped(text, span))[0] < stripped[1]]


def _split(text: str, span: Span, separators: Sequence[str], size: int, overlap: int) -> list[Span]:
    start, end = span
    at = next(i for i, separator in enumerate(separators) if not separator or separator in text[start:end])
    chunks: list[Span] = []
    small: list[Span] = []
    for piece in _pieces(text, span, separators[at]):
        if piece[1] - piece[0] < size:
            small.append(piece)
            continue
        chunks += _put_together(small, size, overlap)
        small = []
        further = separators[at + 1 :]
        chunks += _split(text, piece, further, size, overlap) if further else [piece]
    return chunks + _put_together(small, size, overlap)


def _pieces(text: str, span: Span, separator: str) -> list[Span]:
    start, end = span
    if not separator:
        return [(i, i + 1) for i in range(start, end)]
    edges = [start]
    while (found := text.find(separator, edges[-1] + (len(edges) > 1) * len(separator), end)) >= 0:
        edges.append(found)
    edges = [*dict.fromkeys(edges), end]
    return list(pairwise(edges))


def _put_together(pieces: Sequence[Span], size: int, overlap: int) -> list[Span]:
    chunks: list[Span] = []
    current: list[Span] = []
    for piece in pieces:
        if current and piece[1] - current[0][0] > size:
            chunks.append((current[0][0], current[-1][1]))
            while current and (current[-1][1] - current[0][0] > overlap or piece[1] - current[0][0] > size):
                current.pop(0)
        current.append(piece)
    return [*chunks, (current[0][0], current[-1][1])] if current else chunks


def _stripped(text: str, span: Span) -> Span:
    inner = text[slice(*span)]
    start = span[0] + len(inner) - len(inner.lstrip())
    return start, start + len(inner.strip())


def fuse_ranks(rankings: Sequence[Sequence[int]], *, constant: int = CONSTANT) -> list[int]:
    """Return what is in any of the rankings, best first, by reciprocal rank fusion."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, 1):
            scores[one] = scores.get(one, 0.0) + 1 / (constant + rank)
    return sorted(scores, key=lambda one: -scores[one])


def reciprocal_rank(hits: Sequence[bool]) -> float:
    """Return 1 / the rank of the first hit that is right, 0 if none is."""
    right = np.flatnonzero(np.asarray(hits, np.bool_))
    return 1 / (int(right[0]) + 1) if len(right) else 0.0
