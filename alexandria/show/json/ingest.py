"""The lines of `ingest --json`, its estimate, and the files that failed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from alexandria.library.ingest.discovery import PassedOver
from alexandria.library.ingest.estimate import Estimate
from alexandria.library.ingest.outcome import STORED, Outcome, Status
from alexandria.library.ingest.sync import Step
from alexandria.show.json.types import Count, ErrorEntry, GuessEntry, Seconds
from alexandria.show.json.view import From, Rounded, view_of, views_of


class OutcomeLine(TypedDict):
    """The outcome of one file."""

    source: str
    status: Literal["ingested", "partial", "unchanged", "removed", "failed"]
    book_id: str | None
    title: str | None
    chunks: Count
    words: Count
    seconds: Annotated[Seconds, Rounded(3)]
    warnings: list[str]
    """What was lost."""
    remarks: list[str]
    error: ErrorEntry | None
    guess: NotRequired[GuessEntry]
    """With the domain `auto`: why the book has its domain."""


class PassedOverEntry(TypedDict):
    """A file in a folder that was not read."""

    source: Annotated[str, From("path")]
    kind: str
    fix: str
    """What to do with a book of a kind that can be converted; otherwise empty."""


class SummaryFields(TypedDict):
    """The outcome of all files."""

    ingested: Count
    """Partially ingested books included."""
    partial: Count
    unchanged: Count
    removed: Count
    """Not ingested, because they were removed from the library earlier."""
    failed: Count
    failures: dict[str, Count]
    """Failed files by error code."""
    ignored: Count
    """Of the failed files, those that `alexandria status --ignore` has marked."""
    skipped: dict[str, Count]
    """Files that were skipped, by kind."""
    passed_over: list[PassedOverEntry]
    """The files that were skipped."""
    not_reached: Count
    """Files left when the run was interrupted or stopped by --fail-fast."""
    chunks: Count
    words: Count
    seconds: Seconds


class SummaryLine(TypedDict):
    """The last line of an ingest."""

    summary: SummaryFields


class SyncFields(TypedDict):
    """What is done with a book whose file is gone."""

    action: Literal["removed", "moved"]
    done: bool
    """False with --dry-run."""
    book_id: str
    title: str
    source: str
    """The file that is gone."""
    moved_to: str | None


class SyncLine(TypedDict):
    """With --sync: a book whose file is gone."""

    sync: SyncFields


IngestLine = OutcomeLine | SyncLine | SummaryLine
"""One line of `alexandria ingest --json`: the outcome of a file or, at the end, the summary; with --sync,
also what is done with books whose files are gone."""


class EstimateFields(TypedDict):
    """What an ingest would do, and what it would cost."""

    n_books: Count
    n_failed: Count
    """Files that cannot be read; `failed` has them."""
    n_unchanged: Count
    """Files of books that are stored as they should be, or were removed earlier."""
    n_words: Count
    n_chunks: Count
    seconds: Seconds
    disk_bytes: Count
    n_scanned_pages: Count
    """To be recognised; pages kept from an earlier run are not counted."""
    recognition_seconds: Seconds
    """That they take, as fast as the few that were tried; part of `seconds`."""


class EstimateDocument(TypedDict):
    """`alexandria ingest --dry-run --json`: what an ingest would do, and what it would cost."""

    estimate: EstimateFields
    failed: list[OutcomeLine]
    """The files that cannot be read, as the ingest would report them."""
    passed_over: list[PassedOverEntry]
    """The files that would be skipped."""


def summary_line(
    outcomes: Sequence[Outcome],
    seconds: float,
    *,
    skipped: Mapping[str, int],
    passed_over: Sequence[PassedOver] = (),
    not_reached: int = 0,
) -> SummaryLine:
    """Return the last line of an ingest; a partial book counts as ingested.

    Args:
        seconds: the time that the run took.
        skipped: how many files were skipped, by kind.
        not_reached: files left when the run was interrupted or stopped by `--fail-fast`.
    """
    stored = [outcome for outcome in outcomes if outcome.status in STORED]
    failures = Counter(str(outcome.error.code) for outcome in outcomes if outcome.error)
    return {
        "summary": {
            "ingested": len(stored),
            "partial": sum(outcome.status is Status.PARTIAL for outcome in outcomes),
            "unchanged": sum(outcome.status is Status.UNCHANGED for outcome in outcomes),
            "removed": sum(outcome.status is Status.REMOVED for outcome in outcomes),
            "failed": failures.total(),
            "failures": dict(failures.most_common()),
            "ignored": sum(outcome.ignored for outcome in outcomes),
            "skipped": dict(skipped),
            "passed_over": views_of(PassedOverEntry, passed_over),
            "not_reached": not_reached,
            "chunks": sum(outcome.n_chunks for outcome in stored),
            "words": sum(outcome.n_words for outcome in stored),
            "seconds": round(seconds, 3),
        }
    }


def estimate_document(
    estimate: Estimate, passed_over: Sequence[PassedOver] = (), *, n_unchanged: int = 0
) -> EstimateDocument:
    """Return what an ingest would do, and what it would cost.

    Args:
        passed_over: the files that would be skipped.
        n_unchanged: how many files are stored as they should be, or were removed earlier.
    """
    counts = {"n_failed": len(estimate.failed), "n_unchanged": n_unchanged}
    return {
        "estimate": view_of(EstimateFields, estimate, **counts),
        "failed": views_of(OutcomeLine, estimate.failed),
        "passed_over": views_of(PassedOverEntry, passed_over),
    }


def sync_line(step: Step, *, done: bool) -> SyncLine:
    """Return what was done, or would be done, with a book whose file is gone."""
    action = "removed" if step.moved_to is None else "moved"
    return {"sync": view_of(SyncFields, step.record, action=action, done=done, moved_to=step.moved_to)}
