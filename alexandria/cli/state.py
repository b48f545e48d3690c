"""What the whole command line needs to know of the command being run: `--debug`, `--json` and the like."""

import logging
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
    verbose: bool = False


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


def note_verbose(ctx: typer.Context, value: bool) -> bool:
    """Remember that each step is to be told."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.verbose = True
        logging.getLogger("alexandria").setLevel(logging.DEBUG)
    return value


def note_debug(ctx: typer.Context, value: bool) -> bool:
    """Remember that an error is to be printed with its traceback."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.debug = True
    return value


def repeat_options(group: Any) -> None:
    """Let each subcommand take `--debug` and `--verbose` of the group too: they are often added to a line."""
    repeated = [copy(option) for option in group.params if option.name in ("debug", "verbose")]
    for option in repeated:
        option.hidden, option.expose_value = True, False
    commands = list(group.commands.values())
    while commands:
        command = commands.pop()
        command.params.extend(repeated)
        commands.extend(getattr(command, "commands", {}).values())
