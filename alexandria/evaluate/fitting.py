"""Costs and threshold fitted to a person's grades, and tested on grades that took no part in the fit.

A review grades a few dozen cuts. What other settings would cut instead has no grade, so a setting is judged
by how it orders the places that have one: of two cuts with different grades, it should find the better one
cheaper. A cut that its threshold forbids is dearer than any other. Chance orders half of the pairs rightly.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.chunking.strategies.optimal import CUT_COSTS, Optimal
from alexandria.chunking.terms import cut_terms
from alexandria.config import Domain, domain_names, load_domain
from alexandria.errors import ConfigError
from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import ScoreEstimate, Values
from alexandria.evaluate.grades import Grades
from alexandria.evaluate.review import ReviewItem
from alexandria.pipeline import Begun

LEAST_GRADES = 20
"""Graded cuts that a fit needs: with fewer, no interval is narrow enough to say anything."""
_FOLDS = 5
_MOST_CHANGES = 3
"""Options that are changed at most: more would be fitted to chance."""
_LEAST_CASES = 8
"""Graded cuts at which a cost must count, for it to be changed."""
_FACTORS = (0.0, 0.5, 2.0)
_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
_LARGEST_COST = 20.0
_FORBIDDEN = 1e3  # more than all costs together

Options = Mapping[str, float]
"""The values of the threshold and of the costs by option."""


@dataclass(frozen=True, slots=True)
class GradedCuts:
    """Places with a grade, and what the strategy knows of them; in the order of the books' texts."""

    grades: Values  # (n,): the mean over readers
    similarities: Values  # (n,)
    at_break: NDArray[np.bool_]  # (n,): where the threshold does not count
    units: Mapping[str, Values]  # of each cost: (n,), what is multiplied by it

    def __len__(self) -> int:
        return len(self.grades)

    def part(self, chosen: NDArray[np.bool_]) -> "GradedCuts":
        """Return some of them."""
        units = {option: values[chosen] for option, values in self.units.items()}
        return GradedCuts(self.grades[chosen], self.similarities[chosen], self.at_break[chosen], units)

    def costs(self, options: Options) -> Values:
        """Return what a cut at each place costs, (n,)."""
        total = sum((options[option] * unit for option, unit in self.units.items()), np.zeros(len(self)))
        forbidden = ~self.at_break & (self.similarities >= options["threshold"])
        return np.asarray(total + _FORBIDDEN * forbidden, np.float64)


@dataclass(frozen=True, slots=True)
class FittedSetting:
    """A setting fitted to grades, beside the present one."""

    present: Domain
    fitted: Domain
    """The setting fitted to all grades; the present one if no change has a gain beyond noise."""
    changes: Mapping[str, tuple[float, float]]
    """The options that were changed, each with its present and its fitted value."""
    n_grades: int
    """Graded cuts that were used, those held back at one time or another included: all of them."""
    readers: tuple[str, ...]
    present_held: ScoreEstimate
    """Share of the pairs of held-back cuts that the present setting orders as the grades do."""
    fitted_held: ScoreEstimate
    """The same of settings fitted to the other grades."""
    gain_held: ScoreEstimate
    """The difference; paired."""

    @property
    def beyond_noise(self) -> bool:
        """Whether fitting to grades helps on grades held back, by more than chance would give."""
        return bool(self.changes) and self.gain_held.above_zero

    @property
    def recommended(self) -> Domain:
        """The fitted setting if it helps beyond noise, otherwise the present one."""
        return self.fitted if self.beyond_noise else self.present


