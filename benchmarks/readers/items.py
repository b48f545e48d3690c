"""The items of a blind review: cuts of several settings, drawn at random and mixed, with their context."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.book.model import Book, Reason
from alexandria.library.ingest.one_book import Analysis

N_EACH = 15
"""Cuts drawn per book and setting."""
N_WORDS = 110
"""Words on each side of a cut: enough to see which thought ends and which begins."""
_REACH = 40 * N_WORDS
"""Characters on each side that are searched for these words: more than they take in any language."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A cut, and the text around it."""

    n: int
    """The number of the item in the review, from 1."""
    settings: tuple[str, ...]
    """The settings for which it was drawn; hidden from the reader."""
    domain: str
    book_id: str
    title: str
    start: int
    """Offset in the book's text of what begins after the cut."""
    before: str
    after: str


def draw_items(
    analyses: Mapping[str, Analysis], *, each: int = N_EACH, seed: int = 0, first: int = 1
) -> list[ReviewItem]:
    """Return items from the cuts of one book, in an order that does not reveal the settings.

    Each setting has a random sample of its own cuts. All samples follow one random order of the places, so
    that a place where several settings cut tends to be drawn for all of them, and is read only once. Cuts
    where a chapter or section begins are left out.

    Args:
        analyses: the book under each setting, by the setting's name; at least one.
        each: the most cuts per setting.
        seed: the same seed draws the same items.
        first: the number of the first item.
    """
    generator = random.Random(seed)
    cuts_of = {setting: _inner_cuts(analysis) for setting, analysis in analyses.items()}
    places = sorted({start for cuts in cuts_of.values() for start in cuts})
    generator.shuffle(places)
    settings_at: dict[int, list[str]] = {}
    for setting, cuts in cuts_of.items():
        sample = [start for start in places if start in cuts][:each]
        for start in sample:
            settings_at.setdefault(start, []).append(setting)
    # Shuffled again: so far, the first setting's places come first.
    starts = list(settings_at)
    generator.shuffle(starts)
    end_before = {start: end for cuts in cuts_of.values() for start, end in cuts.items()}
    analysis = next(iter(analyses.values()))
    book = analysis.book
    return [
        ReviewItem(
            n=n,
            settings=tuple(settings_at[start]),
            domain=analysis.domain.name,
            book_id=book.id,
            title=book.title,
            start=start,
            before=_text_before(book, end_before[start]),
            after=_text_after(book, start),
        )
        for n, start in enumerate(starts, start=first)
    ]


def _text_before(book: Book, end: int) -> str:
    """Return the last words of the passage that ends at an offset."""
    return last_words(book.text[max(0, end - _REACH) : end])


def _text_after(book: Book, start: int) -> str:
    """Return the first words of the passage that begins at an offset."""
    return first_words(book.text[start : start + _REACH])


def _inner_cuts(analysis: Analysis) -> dict[int, int]:
    """Return the cuts inside sections: where the chunk before ends, by where the chunk after it begins."""
    return {
        chunk.start: before.end
        for before, chunk in pairwise(analysis.chunks)
        if chunk.boundary is not None and chunk.boundary.reason is not Reason.SECTION
    }


def first_words(text: str) -> str:
    """Return the first `N_WORDS` words; the breaks between paragraphs and lines of verse are kept."""
    return "\n\n".join(_shorten(text.split("\n\n")))


def last_words(text: str) -> str:
    """Return the last `N_WORDS` words; the breaks between paragraphs and lines of verse are kept."""
    # `_shorten` keeps the first words: it is given the characters and the paragraphs in reverse order.
    backwards = [paragraph[::-1] for paragraph in reversed(text.split("\n\n"))]
    return "\n\n".join(paragraph[::-1] for paragraph in reversed(_shorten(backwards)))


def _shorten(paragraphs: Sequence[str]) -> list[str]:
    """Return the first paragraphs, `N_WORDS` words in all; the last paragraph may be shortened.

    Empty paragraphs are left out. Text is split at spaces alone, which keeps the line breaks of verse.
    """
    shortened = []
    n_left = N_WORDS
    for paragraph in paragraphs:
        words = paragraph.split(" ")
        shortened.append(" ".join(words[:n_left]).strip())
        n_left -= len(words)
        if n_left <= 0:
            break
    return [paragraph for paragraph in shortened if paragraph]
