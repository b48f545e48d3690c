"""Watches folders, and yields each book once it has arrived completely."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from alexandria.batch.discovery import find_books

PERIOD = 2.0
"""Seconds between two polls: a file that has not changed between them has arrived."""

_Stamp = tuple[int, int]
"""Size and modification time: if they change, the file has changed."""


def arrivals(
    folders: Iterable[Path],
    stopped: Callable[[], bool],
    *,
    period: float = PERIOD,
    on_gone: Callable[[], None] = lambda: None,
) -> Iterator[list[Path]]:
    """Yield the books that have arrived or changed since the last poll, until `stopped` returns True.

    Polling also works on network drives and in containers, where notifications do not.

    Args:
        folders: the folders to watch.
        stopped: asked before each poll.
        period: seconds between two polls.
        on_gone: called when books have been missing in two polls in a row, before new arrivals are yielded.
            One poll is not enough: a file that is renamed or replaced is missing for a moment.
    """
    folders = list(folders)
    yielded: dict[Path, _Stamp] = {}
    before: dict[Path, _Stamp] = {}
    missing: set[Path] = set()  # at the last poll
    while not stopped():
        now = _read_stamps(folders)
        complete = [path for path, stamp in now.items() if before.get(path) == stamp]
        ready = [path for path in complete if yielded.get(path) != now[path]]
        if missing - now.keys():
            on_gone()
        missing = before.keys() - now.keys()
        yielded |= {path: now[path] for path in ready}
        before = now
        if ready:
            yield ready
        else:
            time.sleep(period)


def _read_stamps(folders: Iterable[Path]) -> dict[Path, _Stamp]:
    """Return the size and modification time of each book in the folders."""
    stamps = {}
    for path in find_books(folders).files:
        try:
            status = path.stat()
        except OSError:  # deleted since it was found, or a broken link
            continue
        stamps[path] = (status.st_size, status.st_mtime_ns)
    return stamps
