"""Answers longer than a model should take in: the part from a cursor on, and the cursor of the next part."""

from collections.abc import Iterable
from dataclasses import dataclass

from alexandria.errors import ConfigError
from alexandria.mcp.quoting import BUDGET, fitting, quoted, size_of_text


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of ours, and below it what it introduces of a book, if anything."""

    line: str
    text: str = ""
    key: str = ""
    """Of a long text, the words that it is shown for; they come before it."""


def part_of(entries: Iterable[Entry], cursor: str | None, *, remarks: Iterable[str] = ()) -> str:
    """Return as many entries as fit, from a cursor on; the last line gives the next cursor, if any are left.

    Args:
        entries: in order, the same ones for every part.
        cursor: as an earlier part gave it; None for the first part.
        remarks: lines above the first part.

    Raises:
        ConfigError: it is not a cursor of these entries.
    """
    entries = list(entries)
    index, offset = _place(cursor, entries)
    lines = [] if cursor else [f"Note: {remark}" for remark in remarks]
    left = BUDGET - sum(map(size_of_text, lines))
    while index < len(entries):
        entry = entries[index]
        shown = _fitting(entry, offset, left)
        if shown is None:
            break
        text, offset = shown
        lines.append(text)
        left -= size_of_text(text) + 2
        if offset:
            break
        index += 1
    if index < len(entries):
        rest = "the rest of this passage" if offset else f"{len(entries) - index} more"
        lines.append(f'({rest}: repeat the call with cursor "{index}.{offset}")')
    return "\n\n".join(lines)


def _place(cursor: str | None, entries: list[Entry]) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    index, _, offset = cursor.partition(".")
    if index.isdecimal() and offset.isdecimal() and len(cursor) < 20 and int(index) < len(entries):
        return int(index), int(offset)
    raise ConfigError(
        f"{cursor[:40]!r} is not a cursor of this answer",
        why="a cursor goes on with the same call, while the books are unchanged",
        fix="repeat the call without cursor",
    )


def _introduced(entry: Entry) -> str:
    return f"{entry.line}; nearest:\n{quoted(entry.key)}\nfrom:" if entry.key else entry.line


def _fitting(entry: Entry, offset: int, left: int) -> tuple[str, int] | None:
    """Return an entry from an offset of its text on, and where its next part begins, or 0 if it is whole.

    None if not even its beginning fits: it begins the next part.
    """
    text = entry.text[offset:]
    line = f"{entry.line} (continued)" if offset else _introduced(entry)
    whole = f"{line}\n{quoted(text)}" if text else line
    if size_of_text(whole) <= left:
        return whole, 0
    if left < BUDGET - 100 and size_of_text(whole) <= BUDGET:
        return None  # a passage is divided only if no answer could hold it
    # Half, because quoting can lengthen a text: two characters per line, of which there may be many.
    begun = fitting(text, (left - size_of_text(line)) // 3)
    if left < BUDGET // 2 or not begun:
        return None
    return f"{line}\n{quoted(begun)}", offset + len(begun)
