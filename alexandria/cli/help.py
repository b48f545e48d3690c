"""The text of `--help`: plain, in groups, and without rich, which takes too long to import."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

import alexandria
from alexandria.cli.state import State
from alexandria.errors import ConfigError
from alexandria.plugins import entry_names

CUTS = "Where to cut"
LIBRARY = "The library"
READING = "Reading files"
FILTERS = "Filters"
BOOKS, STORED, QUALITY, SETUP = "Books", "Library", "Quality", "Setup"
_ORDER = ("Arguments", BOOKS, STORED, QUALITY, SETUP, CUTS, READING, FILTERS, LIBRARY, "Commands", "Options")
_UsageError: Any = typer.BadParameter.__mro__[1]  # of click, which later versions of typer contain
_MAX_COLUMN = 24
"""Characters of a name; the description of a longer one is printed below it, not next to it."""


class Command(TyperCommand):
    """A command whose help lists its options in groups, and the strategies where it has that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line; refuse an option given twice: one would be ignored."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for parameter in given:
                _refuse_repeated(parameter, given.count(parameter))
        return list(super().parse_args(ctx, args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line; optional ones are in brackets."""
        arguments = [parameter for parameter in self.params if parameter.param_type_name == "argument"]
        names = (_name(argument) if argument.required else f"[{_name(argument)}]" for argument in arguments)
        return ["[OPTIONS]", *names]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, each under the heading of its group."""
        # Only now: listing the installed strategies takes time, and only --help shows them.
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and parameter.name == "strategy":
                parameter.help = f"Where to cut: {', '.join(strategy_names())}."
        _write_parameters(self, ctx, formatter)


class Group(TyperGroup):
    """A command with subcommands, whose help lists them in groups, with their whole descriptions."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; note in the state what is wrong with its words, for `--json`."""
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            if isinstance(ctx.obj, State):
                ctx.obj.usage_error = error.format_message()
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        shown = [(name, command) for name, command in self.commands.items() if not command.hidden]
        rows = [(_heading(command, "Commands"), (name, command.help or "")) for name, command in shown]
        _write_groups(rows, formatter)
        _write_parameters(self, ctx, formatter)


def _refuse_repeated(parameter: Any, times: int) -> None:
    """Raise a ConfigError if an option that takes one value is given several times."""
    is_option = parameter.param_type_name == "option"
    if is_option and times > 1 and not parameter.multiple and not parameter.is_flag:
        raise ConfigError(
            f"{parameter.opts[0]} is given {times} times",
            why="only one of its values can count",
            fix="remove the others",
        )


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the arguments and options of a command, each under the heading of its group."""
    rows = []
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:  # hidden
            continue
        if parameter.param_type_name == "argument":
            rows.append(("Arguments", (_name(parameter), parameter.help or "")))
        else:
            rows.append((_heading(parameter, "Options"), record))
    _write_groups(rows, formatter)


def _name(argument: Any) -> str:
    return argument.metavar or str(argument.name).upper()


def _heading(entry: Any, default: str) -> str:
    return getattr(entry, "rich_help_panel", None) or default


def _write_groups(rows: Sequence[tuple[str, tuple[str, str]]], formatter: Any) -> None:
    """Write (heading, (name, text)) in groups of one heading, with one column of names for all groups."""
    width = max((len(name) for _, (name, _) in rows if len(name) <= _MAX_COLUMN), default=0)
    groups: dict[str, list[tuple[str, str]]] = {}
    for heading, (name, text) in sorted(rows, key=lambda row: _rank(row[0])):
        groups.setdefault(heading, []).append((name.ljust(width), text))
    for heading, members in groups.items():
        with formatter.section(heading):
            formatter.write_dl(members, col_max=width)


def _rank(heading: str) -> int:
    """Return the position of a group in the help; a group of another name comes with the commands."""
    return _ORDER.index(heading) if heading in _ORDER else _ORDER.index("Commands")


def strategy_names() -> list[str]:
    """Return the names of all strategies from the names of their files, because importing them is slow."""
    folder = Path(alexandria.__file__).parent / "chunking" / "strategies"
    shipped = sorted(file.stem.replace("_", "-") for file in folder.glob("[a-z]*.py"))
    return [*shipped, *entry_names("alexandria.strategies")]
