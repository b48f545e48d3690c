"""Finds the same work in another file or edition: the bytes differ, but most of the words agree."""

import re
from pathlib import Path

from alexandria.book.shingles import likeness, lookup_shingles, unpack_sketch
from alexandria.extract.clean import path_text
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record

SAME_TEXT = 0.5
"""Lowest share of the shorter text's shingles that must be in the longer text. Among 37 real books, editions
of one text share 90 % and more, even if one is truncated or has an introduction; different texts share less
than 10 %."""
_MAX_LENGTH_RATIO = 2.0
"""A text that is longer than this many times the other may be a collection that includes it: titles and
authors must agree as well."""
_MIN_WORDS = 50
"""Shorter texts may agree in different books: "This file is not yet available", a licence, a template."""
_MAX_ARTICLE_LETTERS = 3
"""Articles and the like are no longer than this in any language, and are often dropped from a title."""


def find_same_work(catalog: Catalog, record: Record) -> Record | None:
    """Return the stored book that is the same work as this one, the most similar if there are several.

    It may be the one that this book replaces: what was read from the same path before it changed.

    Candidates share some of the shingles of its MinHash sketch with the book.

    Args:
        record: the book, which need not be stored yet.
    """
    sketch = unpack_sketch(record.sketch)
    others = catalog.with_shingles(lookup_shingles(record.sketch))
    scored = [
        (likeness(sketch, unpack_sketch(other.sketch)), other)
        for other in others
        if other.book_id != record.book_id
    ]
    editions = [
        (score, other) for score, other in scored if score >= SAME_TEXT and _is_one_work(record, other)
    ]
    # The book that is replaced comes last. The id decides between equally similar ones, not their order.
    best = max(
        editions,
        key=lambda scored: (scored[1].source != record.source, scored[0], scored[1].book_id),
        default=None,
    )
    return None if best is None else best[1]


def _is_one_work(record: Record, other: Record) -> bool:
    """Return whether two books with the same text are one work."""
    # If one is very short, or much longer than the other, their titles must agree as well.
    shorter, longer = sorted((record.n_words, other.n_words))
    is_similar_length = shorter >= _MIN_WORDS and longer <= _MAX_LENGTH_RATIO * shorter
    return is_similar_length or same_name(record, other)


def same_name(record: Record, other: Record) -> bool:
    """Return whether two books have the same title, or a similar title and perhaps the same author."""
    words, other_words = _title_words(record.title), _title_words(other.title)
    # With the same title the authors may differ: a converter may have put its own name into the file.
    return words == other_words or (
        _is_subtitled(words, other_words) and _may_be_same_author(record.author, other.author)
    )


def remark_on_same_file(record: Record, path: Path) -> tuple[Remark, ...]:
    """Return a remark if the same bytes are stored under another path; empty if the path is the same."""
    if path_text(path.absolute()) == record.source:
        return ()
    return (Remark(RemarkKind.PLAIN, f"the same file is in the library as {record.source}"),)


def remark_on_duplicate(duplicate: Record | None, record: Record) -> tuple[Remark, ...]:
    """Return a remark that names another edition of a book in the library; empty if there is none."""
    if duplicate is None or duplicate.source == record.source:  # the book has replaced it
        return ()
    named = f"“{duplicate.title}” ({duplicate.format}), {duplicate.source}"
    return (Remark(RemarkKind.PLAIN, f"seems to be the same book as {named}"),)


def _title_words(title: str) -> frozenset[str]:
    """Return the words by which titles of one work are compared: short ones only if there are no others."""
    # A title taken from a file name has underscores and hyphens in place of spaces.
    words = re.findall(r"[^\W_]+", title.casefold())
    return frozenset(word for word in words if len(word) > _MAX_ARTICLE_LETTERS) or frozenset(words)


def _is_subtitled(title: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether one title is the other, perhaps with a subtitle or the name of an author added."""
    return title <= other or other <= title


def _may_be_same_author(author: str, other: str) -> bool:
    """Return whether two authors share a name, or one is unknown."""
    names, other_names = (set(re.findall(r"[^\W_]{2,}", text.casefold())) for text in (author, other))
    return not names or not other_names or bool(names & other_names)
