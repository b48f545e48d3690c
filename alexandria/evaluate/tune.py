"""The best setting for a shelf: searched for on half of its books, told by the other half.

Settings are drawn at random from a grid (Bergstra and Bengio 2012) rather than walked through: with the
same number of trials a random draw tries more values of the options that matter. The best of many on one
half looks better than it is; that is what the other half is for.
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
from alexandria.errors import ConfigError
from alexandria.evaluate import bootstrap, boundaries, retrieval
from alexandria.evaluate.bootstrap import Estimate, Values
from alexandria.evaluate.cutting import Cutter
from alexandria.evaluate.questions import Probe
from alexandria.evaluate.settings import Setting

N_SETTINGS = 100
"""Settings tried: enough that one of the best 3 % of the grid is among them in 95 of 100 searches."""

GRID: Mapping[str, Sequence[Any]] = {
    "threshold": (-0.5, 0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7),
    "min_words": (0, 50, 100, 200),
    "max_words": (120, 170, 250, 350, 500, 800, 1200),
    "paragraph_penalty": (0.0, 0.5, 1.0),
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
"""Values by the name of an option: a new strategy is searched through the options that it shares."""


Objective = Callable[[Domain], Values]
"""Scores of a setting, (n_units,), higher is better; the same units for every setting."""


@dataclass(frozen=True, slots=True)
class Material:
    """What settings are tried on."""

    books: Sequence[Book]
    probes: Sequence[Probe]
    hidden: retrieval.Hidden
    encoder: Encoder
    mode: str
    """Of search."""
    cut: Cutter = field(default_factory=Cutter)


def by_recall(material: Material, chosen: Sequence[int]) -> Objective:
    """Return recall within the budget of words, question by question, of the questions to some of the books.

    Raises:
        ConfigError: there is no question to them.
    """
    books = [material.books[i] for i in chosen]
    probes = [replace(one, book=chosen.index(one.book)) for one in material.probes if one.book in chosen]
    hidden = {chosen.index(i): spans for i, spans in material.hidden.items() if i in chosen}
    if not probes:
        raise _nothing("no question", books)

    def score(domain: Domain) -> Values:
        runs = retrieval.run(
            Setting(domain.name, domain),
            books,
            probes,
            material.encoder,
            modes=[material.mode],
            hidden=hidden,
            cut=material.cut,
        )
        return next(runs).scores["recall_in_budget"]

    return score


def by_sections(material: Material, chosen: Sequence[int]) -> Objective:
    """Return the F1 of the beginnings of sections, stretch by stretch, of some of the books.

    Raises:
        ConfigError: they have no sections.
    """
    books = [material.books[i] for i in chosen]
    bodies = [boundaries.strip_headings(book, material.encoder) for book in books]
    documents = [body.document(body.sections) for body in bodies if body.sections]
    if not documents:
        raise _nothing("no section", books)
    return lambda domain: boundaries.scores(domain.strategy, documents)["f1"]


def _nothing(what: str, books: Sequence[Book]) -> ConfigError:
    titles = ", ".join(book.title for book in books)
    return ConfigError(
        f"there is {what} in one half of the books",
        why=f"in {titles}",
        fix="name more books, or another --seed",
    )


OBJECTIVES: Mapping[str, Callable[[Material, Sequence[int]], Objective]] = {
    "recall": by_recall,
    "sections": by_sections,
}


def in_words(objective: str, mode: str, *, self_made: bool) -> str:
    """Return an objective as tables name it."""
    if objective == "sections":
        return "F1 of the beginnings of sections"
    made = "self-made questions" if self_made else "the questions"
    return f"recall within {retrieval.BUDGET:,} words of {made}, mode {mode}"


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a search has found."""

    present: Domain
    found: Domain
    """The one whose gain on the train half is surest; the present one where no gain there is beyond noise."""
    n_settings: int
    present_train: Estimate
    found_train: Estimate
    present_test: Estimate
    found_test: Estimate
    gain_test: Estimate
    """Of the found setting over the present one, on books that took no part in the search; paired."""

    @property
    def beyond_noise(self) -> bool:
        """Whether the found setting is better on the other half by more than chance gives."""
        return self.gain_test.above_zero

    @property
    def recommended(self) -> Domain:
        """The found setting where it is better beyond noise, else the present one."""
        return self.found if self.beyond_noise else self.present


