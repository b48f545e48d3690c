"""The state of a library: who has it open, how far an ingest is, what it holds."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.text import Text

from alexandria.book.wording import size_of
from alexandria.book.words import count_of
from alexandria.library.ingest.failures import Failure
from alexandria.library.ingest.progress import LibraryStatus, Progress
from alexandria.show.terminal.console import out, print_below, safe, show_message

_SHOWN_TITLES = 3
_SHOWN_FAILURES = 3  # failed files that `status` shows; `status --failures` shows all


def show_status(status: LibraryStatus, failures: Sequence[Failure], options: str) -> None:
    """Print the state of a library, and the last files that could not be read."""
    for line in _describe_status(status, options):
        out.print(Text(safe(line)), soft_wrap=True)
    open_failures = [failure for failure in failures if not failure.ignored]
    if open_failures:
        files = count_of(len(open_failures), "file")
        out.print(Text(f"{files} could not be read:"))
        show_failures(open_failures[:_SHOWN_FAILURES])
    if len(open_failures) > _SHOWN_FAILURES:
        out.print(Text("all of them: alexandria status --failures"), soft_wrap=True)


_CODE_WIDTH = 11  # columns of the code of an error before the name of a file; two blanks follow


def show_failures(failures: Sequence[Failure]) -> None:
    """Print the files that could not be read, each with the reason below."""
    if not failures:
        show_message("no file has failed")
    for failure in failures:
        ignored = ("  ignored", "dim") if failure.ignored else ""
        out.print(
            Text.assemble((f"{failure.code:>{_CODE_WIDTH}}", "red"), f"  {safe(failure.source)}", ignored),
            soft_wrap=True,
        )
        for label, message in (("why", failure.why), ("fix", failure.fix)):
            if message:
                print_below(out, _CODE_WIDTH + 2, label, message)


def describe_outdated(n_books: int, options: str) -> str:
    """Return how to read books again that another version has read; `options` name the library."""
    books = f"{count_of(n_books, 'book')} {'is' if n_books == 1 else 'are'} better read again"
    return f"{books}: alexandria ingest --reread{options}"


def describe_guessed_titles(titles: Sequence[str], options: str) -> str:
    """Return which books have guessed titles, and how to name them; `options` name the library."""
    have = "1 book has a guessed title" if len(titles) == 1 else f"{len(titles):,} books have guessed titles"
    shown = ", ".join(titles[:_SHOWN_TITLES]) + " …" * (len(titles) > _SHOWN_TITLES)
    return f"{have} or none ({shown}): alexandria edit BOOK --title TITLE{options}"


def _describe_status(status: LibraryStatus, options: str) -> list[str]:
    """Return who has the library open, how far its ingest is, what it holds, and what is left to do."""
    lines, run = [], status.run
    if status.is_running and run is not None:
        lines += [f"{status.owner} has been writing since {_format_time(run.began)}", *_run_lines(run)]
    elif status.owner is not None:
        lines.append(f"{status.owner} has had the library open since {_format_time(status.owner.since)}")
    elif status.folder:  # on a server, others are not seen
        lines.append("no other program is using the library")
    if run is not None and not status.is_running:
        lines.append(
            f"the ingest begun at {_format_time(run.began)} was killed after {run.n_done:,} of "
            f"{count_of(run.n_files, 'file')}: run it again to resume"
        )
    where = f", {(status.n_bytes or 0) / 1e6:,.0f} MB" if status.folder else ""
    where += f" in {status.store}"
    if status.collection != "books":
        where += f", collection {status.collection}"
    size = "" if status.n_chunks is None else f", {size_of(status.n_chunks, status.n_words or 0)}"
    lines.append(f"{count_of(status.n_books, 'book')}{size}{where}")
    if status.n_dead_chunks:
        lines.append(
            f"{count_of(status.n_dead_chunks, 'deleted chunk')} still on the disk; their space is given back"
            " once they are a third of all"
        )
    if status.n_outdated:
        lines.append(describe_outdated(status.n_outdated, options))
    if status.restore is not None:
        lines.append(f"a restore was interrupted, some books may be missing; {status.restore} completes it")
    return lines


def _run_lines(run: Progress) -> list[str]:
    """Return how far a running ingest is, the file whose turn it is, and the files that failed."""
    left = run.seconds_left(datetime.now(UTC))
    done = f"{run.n_done:,} of {count_of(run.n_files, 'file')} done, {count_of(run.n_words, 'word')} embedded"
    lines = [f"{done}; {'time left unknown' if left is None else f'about {_format_duration(left)} left'}"]
    if run.current:
        lines.append(f"now: {Path(run.current).name}")
    if run.n_failed:
        lines.append(f"{run.n_failed:,} failed: {', '.join(Path(name).name for name in run.failed)}")
    return lines


def _format_duration(seconds: float) -> str:
    """Return a duration in the unit that suits it: `90 seconds`, `12 minutes`, `3 h 20 min`."""
    if seconds < 120:
        return count_of(round(seconds), "second")
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _format_time(moment: str) -> str:
    return f"{moment[:19].replace('T', ' ')} UTC"
