"""Where a quotation comes from: candidates by its words, then the nearest place in each, letter by letter."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from alexandria.errors import ConfigError, NoMatchError, check_at_least
from alexandria.filters import EVERYTHING, Filters
from alexandria.modes import Mode
from alexandria.passage import Passage, Quotation
from alexandria.passages.stored import passages
from alexandria.query.alignment import Alignment, Letters, align
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.scope import scope_of
from alexandria.store.sparse import query_terms

LEAST_NEAR = 0.68
"""Nearness below which words are not taken for the quotation."""
_LEAST_NEAR_HALF = 0.55
"""Likewise for each half of it: what only begins or ends as a sentence of the book does is another one."""
_CANDIDATES = 40
"""Chunks with the words of the quotation that are looked at."""
_ALIGNED = 12
"""The most likely of them, in which it is looked for letter by letter."""
_FEWEST_LETTERS = 6
_GRAM = 4
_WORD = re.compile(r"\S+")
_LEAST_OF_WORDS = 0.75
"""Share of a quotation's letters that belong to words of the place: unlike words have letters in common too,
in the same order, which lets half a sentence of common words seem near."""
_PER_SLIP = 4
"""Letters of a word for each one that may be another."""
_LEAST_WORDS, _FEWEST_WORDS, _LEAST_BY_WORDS = 0.75, 5, 0.5
"""The share of a quotation's words, their number, and the share of its letters, where only words decide."""
_WORDS_MORE = 4
"""Words that may have been added to a quotation, or left out of it, at each end."""


def find_quotation(
    text: str, catalog: Catalog, *, limit: int = 5, filters: Filters = EVERYTHING
) -> list[Quotation]:
    """Return the places where quoted words are in the books, the nearest first.

    Args:
        text: the words; quotes, dashes, hyphens, accents, case and line breaks do not count, and a few slips
            are allowed.
        catalog: the books.
        limit: how many places at most.
        filters: the books that are considered.

    Raises:
        ConfigError: there are too few letters, no book passes the filters, or `limit` is less than 1.
    """
    check_at_least(1, limit=limit)
    quotation = Letters.of(text).text
    if len(quotation) < _FEWEST_LETTERS:
        raise ConfigError(
            f"cannot look for {text.strip()!r}",
            why=f"it has fewer than {_FEWEST_LETTERS} letters: too many places are like it",
            fix="give more of the words",
        )
    books = _admitted(catalog, filters)
    candidates = _candidates(text, quotation, catalog, books)
    places = [_place(quotation, one) for one in candidates]
    places = [_across_cuts(quotation, place, catalog, books) for place in places]
    near = [_quotation(quotation, place) for place in places if _is_near(text, quotation, place)]
    if not near:  # whole words may be missing, which are many letters of a short quotation
        near = [place for one in candidates if (place := by_words(text, one))]
    found: dict[tuple[str, int], Quotation] = {}
    for place in sorted(near, key=lambda place: -place.nearness):
        if place.best is not None:
            found.setdefault((place.book_id, place.best[0]), place)
    return list(found.values())[:limit]


@dataclass(frozen=True, slots=True)
class _Place:
    """The nearest place in a run of chunks."""

    parts: tuple[Passage, ...]
    """Neighbours, in reading order."""
    text: str
    """Theirs, with the white space between them; it begins where the first one does."""
    letters: Letters
    alignment: Alignment


def _admitted(catalog: Catalog, filters: Filters) -> dict[str, Record]:
    books = catalog.admitted(filters)
    if not books:
        raise NoMatchError(
            "no book passes these filters",
            why=f"the library has {catalog.n_books} books, and none matches",
            fix="alexandria list shows titles, authors, domains and languages",
        )
    return {record.book_id: record for record in books}


def _candidates(text: str, quotation: str, catalog: Catalog, books: Mapping[str, Record]) -> list[Passage]:
    """Return the chunks most likely to contain a quotation, by their words and then by runs of letters."""
    languages = frozenset(record.language for record in books.values())
    query = QueryVectors(np.zeros(catalog.binding.dim, np.float32), query_terms(text, languages))
    chunks: Sequence[Passage]
    if query.bm25.indices:
        chunks = catalog.search(query, Mode.BM25, scope_of(list(books.values())), _CANDIDATES)
    else:  # nothing but words that are not indexed: every chunk may have them
        chunks = [one for record in books.values() for one in passages(record, catalog)]
    grams = {quotation[i : i + _GRAM] for i in range(len(quotation) - _GRAM + 1)}
    shared = [
        sum(gram in letters for gram in grams) for letters in (Letters.of(one.text).text for one in chunks)
    ]
    order = sorted(range(len(chunks)), key=lambda i: -shared[i])[:_ALIGNED]
    return [Passage(id=chunks[i].id, payload=chunks[i].payload) for i in order if shared[i]]


