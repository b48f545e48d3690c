"""Questions with the passages that answer them, from CSV or JSON Lines.

One question per row or line. Its text is under `question`; its answers are under one of

    references   Chroma's format: a list of {content, start_index, end_index} (in CSV as JSON)
    quotes       a list of passages, verbatim (in CSV as JSON; `quote` for a single one)
    spans        a list of [start, end] (in CSV as JSON; `start` and `end` for a single one)

and the book is under `corpus_id` or `book`: its title, its file's name, or a part of either that no other
book shares; it may be omitted if there is only one book. Spans count the characters of the book's text: for a
plain-text file those of the file itself, for other formats those of `alexandria extract --text`.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from alexandria.book.model import Book
from alexandria.book.words import entered_text
from alexandria.errors import ConfigError, io_reason
from alexandria.extract.formats import FORMATS
from alexandria.lab.corpus import TEST_SET_SUFFIXES
from alexandria.lab.spans import Span


def delimiter_of(text: str) -> str:
    """Return what separates the cells of a CSV file, a semicolon or a comma, as its first line has it."""
    return ";" if ";" in text.partition("\n")[0] else ","


_FIELD_LIMIT = 16 * 1024 * 1024
"""Characters in a CSV field: a question may quote whole chapters, and Python's default limit is 131,072."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage that answers a question: its words, its span, or both."""

    quote: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as the file states it."""

    line: int
    question: str
    book: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, with its answers as spans of one of the books."""

    question: str
    book: int
    references: tuple[Span, ...]
    kind: str = "given"
    """`given` if it was read from a file; `sentence` or `heading` if it was made from the book itself."""


@dataclass(frozen=True, slots=True)
class UnplacedQuestion:
    """A question that cannot be used, and why."""

    line: int
    question: str
    why: str


def read_questions(path: Path) -> list[QuestionRow]:
    """Return the questions of a file: CSV if its name ends in `.csv`, otherwise JSON Lines or one JSON list.

    Raises:
        ConfigError: the file cannot be read, or a row has no question or no answer (the line is named).
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = _csv_rows(text) if path.suffix.lower() == ".csv" else _json_rows(text)
        questions = [_question_row(line, row) for line, row in rows]
    except OSError as error:
        raise ConfigError(f"cannot read {path}", why=io_reason(error), fix="check the path") from error
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise ConfigError(
            f"cannot read the questions of {path}",
            why=str(error).strip("'"),  # a KeyError's text is the key in quotation marks
            fix="see docs/evaluate.md for the formats",
        ) from error
    if not questions:
        raise ConfigError(f"there are no questions in {path}", fix="see docs/evaluate.md for the formats")
    return questions


def place_questions(
    rows: Sequence[QuestionRow], books: Sequence[Book]
) -> tuple[list[AnsweredQuestion], list[UnplacedQuestion]]:
    """Return the questions whose answers were located in the books, and those whose answers were not."""
    folded = [FoldedText.of(book.text) for book in books]
    placed: list[AnsweredQuestion] = []
    unplaced: list[UnplacedQuestion] = []
    for row in rows:
        try:
            book = find_book(row.book, books)
            spans = tuple(_locate(reference, folded[book]) for reference in row.references)
            placed.append(AnsweredQuestion(row.question, book, spans))
        except LookupError as error:
            unplaced.append(UnplacedQuestion(row.line, row.question, str(error)))
    return placed, unplaced


# --- rows -----------------------------------------------------------------------------------------


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each row with its line; cells that hold a list are parsed as JSON."""
    # The limit on the size of a CSV field is raised for the whole process.
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.DictReader(StringIO(text), delimiter=delimiter_of(text))
    for row in reader:
        lists = {key: json.loads(row[key]) for key in ("references", "quotes", "spans") if row.get(key)}
        yield reader.line_num, {**row, **lists}


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each object with its line, or with its position in a JSON list."""
    if text.lstrip().startswith("["):
        yield from enumerate(json.loads(text), start=1)
        return  # a JSON list has no lines
    # Not splitlines: texts may contain line and paragraph separators (U+2028, U+0085), which JSON allows.
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            yield line, json.loads(row)


def _question_row(line: int, row: Mapping[str, Any]) -> QuestionRow:
    """Return a row of the file as a question.

    Raises:
        ValueError: the row has no question or no answer, or a span is empty.
    """
    question = entered_text(str(row.get("question") or "")).strip()
    references = tuple(_parse_references(row))
    if not question:
        raise ValueError(f"line {line}: no question")
    if not references:
        raise ValueError(f"line {line}: no answer")
    book = str(row.get("corpus_id") or row.get("book") or "")
    return QuestionRow(line, question, book, references)


def _parse_references(row: Mapping[str, Any]) -> Iterator[Reference]:
    """Yield the answers of a row, whichever of the module's formats states them."""
    for entry in row.get("references") or ():
        quote = str(entry.get("content") or "")
        yield Reference(quote=quote, span=_to_span(entry["start_index"], entry["end_index"]))
    if row.get("quotes"):
        yield from (Reference(quote=str(quote)) for quote in row["quotes"])
    elif row.get("quote"):
        yield Reference(quote=str(row["quote"]))
    if row.get("spans"):
        yield from (Reference(span=_to_span(start, end)) for start, end in row["spans"])
    elif row.get("start") not in (None, ""):  # 0 is a start too
        yield Reference(span=_to_span(row["start"], row["end"]))


