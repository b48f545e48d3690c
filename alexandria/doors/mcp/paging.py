"""Long answers in parts, and the texts of books in them: quoted, cited, and cut to what a model can take in.

Every line of a book's text begins with `> `, so that no text of a book can pose as another part of an answer.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from alexandria.errors import ConfigError
from alexandria.store.passage import Passage

MAX_TOKENS = 6_000  # tokens of one answer, at most, with the line that gives the next cursor
_BYTES_PER_TOKEN = 3  # a low estimate for prose in any script: English has 4 to 5, Greek and Chinese about 3
_RESERVED = 1_200  # bytes for the line that gives the next cursor, and for headings
BUDGET = MAX_TOKENS * _BYTES_PER_TOKEN - _RESERVED  # bytes of UTF-8 that passages and lists may fill
_MAX_REMARKS = 100  # bytes that a part may contain and still count as not begun: a short remark
_MAX_CURSOR = 19  # characters of a cursor: more than the longest book needs
_MIN_BEGINNING = BUDGET // 2
"""Bytes that a part must have left for the beginning of a long text; otherwise the next part begins it."""
_QUOTING_FACTOR = 3  # how many times its size a text may have once it is quoted: up to 2, and a margin

# Every character that a model may read as the end of a line, and so of a quotation.
_LINE_ENDS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
# Controls, and characters that hide or reorder text.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)
_MAX_NAME = 200  # characters of a title or heading


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of our own and the text of a book that it introduces, if any."""

    line: str
    text: str = ""
    data: Mapping[str, Any] | None = None  # the same as a value, without the text


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of a long answer."""

    text: str
    data: tuple[Mapping[str, Any], ...]  # of each entry that the text shows, or a piece of it
    cursor: str | None  # of the next part; None for the last


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
    """Return as much of an entry as fits, and the offset of the rest of its text, or 0 if nothing is left."""
    # None if the entry should begin the next part: the entry fits there whole, or hardly any of it fits here.
    # `offset`: where to begin in its text; 0 unless earlier parts had the beginning.
    # `bytes_left`: how many bytes this part may still take.
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


def size_of_text(text: str) -> int:
    """Return how many bytes of the budget a text takes."""
    return len(text.encode("utf-8", "replace"))


def inline(text: str, max_length: int = _MAX_NAME) -> str:
    """Return a title, heading or sentence of a book on one line, shortened if it is very long."""
    line = " ".join(_UNSEEN.sub("", _LINE_ENDS.sub(" ", text)).split())
    return line if len(line) <= max_length else line[: max_length - 1].rstrip() + "…"


def clean_text(text: str) -> str:
    """Return a text without characters that hide or reorder text, and with line ends of one kind."""
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))


def as_quotation(text: str) -> str:
    """Return a text of a book, each line marked as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in clean_text(text).split("\n"))


def citation_line(passage: Passage) -> str:
    """Return the citation of a passage, and the ids with which `read` and `cite` find it."""
    return f"{inline(passage.citation, 300)} {_ids_of(passage)}"


def _ids_of(passage: Passage) -> str:
    collection = "" if passage.collection is None else f" in {inline(passage.collection)}"
    return f"[hit {passage.short_id}, chunk {passage.chunk_id}{collection}]"


def passage_lines(passage: Passage, remark: str = "") -> str:
    """Return the lines above a whole passage: its citation and a remark, and which sentence is cited.

    The sentence is named where the passage has pages, or verses, in which it is not: `cite` gives its page.
    """
    whole = replace(passage, best=None)
    line = f"{inline(whole.citation, 300)} {_ids_of(passage)}{remark}"
    if passage.sentence is None or whole.place == passage.place:
        return line
    page = passage.cited_verse or f"page{'s' if len(passage.cited_pages) > 1 else ''} {passage.page}"
    return f"{line}\nThis hit is cited for “{inline(passage.sentence, 80)}”, {page}"


def truncate(text: str, n_bytes: int) -> str:
    """Return the beginning of a text that fits, up to the end of a sentence, line or word if possible."""
    if size_of_text(text) <= n_bytes:
        return text
    cut = text.encode("utf-8", "replace")[: max(0, n_bytes)].decode("utf-8", "ignore")
    for mark in (". ", "\n", " "):
        if (end := cut.rfind(mark)) > len(cut) // 2:
            return cut[: end + 1]
    return cut
