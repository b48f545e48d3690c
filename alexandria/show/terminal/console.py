"""The two output streams; a book's text cannot control the terminal."""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from alexandria.errors import AlexandriaError, refusing

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

# Control characters, and those that change the direction of text: a title must not repaint the terminal.
UNSAFE = {
    code: " " if code in (0x09, 0x0A, 0x0D) else None
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x061C,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # bytes of a file name that is not UTF-8
UNSAFE_IN_TEXT = {code: character for code, character in UNSAFE.items() if code not in (0x09, 0x0A)}
"""As `UNSAFE`, for text of several lines: tabs and line ends are kept."""
_JSON_ESCAPES = {code: f"\\u{code:04x}" for code in UNSAFE if code >= 0x7F}
"""Those that `json.dumps` leaves as they are; it escapes those below itself."""


def safe(text: object) -> str:
    """Return the text on one line, without characters that control a terminal."""
    return str(text).translate(UNSAFE)


def print_json(document: object) -> None:
    """Print one JSON document on one line of stdout, with characters that control a terminal escaped."""
    # Not ensure_ascii, which would escape every letter beyond ASCII.
    sys.stdout.write(json.dumps(document, ensure_ascii=False).translate(_JSON_ESCAPES) + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Print a book's text on stdout, without control characters."""
    sys.stdout.write(text.translate(UNSAFE_IN_TEXT) + "\n")


def save_page(path: Path, html: str) -> None:
    """Write a page to a file, and say so.

    Raises:
        ConfigError: it cannot be written.
    """
    with refusing(f"cannot write {path}", fix="choose another file"):
        path.write_text(html, encoding="utf-8", errors="replace")
    show_message(f"wrote {path}")


def print_below(console: Console, indent: int, label: str, words: str, style: str = "dim") -> None:
    """Print a remark on a line, below it and indented.

    On a terminal it is broken between words. Words after two blanks begin a new line, which is not broken
    unless it is in parentheses: it is a command to be copied. With more such gaps the words are columns, and
    stay on one line.

    Args:
        console: standard output or error.
        indent: columns before the remark.
        label: such as `fix`; empty for none.
    """
    _print_broken(console, Text.assemble((f"{label}: ", style) if label else "", safe(words)), indent)


def _print_broken(console: Console, text: Text, indent: int = 0) -> None:
    """Print a text, broken into lines as `print_below` describes."""
    message, *commands = text.split("  ")
    if not console.is_terminal or len(commands) > 1:
        console.print(Text(" " * indent) + text, soft_wrap=True)
        return
    console.print(Padding(message, (0, 0, 0, indent)))
    for command in commands:
        if command.plain.startswith("("):
            console.print(Padding(command, (0, 0, 0, indent)))
        else:
            console.print(Text(" " * indent) + command, soft_wrap=True)


def shorten_end(text: str, width: int) -> str:
    """Return the text in at most `width` columns; the end of a longer one is replaced by an ellipsis."""
    line = Text(text)
    line.truncate(max(1, width), overflow="ellipsis")
    return line.plain


def show_error(error: AlexandriaError) -> None:
    """Print what happened, why, and the fix, to stderr."""
    _print_broken(err, Text.assemble(("Error: ", "bold red"), safe(error.what)))
    for label, words in (("why", error.why), ("fix", error.fix)):
        first, *more = words.splitlines() or [""]
        if first:
            print_below(err, 2, label, first)
        for line in more:
            print_below(err, 7, "", line)


def show_message(message: str) -> None:
    """Print a line to stderr; on a terminal it is broken between words, unless it has columns."""
    if "  " in message:
        err.print(Text(safe(message)), soft_wrap=True)
    else:
        _print_broken(err, Text(safe(message)))
