"""Find where a quotation comes from: every place with its letters, else the likeliest chunks with its words.

Read `find_quotation` first.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from alexandria.errors import ConfigError, StoreError, check_at_least, check_text
from alexandria.filters import EVERYTHING, Filters, is_by
from alexandria.modes import Mode
from alexandria.passage import Passage, Places, Quotation, Searched
from alexandria.passages.stored import passages
from alexandria.query.alignment import Alignment, Letters, align
from alexandria.query.differences import differences
from alexandria.query.places import MIN_LETTERS, LetterPlace, fewest_letters, places_in, slips_allowed
from alexandria.query.question import corrected_text
from alexandria.query.unmatched import no_match_error, sections_of
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.letters import kinds_of
from alexandria.store.record import Record, scope_of, work_of
from alexandria.store.sparse import query_terms
from alexandria.words import entered_text, is_inside_word, letters_of

MIN_NEARNESS = 0.68
"""The least nearness at which a place is taken for the source of the quotation."""
_MIN_HALF_NEARNESS = 0.55
"""Likewise for each half: text that shares only a beginning or an end with the book is another sentence."""
_MIN_SHARE_OF_WORDS = 0.75
"""The least share of a quotation's letters whose words are in the place: different words share letters in the
same order too, so that half a sentence of common words seems near."""
_MAX_CANDIDATES = 40
"""Chunks with words of the quotation that are considered, besides those with most runs of its letters."""
_MAX_ALIGNED = 12
"""How many of these, the likeliest first, are searched for the quotation letter by letter."""
_MAX_LETTERS = 1_000
"""A longer quotation is looked for sentence by sentence."""
_MAX_OMITTED = 400
"""Letters for which the dots in a quotation may stand."""
_INSIDE = "ends inside a word"
"""The difference of a place that is near enough, but no whole words."""
_OMISSION = re.compile(r"\[?(?:…|\.\s?\.\s?\.)\]?")
_SENTENCE = re.compile(r"[^.!?。！？।]+[.!?。！？।]*")
_RUN_LETTERS, _RUN_STEP = 10, 4
"""The runs of letters by which chunks are looked up: their length, and how far they are apart."""
_MAX_BOOKS = 40
"""Books that are searched for them: those with most of them together, by the signatures."""
_GRAM_LETTERS = 4
"""The length of the runs of letters by which candidates are compared."""
_LETTERS_PER_SLIP = 4
"""A word of this length may have one wrong letter, a word of twice this length two, and so on."""
_WORD = re.compile(r"\S+")

# The limits of `match_words`, which compares whole words only.
_MIN_SHARE_IN_ORDER = 0.75
"""The least share of a quotation's words that are in the place, in the same order."""
_MIN_WORDS_IN_ORDER = 5
"""The least number of these words."""
_MIN_WORD_NEARNESS = 0.5
"""The letters of these words as a share of those of the quotation, or of the place if it is longer: at least
so much."""
_EXTRA_WORDS = 4
"""Words that may have been added to a quotation, or left out of it, at each end."""


