"""What the commands that measure share: their options, and how their scores are printed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.options import refuse_unused

if TYPE_CHECKING:
    from alexandria.views.tables import ScoreTable


def _refuse_markdown_with_json(ctx: typer.Context, value: bool) -> bool:
    """Return the value of --markdown; refuse it if --json is given, which prints no tables."""
    if ctx.params.get("json"):  # an eager option: its value is known by now
        refuse_unused(ctx, "markdown", why="--json prints no tables")
    return value


Questions = Annotated[
    Path | None,
    typer.Option("--questions", metavar="FILE", help="Questions with their answers, CSV or JSON Lines."),
]
Markdown = Annotated[
    bool,
    typer.Option("--markdown", callback=_refuse_markdown_with_json, help="Print tables as Markdown."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same result.")]


def show_scores(tables: "Sequence[ScoreTable]", document: object, *, markdown: bool, json: bool) -> None:
    """Print the document with --json, otherwise the tables."""
    from alexandria.views.terminal import evaluation
    from alexandria.views.terminal.console import print_json

    if json:
        print_json(document)
        return
    for table in tables:
        evaluation.show_table(table, markdown=markdown)
