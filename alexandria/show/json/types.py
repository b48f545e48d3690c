"""Types that several documents share, and the document of an error."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from alexandria.book.weighed import NextBest, Term
from alexandria.errors import AlexandriaError, Code
from alexandria.show.json.view import From, Rounded, view_of


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of JSON Schema that an annotation adds to the schema of its type."""

    name: str
    value: float | str | tuple[str, ...]


Count = Annotated[int, Keyword("minimum", 0)]
Seconds = Annotated[float, Keyword("minimum", 0)]
Share = Annotated[float, Keyword("minimum", 0), Keyword("maximum", 1)]
Confidence = Annotated[float, Keyword("minimum", 0), Keyword("maximum", 100)]
"""Of a program that reads pictures: 100 is certain."""
# Wider than [-1, 1] by what rounding of float32 can add.
Similarity = Annotated[float, Keyword("minimum", -1.001), Keyword("maximum", 1.001)]
Text = Annotated[str, Keyword("minLength", 1)]
BookId = Annotated[str, Keyword("pattern", "^[0-9a-f]{64}$")]
StrengthName = Literal["strong", "fair", "weak", "none"]  # how likely passages answer a question
SchemaVersion = Literal[1]
SCHEMA_VERSION: SchemaVersion = 1

Settings = Annotated[
    dict[str, str | int | float | bool | None], Keyword("required", ("domain", "strategy", "model"))
]  # the settings of a domain: `domain`, `strategy`, the options of that strategy, `model`, and so on


class GuessEntry(TypedDict):
    """The field of a book as `--domain auto` guesses it."""

    field: Literal["philosophy", "literature", "psychology", "history", "technical"] | None
    """The most probable field, even if it is too uncertain to be used; null if there are no clues."""
    certainty: Annotated[Share, Rounded(3)]
    clues: list[str]
    """What speaks for it: subject headings, the title, words."""


class BalanceEntry(TypedDict):
    """What the strategy weighed at a cut."""

    inside_paragraph: bool
    terms: list[Term]
    cost: float
    """The sum of the terms."""
    gain: float | None
    """How much more the two chunks are worth than one; null if one chunk would be too long."""
    next_best: NextBest | None
    """null if no other cut was possible."""


class BoundaryFields(TypedDict):
    """A cut, and why it was made."""

    gap: Count
    """The gap that was cut: gap i lies between sentence i and sentence i + 1."""
    reason: Literal["topic", "max_size", "section", "break"]
    similarity: Annotated[Similarity, Rounded(6)]
    """The value that was compared with the threshold."""
    threshold: Annotated[float | None, Rounded(6)]
    """null if the strategy has no threshold."""
    margin: Annotated[float | None, Rounded(6)]
    """The threshold minus the similarity."""
    rank: int | None
    """The rank of the similarity among the gaps where the chunk could have ended, 1 being the lowest."""
    n_candidates: int | None
    """The number of gaps where the chunk could have ended."""
    balance: BalanceEntry | None
    """null for a strategy that does not add up costs, and where a section begins."""


class PlacedBoundary(BoundaryFields):
    """A cut, and where it is in the book's text."""

    start: Count
    """Offset of the first sentence after the cut."""


class ChunkPlace(TypedDict):
    """Where a chunk is in its book."""

    chunk_id: Annotated[Count, From("index")]
    start: Count
    end: Count
    word_count: Count
    section: Annotated[list[str], From("headings")]
    """The heading path, outermost heading first."""
    page_start: int | None
    """Page of the file, counted from 1."""
    page_end: int | None
    page_label: str | None
    """The page number as printed."""


class ErrorEntry(TypedDict):
    """What went wrong, why, and how to fix it."""

    code: Code
    what: str
    why: str
    fix: str


class ErrorDocument(TypedDict):
    """What every command prints with --json if it fails."""

    error: ErrorEntry


def error_document(error: AlexandriaError) -> ErrorDocument:
    """Return the document of an error that ends a command."""
    return {"error": view_of(ErrorEntry, error)}