def _to_span(start: Any, end: Any) -> Span:
    """Return two numbers of a file, which CSV has as text, as a span.

    Raises:
        ValueError: one is not a number, or the span is empty.
    """
    if not 0 <= int(start) < int(end):
        raise ValueError(f"{start} to {end} is not a span")
    return int(start), int(end)


# --- places ---------------------------------------------------------------------------------------


def find_book(name: str, books: Sequence[Book]) -> int:
    """Return the index of the book that the row of a question names.

    `name` is the book's title or file name, or a part of either. A full match takes precedence over partial
    ones. Folders and suffix of a file's name are ignored. An empty name means the only book.

    Raises:
        LookupError: no book has this name, or several do.
    """
    if not name:
        if len(books) == 1:
            return 0
        raise LookupError("it names no book, and there are several")
    names_of = [(Path(book.source).stem.casefold(), book.title.casefold()) for book in books]
    for wanted in _name_variants(name):
        exact = [i for i, names in enumerate(names_of) if wanted in names]
        partial = [i for i, names in enumerate(names_of) if any(wanted in text for text in names)]
        matches = exact or partial
        if len(matches) > 1:
            raise LookupError(f"several books are called {name!r}")
        if matches:
            return matches[0]
    raise LookupError(f"no book is called {name!r}")


def _name_variants(name: str) -> Iterator[str]:
    """Yield a name as it is and, if it ends like a book's file, without folders and suffix; in lower case."""
    # A title may contain a dot or a slash too: `St. Augustine`, `TCP/IP`.
    yield name.casefold()
    path = Path(name)
    if path.suffix.lower() in _book_suffixes():
        yield path.stem.casefold()


def _book_suffixes() -> frozenset[str]:
    """Return the suffixes of the files that an evaluation reads books from, in lower case."""
    return TEST_SET_SUFFIXES.union(*(format.suffixes for format in FORMATS.values()))


# A quote must be found although the book has other forms of quotation marks and dashes.
_PLAIN_MARKS = str.maketrans("‘’‛′“”„″«»–—―‑", '\'\'\'\'""""""----')
_COMPARED = re.compile(r"[^\s\u00ad\u200b\u2060\ufeff]+")  # neither white space nor invisible


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in the form in which quotes are compared, and where each of its characters comes from."""

    original: str
    folded: str  # without white space, and with plain quotation marks and dashes
    offsets: Sequence[int]  # the offset in `original` of each character of `folded`, ascending

    @classmethod
    def of(cls, text: str) -> "FoldedText":
        """Return a text with its folded form."""
        # `fold_marks` gives one character for each that is compared.
        offsets = [offset for run in _COMPARED.finditer(text) for offset in range(*run.span())]
        return cls(text, fold_marks(text), offsets)


def fold_marks(text: str) -> str:
    """Return the text without white space and with plain quotation marks and dashes."""
    return "".join(_COMPARED.findall(text)).translate(_PLAIN_MARKS)


def _locate(reference: Reference, text: FoldedText) -> Span:
    """Return the span of a reference in a text.

    A span that the reference states counts if it lies in the text and holds the quoted words, if any are
    quoted; otherwise, the words are looked for, and their first place counts.

    Raises:
        LookupError: the words are not in the text, or the span is outside it and there are no words.
    """
    quote = fold_marks(reference.quote)
    if reference.span and reference.span[1] <= len(text.original):
        start, end = reference.span
        if not reference.quote or fold_marks(text.original[start:end]) == quote:
            return start, end
    if not quote:
        raise LookupError("its span is outside the book")
    first = text.folded.find(quote)
    if first < 0:
        raise LookupError("its words are not in the book")
    last = first + len(quote) - 1
    return text.offsets[first], text.offsets[last] + 1
