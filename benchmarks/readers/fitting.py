"""Costs and threshold fitted to a person's grades, and tested on grades that took no part in the fit.

A review grades a few dozen cuts. What other settings would cut instead has no grade, so a setting is judged
by how it orders the places that have one: of two cuts with different grades, the better one should cost less.
A cut that the threshold forbids costs more than any other. Chance orders half of the pairs correctly.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alexandria.chunking.domains import Domain
from alexandria.chunking.strategies.optimal import CUT_COSTS, Optimal
from alexandria.errors import ConfigError
from alexandria.lab import bootstrap
from alexandria.lab.bootstrap import ScoreEstimate, Values
from alexandria.lab.domain_file import domain_yaml
from alexandria.library.ingest.one_book import PendingAnalysis
from benchmarks.readers.grades import Grades
from benchmarks.readers.items import ReviewItem
from benchmarks.readers.terms import cut_terms

MIN_GRADES = 20
"""Graded cuts that a fit needs: with fewer, no interval is narrow enough to say anything."""
_FOLDS = 5
"""Parts of the graded cuts, each of which is held back once."""
_MAX_CHANGES = 3
"""Options that a fit changes: more changes would be fitted to chance."""
_MIN_CASES = 8
"""A fit changes a cost only if it counts at this many graded cuts."""
_FACTORS = (0.0, 0.5, 2.0)
"""What a cost is multiplied by to try another value."""
_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
_MAX_COST = 20.0
"""The highest cost that a fit tries for one option, above or below 0."""
_FORBIDDEN_COST = 1e3
"""Cost of a cut that the threshold forbids: more than all costs together."""

Options = Mapping[str, float]
"""The values of the threshold and of the costs by option."""


@dataclass(frozen=True, slots=True)
class GradedCuts:
    """Places with a grade, and what the strategy knows of them; in the order of the books' texts."""

    grades: Values  # (n,): means over readers
    similarities: Values  # (n,)
    at_break: NDArray[np.bool_]  # (n,): where the threshold does not count
    units: Mapping[str, Values]  # by cost option: (n,), how often the cost counts at each cut

    def __len__(self) -> int:
        return len(self.grades)

    def select(self, chosen: NDArray[np.bool_]) -> "GradedCuts":
        """Return the cuts that a mask, (n,), selects."""
        units = {option: values[chosen] for option, values in self.units.items()}
        return GradedCuts(self.grades[chosen], self.similarities[chosen], self.at_break[chosen], units)

    def costs(self, options: Options) -> Values:
        """Return what a cut at each place costs, (n,); far more where the threshold forbids it."""
        total = sum((options[option] * unit for option, unit in self.units.items()), np.zeros(len(self)))
        forbidden = ~self.at_break & (self.similarities >= options["threshold"])
        return np.asarray(total + _FORBIDDEN_COST * forbidden, np.float64)


@dataclass(frozen=True, slots=True)
class FittedSetting:
    """A setting fitted to grades, and how it compares with the present one."""

    present: Domain
    fitted: Domain
    """The setting fitted to all grades; the present one if no change has a gain beyond noise."""
    changes: Mapping[str, tuple[float, float]]
    """The options that were changed, each with its present and its fitted value."""
    n_grades: int
    """Graded cuts that were used: each of them is held back once."""
    readers: tuple[str, ...]
    present_heldout: ScoreEstimate
    """Share of the pairs of held-back cuts that the present setting orders as the grades do."""
    fitted_heldout: ScoreEstimate
    """The same share for settings fitted to the other grades."""
    gain_heldout: ScoreEstimate
    """The paired difference of these shares."""

    @property
    def beyond_noise(self) -> bool:
        """Whether fitting to grades helps on grades held back, by more than chance would give."""
        return bool(self.changes) and self.gain_heldout.above_zero

    @property
    def recommended(self) -> Domain:
        """The fitted setting if it helps beyond noise, otherwise the present one."""
        return self.fitted if self.beyond_noise else self.present


def fit_setting(present: Domain, cuts: GradedCuts, readers: Sequence[str], *, seed: int = 0) -> FittedSetting:
    """Fit the present setting to the grades, and test the fit by cross-validation.

    For the test, the graded cuts are held back a fifth at a time, in stretches of text: a setting is fitted
    to the other cuts and tested on those held back. The setting that is returned is fitted to all cuts.

    Args:
        present: the domain to improve on.
        cuts: as `graded_cuts` returns them.
        readers: who graded.
        seed: the seed of the resampling.

    Raises:
        ConfigError: in no part of the text do the grades differ.
    """
    before = _options_of(present)
    present_scores, fitted_scores = _cross_validate(cuts, before, seed)
    fitted = _fit(cuts, before, seed)
    options = {option: value for option, value in fitted.items() if value != before[option]}
    changes = {option: (before[option], value) for option, value in options.items()}
    return FittedSetting(
        present=present,
        fitted=replace(present, strategy=replace(present.strategy, **options)),
        changes=changes,
        n_grades=len(cuts),
        readers=tuple(readers),
        present_heldout=bootstrap.mean(present_scores, seed=seed),
        fitted_heldout=bootstrap.mean(fitted_scores, seed=seed),
        gain_heldout=bootstrap.difference(fitted_scores, present_scores, seed=seed),
    )


