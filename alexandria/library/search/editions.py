"""Editions of one work: a passage that another edition contains in the same words is one hit with it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from alexandria.book.words import WORD, fold_text
from alexandria.library.search.spelling import edit_cost
from alexandria.store.passage import Hit, Passage
from alexandria.store.record import Record, editions_by_work, work_of

_COMPLETE_SHARE = 0.9
"""An edition is complete if it has at least this share of the number of words of the longest one."""
_SPELLED_OTHERWISE = 0.1
"""The most of a text's long words, but for one, that another edition may spell in another way."""
_MIN_LETTERS = 4  # a word of fewer letters is another word if one of them differs
_FORMATS = ("epub", "mobi", "html", "fb2", "markdown", "docx", "odt", "pdf")
"""The formats, those that say most about chapters and pages first; formats not listed come last."""


@dataclass(frozen=True, slots=True)
class Editions:
    """The books of which a library has other editions."""

    works: Mapping[str, str]  # the work of each book, by book id
    ranks: Mapping[str, int]
    """The place of each book among the editions of its work, by book id: complete ones come first, in the
    format with the best chapter and page information."""

    @classmethod
    def of(cls, records: Sequence[Record]) -> Self:
        """Return the editions among some books."""
        ranks = {
            record.book_id: rank
            for editions in editions_by_work(records).values()
            for rank, record in enumerate(_by_preference(editions))
        }
        return cls({record.book_id: work_of(record) for record in records}, ranks)

    def max_per_work(self) -> int:
        """Return the number of editions of the work that has most."""
        return max(Counter(self.works.values()).values(), default=1)

    def have_same(self, hit: Hit, other: Passage) -> bool:
        """Return whether two editions of a work have the same text: the sentences for which a hit was found.

        Of hits that were found for no sentences, the shorter one must be in the longer.
        """
        work = self.works.get(hit.book_id)
        if work is None or hit.book_id == other.book_id or work != self.works.get(other.book_id):
            return False
        if hit.excerpt is not None:
            start, end = hit.excerpt
            return contains(other.text, hit.text[start - hit.start : end - hit.start])
        shorter, longer = sorted((hit.text, other.text), key=len)
        return contains(longer, shorter)


def _by_preference(editions: Sequence[Record]) -> list[Record]:
    """Return the editions of a work: complete ones first, then by format, then as they were ingested."""
    longest = max(record.n_words for record in editions)
    return sorted(
        editions,
        key=lambda record: (
            record.n_words < _COMPLETE_SHARE * longest,
            _FORMATS.index(record.format) if record.format in _FORMATS else len(_FORMATS),
            record.ingested_at,
        ),
    )


def merge_editions(hits: Sequence[Hit], editions: Editions, *, limit: int | None = None) -> list[Hit]:
    """Return the hits without those that another edition has in the same words; `also_in` names these.

    The most complete edition shows what several have, in the place of the best hit.

    Args:
        hits: best first; with the sentences for which they were found, or without.
        limit: how many hits are needed; all if None. Those that tie with the last of them are returned too.
    """
    merged: list[Hit] = []
    indexes_by_work: dict[str, list[int]] = {}  # in `merged`
    for hit in hits:
        work = editions.works.get(hit.book_id)  # None for a work of one edition
        indexes = [] if work is None else indexes_by_work.setdefault(work, [])
        i = next((i for i in indexes if editions.have_same(hit, merged[i])), None)
        if i is not None:
            merged[i] = _merge(merged[i], hit, editions)
        elif limit is None or len(merged) < limit or hit.score == merged[limit - 1].score:
            indexes.append(len(merged))
            merged.append(hit)
    return merged


def _merge(better: Hit, hit: Hit, editions: Editions) -> Hit:
    """Return two hits with the same text as one."""
    shown, other = better, hit
    is_preferred = editions.ranks[hit.book_id] < editions.ranks[better.book_id]
    if is_preferred and editions.have_same(better, hit):
        shown, other = replace(hit, score=better.score, also_in=better.also_in), better
    return _with_other_editions_of(replace(shown, also_in=better.also_in), [other], editions)


