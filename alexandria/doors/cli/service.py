"""The commands for browsers and other programs: serve, mcp, and the hidden command schema."""

import shutil
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.doors.cli.chosen import LibrariesAt, commands_of, password_from
from alexandria.doors.cli.options import PasswordFile, argument, is_chosen, option
from alexandria.doors.cli.printing import print_json, print_text, show_message
from alexandria.errors import AlexandriaError

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

PORT = 8377  # where the browser finds the library; a free port if another program has it

app = typer.Typer()
command = commands_of(app)


@command(
    epilog="A client starts this command and talks to it over standard input and output. Run in a "
    "terminal, it prints how to register it."
)
def mcp(ctx: typer.Context, at: LibrariesAt) -> None:
    """Serve the library to a language model (MCP)."""
    if sys.stdin.isatty():
        _show_registration(ctx)
        return
    from alexandria.doors.mcp.stdio import serve_stdio

    def opened() -> "AnyLibrary":
        return at.open()

    serve_stdio(opened)


def _show_registration(ctx: typer.Context) -> None:
    """Print what registers this command in a client, with the options that were given."""
    # A client starts it in a folder and with an environment of its own: paths are absolute, variables
    # options.
    import json

    chosen = [
        word
        for option in ctx.command.params
        if is_chosen(ctx, str(option.name))
        for word in (option.opts[0], _absolute(str(option.name), str(ctx.params[str(option.name)])))
    ]
    program = shutil.which(sys.argv[0]) or shutil.which("alexandria") or sys.argv[0]
    server = {"command": str(Path(program).absolute()), "args": ["mcp", *chosen]}
    print(json.dumps({"mcpServers": {"alexandria": server}}, indent=2))
    show_message("Paste this into the file in which your client lists its MCP servers.")


def _absolute(option: str, value: str) -> str:
    """Return the value of an option; a path is made absolute."""
    if option == "api_key_file" or (option == "store" and "://" not in value):
        prefix = "local:" if value.startswith("local:") else ""
        return f"{prefix}{Path(value.removeprefix(prefix)).expanduser().absolute()}"
    return value


@command()
def serve(
    at: LibrariesAt,
    port: Annotated[
        int | None,
        option("--port N", "The port on 127.0.0.1.", min=0, max=65535, show_default=f"{PORT}, or a free one"),
    ] = None,
    no_open: Annotated[
        bool, option("--no-open", "Do not open the browser; it is opened only from a terminal.")
    ] = False,
    password_file: PasswordFile = None,
) -> None:
    """Search and read the library in the browser."""
    import webbrowser

    from alexandria.doors.web.server import listen

    password = password_from(password_file)
    with (
        at.open() as library,
        listen(library, (PORT, 0) if port is None else (port,), password=password) as server,
    ):
        library.books()  # says at once if there is no library
        print(server.address, flush=True)
        if sys.stdout.isatty() and not no_open:
            webbrowser.open(server.address)
        Thread(target=_prepare, args=(library,), daemon=True).start()
        server.run()


def _prepare(library: "AnyLibrary") -> None:
    """Load the model while the shelf is read; if that fails, the first search reports it."""
    with suppress(AlexandriaError):
        library.prepare()


def schema(
    name: Annotated[
        str | None, argument("NAME", "The name of a schema; without one, the names are listed.")
    ] = None,
) -> None:
    """Print the JSON schema of what a command prints with --json."""
    from alexandria.doors.cli.schemas import DOCUMENTS, schema_document

    if name is None:
        print_text("\n".join(DOCUMENTS))
    else:
        print_json(schema_document(name))
