"""The commands that measure: `evaluate`, `tune` and `review`."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.help import Command, Group
from alexandria.cli.options import ConfigFile, DomainName, Json, Paths, check_output, refuse_unused
from alexandria.evaluate.defaults import BUDGET, N_DOCUMENTS, N_EACH, N_SETTINGS, TOLERANCE, K
from alexandria.modes import Goal, Mode

if TYPE_CHECKING:
    from alexandria.views.chart import Chart
    from alexandria.views.tables import ScoreTable

app = typer.Typer(cls=Group, help="Measure how good the cuts are.", no_args_is_help=True)


def _check_chart(path: Path | None) -> Path | None:
    from alexandria.views.chart import check_chart_path

    writable = check_output(path)
    return None if writable is None else check_chart_path(writable)


def _refuse_markdown_with_json(ctx: typer.Context, value: bool) -> bool:
    if ctx.params.get("json"):  # an eager option: its value is known by now
        refuse_unused(ctx, "markdown", why="--json prints no tables")
    return value


def _check_reader(name: str) -> str:
    if not re.fullmatch(r"[\w.-]+", name):
        raise typer.BadParameter(f"{name!r} is not letters, digits, dots or dashes: it names a file")
    return name


MoreSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar='"STRATEGY OPTION=VALUE…"',
        help="Compare this setting too; repeatable.",
    ),
]
Questions = Annotated[
    Path | None,
    typer.Option("--questions", metavar="FILE", help="Questions with their answers, CSV or JSON Lines."),
]
ChartFile = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE", callback=_check_chart, help="Draw a chart, as .svg or .html."),
]
Markdown = Annotated[
    bool,
    typer.Option("--markdown", callback=_refuse_markdown_with_json, help="Print tables as Markdown."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]


@app.command("boundaries", cls=Command)
def evaluate_boundaries(
    ctx: typer.Context,
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    n_documents: Annotated[
        int, typer.Option("--documents", metavar="N", min=1, help="Documents to assemble from passages.")
    ] = N_DOCUMENTS,
    tolerance: Annotated[
        int,
        typer.Option(
            "--tolerance", metavar="N", min=0, help="How many sentences a cut may be away from a boundary."
        ),
    ] = TOLERANCE,
    seed: Seed = 0,
    cuts: Annotated[
        Path | None,
        typer.Option(
            "--cuts",
            metavar="FILE",
            help="Compare with a reader's cuts instead: a YAML file with the first words of each passage.",
        ),
    ] = None,
    chart: ChartFile = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure how well each strategy finds where sections begin once the headings are removed."""
    if cuts is not None:
        refuse_unused(ctx, "chart", why="--cuts prints tables, and draws no chart")
        refuse_unused(ctx, "n_documents", why="--cuts compares whole books, and assembles no documents")
        _compare_with_reader(
            paths,
            cuts,
            domain,
            config,
            more or (),
            tolerance=tolerance,
            seed=seed,
            markdown=markdown,
            json=json,
        )
        return
    from alexandria.evaluate.reports import boundary_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.chart import boundary_chart
    from alexandria.views.json.evaluation import boundaries_document
    from alexandria.views.tables import boundary_tables
    from alexandria.views.terminal import show_message

    report = boundary_report(
        paths,
        variants_of(domain, config, more or ()),
        show_message,
        n_documents=n_documents,
        tolerance=tolerance,
        seed=seed,
    )
    _show(boundary_tables(report), boundaries_document(report), markdown=markdown, json=json)
    _draw(chart, boundary_chart(report))


def _compare_with_reader(
    paths: list[Path],
    cuts: Path,
    domain: str | None,
    config: Path | None,
    more: Sequence[str],
    *,
    tolerance: int,
    seed: int,
    markdown: bool,
    json: bool,
) -> None:
    """Compare the cuts of each strategy with those of a reader, and print the tables."""
    from alexandria.evaluate.reports import reader_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.json.reader import reader_document
    from alexandria.views.tables_of_reader import reader_tables
    from alexandria.views.terminal import show_message

    report = reader_report(
        paths,
        cuts,
        lambda domain_of_cuts: variants_of(domain_of_cuts or domain, config, more),
        show_message,
        tolerance=tolerance,
        seed=seed,
    )
    _show(reader_tables(report), reader_document(report), markdown=markdown, json=json)