def graded_cuts(
    pending_analyses: Sequence[PendingAnalysis],
    present: Domain,
    items: Sequence[ReviewItem],
    readers: Mapping[str, Grades],
) -> tuple[GradedCuts, int]:
    """Return the graded cuts of some books, and the number of other graded cuts, where no sentence begins.

    A cut without a grade is left out, and so is one where a section begins.

    Args:
        pending_analyses: the books, split into sentences and embedded.
        present: its strategy must be `optimal`.
        items: the items of the review; items of other books are left out.
        readers: the grades of each reader, by name.

    Raises:
        ConfigError: the strategy has no costs, or too few graded cuts are in these books.
    """
    strategy = present.strategy
    if not isinstance(strategy, Optimal):
        raise ConfigError(
            f"cannot fit {strategy.name} to grades",
            why="its cuts have no costs",
            fix="--domain with strategy: optimal",
        )
    measured: list[_MeasuredCut] = []
    n_unplaced = 0
    for pending in pending_analyses:
        book_items = [item for item in items if item.book_id == pending.book.id]
        # By offset, in the order of the text. Settings that were added later may cut at the same place.
        grades_at: dict[int, list[int]] = {}
        for item in sorted(book_items, key=lambda item: item.start):
            if cut_grades := [grades[item.n].cut for grades in readers.values() if item.n in grades]:
                grades_at.setdefault(item.start, []).extend(cut_grades)
        number_at = {sentence.start: number for number, sentence in enumerate(pending.sentences)}
        placed = [
            (number_at[start], float(np.mean(cut_grades)))
            for start, cut_grades in grades_at.items()
            if number_at.get(start, 0) > 0  # no cut is before sentence 0
        ]
        n_unplaced += len(grades_at) - len(placed)
        if placed:
            measured += _measure_cuts(pending, present, strategy, placed)
    all_alike = len({cut.grade for cut in measured}) < 2
    if len(measured) < MIN_GRADES or all_alike:
        why = f"{len(measured)} cuts of these books have a grade, and {MIN_GRADES} are needed, not all alike"
        if n_unplaced:
            why += f"; {n_unplaced} more are in a text that has been read otherwise"
        raise ConfigError(
            "there are too few grades to fit a setting to",
            why=why,
            fix="grade more: alexandria review BOOKS; and name the books that were graded",
        )
    return _as_arrays(measured), n_unplaced


def concordance(costs: Values, grades: Values) -> Values:
    """Return for each cut the share of the cuts with another grade that its cost ranks correctly, (n,).

    Equal costs count half; NaN if all cuts have the same grade.
    """
    # (n, n): [i, j] is 1 where cut i has a better grade, or a lower cost, than cut j; −1 if reversed.
    better = np.sign(grades[:, None] - grades[None, :])
    cheaper = np.sign(costs[None, :] - costs[:, None])
    right = np.where(better == 0, 0.0, (1 + better * cheaper) / 2)
    n_others = (better != 0).sum(axis=1)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, as documented
        return np.asarray(right.sum(axis=1) / n_others, np.float64)


class _MeasuredCut(NamedTuple):
    """A graded cut: a row of `GradedCuts`."""

    grade: float
    similarity: float
    at_break: bool
    units: dict[str, float]
    """How often each cost counts here, by its name without `_cost`."""


def _measure_cuts(
    pending: PendingAnalysis, present: Domain, strategy: Optimal, graded: Sequence[tuple[int, float]]
) -> Iterator[_MeasuredCut]:
    """Yield the graded cuts of a book, except where a section begins: there a cut is made in any case.

    Args:
        pending: the book.
        present: the domain that the book is cut with.
        strategy: the strategy of this domain.
        graded: the number of the sentence after each cut, and the grade of the cut.
    """
    # A term is a cost of the options, times how often it counts at a cut. With every cost at 1, the terms
    # are these counts, the units.
    ones: dict[str, Any] = dict.fromkeys(CUT_COSTS, 1.0)
    terms = cut_terms(
        replace(strategy, **ones),
        pending.embeddings(),
        pending.sentences,
        pending.book,
        respect_sections=present.respect_sections,
        cues=pending.cues,
    )
    for i, grade in graded:
        if terms.is_choice[i]:
            units = {name: float(values[i]) for name, values in terms.costs.items()}
            yield _MeasuredCut(grade, float(terms.similarities[i]), bool(terms.at_break[i]), units)


