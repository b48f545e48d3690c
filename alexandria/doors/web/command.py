"""The command `serve`."""

import sys
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from alexandria.doors.cli.chosen import App, LibrariesAt, password_from
from alexandria.doors.cli.options import PasswordFile, option
from alexandria.errors import AlexandriaError
from alexandria.system.annexes import load

if TYPE_CHECKING:
    from alexandria.library.libraries import AnyLibrary

PORT = 8377  # where the browser finds the library; a free port if another program has it

app = App()


@app.command()
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

    listen = load("alexandria.doors.web.server").listen  # it needs another annex
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