@app.command("retrieval", cls=Command)
def evaluate_retrieval(
    ctx: typer.Context,
    paths: Paths,
    questions: Questions = None,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    modes: Annotated[
        list[Mode] | None,
        typer.Option("--mode", metavar="|".join(Mode), help="Only this search mode; repeatable."),
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="Passages per question.")] = K,
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", min=1, help="Words read from the passages.")
    ] = BUDGET,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="Compare what a search returns on a word budget with plain pipelines of the same model.",
        ),
    ] = False,
    chart: ChartFile = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure how well a search answers questions: your own, or ones made from the books."""
    if questions is None and (sets := _paragraph_sets(paths)):
        refuse_unused(
            ctx,
            "more",
            "modes",
            "k",
            "budget",
            "plain",
            "chart",
            why=f"{sets[0].name} is a set of paragraphs with questions: all modes rank whole paragraphs",
        )
        _evaluate_paragraphs(sets, domain, config, markdown=markdown, json=json)
        return
    if plain:
        refuse_unused(
            ctx,
            "modes",
            "k",
            "budget",
            "chart",
            why="--plain has word budgets of its own, and draws no chart",
        )
        _compare_with_plain(paths, questions, domain, config, more or (), markdown=markdown, json=json)
        return
    from alexandria.evaluate.reports import retrieval_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.chart import retrieval_chart
    from alexandria.views.json.evaluation import retrieval_document
    from alexandria.views.tables import retrieval_tables
    from alexandria.views.terminal import show_message

    report = retrieval_report(
        paths,
        questions,
        variants_of(domain, config, more or ()),
        show_message,
        modes=modes or list(Mode),
        k=k,
        budget=budget,
    )
    _show(retrieval_tables(report), retrieval_document(report), markdown=markdown, json=json)
    _draw(chart, retrieval_chart(report))


def _paragraph_sets(paths: list[Path]) -> list[Path]:
    """Return the files among the paths that are sets of paragraphs with questions, in place of books."""
    from alexandria.evaluate.paragraphs import find_paragraph_sets

    return find_paragraph_sets(paths)


def _evaluate_paragraphs(
    files: list[Path], domain: str | None, config: Path | None, *, markdown: bool, json: bool
) -> None:
    """Measure how well a search ranks the paragraphs of these sets, and print the tables."""
    from alexandria.config import load_domain
    from alexandria.evaluate.reports import paragraphs_report
    from alexandria.views.json.paragraphs import paragraphs_document
    from alexandria.views.tables_of_paragraphs import paragraphs_tables

    report = paragraphs_report(files, load_domain(domain, file=config))
    _show(paragraphs_tables(report), paragraphs_document(report), markdown=markdown, json=json)


def _compare_with_plain(
    paths: list[Path],
    questions: Path | None,
    domain: str | None,
    config: Path | None,
    more: Sequence[str],
    *,
    markdown: bool,
    json: bool,
) -> None:
    """Compare what a search returns with what plain pipelines of the same model return; print the table."""
    from alexandria.config import load_domain
    from alexandria.evaluate.reports import answers_report
    from alexandria.evaluate.variants import parse_variant
    from alexandria.views.json.answers import answers_document
    from alexandria.views.tables_of_answers import answers_table
    from alexandria.views.terminal import show_message

    further = [parse_variant(text, domain, config) for text in more]
    report = answers_report(paths, questions, load_domain(domain, file=config), show_message, further=further)
    _show([answers_table(report)], answers_document(report), markdown=markdown, json=json)


@app.command("quality", cls=Command)
def evaluate_quality(
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure the chunks without questions: similarity inside and across cuts, drift, cuts in mid-thought."""
    from alexandria.evaluate.reports import quality_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.json.evaluation import quality_document
    from alexandria.views.tables import quality_table
    from alexandria.views.terminal import show_message

    results = quality_report(paths, variants_of(domain, config, more or ()), show_message)
    _show([quality_table(results)], quality_document(results), markdown=markdown, json=json)


@app.command("review", cls=Command)
def evaluate_review(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="REVIEW...",
            help="Folders of reviews, or tables of grades (.csv).",
            show_default=False,
        ),
    ],
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Show the grades of reviews by field, next to those in the published description."""
    from alexandria.evaluate.graded_tables import read_reviews
    from alexandria.evaluate.grades import field_report
    from alexandria.views.json.review import fields_document
    from alexandria.views.review import field_table

    report = field_report(read_reviews(paths))
    _show([field_table(report)], fields_document(report), markdown=markdown, json=json)


def tune(
    ctx: typer.Context,
    paths: Paths,
    domain: DomainName = None,
    config: ConfigFile = None,
    objective: Annotated[
        Goal,
        typer.Option(
            "--objective",
            metavar="|".join(Goal),
            help=f"`recall` within {BUDGET:,} words, or `sections` (F1).",
        ),
    ] = Goal.RECALL,
    questions: Questions = None,
    mode: Annotated[
        Mode, typer.Option("--mode", metavar="|".join(Mode), help="The search mode, for `recall`.")
    ] = Mode.HYBRID,
    n_settings: Annotated[
        int, typer.Option("--settings", metavar="N", min=1, help="Number of settings to try.")
    ] = N_SETTINGS,
    from_review: Annotated[
        Path | None,
        typer.Option(
            "--from-review",
            metavar="FOLDER",
            help="Instead, fit the threshold and costs to the grades in a review of these books.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", callback=check_output, help="Write the best setting as a domain file."
        ),
    ] = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Find the best setting on half of the books, and test it on the other half."""
    if from_review is not None:
        refuse_unused(
            ctx,
            "objective",
            "questions",
            "mode",
            "n_settings",
            why="--from-review fits to the grades, and searches nothing",
        )
        _fit_to_review(paths, from_review, domain, config, seed=seed, out=out, markdown=markdown, json=json)
        return
    if objective is Goal.SECTIONS:
        refuse_unused(ctx, "mode", "questions", why="--objective sections asks no questions")
    from alexandria.config import load_domain
    from alexandria.evaluate.domain_file import write_text
    from alexandria.evaluate.reports import tuning_report
    from alexandria.evaluate.tuning import yaml_of
    from alexandria.views.json.evaluation import tuning_document
    from alexandria.views.tables import tuning_table
    from alexandria.views.terminal import show_message

    report = tuning_report(
        paths,
        questions,
        load_domain(domain, file=config),
        show_message,
        objective=objective,
        mode=mode,
        n_settings=n_settings,
        seed=seed,
        config=config,
    )
    _show([tuning_table(report)], tuning_document(report), markdown=markdown, json=json)
    if out is not None and report.tuned.best is report.tuned.present:
        show_message(f"did not write {out}: no better setting was found")
    elif out is not None:
        write_text(out, yaml_of(report, " ".join(["alexandria", *sys.argv[1:]])))
        show_message(f"wrote {out}")


