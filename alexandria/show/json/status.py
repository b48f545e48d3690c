"""The document of `alexandria status`."""

from datetime import UTC, datetime
from typing import Annotated, TypedDict

from alexandria.library.ingest.progress import LibraryStatus
from alexandria.show.json.types import Count, Seconds
from alexandria.show.json.view import From, Rounded, view_of


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
    seconds_left: Annotated[Seconds | None, Rounded(1)]
    """Estimated by words, as the progress bar does; null before the first words are embedded."""
    current: str | None
    """The file whose turn it is."""
    failed_files: Annotated[list[str], From("failed")]
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
    dead_chunks: Count | None
    """Chunks that were deleted and still take space; null while an ingest is running."""
    outdated: Count | None
    """Books that another version has read (`ingest --reread`); null while an ingest is running."""
    store: str
    """Where the library is, as `--store` takes it."""
    collection: str
    folder: str | None
    """The folder of the collection's files; null on a server."""
    bytes: Count | None
    failures: Count
    """Files that could not be read, without those that are ignored."""
    restore: str | None
    """The command that completes an interrupted restore; null if none was interrupted."""


def status_document(status: LibraryStatus) -> StatusDocument:
    """Return the document that `alexandria status --json` prints."""
    run = status.run and view_of(
        ProgressEntry,
        status.run,
        running=status.is_running,
        seconds_left=status.run.seconds_left(datetime.now(UTC)),
    )
    return view_of(StatusDocument, status, run=run, folder=status.folder or None)
