"""Find where a quotation stands in the books, by runs of its letters, and compare it there word by word.

A quotation is cut into parts at its dots and brackets, for which the book may have other words. A part that
stands nowhere letter by letter is looked for by runs of its letters, and compared word by word with the
places that have most of them. Read `places_of_quotation` first.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise

import numpy as np

from alexandria.book.words import letters_and_borders
from alexandria.library.search.alignment import Letters, distances_along
from alexandria.store.letters import SEPARATOR, BookLetters, signature_rows

_OMISSION = r"[\[(]\s*(?:…|\.(?:\s?\.){2,3})\s*[\])]|…|\.(?:\s?\.){2,3}"
_REMARK = r"[\[(](?:sic!?|!|\?)[\])]"
_BRACKETS = r"(?<!\w)\w*\[[^\[\]]{0,200}\]\w*"
_CUT = re.compile(f"(?P<remark>{_REMARK})|(?P<omission>{_OMISSION})|(?P<brackets>{_BRACKETS})", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")
_MAX_PART = 1_000  # letters of a part; a longer text is cut at its sentences
_MAX_OMITTED, _MAX_REPLACED = 3_000, 90  # letters of a book for which dots may stand, and brackets
_LONG_RUN, _SHORT_RUN, _MAX_RUNS = 12, 8, 16
"""Letters of the runs by which a place is looked for, and how many of them."""
_FEWEST_LETTERS = 4  # letters of the longest part of a quotation: fewer stand everywhere
_MAX_HITS = 300  # a run with more places in a book says nothing
_MAX_COMPARED, _MAX_BOOKS = 6, 40
"""Places that are compared, and books in which they are looked for: those with most runs together."""
_MAX_DIFFERENT = 0.5  # the greatest share of the words of a quotation that differ from its place
_MOST_CHANGED, _MOST_CHANGED_IN_QUOTATION = 0.32, 0.45
"""Likewise of its letters: of words that are looked for, and of those that somebody says to quote."""
_MIN_RUN, _MIN_SHARE = 6, 0.25
"""Words in a row that are a place, whatever the others are, and the least share of all of them."""
_MIN_RUN_LETTERS, _FEW_DIFFERENT = 12, 0.2
"""Letters in a row that are the same, or the share of the words that differ if fewer are."""
_SPELLED_OTHERWISE, _SPELLED_ALIKE = 0.25, 0.1
"""The share of the letters of words that differ if the words are other spellings; and of all letters."""
_PUT_IN, _REPLACED, _LEFT_OUT = 10, 11, 12
"""What a word costs that only the book has, one that is another, and one that only the quotation has: of ways
to compare words with as many differences, that with most words the same is the best."""


@dataclass(frozen=True, slots=True)
class QuotedPart:
    """Words of a quotation between two dots or brackets."""

    letters: str
    words: tuple[str, ...]  # their letters, word by word
    starts: tuple[int, ...]  # where each word begins, in letters
    offset: int  # where the part begins in the letters of the quotation
    gap: int  # letters that a book may have before it


@dataclass(frozen=True, slots=True)
class WordChange:
    """Letters of a quotation, from `start` to `end`, and those of the book, that are different words."""

    start: int
    end: int
    book_start: int
    book_end: int
    n_letters: int
    """Those of the quotation; of words that are only spelled otherwise, the letters that differ."""


@dataclass(frozen=True, slots=True)
class ComparedPlace:
    """A place in the letters of a book, compared with a quotation."""

    book: int  # the number of the book
    start: int
    end: int
    n_different: int = 0  # words of quotation and book that differ
    run: int = 0  # the most words in a row that are the same, and their letters
    run_letters: int = 0
    changes: tuple[WordChange, ...] = ()

    def is_like(self, quoted: "QuotedText", most: float = _MOST_CHANGED) -> bool:
        """Return whether at most a share of the letters of a quotation are in words that differ."""
        n_letters = sum(len(part.letters) for part in quoted.parts)
        n_changed = sum(change.n_letters for change in self.changes)
        few = self.n_different <= _MAX_DIFFERENT * quoted.n_words and n_changed <= most * n_letters
        is_run = self.run_letters >= _MIN_RUN_LETTERS or self.n_different <= _FEW_DIFFERENT * quoted.n_words
        is_spelled_alike = n_changed <= _SPELLED_ALIKE * n_letters
        return not self.changes or (few and (is_run or is_spelled_alike))

    def is_near(self, quoted: "QuotedText") -> bool:
        """Return whether it is the place of what somebody quotes: like it, or part of it."""
        is_part = self.run >= max(_MIN_RUN, _MIN_SHARE * quoted.n_words)
        return is_part or self.is_like(quoted, _MOST_CHANGED_IN_QUOTATION)


@dataclass(frozen=True, slots=True)
class QuotedText:
    """A quotation as it is compared."""

    text: str
    parts: tuple[QuotedPart, ...]
    omits: bool  # whether dots stand for words
    brackets: tuple[str, ...]  # what stands in brackets and is no remark, with the letters it adjoins
    has_sic: bool
    letters: Letters = field(repr=False)

    @property
    def n_words(self) -> int:
        """The words that are compared."""
        return sum(len(part.words) for part in self.parts)

    def span(self, change: WordChange) -> tuple[int, int]:
        """Return where the words of a change begin and end in the text."""
        return span_of(self.letters, change.start, change.end, len(self.text))


def span_of(letters: Letters, first: int, stop: int, end: int) -> tuple[int, int]:
    """Return where a range of letters begins and ends in their text, which ends at `end`."""
    start = letters.offsets[first] if 0 <= first < len(letters.offsets) else end
    return start, letters.offsets[stop - 1] + 1 if first < stop <= len(letters.offsets) else start


def quoted_text(text: str) -> QuotedText:
    """Return a quotation cut into parts at its dots and brackets."""
    parts, brackets, omits, has_sic = list[QuotedPart](), list[str](), False, False
    at = gap = 0
    letters = Letters.of(text)
    for cut in [*_CUT.finditer(text), None]:
        for piece in _pieces(text[at : cut.start() if cut else len(text)]):
            own, borders = letters_and_borders(piece)
            if own:
                offset = parts[-1].offset + len(parts[-1].letters) if parts else 0
                offset = letters.text.find(own, offset)  # after the letters of dots and brackets
                words = tuple(own[a:b] for a, b in pairwise([*borders, len(own)]) if b > a)
                parts.append(QuotedPart(own, words, tuple(borders), offset, gap))
                gap = 0
        if cut is None:
            break
        at = cut.end()
        if cut["remark"]:
            has_sic |= "sic" in cut[0].lower()
        else:
            gap = max(gap, _MAX_OMITTED if cut["omission"] else _MAX_REPLACED)
            omits |= bool(cut["omission"])
            brackets += [cut[0]] if cut["brackets"] else []
    return QuotedText(text, tuple(parts), omits, tuple(brackets), has_sic, letters)


def _pieces(text: str) -> list[str]:
    """Return a text whole, or if it is long, by sentences."""
    if len(text) <= _MAX_PART:
        return [text]
    pieces = [""]
    for sentence in _SENTENCE.split(text):
        words = sentence.split() if len(sentence) > _MAX_PART else [sentence]
        for word in words:
            if len(pieces[-1]) + len(word) > _MAX_PART:
                pieces.append("")
            pieces[-1] += f"{word} "
    return pieces


def places_of_quotation(quoted: QuotedText, books: Sequence[BookLetters]) -> list[ComparedPlace]:
    """Return the places of a quotation, those with the fewest different words first.

    If it stands somewhere as it is, only places where it does; otherwise the nearest of each book, which may
    be no place of it at all (`ComparedPlace.is_near`).
    """
    if max((len(part.letters) for part in quoted.parts), default=0) < _FEWEST_LETTERS:
        return []
    for i in _longest(quoted.parts):
        part = quoted.parts[i]
        exact = [
            _follow(book, quoted.parts, i, _as_it_is(number, at, part))
            for number, book in enumerate(books)
            for at in _exact_places(book, part.letters)[: 1 + _MAX_HITS // len(quoted.parts)]
        ]
        if good := [place for place in exact if not place.changes]:
            return good
        if any(place.is_near(quoted) for place in exact):
            return sorted(exact, key=_rank)
    near, i = list[ComparedPlace](), _longest(quoted.parts)[0]
    part = quoted.parts[i]
    for run_length in (_LONG_RUN, _SHORT_RUN):
        windows = _likeliest_windows(part, books, run_length)
        placed = [_nearest_in(part, books[number], number, *window) for number, window in windows]
        likely = (place for place in placed if place and 2 * place.n_different <= len(part.words) + 2)
        near += [_follow(books[place.book], quoted.parts, i, place) for place in likely]
        if any(place.is_near(quoted) for place in near):
            break
    return sorted(near, key=_rank)


def _rank(place: ComparedPlace) -> tuple[int, int]:
    return place.n_different, -place.run_letters


def _as_it_is(book: int, at: int, part: QuotedPart) -> ComparedPlace:
    """Return the place of a part that stands in a book letter by letter."""
    size = len(part.letters)
    return ComparedPlace(book, at, at + size, 0, len(part.words), size)


def _longest(parts: Sequence[QuotedPart]) -> list[int]:
    return sorted(range(len(parts)), key=lambda i: -len(parts[i].letters))[:3]


def _exact_places(book: BookLetters, letters: str) -> list[int]:
    """Return where letters stand in a book as whole words."""
    at = book.find(letters)
    return [int(i) for i in at[book.is_border(at) & book.is_border(at + len(letters))]] if len(at) else []


def _likeliest_windows(
    part: QuotedPart, books: Sequence[BookLetters], run_length: int
) -> list[tuple[int, tuple[int, int]]]:
    """Return the places with most runs of letters of a part: the number of a book, and a range of it."""
    letters, width = part.letters, max(40, len(part.letters) // 3)
    runs = _runs_of(part, run_length) or [(0, letters)]  # a part shorter than a run is looked up whole
    # By book and window: how many runs there are of a part that begins in it, or in the window before.
    n_shared = Counter[tuple[int, int]]()
    for number in _books_with_most_runs([run for _, run in runs], books):
        book, seen = books[number], defaultdict[int, set[int]](set)
        for start, run in runs:
            hits = book.find(run)
            for at in (hits - start).tolist() if len(hits) <= _MAX_HITS else ():
                seen[at // width].add(start)
                seen[at // width + 1].add(start)
        n_shared.update({(number, window): len(found) for window, found in seen.items()})
    best = [window for window, _ in n_shared.most_common(3 * _MAX_COMPARED)]
    chosen = [one for one in best if (one[0], one[1] - 1) not in best[: best.index(one)]][:_MAX_COMPARED]
    slack = width + len(letters) // 4 + 40  # for words that one of both has not
    return [
        (number, ((window - 1) * width - slack, (window + 1) * width + len(letters) + slack))
        for number, window in chosen
    ]


def _runs_of(part: QuotedPart, length: int) -> list[tuple[int, str]]:
    """Return runs of letters of a part, with their starts: long ones in a row, short ones at words."""
    letters, starts = part.letters, part.starts
    if length == _LONG_RUN:
        starts = (*range(0, len(letters) - length, length), max(0, len(letters) - length))
    starts = starts[:: max(1, len(starts) // _MAX_RUNS)]
    return [(start, letters[start : start + length]) for start in starts if start + length <= len(letters)]


def _books_with_most_runs(runs: Sequence[str], books: Sequence[BookLetters]) -> Sequence[int]:
    """Return the numbers of the books to look in: all, or of many those with most of the runs together."""
    if len(books) <= _MAX_BOOKS:
        return range(len(books))
    rows = signature_rows(runs)
    return nlargest(_MAX_BOOKS, range(len(books)), key=lambda number: books[number].most_in_one_block(rows))


def _nearest_in(
    part: QuotedPart, book: BookLetters, number: int, start: int, end: int
) -> ComparedPlace | None:
    """Return the place in a range of a book whose words are nearest to those of a part."""
    start, end = max(0, start), min(end, int(book.head["n"]))
    if end <= start:
        return None
    text = book.text(start, end)
    if SEPARATOR in text:  # no place goes on from the text, or from a note, in a note
        cuts = [start - 1, *(start + cut.start() for cut in re.finditer(SEPARATOR, text)), end]
        placed = [_nearest_in(part, book, number, before + 1, stop) for before, stop in pairwise(cuts)]
        return min(filter(None, placed), key=_rank, default=None)
    borders = (start + np.flatnonzero(book.is_border(np.arange(start, end)))).tolist()
    words = [text[a - start : b - start] for a, b in pairwise([*borders, end])]
    if not words:
        return None
    steps = _align(part.words, words)
    used = [j for _, _, j, stop, _ in steps for j in range(j, stop)]
    if not used:
        return None
    at, own = [*borders, end], [*part.starts[: len(part.words)], len(part.letters)]
    changes, n_different, run, letters, best = list[WordChange](), 0, 0, 0, (0, 0)
    for i, i_stop, j, j_stop, is_same in steps:
        if is_same:
            run, letters = run + i_stop - i, letters + own[i_stop] - own[i]
            best = max(best, (letters, run))
            continue
        run = letters = 0
        n_different += max(i_stop - i, j_stop - j)
        yours, theirs = part.letters[own[i] : own[i_stop]], text[at[j] - start : at[j_stop] - start]
        differing = distances_along(yours, theirs)[-1] if yours and theirs else len(yours)
        n_letters = differing if differing <= _SPELLED_OTHERWISE * len(yours) else len(yours)
        changes.append(
            WordChange(part.offset + own[i], part.offset + own[i_stop], at[j], at[j_stop], n_letters)
        )
    return ComparedPlace(number, at[used[0]], at[used[-1] + 1], n_different, best[1], best[0], tuple(changes))


def _align(yours: Sequence[str], book: Sequence[str]) -> list[tuple[int, int, int, int, bool]]:
    """Return by which steps words lead to the nearest ones in a longer row: both ranges, and if they are one.

    Words that are joined or divided otherwise are the same.
    """
    n, m = len(yours), len(book)
    pairs_of_book = ["", *(one + other for one, other in pairwise(book))]
    costs = [[0] * (m + 1)]
    for i in range(1, n + 1):
        above, row, word = costs[-1], [i * _LEFT_OUT], yours[i - 1]
        pair = yours[i - 2] + word if i > 1 else ""
        twice_above = costs[-2] if i > 1 else above
        for j in range(1, m + 1):
            other = book[j - 1]
            if word == other:
                cost = above[j - 1]
            else:
                cost = min(above[j - 1] + _REPLACED, above[j] + _LEFT_OUT, row[-1] + _PUT_IN)
                if pair == other:
                    cost = min(cost, twice_above[j - 1])
                if word == pairs_of_book[j - 1] and j > 1:
                    cost = min(cost, above[j - 2])
            row.append(cost)
        costs.append(row)
    i, j = n, min(range(m + 1), key=costs[n].__getitem__)
    steps = list[tuple[int, int, int, int, bool]]()
    while i:
        cost = costs[i][j]
        if j and yours[i - 1] == book[j - 1]:
            step = (1, 1, True)
        elif j and i > 1 and yours[i - 2] + yours[i - 1] == book[j - 1] and costs[i - 2][j - 1] == cost:
            step = (2, 1, True)
        elif j > 1 and yours[i - 1] == pairs_of_book[j - 1] and costs[i - 1][j - 2] == cost:
            step = (1, 2, True)
        elif j and costs[i - 1][j - 1] + _REPLACED == cost:
            step = (1, 1, False)
        elif j and costs[i][j - 1] + _PUT_IN == cost:
            step = (0, 1, False)
        else:
            step = (1, 0, False)
        steps.append((i - step[0], i, j - step[1], j, step[2]))
        i, j = i - step[0], j - step[1]
    return [*_joined(reversed(steps))]


def _joined(steps: Iterator[tuple[int, int, int, int, bool]]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Yield steps with neighbouring ones of a kind as one."""
    last: tuple[int, int, int, int, bool] | None = None
    for step in steps:
        if last is not None and last[4] == step[4]:
            last = (last[0], step[1], last[2], step[3], step[4])
            continue
        if last is not None:
            yield last
        last = step
    if last is not None:
        yield last


