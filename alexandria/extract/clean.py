"""Characters, in one place: what typesetting leaves in a text and a reader does not see.

A reader of markup puts `MARK` where a note is cited or a page begins. It is one of Unicode's noncharacters,
which no text carries, so it passes through the cleaning; `lift_marks` takes it out and says where it stood.
"""

import re
import unicodedata
from pathlib import PurePath

MARK = "\ufdd0"
"""Holds the place of a note's mark or of a page's beginning until `lift_marks`."""
CELL = "\ufdd1"
"""Holds the place between two cells of a table until `clean_rows`."""

_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")
# Soft hyphen, zero-width space, word joiner, byte order mark, and the C0/C1 controls that no text needs.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# No-break, figure, thin, hair, ideographic…: every space that is not a line break. A plain one that stands
# alone, as nearly all do, is no match: it would be replaced by itself.
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_MARKS = re.compile(rf"\s*(?:{MARK}\s*)+")
# With the space before it where the sentence ends behind it: "so [1]." is "so." without its mark.
_BRACKETED_MARK = re.compile(rf"(?: (?=[\[(] ?{MARK} ?[\])][.,;:!?]))?(?:\[ ?{MARK} ?\]|\( ?{MARK} ?\))")


def path_text(path: PurePath | str) -> str:
    """Return a path as text that can be stored: the bytes of a name that is no UTF-8 as escapes."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def clean(text: str) -> str:
    """Return the text on one line a line: NFC, odd spaces as plain ones, invisible characters gone.

    Line breaks are kept, white space around them is not; leading and trailing white space goes.
    """
    text = _plain(text)
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip()


def one_line(text: str) -> str:
    """Return the cleaned text with its line breaks as spaces."""
    return " ".join(_plain(text).split())


def clean_code(text: str) -> str:
    """Return code or preformatted text cleaned, with its indentation; empty lines at its ends go."""
    return "\n".join(line.rstrip() for line in _plain(text).split("\n")).strip("\n")


def clean_rows(text: str) -> str:
    """Return a table's text cleaned: a row a line, a tab where `CELL` stood; empty rows go."""
    rows = (re.sub(f" ?{CELL} ?", "\t", row) for row in clean(text).split("\n"))
    return "\n".join(row.rstrip() for row in rows if row.strip()).strip()


def without_noncharacters(text: str) -> str:
    """Return the text without the noncharacters that serve as marks here."""
    return _NONCHARACTERS.sub("", text)


def lift_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a cleaned text without its marks, stripped, and the offset of each in the text returned.

    White space on both sides of a mark becomes one, before it, and brackets round it go with it.
    """
    if MARK not in text:
        return text.strip(), ()
    text = _MARKS.sub(_gather, _BRACKETED_MARK.sub(MARK, text)).strip()
    pieces = text.split(MARK)
    whole = "".join(pieces).rstrip()
    offsets, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(min(at, len(whole)))
    return whole, tuple(offsets)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _gather(match: re.Match[str]) -> str:
    run = match[0]
    before, marks = run[: run.index(MARK)], run[run.index(MARK) :]
    n = marks.count(MARK)
    space = before if len(marks) == n else _widest(run)
    return space + MARK * n


def _widest(run: str) -> str:
    if "\n" in run:
        return "\n"
    # Each tab is a column of a table; of spaces one is enough.
    return "\t" * run.count("\t") or " "
