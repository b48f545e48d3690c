"""Anchors say where a text comes from in its file: they give the place of each chunk and sentence.

An anchor is an offset and a place. From that offset on, up to the next anchor, the text comes from that
place: a text node of an EPUB, or a line of a PDF. Anchors are kept as one string, which takes little memory
and is fast to pass between processes and to store: `0 /6/8!/4/2/1:12;45 /6/8!/4/2/3:0`, or `0 12 72 540 523
552;…` (page, left, bottom, right, top).

Where the text of an EPUB differs from its text nodes (invisible characters, white space, the marks of notes,
ruby), the place is followed by its edits: `0 /6/8!/4/2/1:12 5+0=\u2060|9+1=1 ` says that the file has a word
joiner before the text's sixth character, and `1 ` in place of its tenth.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

BLOCK_SEPARATOR = "\n\n"  # between two blocks in a book's text

_TOKEN = re.compile(r"\S+")
_WIDE_GAP = re.compile(r"\s\s")
_PLAIN_GAP_PATTERNS = re.compile(r"\s*+"), re.compile(r"\s\s+")
"""The patterns of `_align_gaps` for a text in which nothing was removed."""
_DOCUMENT = "!"
"""Separates, in a CFI, the path to a document of the EPUB from the path in it; no place in a PDF contains
it."""
_ESCAPED = {"%": "%25", ";": "%3B", "|": "%7C"}
"""Characters that separate anchors or edits, and how they are written in the text of an edit."""
_MAX_END_SPACE = 64
"""Most characters of white space at both ends for which the cleaned text is searched in the raw one as a
whole."""


class Edit(NamedTuple):
    """A part of the text at one place, and what the file has there."""

    at: int  # its offset from the anchor
    n: int  # how many characters it has; 0 where the file has more than the text
    in_file: str


@dataclass(frozen=True, slots=True)
class Quad:
    """A box around a line of a PDF or part of one, in points from the lower left corner of the page."""

    page: int  # counted from 1 in the file
    left: float
    bottom: float
    right: float
    top: float


def join_anchors(anchors: Iterable[tuple[int, str]]) -> str:
    """Return anchors as one string, given their offsets and places, ascending by offset."""
    return ";".join([f"{offset} {place}" for offset, place in anchors])


def split_anchors(anchors: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the place of each anchor."""
    for anchor in anchors.split(";") if anchors else ():
        offset, _, place = anchor.partition(" ")
        yield int(offset), place


def shift_anchors(anchors: str, by: int) -> str:
    """Return the anchors with `by` added to each offset, as for a text that becomes part of a longer one."""
    if not by:
        return anchors
    return join_anchors((offset + by, place) for offset, place in split_anchors(anchors))


def write_edits(edits: Iterable[Edit]) -> str:
    """Return edits as they follow the place of an anchor, with the space that separates them from it."""
    written = "|".join(
        f"{at}+{n}={''.join(_ESCAPED.get(character, character) for character in in_file)}"
        for at, n, in_file in edits
    )
    return f" {written}" if written else ""


def _split_edits(place: str) -> tuple[str, list[Edit]]:
    """Return the place in an EPUB without its edits, and the edits."""
    path, _, written = place.partition(" ")
    edits = []
    for edit in written.split("|") if written else ():
        span, _, in_file = edit.partition("=")
        at, _, n = span.partition("+")
        edits.append(Edit(int(at), int(n), unquote(in_file)))
    return path, edits


def text_in_file(anchors: str, text: str, start: int, end: int) -> str:
    """Return what an EPUB itself has for a part of a text; for other formats, the part as it is.

    Args:
        start: where the part begins.
    """
    if _DOCUMENT not in anchors:
        return text[start:end]
    pieces: list[str] = []
    done = start
    for (offset, place), (next_offset, _) in pairwise([*split_anchors(anchors), (len(text), "")]):
        first, last = max(offset, start), min(next_offset, end)
        if first >= last:
            continue
        part = _slice_place(place, next_offset - offset, first - offset, last - offset)
        for at, n, in_file in _split_edits(part)[1]:
            if first + at < end:  # what the file has after the part is no part of it
                pieces += text[done : first + at], in_file
                done = first + at + n
    return "".join((*pieces, text[done:end]))


