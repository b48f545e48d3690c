"""Names verses by their book and chapter, `Genesis 3:16`, as the file marks them or as they are typed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.book.headings import arabic
from alexandria.extract.divisions import BOOK, CHAPTER, KEYWORDS, ROMAN, read_division
from alexandria.extract.draft import Draft, DraftBlock, PageMark

# A heading that ends with the number of a chapter, or has a title after that: "Genesis 3", "Chapter 3. Oil".
_CHAPTER = re.compile(
    rf"(?:(.*[^\W_].*?)(?<!\d)[\s:,.–—-]+)??((?i:{KEYWORDS[CHAPTER]})\.?\s+|第\s?)?"
    rf"(\d{{1,3}}|{ROMAN})\s?[章篇장편]?(?(2)(?:\W.*)?|\.?(?::\s.*)?)"
)
# Chapter and verse before the first word; unlike minutes, those below 10 have no zero.
_TYPED = re.compile(r"(?m:^|(?<=[.,;:!?)”’\"']\s))(\d{1,3}:[1-9]\d{0,2})(?=\s+[\W_]*[^\W\d_])")


def with_verses(draft: Draft) -> Draft:
    """Return the draft, in which the marks of verses name them, if they count up.

    Verses whose book or chapter is not certain are left out: where no heading has the number of the chapter,
    the book is that of the heading, unless a chapter goes on below another.
    """
    blocks = [(section.headings, block) for section in draft.sections for block in section.blocks]
    places = [*dict.fromkeys((h, *verse[2:]) for h, block in blocks for verse in _verses_of(block, h))]
    steps = [(a, b) for a, b in pairwise(places) if b[1:] in ((a[1], a[2] + 1), (a[1] + 1, 1))]
    min_steps = 1 if places and places[0][2] == 1 else 2
    are_verses = len(steps) >= max(min_steps, len(places) / 2)
    are_books = all(above[0] == below[0] for above, below in steps)

    def named(block: DraftBlock, headings: Sequence[str]) -> DraftBlock:
        marks: dict[str, PageMark] = {}
        for offset, code, chapter, verse in _verses_of(block, headings):
            heading, number = _book_and_chapter(headings)
            book = heading if heading and (number or are_books) else code
            if are_verses and book and chapter and number in (0, chapter):
                marks.setdefault(label := f"{book} {chapter}:{verse}", PageMark(offset, None, verse=label))
        return replace(block, pages=(*(mark for mark in block.pages if not mark.verse), *marks.values()))

    sections = (replace(s, blocks=tuple(named(b, s.headings) for b in s.blocks)) for s in draft.sections)
    return replace(draft, sections=tuple(sections)) if places else draft


def _verses_of(block: DraftBlock, headings: Sequence[str]) -> Iterator[tuple[int, str, int, int]]:
    """Yield the offset, book, chapter and number of each verse that begins in a block."""
    # The book is as in an id of the file, or empty; the chapter may be that of the heading, or 0.
    typed = _TYPED.finditer(block.text) if ":" in block.text else ()
    marks = [(mark.offset, mark.verse) for mark in block.pages if mark.verse]
    for offset, text in sorted([*marks, *((match.start(), match[1]) for match in typed)]):
        *codes, place = text.split()
        *chapters, verse = map(int, place.split(":"))
        chapter = chapters[0] if chapters else _book_and_chapter(headings)[1]
        yield offset, "".join(codes), chapter, verse


def _book_and_chapter(headings: Sequence[str]) -> tuple[str, int]:
    """Return the book and the chapter that headings name; an empty name, and 0, for what they do not."""
    for i, heading in reversed([*enumerate(headings)]):
        if match := _CHAPTER.fullmatch(heading):
            book = match[1] or "".join(headings[max(0, i - 1) : i])
            return book if _may_be_book(heading if match[1] else book) else "", int(arabic(match[3]))
    return next(filter(_may_be_book, reversed(headings)), ""), 0


def _may_be_book(heading: str) -> bool:
    """Return whether a heading names no chapter or part: "The First Book of Moses", but not "Book I"."""
    division = read_division(heading)
    return division is None or (division.rank == BOOK and not division.is_bare)
