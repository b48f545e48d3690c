"""Divides the text into documents: KF8's skeletons with their fragments, or the pages of MOBI 6.

In both formats, links lead to positions in the text rather than to ids; `with_ids` adds ids at those
positions.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from alexandria.extract.mobi.header import Header
from alexandria.extract.mobi.index import read_index
from alexandria.extract.mobi.palmdb import DamageError, Database, read_number

_PAGE_BREAK = re.compile(rb"<\s*/?\s*mbp:pagebreak[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[A-Za-z/!?][^<>]*>")
_TAG_OR_BLANK = re.compile(rb"<[A-Za-z/!?][^<>]*>|\s|&nbsp;|\xc2\xa0|\xe3\x80\x80")
"""What does not fill a page: tags, and blanks in UTF-8."""
_PICTURE = re.compile(rb"<(?:img|image|svg)\b", re.IGNORECASE)
_START_TAG = re.compile(rb"<[A-Za-z][^\s/>]*")
_ID = re.compile(rb"""\sid\s*=\s*["']?([^"'\s<>&]+)""", re.IGNORECASE)
_FDST, _FRAGMENTS, _SKELETONS = 0xC0, 0xF8, 0xFC  # where the header names the records of KF8's tables

# Tags of the indexes of skeletons and fragments; the values of a span are its start and its length.
_N_FRAGMENTS, _SPAN = 1, 6


@dataclass(frozen=True, slots=True)
class TextPart:
    """A document of the book."""

    path: str  # a name made up for it: the file has none
    start: int  # the position in the text at which it begins
    markup: bytes

    @property
    def end(self) -> int:
        """The position after its last byte."""
        return self.start + len(self.markup)


@dataclass(frozen=True, slots=True)
class Parts:
    """The documents in reading order; positions are counted in bytes through all of them."""

    parts: tuple[TextPart, ...]
    fragments: tuple[int, ...] = ()  # the position of each fragment of KF8; links name fragments by number
    warnings: tuple[str, ...] = ()

    def position(self, fragment: int, offset: int) -> int | None:
        """Return the position of a link into a fragment, or None if there is no such fragment."""
        return self.fragments[fragment] + offset if fragment < len(self.fragments) else None


def split_at_page_breaks(text: bytes) -> Parts:
    """Return the parts of a MOBI 6 text, one per page that is not empty.

    An empty page becomes the beginning of the part after it: contents that lead to the empty page mean the
    heading on the next page. Page breaks become spaces of the same length, so that positions stay valid.
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
        is_empty = not _PICTURE.search(page) and not _TAG_OR_BLANK.sub(b"", page)
        if not is_empty:
            markup = bytes(blanked[part_start:page_end])
            parts.append(TextPart(path=_make_path(len(parts)), start=part_start, markup=markup))
            part_start = page_end
    return Parts(tuple(parts))


def assemble_parts(database: Database, header: Header, text: bytes) -> Parts:
    """Return the parts of a KF8 text: each skeleton with its fragments inserted.

    In the text, each skeleton is followed by its fragments. One table says how long each skeleton is and how
    many fragments it has; another says how long each fragment is and at which position it belongs.

    Raises:
        DamageError: a table is damaged, or leads outside the text.
    """
    text = _first_flow(database, header, text)
    skeleton_record = header.record_number(_SKELETONS)
    if skeleton_record is None:
        return Parts((TextPart(path=_make_path(0), start=0, markup=text),))
    fragments = _read_fragments(database, header.record_number(_FRAGMENTS))
    parts: list[TextPart] = []
    n_used = 0  # fragments in the parts so far
    end = 0  # the position in the text after the last part
    n_lost = 0  # bytes in no part
    for entry in read_index(database, skeleton_record).entries:
        start, length = entry.value(_SPAN), entry.value(_SPAN, 1)
        if start < end or start + length > len(text):
            raise DamageError("its parts overlap or are outside its text")
        n_lost += len(text[end:start].strip())
        n_fragments = entry.value(_N_FRAGMENTS)
        if n_used + n_fragments > len(fragments):
            raise DamageError(f"its parts have more fragments than the {len(fragments):,} in its table")
        part_fragments = fragments[n_used : n_used + n_fragments]
        n_used += n_fragments
        markup, end = _fill_skeleton(text, start, length, part_fragments)
        parts.append(TextPart(path=_make_path(len(parts)), start=start, markup=markup))
    n_lost += len(text[end:].strip())
    warnings = (f"{n_lost:,} bytes are in no part of the book: they were not read",) if n_lost else ()
    return Parts(tuple(parts), tuple(fragment.position for fragment in fragments), warnings)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A line of the table of fragments."""

    position: int  # where the fragment is inserted: a position in the text, its part complete up to there
    size: int  # the length of the fragment, in bytes


def _read_fragments(database: Database, first_record: int | None) -> tuple[_Fragment, ...]:
    """Return the table of fragments, in order, or an empty tuple if the book has none.

    Raises:
        DamageError: the table is damaged.
    """
    if first_record is None:
        return ()
    entries = read_index(database, first_record).entries
    return tuple(
        _Fragment(position=_insertion_position(entry.name), size=entry.value(_SPAN, 1)) for entry in entries
    )


def _fill_skeleton(text: bytes, start: int, length: int, fragments: Sequence[_Fragment]) -> tuple[bytes, int]:
    """Return the markup of a part, and the position in the text after its last fragment.

    Args:
        text: the text of the book, in which the fragments follow their skeleton.

    Raises:
        DamageError: a fragment is outside the part or the text.
    """
    end = start + length
    markup = bytearray(text[start:end])
    for fragment in fragments:
        offset = fragment.position - start
        if not 0 <= offset <= len(markup) or end + fragment.size > len(text):
            raise DamageError("a fragment of its text is outside its part")
        markup[offset:offset] = text[end : end + fragment.size]  # inserts it, replacing nothing
        end += fragment.size
    return bytes(markup), end


def with_ids(parts: Parts, positions: Iterable[int]) -> tuple[Parts, Mapping[int, tuple[str, str]]]:
    """Return the parts with an id at each position, and the path and id at each position.

    The tag at a position gets an id, unless it has one; at a position in text, an empty link with an id is
    inserted. Positions outside the parts are left out.
    """
    starts = [part.start for part in parts.parts]
    offsets_by_part: dict[int, list[int]] = {}  # by the index of the part
    for position in sorted(set(positions)):
        i = bisect_right(starts, position) - 1  # the last part that begins at or before the position
        if i >= 0 and position < parts.parts[i].end:
            offsets_by_part.setdefault(i, []).append(position - starts[i])
    new_parts, targets = list(parts.parts), dict[int, tuple[str, str]]()
    for i, offsets in offsets_by_part.items():
        part = parts.parts[i]
        markup, ids = _markup_with_ids(part, offsets)
        new_parts[i] = replace(part, markup=markup)
        targets |= {part.start + offset: (part.path, id) for offset, id in ids.items()}
    return replace(parts, parts=tuple(new_parts)), targets


def _markup_with_ids(part: TextPart, offsets: Sequence[int]) -> tuple[bytes, dict[int, str]]:
    """Return the markup of a part with an id at each offset, and the ids by their offsets."""
    # `part`: its position makes the new ids unique in the book: `pos1234`.
    # `offsets`: offsets in the markup, ascending, each once.
    markup = part.markup
    tags = [match.span() for match in _TAG.finditer(markup)]
    ids: dict[int, str] = {}
    insertions: defaultdict[int, bytes] = defaultdict(bytes)  # by the offset before which each is inserted
    id_of_tag: dict[int, str] = {}  # by the offset at which the tag begins
    for offset in offsets:
        new_id = f"pos{part.start + offset}"
        empty_link = f'<a id="{new_id}"></a>'.encode()
        tag = _tag_at(markup, tags, offset)
        if tag is None:  # in text
            insertions[offset] += empty_link
            ids[offset] = new_id
            continue
        tag_start, tag_end = tag
        opening = _START_TAG.match(markup, tag_start)
        if opening is None:  # an end tag or a comment
            insertions[tag_end] += empty_link
            ids[offset] = new_id
            continue
        if tag_start not in id_of_tag:
            existing_id = _ID.search(markup, tag_start, tag_end)
            if existing_id is None:
                insertions[opening.end()] = f' id="{new_id}"'.encode()
            id_of_tag[tag_start] = existing_id[1].decode("utf-8", "replace") if existing_id else new_id
        ids[offset] = id_of_tag[tag_start]
    pieces, end = [], 0
    for offset in sorted(insertions):
        pieces += [markup[end:offset], insertions[offset]]
        end = offset
    return b"".join((*pieces, markup[end:])), ids


def _tag_at(markup: bytes, tags: Sequence[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """Return the tag that a position means: the tag around it, or the next one after white space.

    Args:
        tags: the start and end of each tag, ascending.

    Returns:
        the start and end of the tag; None if the position is in text.
    """
    i = bisect_right(tags, offset, key=itemgetter(0))  # the first tag that begins after the offset
    if i > 0 and offset < tags[i - 1][1]:
        return tags[i - 1]
    if i < len(tags) and not markup[offset : tags[i][0]].strip():
        return tags[i]
    return None


def _first_flow(database: Database, header: Header, text: bytes) -> bytes:
    """Return the text without the style sheets and drawings after it, which are flows of their own.

    Raises:
        DamageError: the table of flows does not fit the text.
    """
    number = header.record_number(_FDST)
    if number is None or not 0 <= number < len(database):
        return text
    record = database.record(number)
    if record[:4] != b"FDST":
        return text
    table, n_flows = read_number(record, 4), read_number(record, 8)
    if not n_flows:
        return text
    start, end = read_number(record, table), read_number(record, table + 4)  # of the first flow
    if start or not 0 < end <= len(text):
        raise DamageError(f"its table of flows ends the text at {end:,} of {len(text):,} bytes")
    return text[:end]


def _insertion_position(name: bytes) -> int:
    """Return the position at which a fragment belongs: its name in the index is this number in digits.

    Raises:
        DamageError: the name is no number.
    """
    if not re.fullmatch(rb"[0-9]{1,12}", name):
        raise DamageError("a fragment of its text does not say where it belongs")
    return int(name)


def _make_path(i: int) -> str:
    """Return the made-up name of the part with index `i`."""
    return f"part{i + 1:04}.html"
