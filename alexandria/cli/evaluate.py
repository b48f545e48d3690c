"""The commands of `evaluate`, which measure the cuts: by boundaries, retrieval and quality."""

from typing import Annotated

import typer

from alexandria.cli.help import Command, Group
from alexandria.cli.options import ConfigFile, Json, Paths, SingleDomainName
from alexandria.cli.scores import Markdown, Questions, Seed, show_scores
from alexandria.evaluate.defaults import BUDGET, N_DOCUMENTS, TOLERANCE, K
from alexandria.modes import Mode

app = typer.Typer(cls=Group, help="Measure how good the cuts are.", no_args_is_help=True)


MoreSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar='"STRATEGY OPTION=VALUE…"',
        help="Compare this setting too; repeatable.",
    ),
]


@app.command("boundaries", cls=Command)
def evaluate_boundaries(
    paths: Paths,
    domain: SingleDomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    n_documents: Annotated[
        int,
        typer.Option(
            "--documents", metavar="N", min=1, help="Test documents to build from parts of the books."
        ),
    ] = N_DOCUMENTS,
    tolerance: Annotated[
        int,
        typer.Option(
            "--tolerance", metavar="N", min=0, help="How many sentences a cut may be away from a boundary."
        ),
    ] = TOLERANCE,
    seed: Seed = 0,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure how well each strategy finds where sections begin once the headings are removed."""
    from alexandria.evaluate.reports import boundary_report
    from alexandria.evaluate.variants import variants_of
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


@app.command("retrieval", cls=Command)
def evaluate_retrieval(
    paths: Paths,
    questions: Questions = None,
    domain: SingleDomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    modes: Annotated[
        list[Mode] | None,
        typer.Option("--mode", metavar="|".join(Mode), help="Only this search mode; repeatable."),
    ] = None,
    k: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", min=1, max=100, help="Passages per question.")
    ] = K,
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", min=1, help="Words read from the passages.")
    ] = BUDGET,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure how well a search answers questions: your own, or ones made from the books."""
    from alexandria.evaluate.reports import retrieval_report
    from alexandria.evaluate.variants import variants_of
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


@app.command("quality", cls=Command)
def evaluate_quality(
    paths: Paths,
    domain: SingleDomainName = None,
    config: ConfigFile = None,
    more: MoreSettings = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Measure chunks without questions: similarity inside chunks and across cuts, drift, mid-thought cuts."""
    from alexandria.evaluate.reports import quality_report
    from alexandria.evaluate.variants import variants_of
    from alexandria.views.json.evaluation import quality_document
    from alexandria.views.tables import quality_table
    from alexandria.views.terminal.console import show_message

    results = quality_report(paths, variants_of(domain, config, more or ()), show_message)
    show_scores([quality_table(results)], quality_document(results), markdown=markdown, json=json)
