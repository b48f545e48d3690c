"""The document of `evaluate boundaries --cuts`."""

from typing import TypedDict

from alexandria.evaluate.reader_agreement import ReaderCounts, ReaderReport, ReaderScore
from alexandria.views.json.evaluation import EstimateEntry, estimate_entry
from alexandria.views.json.types import SCHEMA_VERSION, Count, SchemaVersion, Share


class UnplacedCutEntry(TypedDict):
    """A reader's cut that cannot be used."""

    book: str
    quote: str
    """Empty if the book is not there."""
    why: str


class ReaderChance(TypedDict):
    """The mean scores of each section's chunks in random order."""

    found: Share
    near: Share
    right: Share | None
    f1: Share


class ReaderScoreEntry(TypedDict):
    """One setting on one book, or on all."""

    book: str | None
    """Its title; null for all books."""
    setting: str
    chunks: Count
    words: float
    """Mean words per chunk."""
    wanted: Count
    """The reader's cuts."""
    cuts: Count
    """Those of the setting, inside chapters and sections."""
    acceptable: Count
    """Of these, where the reader would accept one."""
    found: EstimateEntry | None
    """The share of the reader's cuts that were made; null without any."""
    near: Share
    """The share that were made within the tolerance."""
    right: Share | None
    """The share of the setting's cuts that the reader makes or accepts; null without cuts."""
    f1: Share
    """Of found and right, without the cuts that the reader only accepts."""
    chance: ReaderChance


class ReaderDocument(TypedDict):
    """`alexandria evaluate boundaries --cuts --json`: every setting on every book."""

    schema_version: SchemaVersion
    tolerance: Count
    """Sentences by which a cut may be off to be near."""
    seed: int
    left_out: list[UnplacedCutEntry]
    totals: list[ReaderScoreEntry]
    results: list[ReaderScoreEntry]
    """Book by book."""


def reader_document(report: ReaderReport) -> ReaderDocument:
    """Return the scores of all books and settings."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tolerance": report.tolerance,
        "seed": report.seed,
        "left_out": [{"book": cut.book, "quote": cut.quote, "why": cut.why} for cut in report.unplaced],
        "totals": [_score_entry(score) for score in report.totals],
        "results": [_score_entry(score) for score in report.scores],
    }


def _score_entry(score: ReaderScore) -> ReaderScoreEntry:
    counts = score.counts
    return {
        "book": score.book or None,
        "setting": score.setting,
        "chunks": score.n_chunks,
        "words": score.mean_words,
        "wanted": counts.n_wanted,
        "cuts": counts.n_cuts,
        "acceptable": counts.n_acceptable,
        "found": estimate_entry(score.found) if counts.n_wanted else None,
        "near": counts.near,
        "right": counts.right,
        "f1": counts.f1,
        "chance": _chance_entry(score.chance),
    }


def _chance_entry(counts: ReaderCounts) -> ReaderChance:
    return {"found": counts.found, "near": counts.near, "right": counts.right, "f1": counts.f1}
