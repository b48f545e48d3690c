"""The same book in two formats: the bytes differ, but title, author and words agree."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from alexandria.extract.clean import path_text
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record

SAME_TEXT = 0.5
"""Share of the shorter text's word runs that the longer one has as well. Among 37 real books, editions of one
text share 90 % and more, even if one is truncated or has an introduction; any two others less than 10 %."""
_RUN_WORDS = 5
"""Long enough that hardly any run is in two books by chance."""
_SAMPLED = 8
"""One run in eight is compared: enough to estimate a share, and fast for a long book."""


class TitleIndex:
    """Titles and authors of the books in a library, to look up those that may be the same book."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_word: defaultdict[str, dict[str, Record]] = defaultdict(dict)
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Add a book."""
        for word in _title_words(record.title):
            self._by_word[word][record.book_id] = record

    def similar(self, title: str, author: str) -> list[Record]:
        """Return the books of exactly this title, and those of a similar title that may be by this author."""
        words = _title_words(title)
        records = {id: record for word in words for id, record in self._by_word.get(word, {}).items()}
        return [
            record
            for record in records.values()
            # With the same title any author will do: that of a converted file may be who converted it.
            if words == (other := _title_words(record.title))
            or (_is_subtitled(words, other) and _may_be_same_author(author, record.author))
        ]


def find_duplicate(record: Record, titles: TitleIndex, catalog: Catalog) -> Record | None:
    """Return the book in the library that has the title, author and words of this one, but other bytes."""
    candidates = [
        other for other in titles.similar(record.title, record.author) if other.book_id != record.book_id
    ]
    if not candidates:
        return None
    runs = _stored_runs(record, catalog)
    return next(
        (other for other in candidates if shared(runs, _stored_runs(other, catalog)) >= SAME_TEXT), None
    )


def _stored_runs(record: Record, catalog: Catalog) -> set[int]:
    return word_runs(str(chunk["text"]) for chunk in catalog.chunks(record))


def remark_on_same_file(record: Record, path: Path) -> tuple[str, ...]:
    """Return the remark on a file whose very bytes are stored under another name; none for its own name."""
    if path_text(path.absolute()) == record.source:
        return ()
    return (f"the same file is in the library as {record.source}",)


def remark_on_duplicate(duplicate: Record | None) -> tuple[str, ...]:
    """Return the remark on a book that is in the library in another format."""
    if duplicate is None:
        return ()
    return (f"seems to be the same book as “{duplicate.title}” ({duplicate.format}), {duplicate.source}",)


def word_runs(texts: Iterable[str]) -> set[int]:
    """Return hashes of a sample of the runs of words; the same run is in every sample or in none."""
    words = [word for text in texts for word in re.findall(r"\w+", text.casefold())]
    hashes = (crc32(" ".join(words[i : i + _RUN_WORDS]).encode()) for i in range(len(words) - _RUN_WORDS + 1))
    return {number for number in hashes if number % _SAMPLED == 0}


def shared(runs: set[int], others: set[int]) -> float:
    """Return the share of the smaller sample that is in the larger, in [0, 1]; 0 if one is empty."""
    smaller = min(len(runs), len(others))
    return len(runs & others) / smaller if smaller else 0.0


def _title_words(title: str) -> frozenset[str]:
    # A title taken from a file name has underscores and hyphens in place of spaces. Articles and the like
    # have up to three letters in any language, and are often dropped.
    words = re.findall(r"[^\W_]+", title.casefold())
    return frozenset(word for word in words if len(word) > 3) or frozenset(words)


def _is_subtitled(title: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether one title is the other, perhaps with a subtitle or the name of an author added."""
    return title <= other or other <= title


def _may_be_same_author(author: str, other: str) -> bool:
    """Return whether two authors share a name, or one is unknown."""
    names, others = (set(re.findall(r"[^\W_]{2,}", each.casefold())) for each in (author, other))
    return not names or not others or bool(names & others)
