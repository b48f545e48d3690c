"""The text of `--help`: plain, in groups, and without rich, which takes too long to import.

The page of a command is short: a sentence, examples, the options that people use. `alexandria help COMMAND`
describes all its options, and `alexandria help library` those that say which library. A new command adds a
line to the tables of groups and examples.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from alexandria.doors.cli.state import State
from alexandria.errors import ConfigError
from alexandria.system.files import PACKAGE_FOLDER
from alexandria.system.plugins import entry_names

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Everyday": (
        "ingest", "search", "find", "check", "read", "open", "cite", "list", "show", "edit", "remove",
        "serve",
    ),
    "Cuts": ("inspect", "domains"),
    "Programs": ("mcp", "export", "models"),
    "Care": ("status", "doctor", "verify", "repair", "backup", "restore", "copy", "cache"),
    "For developers": ("evaluate", "tune", "extract", "schema"),
}  # fmt: skip
"""The commands of each group, in the order in which they are listed."""
UNLISTED = "For developers"  # the group that only `alexandria help --all` lists
NAMED = ("Programs", "Care")  # the groups of which the short page only names the commands
FIRST_STEPS = """\
There is no library yet. To make one:  alexandria ingest FOLDER-OR-BOOK
Then ask it something:                 alexandria search "what is justice"
All other commands:                    alexandria --help
"""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "ingest": ("ingest books", "ingest republic.epub --domain philosophy"),
    "search": ("search what is justice", 'search "the cave and the sun" --author plato -k 3'),
    "find": ("find the unexamined life is not worth living", 'find "no man is an island" --author donne'),
    "check": ("check chapter-2.docx", "check thesis.tex --only differs,not_found --author plato"),
    "read": ("read 3fb1c2d9-565 --context 1", "read republic --page 214"),
    "open": ("open 3fb1c2d9-565", "open 3fb1c2d9-565 --browser"),
    "cite": ("cite 3fb1c2d9-565", "cite 3fb1c2d9-565 --style apa"),
    "list": ("list --author plato", "list --cite --style apa"),
    "show": ("show republic", "show republic --chunks"),
    "edit": ('edit republic --author "Plato"', "edit republic --date 1894"),
    "remove": ("remove republic", "remove republic symposium --yes"),
    "serve": ("serve", "serve --port 8000"),
    "inspect": ("inspect republic.epub", "inspect 3fb1c2d9-565", "inspect republic.epub --html cuts.html"),
    "mcp": ("mcp", "mcp --store my-library"),
    "export": ("export books.jsonl", "export plato.parquet --author plato"),
    "status": ("status", "status --failures"),
    "doctor": ("doctor", "doctor --store my-library"),
    "verify": ("verify", "verify --store my-library"),
    "repair": ("repair", "repair books"),
    "backup": ("backup books.zip", "backup books.zip --store my-library"),
    "restore": ("restore books.zip", "restore books.zip --store my-library"),
    "copy": ("copy --to other-library", "copy --to http://localhost:6333"),
    "tune": ("tune books/*.epub", "tune books/*.epub --domain philosophy"),
    "extract": ("extract republic.epub", "extract republic.epub --text"),
    "schema": ("schema", "schema search"),
}  # how each command is used, without the word `alexandria`

RARE: Mapping[str, frozenset[str]] = {
    "ingest": frozenset(
        {"strategy", "threshold", "settings", "config", "keep_matter", "no_cache", "again", "fail_fast",
         "all_formats", "calibre", "log_json", "workers", "ray", "password_file", "reread"}
    ),
    "search": frozenset({"mode", "all_editions", "diverse", "rerank", "rerank_weight", "style", "full"}),
    "inspect": frozenset(
        {"strategy", "threshold", "settings", "config", "keep_matter", "no_cache", "password_file", "ocr",
         "around", "all_gaps", "model", "chunk"}
    ),
    "edit": frozenset({"container_volume", "issue", "pages", "volume", "volume_title", "place"}),
}  # fmt: skip
"""Of commands with many options, the parameters that the page of `--help` names without describing them."""


CUTS = "Where to cut"
LIBRARY = "The library"
READING = "Reading files"
FILTERS = "Filters"
_ORDER = ("Arguments", *GROUPS, CUTS, READING, FILTERS, LIBRARY, "Commands", "Options")
_UsageError: Any = typer.BadParameter.__mro__[1]  # of click, which later versions of typer contain
_MAX_COLUMN = 24  # characters of a name; the description of a longer one is printed below it, not next to it
_LIMITS = re.compile(r"  \[(?:env var|x|\d)[^\]]*\]$|(?<=\[)env var: \S+; |; [\d<=x>]+(?=\]$)")
"""What a short page leaves out of a description: the environment variable, the smallest and largest value."""
WHOLE = "alexandria.whole_help"  # in the `meta` of a context: whether its help describes everything
_ABOUT_LIBRARIES = """\
Books are stored in a library, by default a folder in your data folder. alexandria status shows the \
library's folder; to delete the library, delete that folder. Each command's page lists which of these \
options it takes. The environment variable named beside an option sets it for every command.\
"""


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
        """Write examples, arguments and options; those left out of the short page are named below."""
        # Only now: listing the installed strategies takes time, and only --help shows them.
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and parameter.name == "strategy":
                parameter.help = f"The strategy: {', '.join(strategy_names())}."
        words = ctx.command_path.removeprefix("alexandria ")
        if examples := EXAMPLES.get(words, ()):
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"{' ' * formatter.current_indent}alexandria {example}\n")
        whole = bool(ctx.meta.get(WHOLE))
        rare = frozenset() if whole else RARE.get(words, frozenset())
        of_library = () if whole else tuple(option for option in self.params if _panel(option) == LIBRARY)
        left_out = {*rare, *(str(option.name) for option in of_library)}
        _write_parameters(self, ctx, formatter, left_out=left_out, grouped=whole)
        if rare:
            options = [option for option in self.params if option.name in rare]
            _write_names(formatter, f"More options (alexandria help {words})", options)
        if of_library:
            _write_names(formatter, f"{LIBRARY} (alexandria help library)", of_library)


class Group(TyperGroup):
    """A command with subcommands, whose help lists them in groups, each with its first sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; note in the state what is wrong with its words, for `--json`."""
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            if isinstance(ctx.obj, State):
                ctx.obj.usage_error = error.format_message()
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line; without any, and without a library, say what to type first."""
        if not (args or ctx.parent or ctx.resilient_parsing or _has_library()):
            typer.echo(FIRST_STEPS, err=True, nl=False)
            ctx.exit(2)
        return list(super().parse_args(ctx, args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        whole, offered = bool(ctx.meta.get(WHOLE)), list(self.commands)
        groups = {name: group for group, names in GROUPS.items() for name in names} if not ctx.parent else {}
        rows: list[_Row] = []
        for name in sorted(offered, key=_position):
            group = groups.get(name, "Commands")
            # Others are not looked up, which would import their modules.
            if (whole or group not in (UNLISTED, *NAMED)) and (whole or not self.commands[name].hidden):
                rows.append(_Row(group, name, self.commands[name].help or ""))
        _write_groups(rows, formatter)
        if not ctx.parent and not whole:
            formatter.write_paragraph()
            for group in NAMED:
                names = (name for name in GROUPS[group] if name in offered)
                formatter.write_text(f"{group}: {', '.join(names)}")
        left_out = () if whole else ("install_completion", "show_completion")
        _write_parameters(self, ctx, formatter, left_out=left_out, grouped=True)
        if not ctx.parent and not whole:
            formatter.write_paragraph()
            formatter.write_text(
                "alexandria COMMAND --help shows examples; alexandria help --all, every command."
            )


def _has_library() -> bool:
    """Return whether a library is named in the environment, or is where one is made if none is named."""
    from alexandria.library.location import default_address

    named = not {"ALEXANDRIA_STORE", "ALEXANDRIA_COLLECTION"}.isdisjoint(os.environ)
    return named or Path(default_address(), "books").exists()


def show_help(
    ctx: typer.Context,
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND|library",
            help="A command, or `library` for the options that choose one.",
            show_default=False,
        ),
    ] = None,
    all_commands: Annotated[bool, typer.Option("--all", help="Every command.")] = False,
) -> None:
    """Describe a command with all its options, or how to choose a library."""
    context = ctx.find_root()
    context.meta[WHOLE] = all_commands or bool(topic)
    if topic == ["library"]:
        typer.echo(_library_page(context))
        return
    for name in topic or ():
        commands = getattr(context.command, "commands", {})
        if name not in commands:
            known = (name for names in GROUPS.values() for name in names if name in set(commands))
            raise ConfigError(
                f"there is no command {' '.join(topic or ())}",
                why=f"the commands are {', '.join(commands if context.parent else known)}",
                fix="alexandria help --all",
            )
        context = typer.Context(
            commands[name], parent=context, info_name=name, help_option_names=["-h", "--help"]
        )
    typer.echo(context.command.get_help(context))


