"""Arguments and options shared by the modules of the command line."""

from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer

from alexandria.book.choices import CitationStyle, Mode, Quantization
from alexandria.doors.cli.completion import complete_domain, complete_strategy, complete_style, complete_title
from alexandria.doors.cli.help import CUTS, LIBRARY, READING
from alexandria.doors.cli.state import State, set_json
from alexandria.errors import ConfigError


def option(names: str, help: str, **settings: Any) -> Any:
    """Declare an option of a command: `--limit -k N` are its names, and what stands for its value.

    Args:
        names: as the help shows them; without a metavar for a flag.
        settings: as `typer.Option` has them.
    """
    flags = list(takewhile(lambda word: word.startswith("-"), names.split()))
    metavar = names[len(" ".join(flags)) :].strip()
    return typer.Option(*flags, metavar=metavar or None, help=help, **settings)


def argument(metavar: str, help: str, **settings: Any) -> Any:
    """Declare what a command takes without a name."""
    return typer.Argument(metavar=metavar, help=help, **settings)


Paths = Annotated[list[Path], argument("PATH...", "Books, or folders of books.")]
OnePath = Annotated[Path, argument("PATH", "A book.")]
Title = Annotated[
    str, argument("BOOK", "Part of the title, or the beginning of the id.", autocompletion=complete_title)
]


_cut_option = partial(option, rich_help_panel=CUTS, show_default=False)
_reading_option = partial(option, rich_help_panel=READING, show_default=False)
_library_option = partial(option, rich_help_panel=LIBRARY, show_default=False)
_domain_option = partial(
    _cut_option, "--domain -d NAME", envvar="ALEXANDRIA_DOMAIN", autocompletion=complete_domain
)

DomainName = Annotated[str | None, _domain_option("The field of the books; by default guessed for each.")]
SingleDomainName = Annotated[str | None, _domain_option("The field of the books.")]
"""The domain of a command that takes one for all books, and cannot guess it for each."""
StrategyName = Annotated[
    str | None, _cut_option("--strategy -s NAME", "How to find the cuts.", autocompletion=complete_strategy)
]
Threshold = Annotated[
    float | None,
    _cut_option("--threshold -t X", "Cut at a new topic only where the similarity is below this."),
]
Settings = Annotated[
    list[str] | None,
    _cut_option(
        "--set OPTION=VALUE",
        "Set any option listed by alexandria domains show, under that name or the name in the "
        "strategy's description; repeatable.",
    ),
]
ConfigFile = Annotated[Path | None, _cut_option("--config FILE", "Read options from this YAML file.")]
PasswordFile = Annotated[
    Path | None,
    _reading_option("--password-file FILE", "Password of encrypted PDFs (or ALEXANDRIA_PASSWORD)."),
]
KeepMatter = Annotated[
    bool, _reading_option("--keep-matter", "Keep cover, contents, copyright page and index.")
]
Ocr = Annotated[
    str | None,
    _reading_option(
        "--ocr auto|off|LANG",
        "Read scanned pages with tesseract, in LANG, such as deu+lat.",
        envvar="ALEXANDRIA_OCR",
        show_default="auto",
    ),
]
ModelName = Annotated[
    str | None, _reading_option("--model MODEL", "all-MiniLM-L6-v2, multilingual, a folder, or none.")
]
NoCache = Annotated[
    bool, _reading_option("--no-cache", "Do without the cache: read and embed again, and cache nothing.")
]
StoreFolder = Annotated[
    str | None,
    _library_option(
        "--store STORE",
        "A folder, the address of a Qdrant server (http(s)://HOST:6333), or local:FOLDER, a folder "
        "that other Qdrant clients read.",
        envvar="ALEXANDRIA_STORE",
        show_default="your data folder",
    ),
]
_collection_option = partial(_library_option, envvar="ALEXANDRIA_COLLECTION", show_default=True)
Collection = Annotated[str, _collection_option("--collection NAME", "The collection of the library.")]
Collections = Annotated[
    str, _collection_option("--collection NAME,...", "The collection of the library, or several: NAME,NAME.")
]
ApiKeyFile = Annotated[
    Path | None, _library_option("--api-key-file FILE", "API key of a Qdrant server (or ALEXANDRIA_API_KEY).")
]
Rerank = Annotated[
    Path | None,
    option(
        "--rerank FOLDER",
        "Rank the best 20 with this cross-encoder, which reads question and passage together.",
        envvar="ALEXANDRIA_RERANK",
    ),
]
RerankWeight = Annotated[
    float,
    option("--rerank-weight SHARE", "Weight of the cross-encoder; the search has the rest.", min=0, max=1),
]
Wait = Annotated[
    float | None,
    _library_option(
        "--wait SECONDS",
        "Seconds to wait while another process is using the library (default: 60 to read, 0 to write).",
        envvar="ALEXANDRIA_WAIT",
        min=0,
    ),
]
Shards = Annotated[
    int | None, _library_option("--shards N", "Shards of a new collection on a server.", min=1)
]
Replicas = Annotated[int | None, _library_option("--replicas N", "Copies of each shard.", min=1)]
Quantized = Annotated[
    Quantization | None,
    _library_option(
        f"--quantization {'|'.join(Quantization)}", "How a server compresses the vectors in memory."
    ),
]
Compat = Annotated[
    str | None,
    _library_option(
        "--compat READERS", "Make the library readable by these programs: langchain,llamaindex,haystack,mcp."
    ),
]
Style = Annotated[
    str,
    option(
        "--style NAME",
        f"{', '.join(CitationStyle)}; with alexandria-books[cite], any of CSL or a file (check those).",
        autocompletion=complete_style,
    ),
]
Json = Annotated[bool, option("--json", "Print JSON.", is_eager=True, callback=set_json)]
SearchMode = Annotated[
    Mode,
    option(
        f"--mode -m {'|'.join(Mode)}",
        "By meaning (dense), sentence by sentence (sentences), by keyword (bm25), or all three.",
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
        parameters: the options, by the names of their parameters in the command's signature.
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
