"""Lines that fit a terminal: broken between words, and in scripts without spaces between characters."""

import re

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from alexandria.book.patterns import pattern
from alexandria.show.terminal.console import out

INDENT = "   "  # before each line on a hit, below its title

# Han and kana, their punctuation, and full-width forms: each two columns wide.
_WIDE = r"⺀-〿぀-ヿ㐀-䶿一-鿿豈-﫿！-｠\U00020000-\U0003ffff"
_OPENING = "「『（《〈【〔“‘([{"
_CLOSING = r"。，、；：？！」』）》〉】〕”’…—～・ー％.,;:!?)\]}%"  # escaped for a class of characters
_STOPS = "。，、；：？！"
_PIECE = pattern(
    rf"\s+|[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}{re.escape(_OPENING)}]+)[{_CLOSING}]*|\S"
)  # a part of a line that is not broken: white space, or a word or wide character with its marks
_IS_WIDE = pattern(f"[{_WIDE}]")


def wrap(text: Text, width: int) -> list[Text]:
    """Return the lines of a text, each at most `width` columns, without blanks at their ends.

    A line is broken at white space or next to a character of a script without spaces, but not before a
    closing mark or after an opening one. A word that is wider than a line is broken inside.
    """
    if _IS_WIDE.search(text.plain):
        lines = text.divide(_line_starts(text.plain, width))
    else:
        lines = text.wrap(out, width)
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
    width -= len(" … ")
    return f"{_first_words(text, width // 2)} … {_last_words(text, width - width // 2)}"


def _first_words(text: str, width: int) -> str:
    """Return the words that fit at the beginning of a text; part of a word if not even one fits."""
    # `text`: wider than `width`.
    first = head(text, width)
    ends_at_word = _IS_WIDE.match(first[-1:]) or text[len(first)].isspace()
    return first if ends_at_word else first.rpartition(" ")[0] or first


def _last_words(text: str, width: int) -> str:
    """Return the words that fit at the end of a text; part of a word if not even one fits."""
    # A mark that ends the sentence before is left out.
    # `text`: wider than `width`.
    last = tail(text, width)
    begins_at_word = _IS_WIDE.match(last) or text[-len(last) - 1].isspace()
    words = last if begins_at_word else last.partition(" ")[2] or last
    return words.lstrip(_STOPS)


def _line_starts(text: str, width: int) -> list[int]:
    """Return the offsets in a text at which the lines after the first begin, ascending."""
    starts: list[int] = []
    column = 0
    for match in _PIECE.finditer(text):
        piece, offset = match[0], match.start()
        piece_width = cell_len(piece)
        fits = column + piece_width <= width
        if column > 0 and not fits and not piece.isspace():
            starts.append(offset)
            column = 0
        # A word that is wider than a line fills whole lines; what is left of it begins the next one.
        for part in chop_cells(piece, width)[:-1]:
            offset += len(part)
            starts.append(offset)
            piece_width -= cell_len(part)
        column += piece_width
    return starts


def print_wrapped(console: Console, text: Text, lead: Text | None = None) -> None:
    """Print a text, wrapped between words and indented on a terminal; in a pipe it stays one line.

    Args:
        console: standard output or error.
        lead: printed before the first line, such as a number; the other lines begin with `INDENT`, which is
            also the default.
    """
    lead = Text(INDENT) if lead is None else lead
    width = console.width - max(lead.cell_len, len(INDENT))
    lines = wrap(text, width) if console.is_terminal else [text]
    for number, line in enumerate(lines):
        # soft_wrap: rich must not break the lines again.
        console.print((Text(INDENT) if number else lead) + line, soft_wrap=True)
