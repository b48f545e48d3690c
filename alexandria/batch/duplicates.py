"""The same work in another file or edition: the bytes differ, but the words agree."""

import re
from collections.abc import Sequence
from pathlib import Path

from alexandria.extract.clean import path_text
from alexandria.likeness import likeness, shared, unpacked, word_runs
from alexandria.store.catalog import Catalog
from alexandria.store.lookup import looked_up_runs
from alexandria.store.record import Record

SAME_TEXT = 0.5
"""Share of the shorter text's word runs that the longer one has as well. Among 37 real books, editions of one
text share 90 % and more, even if one is truncated or has an introduction; any two others less than 10 %."""
_LONGER = 2.0
"""A text so many times as long may be a collection that includes the other: titles and authors must agree."""
_FEWEST_WORDS = 50
"""Fewer words may be the same in different books: "This file is not yet available", a licence, a template."""


class EditionIndex:
    """The books of a library, to look up the one that is the same work as another."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._without_sketch: dict[str, Record] | None = None

    def add(self, record: Record) -> None:
        """Take note of a book that has been stored; the catalog itself finds those that have a sketch."""
        if self._without_sketch is not None:
            self._without_sketch.pop(record.book_id, None)
            self._without_sketch |= {} if record.sketch else {record.book_id: record}

    def find(self, record: Record, texts: Sequence[str]) -> Record | None:
        """Return the stored book that is the same work as this one, the most similar if there are several.

        Args:
            record: the book, which need not be stored yet.
            texts: its text.
        """
        sketch = unpacked(record.sketch)
        others = self._catalog.with_runs(looked_up_runs(record.sketch))
        others = [other for other in others if other.book_id != record.book_id]
        alike = [(likeness(sketch, unpacked(other.sketch)), other.book_id, other) for other in others]
        alike = [found for found in alike if found[0] >= SAME_TEXT and _is_one_work(record, found[2])]
        return max(alike)[2] if alike else self._find_without_sketch(record, texts)

    def _find_without_sketch(self, record: Record, texts: Sequence[str]) -> Record | None:
        """Compare the whole text with the books whose record has no sketch, if their titles are similar."""
        if self._without_sketch is None:
            self._without_sketch = {other.book_id: other for other in self._catalog.without_sketch()}
        others = [other for id, other in self._without_sketch.items() if id != record.book_id]
        others = [other for other in others if same_name(record, other)]
        runs = word_runs(texts) if others else set()
        return next((other for other in others if shared(runs, self._runs_of(other)) >= SAME_TEXT), None)

    def _runs_of(self, record: Record) -> set[int]:
        return word_runs(str(chunk["text"]) for chunk in self._catalog.chunks(record))


def _is_one_work(record: Record, other: Record) -> bool:
    """Return whether books whose words agree are one work; where words say too little, titles must agree."""
    shorter, longer = sorted((record.n_words, other.n_words))
    alike_in_length = shorter >= _FEWEST_WORDS and longer <= _LONGER * shorter
    return alike_in_length or same_name(record, other)


def same_name(record: Record, other: Record) -> bool:
    """Return whether two books have the same title, or a similar title and perhaps the same author."""
    words, others = _title_words(record.title), _title_words(other.title)
    # With the same title any author will do: that of a converted file may be who converted it.
    return words == others or (
        _is_subtitled(words, others) and _may_be_same_author(record.author, other.author)
    )


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