def _library_page(root: Any) -> str:
    """Return what is said about libraries, with the options of all commands that select one."""
    formatter = root.make_formatter()
    formatter.write_text(_ABOUT_LIBRARIES)
    options = {
        option.name: option.get_help_record(root)
        for command in root.command.commands.values()
        for option in command.params
        if _panel(option) == LIBRARY
    }
    _write_groups([_Row(LIBRARY, name, _plain_default(text)) for name, text in options.values()], formatter)
    return str(formatter.getvalue().rstrip("\n"))


def _refuse_repeated(parameter: Any, times: int) -> None:
    """Raise a ConfigError if an option that takes one value is given several times."""
    is_option = parameter.param_type_name == "option"
    if is_option and times > 1 and not parameter.multiple and not parameter.is_flag:
        raise ConfigError(
            f"{parameter.opts[0]} is given {times} times",
            why="only one of its values can count",
            fix="remove the others",
        )


def _write_parameters(
    command: Any, ctx: Any, formatter: Any, *, left_out: Collection[str] = (), grouped: bool
) -> None:
    """Write the arguments and options of a command, each under the heading of its group."""
    # `formatter`: writes the help.
    # `grouped`: whether options other than filters keep their own headings.
    rows: list[_Row] = []
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None or parameter.name in left_out:  # None: hidden
            continue
        if parameter.param_type_name == "argument":
            rows.append(_Row("Arguments", _name(parameter), parameter.help or ""))
        else:
            panel = _panel(parameter)
            heading = panel if panel and (grouped or panel == FILTERS) else "Options"
            text = _plain_default(record[1])
            rows.append(_Row(heading, record[0], text if grouped else _LIMITS.sub("", text)))
    _write_groups(rows, formatter)


