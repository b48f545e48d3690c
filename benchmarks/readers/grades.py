"""Grades for cuts by one or more readers: their means by setting, and how far two readers agree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from alexandria.lab import bootstrap
from alexandria.lab.bootstrap import ScoreEstimate
from benchmarks.readers.items import ReviewItem

CUT_GRADES = {
    5: "the thought before is complete, and a new thought, topic, scene or step begins",
    3: "the same topic goes on, but each side can be read by itself",
    1: "mid-thought: the cut parts what belongs together",
}
"""What the grades of a cut mean; 4 and 2 lie between."""
BEGIN_QUESTION = "Given only the passage after the cut, are its first two sentences understandable?"


@dataclass(frozen=True, slots=True)
class Grade:
    """One reader's judgement of one item."""

    cut: int
    """1 to 5, see `CUT_GRADES`."""
    begins: bool
    """The answer to `BEGIN_QUESTION`."""


Grades = Mapping[int, Grade]
"""One reader's grades by the number of the item."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The grades of a group of items: of a setting, or of a setting in one book or domain."""

    group: tuple[str, ...]
    n: int
    """Items with a grade."""
    mean: ScoreEstimate
    """The mean grade of the cuts; an item that several readers graded counts once, with their mean."""
    share_mid_thought: float
    """Share of the grades that are 1."""
    share_begins: float
    """Share of the passages that begin understandably."""


@dataclass(frozen=True, slots=True)
class ReaderAgreement:
    """How far two readers agree on the items that both graded."""

    readers: tuple[str, str]
    n: int
    kappa: float | None
    """Cohen's kappa of the cuts with quadratic weights (1968): 1 for full agreement, 0 for chance; None if
    both readers gave one and the same grade to all."""
    within_one: float
    """Share of cuts whose grades differ by 1 at most."""
    same_begin: float
    """Share of passages on whose beginning they agree."""


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """The result of a review so far."""

    n_items: int
    settings: tuple[GroupScore, ...]
    """By setting, the best mean first."""
    domains: tuple[GroupScore, ...]
    """By domain and setting."""
    books: tuple[GroupScore, ...]
    """By book and setting."""
    readers: Mapping[str, int]
    """The number of grades of each reader."""
    agreements: tuple[ReaderAgreement, ...]


def review_report(items: Sequence[ReviewItem], readers: Mapping[str, Grades]) -> ReviewReport:
    """Return the scores of all readers together, and their agreement in pairs."""
    by_setting = _score_groups(items, readers, lambda item, setting: (setting,))
    return ReviewReport(
        n_items=len(items),
        settings=tuple(sorted(by_setting, key=lambda score: -score.mean.value)),
        domains=_score_groups(items, readers, lambda item, setting: (item.domain, setting)),
        books=_score_groups(items, readers, lambda item, setting: (item.title, setting)),
        readers={reader: len(grades) for reader, grades in readers.items()},
        agreements=tuple(
            measure_agreement((first, second), readers[first], readers[second])
            for first, second in combinations(readers, 2)
            if readers[first].keys() & readers[second].keys()
        ),
    )


def measure_agreement(names: tuple[str, str], first: Grades, second: Grades) -> ReaderAgreement:
    """Return how far two readers agree; at least one item must have a grade of both."""
    pairs = [(first[n], second[n]) for n in first if n in second]
    cuts = np.array([(a.cut, b.cut) for a, b in pairs], np.float64)
    differences = cuts[:, 0] - cuts[:, 1]
    # If the readers' grades were paired at random: the mean over all pairs, (n, 1) − (n,) = (n, n).
    expected = np.mean((cuts[:, :1] - cuts[:, 1]) ** 2)
    return ReaderAgreement(
        readers=names,
        n=len(pairs),
        kappa=float(1 - np.mean(differences**2) / expected) if expected else None,
        within_one=float(np.mean(np.abs(differences) <= 1)),
        same_begin=float(np.mean([a.begins == b.begins for a, b in pairs])),
    )


def _score_groups(
    items: Iterable[ReviewItem],
    readers: Mapping[str, Grades],
    group_of: Callable[[ReviewItem, str], tuple[str, ...]],
) -> tuple[GroupScore, ...]:
    """Return one score per group, in the order in which the groups first appear.

    Args:
        items: the items of the review; an item without a grade is left out.
        readers: the grades of each reader, by name.
        group_of: returns the group of an item under one of its settings; an item counts in each of them.
    """
    groups: dict[tuple[str, ...], list[list[Grade]]] = {}
    for item in items:
        item_grades = [grades[item.n] for grades in readers.values() if item.n in grades]
        if not item_grades:
            continue
        for setting in item.settings:
            groups.setdefault(group_of(item, setting), []).append(item_grades)
    return tuple(_score_group(group, graded) for group, graded in groups.items())


def _score_group(group: tuple[str, ...], graded: Sequence[Sequence[Grade]]) -> GroupScore:
    """Return the score of a group from the grades of each of its items, one or more per item."""

    def per_item(value: Callable[[Grade], float]) -> bootstrap.Values:
        """Return the mean over an item's grades of what `value` takes from a grade, (n_items,)."""
        return np.array([np.mean([value(grade) for grade in grades]) for grades in graded])

    return GroupScore(
        group=group,
        n=len(graded),
        mean=bootstrap.mean(per_item(lambda grade: grade.cut)),
        share_mid_thought=float(per_item(lambda grade: grade.cut == 1).mean()),
        share_begins=float(per_item(lambda grade: grade.begins).mean()),
    )


DESCRIBED: Mapping[str, float] = {
    "philosophy": 4.7,
    "psychology": 4.5,
    "literature": 4.3,
    "technical": 4.2,
}
"""The mean grade per field that the description of Universal Semantic Chunking states, on a scale with
the same wording; the description does not say from which books, cuts and readers, or how many."""


@dataclass(frozen=True, slots=True)
class FieldScore:
    """The grades of a setting in one field."""

    score: GroupScore
    """Grouped by field and setting."""
    n_readers: int
    """Readers who graded one of the cuts."""
    n_books: int
    described: float | None
    """The description's mean grade for the field (`DESCRIBED`), if it states one."""


def field_report(reviews: Iterable[tuple[Sequence[ReviewItem], Mapping[str, Grades]]]) -> list[FieldScore]:
    """Return the grades of several reviews by field and setting, in the order of the fields' names."""
    graded: dict[tuple[str, ...], list[list[Grade]]] = {}
    readers_of: dict[tuple[str, ...], set[tuple[int, str]]] = {}
    books_of: dict[tuple[str, ...], set[str]] = {}
    for number, (items, readers) in enumerate(reviews):
        for item in items:
            grade_by = {name: grades[item.n] for name, grades in readers.items() if item.n in grades}
            if not grade_by:
                continue
            for setting in item.settings:
                group = (item.domain, setting)
                graded.setdefault(group, []).append(list(grade_by.values()))
                # With the review's number: readers of two reviews may have the same name.
                readers_of.setdefault(group, set()).update((number, name) for name in grade_by)
                books_of.setdefault(group, set()).add(item.book_id)
    return [
        FieldScore(
            score=_score_group(group, graded[group]),
            n_readers=len(readers_of[group]),
            n_books=len(books_of[group]),
            described=DESCRIBED.get(group[0]),
        )
        for group in sorted(graded)
    ]
