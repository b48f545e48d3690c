"""One function per measuring command: files and options in, a report out.

`notify` receives a line for every file or question that is left out.
"""

from collections.abc import Sequence
from pathlib import Path

from alexandria.config import load_domain
from alexandria.errors import ConfigError
from alexandria.evaluate.boundaries import BoundaryReport, evaluate_boundaries
from alexandria.evaluate.chunk_quality import QualityResult, evaluate_quality
from alexandria.evaluate.inputs import Notify, read_books, read_inputs
from alexandria.evaluate.memoized import memoized_encoder
from alexandria.evaluate.retrieval import RetrievalReport, evaluate_retrieval
from alexandria.evaluate.tuning import TuningReport, check_objective, tune_domain
from alexandria.evaluate.variants import Variant, refuse_differences
from alexandria.modes import Mode


def boundary_report(
    paths: Sequence[Path],
    variants: Sequence[Variant],
    notify: Notify,
    *,
    n_documents: int,
    tolerance: int,
    seed: int,
) -> BoundaryReport:
    """Return how well each variant finds the boundaries of the books (`evaluate_boundaries`).

    Raises:
        BookError: the only file cannot be read.
        ConfigError: there is no book or no boundary, or the variants split books into different sentences.
    """
    refuse_differences(variants, ["sentences"])
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
    """Return how well each variant answers the questions, in each mode (`evaluate_retrieval`).

    Raises:
        BookError: the only file cannot be read.
        ConfigError: as `read_inputs` raises, or no variant can be searched in any of the modes.
    """
    domain = variants[0].domain
    if set(modes) == {Mode.SENTENCES} and not any(variant.domain.sentence_vectors for variant in variants):
        raise ConfigError(
            "cannot measure a search by sentences",
            why=f"the domain {domain.name} stores no sentence vectors",
            fix="--mode hybrid, or sentence_vectors: true",
        )
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
    domain: str | None,
    config: Path | None,
    notify: Notify,
    *,
    objective: str,
    mode: str,
    n_settings: int,
    seed: int,
) -> TuningReport:
    """Return the best of `n_settings` settings for the books (`tune_domain`).

    Args:
        paths: files and folders.
        questions: a file of questions; without it, questions are made from the books.
        domain: the domain to improve on.
        config: the file that overrides this domain, if any.
        notify: receives a line for each file or question that is left out.
        objective: a name in `OBJECTIVES`.
        mode: the search mode, for the objective `recall`.
        n_settings: how many to try, the present one included.
        seed: the same seed gives the same result.
    """
    present = load_domain(domain, file=config)
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
        domain=domain,
        config=config,
        self_made=questions is None,
    )