def find_quotation(
    text: str, catalog: Catalog, *, limit: int | None = 5, filters: Filters = EVERYTHING
) -> Places:
    """Return the places in the books that a quotation comes from, the nearest first, then in library order.

    Every place whose letters differ by at most one in `LETTERS_PER_SLIP` is found. If there is none, places
    that come near are looked for among the likeliest chunks.

    Args:
        text: the quotation; quotation marks, dashes, hyphens, accents, case and line breaks do not count.
            Dots (…, ..., [...]) stand for up to `_MAX_OMITTED` letters that were left out.
        catalog: the books.
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
    books = _find_admitted_books(catalog, filters)
    sections = sections_of(filters, [*books.values()])
    ready = catalog.with_letters([*books.values()])
    found = sorted(_found_in(ready, parts, catalog, sections, filters), key=lambda found: found[0].distance)
    try:
        places = [_as_place(text, place, record, catalog) for place, record in found[:limit]]
    except StoreError:  # the letters of chunks that are missing are there
        catalog.check_complete()
        raise
    holders = [record for _, record in found]
    rest = {key: record for key, record in books.items() if not catalog.has_letters(record)}
    if rest or not found:
        others = _near_places(text, catalog, rest if found else books, sections, filters)
        holders += [books[place.book_id] for place in others if not place.near]
        places = [*places, *others][:limit]
    if not places:
        catalog.check_complete()
    searched = Searched(
        n_books=len(ready),
        n_words=sum(record.n_words for record in ready),
        n_not_ready=len(books) - len(ready),
        keeps_matter=all(record.keep_matter for record in books.values()),
        slips=max(map(slips_allowed, map(len, parts))),
        n_parts=len(parts),
        partial=tuple(record.title for record in books.values() if record.warnings),
        in_chapters=bool(sections)
        or not all(is_by(record.author, filters.author or "") for record in books.values()),
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
    records: Iterable[Record],
    parts: Sequence[str],
    catalog: Catalog,
    sections: Sequence[str],
    filters: Filters,
) -> Iterator[tuple[LetterPlace, Record]]:
    """Yield the places of a quotation, whose parts follow each other, book by book."""
    for record in records:
        book = catalog.letters(record)
        places = places_in(book, parts[0], slips_allowed(len(parts[0])))
        for part in parts[1:]:
            following = places_in(book, part, slips_allowed(len(part))) if places else []
            places = [_joined(place, other) for place in places if (other := _next_of(place, following))]
        for place in sorted(places):
            # The chunk is read only where a filter asks for more than the book.
            numbers = [book.chunk_at(place.start)] if sections or filters.author else []
            if all(
                _passes(chunk, sections, filters.author or "")
                for number in numbers
                for chunk in passages(record, catalog, [number])
            ):
                yield place, record


def _next_of(place: LetterPlace, others: Sequence[LetterPlace]) -> LetterPlace | None:
    """Return the nearest of the places that follow one within the letters that may be left out."""
    after = [other for other in others if 0 <= other.start - place.end <= _MAX_OMITTED]
    return min(after, default=None)


def _joined(place: LetterPlace, other: LetterPlace) -> LetterPlace:
    return LetterPlace(place.distance + other.distance, place.start, other.end)


def _as_place(text: str, place: LetterPlace, record: Record, catalog: Catalog) -> Quotation:
    """Return a place in the letters of a book as part of the chunk in which it begins."""
    book, nearness = catalog.letters(record), 1 - place.distance / len(letters_of(text))
    first = book.chunk_at(place.start)
    in_note = place.start >= book.n_text
    last = first if in_note else int(np.searchsorted(book.starts_of_chunks, place.end, "left")) - 1
    chunks = passages(record, catalog, range(first, last + 1))
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


def _passes(chunk: Passage, sections: Collection[str], author: str) -> bool:
    """Return whether a chunk is under one of some headings, if there are any, and by an author."""
    authors = f"{chunk.author}\n{chunk.chapter_author or ''}"  # of a book by several, one chapter may pass
    return is_by(authors, author) and (not sections or not {*sections}.isdisjoint(chunk.section))


def _near_places(
    text: str, catalog: Catalog, books: Mapping[str, Record], sections: Sequence[str], filters: Filters
) -> list[Quotation]:
    """Return the places that come near to a quotation, among the likeliest chunks, the nearest first."""
    quoted_letters = Letters.of(text).text
    matches = _matches(text, text, quoted_letters, catalog, books, sections)
    if not matches:  # a mistyped word may be the only one that would have led there
        languages = catalog.index_languages(frozenset(record.language for record in books.values()))
        corrected = corrected_text(text, catalog, languages)
        if corrected != text:
            matches = _matches(text, corrected, quoted_letters, catalog, books, sections)
    # Once per place: a place across a cut is found from both chunks.
    nearest_at: dict[tuple[str, int], Quotation] = {}
    for match in sorted(matches, key=lambda match: -match.nearness):
        if match.best is not None and _passes(match, sections, filters.author or ""):
            nearest_at.setdefault((match.book_id, match.best[0]), match)
    return list(nearest_at.values())


def _matches(
    text: str,
    sought: str,
    quoted_letters: str,
    catalog: Catalog,
    books: Mapping[str, Record],
    sections: Sequence[str],
) -> list[Quotation]:
    """Return the places near enough to a quotation to be its source.

    Args:
        text: the quotation as it was given.
        sought: the words that lead to the chunks in which it may be.
        quoted_letters: its letters.
        catalog: the catalog.
        books: the books that are considered, by id.
        sections: the headings below which they are considered; empty for all.
    """
    candidates = _find_candidates(sought, quoted_letters, catalog, books, sections)
    places = [_align_with(quoted_letters, chunk) for chunk in candidates]
    places = [_extend_across_cuts(quoted_letters, place, catalog, books) for place in places]
    matches = [
        _as_quotation(text, quoted_letters, place)
        for place in places
        if _is_match(text, quoted_letters, place)
    ]
    if not matches:  # a short quotation that lacks a whole word lacks many of its letters
        by_words = (match_words(text, chunk) for chunk in candidates)
        matches = [match for match in by_words if match is not None]
    return matches


@dataclass(frozen=True, slots=True)
class _Place:
    """The place nearest to a quotation in one chunk, or in several neighbouring ones."""

    chunks: tuple[Passage, ...]
    """In reading order."""
    text: str
    """The text of the book from the start of the first chunk to the end of the last."""
    letters: Letters
    """The letters of this text."""
    alignment: Alignment
    """Where in these letters the place is."""


def _find_admitted_books(catalog: Catalog, filters: Filters) -> dict[str, Record]:
    """Return the books that pass the filters, by id.

    Raises:
        NoMatchError: there are none.
    """
    books = catalog.matching(filters)
    if not books:
        raise no_match_error(filters, catalog)
    return {record.book_id: record for record in books}


def _find_candidates(
    text: str, quoted_letters: str, catalog: Catalog, books: Mapping[str, Record], sections: Sequence[str]
) -> list[Passage]:
    """Return the chunks most likely to contain a quotation, by their words and then by runs of letters.

    Args:
        text: the words of the quotation.
        quoted_letters: its letters.
        catalog: the catalog.
        books: the books that are considered, by id.
        sections: the headings below which they are considered; empty for all.
    """
    languages = catalog.index_languages(frozenset(record.language for record in books.values()))
    no_meaning = np.zeros(catalog.binding.dim, np.float32)
    query = QueryVectors(dense=no_meaning, bm25=query_terms(text, languages))
    chunks = _chunks_with_runs(quoted_letters, books.values(), catalog)
    if sections:
        chunks = [chunk for chunk in chunks if not {*sections}.isdisjoint(chunk.section)]
    if query.bm25.indices:
        scope = scope_of(list(books.values()))
        chunks += catalog.search(query, Mode.BM25, scope, _MAX_CANDIDATES, sections=sections)
    chunks = list({chunk.id: chunk for chunk in chunks}.values())
    grams = {quoted_letters[i : i + _GRAM_LETTERS] for i in range(len(quoted_letters) - _GRAM_LETTERS + 1)}
    chunk_letters = (Letters.of(chunk.text).text for chunk in chunks)
    n_shared = [sum(gram in letters for gram in grams) for letters in chunk_letters]
    order = sorted(range(len(chunks)), key=lambda i: -n_shared[i])[:_MAX_ALIGNED]
    return [Passage(id=chunks[i].id, payload=chunks[i].payload) for i in order if n_shared[i]]


def _chunks_with_runs(letters: str, records: Iterable[Record], catalog: Catalog) -> list[Passage]:
    """Return the chunks that share most runs of letters with a quotation, the likeliest first."""
    shared = list[tuple[int, int, Record]]()
    runs = [
        letters[i : i + _RUN_LETTERS] for i in range(0, max(1, len(letters) - _RUN_LETTERS + 1), _RUN_STEP)
    ]
    kinds = kinds_of(runs)
    ready = filter(catalog.has_letters, records)
    for record in nlargest(_MAX_BOOKS, ready, key=lambda one: catalog.letters(one).most_together(kinds)):
        book, counts = catalog.letters(record), Counter[int]()
        for run in runs:
            numbers = np.searchsorted(book.starts_of_chunks, book.find(run), "right") - 1
            counts.update(np.unique(numbers[numbers < record.n_chunks]).tolist())
        shared += ((n, number, record) for number, n in counts.items())
    best = nlargest(_MAX_ALIGNED, shared, key=itemgetter(0))
    return [passage for _, number, record in best for passage in passages(record, catalog, [number])]


def _align_with(quoted_letters: str, *chunks: Passage) -> _Place:
    """Return the place nearest to a quotation's letters in neighbouring chunks, given in reading order."""
    text = _joined_text(chunks)
    letters = Letters.of(text)
    return _Place(chunks, text, letters, align(quoted_letters, letters.text))


