"""The commands that measure: `evaluate boundaries`, `retrieval` and `quality`, and `tune`."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.book.choices import Goal, Mode
from alexandria.doors.cli.chosen import App
from alexandria.doors.cli.help import Group
from alexandria.doors.cli.options import (
    ConfigFile,
    Json,
    Paths,
    SingleDomainName,
    check_output,
    option,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, show_message
from alexandria.lab import BUDGET, N_DOCUMENTS, N_SETTINGS, TOLERANCE, K

if TYPE_CHECKING:
    from alexandria.lab.settings import Variant
    from alexandria.lab.tables import ScoreTable


def _refuse_markdown_with_json(ctx: typer.Context, value: bool) -> bool:
    """Return the value of --markdown; refuse it if --json is given, which prints no tables."""
    if ctx.params.get("json"):  # an eager option: its value is known by now
        refuse_unused(ctx, "markdown", why="--json prints no tables")
    return value


Questions = Annotated[
    Path | None, option("--questions FILE", "Questions with their answers, CSV or JSON Lines.")
]
Markdown = Annotated[
    bool, option("--markdown", "Print tables as Markdown.", callback=_refuse_markdown_with_json)
]
Seed = Annotated[int, option("--seed N", "The same seed gives the same result.")]


measures = App(cls=Group, help="Measure how good the cuts are.", no_args_is_help=True)
app = App()
app.add_typer(measures, name="evaluate")

MoreSettings = Annotated[
    list[str] | None, option('--setting "STRATEGY OPTION=VALUE…"', "Compare this setting too; repeatable.")
]


@dataclass(frozen=True, slots=True)
class Compared:
    """The settings to compare."""

    domain: SingleDomainName = None
    config: ConfigFile = None
    more: MoreSettings = None

    def variants(self) -> "list[Variant]":
        """Return what is compared; say which field the books are cut for, where none was named."""
        from alexandria.lab.settings import variants_of

        variants = variants_of(self.domain, self.config, self.more or ())
        if self.domain is None and self.config is None:
            field = variants[0].domain.name
            show_message(f"all books are cut as --domain {field}; ingest guesses the field of each")
        return variants


@dataclass(frozen=True, slots=True)
class Output:
    """How scores are printed."""

    markdown: Markdown = False
    json: Json = False

    def show(self, tables: "Sequence[ScoreTable]", document: object) -> None:
        """Print the document with --json, otherwise the tables."""
        from alexandria.lab.terminal import show_table

        if self.json:
            print_json(document)
            return
        for table in tables:
            show_table(table, markdown=self.markdown)


@measures.command("boundaries")
def evaluate_boundaries(
    paths: Paths,
    *,
    compared: Compared,
    n_documents: Annotated[
        int, option("--documents N", "Test documents to build from parts of the books.", min=1)
    ] = N_DOCUMENTS,
    tolerance: Annotated[
        int, option("--tolerance N", "How many sentences a cut may be away from a boundary.", min=0)
    ] = TOLERANCE,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Measure how well each strategy finds where sections begin once the headings are removed."""
    from alexandria.lab import documents, reports, tables

    variants = compared.variants()
    report = reports.boundary_report(
        paths, variants, show_message, n_documents=n_documents, tolerance=tolerance, seed=seed
    )
    output.show(tables.boundary_tables(report), documents.boundaries_document(report))


@measures.command("retrieval")
def evaluate_retrieval(
    paths: Paths,
    *,
    questions: Questions = None,
    compared: Compared,
    modes: Annotated[
        list[Mode] | None, option(f"--mode {'|'.join(Mode)}", "Only this search mode; repeatable.")
    ] = None,
    k: Annotated[int, option("--limit -k N", "Passages per question.", min=1, max=100)] = K,
    budget: Annotated[int, option("--budget N", "Words read from the passages.", min=1)] = BUDGET,
    output: Output,
) -> None:
    """Measure how well a search answers questions: your own, or ones made from the books."""
    from alexandria.lab import documents, reports, tables

    variants = compared.variants()
    report = reports.retrieval_report(
        paths, questions, variants, show_message, modes=modes or list(Mode), k=k, budget=budget
    )
    output.show(tables.retrieval_tables(report), documents.retrieval_document(report))


@measures.command("quality")
def evaluate_quality(paths: Paths, *, compared: Compared, output: Output) -> None:
    """Measure chunks without questions: similarity inside chunks and across cuts, drift, mid-thought cuts."""
    from alexandria.lab import documents, reports, tables

    results = reports.quality_report(paths, compared.variants(), show_message)
    output.show([tables.quality_table(results)], documents.quality_document(results))


@app.command()
def tune(
    ctx: typer.Context,
    paths: Paths,
    *,
    domain: SingleDomainName = None,
    config: ConfigFile = None,
    objective: Annotated[
        Goal,
        option(f"--objective {'|'.join(Goal)}", f"`recall` within {BUDGET:,} words, or `sections` (F1)."),
    ] = Goal.RECALL,
    questions: Questions = None,
    mode: Annotated[Mode, option(f"--mode {'|'.join(Mode)}", "The search mode, for `recall`.")] = Mode.HYBRID,
    n_settings: Annotated[int, option("--settings N", "Number of settings to try.", min=1)] = N_SETTINGS,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        option(
            "--out FILE",
            "Write the best setting as a domain file, if its gain is more than noise.",
            callback=check_output,
        ),
    ] = None,
    output: Output,
) -> None:
    """Find the best setting on half of the books; test it on the others."""
    if objective is Goal.SECTIONS:
        refuse_unused(ctx, "mode", "questions", why="--objective sections asks no questions")
    from alexandria.lab import documents, domain_file, reports, tables, tuning

    report = reports.tuning_report(
        paths,
        questions,
        domain,
        config,
        show_message,
        objective=objective,
        mode=mode,
        n_settings=n_settings,
        seed=seed,
    )
    output.show([tables.tuning_table(report)], documents.tuning_document(report))
    if out is not None and not report.tuned.beyond_noise:
        show_message(f"did not write {out}: no setting is better by more than noise")
    elif out is not None:
        domain_file.write_text(out, tuning.best_as_yaml(report, command_line()))
        show_message(f"wrote {out}")


def command_line() -> str:
    """Return the command that is running, quoted as a shell needs it: for the file that it writes."""
    return shlex.join(["alexandria", *sys.argv[1:]])