def _follow(book: BookLetters, parts: Sequence[QuotedPart], main: int, place: ComparedPlace) -> ComparedPlace:
    """Return the place of a part with those of the parts before and after it."""
    for i in range(main + 1, len(parts)):
        place = _joined_place(place, _beside(book, parts[i], place, parts[i].gap, before=False), parts[i])
    for i in range(main - 1, -1, -1):
        place = _joined_place(place, _beside(book, parts[i], place, parts[i + 1].gap, before=True), parts[i])
    return place


def _beside(
    book: BookLetters, part: QuotedPart, place: ComparedPlace, gap: int, *, before: bool
) -> ComparedPlace | None:
    """Return where a part stands before or after a place, at most a gap away; None if it does not."""
    size = len(part.letters)
    reach = gap + size + size // 4 + (0 if gap else 40)
    start, end = (place.start - reach, place.start) if before else (place.end, place.end + reach)
    start, end = max(0, start), min(end, int(book.head["n"]))
    text = book.text(start, end)
    # No place goes on from the text, or from a note, in a note.
    text = text.rpartition(SEPARATOR)[2] if before else text.partition(SEPARATOR)[0]
    start, end = (end - len(text), end) if before else (start, start + len(text))
    at = text.rfind(part.letters) if before else text.find(part.letters)
    while at >= 0:
        distance = end - start - at - size if before else at
        is_next = gap > 0 or distance == 0
        if is_next and book.is_border(np.array([start + at, start + at + size])).all():
            return _as_it_is(place.book, start + at, part)
        at = text.rfind(part.letters, 0, at + size - 1) if before else text.find(part.letters, at + 1)
    if gap > _MAX_REPLACED:  # letters that differ are looked for nearby
        nearby = size + size // 2 + _MAX_REPLACED * 4
        start, end = (max(start, end - nearby), end) if before else (start, min(end, start + nearby))
    near = _nearest_in(part, book, place.book, start, end)
    return near if near is not None and near.n_different < len(part.words) else None


def _joined_place(place: ComparedPlace, other: ComparedPlace | None, part: QuotedPart) -> ComparedPlace:
    """Return two places as one; a part without a place differs in all its words."""
    if other is None:
        size = len(part.letters)
        lost = WordChange(part.offset, part.offset + size, place.end, place.end, size)
        other = ComparedPlace(place.book, place.start, place.end, len(part.words), 0, 0, (lost,))
    return ComparedPlace(
        place.book,
        min(place.start, other.start),
        max(place.end, other.end),
        place.n_different + other.n_different,
        max(place.run, other.run),
        max(place.run_letters, other.run_letters),
        (*place.changes, *other.changes),
    )