def _joined_text(chunks: Sequence[Passage]) -> str:
    """Return the text of neighbouring chunks, given in reading order, with the offsets of the book."""
    text = chunks[0].text
    for chunk in chunks[1:]:
        # The white space between chunks is not stored; spaces keep the offsets right.
        text += " " * (chunk.start - chunks[0].start - len(text)) + chunk.text
    return text


def _extend_across_cuts(
    quoted_letters: str, place: _Place, catalog: Catalog, books: Mapping[str, Record]
) -> _Place:
    """Return the place in the chunk and its neighbours, if it is nearer than the place in the chunk alone.

    The neighbour on a side counts if the place is so near to that end of the chunk that the letters it lacks
    may be on the other side of the cut. Otherwise, the place is returned as it is.
    """
    alignment, chunk = place.alignment, place.chunks[0]
    n_missing = alignment.distance  # letters that may be on the other side of a cut
    if n_missing == 0:
        return place
    record = books[chunk.book_id]
    first = last = chunk.chunk_id
    if alignment.start <= n_missing:
        first = max(0, first - 1)
    if len(place.letters.text) - alignment.end <= n_missing:
        last = min(record.n_chunks - 1, last + 1)
    if first == last:
        return place
    wider = _align_with(quoted_letters, *passages(record, catalog, range(first, last + 1)))
    return wider if wider.alignment.distance < place.alignment.distance else place


