"""Where a text comes from in its file: anchors, from which the place of a chunk or a sentence follows.

An anchor says that from an offset on, a text is that of a text node of an EPUB, or stands in a line of a PDF.
Anchors are kept as one string, which takes little memory and travels fast between processes and into stores:
`0 /6/8!/4/2/1:12;45 /6/8!/4/2/3:0`, or `0 12 72 540 523 552;…` (page, left, bottom, right, top).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

_TOKEN = re.compile(r"\S+")
_WIDE = re.compile(r"\s\s")
_PLAIN_GAPS = re.compile(r"\s*+"), re.compile(r"\s\s+")
"""The patterns of `_gap_by_gap` where a text has nothing removable."""
_DOCUMENT = "!"
"""In a CFI, what comes before it leads to a document of the EPUB; no place in a PDF has it."""
_ENDS = 64
"""Characters that white space at both ends may have; more is searched word by word."""


@dataclass(frozen=True, slots=True)
class Quad:
    """A box around a line of a PDF or a part of it, in points from the lower left corner of the page."""

    page: int
    """Counted from 1 in the file."""
    left: float
    bottom: float
    right: float
    top: float


def join_anchors(anchors: Iterable[tuple[int, str]]) -> str:
    """Return anchors as one string; they ascend by their offset."""
    return ";".join([f"{offset} {place}" for offset, place in anchors])


def split_anchors(anchors: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the place of each anchor."""
    for anchor in anchors.split(";") if anchors else ():
        offset, _, place = anchor.partition(" ")
        yield int(offset), place


def shifted(anchors: str, by: int) -> str:
    """Return the anchors with other offsets, as of a text that is part of a longer one."""
    if not by:
        return anchors
    return join_anchors((offset + by, place) for offset, place in split_anchors(anchors))


def without_spans(anchors: str, removed: Iterable[tuple[int, int]], length: int) -> str:
    """Return the anchors of a text of this length from which these spans are removed."""
    kept, at, before = [], 0, 0
    for start, end in [*removed, (length, length)]:
        kept.append(shifted(within(anchors, length, at, start), before))
        before += max(0, start - at)
        at = max(at, end)
    return ";".join(part for part in kept if part)


def within(anchors: str, length: int, start: int, end: int) -> str:
    """Return the anchors of the part of a text between two offsets, counted from its beginning.

    Args:
        anchors: of the whole text.
        length: of the whole text, in characters.
        start: where the part begins.
        end: where it ends.
    """
    if start <= 0 and end >= length:
        return anchors
    parts = []
    for (offset, place), (stop, _) in pairwise([*split_anchors(anchors), (length, "")]):
        first, last = max(offset, start), min(stop, end)
        if first < last:
            parts.append((first - start, _part(place, stop - offset, first - offset, last - offset)))
    return join_anchors(parts)


def cfi_at(anchors: str, offset: int) -> str | None:
    """Return the EPUB CFI of a character, such as `epubcfi(/6/8!/4/2/1:12)`; None where there is none."""
    before = None
    for at, place in split_anchors(anchors):
        if at > offset and before is not None:
            break
        before = (max(at, offset) - at, place)
    if before is None or _DOCUMENT not in before[1]:
        return None
    return f"epubcfi({_part(before[1], 0, before[0], 0)})"


@dataclass(frozen=True, slots=True)
class LinePart:
    """What lies between two offsets in one line of a PDF."""

    start: int
    """Its first offset."""
    end: int
    line: Quad
    """Of the whole line."""
    quad: Quad
    """Of the part, by its share of the line's characters."""


def parts_between(anchors: str, start: int, end: int, stop: int) -> tuple[LinePart, ...]:
    """Return what lies between two offsets, line by line; nothing outside a PDF.

    Args:
        anchors: of a text.
        start: the first offset.
        end: the second one.
        stop: where the text ends.
    """
    if _DOCUMENT in anchors or not anchors:
        return ()
    every = list(split_anchors(anchors))
    parts = []
    for (offset, place), (after, _) in pairwise([*every, (stop, "")]):
        first, last = max(offset, start), min(after, end)
        if first < last:
            quad = _quad(_part(place, after - offset, first - offset, last - offset))
            parts.append(LinePart(first, last, line=_quad(place), quad=quad))
    return tuple(parts)


def _quad(place: str) -> Quad:
    page, *box = place.split(" ")
    return Quad(int(page), *map(float, box))


