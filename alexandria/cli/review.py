"""The command `review`: a reader grades cuts without knowing which setting made them."""

import re
from pathlib import Path
from typing import Annotated

import typer

from alexandria.cli.options import ConfigFile, Json, SingleDomainName, refuse_unused
from alexandria.cli.scores import Markdown, Seed, show_scores
from alexandria.evaluate.defaults import N_EACH


def _check_reader(name: str) -> str:
    """Return the name of a reader; refuse one that cannot be a part of the name of the file of grades."""
    # Dashes at the ends would be taken for those between the words of the file's name.
    if not re.fullmatch(r"(?![-_])[\w.-]+(?<![-_])", name):
        raise typer.BadParameter(
            f"{name!r} is not letters, digits, dots, and dashes between them: it names a file"
        )
    return name


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
    domain: SingleDomainName = None,
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
    from alexandria.evaluate.variants import parse_variants
    from alexandria.views.json.review import review_document
    from alexandria.views.review import review_tables
    from alexandria.views.terminal import show_message
    from alexandria.views.terminal.review import ask_grades

    files = ReviewFolder(folder or user_data_path("alexandria") / "review")
    if paths:
        variants = parse_variants(compare, domain, config)
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
    report = review_report(items, files.grades_by_reader())
    show_scores(review_tables(report), review_document(report), markdown=markdown, json=json)
