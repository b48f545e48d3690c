"""Where a reader divides books, from a YAML file.

One entry per book, with the first words of each passage, word for word:

    - book: the-town-clock.docx      # its title, its file's name, or a part of either
      domain: history                # optional: cut this book as that field
      cuts: [What kept the wheels]   # a new passage begins here
      acceptable: [It also came out] # one may begin here: neither required nor counted as wrong
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from alexandria.book.model import BlockKind, Book
from alexandria.chunking.sentences import split
from alexandria.errors import ConfigError, io_reason
from alexandria.lab.questions import FoldedText, find_book, fold_marks

_KEYS = ("book", "domain", "cuts", "acceptable")
_SECTION_BEGINS = "a chapter or section begins there, where every strategy cuts"
_FORMAT = "see docs/evaluate.md for the format"


@dataclass(frozen=True, slots=True)
class ReaderCuts:
    """A reader's cuts of one book, as in the file."""

    book: str
    cuts: tuple[str, ...]
    acceptable: tuple[str, ...] = ()
    domain: str | None = None
    """The domain to cut the book with, if not the command's."""


@dataclass(frozen=True, slots=True)
class PlacedCuts:
    """A reader's cuts as offsets in a book's text; each is the start of a sentence, but not of a section."""

    book: Book
    cuts: frozenset[int]
    acceptable: frozenset[int]
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class UnplacedCut:
    """A cut that cannot be used, and why."""

    book: str
    """As named in the file."""
    quote: str
    """Empty if it is the book that cannot be found."""
    why: str


def read_cuts(path: Path) -> list[ReaderCuts]:
    """Return the entries of a file.

    Raises:
        ConfigError: the file cannot be read, has no entries, or has a wrong one; the message names it.
    """
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        if not isinstance(loaded, list) or not loaded:
            raise ValueError("it is not a list of books")
        return [_parse_entry(number, values) for number, values in enumerate(loaded, start=1)]
    except OSError as error:
        raise ConfigError(f"cannot read {path}", why=io_reason(error), fix="check the path") from error
    except (ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the cuts of {path}", why=str(error), fix=_FORMAT) from error


def place_cuts(
    entries: Sequence[ReaderCuts],
    books: Sequence[Book],
    splitter_for: Callable[[str | None], str] = lambda _: "default",
) -> tuple[list[PlacedCuts], list[UnplacedCut]]:
    """Return the cuts whose words are in the book once, at the start of a sentence, and the other cuts.

    A quote that is both a cut and acceptable counts as a cut.

    Args:
        entries: the file.
        books: the books that it is about, and others.
        splitter_for: returns what splits a book into sentences, for the domain that its entry names, or None.
    """
    placed: list[PlacedCuts] = []
    unplaced: list[UnplacedCut] = []
    for entry in entries:
        try:
            book = books[find_book(entry.book, books)]
        except LookupError as error:
            unplaced.append(UnplacedCut(entry.book, "", str(error)))
            continue
        place = _Placer.of(book, splitter_for(entry.domain))
        offsets: dict[str, int] = {}
        for quote in (*entry.cuts, *entry.acceptable):
            try:
                offsets[quote] = place(quote)
            except LookupError as error:
                unplaced.append(UnplacedCut(entry.book, quote, str(error)))
        cuts = frozenset(offsets[quote] for quote in entry.cuts if quote in offsets)
        acceptable = frozenset(offsets.values()) - cuts
        placed.append(PlacedCuts(book=book, cuts=cuts, acceptable=acceptable, domain=entry.domain))
    return placed, unplaced


@dataclass(frozen=True, slots=True)
class _Placer:
    """Finds quotes in one book."""

    text: FoldedText
    starts: Sequence[int]
    """Where each sentence begins, without headings; ascending."""
    section_starts: frozenset[int]
    """Where the first sentence of each section begins."""

    @classmethod
    def of(cls, book: Book, splitter: str) -> "_Placer":
        """Return a placer for a book, which is split into sentences for it."""
        headings = {i for i, block in enumerate(book.blocks) if block.kind is BlockKind.HEADING}
        sentences = [
            sentence for sentence in split(book, splitter=splitter) if sentence.block not in headings
        ]
        section_starts: dict[int, int] = {}
        for sentence in sentences:
            section_starts.setdefault(sentence.section, sentence.start)  # the first of the section stays
        return cls(
            text=FoldedText.of(book.text),
            starts=[sentence.start for sentence in sentences],
            section_starts=frozenset(section_starts.values()),
        )

    def __call__(self, quote: str) -> int:
        """Return the start of the sentence that begins with a quote; marks before the quote are ignored.

        Raises:
            LookupError: the quote is not in the book, is there more than once, does not begin a sentence, or
                begins a section.
        """
        folded, wanted = self.text.folded, fold_marks(quote)
        if wanted not in folded:
            raise LookupError("its words are not in the book")
        if (n := folded.count(wanted)) > 1:
            raise LookupError(f"these words are in the book {n} times: quote more")
        offset = self.text.offsets[folded.find(wanted)]
        n_sentences_before = bisect_right(self.starts, offset)  # with the one that begins at the quote
        if n_sentences_before == 0:  # the quote is in a heading before all text
            raise LookupError(_SECTION_BEGINS)
        start = self.starts[n_sentences_before - 1]
        if any(character.isalnum() for character in self.text.original[start:offset]):
            raise LookupError("no sentence begins there")
        if start in self.section_starts:
            raise LookupError(_SECTION_BEGINS)
        return start


def _parse_entry(number: int, values: object) -> ReaderCuts:
    """Return an entry of the file; its number, from 1, is named in errors.

    Raises:
        ValueError: a key is missing or unknown, or a value has another form.
    """
    if not isinstance(values, dict) or not values.get("book") or not values.get("cuts"):
        raise ValueError(f"entry {number}: it needs book and cuts")
    if unknown := [key for key in values if key not in _KEYS]:
        raise ValueError(f"entry {number}: there is no key {unknown[0]!r}, only {', '.join(_KEYS)}")
    return ReaderCuts(
        book=str(values["book"]),
        cuts=_parse_quotes(number, values["cuts"]),
        acceptable=_parse_quotes(number, values.get("acceptable") or []),
        domain=str(values["domain"]) if values.get("domain") else None,
    )


def _parse_quotes(number: int, values: object) -> tuple[str, ...]:
    """Return the quotes of a list in entry `number`, which is named in errors.

    Raises:
        ValueError: the value is not a list, or holds anything but text that is not blank.
    """
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise ValueError(
            f"entry {number}: cuts and acceptable are lists of words; put what has a colon in quotes"
        )
    return tuple(values)
