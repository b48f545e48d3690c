"""The books and questions of an evaluation, read from files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from alexandria.batch.discovery import discover
from alexandria.book import Book
from alexandria.config import Domain
from alexandria.errors import BookError, ConfigError
from alexandria.evaluate.corpus import find_test_sets, read_for_evaluation
from alexandria.evaluate.questions import AnsweredQuestion, UnplacedQuestion, place_questions, read_questions
from alexandria.evaluate.retrieval import Hidden
from alexandria.evaluate.selfmade import make_questions
from alexandria.pipeline import read, read_options
from alexandria.reading.process import IsolatedReader

_MAX_NAMED = 5
"""Left-out files or questions that are reported one by one; of the rest, only the number is reported."""

Notify = Callable[[str], None]
"""Receives a line about something that was left out, while the work goes on."""


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
        paths: files and folders.
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
