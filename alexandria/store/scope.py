"""The summary of a library, and the scope of a search, from records that have been read."""

from collections import Counter
from collections.abc import Collection

from alexandria.store.record import Record, work_of
from alexandria.store.store import Scope, Summary


def summary_of(records: Collection[Record]) -> Summary:
    """Return the summary of the books with these records."""
    first = next(iter(records), None)
    return Summary(
        n_books=len(records),
        languages=frozenset(record.language for record in records),
        n_without_sentences=n_without_sentences(records),
        model="" if first is None else str(first.settings["model"]),
        precisions=frozenset(record.precision for record in records if record.precision is not None),
        works=tuple(work for work, n in Counter(map(work_of, records)).items() if n > 1),
    )


def scope_of(records: Collection[Record]) -> Scope:
    """Return the scope of a search in the books with these records."""
    return Scope(
        n_books=len(records),
        languages=frozenset(record.language for record in records),
        n_without_sentences=n_without_sentences(records),
        where={"generation": [record.generation for record in records]},
    )


def n_without_sentences(records: Collection[Record]) -> int:
    """Return how many of these books have no sentence vectors."""
    return sum(not record.settings.get("sentence_vectors", True) for record in records)
