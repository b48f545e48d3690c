"""Find where a quotation comes from: every place with its letters, else those with most of its words.

Read `find_quotation` first.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from alexandria.book.choices import Mode
from alexandria.book.filters import EVERYTHING, Filters, is_by
from alexandria.book.headings import Levels, is_under
from alexandria.book.words import entered_text, is_inside_word, letters_of
from alexandria.errors import ConfigError, StoreError, check_at_least, check_text
from alexandria.library.search.alignment import Letters, align, distances_along
from alexandria.library.search.comparison import places_of_quotation, quoted_text
from alexandria.library.search.differences import differences
from alexandria.library.search.places import (
    MIN_LETTERS,
    LetterPlace,
    fewest_letters,
    places_in,
    slips_allowed,
)
from alexandria.library.search.question import corrected_text
from alexandria.library.search.unmatched import admitted_books, sections_of
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.letters import SEPARATOR, BookLetters, made_letters
from alexandria.store.passage import MAX_OMITTED, Passage, Places, Quotation, Searched
from alexandria.store.record import Record, scope_of, work_of
from alexandria.store.sparse import query_terms

_MAX_LETTERS = 1_000  # a longer quotation is looked for sentence by sentence
_MAX_CHUNKS = 40
"""Chunks with words of the quotation that are compared, of books whose letters are not there yet."""
_MAX_BESIDE = 200
"""Books in which near places are looked for beside those that were found: in more it takes seconds."""
_OMISSION = re.compile(r"\[?(?:…|\.\s?\.\s?\.)\]?")
_SENTENCE = re.compile(r"[^.!?。！？।]+[.!?。！？।]*")


def find_quotation(
    text: str, catalog: Catalog, *, limit: int | None = 5, filters: Filters = EVERYTHING
) -> Places:
    """Return the places in the books that a quotation comes from, the nearest first, then in library order.

    Every place whose letters differ by at most one in `LETTERS_PER_SLIP` is found; after these, as far as the
    limit goes, come places in other books that have most of its words, and are only near.

    Args:
        text: the quotation; quotation marks, dashes, hyphens, accents, case and line breaks do not count.
            Dots (…, ..., [...]) stand for up to `MAX_OMITTED` letters that were left out.
        limit: how many places at most; None for all.
        filters: which books and sections are considered.

    Raises:
        ConfigError: there are too few letters, no book passes the filters, or `limit` is less than 1.
        DamagedError: nothing was found, and chunks of the library are missing.
    """
    check_text(text=text)
    if limit is not None:
        check_at_least(1, limit=limit)
    text = entered_text(text)
    parts = _parts_of(text)
    books = admitted_books(filters, catalog)
    sections = sections_of(filters, books, catalog)
    ready = catalog.with_letters(books)
    by_id = {record.book_id: record for record in books}
    is_ready = {record.book_id for record in ready}
    rest = [record for record in books if record.book_id not in is_ready]
    found = sorted(_found_in(ready, parts, catalog, sections, filters), key=lambda found: found[0].distance)
    try:
        places = [
            quotation_at(text, place, catalog.letters(record), partial(catalog.chunks, record))
            for place, record in found[:limit]
        ]
    except StoreError:  # the letters of chunks that are missing are there
        catalog.check_complete()
        raise
    holders = [record for _, record in found]
    have_it = {record.book_id for record in holders}
    further = [record for record in ready if record.book_id not in have_it]
    if found and (len(further) > _MAX_BESIDE or limit == len(places)):
        further = []
    if rest or further:
        others = _near_places(text, catalog, further, rest, sections, filters)
        holders += [by_id[place.book_id] for place in others if not place.near]
        places = [*places, *others][:limit]
    if not places:
        catalog.check_complete()
    several = ready if len(parts) > 1 and not found else []
    searched = Searched(
        n_books=len(ready),
        n_words=sum(record.n_words for record in ready),
        n_not_ready=len(rest),
        keeps_matter=all(record.keep_matter for record in books),
        slips=max(map(slips_allowed, map(len, parts))),
        n_parts=len(parts),
        partial=tuple(record.title for record in books if record.warnings),
        apart=tuple(record.title for record in several if _has_all(catalog.letters(record), parts)),
        in_chapters=bool(sections) or not all(is_by(record.author, filters.author or "") for record in books),
    )
    return Places(places, searched, len(holders), _titles_of(holders))


def _titles_of(records: Iterable[Record]) -> list[str]:
    """Return the title of each work, with how many editions of it there are among the books."""
    editions = dict[str, dict[str, str]]()
    for record in records:
        editions.setdefault(work_of(record), {})[record.book_id] = record.title
    return [
        next(iter(titles.values())) + (f" ({len(titles)} editions)" if len(titles) > 1 else "")
        for titles in editions.values()
    ]


def _parts_of(text: str) -> list[str]:
    """Return the letters of each part of a quotation, between dots; those of sentences, if they are many.

    Raises:
        ConfigError: a part has too few letters.
    """
    parts = list[str]()
    for part in _OMISSION.split(text):
        if (letters := letters_of(part)) and len(letters) <= _MAX_LETTERS:
            parts.append(letters)
        elif letters:
            parts += (own for sentence in _SENTENCE.findall(part) if (own := letters_of(sentence)))
    longest = max(parts, key=len, default="")
    n_wanted = fewest_letters(longest)
    if len(longest) < n_wanted:
        raise ConfigError(
            f"cannot look for {text.strip()!r}",
            why=f"it has fewer than {n_wanted} letters: too many places would match",
            fix="give more of the words",
        )
    return [part for part in parts if len(part) >= min(MIN_LETTERS, len(longest))]


def _found_in(
    records: Iterable[Record], parts: Sequence[str], catalog: Catalog, sections: Levels, filters: Filters
) -> Iterator[tuple[LetterPlace, Record]]:
    """Yield the places of a quotation, whose parts follow each other, book by book."""
    for record in records:
        book = catalog.letters(record)
        places = places_in(book, parts[0], slips_allowed(len(parts[0])))
        for part in parts[1:]:
            following = places_in(book, part, slips_allowed(len(part))) if places else []
            places = [
                LetterPlace(place.distance + other.distance, place.start, other.end)
                for place in places
                if (other := _next_of(place, following, book))
            ]
        for place in sorted(places):
            # The chunk is read only where a filter asks for more than the book.
            numbers = [book.chunk_at(place.start)] if sections or filters.author else []
            if all(
                _passes(chunk, sections, filters.author or "")
                for number in numbers
                for chunk in catalog.chunks(record, [number])
            ):
                yield place, record


def _has_all(book: BookLetters, parts: Sequence[str]) -> bool:
    return all(places_in(book, part, slips_allowed(len(part))) for part in parts)


def _next_of(place: LetterPlace, others: Sequence[LetterPlace], book: BookLetters) -> LetterPlace | None:
    """Return the nearest place after one, in the same text or note, with few enough letters in between."""
    near = (other for other in others if 0 <= other.start - place.end <= MAX_OMITTED)
    after = [other for other in near if SEPARATOR not in book.text(place.end, other.start)]
    return min(after, default=None)


def quotation_at(
    text: str, place: LetterPlace, book: BookLetters, passages: Callable[[Sequence[int]], list[Passage]]
) -> Quotation:
    """Return a place in the letters of a book as part of the chunk in which it begins.

    Args:
        passages: returns its chunks with some numbers.
    """
    nearness = 1 - place.distance / len(letters_of(text))
    first = book.chunk_at(place.start)
    in_note = place.start >= book.n_text
    last = first if in_note else int(np.searchsorted(book.starts_of_chunks, place.end, "left")) - 1
    chunks = passages(range(first, last + 1))
    chunk, begin = chunks[0], int(book.starts_of_chunks[first])
    source = _joined_text(chunks)
    if in_note:
        begin, _, mark = book.note_at(place.start)
        [source] = {note for note in chunk.notes if letters_of(note).startswith(book.text(begin, place.end))}
    offsets = (*Letters.of(source).offsets, len(source))
    start, end = offsets[place.start - begin], offsets[place.end - begin - 1] + 1
    while end < len(source) and is_inside_word(source, end):
        end += 1
    words = source[start:end]
    return Quotation(
        id=chunk.id,
        payload=chunk.payload,
        best=(mark, mark) if in_note else (chunk.start + start, chunk.start + end),
        words=words,
        nearness=max(0.0, nearness),
        in_note=in_note,
        differences=differences(text, words) if _OMISSION.search(text) is None else ("omission",),
    )


def _passes(chunk: Passage, sections: Levels, author: str) -> bool:
    """Return whether a chunk is under one of some headings, if there are any, and by an author."""
    authors = f"{chunk.author}\n{chunk.chapter_author or ''}"  # of a book by several, one chapter may pass
    return is_by(authors, author) and is_under(chunk.section, sections)


def _near_places(
    text: str,
    catalog: Catalog,
    ready: Sequence[Record],
    rest: Sequence[Record],
    sections: Levels,
    filters: Filters,
) -> list[Quotation]:
    """Return the places that come near to a quotation, the nearest first."""
    # `rest`: other books, of which the likeliest chunks are compared.
    # `sections`: only chunks under one heading of each level; if empty, all.
    # `filters`: which chapters are considered, by their authors.
    places = _compared(text, text, catalog, ready, rest)
    if not places:  # a mistyped word may be the only one that would have led there
        languages = catalog.index_languages(frozenset(record.language for record in (*ready, *rest)))
        corrected = corrected_text(text, catalog, languages)
        places = _compared(text, corrected, catalog, ready, rest) if corrected != text else []
    passing = (place for place in places if _passes(place, sections, filters.author or ""))
    distinct = dict[tuple[str, int, int], Quotation]()  # parts of a quotation may lead to the same place
    for place in sorted(passing, key=lambda place: -place.nearness):
        distinct.setdefault((place.book_id, place.start, place.end), place)
    return [*distinct.values()]


def _compared(
    text: str, sought: str, catalog: Catalog, ready: Sequence[Record], rest: Sequence[Record]
) -> list[Quotation]:
    """Return the places whose words are nearly those that are sought, and how near they are to a text."""
    shelf: list[tuple[BookLetters, Callable[[Sequence[int]], list[Passage]]]] = [
        (catalog.letters(record), partial(catalog.chunks, record)) for record in ready
    ]
    shelf += _likeliest_chunks(sought, catalog, rest)
    quoted, letters, near = quoted_text(sought), letters_of(text), list[Quotation]()
    for compared in places_of_quotation(quoted, [book for book, _ in shelf]):
        if compared.is_like(quoted):
            place = LetterPlace(compared.n_different, compared.start, compared.end)
            found = quotation_at(text, place, *shelf[compared.book])
            words, slips = letters_of(found.words), slips_allowed(len(letters))
            distance, whole = align(letters, words).distance, distances_along(letters, words)[-1]
            is_near = whole > slips
            kinds = ("letters",) if is_near else found.differences
            if distance <= slips < whole:
                distance, kinds = whole, ("ends inside a word",)
            nearness = max(0.0, 1 - distance / len(letters))
            near.append(replace(found, nearness=nearness, near=is_near, differences=kinds))
    return near


def _likeliest_chunks(
    text: str, catalog: Catalog, books: Sequence[Record]
) -> Iterator[tuple[BookLetters, Callable[[Sequence[int]], list[Passage]]]]:
    """Yield chunks with the words of a text, each with its letters as if it were a book."""
    languages = catalog.index_languages(frozenset(record.language for record in books))
    query = QueryVectors(np.zeros(catalog.binding.dim, np.float32), query_terms(text, languages))
    if books and query.bm25.indices:
        for chunk in catalog.whole(catalog.search(query, Mode.BM25, scope_of(books), _MAX_CHUNKS)):
            yield made_letters([chunk]), partial(_only, Passage(id=chunk.id, payload=chunk.payload))


def _only(passage: Passage, numbers: Sequence[int]) -> list[Passage]:
    return [passage]


def _joined_text(chunks: Sequence[Passage]) -> str:
    """Return the text of neighbouring chunks, given in reading order, with the offsets of the book."""
    text = chunks[0].text
    for chunk in chunks[1:]:
        # The white space between chunks is not stored; spaces keep the offsets right.
        text += " " * (chunk.start - chunks[0].start - len(text)) + chunk.text
    return text
