"""Where a reader divides books, from a YAML file.

One entry per book, with the first words of each passage, word for word:

    - book: the-town-clock.docx      # its title, its file's name, or a part of either
      domain: history                # optional: cut this book as that field
      cuts: [What kept the wheels]   # a new passage begins here
      acceptable: [It also came out] # one may begin here; neither asked for nor held against a strategy
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from alexandria.book import BlockKind, Book
from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate.questions import Folded, book_named, fold_marks
from alexandria.sentences import split

_KEYS = ("book", "domain", "cuts", "acceptable")
_FORMAT = "see docs/quality.md for the format"


@dataclass(frozen=True, slots=True)
class ReaderCuts:
    """A reader's cuts of one book, as in the file."""

    book: str
    cuts: tuple[str, ...]
    acceptable: tuple[str, ...] = ()
    domain: str | None = None
    """The field to cut the book as, if not that of the command."""


@dataclass(frozen=True, slots=True)
class PlacedCuts:
    """A reader's cuts as offsets in the text of a book, each where a sentence begins inside a section."""

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
    """Empty if the book is not there."""
    why: str


def read_cuts(path: Path) -> list[ReaderCuts]:
    """Return the entries of a file.

    Raises:
        ConfigError: the file cannot be read, or has no entries, or one of them is wrong (it is named).
    """
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        if not isinstance(loaded, list) or not loaded:
            raise ValueError("it is not a list of books")
        return [_entry(number, values) for number, values in enumerate(loaded, start=1)]
    except OSError as error:
        raise ConfigError(f"cannot read {path}", why=io_reason(error), fix="check the path") from error
    except (ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the cuts of {path}", why=str(error), fix=_FORMAT) from error


def place_cuts(
    entries: Sequence[ReaderCuts], books: Sequence[Book]
) -> tuple[list[PlacedCuts], list[UnplacedCut]]:
    """Return the cuts whose words are found once, where a sentence begins, and those that cannot be used."""
    placed: list[PlacedCuts] = []
    unplaced: list[UnplacedCut] = []
    for entry in entries:
        try:
            book = books[book_named(entry.book, books)]
        except LookupError as error:
            unplaced.append(UnplacedCut(entry.book, "", str(error)))
            continue
        place = _Placer.of(book)
        offsets: dict[str, int] = {}
        for quote in (*entry.cuts, *entry.acceptable):
            try:
                offsets[quote] = place(quote)
            except LookupError as error:
                unplaced.append(UnplacedCut(entry.book, quote, str(error)))
        cuts = frozenset(offsets[quote] for quote in entry.cuts if quote in offsets)
        placed.append(PlacedCuts(book, cuts, frozenset(offsets.values()) - cuts, entry.domain))
    return placed, unplaced


@dataclass(frozen=True, slots=True)
class _Placer:
    """Finds quotes in one book."""

    text: Folded
    starts: Sequence[int]
    """Where each sentence begins, headings left out; ascending."""
    section_starts: frozenset[int]
    """Of these, the first of each section."""

    @classmethod
    def of(cls, book: Book) -> "_Placer":
        headings = {i for i, block in enumerate(book.blocks) if block.kind is BlockKind.HEADING}
        sentences = [sentence for sentence in split(book) if sentence.block not in headings]
        first = {sentence.section: sentence.start for sentence in reversed(sentences)}
        starts = [sentence.start for sentence in sentences]
        return cls(Folded.of(book.text), starts, frozenset(first.values()))

    def __call__(self, quote: str) -> int:
        """Return where the sentence begins that begins with the quote, with or without a mark before it.

        Raises:
            LookupError: it is not in the book, is there more than once, or is not the beginning of a sentence
                inside a section.
        """
        wanted = fold_marks(quote)
        n = self.text.text.count(wanted)
        if n != 1:
            raise LookupError(
                f"these words are in the book {n} times: quote more" if n else "its words are not in the book"
            )
        offset = self.text.offsets[self.text.text.find(wanted)]
        start = self.starts[max(0, bisect_right(self.starts, offset) - 1)]
        if any(character.isalnum() for character in self.text.original[start:offset]):
            raise LookupError("no sentence begins there")
        if start in self.section_starts:
            raise LookupError("a chapter or section begins there, where every strategy cuts")
        return start


def _entry(number: int, values: object) -> ReaderCuts:
    if not isinstance(values, dict) or not values.get("book") or not values.get("cuts"):
        raise ValueError(f"entry {number}: it needs book and cuts")
    if unknown := [key for key in values if key not in _KEYS]:
        raise ValueError(f"entry {number}: there is no key {unknown[0]!r}, only {', '.join(_KEYS)}")
    return ReaderCuts(
        book=str(values["book"]),
        cuts=_quotes(number, values["cuts"]),
        acceptable=_quotes(number, values.get("acceptable") or []),
        domain=str(values["domain"]) if values.get("domain") else None,
    )


def _quotes(number: int, values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise ValueError(
            f"entry {number}: cuts and acceptable are lists of words; put what has a colon in quotes"
        )
    return tuple(values)
