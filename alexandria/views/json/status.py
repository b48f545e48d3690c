"""The document of `alexandria status`."""

from datetime import UTC, datetime
from typing import TypedDict

from alexandria.batch.progress import LibraryStatus, Progress
from alexandria.store.lock import Owner
from alexandria.views.json.types import Count, Seconds


class OwnerEntry(TypedDict):
    """The process that has a library open."""

    pid: Count
    host: str
    command: str
    since: str
    """ISO 8601, UTC."""


class ProgressEntry(TypedDict):
    """How far an ingest is, or was when it was killed."""

    running: bool
    """false if its process was killed."""
    pid: Count
    host: str
    command: str
    began: str
    """ISO 8601, UTC."""
    updated: str
    """ISO 8601, UTC."""
    files: Count
    done: Count
    failed: Count
    words: Count
    """Words embedded by this run."""
    seconds_left: Seconds | None
    """Estimated by words, as the progress bar does; null before the first words are embedded."""
    current: str | None
    """The file whose turn it is."""
    failed_files: list[str]
    """The last 20 at most; `alexandria status --failures` lists all."""


class StatusDocument(TypedDict):
    """`alexandria status --json`: who has a library open, how far its ingest is, and what it holds."""

    owner: OwnerEntry | None
    """null if nobody has it open, or if it is on a server."""
    run: ProgressEntry | None
    """null if no ingest is running, and the last one was not killed."""
    books: Count
    chunks: Count | None
    """null while an ingest is running: counting would hold it up."""
    words: Count | None
    """null while an ingest is running."""
    folder: str | None
    """null on a server."""
    bytes: Count | None
    failures: Count
    """Files that could not be read, without those that are ignored."""
    restore: str | None
    """The command that completes an interrupted restore; null if none was interrupted."""


def status_document(status: LibraryStatus) -> StatusDocument:
    """Return the document that `alexandria status --json` prints."""
    return {
        "owner": None if status.owner is None else _owner_entry(status.owner),
        "run": None if status.run is None else _run_entry(status.run, running=status.is_running),
        "books": status.n_books,
        "chunks": status.n_chunks,
        "words": status.n_words,
        "folder": status.folder or None,
        "bytes": status.n_bytes,
        "failures": status.n_failures,
        "restore": None if status.restore is None else status.restore.fix,
    }


def _owner_entry(owner: Owner) -> OwnerEntry:
    return {"pid": owner.pid, "host": owner.host, "command": owner.command, "since": owner.since}


def _run_entry(run: Progress, *, running: bool) -> ProgressEntry:
    """Return how far a run is, one ingest with its files, or how far it was when it was killed."""
    seconds = run.seconds_left(datetime.now(UTC))
    return {
        "running": running,
        "pid": run.pid,
        "host": run.host,
        "command": run.command,
        "began": run.began,
        "updated": run.updated,
        "files": run.n_files,
        "done": run.n_done,
        "failed": run.n_failed,
        "words": run.n_words,
        "seconds_left": None if seconds is None else round(seconds, 1),
        "current": run.current,
        "failed_files": list(run.failed),
    }
