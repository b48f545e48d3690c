"""The items of a blind review: cuts of several settings, drawn at random and mixed, with their context."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.book import Reason
from alexandria.evaluate.defaults import N_EACH
from alexandria.pipeline import Analysis

N_WORDS = 110
"""Words on each side of a cut: enough to see which thought ends and which begins."""
_REACH = 40 * N_WORDS
"""Characters in which those words are found, in any language."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A cut, and the text around it."""

    n: int
    """Its number in the review, from 1."""
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

    Each setting has a random sample of its own cuts; places at which several settings cut are drawn for all
    of them before others, so that there is less to read. Cuts where a chapter or section begins are left out.

    Args:
        analyses: the book under each setting, by the setting's name; at least one.
        each: the most cuts per setting.
        seed: the same seed draws the same items.
        first: the number of the first item.
    """
    chance = random.Random(seed)
    gaps_at = {setting: _cuts(analysis) for setting, analysis in analyses.items()}
    # One random order for all settings: each takes its first ones, which are a random sample of its own.
    order = sorted({start for starts in gaps_at.values() for start in starts})
    chance.shuffle(order)
    drawn: dict[int, list[str]] = {}
    for setting, starts in gaps_at.items():
        for start in [start for start in order if start in starts][:each]:
            drawn.setdefault(start, []).append(setting)
    mixed = list(drawn)
    chance.shuffle(mixed)
    ends = {start: end for own in gaps_at.values() for start, end in own.items()}
    analysis = next(iter(analyses.values()))
    book = analysis.book
    return [
        ReviewItem(
            n=n,
            settings=tuple(drawn[start]),
            domain=analysis.domain.name,
            book_id=book.id,
            title=book.title,
            start=start,
            before=last_words(book.text[max(0, ends[start] - _REACH) : ends[start]]),
            after=first_words(book.text[start : start + _REACH]),
        )
        for n, start in enumerate(mixed, start=first)
    ]


def _cuts(analysis: Analysis) -> dict[int, int]:
    """Return where each chunk begins after a cut inside a section, with the end of the chunk before."""
    return {
        chunk.start: before.end
        for before, chunk in pairwise(analysis.chunks)
        if chunk.boundary is not None and chunk.boundary.reason is not Reason.SECTION
    }


def first_words(text: str) -> str:
    """Return the first `N_WORDS` words; paragraphs are kept, and lines of verse."""
    return "\n\n".join(_take(text.split("\n\n")))


def last_words(text: str) -> str:
    """Return the last `N_WORDS` words, like `first_words`."""
    backwards = [paragraph[::-1] for paragraph in reversed(text.split("\n\n"))]
    return "\n\n".join(paragraph[::-1] for paragraph in reversed(_take(backwards)))


def _take(paragraphs: Sequence[str]) -> list[str]:
    taken, left = [], N_WORDS
    for paragraph in paragraphs:
        words = paragraph.split(" ")
        taken.append(" ".join(words[:left]).strip())
        left -= len(words)
        if left <= 0:
            break
    return [paragraph for paragraph in taken if paragraph]
