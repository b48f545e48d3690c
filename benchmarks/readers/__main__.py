"""Cuts that readers grade blind: drawn, graded, compared and fitted to.

    python -m benchmarks.readers draw BOOK... --compare "optimal,recursive" --folder REVIEW
    python -m benchmarks.readers grade --folder REVIEW --reader ida
    python -m benchmarks.readers fields REVIEW... | benchmarks/readers/*-grades.csv
    python -m benchmarks.readers cuts BOOK... --cuts benchmarks/readers/cuts.yaml
    python -m benchmarks.readers fit BOOK... --folder REVIEW

`draw` mixes the cuts of several settings without saying which made them; `grade` asks for grades one by one,
or they are filled into the folder's tables. `fields` prints grades by field and setting, `cuts` compares
settings with the cuts of a reader, and `fit` fits threshold and costs to grades and prints the domain file.
"""

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from alexandria.book.choices import Backend, Precision
from alexandria.chunking.domains import Domain, load_domain
from alexandria.errors import AlexandriaError, ConfigError
from alexandria.lab import TOLERANCE
from alexandria.lab.books_and_questions import notify_first, read_books
from alexandria.lab.reports import MemoizedEncoder, memoized_encoder
from alexandria.lab.settings import Variant, parse_variant, refuse_differences, variants_of
from alexandria.lab.tables import ScoreTable
from alexandria.library.ingest.one_book import analyse, begin
from benchmarks.readers.agreement import ReaderReport, compare_with_reader
from benchmarks.readers.ask import ask_grades
from benchmarks.readers.cuts import UnplacedCut, place_cuts, read_cuts
from benchmarks.readers.fitting import FittedSetting, fit_setting, fitted_yaml, graded_cuts
from benchmarks.readers.folder import ReviewFolder
from benchmarks.readers.graded_tables import read_reviews
from benchmarks.readers.grades import field_report, review_report
from benchmarks.readers.items import N_EACH, draw_items
from benchmarks.readers.tables import field_table, fitted_table, review_tables
from benchmarks.readers.tables_of_cuts import reader_tables

_Encoders = dict[tuple[str, Backend, Precision], MemoizedEncoder]


def main(words: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    arguments = parse(words)
    try:
        tables, text = arguments.run(arguments)
    except AlexandriaError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n\n".join([*(table.markdown() for table in tables), *filter(None, [text])]))
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks.readers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)

    def command(name: str, run: Callable[[argparse.Namespace], object]) -> argparse.ArgumentParser:
        added = commands.add_parser(name)
        added.set_defaults(run=run)
        added.add_argument("--seed", type=int, default=0)
        return added

    draw, grade = command("draw", run_draw), command("grade", run_grade)
    fields, cuts, fit = command("fields", run_fields), command("cuts", run_cuts), command("fit", run_fit)
    for with_books in (draw, cuts, fit):
        with_books.add_argument("books", nargs="+", type=Path)
        with_books.add_argument("--domain")
        with_books.add_argument("--config", type=Path)
    for with_folder in (draw, grade, fit):
        with_folder.add_argument("--folder", type=Path, required=True)
    draw.add_argument("--compare", help="settings, as STRATEGY OPTION=VALUE…, with commas between them")
    draw.add_argument("--each", type=int, default=N_EACH, help="cuts per book and setting")
    grade.add_argument("--reader", default="me")
    fields.add_argument("reviews", nargs="+", type=Path)
    cuts.add_argument("--cuts", type=Path, required=True)
    cuts.add_argument("--setting", action="append", default=[])
    cuts.add_argument("--tolerance", type=int, default=TOLERANCE)
    return parser.parse_args(words)


_Shown = tuple[Sequence[ScoreTable], str]
"""What a command prints: tables, and perhaps a text after them."""


def parse_variants(settings: str | None, domain: str | None, config: Path | None) -> list[Variant]:
    """Return the variants that `A,B` describes, each as `parse_variant` reads it; the domain's own for None.

    Raises:
        ConfigError: an unknown strategy or option, the same setting twice, or settings that read the notes of
            a book differently.
    """
    if settings is None:
        loaded = load_domain(domain, file=config)
        return [Variant(loaded.strategy.name, loaded)]
    labels = [label.strip() for label in settings.split(",") if label.strip()]
    has_duplicates = len(set(labels)) < len(labels)
    if not labels or has_duplicates:
        raise ConfigError(
            f"cannot compare {settings!r}",
            why="a setting is named twice" if labels else "it names no setting",
            fix='as in --compare "optimal,recursive max_words=300"',
        )
    variants = [parse_variant(label, domain, config) for label in labels]
    refuse_differences(variants, ["notes"])  # the books are read once; each variant has its own model
    return variants