def without_spans(anchors: str, removed: Iterable[tuple[int, int]], text: str) -> str:
    """Return the anchors of a text once spans of it are removed.

    Args:
        removed: the start and end of each span, ascending.
    """
    length = len(text)
    parts, kept_from, n_kept = [], 0, 0
    for start, end in [*removed, (length, length)]:  # the last one stands for the end of the text
        kept = slice_anchors(anchors, length, kept_from, start)
        if _DOCUMENT in kept and end > start:  # places of EPUBs: the last one notes what is removed after it
            before, _, last = kept.rpartition(";")
            ((offset, place),) = split_anchors(last)
            path, edits = _split_edits(place)
            edits.append(Edit(start - kept_from - offset, 0, text_in_file(anchors, text, start, end)))
            kept = ";".join(filter(None, (before, f"{offset} {path}{write_edits(edits)}")))
        parts.append(shift_anchors(kept, n_kept))
        n_kept += max(0, start - kept_from)  # spans may overlap
        kept_from = max(kept_from, end)
    return ";".join(part for part in parts if part)


def slice_anchors(anchors: str, length: int, start: int, end: int) -> str:
    """Return the anchors of the part of a text between two offsets; their offsets count from its start.

    Args:
        length: the length of the whole text, in characters.
        start: where the part begins.
    """
    if start <= 0 and end >= length:
        return anchors
    parts = []
    for (offset, place), (next_offset, _) in pairwise([*split_anchors(anchors), (length, "")]):
        first, last = max(offset, start), min(next_offset, end)
        if first < last:
            part = _slice_place(place, next_offset - offset, first - offset, last - offset)
            parts.append((first - start, part))
    return join_anchors(parts)


def cfi_at(anchors: str, offset: int) -> str | None:
    """Return the EPUB CFI of a character, such as `epubcfi(/6/8!/4/2/1:12)`, or None where there is none."""
    nearest = None  # the last anchor up to the offset; the first anchor if the offset is before it
    for start, place in split_anchors(anchors):
        if start > offset and nearest is not None:
            break
        nearest = (max(0, offset - start), place)
    if nearest is None:
        return None
    distance, place = nearest
    return f"epubcfi({_advance_in_node(place, distance)})" if _DOCUMENT in place else None


@dataclass(frozen=True, slots=True)
class LinePart:
    """The part of a text that is in one line of a PDF."""

    start: int  # the offset of its first character
    end: int  # the offset after its last character
    line: Quad  # the box around the whole line
    quad: Quad  # the box around the part: its width is estimated by its share of the line's characters


def parts_between(anchors: str, start: int, end: int, text_end: int) -> tuple[LinePart, ...]:
    """Return the parts of the text from `start` to `end`, one per line of a PDF; empty outside a PDF.

    Args:
        text_end: where the whole text ends, and so the part that the last anchor places.
    """
    if _DOCUMENT in anchors or not anchors:
        return ()
    parts = []
    for (offset, place), (next_offset, _) in pairwise([*split_anchors(anchors), (text_end, "")]):
        first, last = max(offset, start), min(next_offset, end)
        if first < last:
            quad = _parse_quad(_slice_place(place, next_offset - offset, first - offset, last - offset))
            parts.append(LinePart(first, last, line=_parse_quad(place), quad=quad))
    return tuple(parts)


def _parse_quad(place: str) -> Quad:
    page, *box = place.split(" ")
    return Quad(int(page), *map(float, box))


def _slice_place(place: str, length: int, first: int, last: int) -> str:
    """Return the place of a part of a text at one place: later in the same text node, or part of the line."""
    # Of the line `12 72 540 523 552` with 41 characters, the last 20 are at `12 303 540 523 552`.
    # `length`: the length of the whole text, in characters.
    # `first`: where the part begins in it.
    # `last`: where the part ends in it.
    if _DOCUMENT in place:
        path, edits = _split_edits(place)
        # Of an edit at the end, the file's text comes after the part, unless the part ends at the next place.
        inside = [
            edit
            for edit in edits
            if edit.at >= first
            and (edit.at + edit.n <= last)
            and (edit.n or last == length or edit.at < last)
        ]
        moved = (Edit(edit.at - first, edit.n, edit.in_file) for edit in inside)
        return _advance_in_node(path, first) + write_edits(moved)
    if first <= 0 and last >= length:
        return place
    page, left, bottom, right, top = place.split(" ")
    per_character = (float(right) - float(left)) / length
    begin, end = float(left) + first * per_character, float(left) + last * per_character
    return f"{page} {begin:.0f} {bottom} {end:.0f} {top}"


def _advance_in_node(place: str, n: int) -> str:
    """Return the place `n` characters later in a text node: `/6/8!/4/2/1:12` and 3 give `/6/8!/4/2/1:15`."""
    # A place without an offset, such as a picture, stays as it is.
    without_edits = place.partition(" ")[0]
    path, colon, node_offset = without_edits.rpartition(":")
    return f"{path}:{int(node_offset) + n}" if colon else without_edits


