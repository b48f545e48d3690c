"""Find every place whose letters are those of a quotation but for a few.

Of a quotation that differs from a place by k letters, one of k + 1 pieces stands there as it is (Wu and
Manber 1992). Pieces are looked up (`store.letters`), and what is before and after each is compared by edit
distance, for all places at once with bit vectors (Myers 1999).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from alexandria.book.words import lacks_spaces
from alexandria.library.search.alignment import distances_along
from alexandria.store.letters import SEPARATOR, BookLetters

LETTERS_PER_SLIP = 12  # a quotation may differ from its place by one of so many letters
MIN_LETTERS, _MIN_UNSPACED = 6, 4
"""The least letters of a quotation; in scripts without spaces, fewer are as much."""
_GROUP = 4
"""Pieces of a long quotation that are compared first: one of these groups has fewer slips than pieces."""
_FAR = 1 << 20  # more than any distance

Distances = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class LetterPlace:
    """A place in the letters of a book: whole words."""

    distance: int  # letters to put in, leave out or replace
    start: int
    end: int


def fewest_letters(letters: str) -> int:
    """Return how many letters a quotation has at least: a shorter one has too many places."""
    return _MIN_UNSPACED if lacks_spaces(letters) else MIN_LETTERS


def slips_allowed(n_letters: int) -> int:
    """Return by how many letters a quotation of a length may differ from its place."""
    return n_letters // LETTERS_PER_SLIP


def places_in(book: BookLetters, letters: str, slips: int) -> list[LetterPlace]:
    """Return the places of a quotation in a book, nearest first; of those that overlap, the nearest.

    Args:
        letters: those of the quotation, folded.
        slips: how many letters may be put in, left out or replaced.
    """
    found = set[LetterPlace]()
    pieces = _cut(letters, slips + 1)
    for group in _groups(pieces):
        for first, stop in group:
            at = book.find(letters[first:stop])
            if len(group) < len(pieces) and len(at):
                at = at[_has_group(book, letters, at, (first, stop), group)]
            if len(at):
                found |= _compare(book, letters, at, (first, stop), slips)
    return _apart(found)


def _cut(letters: str, n: int) -> list[tuple[int, int]]:
    """Return where each of n pieces of letters, of nearly the same length, begins and ends."""
    return list(pairwise(len(letters) * i // n for i in range(n + 1)))


def _groups(pieces: Sequence[tuple[int, int]]) -> list[Sequence[tuple[int, int]]]:
    """Return pieces in groups that are compared at once with 64 bits: all in one, if they are few."""
    return [pieces[i : i + _GROUP] for i in range(0, len(pieces), _GROUP)]


def _has_group(
    book: BookLetters, letters: str, at: Distances, piece: tuple[int, int], group: Sequence[tuple[int, int]]
) -> NDArray[np.bool_]:
    """Return at which places of a piece its group stands with fewer slips than it has pieces."""
    begin, end, slips = group[0][0], group[-1][1], len(group) - 1
    before, after = _both_sides(book, letters[begin:end], at, (piece[0] - begin, piece[1] - begin), slips)
    is_near: NDArray[np.bool_] = before.min(axis=1) + after.min(axis=1) <= slips
    return is_near


def _compare(
    book: BookLetters, letters: str, at: Distances, piece: tuple[int, int], slips: int
) -> set[LetterPlace]:
    """Return the whole words around places of a piece that are near enough to all of the quotation."""
    before, after = _both_sides(book, letters, at, piece, slips)
    begins = at[:, None] - np.arange(before.shape[1])
    ends = at[:, None] + (piece[1] - piece[0]) + np.arange(after.shape[1])
    limit = book.head["n"]
    before = np.where((begins >= 0) & book.is_border(begins.clip(0)), before, _FAR)
    after = np.where((ends <= limit) & book.is_border(ends.clip(0, limit)), after, _FAR)
    # Of equally near ones, the place that is as long as the quotation.
    rows = np.arange(len(at))
    first = (before * 2048 + abs(np.arange(before.shape[1]) - piece[0])).argmin(axis=1)
    last = (after * 2048 + abs(np.arange(after.shape[1]) - (len(letters) - piece[1]))).argmin(axis=1)
    distances = before[rows, first] + after[rows, last]
    near = np.flatnonzero(distances <= slips)
    return {
        LetterPlace(int(distances[i]), int(begins[i, first[i]]), int(ends[i, last[i]]))
        for i in near
        if ends[i, last[i]] > begins[i, first[i]]
    }


def _both_sides(
    book: BookLetters, letters: str, at: Distances, piece: tuple[int, int], slips: int
) -> tuple[Distances, Distances]:
    """Return the distances of what is before a piece of a quotation and of what is after it."""
    # For each place of the piece (row) and each number of letters before it, or after it (column).
    first, stop = piece
    before, after = letters[:first][::-1], letters[stop:]
    left = at[:, None] - 1 - np.arange(len(before) + slips)
    right = at[:, None] + (stop - first) + np.arange(len(after) + slips)
    return _distances(before, _codes_at(book, left)), _distances(after, _codes_at(book, right))


def _codes_at(book: BookLetters, offsets: Distances) -> NDArray[np.uint32]:
    """Return the letters at offsets; 0 for those outside, and from the first separator on."""
    codes = book.codes
    inside = (offsets >= 0) & (offsets < len(codes))
    letters = np.where(inside, codes[offsets.clip(0, len(codes) - 1)], 0).astype(np.uint32)
    is_end = (letters == ord(SEPARATOR)) | ~inside
    return np.where(np.logical_or.accumulate(is_end, axis=1), 0, letters)


def _distances(part: str, texts: NDArray[np.uint32]) -> Distances:
    """Return the edit distance of a part of a quotation to each beginning of some texts.

    Args:
        part: the part; may be empty.
        texts: (n, length) letters; 0 where a text has ended.

    Returns:
        (n, length + 1), from the empty beginning on; more than any distance where the text has ended.
    """
    distances = np.full((len(texts), texts.shape[1] + 1), _FAR, np.int64)
    distances[:, 0] = len(part)
    if len(part) > 64:
        for row, text in zip(distances, texts, strict=True):
            length = int(np.count_nonzero(text))
            row[1 : length + 1] = distances_along(part, "".join(map(chr, text[:length].tolist())))
        return distances
    if not part:
        distances[:, 1:] = np.arange(1, texts.shape[1] + 1)
    else:
        _fill(distances, part, texts)
    distances[:, 1:][texts == 0] = _FAR
    return distances


def _fill(distances: Distances, part: str, texts: NDArray[np.uint32]) -> None:
    """Fill in the distances of a part of 1 to 64 letters, column by column; see `alignment`."""
    known = sorted(set(part))
    bits = np.array(
        [sum(1 << i for i, letter in enumerate(part) if letter == one) for one in known], np.uint64
    )
    codes = np.array(list(map(ord, known)), np.uint32)
    place = np.searchsorted(codes, texts).clip(0, len(codes) - 1)
    equals = np.where(codes[place] == texts, bits[place], np.uint64(0))
    one, last = np.uint64(1), np.uint64(1 << (len(part) - 1))
    rising = np.full(len(texts), np.uint64((1 << len(part)) - 1))
    falling = np.zeros(len(texts), np.uint64)
    current = distances[:, 0].copy()
    for column in range(texts.shape[1]):
        equal = equals[:, column]
        vertical = equal | falling
        horizontal = (((equal & rising) + rising) ^ rising) | equal
        up, down = falling | ~(horizontal | rising), rising & horizontal
        current += (up & last != 0).astype(np.int64) - (down & last != 0)
        distances[:, column + 1] = current
        up = up << one | one  # each letter of the text before the part costs one more
        rising = down << one | ~(vertical | up)
        falling = up & vertical


def _apart(places: set[LetterPlace]) -> list[LetterPlace]:
    """Return places that do not overlap, nearest first, then in the order of the book."""
    kept = list[LetterPlace]()
    for cluster in _clusters(sorted(places, key=lambda place: (place.start, place.end))):
        taken = list[LetterPlace]()
        for place in sorted(cluster):
            if all(place.end <= other.start or other.end <= place.start for other in taken):
                taken.append(place)
        kept += taken
    return sorted(kept)


def _clusters(places: Sequence[LetterPlace]) -> Iterator[list[LetterPlace]]:
    """Yield places, which are sorted by their beginning, in lists between which none overlap."""
    cluster, end = list[LetterPlace](), 0
    for place in places:
        if cluster and place.start >= end:
            yield cluster
            cluster = []
        cluster.append(place)
        end = max(end, place.end)
    if cluster:
        yield cluster