def run_draw(arguments: argparse.Namespace) -> _Shown:
    """Draw cuts from books under each setting, and add them to a review; books that it has are skipped."""
    folder = ReviewFolder(arguments.folder)
    variants = parse_variants(arguments.compare, arguments.domain, arguments.config)
    labels = [variant.label for variant in variants]
    encoders: _Encoders = {}
    items = list(folder.items())
    for book in read_books(arguments.books, variants[0].domain, notify):
        drawn = {setting for item in items if item.book_id == book.id for setting in item.settings}
        if already := [label for label in labels if label in drawn]:
            notify(f"{book.title} is in the review already, with cuts of {', '.join(already)}")
            continue
        analyses = {
            variant.label: analyse(book, variant.domain, encoder_of(variant.domain, encoders))
            for variant in variants
        }
        new = draw_items(analyses, each=arguments.each, seed=arguments.seed, first=len(items) + 1)
        if not new:
            notify(f"{book.title} has no cuts inside its chapters and sections")
            continue
        folder.add(new)
        items += new
    return (), f"{len(items)} items in {folder.path / 'items.md'}, grades in {folder.path / 'grades.csv'}"


def run_grade(arguments: argparse.Namespace) -> _Shown:
    """Ask for the grades that are missing, and return the tables of all grades."""
    folder = ReviewFolder(arguments.folder)
    items = folder.items()
    if not items:
        raise ConfigError(f"there are no cuts to grade in {folder.path}", fix="draw some first")
    ask_grades(items, folder, arguments.reader)
    return review_tables(review_report(items, folder.grades_by_reader())), ""


def run_fields(arguments: argparse.Namespace) -> _Shown:
    """Return the grades of reviews by field, next to those of the published description."""
    return [field_table(field_report(read_reviews(arguments.reviews)))], ""


def run_cuts(arguments: argparse.Namespace) -> _Shown:
    """Compare the cuts of each setting with those of a reader."""
    report = reader_report(
        arguments.books,
        arguments.cuts,
        lambda domain: variants_of(domain or arguments.domain, arguments.config, arguments.setting),
        tolerance=arguments.tolerance,
        seed=arguments.seed,
    )
    return reader_tables(report), ""


def reader_report(
    books: Sequence[Path],
    cuts: Path,
    variants_for: Callable[[str | None], Sequence[Variant]],
    *,
    tolerance: int,
    seed: int,
) -> ReaderReport:
    """Return how well each setting agrees with a reader's cuts, in the books that the file names.

    Args:
        books: files and folders.
        cuts: the file (`read_cuts`).
        variants_for: returns what is compared, for the domain that the file names for a book, or None.
        tolerance: sentences by which a cut may be off and still be near.
        seed: the same seed gives the same result.

    Raises:
        ConfigError: the cuts cannot be read, or none of them can be placed.
    """
    domain = variants_for(None)[0].domain  # the command's domain, which says how the books are read
    placed, unplaced = place_cuts(
        read_cuts(cuts),
        read_books(books, domain, notify),
        lambda name: variants_for(name)[0].domain.sentences,
    )
    notify_first([describe_unplaced(cut) for cut in unplaced], notify)
    if not any(book_cuts.cuts for book_cuts in placed):
        raise ConfigError(
            f"none of the cuts of {cuts} could be placed in these books",
            fix="check the names of the books and the words that are quoted",
        )
    encoders: _Encoders = {}
    return compare_with_reader(
        placed,
        variants_for,
        partial(encoder_of, encoders=encoders),
        unplaced=unplaced,
        tolerance=tolerance,
        seed=seed,
    )


def run_fit(arguments: argparse.Namespace) -> _Shown:
    """Fit threshold and costs to the grades of a review, and return the domain file if it is better."""
    result = fit_to_review(arguments)
    text = fitted_yaml(result, shlex.join(sys.argv)) if result.beyond_noise else ""
    return [fitted_table(result)], text


def fit_to_review(arguments: argparse.Namespace) -> FittedSetting:
    """Return the domain fitted to a review's grades; by default, the domain that its cuts were made with."""
    review = ReviewFolder.at(arguments.folder)
    items, readers = review.items(), review.grades_by_reader()
    domains = sorted({item.domain for item in items})
    domain: str | None = arguments.domain
    if domain is None and arguments.config is None:
        if len(domains) > 1:
            raise ConfigError(
                "cannot tell which domain to fit",
                why=f"the review has cuts of {', '.join(domains)}",
                fix=f"--domain {domains[0]}",
            )
        domain = domains[0] if domains else None
    present = load_domain(domain, file=arguments.config)
    # A domain from a file has a name of its own: then items of any domain count.
    if arguments.config is None:
        items = [item for item in items if item.domain == present.name]
    encoder = memoized_encoder(present)
    pending = [begin(book, present, encoder) for book in read_books(arguments.books, present, notify)]
    cuts, n_unplaced = graded_cuts(pending, present, items, readers)
    if n_unplaced:
        notify(f"left out: {n_unplaced} graded cuts, where the books have no sentence that begins there")
    return fit_setting(present, cuts, list(readers), seed=arguments.seed)


def describe_unplaced(cut: UnplacedCut) -> str:
    """Return a line about a cut that cannot be used, such as `clock: What kept: no sentence begins there`."""
    return ": ".join(part for part in (cut.book, cut.quote[:60], cut.why) if part)


def encoder_of(domain: Domain, encoders: _Encoders) -> MemoizedEncoder:
    """Return the domain's encoder from `encoders`, adding it if needed; settings of one model share it."""
    key = (domain.model, domain.backend, domain.precision)
    if key not in encoders:
        encoders[key] = memoized_encoder(domain)
    return encoders[key]


def notify(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