def _is_match(text: str, quoted_letters: str, place: _Place) -> bool:
    """Return whether a place is near enough to be the source: as a whole, in each half, and in its words.

    Args:
        text: the quotation as it was given.
        quoted_letters: its letters.
        place: the nearest place.
    """
    alignment, middle = place.alignment, len(quoted_letters) // 2
    if _nearness(quoted_letters, alignment) < MIN_NEARNESS:
        return False
    place_letters = place.letters.text[alignment.start : alignment.end]
    halves = (quoted_letters[:middle], quoted_letters[middle:])
    if any(_nearness(half, align(half, place_letters)) < _MIN_HALF_NEARNESS for half in halves):
        return False
    # The same letters are a match even if the words are divided otherwise.
    return alignment.distance == 0 or share_of_words(text, place_letters) >= _MIN_SHARE_OF_WORDS


def share_of_words(text: str, place_letters: str) -> float:
    """Return the share of a quotation's letters whose words are in a place, a few slips allowed.

    Their order does not count, and they may be within longer words: words may have been exchanged, doubled,
    joined or divided.

    Args:
        text: the quotation as it was given.
        place_letters: the letters of the place.
    """
    words = [letters for word in text.split() if (letters := Letters.of(word).text)]
    shared = [word for word in words if word in place_letters or _is_slip(word, place_letters)]
    return sum(map(len, shared)) / sum(map(len, words))


def _is_slip(word: str, place_letters: str) -> bool:
    """Return whether the letters of a word are in a place but for a few, which may be slips."""
    n_slips = len(word) // _LETTERS_PER_SLIP
    return n_slips > 0 and align(word, place_letters).distance <= n_slips


def _nearness(quoted_letters: str, alignment: Alignment) -> float:
    """Return the share of a quotation's letters that an alignment leaves unchanged, from 0 to 1."""
    return max(0.0, 1 - alignment.distance / len(quoted_letters))


