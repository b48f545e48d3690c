"""Paragraphs to blocks: one text each, with the offsets of notes and pages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from alexandria.anchors import join_anchors
from alexandria.book import BlockKind
from alexandria.extract.clean import clean, is_clean, one_line
from alexandria.extract.draft import DraftBlock, NoteMark, PageMark
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, Mark
from alexandria.extract.pdf.paragraphs import Paragraph

# Placeholders that survive cleaning: noncharacters, to which no font maps a glyph.
_NOTE, _PAGE, _LINE = "\ufdd0", "\ufdd1", "\ufdd2"
_SIGN = re.compile(f"([{_NOTE}{_PAGE}{_LINE}])")
# Page, left, bottom, right, top; this form takes a third less time than an f-string.
_PLACE = "%d %.0f %.0f %.0f %.0f"
_BEFORE_NOTE = re.compile(rf"\s+(?={_LINE}?{_NOTE})")


class BlockBuilder:
    """Turns paragraphs into blocks in order, and notes where pages begin."""

    def __init__(
        self, words: Vocabulary, notes: Mapping[tuple[Line, Mark], str], labels: Sequence[str | None]
    ) -> None:
        self.words = words
        self.notes = notes
        self.labels = labels
        self.page = -1

    def block(self, paragraphs: Sequence[Paragraph], kind: BlockKind) -> DraftBlock | None:
        """Return these paragraphs as one block, or None if they have no text."""
        keys: list[str] = []
        pages: list[int] = []
        signs: list[str] = []
        pieces: list[str] = []
        lines = [line for paragraph in paragraphs for line in paragraph.lines]
        for line in lines:
            if line.page != self.page:
                self.page = line.page
                pages.append(line.page)
                signs.append(_LINE + _PAGE)
            else:
                signs.append(_LINE)
            text = self._line_text(line, keys)
            if pieces:
                pieces[-1] = self._join(pieces[-1], text, kind)
            pieces.append(text)
        text, at = _cleaned(pieces, signs, kind)
        if not text:
            if pages:
                self.page = -1
            return None
        return DraftBlock(
            kind,
            text,
            notes=tuple(NoteMark(place, key) for place, key in zip(at[_NOTE], keys, strict=True)),
            pages=tuple(
                PageMark(place, page + 1, self.labels[page])
                for place, page in zip(at[_PAGE], pages, strict=True)
            ),
            break_before=paragraphs[0].break_before,
            source=join_anchors(zip(at[_LINE], map(_place, lines), strict=True)),
            confidence=_confidence(lines),
        )

    def _join(self, above: str, below: str, kind: BlockKind) -> str:
        if kind == BlockKind.VERSE:
            return above + "\n"
        return self.words.join(above, below)

    def _line_text(self, line: Line, keys: list[str]) -> str:
        """Return the line's text with a placeholder for each mark of a note, and append the notes' keys."""
        if not line.marks:
            return line.text
        pieces = []
        at = 0
        for mark in line.marks:
            key = self.notes.get((line, mark))
            if key:
                keys.append(key)
                pieces += [line.text[at : mark.start], _NOTE]
                at = mark.end
        return "".join([*pieces, line.text[at:]])


def _confidence(lines: Sequence[Line]) -> float | None:
    """Return the mean confidence of the recognised lines, by their lengths; None without any."""
    scanned = [(line.confidence, len(line.text)) for line in lines if line.confidence is not None]
    if not scanned:
        return None
    return sum(confidence * n for confidence, n in scanned) / sum(n for _, n in scanned)


def _place(line: Line) -> str:
    """Return page and box of a line, as `Block.source` has them."""
    left, bottom, right, top = line.box
    return _PLACE % (line.page + 1, left, bottom, right, top)


def note_text(lines: Iterable[Line], start: int, words: Vocabulary) -> str:
    """Return a note's text as one line, without its label of `start` characters."""
    pieces: list[str] = []
    for line in lines:
        text = line.text if pieces else line.text[start:].lstrip()
        if pieces:
            pieces[-1] = words.join(pieces[-1], text)
        pieces.append(text)
    return one_line(_SIGN.sub("", "".join(pieces)))


def _cleaned(
    pieces: Sequence[str], signs: Sequence[str], kind: BlockKind
) -> tuple[str, dict[str, list[int]]]:
    """Return pieces as one clean text, and the offsets in it of each placeholder: of those before the pieces,
    and of notes in them.
    """
    raw = "".join(pieces)
    if is_clean(raw):  # as most are: no placeholder in it, and each piece remains as long as it is
        starts = list(accumulate(map(len, pieces), initial=0))[:-1]
        pages = [start for start, sign in zip(starts, signs, strict=True) if sign != _LINE]
        return raw, {_NOTE: [], _PAGE: pages, _LINE: starts}
    raw = "".join([sign + piece for sign, piece in zip(signs, pieces, strict=True)])
    cleaned = clean(raw) if kind == BlockKind.VERSE else one_line(raw)
    texts = _SIGN.split(_BEFORE_NOTE.sub("", cleaned) if _NOTE in cleaned else cleaned)
    at: dict[str, list[int]] = {_NOTE: [], _PAGE: [], _LINE: []}
    for sign, place in zip(texts[1::2], accumulate(map(len, texts[::2])), strict=False):
        at[sign].append(place)
    return "".join(texts[::2]), at
