"""Lifts the numbers of printed pages that are typed in the text: `{12}`, `[Pg 12]` and `[12]`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, repeat

from alexandria.book.model import BlockKind, LeftOut, count_words
from alexandria.book.places import without_spans
from alexandria.extract.draft import Draft, DraftBlock, PageMark
from alexandria.extract.notes.in_text import shift_offset
from alexandria.extract.words import read_words

_WORDS = read_words("elements")["words for pages"]
_PATTERNS = tuple(
    re.compile(rf"\s{mark}\Z|(?:(?<=\s)|\A){mark}\s|{mark}", re.IGNORECASE)
    for mark in (
        rf"\[(?:{_WORDS})\.? ?\d{{1,4}}\]",
        rf"\{{(?:(?:{_WORDS})\.? ?)?\d{{1,4}}\}}",
        r"\[\d{1,4}\]",
    )
)
_NUMBER = re.compile(r"\d+")
_AS_TYPED = frozenset({BlockKind.CODE, BlockKind.TABLE})
_MIN_PAGES = 3
_MIN_STEPS = 0.8  # share of the numbers that are one more than the number before
_MIN_WORDS = 100  # words of a page, on average; marks of notes are closer, and begin at 1


def with_typed_pages(draft: Draft) -> Draft:
    """Return the draft with pages where their numbers are typed; one that has pages already is unchanged."""
    blocks = [b for section in draft.sections for b in section.blocks if b.kind not in _AS_TYPED]
    if draft.n_pages or not all(mark.verse for block in blocks for mark in block.pages):
        return draft
    bracketed = [block.text for block in blocks if "[" in block.text or "{" in block.text]
    for pattern in _PATTERNS:
        marks = (mark for text in bracketed for mark in pattern.findall(text))
        numbers = [int(number) for mark in marks for number in _NUMBER.findall(mark)]
        if len(numbers) < _MIN_PAGES or not _count_up(numbers):
            continue
        are_far = sum(count_words(block.text) for block in blocks) >= _MIN_WORDS * len(numbers)
        if are_far or (numbers[0] > 1 and pattern is not _PATTERNS[-1]) or pattern is _PATTERNS[0]:
            return _lift(draft, pattern, len(numbers))
    return draft


def _count_up(numbers: Sequence[int]) -> bool:
    steps = [after - before for before, after in pairwise(numbers)]
    return min(steps) > 0 and steps.count(1) >= _MIN_STEPS * len(steps)


def _lift(draft: Draft, pattern: re.Pattern[str], n_words: int) -> Draft:
    """Return the draft with a page in place of each match of a pattern."""
    pending: list[PageMark] = []  # of blocks that were nothing but numbers

    def without_numbers(blocks: Sequence[DraftBlock]) -> Iterator[DraftBlock]:
        for block in blocks:
            matches = [] if block.kind in _AS_TYPED else [*pattern.finditer(block.text)]
            if not matches and not pending:
                yield block
                continue
            removed = [match.span() for match in matches]
            labels = [label for match in matches for label in _NUMBER.findall(match[0])]
            starts = [shift_offset(start, removed) for start, _ in removed]
            verses = (replace(verse, offset=shift_offset(verse.offset, removed)) for verse in block.pages)
            pages = [*pending, *map(PageMark, starts, repeat(None), labels), *verses]
            pending.clear()
            text = pattern.sub("", block.text) if matches else block.text
            if not text:
                pending.extend(replace(page, offset=0) for page in pages)
                continue
            yield replace(
                block,
                text=text,
                notes=tuple(replace(n, offset=shift_offset(n.offset, removed)) for n in block.notes),
                pages=tuple(pages),
                source=without_spans(block.source, removed, block.text),
            )

    sections = tuple(
        replace(
            section,
            headings=tuple(pattern.sub("", heading) for heading in section.headings),
            blocks=tuple(without_numbers(section.blocks)),
        )
        for section in draft.sections
    )
    left_out = LeftOut("page_number", "typed in the text", n_words)
    return replace(draft, sections=sections, left_out=(*draft.left_out, left_out))
