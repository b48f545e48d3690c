"""The books and questions of an evaluation: read from files, or made from the books themselves.

Questions made from the books compare settings with one another. They do not show how well readers' questions
are answered, so every table states that they are self-made.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from pathlib import Path

from alexandria.book.model import Block, BlockKind, Book, Section, count_words
from alexandria.chunking.domains import Domain
from alexandria.chunking.sentences import split
from alexandria.errors import BookError, ConfigError
from alexandria.extract.divisions import WRITTEN_NUMBER
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.lab.corpus import find_test_sets, read_for_evaluation
from alexandria.lab.questions import AnsweredQuestion, UnplacedQuestion, place_questions, read_questions
from alexandria.lab.retrieval import Hidden
from alexandria.lab.spans import Span
from alexandria.library.ingest.discovery import discover
from alexandria.library.ingest.one_book import read, read_options

N_SENTENCES = 40  # sentences per book: with a handful of books, enough for intervals of a few per cent
SENTENCES_PER_QUESTION = 10
"""In a short book, one sentence in ten is drawn: with more of them hidden, the book would not be the same."""
MIN_WORDS = 8  # words of a question: a shorter sentence says too little to find anything by
MAX_WORDS = 40  # words of a question: a longer sentence is a paragraph
MIN_WEIGHTED_WORDS = 4
"""Long words of a sentence that other sentences must have too, for its weight to say anything."""
OPENING_WORDS = 200
"""Words of a section that its heading should find: a whole chapter would exceed any word budget."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")  # four letters or more: likely to carry meaning
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})


def make_questions(books: Sequence[Book]) -> tuple[list[AnsweredQuestion], dict[int, list[Span]]]:
    """Return questions, and the spans that an index must leave out to make them fair.

    `sentence`: a distinctive sentence must find the chunk that it was taken from.
    `heading`: a heading must find the beginning of the section under it.
    """
    questions: list[AnsweredQuestion] = []
    hidden: dict[int, list[Span]] = {}
    for number, book in enumerate(books):
        sentences = list(_distinctive_sentences(book))
        headings = list(_distinctive_headings(book))
        hidden[number] = [*sentences, *((heading.start, heading.end) for heading, _ in headings)]
        questions += [
            AnsweredQuestion(book.text[start:end], number, ((start, end),), kind="sentence")
            for start, end in sentences
        ]
        questions += [
            AnsweredQuestion(heading.text, number, (opening,), kind="heading")
            for heading, opening in headings
        ]
    return questions, hidden


