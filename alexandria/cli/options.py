"""Arguments and options that more than one module of the command line takes."""

from pathlib import Path
from typing import Annotated

import typer

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Books, or folders of books.", show_default=False)
]
OnePath = Annotated[Path, typer.Argument(metavar="PATH", help="A book.", show_default=False)]
DomainName = Annotated[
    str | None,
    typer.Option(
        "--domain", "-d", envvar="ALEXANDRIA_DOMAIN", help="The books' field.", show_default="default"
    ),
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A YAML file with options of its own.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

EXIT_OK, EXIT_BUG, EXIT_USAGE, EXIT_SOME_FAILED, EXIT_NOTHING, EXIT_STORE = range(6)
EXIT_INTERRUPTED = 130  # as a shell reports a program that Ctrl-C has ended
