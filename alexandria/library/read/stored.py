"""Stored chunks as passages: all of a book, or those around a passage, below a heading, or on a page."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import NamedTuple

from alexandria.book.headings import Levels, is_under, levels_meant
from alexandria.book.model import PageStart
from alexandria.book.suggest import suggestion
from alexandria.book.words import count_of, letters_of
from alexandria.errors import ConfigError, check_text
from alexandria.store.catalog import Catalog
from alexandria.store.passage import LEFT_OUT, Passage
from alexandria.store.payload import page_fields, parse_pages
from alexandria.store.record import Record

_SHORT_ID = re.compile(r"([0-9a-f]{6,64})-(\d+)", re.IGNORECASE)
_LINE = re.compile(r"^(?:((?<![^\n]\n).{,120}[^.!?…;,:\n](?!\n.))|.+)$", re.MULTILINE)
"""A line; the first group has those that may be headings: alone between empty lines, without a full stop."""
_PAGE = re.compile(r"^\s*(?:pp?\.|pages?|S\.|Seiten?)\s*", re.IGNORECASE)
_RANGE = re.compile(r"\s*[-–—]\s*")
_MAX_UNREAD = 3  # the most warnings that an error names
_MAX_RUNS = 4  # the most runs of pages that an error names
_POINT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class NamedPlace(NamedTuple):
    """What a reader has named: a book, and a passage of it unless the whole is meant."""

    record: Record
    passage: Passage | None


def named_place(place: Passage | str, catalog: Catalog) -> NamedPlace:
    """Return the place that is a passage or has its short id, or the book that a text names.

    Raises:
        ConfigError: no book matches, or several do, or the passage is no longer stored.
    """
    if not isinstance(place, Passage) and not is_hit_id(place):
        return NamedPlace(catalog.find(place), None)
    passage = passage_at(place, catalog)
    if (record := catalog.find_id(passage.book_id)) is None:
        raise _changed_error(passage)
    return NamedPlace(record, passage)


def chunks_around(
    place: Passage | str, catalog: Catalog, *, chunk: int | None, before: int, after: int
) -> list[Passage]:
    """Return a passage, or a chunk of a book by its number, with those before and after in reading order.

    Raises:
        ConfigError: there is no such book or chunk, or the passage is no longer stored.
    """
    record, passage = named_place(place, catalog)
    target = passage if passage and chunk is None else chunk_of(record, chunk or 0, catalog)
    if target.generation != record.generation:
        raise _changed_error(target)
    first, last = max(0, target.chunk_id - before), min(record.n_chunks - 1, target.chunk_id + after)
    chunks = catalog.chunks(record, range(first, last + 1))
    # As it is stored, the target is without `best`, which it may have.
    return [target if chunk.id == target.id else chunk for chunk in chunks]


def part_with(
    place: Passage | str, catalog: Catalog, *, page: str | int | None, chapter: str | None, context: int
) -> list[Passage]:
    """Return the chunks of a chapter, otherwise the text of a page with `context` pages on each side.

    Raises:
        ConfigError: there is no such book, chapter or page.
    """
    record, passage = named_place(place, catalog)
    if chapter is not None:
        check_text(chapter=chapter)
        return chunks_below(record, chapter, catalog, hit=passage)
    return passages_of_page(catalog.chunks(record), str(page), record, context=context)


def passage_at(place: Passage | str, catalog: Catalog) -> Passage:
    """Return the passage to which a short id leads; its `best` is the sentence at the id's offset.

    A passage in place of an id is returned as it is; the id of a point leads to its chunk.

    Raises:
        ConfigError: the text is not a short id, no book or several match it, or the book has no text there.
    """
    if isinstance(place, Passage):
        return place
    check_text(place=place)
    place = place.strip()
    if _POINT_ID.fullmatch(place):
        return _passage_of_point(place.lower(), catalog)
    match = _SHORT_ID.fullmatch(place)
    if match is None:
        raise ConfigError(
            f"{place!r} is not the id of a hit",
            why="an id is eight characters of a book's id, a hyphen and a number, such as 3f9a1c2e-48213",
            fix="alexandria search and alexandria find print it with each hit",
        )
    record = catalog.find(match[1].lower())
    offset = int(match[2])
    chunk = next((chunk for chunk in reversed(catalog.chunks(record)) if chunk.start <= offset), None)
    if chunk is None or offset >= chunk.end:
        raise ConfigError(
            f"there is no text at {place} in “{record.title}”",
            why="the book is shorter, or it has been read again since",
            fix="search again",
        )
    return replace(chunk, best=_sentence_at(chunk, offset))


def _passage_of_point(id: str, catalog: Catalog) -> Passage:
    """Return the chunk with this point id.

    Raises:
        ConfigError: no book has it.
    """
    found, payload = next(catalog.store.payloads({}, id), ("", {}))
    if found != id or not catalog.holds(str(payload.get("book_id")), str(payload.get("generation"))):
        raise ConfigError(
            f"no passage has the id {id}",
            why="its book was removed, or has been read again since",
            fix="search again",
        )
    place = Passage(id=id, payload=payload)
    [chunk] = catalog.chunks(catalog.book(place.book_id), [place.chunk_id])
    return chunk


def is_hit_id(text: str) -> bool:
    """Return whether a text has the form of a passage's short id, or of the id of its point."""
    check_text(place=text)
    return any(form.fullmatch(text.strip()) for form in (_SHORT_ID, _POINT_ID))