def fit_setting(
    present: Domain, cuts: GradedCuts, readers: Sequence[str], *, file: Path | None = None, seed: int = 0
) -> FittedSetting:
    """Return the present setting with the few changes that the grades ask for, and its test.

    The graded cuts are held back a fifth at a time, in stretches of text: a setting is fitted to the others
    and tested on these. The setting that is returned is fitted to all of them.

    Args:
        present: the domain to improve on.
        cuts: as `graded_cuts` returns them.
        readers: who graded.
        file: the file that the domain was loaded from, if any.
        seed: of the resamples.

    Raises:
        ConfigError: there are too few grades, or all are alike.
    """
    before = _options_of(present)
    held = _held_back(cuts, before, seed)
    changes = {
        option: (before[option], value)
        for option, value in _fit(cuts, before, seed).items()
        if value != before[option]
    }
    options = {option: value for option, (_, value) in changes.items()}
    return FittedSetting(
        present=present,
        fitted=_with_options(present, options, file) if changes else present,
        changes=changes,
        n_grades=len(cuts),
        readers=tuple(readers),
        present_held=bootstrap.mean(held[0], seed=seed),
        fitted_held=bootstrap.mean(held[1], seed=seed),
        gain_held=bootstrap.difference(held[1], held[0], seed=seed),
    )


