"""The text in parts: KF8's skeletons with their fragments, or MOBI 6's one document between page breaks.

Links lead to positions in the text rather than to names: `with_ids` names what is there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.index import Index, read_index
from alexandria.extract.mobi.palmdb import DamageError, Database, number

_PAGE_BREAK = re.compile(rb"<\s*/?\s*mbp:pagebreak[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[A-Za-z/!?][^<>]*>")
_NOTHING = re.compile(rb"<[A-Za-z/!?][^<>]*>|\s|&nbsp;|\xc2\xa0|\xe3\x80\x80")  # blanks in UTF-8
_PICTURE = re.compile(rb"<(?:img|image|svg)\b", re.IGNORECASE)
_START_TAG = re.compile(rb"<[A-Za-z][^\s/>]*")
_ID = re.compile(rb"""\sid\s*=\s*["']?([^"'\s<>&]+)""", re.IGNORECASE)
_FDST, _FRAGMENTS, _SKELETONS = 0xC0, 0xF8, 0xFC
"""Where the header names the records of KF8's tables."""

# Tags of the indexes of skeletons and fragments.
_N_FRAGMENTS, _SPAN = 1, 6


@dataclass(frozen=True, slots=True)
class TextPart:
    """A document of the book, and where it begins in the text."""

    path: str
    start: int
    markup: bytes

    @property
    def end(self) -> int:
        """Where the next begins at the earliest."""
        return self.start + len(self.markup)


@dataclass(frozen=True, slots=True)
class Parts:
    """The documents in reading order; positions count the bytes of all."""

    parts: tuple[TextPart, ...]
    fragments: tuple[int, ...] = ()
    """The positions at which KF8's fragments begin, which its links name by number."""
    warnings: tuple[str, ...] = ()

    def position(self, fragment: int, offset: int) -> int | None:
        """Return the position of a link into a fragment, or None if there is no such fragment."""
        return self.fragments[fragment] + offset if fragment < len(self.fragments) else None


def split_at_page_breaks(text: bytes) -> Parts:
    """Return the parts of a MOBI 6 text; an empty page belongs to the next, to whose heading its place leads.

    A page break becomes spaces, so that positions stay.
    """
    breaks = [match.span() for match in _PAGE_BREAK.finditer(text)]
    blanked = bytearray(text)
    for start, end in breaks:
        blanked[start:end] = b" " * (end - start)
    parts: list[TextPart] = []
    begin = before = 0
    for end in (*(start for start, _ in breaks), len(text)):
        page, before = blanked[before:end], end
        if _PICTURE.search(page) or _NOTHING.sub(b"", page):
            parts.append(TextPart(_path(len(parts)), begin, bytes(blanked[begin:end])))
            begin = end
    return Parts(tuple(parts))


def assemble_parts(database: Database, header: Header, text: bytes) -> Parts:
    """Return the parts of a KF8 text: each fragment is inserted into its skeleton.

    Raises:
        DamageError: a table is damaged, or leads outside the text.
    """
    text = _first_flow(database, header, text)
    skeletons, fragments = (header.index(offset) for offset in (_SKELETONS, _FRAGMENTS))
    if skeletons is None:
        return Parts((TextPart(_path(0), 0, text),))
    rows = read_index(database, fragments) if fragments is not None else Index((), ())
    positions = tuple(_inserted_at(entry.name) for entry in rows.entries)
    lengths = [entry.value(_SPAN, 1) for entry in rows.entries]
    parts: list[TextPart] = []
    row = at = n_lost = 0
    for entry in read_index(database, skeletons).entries:
        start, length = entry.value(_SPAN), entry.value(_SPAN, 1)
        if start < at or start + length > len(text):
            raise DamageError("its parts overlap or are outside its text")
        n_lost += len(text[at:start].strip())
        markup, at = bytearray(text[start : start + length]), start + length
        n = entry.value(_N_FRAGMENTS)
        if row + n > len(positions):
            raise DamageError(f"its parts have more fragments than the {len(positions):,} in its table")
        for position, size in zip(positions[row : row + n], lengths[row : row + n], strict=True):
            if not start <= position <= start + len(markup) or at + size > len(text):
                raise DamageError("a fragment of its text is outside its part")
            markup[position - start : position - start] = text[at : at + size]
            at += size
        row += n
        parts.append(TextPart(_path(len(parts)), start, bytes(markup)))
    n_lost += len(text[at:].strip())
    warnings = (f"{n_lost:,} bytes are in no part of the book: they were not read",) if n_lost else ()
    return Parts(tuple(parts), positions, warnings)


def with_ids(parts: Parts, positions: Iterable[int]) -> tuple[Parts, Mapping[int, tuple[str, str]]]:
    """Return the parts with an id at each position, and the path and id by position.

    The tag at the position gets the id, unless it has one; text gets an empty link before it.
    """
    starts = [part.start for part in parts.parts]
    by_part: dict[int, list[int]] = {}
    for position in sorted(set(positions)):
        i = bisect_right(starts, position) - 1
        if i >= 0 and position < parts.parts[i].end:
            by_part.setdefault(i, []).append(position)
    named, targets = list(parts.parts), dict[int, tuple[str, str]]()
    for i, inside in by_part.items():
        part = parts.parts[i]
        markup, ids = _with_ids(part.markup, [position - part.start for position in inside], part.start)
        named[i] = TextPart(part.path, part.start, markup)
        targets |= {part.start + at: (part.path, id) for at, id in ids.items()}
    return Parts(tuple(named), parts.fragments, parts.warnings), targets


def _with_ids(markup: bytes, offsets: Sequence[int], start: int) -> tuple[bytes, dict[int, str]]:
    tags = [match.span() for match in _TAG.finditer(markup)]
    tag_starts = [begin for begin, _ in tags]
    ids: dict[int, str] = {}
    inserted: dict[int, bytes] = {}
    own: dict[int, str] = {}  # by where the tag begins
    for offset in offsets:
        at = offset
        i = bisect_right(tag_starts, at) - 1
        if i < 0 or at >= tags[i][1]:  # in text: a tag after white space is meant
            i += 1
            at = tag_starts[i] if i < len(tags) and not markup[at : tag_starts[i]].strip() else -1
        name = f"pos{start + offset}"
        if at < 0:
            inserted[offset] = f'<a id="{name}"></a>'.encode()
            ids[offset] = name
            continue
        begin, end = tags[i]
        if not (opening := _START_TAG.match(markup, begin)):
            inserted.setdefault(end, b"")
            inserted[end] += f'<a id="{name}"></a>'.encode()
            ids[offset] = name
            continue
        if begin not in own:
            given = _ID.search(markup, begin, end)
            own[begin] = given[1].decode("utf-8", "replace") if given else name
            if not given:
                inserted[opening.end()] = f' id="{name}"'.encode()
        ids[offset] = own[begin]
    pieces, at = [], 0
    for place in sorted(inserted):
        pieces += [markup[at:place], inserted[place]]
        at = place
    return b"".join((*pieces, markup[at:])), ids


def _first_flow(database: Database, header: Header, text: bytes) -> bytes:
    """Return the text without the style sheets and drawings after it, which have flows of their own."""
    index = header.index(_FDST)
    if index is None or not 0 <= index < len(database):
        return text
    record = database.record(index)
    if record[:4] != b"FDST" or not number(record, 8):
        return text
    at = number(record, 4)
    start, end = number(record, at), number(record, at + 4)
    if start or not 0 < end <= len(text):
        raise DamageError(f"its table of flows ends the text at {end:,} of {len(text):,} bytes")
    return text[:end]


def _inserted_at(name: bytes) -> int:
    if not re.fullmatch(rb"[0-9]{1,12}", name):
        raise DamageError("a fragment of its text does not say where it belongs")
    return int(name)


def _path(i: int) -> str:
    return f"part{i + 1:04}.html"
