"""The hidden command `schema`: the JSON schema of what a command prints with --json."""

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name of a schema; without one, the names are listed."),
    ] = None,
) -> None:
    """Print the JSON schema of what a command prints with --json."""
    from alexandria.views.json.schema import DOCUMENTS, schema_document
    from alexandria.views.terminal.console import print_json, print_text

    if name is None:
        print_text("\n".join(DOCUMENTS))
    else:
        print_json(schema_document(name))
