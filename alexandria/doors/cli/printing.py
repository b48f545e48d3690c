"""What commands print with `alexandria.show.terminal.console`, which takes time to import."""

from alexandria.errors import AlexandriaError


def print_json(document: object) -> None:
    """Print one JSON document on one line of stdout."""
    from alexandria.show.terminal import console

    console.print_json(document)


def print_text(text: str) -> None:
    """Print a book's text on stdout."""
    from alexandria.show.terminal import console

    console.print_text(text)


def show_error(error: AlexandriaError) -> None:
    """Print what happened, why, and the fix, to stderr."""
    from alexandria.show.terminal import console

    console.show_error(error)


def show_message(message: str) -> None:
    """Print a line to stderr."""
    from alexandria.show.terminal import console

    console.show_message(message)
