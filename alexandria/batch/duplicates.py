"""The same book in two formats: other bytes, but title, author and words agree."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from alexandria.extract.clean import spelled
from alexandria.store.catalog import Catalog, Record

SAME = 0.5
"""Share of the shorter text's word runs that the longer one has as well. Of 37 real books, editions of one
text share 90 % and more, also where one is cut off or has an introduction; any two others less than 10 %."""
_RUN = 5
"""Words in a run: long enough that hardly any is in two books by chance."""
_KEPT = 8
"""One run in eight is compared: enough for a share, and quick on a long book."""


class Shelf:
    """Titles and authors of the books in a library, to find those that may be one book."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_word: defaultdict[str, dict[str, Record]] = defaultdict(dict)
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Put a book on the shelf."""
        for word in _title(record.title):
            self._by_word[word][record.book_id] = record

    def alike(self, title: str, author: str) -> list[Record]:
        """Return the books of just this title, and those of a title like it that may have this author."""
        wanted = _title(title)
        found = {id: record for word in wanted for id, record in self._by_word.get(word, {}).items()}
        return [
            record
            for record in found.values()
            if wanted == (other := _title(record.title))  # who converted a file may stand there as its author
            or (_one_in_the_other(wanted, other) and _may_be_one(author, record.author))
        ]


def twin_of(record: Record, shelf: Shelf, library: Catalog) -> Record | None:
    """Return the book in the library that has this one's title, author and words, under other bytes."""
    candidates = [one for one in shelf.alike(record.title, record.author) if one.book_id != record.book_id]
    if not candidates:
        return None
    runs = _stored_runs(record, library)
    return next((one for one in candidates if shared(runs, _stored_runs(one, library)) >= SAME), None)


def _stored_runs(record: Record, library: Catalog) -> set[int]:
    return runs_of(str(chunk["text"]) for chunk in library.chunks(record))


def same_bytes(record: Record, path: Path) -> tuple[str, ...]:
    """Return the remark on a file whose very bytes are stored under another name; none for its own name."""
    if spelled(path.absolute()) == record.source:
        return ()
    return (f"the same file is in the library as {record.source}",)


def same_words(twin: Record | None) -> tuple[str, ...]:
    """Return the remark on a book that is there in another format."""
    if twin is None:
        return ()
    return (f"seems to be the same book as “{twin.title}” ({twin.format}), {twin.source}",)


def runs_of(texts: Iterable[str]) -> set[int]:
    """Return a sample of the texts' runs of words, as numbers; the same run is in every sample or in none."""
    words = [word for text in texts for word in re.findall(r"\w+", text.casefold())]
    numbers = (crc32(" ".join(words[i : i + _RUN]).encode()) for i in range(len(words) - _RUN + 1))
    return {number for number in numbers if number % _KEPT == 0}


def shared(one: set[int], other: set[int]) -> float:
    """Return how much of the smaller sample is in the larger, in [0, 1]; 0 where one is empty."""
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer else 0.0


def _title(title: str) -> frozenset[str]:
    # A title that came from a file's name has underscores and hyphens for spaces. Articles and the like, in
    # whatever language, have up to three letters, and come and go.
    words = re.findall(r"[^\W_]+", title.casefold())
    return frozenset(word for word in words if len(word) > 3) or frozenset(words)


def _one_in_the_other(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether a title is the other's, perhaps with a subtitle or an author's name more."""
    return one <= other or other <= one


def _may_be_one(author: str, other: str) -> bool:
    """Tell whether two authors share a name, or one is not known."""
    names, others = (set(re.findall(r"[^\W_]{2,}", each.casefold())) for each in (author, other))
    return not names or not others or bool(names & others)
