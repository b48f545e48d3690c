"""Long answers in parts: what fits from a cursor on, and the cursor of the next part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from alexandria.errors import ConfigError
from alexandria.mcp.quoting import BUDGET, as_quotation, size_of_text, truncate

_MAX_REMARKS = 100
"""Bytes that a part may contain and still count as not begun: a short remark."""
_MAX_CURSOR = 19
"""Characters of a cursor: more than the longest book needs."""
_MIN_BEGINNING = BUDGET // 2
"""Bytes that a part must have left for the beginning of a long text; otherwise the next part begins it."""
_QUOTING_FACTOR = 3
"""How many times its size a text may have once it is quoted: up to 2, and a margin."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of our own and the text of a book that it introduces, if any."""

    line: str
    text: str = ""
    data: Mapping[str, Any] | None = None
    """The same as a value, without the text."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of a long answer."""

    text: str
    data: tuple[Mapping[str, Any], ...]
    """Of each entry that the text shows, or a piece of it."""
    cursor: str | None
    """Of the next part; None for the last."""


def render_part(entries: Iterable[Entry], cursor: str | None, *, remarks: Iterable[str] = ()) -> AnswerPart:
    """Return the part of a long answer that begins at a cursor: as many entries as fit.

    If any are left, the last line gives the cursor of the next part: `2.500` is offset 500 in the text of the
    entry with index 2.

    Args:
        entries: the entries in order, the same for every part.
        cursor: as an earlier part gave it; None for the first part.
        remarks: lines above the first part.

    Raises:
        ConfigError: `cursor` is not a cursor of these entries.
    """
    entries = list(entries)
    index, offset = _parse_cursor(cursor, entries)
    blocks = [] if cursor else [f"Note: {remark}" for remark in remarks]
    shown = []
    bytes_left = BUDGET - sum(map(size_of_text, blocks))
    while index < len(entries):
        entry = entries[index]
        rendered = _render_entry(entry, offset, bytes_left)
        if rendered is None:  # the entry begins the next part
            break
        text, offset = rendered
        blocks.append(text)
        shown.append(entry)
        bytes_left -= size_of_text(text) + 2  # with the empty line after it
        if offset:  # the rest of this entry begins the next part
            break
        index += 1
    following = f"{index}.{offset}" if index < len(entries) else None
    if following:
        rest = "the rest of this passage" if offset else f"{len(entries) - index} more"
        blocks.append(f'({rest}: repeat the call with cursor "{following}")')
    data = tuple(entry.data for entry in shown if entry.data is not None)
    return AnswerPart("\n\n".join(blocks), data, following)


def _parse_cursor(cursor: str | None, entries: list[Entry]) -> tuple[int, int]:
    """Return the index of the entry to begin with, and an offset in its text; both are 0 without a cursor.

    Raises:
        ConfigError: the text is not a cursor, or there is no such entry.
    """
    if cursor is None:
        return 0, 0
    index, _, offset = cursor.partition(".")
    if index.isdecimal() and offset.isdecimal() and len(cursor) <= _MAX_CURSOR and int(index) < len(entries):
        return int(index), int(offset)
    raise ConfigError(
        f"{cursor[:40]!r} is not a cursor of this answer",
        why="a cursor works only with the call that returned it, and until the books change",
        fix="repeat the call without cursor",
    )


def _render_entry(entry: Entry, offset: int, bytes_left: int) -> tuple[str, int] | None:
    """Return as much of an entry as fits, and the offset of the rest of its text, or 0 if nothing is left.

    None if the entry should begin the next part: the entry fits there whole, or hardly any of it fits here.

    Args:
        entry: the entry.
        offset: where to begin in its text; 0 unless earlier parts had the beginning.
        bytes_left: how many bytes this part may still take.
    """
    text = entry.text[offset:]
    line = f"{entry.line} (continued)" if offset else entry.line
    whole = f"{line}\n{as_quotation(text)}" if text else line
    if size_of_text(whole) <= bytes_left:
        return whole, 0
    is_started = bytes_left < BUDGET - _MAX_REMARKS
    if is_started and size_of_text(whole) <= BUDGET:
        return None  # a passage is divided only if no answer could hold it
    # Quoting adds up to two characters per line: it can double a text of very short lines.
    beginning = truncate(text, (bytes_left - size_of_text(line)) // _QUOTING_FACTOR)
    if bytes_left < _MIN_BEGINNING or not beginning:
        return None
    return f"{line}\n{as_quotation(beginning)}", offset + len(beginning)
