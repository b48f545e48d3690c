"""What a check of manuscripts returns: each quotation with its verdict, place and claims."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from alexandria.book.model import BlockKind
from alexandria.errors import BookError
from alexandria.store.passage import Quotation


class Verdict(StrEnum):
    """What the words of a quotation are, compared with the books."""

    EXACT = "exact"
    ALLOWED = "allowed"
    DIFFERS = "differs"
    NOT_FOUND = "not_found"
    TOO_SHORT = "too_short"

    @property
    def words(self) -> str:
        """The verdict as people read it."""
        return _VERDICTS[self]


_VERDICTS = {
    Verdict.EXACT: "word for word",
    Verdict.ALLOWED: "as convention allows",
    Verdict.DIFFERS: "differs",
    Verdict.NOT_FOUND: "not in your books",
    Verdict.TOO_SHORT: "too short to tell",
}


class Allowance(StrEnum):
    """A change that convention allows."""

    OMISSION = "omission"  # dots, in brackets or not, for words that were left out
    BRACKETS = "brackets"  # words in brackets, put in or in place of the book's
    SIC = "sic"
    FIRST_LETTER = "first letter"  # in brackets, as in `[T]he`
    FINAL_MARK = "final mark"
    INNER_MARKS = "inner marks"  # quotation marks inside, turned with the level
    SLASHES = "slashes"  # between lines of verse
    ATTRIBUTION = "attribution"  # such as `he says`, between two pieces


class ClaimVerdict(StrEnum):
    """Whether what a manuscript says of the source of a quotation is right."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNKNOWN = "unknown"  # nothing is claimed, or it cannot be told


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What is claimed of the source of a quotation, compared with where it stands."""

    author: ClaimVerdict = ClaimVerdict.UNKNOWN
    title: ClaimVerdict = ClaimVerdict.UNKNOWN
    page: ClaimVerdict = ClaimVerdict.UNKNOWN

    @property
    def disagree(self) -> bool:
        """Whether one of them does."""
        return ClaimVerdict.DISAGREES in (self.author, self.title, self.page)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """What a manuscript says of the source of a quotation; None where it says nothing."""

    text: str
    """The words that say it: of a parenthesis, a note, a key, or of the text around the quotation."""
    author: str | None = None
    title: str | None = None
    page: str | None = None
    """As written: a page, or a range of them."""
    year: str | None = None
    key: str | None = None
    """The key of the entry in a bibliography."""
    key_found: bool = True
    """Whether a bibliography has the key."""


@dataclass(frozen=True, slots=True)
class WordDifference:
    """Words of a quotation, and what the book has in their place; either may be empty."""

    yours: str
    book: str
    start: int
    """Where the words are in the text of the quotation, or would be."""
    book_start: int
    """Likewise in the words of its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuotation:
    """A quotation of a manuscript, compared with the books."""

    file: str  # the path of the manuscript as it was given; empty for a text
    ordinal: int  # its number in the manuscript, from 1
    start: int
    """Where it begins in the manuscript's text, which `alexandria extract --text` prints; of a quotation in
    a note, where the mark of the note is. The text of highlights is that of `CheckReport.manuscripts`."""
    end: int
    text: str  # without its outer marks; the pieces of a divided one with a space between
    where: str  # where it is in the manuscript: page, line, or heading and paragraph
    verdict: Verdict
    allowances: tuple[Allowance, ...] = ()
    differences: tuple[WordDifference, ...] = ()  # empty unless it differs
    place: Quotation | None = None  # where it stands; None if it was not found
    nearest: Quotation | None = None  # what comes nearest in the books, if it was not found
    cited: CitedSource | None = None
    claims: Claims = Claims()
    page_in_copy: str | None = None
    """The page on which it stands in a copy that has pages, whichever edition `place` is in."""
    note: str = ""  # what the reader has noted on a highlight

    @property
    def scan(self) -> bool:
        """Whether its place was read by OCR: a difference may be an error of the reading."""
        return self.place is not None and (
            self.place.ocr_confidence is not None or bool(self.place.text_layer)
        )

    @property
    def is_complaint(self) -> bool:
        """Whether it differs from a text that was not read by OCR, is not found, or a claim disagrees."""
        differs = self.verdict is Verdict.DIFFERS and not self.scan
        return differs or self.verdict is Verdict.NOT_FOUND or self.claims.disagree


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLibrary:
    """What quotations were compared with."""

    n_books: int
    n_words: int
    not_looked_at: tuple[str, ...] = ()
    """Titles of books that are the manuscript itself or a draft of it, or that could not be read whole."""


@dataclass(frozen=True, slots=True)
class UnreadManuscript:
    """A manuscript that could not be read."""

    file: str
    error: BookError


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of a manuscript, or a note."""

    text: str
    start: int  # where it begins in the manuscript's text; of a note, where its mark is
    kind: BlockKind
    where: str
    notes: tuple[tuple[int, str], ...] = ()  # the notes that it cites: where in it, and their texts
    lead: str = ""  # the paragraph before it
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class CheckedManuscript:
    """The text of a manuscript that was checked, in blocks."""

    file: str
    blocks: tuple[TextBlock, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSummary:
    """How many quotations there are, by verdict."""

    quotations: int
    exact: int
    allowed: int
    differs: int
    not_found: int
    too_short: int
    scans: int
    """Those that differ from a text that was read by OCR."""
    claims_disagree: int
    accepted: int
    """Differences that are meant (`--accept`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """The quotations of one manuscript or several, in their order."""

    library: CheckedLibrary
    items: tuple[CheckedQuotation, ...]
    unread: tuple[UnreadManuscript, ...] = ()
    n_accepted: int = 0
    """Quotations that were left out because their differences are meant."""
    manuscripts: tuple[CheckedManuscript, ...] = ()
    """Their texts."""

    @property
    def summary(self) -> CheckSummary:
        """How many there are, by verdict."""
        verdicts = Counter(item.verdict for item in self.items)
        return CheckSummary(
            quotations=len(self.items) + self.n_accepted,
            **{verdict.value: verdicts[verdict] for verdict in Verdict},
            scans=sum(item.scan for item in self.items if item.verdict is Verdict.DIFFERS),
            claims_disagree=sum(item.claims.disagree for item in self.items),
            accepted=self.n_accepted,
        )

    @property
    def complaints(self) -> tuple[CheckedQuotation, ...]:
        """Those that differ, are not found, or of which a claim disagrees."""
        return tuple(item for item in self.items if item.is_complaint)

    def accepting(self, texts: Collection[str]) -> "CheckReport":
        """Return the report without those complaints that are meant: of quotations with one of these texts.

        White space does not count.
        """
        accepted = {" ".join(text.split()) for text in texts}
        kept = tuple(
            item for item in self.items if not (item.is_complaint and " ".join(item.text.split()) in accepted)
        )
        n_accepted = self.n_accepted + len(self.items) - len(kept)
        return replace(self, items=kept, n_accepted=n_accepted)

    def __str__(self) -> str:
        """Return the summary in a line, with the books that were not looked at."""
        counts = Counter(item.verdict for item in self.items)
        n = len(self.items) + self.n_accepted
        parts = [f"{counts[verdict]} {verdict.words}" for verdict in Verdict if counts[verdict]]
        parts += [f"{self.n_accepted} accepted"] if self.n_accepted else []
        if not n:
            return "no quotation"
        titles = ", ".join(f"“{title}”" for title in self.library.not_looked_at)
        unseen = f"; not looked at, or read with warnings: {titles}" if titles else ""
        return f"{n} quotation{'' if n == 1 else 's'}: {', '.join(parts)}{unseen}"
