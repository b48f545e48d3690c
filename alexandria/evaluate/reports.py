"""One function per measuring command: files and options in, a report out.

`notify` receives a line for every file or question that is left out.
"""

from collections.abc import Sequence
from pathlib import Path

from alexandria.config import Domain, load_domain
from alexandria.errors import ConfigError
from alexandria.evaluate.boundaries import BoundaryReport, evaluate_boundaries
from alexandria.evaluate.chunk_quality import QualityResult, evaluate_quality
from alexandria.evaluate.inputs import Notify, read_books, read_inputs
from alexandria.evaluate.memoized import memoized_encoder
from alexandria.evaluate.retrieval import RetrievalReport, evaluate_retrieval
from alexandria.evaluate.review import Cut, cuts_to_review
from alexandria.evaluate.tuning import TuningReport, check_objective, tune_domain
from alexandria.evaluate.variants import Variant
from alexandria.pipeline import analyse


def boundary_report(
    paths: Sequence[Path],
    variants: Sequence[Variant],
    notify: Notify,
    *,
    n_documents: int,
    tolerance: int,
    seed: int,
) -> BoundaryReport:
    """Return how well each variant finds the boundaries of the books (`evaluate_boundaries`)."""
    domain = variants[0].domain
    books = read_books(paths, domain, notify)
    return evaluate_boundaries(
        books,
        variants,
        memoized_encoder(domain),
        n_documents=n_documents,
        tolerance=tolerance,
        seed=seed,
    )


def retrieval_report(
    paths: Sequence[Path],
    questions: Path | None,
    variants: Sequence[Variant],
    notify: Notify,
    *,
    modes: Sequence[str],
    k: int,
    budget: int,
) -> RetrievalReport:
    """Return how well each variant answers the questions, in each mode (`evaluate_retrieval`)."""
    domain = variants[0].domain
    inputs = read_inputs(paths, questions, domain, notify)
    return evaluate_retrieval(
        variants,
        inputs.books,
        inputs.questions,
        memoized_encoder(domain),
        modes=modes,
        hidden=inputs.hidden,
        unplaced=inputs.unplaced,
        k=k,
        budget=budget,
    )


def quality_report(
    paths: Sequence[Path], variants: Sequence[Variant], notify: Notify
) -> tuple[QualityResult, ...]:
    """Return the quality of each book's chunks under each variant (`evaluate_quality`)."""
    domain = variants[0].domain
    return evaluate_quality(read_books(paths, domain, notify), variants, memoized_encoder(domain))


def tuning_report(
    paths: Sequence[Path],
    questions: Path | None,
    present: Domain,
    notify: Notify,
    *,
    objective: str,
    mode: str,
    n_settings: int,
    seed: int,
    config: Path | None,
) -> TuningReport:
    """Return the best of `n_settings` settings for the books (`tune_domain`)."""
    check_objective(objective, mode, present)
    inputs = read_inputs(paths, questions, present, notify)
    return tune_domain(
        present,
        inputs,
        memoized_encoder(present),
        objective=objective,
        mode=mode,
        n_settings=n_settings,
        seed=seed,
        config=config,
        self_made=questions is None,
    )


def review_cuts(
    path: Path,
    strategies: Sequence[str],
    domain: str | None,
    config: Path | None,
    notify: Notify,
    *,
    seed: int,
) -> list[Cut]:
    """Return the cuts of one book under one or more strategies, in the order of a review.

    Args:
        path: the book.
        strategies: their names; none for the domain's own.
        domain: its name.
        config: a file with options.
        notify: receives a line for each file that is left out.
        seed: the same seed gives the same order.

    Raises:
        ConfigError: the path holds more than one book, or an unknown strategy.
    """
    options = [{"strategy": name} for name in strategies] or [{}]
    domains = [load_domain(domain, options=own, file=config) for own in options]
    books = read_books([path], domains[0], notify)
    if len(books) > 1:
        raise ConfigError(
            "a review covers one book", why=f"there are {len(books)} in {path}", fix="name one of them"
        )
    encoder = memoized_encoder(domains[0])
    return cuts_to_review([analyse(books[0], own, encoder) for own in domains], seed=seed)
