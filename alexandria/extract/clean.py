"""Cleaning of characters: removes what typesetting leaves in a text and readers never see.

Readers of markup put `MARK` where a note is cited or a page begins. It is a Unicode noncharacter, which no
text contains, so it survives cleaning; `lift_marks` then removes it and returns where it was.
"""

import re
import unicodedata
from itertools import groupby
from pathlib import PurePath

MARK = "\ufdd0"
"""Placeholder for a note's mark or the start of a page, until `lift_marks`."""
CELL = "\ufdd1"
"""Placeholder for the gap between two cells of a table, until `clean_rows`."""

_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")
# Soft hyphen, zero-width space, word joiner, byte order mark, and the C0/C1 controls that no text needs.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# More characters that are no letters than a letter has marks in any language; thirty is Unicode's own limit.
_LONG_RUN = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MARKS = re.compile(rf"{MARK}[\s{MARK}]*")
_BRACKETS = ("[" + MARK, "[ " + MARK, "(" + MARK, "( " + MARK)
# With the space before it if the sentence ends right after it: "so [1]." is "so." without its mark.
_BRACKETED_MARK = re.compile(rf"(?: (?=[\[(] ?{MARK} ?[\])][.,;:!?]))?(?:\[ ?{MARK} ?\]|\( ?{MARK} ?\))")


def path_text(path: PurePath | str) -> str:
    """Return a path as text that can be stored; bytes of a name that are not UTF-8 become escapes."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def clean(text: str) -> str:
    """Return the text in NFC, with plain single spaces and without invisible characters.

    Line breaks are kept; white space around them and at both ends is removed.
    """
    text = _plain(text)
    if "\n" in text:
        return "\n".join([_single_spaced(line) for line in text.split("\n")]).strip()
    return _single_spaced(text)


def one_line(text: str) -> str:
    """Return the cleaned text with spaces in place of line breaks."""
    return " ".join(_plain(text).split())


def is_clean(text: str) -> bool:
    """Return whether a text is one line and remains as it is when it is cleaned."""
    single = "  " not in text and text[:1] != " " and text[-1:] != " "
    # Printable are no white space but plain spaces, and nothing invisible.
    return single and text.isprintable() and unicodedata.is_normalized("NFC", text)


def clean_code(text: str) -> str:
    """Return cleaned code or preformatted text: indentation is kept, empty lines at both ends are removed."""
    return "\n".join(line.rstrip() for line in _plain(text).split("\n")).strip("\n")


def clean_rows(text: str) -> str:
    """Return a table's cleaned text: one line per row, a tab for each `CELL`, no empty rows."""
    rows = (re.sub(f" ?{CELL} ?", "\t", row) for row in clean(text).split("\n"))
    return "\n".join(row.rstrip() for row in rows if row.strip()).strip()


def without_noncharacters(text: str) -> str:
    """Return the text without the noncharacters used as placeholders here."""
    return text if text.isascii() or text.isprintable() else _NONCHARACTERS.sub("", text)


def lift_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a cleaned text without its marks, stripped, and the offset of each mark in that text.

    White space on both sides of a mark is merged before it; brackets around a mark are removed with it.
    """
    if MARK not in text:
        return text.strip(), ()
    if any(bracket in text for bracket in _BRACKETS):
        text = _BRACKETED_MARK.sub(MARK, text)
    text = _gathered(text).strip()
    pieces = text.split(MARK)
    whole = "".join(pieces).rstrip()
    offsets, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(min(at, len(whole)))
    return whole, tuple(offsets)


def _plain(text: str) -> str:
    if text.isprintable():  # and so without anything invisible, without line breaks
        return text if text.isascii() else unicodedata.normalize("NFC", _LONG_RUN.sub(_in_order, text))
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONG_RUN.sub(_in_order, text))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _in_order(run: re.Match[str]) -> str:
    """Return combining marks in the order of NFC: Python needs quadratic time to bring them into it."""
    # One by one: three Tibetan vowels count as no marks, but consist of two.
    parts = "".join(unicodedata.normalize("NFD", character) for character in run[0])
    groups = groupby(parts, key=lambda character: unicodedata.combining(character) > 0)
    return "".join(
        c
        for is_marks, group in groups
        for c in (sorted(group, key=unicodedata.combining) if is_marks else group)
    )


def _single_spaced(line: str) -> str:
    """Return a line with a plain space for each run of spaces: no-break, figure, thin, hair, ideographic…"""
    if line.isprintable() and "  " not in line:  # the usual case: plain spaces are the only printable ones
        return line.strip()
    return " ".join(line.split())


def _gathered(text: str) -> str:
    """Return the text with the white space around each run of marks merged before it."""
    parts: list[str] = []
    end = 0
    for run in _MARKS.finditer(text):
        around = text[end : run.start()]
        before = around.rstrip()
        space, marks = around[len(before) :], run[0]
        n = marks.count(MARK)
        parts += (before, space if len(marks) == n else _widest(space + marks), MARK * n)
        end = run.end()
    return "".join((*parts, text[end:]))


def _widest(run: str) -> str:
    if "\n" in run:
        return "\n"
    # Each tab is a column of a table; of spaces one is enough.
    return "\t" * run.count("\t") or " "
