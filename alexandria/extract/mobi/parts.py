"""Divides the text into documents: KF8's skeletons with their fragments, or the pages of MOBI 6.

In both formats, links lead to positions in the text rather than to ids; `with_ids` adds ids at those
positions.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.index import Index, read_index
from alexandria.extract.mobi.palmdb import DamageError, Database, read_number

_PAGE_BREAK = re.compile(rb"<\s*/?\s*mbp:pagebreak[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[A-Za-z/!?][^<>]*>")
_TAG_OR_BLANK = re.compile(rb"<[A-Za-z/!?][^<>]*>|\s|&nbsp;|\xc2\xa0|\xe3\x80\x80")
"""What does not fill a page: tags, and blanks in UTF-8."""
_PICTURE = re.compile(rb"<(?:img|image|svg)\b", re.IGNORECASE)
_START_TAG = re.compile(rb"<[A-Za-z][^\s/>]*")
_ID = re.compile(rb"""\sid\s*=\s*["']?([^"'\s<>&]+)""", re.IGNORECASE)
_FDST, _FRAGMENTS, _SKELETONS = 0xC0, 0xF8, 0xFC
"""Where the header names the records of KF8's tables."""

# Tags of the indexes of skeletons and fragments; the values of a span are its start and its length.
_N_FRAGMENTS, _SPAN = 1, 6


@dataclass(frozen=True, slots=True)
class TextPart:
    """A document of the book."""

    path: str
    """A name made up for it: the file has none."""
    start: int
    """The position in the text at which it begins."""
    markup: bytes

    @property
    def end(self) -> int:
        """The position after its last byte."""
        return self.start + len(self.markup)


@dataclass(frozen=True, slots=True)
class Parts:
    """The documents in reading order; positions are counted in bytes through all of them."""

    parts: tuple[TextPart, ...]
    fragments: tuple[int, ...] = ()
    """The position at which each fragment of KF8 begins; links name fragments by number."""
    warnings: tuple[str, ...] = ()

    def position(self, fragment: int, offset: int) -> int | None:
        """Return the position of a link into a fragment, or None if there is no such fragment."""
        return self.fragments[fragment] + offset if fragment < len(self.fragments) else None


def split_at_page_breaks(text: bytes) -> Parts:
    """Return the parts of a MOBI 6 text, one per page that is not empty.

    An empty page is the beginning of the part after it: contents lead there for the heading on the next page.
    Page breaks become spaces of the same length, so that positions stay valid.
    """
    breaks = [match.span() for match in _PAGE_BREAK.finditer(text)]
    blanked = bytearray(text)
    for start, end in breaks:
        blanked[start:end] = b" " * (end - start)
    parts: list[TextPart] = []
    part_start = page_start = 0
    for page_end in (*(start for start, _ in breaks), len(text)):
        page = blanked[page_start:page_end]
        page_start = page_end
        if _PICTURE.search(page) or _TAG_OR_BLANK.sub(b"", page):
            parts.append(TextPart(_path(len(parts)), part_start, bytes(blanked[part_start:page_end])))
            part_start = page_end
    return Parts(tuple(parts))


def assemble_parts(database: Database, header: Header, text: bytes) -> Parts:
    """Return the parts of a KF8 text: each skeleton with its fragments inserted.

    In the text, each skeleton is followed by its fragments; the tables say how long each is, and where in the
    skeleton, which grows by the fragments before it, a fragment belongs.

    Raises:
        DamageError: a table is damaged, or leads outside the text.
    """
    text = _first_flow(database, header, text)
    skeletons, fragments = (header.record_number(offset) for offset in (_SKELETONS, _FRAGMENTS))
    if skeletons is None:
        return Parts((TextPart(_path(0), 0, text),))
    fragment_index = read_index(database, fragments) if fragments is not None else Index((), ())
    positions = tuple(_insertion_position(entry.name) for entry in fragment_index.entries)
    sizes = [entry.value(_SPAN, 1) for entry in fragment_index.entries]
    parts: list[TextPart] = []
    next_fragment = 0
    next_byte = 0  # of the text
    n_lost = 0  # bytes in no part
    for entry in read_index(database, skeletons).entries:
        start, length = entry.value(_SPAN), entry.value(_SPAN, 1)
        if start < next_byte or start + length > len(text):
            raise DamageError("its parts overlap or are outside its text")
        n_lost += len(text[next_byte:start].strip())
        markup, next_byte = bytearray(text[start : start + length]), start + length
        fragments_end = next_fragment + entry.value(_N_FRAGMENTS)
        if fragments_end > len(positions):
            raise DamageError(f"its parts have more fragments than the {len(positions):,} in its table")
        fragment_slice = slice(next_fragment, fragments_end)
        for position, size in zip(positions[fragment_slice], sizes[fragment_slice], strict=True):
            if not start <= position <= start + len(markup) or next_byte + size > len(text):
                raise DamageError("a fragment of its text is outside its part")
            offset = position - start
            markup[offset:offset] = text[next_byte : next_byte + size]  # inserts it, replacing nothing
            next_byte += size
        next_fragment = fragments_end
        parts.append(TextPart(_path(len(parts)), start, bytes(markup)))
    n_lost += len(text[next_byte:].strip())
    warnings = (f"{n_lost:,} bytes are in no part of the book: they were not read",) if n_lost else ()
    return Parts(tuple(parts), positions, warnings)


def with_ids(parts: Parts, positions: Iterable[int]) -> tuple[Parts, Mapping[int, tuple[str, str]]]:
    """Return the parts with an id at each position, and the path and id at each position.

    The tag at a position gets an id, unless it has one; at a position in text, an empty link with an id is
    inserted. Positions outside the parts are left out.
    """
    starts = [part.start for part in parts.parts]
    by_part: dict[int, list[int]] = {}
    for position in sorted(set(positions)):
        i = bisect_right(starts, position) - 1
        if i >= 0 and position < parts.parts[i].end:
            by_part.setdefault(i, []).append(position)
    new_parts, targets = list(parts.parts), dict[int, tuple[str, str]]()
    for i, part_positions in by_part.items():
        part = parts.parts[i]
        offsets = [position - part.start for position in part_positions]
        markup, ids = _markup_with_ids(part.markup, offsets, part.start)
        new_parts[i] = TextPart(part.path, part.start, markup)
        targets |= {part.start + offset: (part.path, id) for offset, id in ids.items()}
    return Parts(tuple(new_parts), parts.fragments, parts.warnings), targets


def _markup_with_ids(markup: bytes, offsets: Sequence[int], start: int) -> tuple[bytes, dict[int, str]]:
    """Return the markup of a part with an id at each offset, and the ids by their offsets.

    Args:
        markup: the markup of the part.
        offsets: offsets in the markup, ascending, each once.
        start: the position of the part in the text, by which new ids are unique in the book.
    """
    tags = [match.span() for match in _TAG.finditer(markup)]
    tag_starts = [tag_start for tag_start, _ in tags]
    ids: dict[int, str] = {}
    insertions: dict[int, bytes] = {}  # what is inserted, by the offset at which it is
    id_of_tag: dict[int, str] = {}  # by the offset at which the tag begins
    for offset in offsets:
        i = bisect_right(tag_starts, offset) - 1  # the last tag that begins at or before the offset
        is_in_text = i < 0 or offset >= tags[i][1]
        if is_in_text:  # only white space may separate it from the tag that it means
            i += 1
            is_in_text = i >= len(tags) or bool(markup[offset : tag_starts[i]].strip())
        new_id = f"pos{start + offset}"
        if is_in_text:
            insertions[offset] = f'<a id="{new_id}"></a>'.encode()
            ids[offset] = new_id
            continue
        tag_start, tag_end = tags[i]
        if not (opening := _START_TAG.match(markup, tag_start)):  # an end tag or a comment
            insertions.setdefault(tag_end, b"")
            insertions[tag_end] += f'<a id="{new_id}"></a>'.encode()
            ids[offset] = new_id
            continue
        if tag_start not in id_of_tag:
            existing_id = _ID.search(markup, tag_start, tag_end)
            id_of_tag[tag_start] = existing_id[1].decode("utf-8", "replace") if existing_id else new_id
            if not existing_id:
                insertions[opening.end()] = f' id="{new_id}"'.encode()
        ids[offset] = id_of_tag[tag_start]
    pieces, end = [], 0
    for offset in sorted(insertions):
        pieces += [markup[end:offset], insertions[offset]]
        end = offset
    return b"".join((*pieces, markup[end:])), ids


def _first_flow(database: Database, header: Header, text: bytes) -> bytes:
    """Return the text without the style sheets and drawings after it, which are flows of their own.

    Raises:
        DamageError: the table of flows does not fit the text.
    """
    number = header.record_number(_FDST)
    if number is None or not 0 <= number < len(database):
        return text
    record = database.record(number)
    if record[:4] != b"FDST" or not read_number(record, 8):
        return text
    table = read_number(record, 4)
    start, end = read_number(record, table), read_number(record, table + 4)
    if start or not 0 < end <= len(text):
        raise DamageError(f"its table of flows ends the text at {end:,} of {len(text):,} bytes")
    return text[:end]


def _insertion_position(name: bytes) -> int:
    """Return the position at which a fragment belongs, which is its name in the index."""
    if not re.fullmatch(rb"[0-9]{1,12}", name):
        raise DamageError("a fragment of its text does not say where it belongs")
    return int(name)


def _path(i: int) -> str:
    """Return the made-up name of the part with index `i`."""
    return f"part{i + 1:04}.html"
