"""The command `tune`: find the best setting for some books, by searching them or from graded cuts."""

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
            "--out",
            metavar="FILE",
            callback=check_output,
            help="Write the best setting as a domain file, if its gain is more than noise.",
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
    from alexandria.evaluate.domain_file import write_text
    from alexandria.evaluate.reports import tuning_report
    from alexandria.evaluate.tuning import yaml_of
    from alexandria.views.json.evaluation import tuning_document
    from alexandria.views.tables import tuning_table
    from alexandria.views.terminal import show_message

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
    from alexandria.evaluate.reports import fit_to_review
    from alexandria.evaluate.review_folder import ReviewFolder
    from alexandria.views.json.review import fitted_document
    from alexandria.views.review import fitted_table
    from alexandria.views.terminal import print_text, show_message

    result = fit_to_review(paths, ReviewFolder.at(review), domain, config, show_message, seed=seed)
    show_scores([fitted_table(result)], fitted_document(result), markdown=markdown, json=json)
    if not result.beyond_noise:
        if out is not None:
            show_message(_did_not_write(out))
        return
    text = fitted_yaml(result, command_line())
    if out is not None:
        write_text(out, text)
        show_message(f"wrote {out}")
    elif not json:
        print_text(text)


def _did_not_write(out: Path) -> str:
    return f"did not write {out}: no setting is better by more than noise"


def command_line() -> str:
    """Return the command that is running, quoted as a shell needs it: for the file that it writes."""
    return shlex.join(["alexandria", *sys.argv[1:]])