def _fit_to_review(
    paths: list[Path],
    review: Path,
    domain: str | None,
    config: Path | None,
    *,
    seed: int,
    out: Path | None,
    markdown: bool,
    json: bool,
) -> None:
    """Fit the threshold and costs to the grades of a review; write the setting if it is better."""
    from alexandria.evaluate.domain_file import write_text
    from alexandria.evaluate.fitting import fitted_yaml
    from alexandria.evaluate.reports import fitted_setting
    from alexandria.evaluate.review_folder import ReviewFolder
    from alexandria.views.json.review import fitted_document
    from alexandria.views.review import fitted_table
    from alexandria.views.terminal import print_text, show_message

    result = fitted_setting(paths, ReviewFolder.at(review), domain, config, show_message, seed=seed)
    _show([fitted_table(result)], fitted_document(result), markdown=markdown, json=json)
    if not result.beyond_noise:
        if out is not None:
            show_message(f"did not write {out}: no better setting was found")
        return
    text = fitted_yaml(result, " ".join(["alexandria", *sys.argv[1:]]))
    if out is not None:
        write_text(out, text)
        show_message(f"wrote {out}")
    elif not json:
        print_text(text)


def review(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH...",
            help="Books whose cuts are added to the review; omit to continue it.",
            show_default=False,
        ),
    ] = None,
    domain: DomainName = None,
    config: ConfigFile = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="A,B…",
            help="Mix the cuts of these settings, unlabelled; each is STRATEGY OPTION=VALUE…",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="FOLDER", help="The files of the review.", show_default="your data folder"
        ),
    ] = None,
    each: Annotated[
        int, typer.Option("--each", metavar="N", min=1, help="Cuts per book and setting.")
    ] = N_EACH,
    reader: Annotated[
        str,
        typer.Option(
            "--reader", metavar="NAME", callback=_check_reader, help="The name of the reader who grades."
        ),
    ] = "me",
    files_only: Annotated[
        bool, typer.Option("--files", help="Ask nothing: only write the files, and print the table.")
    ] = False,
    seed: Seed = 0,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Grade cuts one by one without knowing which setting made them. Stop and resume at any time."""
    if not paths:
        refuse_unused(
            ctx, "domain", "config", "compare", "each", "seed", why="without books, no cuts are added"
        )
    if files_only:
        refuse_unused(ctx, "reader", why="--files asks for no grades")
    from platformdirs import user_data_path

    from alexandria.evaluate.grades import review_report
    from alexandria.evaluate.reports import add_to_review
    from alexandria.evaluate.review_folder import ReviewFolder
    from alexandria.evaluate.variants import compared_variants
    from alexandria.views.json.review import review_document
    from alexandria.views.review import review_tables
    from alexandria.views.terminal import show_message
    from alexandria.views.terminal.review import ask_grades

    files = ReviewFolder(folder or user_data_path("alexandria") / "review")
    if paths:
        variants = compared_variants(compare, domain, config)
        add_to_review(files, paths, variants, show_message, each=each, seed=seed)
    items = files.items()
    if not items:
        raise typer.BadParameter(
            f"there are no cuts to grade in {files.path}: name books, or longer ones", param_hint="PATH..."
        )
    if files_only:
        show_message(
            f"{len(items)} items in {files.path / 'items.md'}, grades in {files.path / 'grades.csv'}"
        )
    else:
        ask_grades(items, files, reader)
    report = review_report(items, files.readers())
    _show(review_tables(report), review_document(report), markdown=markdown, json=json)


def _show(tables: "Sequence[ScoreTable]", document: object, *, markdown: bool, json: bool) -> None:
    """Print the document with --json, otherwise the tables."""
    from alexandria.views.terminal import evaluation, print_json

    if json:
        print_json(document)
        return
    for table in tables:
        evaluation.show_table(table, markdown=markdown)


def _draw(path: Path | None, chart: "Chart") -> None:
    """Write the chart to a file, if one is named."""
    from alexandria.views.chart import write_chart

    if path is not None:
        write_chart(path, chart)
