"""Watched folders: each book is yielded once it has arrived completely."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from alexandria.batch.discovery import find_books

PERIOD = 2.0
"""Seconds between two polls: a file that has not changed in between has arrived."""

_Stamp = tuple[int, int]


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
        folders: to watch.
        stopped: asked before each poll.
        period: seconds between two polls.
        on_gone: called when books have been gone for two polls, before those are yielded that have arrived.
    """
    folders = list(folders)
    yielded: dict[Path, _Stamp] = {}
    before: dict[Path, _Stamp] = {}
    missing: set[Path] = set()  # at the last poll
    while not stopped():
        now = _stamps(folders)
        ready = [path for path, stamp in now.items() if before.get(path) == stamp != yielded.get(path)]
        if missing - now.keys():
            on_gone()
            missing.clear()
        missing |= before.keys() - now.keys()
        yielded |= {path: now[path] for path in ready}
        before = now
        if ready:
            yield ready
        else:
            time.sleep(period)


def _stamps(folders: Iterable[Path]) -> dict[Path, _Stamp]:
    """Return size and modification time of each book."""
    stamps = {}
    for path in find_books(folders).files:
        try:
            status = path.stat()
        except OSError:  # deleted in the meantime, or a broken link
            continue
        stamps[path] = (status.st_size, status.st_mtime_ns)
    return stamps