def _as_quotation(text: str, quoted_letters: str, place: _Place) -> Quotation:
    """Return a place as part of the chunk in which it begins, with offsets in the book, at whole words."""
    alignment, offsets, stored = place.alignment, place.letters.offsets, place.text
    last_letter = max(alignment.start, alignment.end - 1)
    start, end = first, last = offsets[alignment.start], offsets[last_letter] + 1
    # To whole words: the alignment may begin or end inside one.
    while start and is_inside_word(stored, start):
        start -= 1
    while end < len(stored) and is_inside_word(stored, end):
        end += 1
    text_start, words = place.chunks[0].start, stored[start:end]
    chunk = next(chunk for chunk in reversed(place.chunks) if chunk.start <= text_start + start)
    within_slips = alignment.distance <= slips_allowed(len(quoted_letters))
    is_near = not within_slips or (start, end) != (first, last)
    kinds = (_INSIDE if within_slips else "letters",) if is_near else differences(text, words)
    return Quotation(
        id=chunk.id,
        payload=chunk.payload,
        best=(text_start + start, text_start + end),
        words=words,
        nearness=_nearness(quoted_letters, alignment),
        near=is_near,
        differences=kinds,
    )


def match_words(text: str, passage: Passage) -> Quotation | None:
    """Return the place in a passage with most words of a quotation in order, or None if these are too few.

    Args:
        text: the quotation as it was given.
        passage: a chunk.
    """
    quoted_words = [letters for word in text.split() if (letters := Letters.of(word).text)]
    words = [(letters, m) for m in _WORD.finditer(passage.text) if (letters := Letters.of(m[0]).text)]
    stored_words = [letters for letters, _ in words]
    n_words_needed = max(_MIN_SHARE_IN_ORDER * len(quoted_words), _MIN_WORDS_IN_ORDER)
    # The quotation is aligned at each pair of equal words, and compared with the words that it then covers,
    # and a few more: words farther away belong to other text.
    aligned = [
        _match_at(start, quoted_words, stored_words) for start in _alignments(quoted_words, stored_words)
    ]
    long_enough = (match for match in aligned if match.n_words >= n_words_needed)
    near = [match for match in long_enough if match.nearness >= _MIN_WORD_NEARNESS]
    if not near:
        return None
    best = max(near, key=lambda match: (match.n_words, match.nearness))
    start, end = words[best.first][1].start(), words[best.last][1].end()
    return Quotation(
        id=passage.id,
        payload=passage.payload,
        best=(passage.start + start, passage.start + end),
        words=passage.text[start:end],
        nearness=best.nearness,
        near=True,
        differences=("letters",),
    )


class _WordMatch(NamedTuple):
    """Words of a quotation that are in a text, in the same order."""

    n_words: int
    nearness: float
    """Their letters, as a share of those of the quotation or, if it is longer, of the place."""
    first: int
    """The first word of the place."""
    last: int


def _alignments(quoted_words: Sequence[str], stored_words: Sequence[str]) -> set[int]:
    """Return where in a text a quotation begins if two of its words are where they are in the text."""
    at: dict[tuple[str, str], list[int]] = {}
    for a, pair in enumerate(pairwise(quoted_words)):
        at.setdefault(pair, []).append(a)
    return {b - a for b, pair in enumerate(pairwise(stored_words)) for a in at.get(pair, ())}


def _match_at(start: int, quoted_words: Sequence[str], stored_words: Sequence[str]) -> _WordMatch:
    """Return the words of a quotation that are in a text, if it is aligned to begin at one of its words."""
    low = max(0, start - _EXTRA_WORDS)
    nearby = stored_words[low : max(0, start + len(quoted_words) + _EXTRA_WORDS)]
    # In a block, `a` is an index of `quoted_words`, and `b` one of `nearby`.
    blocks = SequenceMatcher(None, quoted_words, nearby, autojunk=False).get_matching_blocks()[:-1]
    n_letters = sum(len("".join(quoted_words[block.a : block.a + block.size])) for block in blocks)
    first, last = low + blocks[0].b, low + blocks[-1].b + blocks[-1].size - 1
    n_place_letters = len("".join(stored_words[first : last + 1]))
    nearness = n_letters / max(len("".join(quoted_words)), n_place_letters)
    return _WordMatch(sum(block.size for block in blocks), nearness, first, last)
