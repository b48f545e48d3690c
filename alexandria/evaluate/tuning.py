"""The best setting for some books, or for one: searched for on one half of them, tested on the other.

Settings are drawn at random from a grid (Bergstra and Bengio 2012) instead of being enumerated: with the same
number of trials, a random draw tries more values of the options that matter. The best of many settings looks
better on the half it was chosen on than it is; the other half shows how good it really is.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from alexandria.book import Book
from alexandria.chunking import STRATEGIES
from alexandria.config import Domain, domain_names, load_domain
from alexandria.embed import Encoder
from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate import bootstrap, boundaries, retrieval
from alexandria.evaluate.bootstrap import ScoreEstimate, Values
from alexandria.evaluate.cutting import Cutter
from alexandria.evaluate.defaults import BUDGET
from alexandria.evaluate.inputs import Inputs
from alexandria.evaluate.questions import AnsweredQuestion
from alexandria.evaluate.variants import Variant
from alexandria.modes import Mode

GRID: Mapping[str, Sequence[Any]] = {
    "threshold": (-0.5, 0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7),
    "min_words": (0, 50, 100, 200),
    "max_words": (120, 170, 250, 350, 500, 800, 1200),
    "chunk_cost": (-6.0, -3.0, -1.0, 0.0, 1.0, 2.0),
    "window_cost": (0.0, 3.0, 6.0),
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
}
"""Values by the name of an option: a new strategy is searched through the options it shares."""


Objective = Callable[[Domain], Values]
"""Scores of a setting, (n_units,), higher is better; the same units for every setting."""


@dataclass(frozen=True, slots=True)
class Material:
    """What settings are tried on."""

    books: Sequence[Book]
    questions: Sequence[AnsweredQuestion]
    hidden: retrieval.Hidden
    encoder: Encoder
    mode: str
    """The search mode."""
    cut: Cutter = field(default_factory=Cutter)


ObjectiveOf = Callable[[Material, Sequence[int]], Objective]
"""Makes an objective of some of the books."""


def by_recall(material: Material, chosen: Sequence[int]) -> Objective:
    """Return recall within the word budget, question by question, for the questions about some of the books.

    Raises:
        ConfigError: there is no question about them.
    """
    books = [material.books[i] for i in chosen]
    questions = [
        replace(question, book=chosen.index(question.book))
        for question in material.questions
        if question.book in chosen
    ]
    hidden = {chosen.index(i): spans for i, spans in material.hidden.items() if i in chosen}
    if not questions:
        raise _nothing("no question", books)

    def score(domain: Domain) -> Values:
        runs = retrieval.run_modes(
            Variant(domain.name, domain),
            books,
            questions,
            material.encoder,
            modes=[material.mode],
            hidden=hidden,
            cut=material.cut,
        )
        return next(runs).scores["recall_in_budget"]

    return score


def by_sections(material: Material, chosen: Sequence[int]) -> Objective:
    """Return the F1 of section starts, stretch by stretch, in some of the books.

    Raises:
        ConfigError: they have no sections.
    """
    books = [material.books[i] for i in chosen]
    bodies = [boundaries.strip_headings(book, material.encoder) for book in books]
    documents = [body.document(body.sections) for body in bodies if body.sections]
    if not documents:
        raise _nothing("no section", books)
    return lambda domain: boundaries.raw_scores(domain.strategy, documents)["f1"]


@dataclass(frozen=True, slots=True)
class Halves:
    """What settings are searched on, and what the best one is tested on."""

    train: Objective
    test: Objective
    train_titles: tuple[str, ...]
    test_titles: tuple[str, ...]


def halves_of_books(build: ObjectiveOf, material: Material, seed: int) -> Halves:
    """Return the objective on one half of the books, and on the other.

    Raises:
        ConfigError: a half has no questions or sections.
    """
    train, test = halves(len(material.books), seed)
    titles = [book.title for book in material.books]
    return Halves(
        train=build(material, train),
        test=build(material, test),
        train_titles=tuple(titles[i] for i in train),
        test_titles=tuple(titles[i] for i in test),
    )


def halves_of_book(build: ObjectiveOf, material: Material, present: Domain, seed: int) -> Halves:
    """Return the objective on the first half of a book, and on the second, or the other way round.

    Neighbouring questions and stretches are alike, so the book is divided in its middle, not at random.

    Raises:
        ConfigError: it has no questions or sections, or too few for two halves.
    """
    book = material.books[0]
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


def _nothing(what: str, books: Sequence[Book]) -> ConfigError:
    titles = ", ".join(book.title for book in books)
    return ConfigError(
        f"there is {what} in one half of the books",
        why=f"in {titles}",
        fix="name more books, or use another --seed",
    )


OBJECTIVES: Mapping[str, ObjectiveOf] = {
    "recall": by_recall,
    "sections": by_sections,
}


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best setting found, beside the present one."""

    present: Domain
    best: Domain
    """The setting with the surest gain on the train half; the present one if none is beyond noise."""
    n_settings: int
    present_train: ScoreEstimate
    best_train: ScoreEstimate
    present_test: ScoreEstimate
    best_test: ScoreEstimate
    gain_test: ScoreEstimate
    """Gain of the best setting over the present one on books that took no part in the search; paired."""

    @property
    def beyond_noise(self) -> bool:
        """Whether the best setting is better on the test half by more than chance would give."""
        return self.gain_test.above_zero

    @property
    def recommended(self) -> Domain:
        """The best setting if it is better beyond noise, otherwise the present one."""
        return self.best if self.beyond_noise else self.present


