"""The best setting for some books, or for one: searched on one half, tested on the other.

Settings are drawn at random from a grid (Bergstra and Bengio 2012) instead of being enumerated: with the same
number of trials, a random draw tries more values of the options that matter. The best of many settings looks
better on the half it was chosen on than it is; the other half shows how good it really is.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from alexandria.book.choices import Mode
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import Domain, load_domain
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.lab import BUDGET, bootstrap
from alexandria.lab.books_and_questions import Inputs
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.domain_file import domain_yaml
from alexandria.lab.scores import OBJECTIVES, Material, Objective, ObjectiveOf
from alexandria.lab.settings import refuse_sentences


@dataclass(frozen=True, slots=True)
class Halves:
    """The scores that settings are searched by, and the scores that the best setting is tested by."""

    train: Objective
    test: Objective
    train_titles: tuple[str, ...]
    test_titles: tuple[str, ...]


def halves_of_books(build: ObjectiveOf, material: Material, seed: int) -> Halves:
    """Return the objective on one half of the books, and on the other; an objective scores a domain.

    Args:
        build: makes the objective, given some of the books.
        seed: the same seed gives the same halves.

    Raises:
        ConfigError: a half has no questions or sections.
    """
    train, test = split_in_halves(len(material.books), seed)
    titles = [book.title for book in material.books]
    return Halves(
        train=build(material, train),
        test=build(material, test),
        train_titles=tuple(titles[i] for i in train),
        test_titles=tuple(titles[i] for i in test),
    )


def halves_of_book(build: ObjectiveOf, material: Material, present: Domain, seed: int) -> Halves:
    """Return the objective on one half of a book, and on the other; an objective scores a domain.

    Neighbouring questions and stretches are alike, so the book is divided in its middle, not at random. Which
    half settings are searched on is random.

    Args:
        present: any domain: the number of units that are scored (questions, or stretches of text) is the
            same for all.
        seed: decides which half is searched on, and which tested on.

    Raises:
        ConfigError: the book has no questions or sections, or too few for two halves.
    """
    book = material.books[0]
    # Sorted by place: each half of the scores then is one half of the book.
    in_order = replace(
        material, questions=sorted(material.questions, key=lambda question: question.references)
    )
    whole = build(in_order, [0])
    n_units = len(whole(present))
    if n_units < 2:
        raise ConfigError(
            "this book is too short to tune with",
            why=f"one half of {book.title} is used to find the setting, the other half to test it",
            fix="name more books",
        )
    middle = (n_units + 1) // 2
    parts = [
        (f"the first half of {book.title}", slice(None, middle)),
        (f"the second half of {book.title}", slice(middle, None)),
    ]
    random.Random(seed).shuffle(parts)
    (train_title, train), (test_title, test) = parts
    return Halves(
        train=lambda domain: whole(domain)[train],
        test=lambda domain: whole(domain)[test],
        train_titles=(train_title,),
        test_titles=(test_title,),
    )


def split_in_halves(n: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the positions of the books to search on, and of the books to test on: as many, or one fewer."""
    order = random.Random(seed).sample(range(n), n)
    middle = (n + 1) // 2
    return sorted(order[:middle]), sorted(order[middle:])


GRID: Mapping[str, Sequence[Any]] = {
    "threshold": (-0.5, 0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7),
    "min_words": (0, 50, 100, 200),
    "max_words": (120, 170, 250, 350, 500, 800, 1200),
    "chunk_cost": (-4.0, -2.5, -1.0, 0.0, 1.0, 2.0),
    "window_cost": (0.0, 5.0, 9.0),
    "percentile": (0.1, 0.2, 0.3, 0.5, 0.8, 0.9),
    "min_sentences": (1, 3, 6),
    "max_sentences": (10, 20, 30, 40),
    "window": (3, 5),
    "std_devs": (0.5, 1.0, 1.5),
    "min_tokens": (50, 100, 200),
    "target_tokens": (150, 200, 300),
    "max_tokens": (300, 400, 800),
    "max_chars": (600, 1000, 2000, 4000),
    "short_tokens": (100, 200),
    "long_tokens": (300, 500, 1000),
    "window_tokens": (150, 200, 400),
    "overlap_words": (0, 50),
    "overlap_sentences": (0, 1),
}  # values by the name of an option: a new strategy is searched through the options it shares

