"""Passages with the quoted words of a question, and only these."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from alexandria.book.choices import Mode
from alexandria.book.headings import Levels, is_under
from alexandria.book.words import is_inside_word, letters_of
from alexandria.errors import StoreError
from alexandria.library.search.alignment import Letters
from alexandria.library.search.places import fewest_letters, places_in
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit
from alexandria.store.ranking import by_score
from alexandria.store.record import Record
from alexandria.store.store import Scope

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_MAX_CANDIDATES = 500  # how many of the best passages by words are searched for the phrases, besides the hits
_MAX_SCANNED = 100_000
"""The most passages of a library that are all searched, if none of these has the phrases."""


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the quoted phrases of a query as letters: punctuation, case and accents do not count."""
    # `_QUOTED` has a group for each kind of quotation marks, of which one matches.
    quoted = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(query))
    phrases = (Letters.of(text).text for text in quoted)
    return tuple(phrase for phrase in phrases if phrase)


def hits_with_phrases(
    hits: Sequence[Hit],
    phrases: Sequence[str],
    library: Catalog,
    question: QueryVectors,
    scope: Scope,
    *,
    sections: Levels = (),
) -> list[Hit]:
    """Return the hits that contain every phrase, then other passages that do, ranked by words.

    Args:
        hits: best first.
        phrases: as `phrases_of` returns them.
        sections: only chunks under one heading of each level; if empty, all.
    """
    records = _records_in(scope, library)
    is_looked_up = (
        bool(records)
        and all(len(phrase) >= fewest_letters(phrase) for phrase in phrases)
        and len(library.with_letters(records)) == len(records)
    )
    holders = {
        record.generation: _chunks_with(phrases, record, library) for record in records if is_looked_up
    }
    if is_looked_up and not any(holders.values()):
        return []
    candidates = library.search(question, Mode.BM25, scope, _MAX_CANDIDATES, sections=sections)
    hit_ids = {hit.id for hit in hits}
    ranked = [*hits, *(hit for hit in candidates if hit.id not in hit_ids)]
    if is_looked_up:
        found = [hit for hit in ranked if hit.chunk_id in holders.get(hit.generation, ())]
        known = {hit.id for hit in found}
        others = (hit for record in records for hit in _hits_in(record, holders[record.generation], library))
        missing = (hit for hit in others if is_under(hit.section, sections))
        more = islice((hit for hit in missing if hit.id not in known), max(0, _MAX_CANDIDATES - len(found)))
        return [*found, *more]
    found = [hit for hit in ranked if _contains_all(hit.text, phrases)]
    if found or library.n_points() > _MAX_SCANNED:
        return found
    # The words may all be common ones, which the index leaves out.
    every = library.every_chunk(scope, sections=sections)
    return by_score(
        hit for hit in every if _may_contain(hit.text, phrases) and _contains_all(hit.text, phrases)
    )


def _records_in(scope: Scope, library: Catalog) -> list[Record]:
    """Return the books of a scope in their order; none if it does not name them."""
    if scope.where.keys() - {"generation"}:
        return []
    named = scope.where.get("generation")
    return [
        record
        for record in library.books()
        if (named is None or record.generation in named) and record.generation not in scope.without
    ]


def _chunks_with(phrases: Sequence[str], record: Record, library: Catalog) -> set[int]:
    """Return the numbers of the chunks in which all phrases begin."""
    book = library.letters(record)
    return set.intersection(
        *({book.chunk_at(place.start) for place in places_in(book, phrase, 0)} for phrase in phrases)
    )


def _hits_in(record: Record, numbers: set[int], library: Catalog) -> Iterator[Hit]:
    for number in sorted(numbers):
        for passage in library.chunks(record, [number]):
            yield Hit(id=passage.id, payload=passage.payload, score=0.0)


def words_written_otherwise(
    words: Iterable[str], records: Sequence[Record], library: Catalog
) -> tuple[dict[str, str], frozenset[str]]:
    """Return how words are written that the index lacks: `innkeeper` as `inn-keeper`, "" if in notes alone.

    Korean words with an ending (감자를) stand as they are. The second result has those that stand only inside
    longer words. Only books whose letters are there are looked at.
    """
    with_letters = [record for record in records if library.letter_files.has(record.generation)]
    books = [library.letters(record) for record in with_letters]
    sought = {word: letters for word in words if (letters := letters_of(word))}
    written = dict[str, str]()
    for word, letters in sought.items():
        places = [
            (place.start >= book.n_text, i, chunk, place.start - int(book.starts_of_chunks[chunk]))
            for i, book in enumerate(books)
            for place in places_in(book, letters, 0)
            if (chunk := book.chunk_at(place.start)) == book.chunk_at(place.end - 1)
        ]
        if places:
            is_note, i, chunk, start = min(places)
            written[word] = word
            with suppress(StoreError):  # the chunk is missing: how it is written there is not known
                text = library.chunks(with_letters[i], [chunk])[0].text
                at = Letters.of(text).offsets[start : start + len(letters)]
                written[word] = "" if is_note else text[at[0] : at[-1] + 1]
    inside = {
        word for word in sought.keys() - written if any(book.has_in_a_word(sought[word]) for book in books)
    }
    return written, frozenset(inside)


def _may_contain(text: str, phrases: Sequence[str]) -> bool:
    """Return whether the letters of a text have the phrases, by a test that is quick but not exact."""
    letters = letters_of(text)
    return all(phrase in letters for phrase in phrases)


def _contains_all(text: str, phrases: Sequence[str]) -> bool:
    letters = Letters.of(text)
    return all(_has_words(text, letters, phrase) for phrase in phrases)


def _has_words(text: str, letters: Letters, phrase: str) -> bool:
    """Return whether a text has a phrase in whole words."""
    offsets = (*letters.offsets, len(text))
    starts = (match.start() for match in re.finditer(f"(?={re.escape(phrase)})", letters.text))
    return any(
        not (is_inside_word(text, offsets[start]) or is_inside_word(text, offsets[start + len(phrase)]))
        for start in starts
    )
