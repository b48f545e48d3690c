"""What a run tells while it works."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alexandria.library.ingest.outcome import Outcome
from alexandria.library.ingest.pace import Pace


@dataclass(frozen=True, slots=True)
class Events:
    """What is called while a run works, each from any thread, but for one file in this order."""

    began: Callable[[Pace], None] = lambda pace: None
    """With the pace of the run, before its first file."""
    recognised: Callable[[Path, float | None], None] = lambda path, seconds_left: None
    """With the seconds that recognising the scanned pages of a file still takes: 0.0 until it is known, None
    at the end. Not from a cluster."""
    started: Callable[[Path], None] = lambda path: None
    """With each file when its turn comes, possibly before the previous one is stored."""
    read: Callable[[Path, str, int], None] = lambda path, title, n_words: None
    """With the title and the words of its book, before it is embedded; not for books that are stored."""
    embedded: Callable[[Path, float], None] = lambda path, share: None
    """With the further share of a book's sentences that has been embedded; not if its vectors are cached."""
    finished: Callable[[Outcome], None] = lambda outcome: None
    """With the outcome of each file as soon as it is stored, in the order of the files."""