MIN_TESTED = 5
"""Questions or stretches of text of the test half, for a gain to be beyond noise: of fewer, all may gain by
chance more than once in twenty times (four: once in sixteen)."""
_DRAWS_PER_SETTING = 20
"""How often settings are drawn for each one wanted: further draws would hardly give a new one."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best setting found, and how it compares with the present one."""

    present: Domain
    best: Domain
    """The setting with the surest gain on the train half; the present one if none is beyond noise."""
    n_settings: int
    present_train: ScoreEstimate
    best_train: ScoreEstimate
    present_test: ScoreEstimate
    best_test: ScoreEstimate
    gain_test: ScoreEstimate
    """Gain of the best setting over the present one on the half that took no part in the search; paired."""
    n_tested: int  # questions, or stretches of text, of that half

    @property
    def beyond_noise(self) -> bool:
        """Whether the best setting is better on the test half by more than chance would give."""
        return self.n_tested >= MIN_TESTED and self.gain_test.above_zero

    @property
    def recommended(self) -> Domain:
        """The best setting if it is better beyond noise, otherwise the present one."""
        return self.best if self.beyond_noise else self.present


@dataclass(frozen=True, slots=True)
class TuningReport:
    """A search for the best setting: what it optimised, on which books, and its result."""

    tuned: Tuned
    objective: str  # in words, as tables show it
    train: tuple[str, ...]  # titles of the books, or the half of a book, that it was searched on
    test: tuple[str, ...]  # titles of the books, or the half of a book, that it was tested on


def tune_domain(
    present: Domain,
    inputs: Inputs,
    encoder: Encoder,
    *,
    objective: str,
    mode: str,
    n_settings: int,
    seed: int = 0,
    domain: str | None = None,
    config: Path | None = None,
    self_made: bool,
) -> TuningReport:
    """Return the best of `n_settings` settings for the books.

    Args:
        inputs: books and questions. One book is divided in its middle.
        objective: a name in `OBJECTIVES`.
        mode: the search mode, for the objective `recall`.
        n_settings: how many to try, the present one included.
        seed: the same seed gives the same halves and the same settings.
        domain: the name that the present domain was loaded by, if any.
        config: the file that the present domain was loaded from, if any.
        self_made: whether the questions were made from the books.

    Raises:
        ConfigError: a half has no questions or sections.
    """
    material = Material(
        inputs.books, inputs.questions, inputs.hidden, encoder, mode, splitter=present.sentences
    )
    build = OBJECTIVES[objective]
    parts = (
        halves_of_book(build, material, present, seed)
        if len(inputs.books) == 1
        else halves_of_books(build, material, seed)
    )
    settings = draw_candidates(present, n_settings - 1, seed, domain=domain, file=config)
    tuned = best_of(present, settings, parts.train, parts.test, seed=seed)
    return TuningReport(
        tuned=tuned,
        objective=_objective_in_words(objective, mode, self_made=self_made),
        train=parts.train_titles,
        test=parts.test_titles,
    )


def check_objective(objective: str, mode: str, domain: Domain) -> None:
    """Refuse an objective that does not exist or that the domain cannot be tuned for.

    Raises:
        ConfigError: an unknown objective, or a search by sentences in a domain without their vectors.
    """
    if objective not in OBJECTIVES:
        raise ConfigError(
            f"unknown objective {objective!r}",
            why=f"the objectives are {', '.join(OBJECTIVES)}",
            fix="--objective recall",
        )
    if mode == Mode.SENTENCES and not domain.sentence_vectors:
        refuse_sentences("tune for", domain)


def _objective_in_words(objective: str, mode: str, *, self_made: bool) -> str:
    """Return what settings are scored by: `recall within 1,000 words of the questions, mode hybrid`."""
    if objective == "sections":
        return "F1 of the beginnings of sections"
    questions = "self-made questions" if self_made else "the questions"
    return f"recall within {BUDGET:,} words of {questions}, mode {mode}"