def _as_arrays(cuts: Sequence[_MeasuredCut]) -> GradedCuts:
    """Return the cuts as arrays; a cost that counts nowhere in a cut's book has 0 units at the cut."""
    counted_options = {f"{name}_cost" for cut in cuts for name in cut.units}
    return GradedCuts(
        grades=np.array([cut.grade for cut in cuts], np.float64),
        similarities=np.array([cut.similarity for cut in cuts], np.float64),
        at_break=np.array([cut.at_break for cut in cuts], np.bool_),
        units={
            option: np.array([cut.units.get(option.removesuffix("_cost"), 0.0) for cut in cuts], np.float64)
            for option in CUT_COSTS
            if option in counted_options
        },
    )


def _options_of(domain: Domain) -> dict[str, float]:
    """Return the threshold and the costs of cuts of a domain whose strategy is `optimal`."""
    return {option: float(getattr(domain.strategy, option)) for option in ("threshold", *CUT_COSTS)}


def _cross_validate(cuts: GradedCuts, before: Options, seed: int) -> tuple[Values, Values]:
    """Return how well held-out cuts are ordered by the present setting and by fitted ones, (n,) each.

    Each part of the text is held out once, while a setting is fitted to the other parts. A cut's score is its
    `concordance` among the cuts held out with it. Parts in which all grades are alike have no scores.

    Raises:
        ConfigError: no two grades that are held back together differ.
    """
    fold = np.arange(len(cuts)) * _FOLDS // len(cuts)  # (n,): 0 … 0, 1 … 1, …: each fold is a stretch of text
    present_folds, fitted_folds = [], []
    for k in range(_FOLDS):
        heldout = cuts.select(fold == k)
        options = _fit(cuts.select(fold != k), before, seed)
        present_folds.append(concordance(heldout.costs(before), heldout.grades))
        fitted_folds.append(concordance(heldout.costs(options), heldout.grades))
    present, fitted = np.concatenate(present_folds), np.concatenate(fitted_folds)
    # The grades alone decide which cuts can be compared: one mask serves both settings.
    comparable = np.isfinite(present)
    if not comparable.any():
        raise ConfigError(
            "the grades are too much alike to fit a setting to",
            why="in no stretch of the text do two cuts have different grades",
            fix="grade more: alexandria review BOOKS",
        )
    return present[comparable], fitted[comparable]


def _fit(cuts: GradedCuts, before: Options, seed: int) -> Options:
    """Return the options with at most `_MAX_CHANGES` changed, each time the one with the surest gain.

    The surest gain is the one whose paired interval has the highest lower end; if that is not above 0,
    no more is changed.
    """
    options = dict(before)
    scores = _score_cuts(cuts, options)
    if not len(scores):
        return options  # all grades are alike
    for _ in range(_MAX_CHANGES):
        best, best_scores, surest = options, scores, 0.0
        for changed in _single_changes(cuts, options, before):
            changed_scores = _score_cuts(cuts, changed)
            gain = bootstrap.difference(changed_scores, scores, seed=seed)
            if gain.low > surest:
                best, best_scores, surest = changed, changed_scores, gain.low
        if best is options:
            break
        options, scores = best, best_scores
    return options


def _score_cuts(cuts: GradedCuts, options: Options) -> Values:
    """Return the concordance of the cuts that have others to compare with."""
    scores = concordance(cuts.costs(options), cuts.grades)
    return scores[np.isfinite(scores)]


def _single_changes(
    cuts: GradedCuts, options: Mapping[str, float], before: Options
) -> Iterator[dict[str, float]]:
    """Yield the options with one more of them changed, to each of its other values in turn."""
    unchanged = [option for option in cuts.units if options[option] == before[option]]
    for option in unchanged:
        cost = options[option]
        n_cases = np.count_nonzero(cuts.units[option])
        if n_cases >= _MIN_CASES and cost:  # a cost of 0 stays 0 whatever it is multiplied by
            for factor in _FACTORS:
                value = min(_MAX_COST, max(-_MAX_COST, factor * cost))
                yield {**options, option: value}
    if options["threshold"] == before["threshold"]:
        for threshold in _THRESHOLDS:
            if threshold < before["threshold"]:  # a higher one would allow cuts that nobody has graded
                yield {**options, "threshold": threshold}


def fitted_yaml(result: FittedSetting, command: str) -> str:
    """Return the fitted setting as a domain file, with a comment on how it was found."""
    present, gain = result.present, result.gain_heldout
    comments = (
        f"Found by: {command}",
        f"Fitted to {result.n_grades} cuts graded by {', '.join(result.readers)}.",
        f"Tested by cross-validation: on cuts that were held back, settings fitted to the other cuts order"
        f" {result.fitted_heldout.value:.3f} of the pairs as the grades do, and {present.name}"
        f" {result.present_heldout.value:.3f} (gain {gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]).",
    )
    return domain_yaml(result.fitted, f"{present.description or present.name}, fitted", comments)
