"""Lines that fit a terminal: broken between words, and in scripts without spaces between characters."""

import re

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from alexandria.views.terminal.console import out

INDENT = "   "
"""Of what is said about a hit, below its title."""

# Han and kana, their punctuation, and full-width forms: each two columns wide.
_WIDE = r"⺀-〿぀-ヿ㐀-䶿一-鿿豈-﫿！-｠\U00020000-\U0003ffff"
_OPENING, _CLOSING = "「『（《〈【〔“‘([{", r"。，、；：？！」』）》〉】〕”’…—～・ー％.,;:!?)\]}%"
_STOPS = "。，、；：？！"
_PIECE = re.compile(
    rf"\s+|[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}{re.escape(_OPENING)}]+)[{_CLOSING}]*|\S"
)
"""What a line is not broken in: a word or a wide character, with the marks that belong to it."""
_IS_WIDE = re.compile(f"[{_WIDE}]")


def wrap(text: Text, width: int) -> list[Text]:
    """Return the lines of a text, each at most `width` columns, without blanks at their ends.

    A line is broken at white space or beside a character of a script without spaces, but not before a closing
    mark or after an opening one. A word that is wider than a line is broken within.
    """
    lines = text.divide(_breaks(text.plain, width)) if _IS_WIDE.search(text.plain) else text.wrap(out, width)
    for line in lines:
        line.rstrip()
    return list(lines)


def head(text: str, width: int) -> str:
    """Return the beginning of a text, up to `width` columns of the terminal."""
    return chop_cells(text[:width], width)[0] if text else ""


def tail(text: str, width: int) -> str:
    """Return the end of a text, up to `width` columns of the terminal."""
    return head(text[::-1], width)[::-1]


def shorten_middle(text: str, width: int) -> str:
    """Return a text in `width` columns: its first and its last words, and an ellipsis for the others."""
    if cell_len(text) <= width:
        return text
    width -= 3
    return f"{_first_words(text, width // 2)} … {_last_words(text, width - width // 2)}"


def _first_words(text: str, width: int) -> str:
    """Return whole words from the beginning; half a word is of no use, if there is a whole one."""
    first = head(text, width)
    if not (_IS_WIDE.match(first[-1:]) or text[len(first)].isspace()):
        first = first.rpartition(" ")[0] or first
    return first


def _last_words(text: str, width: int) -> str:
    last = tail(text, width)
    if not (_IS_WIDE.match(last) or text[-len(last) - 1].isspace()):
        last = last.partition(" ")[2] or last
    return last.lstrip(_STOPS)


def _breaks(text: str, width: int) -> list[int]:
    """Return where new lines begin, ascending."""
    breaks, column = [], 0
    for piece in _PIECE.finditer(text):
        columns = cell_len(piece[0])
        if column and column + columns > width and not piece[0].isspace():
            breaks.append(piece.start())
            column = 0
        at = piece.start()
        for part in chop_cells(piece[0], width)[:-1]:  # a word wider than a line
            at += len(part)
            breaks.append(at)
            columns -= cell_len(part)
        column += columns
    return breaks


def print_whole(console: Console, text: Text, lead: Text | None = None) -> None:
    """Print a line of a hit: broken between words on a terminal, and not at all in a pipe.

    Args:
        console: what it is printed on.
        text: of the line.
        lead: what it begins with, in place of the indentation of other lines.
    """
    lead = Text(INDENT) if lead is None else lead
    lines = wrap(text, console.width - lead.cell_len) if console.is_terminal else [text]
    for number, line in enumerate(lines):
        console.print((Text(INDENT) if number else lead) + line, soft_wrap=True)