def _write_names(formatter: Any, heading: str, parameters: Sequence[Any]) -> None:
    """Write the names of options under a heading, without their descriptions."""
    with formatter.section(heading):
        names = ", ".join(parameter.opts[0] for parameter in parameters)
        indent = " " * formatter.current_indent
        lines = wrap(names, formatter.width - len(indent), break_on_hyphens=False)
        formatter.write("".join(f"{indent}{line}\n" for line in lines))


def _name(argument: Any) -> str:
    return argument.metavar or str(argument.name).upper()


def _panel(parameter: Any) -> str | None:
    return getattr(parameter, "rich_help_panel", None)


def _plain_default(text: str) -> str:
    """Return a description in which a default in words has no brackets: typer writes `default: (none)`."""
    return re.sub(r"(\bdefault: )\(([^()]*)\)", r"\1\2", text)


class _Row(NamedTuple):
    heading: str
    name: str
    text: str


def _write_groups(rows: Sequence[_Row], formatter: Any) -> None:
    """Write the rows in groups of one heading, with one column of names for all groups."""
    width = max((len(row.name) for row in rows if len(row.name) <= _MAX_COLUMN), default=0)
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in sorted(rows, key=lambda row: _rank(row.heading)):
        groups.setdefault(row.heading, []).append((row.name.ljust(width), row.text))
    for heading, members in groups.items():
        with formatter.section(heading):
            formatter.write_dl(members, col_max=width)


def _rank(heading: str) -> int:
    """Return the position of a group in the help; a group of another name comes with the commands."""
    return _ORDER.index(heading) if heading in _ORDER else _ORDER.index("Commands")


def _position(command: str) -> int:
    """Return the position of a command in its group; one that is in none comes last."""
    names = [name for group in GROUPS.values() for name in group]
    return names.index(command) if command in names else len(names)


def strategy_names() -> list[str]:
    """Return the names of all strategies, for --help and completion, by their files: imports are slow."""
    folder = PACKAGE_FOLDER / "chunking" / "strategies"
    shipped = sorted(file.stem.replace("_", "-") for file in folder.glob("[a-z]*.py"))
    return [*shipped, *entry_names("alexandria.strategies")]
