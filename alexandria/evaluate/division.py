"""Two halves of the books, or of a single book: settings are searched on one and tested on the other."""

import random
from dataclasses import dataclass, replace

from alexandria.config import Domain
from alexandria.errors import ConfigError
from alexandria.evaluate.objectives import Material, Objective, ObjectiveOf


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
        material: the books and their questions.
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
        build: makes the objective, given the book.
        material: the book and its questions.
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
