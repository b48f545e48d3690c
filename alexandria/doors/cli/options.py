"""Arguments and options shared by the modules of the command line."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from alexandria.book.choices import CitationStyle, Mode, Quantization
from alexandria.doors.cli.completion import complete_domain, complete_strategy, complete_style, complete_title
from alexandria.doors.cli.help import CUTS, LIBRARY, READING
from alexandria.doors.cli.state import State, set_json
from alexandria.errors import ConfigError

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Books, or folders of books.", show_default=False)
]
OnePath = Annotated[Path, typer.Argument(metavar="PATH", help="A book.", show_default=False)]
Title = Annotated[
    str,
    typer.Argument(
        metavar="BOOK", help="Part of the title, or the beginning of the id.", autocompletion=complete_title
    ),
]


_cut_option = partial(typer.Option, rich_help_panel=CUTS, show_default=False)
_reading_option = partial(typer.Option, rich_help_panel=READING, show_default=False)
_library_option = partial(typer.Option, rich_help_panel=LIBRARY, show_default=False)
_domain_option = partial(
    _cut_option, "--domain", "-d", metavar="NAME", envvar="ALEXANDRIA_DOMAIN", autocompletion=complete_domain
)

DomainName = Annotated[
    str | None, _domain_option(help="The field of the books; by default guessed for each.")
]
SingleDomainName = Annotated[str | None, _domain_option(help="The field of the books.")]
"""The domain of a command that takes one for all books, and cannot guess it for each."""
StrategyName = Annotated[
    str | None,
    _cut_option(
        "--strategy", "-s", metavar="NAME", help="How to find the cuts.", autocompletion=complete_strategy
    ),
]
Threshold = Annotated[
    float | None,
    _cut_option(
        "--threshold", "-t", metavar="X", help="Cut at a new topic only where the similarity is below this."
    ),
]
Settings = Annotated[
    list[str] | None,
    _cut_option(
        "--set",
        metavar="OPTION=VALUE",
        help="Set any option listed by alexandria domains show, under that name or the name in the "
        "strategy's description; repeatable.",
    ),
]
ConfigFile = Annotated[
    Path | None, _cut_option("--config", metavar="FILE", help="Read options from this YAML file.")
]
PasswordFile = Annotated[
    Path | None,
    _reading_option(
        "--password-file", metavar="FILE", help="Password of encrypted PDFs (or ALEXANDRIA_PASSWORD)."
    ),
]
KeepMatter = Annotated[
    bool, _reading_option("--keep-matter", help="Keep cover, contents, copyright page and index.")
]
Ocr = Annotated[
    str | None,
    _reading_option(
        "--ocr",
        metavar="auto|off|LANG",
        envvar="ALEXANDRIA_OCR",
        help="Read scanned pages with tesseract, in LANG, such as deu+lat.",
        show_default="auto",
    ),
]
ModelName = Annotated[
    str | None,
    _reading_option("--model", metavar="MODEL", help="all-MiniLM-L6-v2, multilingual, a folder, or none."),
]
NoCache = Annotated[
    bool, _reading_option("--no-cache", help="Do without the cache: read and embed again, and cache nothing.")
]
StoreFolder = Annotated[
    str | None,
    _library_option(
        "--store",
        metavar="STORE",
        envvar="ALEXANDRIA_STORE",
        help="A folder, the address of a Qdrant server (http(s)://HOST:6333), or local:FOLDER, a folder "
        "that other Qdrant clients read.",
        show_default="your data folder",
    ),
]
_collection_option = partial(
    _library_option, "--collection", envvar="ALEXANDRIA_COLLECTION", show_default=True
)
Collection = Annotated[str, _collection_option(metavar="NAME", help="The collection of the library.")]
Collections = Annotated[
    str, _collection_option(metavar="NAME,...", help="The collection of the library, or several: NAME,NAME.")
]
ApiKeyFile = Annotated[
    Path | None,
    _library_option(
        "--api-key-file", metavar="FILE", help="API key of a Qdrant server (or ALEXANDRIA_API_KEY)."
    ),
]
Rerank = Annotated[
    Path | None,
    typer.Option(
        "--rerank",
        metavar="FOLDER",
        envvar="ALEXANDRIA_RERANK",
        help="Rank the best 20 with this cross-encoder, which reads question and passage together.",
        show_default=False,
    ),
]
RerankWeight = Annotated[
    float,
    typer.Option(
        "--rerank-weight",
        metavar="SHARE",
        min=0,
        max=1,
        help="Weight of the cross-encoder; the search has the rest.",
    ),
]
Wait = Annotated[
    float | None,
    _library_option(
        "--wait",
        metavar="SECONDS",
        envvar="ALEXANDRIA_WAIT",
        min=0,
        help="Seconds to wait while another process is using the library (default: 60 to read, 0 to write).",
    ),
]
Shards = Annotated[
    int | None,
    _library_option("--shards", metavar="N", min=1, help="Shards of a new collection on a server."),
]
Replicas = Annotated[
    int | None, _library_option("--replicas", metavar="N", min=1, help="Copies of each shard.")
]
Quantized = Annotated[
    Quantization | None,
    _library_option(
        "--quantization",
        metavar="|".join(Quantization),
        help="How a server compresses the vectors in memory.",
    ),
]
Compat = Annotated[
    str | None,
    _library_option(
        "--compat",
        metavar="READERS",
        help="Make the library readable by these programs: langchain,llamaindex,haystack,mcp.",
    ),
]
Style = Annotated[
    str,
    typer.Option(
        "--style",
        metavar="NAME",
        help=f"{', '.join(CitationStyle)}; with alexandria-books[cite], any of CSL or a file (check those).",
        autocompletion=complete_style,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", is_eager=True, callback=set_json)]
SearchMode = Annotated[
    Mode,
    typer.Option(
        "--mode",
        "-m",
        metavar="|".join(Mode),
        help="By meaning (dense), sentence by sentence (sentences), by keyword (bm25), or all three.",
    ),
]

EXIT_OK, EXIT_NOT_FOUND, EXIT_USAGE, EXIT_SOME_FAILED, EXIT_NOTHING, EXIT_STORE = range(6)
EXIT_BUG = 70  # as sysexits.h has it
EXIT_INTERRUPTED = 130  # as a shell reports a program that Ctrl-C has ended


def nothing_found(ctx: typer.Context) -> typer.Exit:
    """Return the end of a command that has looked for something and found nothing."""
    if isinstance(ctx.obj, State):
        ctx.obj.found_nothing = True
    return typer.Exit(EXIT_NOT_FOUND)


def check_output(path: Path | None) -> Path | None:
    """Return the path of a file to be written after the work.

    Raises:
        ConfigError: its folder does not exist, or it is itself a folder.
    """
    if path is None or (path.parent.is_dir() and not path.is_dir()):
        return path
    raise ConfigError(
        f"cannot write {path}",
        why="it is a folder" if path.is_dir() else f"there is no folder {path.parent}",
        fix="choose another location",
    )


def refuse_unused(ctx: typer.Context, *parameters: str, why: str, instead: str = "") -> None:
    """Refuse options on the command line that would have no effect on what it asks for.

    An option that only an environment variable sets is accepted: the variable is meant for many commands.

    Args:
        ctx: the context of the command.
        parameters: the options, by the names of their parameters in the command's signature.
        why: why they would have no effect.
        instead: a command or an option that would have the effect.

    Raises:
        ConfigError: one of the options was given.
    """
    given = [
        option.opts[0]
        for option in ctx.command.params
        if option.name in parameters and is_on_command_line(ctx, option.name)
    ]
    if given:
        options = " and ".join(given)
        fix = f"leave out {options}" + (f"; {instead}" if instead else "")
        raise ConfigError(f"{options} would have no effect", why=why, fix=fix)


def is_on_command_line(ctx: typer.Context, parameter: str) -> bool:
    """Return whether the value of a parameter was typed, not taken from its default or the environment."""
    source = ctx.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


def is_chosen(ctx: typer.Context, parameter: str) -> bool:
    """Return whether the value of a parameter was typed or is in the environment."""
    source = ctx.get_parameter_source(parameter)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")