def _part(place: str, length: int, first: int, last: int) -> str:
    """Return the place of a part: an offset in the same text node, or a part of the same line."""
    if _DOCUMENT in place:
        path, colon, at = place.rpartition(":")
        return f"{path}:{int(at) + first}" if colon else place
    if first <= 0 and last >= length:
        return place
    page, left, bottom, right, top = place.split(" ")
    per_character = (float(right) - float(left)) / length
    begin, end = float(left) + first * per_character, float(left) + last * per_character
    return f"{page} {begin:.0f} {bottom} {end:.0f} {top}"


def same_text(raw: str, cleaned: str, removable: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return pairs of an offset in the cleaned text and the same place in the raw one, ascending.

    From one pair to the next, both texts run in step. White space may differ anywhere, and what matches
    `removable` is in the raw text only; where a word differs otherwise, the next one is in step again.
    """
    if not cleaned:
        return []
    lead = raw.find(cleaned) if len(raw) - len(cleaned) < _ENDS else -1
    if lead >= 0:
        return [(0, lead)]
    remaining = removable.sub("", raw)
    stripped = remaining.strip()
    if stripped != cleaned and stripped.split() != cleaned.split():
        return _word_by_word(raw, cleaned, removable)
    if len(stripped) == len(cleaned):
        return _where_only_removed(raw, cleaned, len(remaining) - len(remaining.lstrip()), removable)
    if _WIDE.search(cleaned):
        return _word_by_word(raw, cleaned, removable)
    return _gap_by_gap(raw, cleaned, *(_PLAIN_GAPS if len(remaining) == len(raw) else _gaps(removable)))


def _where_only_removed(
    raw: str, cleaned: str, lead: int, removable: re.Pattern[str]
) -> list[tuple[int, int]]:
    """Return the pairs of `same_text` if nothing was done but to remove, as most often.

    Args:
        raw: the raw text.
        cleaned: the cleaned text.
        lead: the white space before the text once all that is removable is removed.
        removable: what was removed.
    """
    pairs = [(0, lead)]
    removed = 0
    for match in removable.finditer(raw):
        removed += match.end() - match.start()
        offset = match.end() - removed - lead
        if offset <= 0:
            pairs = [(0, lead + removed)]
        elif offset < len(cleaned):
            pairs.append((offset, match.end()))
    return pairs


def _gap_by_gap(
    raw: str, cleaned: str, leading: re.Pattern[str], wide: re.Pattern[str]
) -> list[tuple[int, int]]:
    """Return the pairs of `same_text` if both texts have the same words, as in verse.

    Args:
        raw: the raw text.
        cleaned: the cleaned text.
        leading: matches what precedes the text.
        wide: matches what is between words and not a single space.
    """
    before = leading.match(raw)
    lead = before.end() if before else 0
    pairs = [(0, lead)]
    removed = lead
    for gap in wide.finditer(raw, lead):
        start, end = gap.span()
        if end < len(raw):
            removed += end - start - cleaned[start - removed].isspace()
            pairs.append((end - removed, end))
    return pairs


@cache
def _gaps(removable: re.Pattern[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of `_gap_by_gap` where a text has something removable."""
    either = rf"(?:{removable.pattern}|\s)"
    return re.compile(f"{either}*+"), re.compile(f"{either}{{2,}}+|{removable.pattern}")


def _word_by_word(raw: str, cleaned: str, removable: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the pairs of `same_text` for any two texts."""
    pairs: list[tuple[int, int]] = []
    words = _TOKEN.finditer(cleaned)
    word = next(words, None)
    done = 0
    for token in _TOKEN.finditer(raw):
        for at, part in _parts(token, removable):
            if done and word and not cleaned.startswith(part[:1], word.start() + done):
                word, done = next(words, None), 0
            if word is None:
                return pairs
            offset = word.start() + done
            if not pairs or pairs[-1][1] - pairs[-1][0] != at - offset:
                pairs.append((offset, at))
            done += len(part)
            if done >= word.end() - word.start():
                word, done = next(words, None), 0
    return pairs


def _parts(token: re.Match[str], removable: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the parts of a word that remain, each with its offset in the raw text."""
    text, start = token.group(), token.start()
    at = 0
    for match in removable.finditer(text):
        if match.start() > at:
            yield start + at, text[at : match.start()]
        at = match.end()
    if at < len(text):
        yield start + at, text[at:]
