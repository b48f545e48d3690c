"""Cleans texts of characters that typesetting leaves in them and readers never see.

Readers of markup put `MARK` where a note is cited or a page begins. It is a Unicode noncharacter, which no
text contains, so it survives cleaning; `lift_marks` then removes it and returns where it was.
"""

import re
import unicodedata
from itertools import groupby
from pathlib import PurePath

MARK = "\ufdd0"  # placeholder for a note's mark or the start of a page, until `lift_marks`
CELL = "\ufdd1"  # placeholder for the gap between two cells of a table, until `clean_rows`
WRAP = "\ufdd3"  # placeholder for a line end inside Chinese or Japanese text, which cleaning removes

_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")
# Soft hyphen, zero-width space, word joiner, byte order mark, `WRAP`, and C0 and C1 controls no text needs.
_INVISIBLE = re.compile("[\ufdd3\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# Longer than any real sequence of combining marks: Unicode's stream-safe limit is 30.
_LONG_SEQUENCE = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MARKS_AND_SPACE = re.compile(rf"{MARK}[\s{MARK}]*")
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
    text = _normalise(text)
    if "\n" in text:
        return "\n".join([_with_single_spaces(line) for line in text.split("\n")]).strip()
    return _with_single_spaces(text)


def one_line(text: str) -> str:
    """Return the cleaned text with spaces in place of line breaks."""
    return " ".join(_normalise(text).split())


def is_clean(text: str) -> bool:
    """Return whether a text is one line that cleaning does not change."""
    single = "  " not in text and text[:1] != " " and text[-1:] != " "
    # The only printable white space is the plain space; nothing invisible is printable.
    return single and text.isprintable() and unicodedata.is_normalized("NFC", text)


def clean_code(text: str) -> str:
    """Return cleaned code or preformatted text: indentation is kept, empty lines at both ends are removed."""
    return "\n".join(line.rstrip() for line in _normalise(text).split("\n")).strip("\n")


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
    text = _merge_space_around_marks(text).strip()
    pieces = text.split(MARK)
    unmarked = "".join(pieces).rstrip()
    offsets: list[int] = []
    offset = 0
    for piece in pieces[:-1]:
        offset += len(piece)
        offsets.append(min(offset, len(unmarked)))  # the last marks may be after white space that is gone
    return unmarked, tuple(offsets)


def _normalise(text: str) -> str:
    """Return the text in NFC, without invisible characters, with `\\n` as line breaks."""
    if text.isprintable():  # nothing printable is invisible or a line break
        if text.isascii():
            return text
        return unicodedata.normalize("NFC", _LONG_SEQUENCE.sub(_sort_combining_marks, text))
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONG_SEQUENCE.sub(_sort_combining_marks, text))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _sort_combining_marks(sequence: re.Match[str]) -> str:
    """Return a sequence of characters decomposed, with its combining marks in canonical order."""
    # `unicodedata.normalize` takes quadratic time to sort a long sequence.
    # Character by character: three Tibetan vowels have combining class 0, but decompose into two marks.
    decomposed = "".join(unicodedata.normalize("NFD", character) for character in sequence[0])
    parts: list[str] = []
    for is_combining, group in groupby(decomposed, key=lambda c: unicodedata.combining(c) > 0):
        characters = list(group)
        parts += sorted(characters, key=unicodedata.combining) if is_combining else characters
    return "".join(parts)


def _with_single_spaces(line: str) -> str:
    """Return a line with one plain space for each sequence of spaces: no-break, thin, ideographic…"""
    if line.isprintable() and "  " not in line:  # the usual case: plain spaces are the only printable ones
        return line.strip()
    return " ".join(line.split())


def _merge_space_around_marks(text: str) -> str:
    """Return the text with the white space around each sequence of marks merged into the space before it."""
    parts: list[str] = []
    end = 0
    for match in _MARKS_AND_SPACE.finditer(text):
        preceding = text[end : match.start()]
        stripped = preceding.rstrip()
        space, marks = preceding[len(stripped) :], match[0]
        n_marks = marks.count(MARK)
        if len(marks) > n_marks:  # there is white space after a mark, too
            space = _merge_space(space + marks)
        parts += (stripped, space, MARK * n_marks)
        end = match.end()
    return "".join((*parts, text[end:]))


def _merge_space(text: str) -> str:
    """Return one separator for the white space in a text: a line break, or its tabs, or a space."""
    if "\n" in text:
        return "\n"
    # Every tab is kept: each one is a column of a table.
    return "\t" * text.count("\t") or " "