def align_texts(raw: str, cleaned: str, removable: re.Pattern[str]) -> list[tuple[int, int]]:
    """Align a cleaned text with the raw text it was made of.

    White space may differ anywhere, and text that matches `removable` is in the raw text only. If a word
    differs in another way, the next word is aligned again.

    Returns:
        pairs of an offset in the cleaned text and the corresponding offset in the raw text, ascending: from
        one pair to the next, both texts have the same characters.
    """
    if not cleaned:
        return []
    lead = raw.find(cleaned) if len(raw) - len(cleaned) < _MAX_END_SPACE else -1
    if lead >= 0:  # nothing was changed but the ends
        return [(0, lead)]
    remaining = removable.sub("", raw)
    stripped = remaining.strip()
    if stripped != cleaned and stripped.split() != cleaned.split():  # words differ
        return _align_words(raw, cleaned, removable)
    if len(stripped) == len(cleaned):
        return _align_removals(raw, cleaned, len(remaining) - len(remaining.lstrip()), removable)
    if _WIDE_GAP.search(cleaned):  # `_align_gaps` counts one space per gap
        return _align_words(raw, cleaned, removable)
    leading, wide = _PLAIN_GAP_PATTERNS if len(remaining) == len(raw) else _gap_patterns(removable)
    return _align_gaps(raw, cleaned, leading, wide)


def _align_removals(raw: str, cleaned: str, lead: int, removable: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the pairs of `align_texts` for the usual case: something was removed, and nothing else changed.

    Args:
        lead: the characters of white space before the text once all removable text is removed.
    """
    pairs = [(0, lead)]
    removed = 0
    for match in removable.finditer(raw):
        removed += match.end() - match.start()
        offset = match.end() - removed - lead
        if offset <= 0:  # before the text: it begins later in the raw text
            pairs = [(0, lead + removed)]
        elif offset < len(cleaned):
            pairs.append((offset, match.end()))
    return pairs


def _align_gaps(
    raw: str, cleaned: str, leading: re.Pattern[str], wide: re.Pattern[str]
) -> list[tuple[int, int]]:
    """Return the pairs of `align_texts` if only the white space between the words differs, as in verse."""
    # `leading`: matches all that comes before the first word.
    # `wide`: matches each gap between words that is not a single space.
    before = leading.match(raw)
    lead = before.end() if before else 0
    pairs = [(0, lead)]
    removed = lead
    for gap in wide.finditer(raw, lead):
        start, end = gap.span()
        if end < len(raw):
            # The cleaned text has one space for the gap, or none if the gap was inside a word.
            n_spaces = int(cleaned[start - removed].isspace())
            removed += end - start - n_spaces
            pairs.append((end - removed, end))
    return pairs


@cache
def _gap_patterns(removable: re.Pattern[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of `_align_gaps` for a text in which something was removed."""
    removable_or_space = rf"(?:{removable.pattern}|\s)"
    leading = re.compile(f"{removable_or_space}*+")
    return leading, re.compile(f"{removable_or_space}{{2,}}+|{removable.pattern}")


def _align_words(raw: str, cleaned: str, removable: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the pairs of `align_texts` for any two texts, by comparing them word by word."""
    pairs: list[tuple[int, int]] = []
    words = _TOKEN.finditer(cleaned)
    word = next(words, None)
    n_aligned = 0  # characters at the beginning of the word that are aligned already
    for token in _TOKEN.finditer(raw):
        for raw_offset, piece in _kept_pieces(token, removable):
            # The rest of the word differs: go on with the next one.
            if n_aligned and word and not cleaned.startswith(piece[:1], word.start() + n_aligned):
                word, n_aligned = next(words, None), 0
            if word is None:
                return pairs
            offset = word.start() + n_aligned
            # A pair is needed only where the distance between the two offsets changes.
            if not pairs or pairs[-1][1] - pairs[-1][0] != raw_offset - offset:
                pairs.append((offset, raw_offset))
            n_aligned += len(piece)
            if n_aligned >= word.end() - word.start():
                word, n_aligned = next(words, None), 0
    return pairs


def _kept_pieces(token: re.Match[str], removable: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the pieces of a raw word left once `removable` is cut out, with their offsets in the raw text."""
    word, word_start = token.group(), token.start()
    piece_start = 0
    for match in removable.finditer(word):
        if match.start() > piece_start:
            yield word_start + piece_start, word[piece_start : match.start()]
        piece_start = match.end()
    if piece_start < len(word):
        yield word_start + piece_start, word[piece_start:]
