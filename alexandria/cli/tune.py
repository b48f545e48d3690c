"""The command `tune`: find the best setting for some books."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from alexandria.cli.options import ConfigFile, Json, Paths, SingleDomainName, check_output, refuse_unused
from alexandria.cli.scores import Markdown, Questions, Seed, show_scores
from alexandria.evaluate.defaults import BUDGET, N_SETTINGS
from alexandria.modes import Goal, Mode


def tune(
    ctx: typer.Context,
    paths: Paths,
    domain: SingleDomainName = None,
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
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            callback=check_output,
            help="Write the best setting as a domain file, if its gain is more than noise.",
        ),
    ] = None,
    markdown: Markdown = False,
    json: Json = False,
) -> None:
    """Find the best setting on half of the books; test it on the others."""
    if objective is Goal.SECTIONS:
        refuse_unused(ctx, "mode", "questions", why="--objective sections asks no questions")
    from alexandria.evaluate.domain_file import write_text
    from alexandria.evaluate.reports import tuning_report
    from alexandria.evaluate.tuning import yaml_of
    from alexandria.views.json.evaluation import tuning_document
    from alexandria.views.tables import tuning_table
    from alexandria.views.terminal.console import show_message

    report = tuning_report(
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
    show_scores([tuning_table(report)], tuning_document(report), markdown=markdown, json=json)
    if out is not None and not report.tuned.beyond_noise:
        show_message(_did_not_write(out))
    elif out is not None:
        write_text(out, yaml_of(report, command_line()))
        show_message(f"wrote {out}")


def _did_not_write(out: Path) -> str:
    return f"did not write {out}: no setting is better by more than noise"


def command_line() -> str:
    """Return the command that is running, quoted as a shell needs it: for the file that it writes."""
    return shlex.join(["alexandria", *sys.argv[1:]])
