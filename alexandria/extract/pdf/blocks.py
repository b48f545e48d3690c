"""Paragraphs to blocks: one text each, with the offsets of notes and pages."""

import re
from collections.abc import Iterable, Mapping, Sequence

from alexandria.book import BlockKind
from alexandria.extract.clean import clean, one_line
from alexandria.extract.draft import DraftBlock, NoteMark, PageMark
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, Mark
from alexandria.extract.pdf.paragraphs import Paragraph

# Placeholders that survive cleaning: noncharacters, to which no font maps a glyph.
_NOTE, _PAGE = "\ufdd0", "\ufdd1"
_SIGN = re.compile(f"[{_NOTE}{_PAGE}]")
_BEFORE_NOTE = re.compile(rf"\s+(?={_NOTE})")


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
        pieces: list[str] = []
        for line in (line for paragraph in paragraphs for line in paragraph.lines):
            sign = ""
            if line.page != self.page:
                self.page = line.page
                pages.append(line.page)
                sign = _PAGE
            text = self._line_text(line, keys)
            if pieces:
                pieces[-1] = self._join(pieces[-1], text, kind)
            pieces.append(sign + text)
        raw = "".join(pieces)
        cleaned = clean(raw) if kind == BlockKind.VERSE else one_line(raw)
        cleaned = _BEFORE_NOTE.sub("", cleaned) if keys else cleaned
        text, places = _without_signs(cleaned)
        if not text:
            if pages:
                self.page = -1
            return None
        at = {sign: [place for each, place in places if each == sign] for sign in (_NOTE, _PAGE)}
        return DraftBlock(
            kind,
            text,
            notes=tuple(NoteMark(place, key) for place, key in zip(at[_NOTE], keys, strict=True)),
            pages=tuple(
                PageMark(place, page + 1, self.labels[page])
                for place, page in zip(at[_PAGE], pages, strict=True)
            ),
            break_before=paragraphs[0].break_before,
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


def note_text(lines: Iterable[Line], start: int, words: Vocabulary) -> str:
    """Return a note's text as one line, without its label of `start` characters."""
    pieces: list[str] = []
    for line in lines:
        text = line.text if pieces else line.text[start:].lstrip()
        if pieces:
            pieces[-1] = words.join(pieces[-1], text)
        pieces.append(text)
    return one_line(_SIGN.sub("", "".join(pieces)))


def _without_signs(text: str) -> tuple[str, list[tuple[str, int]]]:
    """Return the text without placeholders, and the offset of each in that text."""
    if not _SIGN.search(text):
        return text, []
    places = [(match.group(), match.start() - i) for i, match in enumerate(_SIGN.finditer(text))]
    return _SIGN.sub("", text), places
