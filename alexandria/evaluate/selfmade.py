"""Questions made from the books themselves, for books that nobody has written questions for.

They compare settings with one another. They do not show how well readers' questions are answered, so every
table states that they are self-made.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from alexandria.book import Block, BlockKind, Book, Section, count_words
from alexandria.evaluate.questions import AnsweredQuestion
from alexandria.evaluate.spans import Span
from alexandria.sentences import split

N_SENTENCES = 40
"""Sentences per book: with a handful of books, enough for intervals of a few per cent."""
ONE_OF = 10
"""In a short book one sentence in ten: with more of them hidden, it would no longer be the same book."""
FEWEST_WORDS, MOST_WORDS = 8, 40
"""A shorter sentence says too little to be a query; a longer one is a paragraph."""
OPENING_WORDS = 200
"""What a heading should find: the beginning of its section. A whole chapter exceeds any word budget."""
_LETTERS = re.compile(r"[^\W\d_]{4,}")  # words likely to carry meaning: four letters or more
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})


def make_questions(books: Sequence[Book]) -> tuple[list[AnsweredQuestion], dict[int, list[Span]]]:
    """Return questions, and the spans that an index must leave out to make them fair.

    `sentence`: a distinctive sentence must find the chunk that it was taken from.
    `heading`: a heading must find the beginning of the section under it.
    """
    questions: list[AnsweredQuestion] = []
    hidden: dict[int, list[Span]] = {}
    for number, book in enumerate(books):
        sentences = list(_distinctive(book))
        headings = list(_distinctive_headings(book))
        hidden[number] = [*sentences, *((block.start, block.end) for block, _ in headings)]
        questions += [AnsweredQuestion(book.text[a:b], number, ((a, b),), "sentence") for a, b in sentences]
        questions += [AnsweredQuestion(block.text, number, (body,), "heading") for block, body in headings]
    return questions, hidden


def _distinctive(book: Book) -> Iterator[Span]:
    """Yield the most distinctive sentence of each of at most `N_SENTENCES` equal parts of a book.

    The fewer sentences contain a word, the more it counts; a word that no other sentence contains counts
    nothing, because it finds nothing once its sentence is hidden.
    """
    kinds = [block.kind for block in book.blocks]
    spans = [(s.start, s.end) for s in split(book) if kinds[s.block] in _PROSE]
    words = [set(_LETTERS.findall(book.text[start:end].casefold())) for start, end in spans]
    n_sentences = Counter(word for sentence in words for word in sentence)

    def weight(i: int) -> float:
        known = [log(len(spans) / n_sentences[word]) for word in sorted(words[i]) if n_sentences[word] > 1]
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


def _distinctive_headings(book: Book) -> Iterator[tuple[Block, Span]]:
    """Yield the headings that contain a word no other heading has, with the opening of their sections.

    "Chapter IV" finds nothing: other headings have the same word, and a numeral is not a word.
    """
    headed = [(section, section.blocks[0]) for section in book.sections if _is_headed(section)]
    words = [set(_LETTERS.findall(block.text.casefold())) for _, block in headed]
    n_headings = Counter(word for own in words for word in own)
    for (section, block), own in zip(headed, words, strict=True):
        if any(n_headings[word] == 1 for word in own):
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
