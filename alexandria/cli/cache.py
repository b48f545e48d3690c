"""The commands on the cache: `cache info` and `cache clear`."""

import typer

from alexandria.cli.help import Command, Group
from alexandria.cli.options import Json

app = typer.Typer(cls=Group, help="Show or clear the cache.", no_args_is_help=True)


@app.command("info", cls=Command)
def cache_info(json: Json = False) -> None:
    """Show what is cached: texts and vectors of books, converted models."""
    from alexandria.system.cache import usage
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    current = usage()
    if json:
        display.print_json(documents.cache_document(current))
    else:
        display.show_cache(current)


@app.command("clear", cls=Command)
def cache_clear() -> None:
    """Delete the cache; the library is not affected."""
    from alexandria.system.cache import clear
    from alexandria.views import terminal as display

    before = clear()
    size = (before.book_bytes + before.graph_bytes) / 1e6
    display.show_message(f"cleared {before.folder}: {size:,.1f} MB")
