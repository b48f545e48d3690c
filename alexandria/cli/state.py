"""What the whole command line must know about the running command: `--debug`, `--json` and the like."""

import logging
from collections.abc import Callable, Iterator
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
    log_json: bool = False
    found_nothing: bool = False
    """Whether what was looked for is not there: the exit code 1 is then not typer's."""
    usage_error: str = ""
    """What is wrong with the words of the command line."""


def _noting(name: str) -> Callable[[typer.Context, bool], bool]:
    """Return a callback of typer which notes in the state that a flag is set."""

    def note(ctx: typer.Context, value: bool) -> bool:
        if value and isinstance(ctx.obj, State):
            setattr(ctx.obj, name, True)
        return value

    return note


set_json = _noting("json")
"""Errors are then printed as JSON too."""
set_quiet = _noting("quiet")
"""Notices are then not printed."""
set_log_json = _noting("log_json")
"""Notices are then lines of JSON."""
set_debug = _noting("debug")
"""Errors then show a traceback."""


def set_verbose(ctx: typer.Context, value: bool) -> bool:
    """Note in the state that `--verbose` is set, and log each step. A callback of typer."""
    if value and isinstance(ctx.obj, State):
        ctx.obj.verbose = True
        logging.getLogger("alexandria").setLevel(logging.DEBUG)
    return value


def is_verbose(ctx: typer.Context) -> bool:
    """Return whether `--verbose` is set."""
    return isinstance(ctx.obj, State) and ctx.obj.verbose


def repeat_options(group: Any) -> None:
    """Let each subcommand accept `--debug` and `--verbose`, which are often added at the end of a line."""
    repeated = [copy(option) for option in group.params if option.name in ("debug", "verbose")]
    for option in repeated:
        option.hidden = True
        option.expose_value = False  # the function of a subcommand has no such parameter
    for command in _subcommands(group):
        command.params.extend(repeated)


def _subcommands(group: Any) -> Iterator[Any]:
    """Yield the commands of a group, and those of the groups in it at every level."""
    for command in group.commands.values():
        yield command
        if hasattr(command, "commands"):
            yield from _subcommands(command)
