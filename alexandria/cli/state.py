"""What the whole command line must know about the running command: `--debug`, `--json` and the like."""

import logging
from copy import copy
from dataclasses import dataclass
from typing import Any

import typer


@dataclass(slots=True)
class State:
    """Set by the callbacks of options while they are parsed; read where an error or a notice is shown."""

    debug: bool = False
    json: bool = False
    quiet: bool = False
    verbose: bool = False


def set_json(ctx: typer.Context, value: bool) -> bool:
    """Print errors as JSON too."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.json = True
    return value


def set_quiet(ctx: typer.Context, value: bool) -> bool:
    """Print no notices."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.quiet = True
    return value


def set_verbose(ctx: typer.Context, value: bool) -> bool:
    """Report each step."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.verbose = True
        logging.getLogger("alexandria").setLevel(logging.DEBUG)
    return value


def set_debug(ctx: typer.Context, value: bool) -> bool:
    """Print the traceback of an error."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.debug = True
    return value


def repeat_options(group: Any) -> None:
    """Let each subcommand accept `--debug` and `--verbose`, which are often added at the end of a line."""
    repeated = [copy(option) for option in group.params if option.name in ("debug", "verbose")]
    for option in repeated:
        option.hidden, option.expose_value = True, False
    commands = list(group.commands.values())
    while commands:
        command = commands.pop()
        command.params.extend(repeated)
        commands.extend(getattr(command, "commands", {}).values())