def _place(quotation: str, *parts: Passage) -> _Place:
    text = parts[0].text
    for part in parts[1:]:
        text += " " * (part.start - parts[0].start - len(text)) + part.text
    letters = Letters.of(text)
    return _Place(parts, text, letters, align(quotation, letters.text))


def _across_cuts(quotation: str, place: _Place, catalog: Catalog, books: Mapping[str, Record]) -> _Place:
    """Return the nearest place with the neighbouring chunk, if the quotation may go on there."""
    alignment, chunk = place.alignment, place.parts[0]
    # Only what is missing can be on the other side of a cut; a perfect place needs no more.
    near = alignment.distance
    before = alignment.start <= near and alignment.distance > 0
    after = len(place.letters.text) - alignment.end <= near and alignment.distance > 0
    record = books[chunk.book_id]
    first, last = max(0, chunk.chunk_id - before), min(record.n_chunks - 1, chunk.chunk_id + after)
    if first == last:
        return place
    wider = _place(quotation, *passages(record, catalog, range(first, last + 1)))
    return wider if wider.alignment.distance < place.alignment.distance else place


def _is_near(text: str, quotation: str, place: _Place) -> bool:
    """Return whether the nearest place is one of the quotation.

    The whole of it is near, each half is, and the place has most of its words.

    Args:
        text: the quotation as it was given.
        quotation: its letters.
        place: the nearest one in some chunks.
    """
    alignment, middle = place.alignment, len(quotation) // 2
    if _nearness(quotation, alignment) < LEAST_NEAR:
        return False
    words = place.letters.text[alignment.start : alignment.end]
    halves = (quotation[:middle], quotation[middle:])
    if any(_nearness(half, align(half, words)) < _LEAST_NEAR_HALF for half in halves):
        return False
    return alignment.distance == 0 or share_of_words(text, words) >= _LEAST_OF_WORDS


def share_of_words(text: str, place: str) -> float:
    """Return the share of a quotation's letters whose words are in the letters of a place, but for slips.

    In any order, and also within longer words: words may be exchanged, doubled, joined or divided.
    """
    words = [letters for word in text.split() if (letters := Letters.of(word).text)]
    shared = [word for word in words if word in place or _is_slip(word, place)]
    return sum(map(len, shared)) / sum(map(len, words))


def _is_slip(word: str, place: str) -> bool:
    n_slips = len(word) // _PER_SLIP
    return n_slips > 0 and align(word, place).distance <= n_slips


def _nearness(quotation: str, alignment: Alignment) -> float:
    """Return the share of letters that are the same, from 0 to 1."""
    return max(0.0, 1 - alignment.distance / len(quotation))


def _quotation(quotation: str, place: _Place) -> Quotation:
    alignment, places, text = place.alignment, place.letters.places, place.text
    start, end = places[alignment.start], places[max(alignment.start, alignment.end - 1)] + 1
    while start and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    offset = place.parts[0].start
    own = next(part for part in reversed(place.parts) if part.start <= offset + start)
    return Quotation(
        id=own.id,
        payload=own.payload,
        best=(offset + start, offset + end),
        words=text[start:end],
        nearness=_nearness(quotation, alignment),
    )


def by_words(text: str, passage: Passage) -> Quotation | None:
    """Return the place in a passage that has most words of a quotation in order, if it has enough."""
    quoted = [letters for word in text.split() if (letters := Letters.of(word).text)]
    words = [(letters, m) for m in _WORD.finditer(passage.text) if (letters := Letters.of(m[0]).text)]
    stored = [letters for letters, _ in words]
    matcher = SequenceMatcher(None, quoted, stored, autojunk=False)
    run = matcher.find_longest_match()
    if not run.size:
        return None
    first = max(0, run.b - run.a - _WORDS_MORE)
    last = min(len(words), run.b + len(quoted) - run.a + _WORDS_MORE)
    blocks = SequenceMatcher(None, quoted, stored[first:last], autojunk=False).get_matching_blocks()[:-1]
    shared = sum(len("".join(quoted[block.a : block.a + block.size])) for block in blocks)
    n_words = sum(block.size for block in blocks)
    begin, end = first + blocks[0].b, first + blocks[-1].b + blocks[-1].size
    nearness = shared / max(len("".join(quoted)), len("".join(stored[begin:end])))
    if n_words < _LEAST_WORDS * len(quoted) or n_words < _FEWEST_WORDS or nearness < _LEAST_BY_WORDS:
        return None
    start, stop = words[begin][1].start(), words[end - 1][1].end()
    return Quotation(
        id=passage.id,
        payload=passage.payload,
        best=(passage.start + start, passage.start + stop),
        words=passage.text[start:stop],
        nearness=nearness,
    )
