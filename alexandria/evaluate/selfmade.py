"""Questions made from the books themselves, for a shelf that nobody has written questions for.

They compare settings with one another. They do not say how well readers' questions are answered, so every
table says that they are self-made.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from alexandria.book import Block, BlockKind, Book, Section, count_words
from alexandria.evaluate.questions import Probe
from alexandria.evaluate.spans import Span
from alexandria.sentences import split

N_SENTENCES = 40
"""Sentences a book: with a handful of books enough for intervals of a few per cent."""
ONE_OF = 10
"""Of a short book one sentence in ten: where more are hidden, it is no longer the same book."""
FEWEST_WORDS, MOST_WORDS = 8, 40
"""A shorter sentence says too little to be found by; a longer one is a paragraph."""
OPENING_WORDS = 200
"""What a heading should find: where its section begins. A whole chapter fits into no budget of words."""
_LETTERS = re.compile(r"[^\W\d_]{4,}")  # words that may carry meaning: four letters and more
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})


def make_probes(books: Sequence[Book]) -> tuple[list[Probe], dict[int, list[Span]]]:
    """Return questions, and the spans that an index must not hold if they are to be fair.

    `sentence`: a distinctive sentence must find the chunk that it was taken out of.
    `heading`: a heading must find the beginning of the section under it.
    """
    probes: list[Probe] = []
    hidden: dict[int, list[Span]] = {}
    for number, book in enumerate(books):
        sentences = list(_distinctive(book))
        headings = list(_telling_headings(book))
        hidden[number] = [*sentences, *((block.start, block.end) for block, _ in headings)]
        probes += [Probe(book.text[a:b], number, ((a, b),), "sentence") for a, b in sentences]
        probes += [Probe(block.text, number, (body,), "heading") for block, body in headings]
    return probes, hidden


def _distinctive(book: Book) -> Iterator[Span]:
    """Yield the most distinctive sentence of each of at most `N_SENTENCES` equal parts of a book.

    A word counts the more, the fewer sentences hold it; a word that no other sentence holds counts nothing,
    for once its sentence is hidden it finds nothing.
    """
    kinds = [block.kind for block in book.blocks]
    spans = [(s.start, s.end) for s in split(book) if kinds[s.block] in _PROSE]
    words = [set(_LETTERS.findall(book.text[start:end].casefold())) for start, end in spans]
    holding = Counter(word for found in words for word in found)

    def weight(i: int) -> float:
        known = [log(len(spans) / holding[word]) for word in sorted(words[i]) if holding[word] > 1]
        return sum(known) / len(known) if len(known) >= FEWEST_WORDS // 2 else 0.0

    fit = [
        i
        for i, (start, end) in enumerate(spans)
        if FEWEST_WORDS <= count_words(book.text[start:end]) <= MOST_WORDS
    ]
    n_parts = min(N_SENTENCES, len(spans) // ONE_OF)
    for part in range(n_parts):
        members = fit[part * len(fit) // n_parts : (part + 1) * len(fit) // n_parts]
        if members and weight(best := max(members, key=weight)) > 0:
            yield spans[best]


def _telling_headings(book: Book) -> Iterator[tuple[Block, Span]]:
    """Yield headings that name their section with a word of their own, and what begins below them.

    "Chapter IV" finds nothing: its words stand above other sections too, or are no words.
    """
    found = [(section, section.blocks[0]) for section in book.sections if _is_headed(section)]
    words = [set(_LETTERS.findall(block.text.casefold())) for _, block in found]
    above = Counter(word for own in words for word in own)
    for (section, block), own in zip(found, words, strict=True):
        if any(above[word] == 1 for word in own):
            yield block, (section.blocks[1].start, _opening_end(section.blocks[1:]))


def _opening_end(blocks: Sequence[Block]) -> int:
    """Return where the first `OPENING_WORDS` words end, at the end of a block."""
    n_words = 0
    for block in blocks:
        n_words += count_words(block.text)
        if n_words >= OPENING_WORDS:
            return block.end
    return blocks[-1].end


def _is_headed(section: Section) -> bool:
    first, *rest = section.blocks
    return first.kind is BlockKind.HEADING and any(block.kind in _PROSE for block in rest[:1])
