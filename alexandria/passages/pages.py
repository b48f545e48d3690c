"""The pages of stored passages: which page an offset is on, and the text of one page."""

from collections.abc import Sequence
from dataclasses import replace

from alexandria.errors import ConfigError
from alexandria.passage import Passage, StoredPage, page_fields


def passages_of_page(book: Sequence[Passage], page: str, title: str, *, around: int = 0) -> list[Passage]:
    """Return the text of a page, and of as many pages before and after it, as parts of chunks.

    Args:
        book: all chunks of a book, in reading order.
        page: as printed; or, where no page is printed so, its number in the file.
        title: of the book, for errors.
        around: how many pages to add on each side.

    Raises:
        ConfigError: the book has no pages, or no such page.
    """
    starts = sorted({start.start: start for one in book for start in one.pages}.values(), key=_start)
    # A chunk repeats the page that it begins on: one start for each page is enough.
    pages = [one for before, one in zip([None, *starts], starts, strict=False) if not _same(before, one)]
    if not pages:
        raise ConfigError(
            f"“{title}” has no page {page}",
            why="its file does not say where pages begin",
            fix="read it by --chapter, or by the number of a chunk",
        )
    i = _find(pages, page)
    if i is None:
        first, last = _name(pages[0]), _name(pages[-1])
        raise ConfigError(
            f"“{title}” has no page {page}",
            why=f"its pages are {first} to {last}",
            fix="give a page as printed, or its number in the file",
        )
    stop = i + around + 1
    begin = pages[max(0, i - around)].start
    end = pages[stop].start if stop < len(pages) else book[-1].end
    return [clipped(one, begin, end) for one in book if one.start < end and one.end > begin]


def clipped(passage: Passage, begin: int, end: int) -> Passage:
    """Return the part of a passage between two offsets of the book's text."""
    if begin <= passage.start and end >= passage.end:
        return passage
    begin, end = max(begin, passage.start), min(end, passage.end)
    text = passage.text[begin - passage.start : end - passage.start]
    begin += len(text) - len(text.lstrip())
    text = text.strip()
    own = {"text": text, "start": begin, "end": begin + len(text)}
    known = passage.pages if passage.payload.get("page_starts") else ()
    pages = page_fields(known, begin, begin + len(text))
    return replace(passage, payload={**passage.payload, **own, **pages})


def _find(pages: Sequence[StoredPage], wanted: str) -> int | None:
    text = wanted.strip().casefold()
    printed = (i for i, page in enumerate(pages) if (page.label or "").casefold() == text)
    counted = (i for i, page in enumerate(pages) if str(page.page) == text)
    return next(printed, next(counted, None))


def _same(one: StoredPage | None, other: StoredPage) -> bool:
    return one is not None and (one.page, one.label) == (other.page, other.label)


def _start(page: StoredPage) -> int:
    return page.start


def _name(page: StoredPage) -> str:
    return page.label or str(page.page)