def best_of(
    present: Domain, candidates: Sequence[Domain], train: Objective, test: Objective, *, seed: int = 0
) -> Tuned:
    """Return the candidate with the surest gain on the train half, and how it does on the test half.

    The surest gain is the one whose paired interval has the highest lower end: of a hundred settings, the one
    with the highest mean is often only the luckiest.

    Args:
        train: scores a setting on the half that the best one is chosen by.
        test: scores a setting on the other half.
    """
    present_train = train(present)
    best, best_train, surest = present, present_train, 0.0
    for candidate in candidates:
        candidate_train = train(candidate)
        gain = bootstrap.difference(candidate_train, present_train, seed=seed)
        if gain.low > surest:
            best, best_train, surest = candidate, candidate_train, gain.low
    present_test = test(present)
    best_test = present_test if best is present else test(best)
    return Tuned(
        present=present,
        best=best,
        n_settings=len(candidates) + 1,
        present_train=bootstrap.mean(present_train, seed=seed),
        best_train=bootstrap.mean(best_train, seed=seed),
        present_test=bootstrap.mean(present_test, seed=seed),
        best_test=bootstrap.mean(best_test, seed=seed),
        gain_test=bootstrap.difference(best_test, present_test, seed=seed),
        n_tested=len(present_test),
    )


def draw_candidates(
    present: Domain, n: int, seed: int, *, domain: str | None = None, file: Path | None = None
) -> list[Domain]:
    """Return n distinct settings, other than the present one, equally many of each strategy.

    There are fewer if the grid has no more. The same seed gives the same settings.

    Args:
        domain: the name that was given with the file, if any: the file overrides this domain.
        file: the file that the present domain was loaded from, if any.
    """
    generator = random.Random(seed)
    if file is None:
        domain = present.name
    draws = {name: _draw_settings(name, domain, file, generator) for name in STRATEGIES}
    seen = {_strategy_key(present)}
    settings: list[Domain] = []
    # Strategy by strategy in turn; one with few options runs out of new settings.
    for name in islice(cycle(STRATEGIES), _DRAWS_PER_SETTING * n):
        setting = next(draws[name])
        if setting is not None and _strategy_key(setting) not in seen:
            seen.add(_strategy_key(setting))
            settings.append(setting)
        if len(settings) == n:
            break
    return settings


def _draw_settings(
    strategy: str, domain: str | None, file: Path | None, generator: random.Random
) -> Iterator[Domain | None]:
    """Yield settings of one strategy endlessly, its defaults first, or None for values that contradict."""
    names = [option.name for option in fields(STRATEGIES[strategy]) if option.name in GRID]
    yield load_domain(domain, options={"strategy": strategy}, file=file)
    while True:
        options = {name: generator.choice(GRID[name]) for name in names}
        try:
            yield load_domain(domain, options={"strategy": strategy, **options}, file=file)
        except ConfigError:  # such as min_words above max_words
            yield None


def _strategy_key(domain: Domain) -> str:
    """Return the strategy with all its options as text: equal settings have equal keys."""
    return repr(domain.strategy)


def best_as_yaml(report: TuningReport, command: str) -> str:
    """Return the best setting as a domain file that says how it was found; its gain must exceed noise."""
    tuned = report.tuned
    present = tuned.present
    train, test = ("; ".join(titles) for titles in (report.train, report.test))
    comments = (
        f"Found by: {command}",
        f"The best of {tuned.n_settings} settings by {report.objective}: "
        f"{_format_estimate(tuned.best_train)} on {train};",
        f"tested on {test}: {_format_estimate(tuned.best_test)}, "
        f"where {present.name} ({present.strategy.name}) has {_format_estimate(tuned.present_test)}.",
        "The gain there is more than noise.",
    )
    # A domain from a file of its own has no name that another file can extend.
    best = replace(tuned.best, name=present.name)
    return domain_yaml(best, f"{present.description or present.name}, tuned", comments)


def _format_estimate(score: ScoreEstimate) -> str:
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"
