"""A folder that is watched: each book is given out once it has arrived whole."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from alexandria.batch.discovery import find_books

PERIOD = 2.0
"""Seconds between two looks: a file that has not changed in between has arrived."""

_Stamp = tuple[int, int]


def arrivals(
    folders: Iterable[Path], stopped: Callable[[], bool], *, period: float = PERIOD
) -> Iterator[list[Path]]:
    """Yield the books that have arrived or changed since the last look, until `stopped` says so.

    It looks instead of being told, which works on network drives and in containers too.
    """
    folders = list(folders)
    given: dict[Path, _Stamp] = {}
    before: dict[Path, _Stamp] = {}
    while not stopped():
        now = _stamps(folders)
        ready = [path for path, stamp in now.items() if before.get(path) == stamp != given.get(path)]
        given |= {path: now[path] for path in ready}
        before = now
        if ready:
            yield ready
        else:
            time.sleep(period)


def _stamps(folders: Iterable[Path]) -> dict[Path, _Stamp]:
    """Return size and time of change of each book."""
    found = {}
    for path in find_books(folders).files:
        try:
            status = path.stat()
        except OSError:  # gone in the meantime, or a link that leads nowhere
            continue
        found[path] = (status.st_size, status.st_mtime_ns)
    return found