def _distinctive_sentences(book: Book) -> Iterator[Span]:
    """Yield the most distinctive sentence of each of at most `N_SENTENCES` equal parts of a book."""
    # The fewer sentences contain a word, the more it counts. A word that no other sentence contains does not
    # count: a search for it finds nothing once its sentence is hidden.
    kinds = [block.kind for block in book.blocks]
    spans = [(sentence.start, sentence.end) for sentence in split(book) if kinds[sentence.block] in _PROSE]
    words_of = [set(_LONG_WORD.findall(book.text[start:end].casefold())) for start, end in spans]
    n_sentences = Counter(word for words in words_of for word in words)  # that contain a word

    def weight(i: int) -> float:
        """Return the mean weight of the words of sentence i, or 0 if too few of them count."""
        # Sorted: the order of a set varies from run to run, and with it the rounding of the sum.
        weights = [
            log(len(spans) / n_sentences[word]) for word in sorted(words_of[i]) if n_sentences[word] > 1
        ]
        if len(weights) < MIN_WEIGHTED_WORDS:
            return 0.0
        return sum(weights) / len(weights)

    candidates = [
        i
        for i, (start, end) in enumerate(spans)
        if MIN_WORDS <= count_words(book.text[start:end]) <= MAX_WORDS
    ]
    n_parts = min(N_SENTENCES, len(spans) // SENTENCES_PER_QUESTION)
    for part in range(n_parts):
        first, stop = part * len(candidates) // n_parts, (part + 1) * len(candidates) // n_parts
        members = candidates[first:stop]
        best = max(members, key=weight, default=None)
        if best is not None and weight(best) > 0:
            yield spans[best]


def _distinctive_headings(book: Book) -> Iterator[tuple[Block, Span]]:
    """Yield the headings that contain a word no other heading has, with the opening of their sections."""
    # "Chapter XVIII" and "Chapter Eleven" find nothing: other headings have the same word, and a number does
    # not count as a word.
    headed = [(section, section.blocks[0]) for section in book.sections if _has_heading_and_prose(section)]
    words_of = [_heading_words(block.text) for _, block in headed]
    n_headings = Counter(word for words in words_of for word in words)
    for (section, block), words in zip(headed, words_of, strict=True):
        if any(n_headings[word] == 1 for word in words):
            yield block, (section.blocks[1].start, _opening_end(section.blocks[1:]))


def _heading_words(heading: str) -> set[str]:
    """Return the long words of a heading in lower case, without numbers in Roman numerals or in words."""
    words = _LONG_WORD.findall(heading.casefold())
    return {word for word in words if not WRITTEN_NUMBER.fullmatch(word)}


def _opening_end(blocks: Sequence[Block]) -> int:
    """Return the end of the block that contains word number `OPENING_WORDS`, or of the last block."""
    n_words = 0
    for block in blocks:
        n_words += count_words(block.text)
        if n_words >= OPENING_WORDS:
            return block.end
    return blocks[-1].end


def _has_heading_and_prose(section: Section) -> bool:
    if len(section.blocks) < 2:
        return False
    first, second = section.blocks[:2]
    return first.kind is BlockKind.HEADING and second.kind in _PROSE


_MAX_NAMED = 5
"""Left-out files or questions that are reported one by one; of the rest, only the number is reported."""

Notify = Callable[[str], None]  # receives a line about something that was left out, while the work goes on


@dataclass(frozen=True, slots=True)
class Inputs:
    """Books, and questions about them."""

    books: tuple[Book, ...]
    questions: tuple[AnsweredQuestion, ...]
    hidden: Hidden
    unplaced: tuple[UnplacedQuestion, ...] = ()


def read_books(
    paths: Sequence[Path], domain: Domain, notify: Notify, *, as_is: bool = False
) -> tuple[Book, ...]:
    """Return the books; a file that cannot be read is reported and left out, unless it is the only one.

    Args:
        domain: decides how notes are read.
        notify: receives a line for each file that is left out.
        as_is: keep plain text unchanged, so that offsets into the file are offsets into `Book.text`.

    Raises:
        BookError: the only file cannot be read.
        ConfigError: there is no book.
    """
    files = list(dict.fromkeys((*discover(paths), *find_test_sets(paths, as_is=as_is))))
    books: list[Book] = []
    with IsolatedReader() as reader:
        isolated = partial(read, options=read_options(domain), reader=reader)
        for path in files:
            try:
                books.append(read_for_evaluation(path, isolated, as_is=as_is))
            except BookError as error:
                if len(files) == 1:
                    raise
                notify(f"left out: {error}")
    if not books:
        raise ConfigError("there is no book to evaluate", fix="name files or other folders")
    return tuple(books)


def read_inputs(paths: Sequence[Path], questions: Path | None, domain: Domain, notify: Notify) -> Inputs:
    """Return the books with the questions of a file, or with questions made from the books.

    Raises:
        BookError: the only file cannot be read.
        ConfigError: there is no book, the questions cannot be read, or none of them can be placed.
    """
    if questions is None:
        books = read_books(paths, domain, notify)
        self_made, hidden = make_questions(books)
        inputs = Inputs(books, tuple(self_made), hidden)
    else:
        inputs = _read_with_questions(paths, questions, domain, notify)
    if not inputs.questions:
        raise ConfigError(
            "there are no questions to ask",
            why="none could be placed in these books",
            fix="check the questions" if questions else "name longer books, or use --questions",
        )
    return inputs


def notify_first(left_out: Sequence[str], notify: Notify) -> None:
    """Report the first few things that were left out, and the number of the others."""
    for line in left_out[:_MAX_NAMED]:
        notify(f"left out: {line}")
    if len(left_out) > _MAX_NAMED:
        notify(f"left out: {len(left_out) - _MAX_NAMED} more")


def _read_with_questions(paths: Sequence[Path], questions: Path, domain: Domain, notify: Notify) -> Inputs:
    """Return the books with a file's questions; questions that cannot be placed are reported and left out."""
    rows = read_questions(questions)
    # Spans count the characters of a plain text as it is on disk.
    as_is = any(reference.span for row in rows for reference in row.references)
    books = read_books(paths, domain, notify, as_is=as_is)
    placed, unplaced = place_questions(rows, books)
    left_out = [f"line {row.line}, {row.question[:60]!r}: {row.why}" for row in unplaced]
    notify_first(left_out, notify)
    return Inputs(books, tuple(placed), {}, tuple(unplaced))
