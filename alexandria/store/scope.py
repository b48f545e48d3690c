"""What a search must know of the books it considers, without the record of each."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from alexandria.store.record import Record, work_of
from alexandria.store.store import Summary


def summary_of(records: Collection[Record]) -> Summary:
    """Sum up books that have been read."""
    first = next(iter(records), None)
    return Summary(
        n_books=len(records),
        languages=frozenset(record.language for record in records),
        sentence_vectors=has_sentence_vectors(records),
        model="" if first is None else str(first.settings["model"]),
        works=tuple(work for work, n in Counter(map(work_of, records)).items() if n > 1),
    )


def has_sentence_vectors(records: Iterable[Record]) -> bool:
    """Return whether all of these books have sentence vectors."""
    return all(record.settings.get("sentence_vectors", True) for record in records)


@dataclass(frozen=True, slots=True)
class Scope:
    """The books that a search considers, and what it must know of them."""

    languages: frozenset[str | None]
    sentence_vectors: bool
    """Whether every one of them has sentence vectors."""
    generations: tuple[str, ...] | None = None
    """Those of the books; None considers every book of the library but those of `without`."""
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Scope":
        """Return the scope of some books, at least one."""
        return cls(
            languages=frozenset(record.language for record in records),
            sentence_vectors=has_sentence_vectors(records),
            generations=tuple(record.generation for record in records),
        )