@dataclass(frozen=True, slots=True)
class TuningReport:
    """A search for the best setting: what it optimised, on which books, and its result."""

    tuned: Tuned
    objective: str
    """In words, as tables show it."""
    train: tuple[str, ...]
    """Titles of the books, or the half of a book, that it was searched on."""
    test: tuple[str, ...]
    """Titles of the books, or the half of a book, that it was tested on."""


def tune_domain(
    present: Domain,
    inputs: Inputs,
    encoder: Encoder,
    *,
    objective: str,
    mode: str,
    n_settings: int,
    seed: int = 0,
    config: Path | None = None,
    self_made: bool,
) -> TuningReport:
    """Return the best of `n_settings` settings for the books.

    Args:
        present: the setting to improve on.
        inputs: books and questions. One book is divided in its middle.
        encoder: for all settings.
        objective: a name in `OBJECTIVES`.
        mode: the search mode, for the objective `recall`.
        n_settings: how many to try, the present one included.
        seed: the same seed gives the same halves and the same settings.
        config: the file that the present domain was loaded from, if any.
        self_made: whether the questions were made from the books.

    Raises:
        ConfigError: a half has no questions or sections.
    """
    material = Material(inputs.books, inputs.questions, inputs.hidden, encoder, mode)
    build = OBJECTIVES[objective]
    parts = (
        halves_of_book(build, material, present, seed)
        if len(inputs.books) == 1
        else halves_of_books(build, material, seed)
    )
    settings = candidates(present, n_settings - 1, seed, file=config)
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
        raise ConfigError(
            "cannot tune for a search by sentences",
            why=f"the domain {domain.name} stores no sentence vectors",
            fix="--mode hybrid, or sentence_vectors: true",
        )


def _objective_in_words(objective: str, mode: str, *, self_made: bool) -> str:
    if objective == "sections":
        return "F1 of the beginnings of sections"
    questions = "self-made questions" if self_made else "the questions"
    return f"recall within {BUDGET:,} words of {questions}, mode {mode}"


