"""The pages of stored passages: which page an offset is on, and the text of one page."""

from collections.abc import Sequence
from dataclasses import replace

from alexandria.book import PageStart
from alexandria.errors import ConfigError
from alexandria.passage import Passage, page_fields


def passages_of_page(book: Sequence[Passage], page: str, title: str, *, context: int = 0) -> list[Passage]:
    """Return the text of a page: the chunks on it, each cut down to its part of the page.

    Args:
        book: all chunks of a book, in reading order.
        page: the page number as printed; if no page has this printed number, the number in the file.
        title: the title of the book, for errors.
        context: how many pages to return before the page, and as many after it; fewer at the book's ends.

    Raises:
        ConfigError: the book has no pages, or no such page.
    """
    pages = _pages_of(book)
    if not pages:
        raise ConfigError(
            f"“{title}” has no page {page}",
            why="its file does not say where pages begin",
            fix="read it by --chapter, or by the number of a chunk",
        )
    i = _find_page(pages, page)
    if i is None:
        first, last = _page_name(pages[0]), _page_name(pages[-1])
        raise ConfigError(
            f"“{title}” has no page {page}",
            why=f"its pages are {first} to {last}",
            fix="give a page as printed, or its number in the file",
        )
    first_page, stop_page = max(0, i - context), i + context + 1
    begin = pages[first_page].start
    end = pages[stop_page].start if stop_page < len(pages) else book[-1].end
    return [clip(chunk, begin, end) for chunk in book if chunk.start < end and chunk.end > begin]


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
    stored_pages = passage.pages if passage.payload.get("page_starts") else ()
    fields_of_pages = page_fields(stored_pages, start, start + len(text))
    return replace(passage, payload={**passage.payload, **text_fields, **fields_of_pages})


def _find_page(pages: Sequence[PageStart], name: str) -> int | None:
    """Return the index of the page with this printed number, otherwise with this number in the file.

    None if there is neither.
    """
    text = name.strip().casefold()
    by_label = (i for i, page in enumerate(pages) if (page.label or "").casefold() == text)
    by_number = (i for i, page in enumerate(pages) if str(page.page) == text)
    return next(by_label, next(by_number, None))


def _page_name(page: PageStart) -> str:
    return page.label or str(page.page)