def halves(n: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the books to search with and those to test on, by their place; the first half is the larger.

    Raises:
        ConfigError: there are not two books.
    """
    if n < 2:
        raise ConfigError(
            "one book is not enough to tune with",
            why="one half of the books finds the setting, the other tells how good it is",
            fix="name two books or more",
        )
    order = random.Random(seed).sample(range(n), n)
    return sorted(order[: (n + 1) // 2]), sorted(order[(n + 1) // 2 :])


def tune(
    present: Domain, candidates: Sequence[Domain], train: Objective, test: Objective, *, seed: int = 0
) -> Tuned:
    """Return the candidate whose gain on the train half is surest, with how it does on the other.

    Surest is the highest lower end of the paired interval: of a hundred settings the one of the highest mean
    is often only the luckiest.
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
        present,
        best,
        len(candidates) + 1,
        bootstrap.mean(base, seed=seed),
        bootstrap.mean(best_scores, seed=seed),
        bootstrap.mean(before, seed=seed),
        bootstrap.mean(after, seed=seed),
        bootstrap.difference(after, before, seed=seed),
    )


def candidates(present: Domain, n: int, seed: int, *, file: Path | None = None) -> list[Domain]:
    """Return n different settings, as many of each strategy as there are; the same for the same seed."""
    chance = random.Random(seed)
    draws = {name: _drawn(name, None if file else present.name, file, chance) for name in STRATEGIES}
    seen = {_key(present)}
    found: list[Domain] = []
    # A strategy with few options runs out of new settings: after twenty times n draws there are no more.
    for name in islice(cycle(STRATEGIES), 20 * n):
        domain = next(draws[name])
        if domain is not None and (key := _key(domain)) not in seen:
            seen.add(key)
            found.append(domain)
        if len(found) == n:
            break
    return found


def _drawn(
    strategy: str, domain: str | None, file: Path | None, chance: random.Random
) -> Iterator[Domain | None]:
    """Yield settings of one strategy without end; None where the values drawn do not go together."""
    names = [one.name for one in fields(STRATEGIES[strategy]) if one.name in GRID]
    yield load_domain(domain, options={"strategy": strategy}, file=file)
    while True:
        options = {name: chance.choice(GRID[name]) for name in names}
        try:
            yield load_domain(domain, options={"strategy": strategy, **options}, file=file)
        except ConfigError:  # a smallest chunk above the largest
            yield None


def _key(domain: Domain) -> str:
    return repr(domain.strategy)


def yaml_of(tuned: Tuned, command: str, objective: str, books: tuple[Sequence[str], Sequence[str]]) -> str:
    """Return the found setting as a domain file, with a comment that says how it was found."""
    present, strategy = tuned.present, tuned.found.strategy
    options = {one.name: getattr(strategy, one.name) for one in fields(strategy)}
    train, test = ("; ".join(titles) for titles in books)
    comments = (
        f"Found by: {command}",
        f"The surest of {tuned.n_settings} settings by {objective}: {_told(tuned.found_train)} on {train};",
        f"told by {test}: {_told(tuned.found_test)}, where {present.name} ({present.strategy.name}) has "
        f"{_told(tuned.present_test)}.",
        f"The gain there is {'' if tuned.beyond_noise else 'not '}beyond noise.",
    )
    lines = [
        # On one line each: a title comes from a book, and a book is untrusted.
        *(f"# {' '.join(comment.split())}" for comment in comments),
        # A domain of a file of its own is no name that another file can extend.
        *([f"extends: {present.name}"] if present.name in domain_names() else []),
        f"description: {json.dumps(f'{present.description or present.name}, tuned', ensure_ascii=False)}",
        f"strategy: {strategy.name}",
        *(f"{name}: {value}" for name, value in options.items() if value is not None),
    ]
    return "\n".join(lines) + "\n"


def _told(one: Estimate) -> str:
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