def halves(n: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the positions of the books to search on, and of those to test on, which are never more."""
    order = random.Random(seed).sample(range(n), n)
    return sorted(order[: (n + 1) // 2]), sorted(order[(n + 1) // 2 :])


def best_of(
    present: Domain, candidates: Sequence[Domain], train: Objective, test: Objective, *, seed: int = 0
) -> Tuned:
    """Return the candidate with the surest gain on the train half, and how it does on the test half.

    The surest gain is the one whose paired interval has the highest lower end: of a hundred settings, the one
    with the highest mean is often only the luckiest.
    """
    base = train(present)
    best, best_scores, surest = present, base, 0.0
    for candidate in candidates:
        scores = train(candidate)
        gain = bootstrap.difference(scores, base, seed=seed)
        if gain.low > surest:
            best, best_scores, surest = candidate, scores, gain.low
    before = test(present)
    after = before if best is present else test(best)
    return Tuned(
        present=present,
        best=best,
        n_settings=len(candidates) + 1,
        present_train=bootstrap.mean(base, seed=seed),
        best_train=bootstrap.mean(best_scores, seed=seed),
        present_test=bootstrap.mean(before, seed=seed),
        best_test=bootstrap.mean(after, seed=seed),
        gain_test=bootstrap.difference(after, before, seed=seed),
    )


def candidates(present: Domain, n: int, seed: int, *, file: Path | None = None) -> list[Domain]:
    """Return n distinct settings, equally many of each strategy; the same for the same seed."""
    chance = random.Random(seed)
    draws = {name: _draw(name, None if file else present.name, file, chance) for name in STRATEGIES}
    seen = {_key(present)}
    settings: list[Domain] = []
    # A strategy with few options runs out of new settings; after 20 n draws there are no more to be had.
    for name in islice(cycle(STRATEGIES), 20 * n):
        domain = next(draws[name])
        if domain is not None and (key := _key(domain)) not in seen:
            seen.add(key)
            settings.append(domain)
        if len(settings) == n:
            break
    return settings


def _draw(
    strategy: str, domain: str | None, file: Path | None, chance: random.Random
) -> Iterator[Domain | None]:
    """Yield settings of one strategy without end; None if the values drawn contradict each other."""
    names = [option.name for option in fields(STRATEGIES[strategy]) if option.name in GRID]
    yield load_domain(domain, options={"strategy": strategy}, file=file)
    while True:
        options = {name: chance.choice(GRID[name]) for name in names}
        try:
            yield load_domain(domain, options={"strategy": strategy, **options}, file=file)
        except ConfigError:  # a smallest chunk above the largest
            yield None


def _key(domain: Domain) -> str:
    return repr(domain.strategy)


def yaml_of(report: TuningReport, command: str) -> str:
    """Return the best setting as a domain file, with a comment on how it was found."""
    tuned = report.tuned
    present, strategy = tuned.present, tuned.best.strategy
    options = {option.name: getattr(strategy, option.name) for option in fields(strategy)}
    train, test = ("; ".join(titles) for titles in (report.train, report.test))
    comments = (
        f"Found by: {command}",
        f"The best of {tuned.n_settings} settings by {report.objective}: "
        f"{_with_interval(tuned.best_train)} on {train};",
        f"tested on {test}: {_with_interval(tuned.best_test)}, "
        f"where {present.name} ({present.strategy.name}) has {_with_interval(tuned.present_test)}.",
        f"The gain there is {'more than' if tuned.beyond_noise else 'within'} noise.",
    )
    lines = [
        # Each on a single line: titles come from books, which are untrusted.
        *(f"# {' '.join(comment.split())}" for comment in comments),
        # A domain from a file of its own has no name that another file can extend.
        *([f"extends: {present.name}"] if present.name in domain_names() else []),
        f"description: {json.dumps(f'{present.description or present.name}, tuned', ensure_ascii=False)}",
        f"strategy: {strategy.name}",
        *(f"{name}: {value}" for name, value in options.items() if value is not None),
    ]
    return "\n".join(lines) + "\n"


def write_domain(path: Path, report: TuningReport, command: str) -> None:
    """Write the best setting as a domain file.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_text(path, yaml_of(report, command))


def write_text(path: Path, text: str) -> None:
    """Write a domain file.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path}", why=io_reason(error), fix="choose another location"
        ) from error


def _with_interval(score: ScoreEstimate) -> str:
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"
