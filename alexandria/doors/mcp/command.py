"""The command `mcp`."""

import shutil
import sys
from pathlib import Path

import typer

from alexandria.doors.cli.chosen import App, LibrariesAt
from alexandria.doors.cli.options import is_chosen
from alexandria.doors.cli.printing import show_message

app = App()


@app.command(
    epilog="A client starts this command and talks to it over standard input and output. Run in a "
    "terminal, it prints how to register it."
)
def mcp(ctx: typer.Context, at: LibrariesAt) -> None:
    """Serve the library to a language model (MCP)."""
    if sys.stdin.isatty():
        _show_registration(ctx)
        return
    from alexandria.doors.mcp.stdio import serve_stdio

    serve_stdio(at.open)


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