def book_of_short_id(text: str) -> str | None:
    """Return the part of a passage's short id that begins the book's id, or None if it is not a short id."""
    check_text(place=text)
    match = _SHORT_ID.fullmatch(text.strip())
    return match[1].lower() if match else None


def chunk_of(record: Record, chunk: int, catalog: Catalog) -> Passage:
    """Return a chunk of a book by its number.

    Raises:
        ConfigError: there is no such chunk.
    """
    if not 0 <= chunk < record.n_chunks:
        raise ConfigError(
            f"there is no chunk {chunk} in “{record.title}”",
            why=f"its chunks are numbered 0 to {record.n_chunks - 1}",
            fix="alexandria show BOOK --chunks lists them",
        )
    return catalog.chunks(record, [chunk])[0]


def chunks_below(
    record: Record, heading: str, catalog: Catalog, *, hit: Passage | None = None
) -> list[Passage]:
    """Return the chunks of a section, including the chunks of its subsections.

    The section around the hit is returned if the given text means its heading, otherwise the first section of
    which it does. A later section with the same headings is not included.

    Args:
        heading: the heading of the section, part of it or its number, or a path, as `levels_meant` has it.
        hit: a passage of the book whose section is preferred.

    Raises:
        ConfigError: no heading of the book contains the text.
    """
    chunks = catalog.chunks(record)
    levels = levels_meant(heading, (above for chunk in chunks for above in chunk.section))
    # Successive chunks: two sections may have the same headings, such as “Notes” in the same part.
    runs = groupby(chunks, key=lambda chunk: _path_to(chunk.section, levels))
    sections = [list(run) for path, run in runs if path]
    sections = sections or [[inner] for inner in from_headings_inside(chunks, heading)]
    if not sections:
        raise ConfigError(
            f"“{record.title}” has no chapter {heading!r}",
            why=with_unread("no heading in its list of chapters contains it", [record]),
            fix=suggestion(heading, record.sections) or "alexandria show BOOK --chapters lists its chapters",
        )
    around_hit = (
        chunks for chunks in sections if hit is not None and any(chunk.id == hit.id for chunk in chunks)
    )
    return next(around_hit, sections[0])


def from_headings_inside(chunks: Sequence[Passage], heading: str) -> list[Passage]:
    """Return chunks, each from a heading inside it on: of short chapters in one, the first is listed.

    Args:
        heading: the heading, as `levels_meant` has it.
    """
    letters = letters_of(heading)
    lines = [
        {
            line[0]: line.start()
            for line in _LINE.finditer(chunk.text)
            if line[1] or letters_of(line[0]) == letters
        }
        for chunk in chunks
    ]
    levels = levels_meant(heading, chain(*lines, *(chunk.section for chunk in chunks)))
    return [
        clip(chunk, chunk.start + at, chunk.end)
        for chunk, inside in zip(chunks, lines, strict=True)
        if levels and is_under([*chunk.section, *inside], levels)
        for at in sorted(at for line, at in inside.items() if line in levels[-1])[:1]
    ]


def _path_to(section: tuple[str, ...], levels: Levels) -> tuple[str, ...]:
    """Return the path of headings down to the first that is meant, or an empty tuple if none is."""
    depths = (depth for depth in range(1, len(section) + 1) if is_under(section[:depth], levels))
    return section[: next(depths, 0)] if levels else ()


def _sentence_at(passage: Passage, offset: int) -> tuple[int, int]:
    """Return the start and end of a passage's sentence, the one that contains an offset of the book's text.

    An offset in the white space before the first sentence leads to the first sentence.
    """
    starts = passage.sentence_starts
    i = max((i for i, start in enumerate(starts) if start <= offset), default=0)
    edges = (*starts, passage.end)
    sentence = passage.text[edges[i] - passage.start : edges[i + 1] - passage.start]
    return edges[i], edges[i] + len(sentence.rstrip())


def _changed_error(passage: Passage) -> ConfigError:
    """Return the error for a passage that is no longer a chunk of its book."""
    # It is one if the book is stored in the same generation, which is a hash of all that decides the chunks.
    return ConfigError(
        f"cannot read on in “{passage.title}”",
        why="the book has been removed or ingested again since this passage was found",
        fix="search again",
    )


