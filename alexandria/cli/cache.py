"""The commands on the cache: `cache info` and `cache clear`."""

import typer

from alexandria.cli.help import Command, Group
from alexandria.cli.options import Json

app = typer.Typer(cls=Group, help="Show or clear the cache.", no_args_is_help=True)


@app.command("info", cls=Command)
def cache_info(json: Json = False) -> None:
    """Show what is cached: texts and vectors of books, converted models."""
    from alexandria.system.cache import usage
    from alexandria.views.json.view import document_of
    from alexandria.views.terminal.console import print_json
    from alexandria.views.terminal.costs import show_cache

    current = usage()
    if json:
        print_json(document_of(current))
    else:
        show_cache(current)


@app.command("clear", cls=Command)
def cache_clear() -> None:
    """Delete the cache; the library is not affected."""
    from alexandria.system.cache import clear
    from alexandria.views.terminal.console import show_message

    before = clear()
    size = (before.book_bytes + before.graph_bytes) / 1e6
    show_message(f"cleared {before.folder}: {size:,.1f} MB")
