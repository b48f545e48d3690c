"""What the whole command line needs to know of the command being run: `--debug`, `--json` and `--quiet`."""

from copy import copy
from dataclasses import dataclass
from typing import Any

import typer


@dataclass(slots=True)
class State:
    """Set while the options are parsed, and read where an error or a notice is shown."""

    debug: bool = False
    json: bool = False
    quiet: bool = False


def note_json(ctx: typer.Context, value: bool) -> bool:
    """Remember that errors are to be printed as JSON too."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.json = True
    return value


def note_quiet(ctx: typer.Context, value: bool) -> bool:
    """Remember that notices are not to be printed."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.quiet = True
    return value


def note_debug(ctx: typer.Context, value: bool) -> bool:
    """Remember that an error is to be printed with its traceback."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.debug = True
    return value


def repeat_debug(group: Any) -> None:
    """Let each subcommand take the option `--debug` of the group too: it is often added to a typed line."""
    option = next(parameter for parameter in group.params if parameter.name == "debug")
    hidden = copy(option)
    hidden.hidden, hidden.expose_value = True, False
    commands = list(group.commands.values())
    while commands:
        command = commands.pop()
        command.params.append(hidden)
        commands.extend(getattr(command, "commands", {}).values())