def with_editions(hits: Sequence[Hit], others: Sequence[Hit], editions: Editions) -> list[Hit]:
    """Return the hits, each with the same text in other editions.

    Args:
        hits: best first.
        others: passages of other editions, best first.
    """
    return [_with_other_editions_of(hit, others, editions) for hit in hits]


def _with_other_editions_of(hit: Hit, others: Sequence[Hit], editions: Editions) -> Hit:
    """Return the hit, adding to `also_in` the first of `others` from each edition that has the same text."""
    # An edition that `also_in` names already keeps its passage there.
    also_in = list(hit.also_in)
    named = {passage.book_id for passage in also_in}
    for other in others:
        if other.book_id not in named and editions.have_same(hit, other):
            also_in.append(Passage(id=other.id, payload=other.payload))
            named.add(other.book_id)
    return replace(hit, also_in=tuple(also_in))


@lru_cache(maxsize=1024)  # a search asks for a pair of passages several times
def contains(text: str, part: str) -> bool:
    """Return whether a text has the words of another one in a row: numbers and names exactly, others nearly.

    A word may be spelled or divided in another way, as editions differ; none may be missing or added.
    """
    whole, asked = _Words.of(text), _Words.of(part)
    if len(asked.long - whole.long) > 1 + _SPELLED_OTHERWISE * len(asked.long):
        return False
    return f"\n{asked.folded}\n" in f"\n{whole.folded}\n" or _is_within(asked, whole)


_LONG_WORD = re.compile(r".{6,}")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text, as editions are compared by them."""

    written: Sequence[str]
    folded: str  # the same, one a line
    long: frozenset[str]  # the long ones, folded: hardly any two passages share many

    @classmethod
    @lru_cache(maxsize=512)
    def of(cls, text: str) -> Self:
        """Return the words of a text."""
        words = WORD.findall(text)
        folded = fold_text("\n".join(words))  # together: one by one takes ten times as long
        return cls(words, folded, frozenset(_LONG_WORD.findall(folded)))


def _is_within(part: _Words, text: _Words) -> bool:
    """Return whether a text has the words of another in a row, but for some that are spelled otherwise.

    The longest run of words that both have is put aside, and what is before and after it compared in the same
    way, as `difflib` does; but no further than to the first words that differ, and by single characters for
    words, which are found faster.
    """
    words, part_words = text.folded.splitlines(), part.folded.splitlines()
    signs = {word: chr(number) for number, word in enumerate({*words, *part_words}, 1)}
    letters, part_letters = ("".join(map(signs.__getitem__, those)) for those in (words, part_words))
    spans = [(0, len(letters), 0, len(part_letters))]
    while spans:
        start, end, first, stop = spans.pop()
        if first == stop and first in (0, len(part_letters)):
            continue  # more text before or after the part, or none
        i, j, n = _longest_match(letters[start:end], part_letters[first:stop])
        if n:
            spans += [(start, start + i, first, first + j), (start + i + n, end, first + j + n, stop)]
        elif (start < end or first < stop) and not _are_alike(
            text.written[start:end], part.written[first:stop]
        ):
            return False
    return True


def _longest_match(text: str, part: str) -> tuple[int, int, int]:
    """Return where the longest string begins that both have, and its length: the first one in `text`."""
    best, n = (0, 0, 0), 1
    for j in range(len(part)):
        # As long as the best, or longer: of equally long ones, the first counts.
        if (i := text.find(part[j : j + n])) < 0:
            continue
        if j + n > len(part):
            break
        while j + n < len(part) and (further := text.find(part[j : j + n + 1], i)) >= 0:
            i, n = further, n + 1
        if n > best[2] or i < best[0]:
            best = (i, j, n)
    return best


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether words are others that are spelled, or divided, in another way."""
    letters, other_letters = (fold_text("".join(part)) for part in (words, others))
    if letters == other_letters:
        return True
    is_exact = any(word[:1].isupper() or any(map(str.isdigit, word)) for word in (*words, *others))
    if is_exact or min(len(letters), len(other_letters)) < _MIN_LETTERS:
        return False
    return edit_cost(letters, other_letters) <= 1
