"""The text of docs/cli.md: the help of every command."""

from collections.abc import Iterator
from typing import Any

import typer

from alexandria.doors.cli import program
from alexandria.doors.cli.help import WHOLE


def reference() -> str:
    """Return the help of every command, as `alexandria help` prints it at 80 columns, each under its name."""
    return "\n".join(_sections(program(), None, "alexandria"))


def _sections(command: Any, parent: Any, name: str) -> Iterator[str]:
    context = typer.Context(
        command, parent=parent, info_name=name, terminal_width=78, help_option_names=["-h", "--help"]
    )
    context.meta[WHOLE] = True
    yield f"## `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```\n"
    subcommands = getattr(command, "commands", {})
    for subcommand in sorted(subcommands):
        yield from _sections(subcommands[subcommand], context, subcommand)