def passages_of_page(
    book: Sequence[Passage], page: str, record: Record, *, context: int = 0
) -> list[Passage]:
    """Return the text of a page: the chunks on it, each cut down to its part of the page.

    Args:
        book: all chunks of a book, in reading order.
        page: the page number as printed, or a range; of a page that has none, the number in the file.
        context: how many pages to return before the page, and as many after it; fewer at the book's ends.

    Raises:
        ConfigError: the book has no pages, or no such page.
    """
    pages, title = _pages_of(book), record.title
    if not pages:
        raise ConfigError(
            f"“{title}” has no page {page}",
            why=with_unread("its file does not say where pages begin", [record]),
            fix="read it by --chapter, or by the number of a chunk",
        )
    meant = _pages_meant(page, pages)
    if not meant:
        printed = next((one.label for one in pages if str(one.page) == page.strip()), None)
        kinds = [one for one in pages if one.label], [one for one in pages if not one.label]
        ends = [run for kind in kinds for run in _runs(kind)]
        if len(ends) > _MAX_RUNS:
            ends = [*ends[:_MAX_RUNS], f"others up to {_page_name(pages[-1])}"]
        of_file = " of the file" * bool(kinds[1])
        raise ConfigError(
            f"“{title}” has no page {_PAGE.sub('', page)} among those that were read",
            why=with_unread(
                f"these are {' and '.join(filter(None, (', '.join(ends[:-1]), ends[-1])))}{of_file}", [record]
            ),
            fix=f"page {page} of the file is --page {printed}" if printed else "give one of these",
        )
    first_page, stop_page = max(0, meant.start - context), meant.stop + context
    begin = pages[first_page].start
    end = pages[stop_page].start if stop_page < len(pages) else book[-1].end
    return [clip(chunk, begin, end) for chunk in book if chunk.start < end and chunk.end > begin]


def with_unread(why: str, records: Sequence[Record]) -> str:
    """Return why books have no such chapter or page, with what was not read: it may be there."""
    unread = [f"of the file, {warning}" for record in records for warning in record.warnings]
    if len(records) > 1 and unread:
        n_partial = sum(bool(record.warnings) for record in records)
        unread = [f"not all of {count_of(n_partial, 'book')} could be read (alexandria show)"]
    apart = [] if all(record.keep_matter for record in records) else [f"{LEFT_OUT} apart"]
    return "; ".join([why, *unread[:_MAX_UNREAD], *apart])


def _pages_meant(text: str, pages: Sequence[PageStart]) -> range:
    """Return which pages a text means: `5`, `p. 5`, `page 4 of the file`, `pp. 5–7`, `123–25`; or none."""
    name = _PAGE.sub("", text).strip().casefold()
    whole, of_file, _ = name.partition(" of the file")
    names = [str(page.page) if of_file else _page_name(page).casefold() for page in pages]
    first, *others = [whole] if whole in names else _RANGE.split(whole)
    last = f"{first[: -len(others[0])]}{others[0]}" if others else first
    return range(names.index(first), names.index(last) + 1) if {first, last} <= {*names} else range(0)


def _pages_of(book: Sequence[Passage]) -> list[PageStart]:
    """Return the pages of a book in order, each once: a chunk repeats the page that it begins on."""
    page_by_start = {page.start: page for chunk in book for page in chunk.pages}
    pages: list[PageStart] = []
    for page in sorted(page_by_start.values(), key=lambda page: page.start):
        if not pages or (page.page, page.label) != (pages[-1].page, pages[-1].label):
            pages.append(page)
    return pages


def clip(passage: Passage, begin: int, end: int) -> Passage:
    """Return the part of a passage between two offsets of the book's text, without white space around it.

    Its payload gets the start, the end and the pages of the part.
    """
    if begin <= passage.start and end >= passage.end:
        return passage
    begin, end = max(begin, passage.start), min(end, passage.end)
    part = passage.text[begin - passage.start : end - passage.start]
    text = part.strip()
    start = begin + len(part) - len(part.lstrip())
    text_fields = {"text": text, "start": start, "end": start + len(text)}
    fields_of_pages = page_fields(parse_pages(passage.payload), start, start + len(text))
    return replace(passage, payload={**passage.payload, **text_fields, **fields_of_pages})


def _runs(pages: Sequence[PageStart]) -> list[str]:
    """Return pages as runs without a gap: `vii`, `9 to 12`; those that are not numbered count as one run."""
    runs: list[list[str]] = []
    for name in map(_page_name, pages):
        before = runs[-1][-1] if runs else ""
        follows = before.isdecimal() and name.isdecimal() and int(name) - int(before) in (0, 1)
        if follows or (runs and not before.isdecimal() and not name.isdecimal()):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [" to ".join(dict.fromkeys((run[0], run[-1]))) for run in runs]


def _page_name(page: PageStart) -> str:
    return page.label or str(page.page)