def graded_cuts(
    begun: Sequence[Begun], present: Domain, items: Sequence[ReviewItem], readers: Mapping[str, Grades]
) -> tuple[GradedCuts, int]:
    """Return the graded cuts of some books, and how many have none of their sentences at their place.

    Args:
        begun: the books, their sentences embedded.
        present: its strategy must be `optimal`.
        items: of the review; those of other books are left out.
        readers: the grades of each.

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
    found: list[tuple[float, float, bool, dict[str, float]]] = []
    n_unplaced = 0
    for book in begun:
        own = sorted((item for item in items if item.book_id == book.book.id), key=lambda item: item.start)
        graded = {item.start: grade for item in own if (grade := _mean_grade(item, readers)) is not None}
        places = {sentence.start: i for i, sentence in enumerate(book.sentences)}
        known = [(places[start], grade) for start, grade in graded.items() if places.get(start)]
        n_unplaced += len(graded) - len(known)
        if known:
            found += _measured(book, present, strategy, known)
    if len(found) < LEAST_GRADES or len({grade for grade, *_ in found}) < 2:
        raise ConfigError(
            "there are too few grades to fit a setting to",
            why=f"{len(found)} cuts of these books have a grade, and {LEAST_GRADES} are needed, not all alike"
            + (f"; {n_unplaced} more are in a text that has been read otherwise" if n_unplaced else ""),
            fix="grade more: alexandria review BOOKS; and name the books that were graded",
        )
    grades, similarities, at_break, units = zip(*found, strict=True)
    options = {f"{name}_cost" for unit in units for name in unit}
    cuts = GradedCuts(
        grades=np.array(grades, np.float64),
        similarities=np.array(similarities, np.float64),
        at_break=np.array(at_break, np.bool_),
        units={
            option: np.array([unit.get(option.removesuffix("_cost"), 0.0) for unit in units], np.float64)
            for option in CUT_COSTS
            if option in options
        },
    )
    return cuts, n_unplaced


def concordance(costs: Values, grades: Values) -> Values:
    """Return for each cut the share of the others with another grade that its cost tells rightly, (n,).

    Equal costs count half; NaN where all grades are equal.
    """
    better = np.sign(grades[:, None] - grades[None, :])
    cheaper = np.sign(costs[None, :] - costs[:, None])
    right = np.where(better == 0, 0.0, (1 + better * cheaper) / 2)
    n_others = (better != 0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(right.sum(axis=1) / n_others, np.float64)


def _mean_grade(item: ReviewItem, readers: Mapping[str, Grades]) -> float | None:
    own = [grades[item.n].cut for grades in readers.values() if item.n in grades]
    return float(np.mean(own)) if own else None


def _measured(
    begun: Begun, present: Domain, strategy: Optimal, known: Sequence[tuple[int, float]]
) -> Iterator[tuple[float, float, bool, dict[str, float]]]:
    """Yield of each graded sentence its grade, similarity, whether a break is there, and its units."""
    ones: dict[str, Any] = dict.fromkeys(CUT_COSTS, 1.0)
    terms = cut_terms(
        replace(strategy, **ones),
        begun.embeddings(),
        begun.sentences,
        begun.book,
        respect_sections=present.respect_sections,
        cues=begun.cues,
    )
    for i, grade in known:
        if terms.is_choice[i]:
            units = {name: float(values[i]) for name, values in terms.costs.items()}
            yield grade, float(terms.similarities[i]), bool(terms.at_break[i]), units


def _options_of(domain: Domain) -> dict[str, float]:
    return {option: float(getattr(domain.strategy, option)) for option in ("threshold", *CUT_COSTS)}


def _held_back(cuts: GradedCuts, before: Options, seed: int) -> tuple[Values, Values]:
    """Return how well held-back cuts are ordered by the present setting and by the fitted ones, (n,) each.

    Raises:
        ConfigError: no two grades that are held back together differ.
    """
    fold = np.arange(len(cuts)) * _FOLDS // len(cuts)
    present, fitted = [], []
    for k in range(_FOLDS):
        held = cuts.part(fold == k)
        options = _fit(cuts.part(fold != k), before, seed)
        present.append(concordance(held.costs(before), held.grades))
        fitted.append(concordance(held.costs(options), held.grades))
    known = np.isfinite(np.concatenate(present))
    if not known.any():
        raise ConfigError(
            "the grades are too much alike to fit a setting to",
            why="in no stretch of the text do two cuts have different grades",
            fix="grade more: alexandria review BOOKS",
        )
    return np.concatenate(present)[known], np.concatenate(fitted)[known]


def _fit(cuts: GradedCuts, before: Options, seed: int) -> Options:
    """Return the options with those changes that have the surest gain, one after the other, if beyond noise.

    The surest gain is the one whose paired interval has the highest lower end.
    """
    options = dict(before)
    scores = _scores(cuts, options)
    for _ in range(_MOST_CHANGES):
        best, best_scores, surest = options, scores, 0.0
        for changed in _changed(cuts, options, before):
            candidate = _scores(cuts, changed)
            gain = bootstrap.difference(candidate, scores, seed=seed) if len(scores) else None
            if gain is not None and gain.low > surest:
                best, best_scores, surest = changed, candidate, gain.low
        if best is options:
            break
        options, scores = best, best_scores
    return options


def _scores(cuts: GradedCuts, options: Options) -> Values:
    scores = concordance(cuts.costs(options), cuts.grades)
    return scores[np.isfinite(scores)]


def _changed(cuts: GradedCuts, options: Mapping[str, float], before: Options) -> Iterator[dict[str, float]]:
    """Yield the options with one of them changed that has not been changed yet."""
    open_options = [option for option in cuts.units if options[option] == before[option]]
    for option in open_options:
        if np.count_nonzero(cuts.units[option]) >= _LEAST_CASES and options[option]:
            for factor in _FACTORS:
                value = min(_LARGEST_COST, max(-_LARGEST_COST, factor * options[option]))
                yield {**options, option: value}
    if options["threshold"] == before["threshold"]:
        for threshold in _THRESHOLDS:
            if threshold < before["threshold"]:  # above, a setting cuts where nothing has been graded
                yield {**options, "threshold": threshold}


def _with_options(present: Domain, options: Options, file: Path | None) -> Domain:
    return load_domain(None if file else present.name, options=dict(options), file=file)


def fitted_yaml(result: FittedSetting, command: str) -> str:
    """Return the fitted setting as a domain file, with a comment on how it was found."""
    present, gain = result.present, result.gain_held
    comments = (
        f"Found by: {command}",
        f"Fitted to {result.n_grades} cuts graded by {', '.join(result.readers)}. Of pairs of grades held"
        f" back, it orders {result.fitted_held.value:.3f} rightly, {present.name}"
        f" {result.present_held.value:.3f}: {gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}].",
    )
    lines = [
        *(f"# {' '.join(comment.split())}" for comment in comments),
        *([f"extends: {present.name}"] if present.name in domain_names() else []),
        f"description: {json.dumps(f'{present.description or present.name}, fitted', ensure_ascii=False)}",
        f"strategy: {present.strategy.name}",
        *(f"{option}: {value:g}" for option, (_, value) in result.changes.items()),
    ]
    return "\n".join(lines) + "\n"
