"""One function per measuring command: files and options in, a report out.

`notify` receives a line for every file or question that is left out.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from alexandria.config import Domain, load_domain
from alexandria.errors import ConfigError
from alexandria.evaluate.answers import AnswersReport, evaluate_answers
from alexandria.evaluate.boundaries import BoundaryReport, evaluate_boundaries
from alexandria.evaluate.chunk_quality import QualityResult, evaluate_quality
from alexandria.evaluate.fitting import FittedSetting, fit_setting, graded_cuts
from alexandria.evaluate.inputs import Notify, notify_first, read_books, read_inputs
from alexandria.evaluate.memoized import MemoizedEncoder, memoized_encoder
from alexandria.evaluate.paragraphs import ParagraphScores, evaluate_paragraphs
from alexandria.evaluate.reader_agreement import ReaderReport, compare_with_reader
from alexandria.evaluate.reader_cuts import UnplacedCut, place_cuts, read_cuts
from alexandria.evaluate.retrieval import RetrievalReport, evaluate_retrieval
from alexandria.evaluate.review import draw_items
from alexandria.evaluate.review_folder import ReviewFolder
from alexandria.evaluate.tuning import TuningReport, check_objective, tune_domain
from alexandria.evaluate.variants import Variant, refuse_differences
from alexandria.modes import Backend, Mode, Precision
from alexandria.pipeline import analyse, begin

_Encoders = dict[tuple[str, Backend, Precision], MemoizedEncoder]


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


def reader_report(
    paths: Sequence[Path],
    cuts: Path,
    variants_for: Callable[[str | None], Sequence[Variant]],
    notify: Notify,
    *,
    tolerance: int,
    seed: int,
) -> ReaderReport:
    """Return how well each variant agrees with a reader's cuts in a file (`compare_with_reader`).

    Args:
        paths: files and folders; books that the file does not name are left out.
        cuts: the file (`read_cuts`).
        variants_for: returns what is compared, for the domain that the file names for a book, or None.
        notify: receives a line for each file and each cut that is left out.
        tolerance: sentences by which a cut may be off and still be near.
        seed: the same seed gives the same result.

    Raises:
        BookError: the only file cannot be read.
        ConfigError: there is no book, or the cuts cannot be read, or none of them can be placed.
    """
    entries = read_cuts(cuts)
    domain = variants_for(None)[0].domain  # the command's domain, which says how the books are read
    placed, unplaced = place_cuts(
        entries, read_books(paths, domain, notify), lambda name: variants_for(name)[0].domain.sentences
    )
    notify_first([_describe_unplaced(cut) for cut in unplaced], notify)
    if not any(book_cuts.cuts for book_cuts in placed):
        raise ConfigError(
            f"none of the cuts of {cuts} could be placed in these books",
            fix="check the names of the books and the words that are quoted",
        )
    encoders: _Encoders = {}
    return compare_with_reader(
        placed,
        variants_for,
        partial(_encoder_of, encoders=encoders),
        unplaced=unplaced,
        tolerance=tolerance,
        seed=seed,
    )


def _describe_unplaced(cut: UnplacedCut) -> str:
    """Return a line about a cut that cannot be used, such as `clock: What kept: no sentence begins there`."""
    parts = (cut.book, cut.quote[:60], cut.why)
    return ": ".join(part for part in parts if part)


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


def answers_report(
    paths: Sequence[Path],
    questions: Path,
    domain: Domain,
    notify: Notify,
    *,
    further: Sequence[Variant] = (),
) -> AnswersReport:
    """Return how much of the answers a search and plain pipelines return (`evaluate_answers`)."""
    inputs = read_inputs(paths, questions, domain, notify)
    encoder = memoized_encoder(domain)
    return evaluate_answers(domain, inputs.books, inputs.questions, encoder, further=further)


def paragraphs_report(files: Sequence[Path], domain: Domain) -> tuple[ParagraphScores, ...]:
    """Return how often a search finds the right paragraph first, file by file (`evaluate_paragraphs`)."""
    return tuple(evaluate_paragraphs(files, domain, memoized_encoder(domain)))


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


def fit_to_review(
    paths: Sequence[Path],
    review: ReviewFolder,
    domain: str | None,
    config: Path | None,
    notify: Notify,
    *,
    seed: int,
) -> FittedSetting:
    """Return the domain fitted to the grades of a review (`fit_setting`).

    Args:
        paths: the books that were graded.
        review: their cuts and grades.
        domain: the domain to improve on; by default the one that the cuts were made with.
        config: the file that the domain is loaded from, if any.
        notify: receives a line for what is left out.
        seed: the seed of the resampling.

    Raises:
        ConfigError: there is no book, the review cannot be read, or has too few grades.
    """
    items, readers = review.items(), review.grades_by_reader()
    domains = sorted({item.domain for item in items})
    if domain is None and config is None and len(domains) > 1:
        raise ConfigError(
            "cannot tell which domain to fit",
            why=f"the review has cuts of {', '.join(domains)}",
            fix=f"--domain {domains[0]}",
        )
    if not domain:
        domain = domains[0] if domains and config is None else None
    present = load_domain(domain, file=config)
    # A domain from a file has a name of its own: then items of any domain count.
    domain_items = items if config is not None else [item for item in items if item.domain == present.name]
    encoder = memoized_encoder(present)
    # Split into sentences and embedded, but not cut.
    pending_analyses = [begin(book, present, encoder) for book in read_books(paths, present, notify)]
    cuts, n_unplaced = graded_cuts(pending_analyses, present, domain_items, readers)
    if n_unplaced:
        notify(f"left out: {n_unplaced} graded cuts, where the books have no sentence that begins there")
    return fit_setting(present, cuts, list(readers), seed=seed)


def add_to_review(
    folder: ReviewFolder,
    paths: Sequence[Path],
    variants: Sequence[Variant],
    notify: Notify,
    *,
    each: int,
    seed: int,
) -> None:
    """Draw cuts from books under each variant, and add them to a review as items to be graded.

    A book that is in the review already, cut under any of the variants, is skipped.

    Args:
        folder: the folder of the review; it may have no items yet.
        paths: files and folders.
        variants: what is compared; at least one.
        notify: receives a line for each file that is left out.
        each: the most cuts per book and variant.
        seed: the same seed draws the same cuts.

    Raises:
        ConfigError: there is no book, or the folder cannot be read or written.
    """
    labels = [variant.label for variant in variants]
    encoders: _Encoders = {}
    items = list(folder.items())
    for book in read_books(paths, variants[0].domain, notify):
        drawn = {setting for item in items if item.book_id == book.id for setting in item.settings}
        if already := [label for label in labels if label in drawn]:
            notify(f"{book.title} is in the review already, with cuts of {', '.join(already)}")
            continue
        analyses = {
            variant.label: analyse(book, variant.domain, _encoder_of(variant.domain, encoders))
            for variant in variants
        }
        new_items = draw_items(analyses, each=each, seed=seed, first=len(items) + 1)
        if not new_items:
            notify(f"{book.title} has no cuts inside its chapters and sections")
            continue
        folder.add(new_items)
        items += new_items


def _encoder_of(domain: Domain, encoders: _Encoders) -> MemoizedEncoder:
    """Return the domain's encoder from `encoders`, adding it if needed; variants of one model share it."""
    key = (domain.model, domain.backend, domain.precision)
    if key not in encoders:
        encoders[key] = memoized_encoder(domain)
    return encoders[key]
