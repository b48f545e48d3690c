"""What a setting is scored by, in some of the books: the recall of a search, or the F1 of section starts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from alexandria.book.model import Book
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.lab import boundaries, retrieval
from alexandria.lab.bootstrap import Values
from alexandria.lab.questions import AnsweredQuestion
from alexandria.lab.settings import Cutter, Variant

Objective = Callable[[Domain], Values]
"""Scores of a setting, (n_units,), higher is better; the same units for every setting."""


@dataclass(frozen=True, slots=True)
class Material:
    """What settings are tried on."""

    books: Sequence[Book]
    questions: Sequence[AnsweredQuestion]
    hidden: retrieval.Hidden
    encoder: Encoder
    mode: str  # the search mode
    splitter: str = "default"  # what splits the books into sentences, for their sections
    cut: Cutter = field(default_factory=Cutter)


ObjectiveOf = Callable[[Material, Sequence[int]], Objective]
"""Makes an objective from some of the books, given by their positions."""


def question_recall(material: Material, chosen: Sequence[int]) -> Objective:
    """Return a function that scores a domain by recall within the word budget, one score per question.

    Args:
        chosen: the positions of the books to score on; only the questions about these books count.

    Raises:
        ConfigError: there is no question about the chosen books.
    """
    books = [material.books[i] for i in chosen]
    # Books are numbered by their positions among the chosen ones from here on.
    questions = [
        replace(question, book=chosen.index(question.book))
        for question in material.questions
        if question.book in chosen
    ]
    hidden = {chosen.index(i): spans for i, spans in material.hidden.items() if i in chosen}
    if not questions:
        raise _missing_error("no question", books)

    def score(domain: Domain) -> Values:
        """Return the recall of each question, (n_questions,)."""
        results = retrieval.run_modes(
            Variant(domain.name, domain),
            books,
            questions,
            material.encoder,
            modes=[material.mode],
            hidden=hidden,
            cut=material.cut,
        )
        return next(results).scores["recall_in_budget"]  # there is one result per mode

    return score


def section_f1(material: Material, chosen: Sequence[int]) -> Objective:
    """Return a function that scores a domain by the F1 of section starts, one score per stretch of text.

    Args:
        chosen: the positions of the books to score on.

    Raises:
        ConfigError: the chosen books have no sections.
    """
    books = [material.books[i] for i in chosen]
    bodies = [boundaries.strip_headings(book, material.encoder, splitter=material.splitter) for book in books]
    documents = [body.document(body.sections) for body in bodies if body.sections]
    if not documents:
        raise _missing_error("no section", books)
    return lambda domain: boundaries.raw_scores(domain.strategy, documents)["f1"]


def _missing_error(what: str, books: Sequence[Book]) -> ConfigError:
    titles = ", ".join(book.title for book in books)
    return ConfigError(
        f"there is {what} in one half of the books",
        why=f"in {titles}",
        fix="name more books, or use another --seed",
    )


OBJECTIVES: Mapping[str, ObjectiveOf] = {"recall": question_recall, "sections": section_f1}
