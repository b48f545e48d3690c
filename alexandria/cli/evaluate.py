"""The commands of `evaluate`, which measure the cuts: by boundaries, retrieval and quality."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.help import Command, Group
from alexandria.cli.options import ConfigFile, Json, Paths, SingleDomainName, check_output, refuse_unused
from alexandria.cli.scores import Markdown, Questions, Seed, show_scores
from alexandria.errors import ConfigError
from alexandria.evaluate.defaults import BUDGET, N_DOCUMENTS, TOLERANCE, K
from alexandria.modes import Mode

if TYPE_CHECKING:
    from alexandria.views.chart import Chart

app = typer.Typer(cls=Group, help="Measure how good the cuts are.", no_args_is_help=True)


def _check_chart(path: Path | None) -> Path | None:
    """Return the path of a chart; refuse one that could not be written after the work."""
    from alexandria.views.chart import check_chart_path

    writable = check_output(path)
    return None if writable is None else check_chart_path(writable)


MoreSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar='"STRATEGY OPTION=VALUE…"',
        help="Compare this setting too; repeatable.",
    ),
]
ChartFile = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE", callback=_check_chart, help="Draw a chart, as .svg or .html."),
]


@app.command("boundaries", cls=Command)
def evaluate_boundaries(
    paths: Paths,
    domain: SingleDomainName = None,
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
    chart: ChartFile = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure how well each strategy finds where sections begin once the headings are removed."""
    from alexandria.evaluate.reports import boundary_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.chart import boundary_chart
    from alexandria.views.json.evaluation import boundaries_document
    from alexandria.views.tables import boundary_tables
    from alexandria.views.terminal.console import show_message

    report = boundary_report(
        paths,
        variants_of(domain, config, more or ()),
        show_message,
        n_documents=n_documents,
        tolerance=tolerance,
        seed=seed,
    )
    show_scores(boundary_tables(report), boundaries_document(report), markdown=markdown, json=json)
    _draw(chart, boundary_chart(report))


@app.command("retrieval", cls=Command)
def evaluate_retrieval(
    ctx: typer.Context,
    paths: Paths,
    questions: Questions = None,
    domain: SingleDomainName = None,
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
            help="With --questions, compare what a search returns on a word budget with plain pipelines of"
            " the same model.",
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
    from alexandria.views.terminal.console import show_message

    report = retrieval_report(
        paths,
        questions,
        variants_of(domain, config, more or ()),
        show_message,
        modes=modes or list(Mode),
        k=k,
        budget=budget,
    )
    show_scores(retrieval_tables(report), retrieval_document(report), markdown=markdown, json=json)
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
    show_scores(paragraphs_tables(report), paragraphs_document(report), markdown=markdown, json=json)


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
    """Compare what a search returns with what plain pipelines of the same model return; print the table.

    Raises:
        ConfigError: there are no questions.
    """
    if questions is None:
        raise ConfigError(
            "--plain needs questions with their answers",
            why="a question made from a book is one of its sentences or headings, which a search would find",
            fix="--questions FILE; see docs/quality.md for the formats",
        )
    from alexandria.config import load_domain
    from alexandria.evaluate.reports import answers_report
    from alexandria.evaluate.variants import parse_settings
    from alexandria.views.json.answers import answers_document
    from alexandria.views.tables_of_answers import answers_table
    from alexandria.views.terminal.console import show_message

    further = parse_settings(more, domain, config)
    report = answers_report(paths, questions, load_domain(domain, file=config), show_message, further=further)
    show_scores([answers_table(report)], answers_document(report), markdown=markdown, json=json)


@app.command("quality", cls=Command)
def evaluate_quality(
    paths: Paths,
    domain: SingleDomainName = None,
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
    from alexandria.views.terminal.console import show_message

    results = quality_report(paths, variants_of(domain, config, more or ()), show_message)
    show_scores([quality_table(results)], quality_document(results), markdown=markdown, json=json)


def _draw(path: Path | None, chart: "Chart") -> None:
    """Write the chart to a file, if one is named."""
    from alexandria.views.chart import write_chart

    if path is not None:
        write_chart(path, chart)
