"""Turns paragraphs into blocks: clean texts, with the offsets of notes, pages and lines in them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from alexandria.book.model import BlockKind
from alexandria.book.places import join_anchors
from alexandria.extract.clean import clean, clean_code, is_clean, one_line
from alexandria.extract.draft import DraftBlock, NoteMark, PageMark
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, Mark, Page
from alexandria.extract.pdf.listings import indented
from alexandria.extract.pdf.paragraphs import Paragraph

# Placeholders that survive cleaning: noncharacters, to which no font maps a glyph.
_NOTE, _PAGE, _LINE = "\ufdd0", "\ufdd1", "\ufdd2"
_IN_LINES: Mapping[BlockKind, Callable[[str], str]] = {BlockKind.VERSE: clean, BlockKind.CODE: clean_code}
"""The kinds of blocks that keep their line ends, and how they are cleaned."""
_PLACEHOLDER = re.compile(f"([{_NOTE}{_PAGE}{_LINE}])")
# Page, left, bottom, right, top; %-formatting takes a third less time than an f-string.
_ANCHOR_FORMAT = "%d %.0f %.0f %.0f %.0f"
_MIN_SHARE = 0.75  # share of the verses that do so: each chapter begins with 1
_MIN_VERSES = 8  # fewest verses that count on from the one before
_BEFORE_VERSE = " “‘\"'(«„"
_WORD = re.compile(r"[“‘\"'«„]?[^\W\d_]")
_BEFORE_NOTE = re.compile(rf"\s+(?={_LINE}?{_NOTE})")


class BlockBuilder:
    """Turns paragraphs into blocks, in reading order, and keeps track of the page to mark where pages begin.

    Args:
        vocabulary: the vocabulary of the book, by which broken words are joined.
        notes: the key of each note, by the line and the mark that cite it.
        labels: the printed number of each page.
        pages: the pages.
        has_verses: whether raised numbers begin verses, as in a Bible.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        notes: Mapping[tuple[Line, Mark], str],
        labels: Sequence[str | None],
        pages: Sequence[Page],
        *,
        has_verses: bool,
    ) -> None:
        """Begin before the first block; the arguments are described at the class."""
        self.vocabulary = vocabulary
        self.notes = notes
        self.labels = labels
        self.pages = pages
        self.has_verses = has_verses
        self.page = -1  # index of the page that the last block ended on; -1 before the first block

    def block(self, paragraphs: Sequence[Paragraph], kind: BlockKind) -> DraftBlock | None:
        """Return these paragraphs as one block, or None if they have no text.

        Each line of type becomes a piece. A placeholder before the piece marks where its line, and perhaps a
        page, begins; a placeholder in it marks each note. `_clean_pieces` turns them into offsets.
        """
        keys: list[str] = []  # of the notes cited
        pages: list[int] = []  # that begin in the block
        placeholders: list[str] = []
        pieces: list[str] = []
        lines = [line for paragraph in paragraphs for line in paragraph.lines]
        lines = indented(lines) if kind == BlockKind.CODE else lines
        for line in lines:
            if line.page != self.page:
                self.page = line.page
                pages.append(line.page)
                placeholders.append(_LINE + _PAGE)
            else:
                placeholders.append(_LINE)
            text = line.text
            if line.marks:
                text, cited_keys = self._cite_notes(line)
                keys += cited_keys
            if pieces:
                pieces[-1] = self._end_line(pieces[-1], text, kind)
            pieces.append(text)
        text, offsets = _clean_pieces(pieces, placeholders, kind)
        if not text:
            if pages:
                self.page = -1  # the next block, instead of this one, marks where the page begins
            return None
        return DraftBlock(
            kind,
            text,
            notes=tuple(NoteMark(offset, key) for offset, key in zip(offsets[_NOTE], keys, strict=True)),
            pages=tuple(
                PageMark(offset, self.pages[page].number, self.labels[page])
                for offset, page in zip(offsets[_PAGE], pages, strict=True)
            ),
            break_before=paragraphs[0].break_before,
            source=join_anchors(zip(offsets[_LINE], map(self._format_anchor, lines), strict=True)),
            confidence=_mean_confidence(lines),
            text_layer=any(self.pages[line.page].text_layer for line in lines),
        )

    def _format_anchor(self, line: Line) -> str:
        """Return the page and the box of a line, as `Block.source` holds them: "3 72 500 340 511"."""
        left, bottom, right, top = line.box
        return _ANCHOR_FORMAT % (self.pages[line.page].number, left, bottom, right, top)

    def _end_line(self, line: str, following: str, kind: BlockKind) -> str:
        if kind in _IN_LINES:
            return line + "\n"
        return self.vocabulary.end_line(line, following)

    def _cite_notes(self, line: Line) -> tuple[str, list[str]]:
        """Return a line's text with a placeholder for each mark that cites a note, and the notes' keys."""
        # A raised number that begins a verse is followed by a space.
        keys = []
        pieces = []
        at = 0
        for mark in line.marks:
            key = self.notes.get((line, mark))
            if key:
                keys.append(key)
                pieces += [line.text[at : mark.start], _NOTE]
                at = mark.end
            elif self.has_verses and is_number_of_verse(line, mark):
                pieces += [line.text[at : mark.end], " "]
                at = mark.end
        return "".join([*pieces, line.text[at:]]), keys


def numbers_verses(lines: Iterable[Line]) -> bool:
    """Return whether raised numbers before words are those of verses: most are one more than the last."""
    verses = (int(mark.label) for line in lines for mark in line.marks if is_number_of_verse(line, mark))
    steps = [after - before == 1 for before, after in pairwise(verses)]
    return sum(steps) >= max(_MIN_VERSES, _MIN_SHARE * len(steps))


def is_number_of_verse(line: Line, mark: Mark) -> bool:
    """Return whether a mark is a raised number at the beginning of a word, which a note's mark follows."""
    is_before_word = _WORD.match(line.text, mark.end) is not None
    return mark.label.isdecimal() and is_before_word and line.text[: mark.start][-1:] in ("", *_BEFORE_VERSE)


def _mean_confidence(lines: Sequence[Line]) -> float | None:
    """Return the mean confidence of recognised lines, weighted by their lengths; None if there are none."""
    weighted = [(line.confidence, len(line.text)) for line in lines if line.confidence is not None]
    if not weighted:
        return None
    return sum(confidence * length for confidence, length in weighted) / sum(length for _, length in weighted)


def join_note_text(lines: Iterable[Line], start: int, vocabulary: Vocabulary) -> str:
    """Return a note's text as one line.

    Args:
        start: length of the label at the beginning of the first line, which is left out.
    """
    first, *others = [line.text for line in lines]
    pieces = [first[start:].lstrip()]
    for text in others:
        pieces[-1] = vocabulary.end_line(pieces[-1], text)
        pieces.append(text)
    # Texts that pypdf has read may contain noncharacters; those of PDFium are free of them.
    return one_line(_PLACEHOLDER.sub("", "".join(pieces)))


def _clean_pieces(
    pieces: Sequence[str], placeholders: Sequence[str], kind: BlockKind
) -> tuple[str, dict[str, list[int]]]:
    """Return pieces as one clean text, and the offsets of the placeholders in it.

    Args:
        pieces: the lines of a block, with a `_NOTE` for each mark of a note.
        placeholders: the placeholders before each piece: `_LINE`, or `_LINE` and `_PAGE`.
        kind: the kind of the block; only verse and code have several lines.

    Returns:
        The text without placeholders; for each of the three placeholders, its offsets in order.
    """
    raw = "".join(pieces)
    if is_clean(raw):  # the usual case: the text has no notes, and cleaning changes no piece
        starts = list(accumulate(map(len, pieces), initial=0))[:-1]
        pages = [
            start for start, placeholder in zip(starts, placeholders, strict=True) if placeholder != _LINE
        ]
        return raw, {_NOTE: [], _PAGE: pages, _LINE: starts}
    raw = "".join([placeholder + piece for placeholder, piece in zip(placeholders, pieces, strict=True)])
    cleaned = _IN_LINES.get(kind, one_line)(raw)
    if _NOTE in cleaned:
        cleaned = _BEFORE_NOTE.sub("", cleaned)
    parts = _PLACEHOLDER.split(cleaned)  # text, placeholder, text, …, placeholder, text
    texts, placeholders_kept = parts[::2], parts[1::2]
    offsets: dict[str, list[int]] = {_NOTE: [], _PAGE: [], _LINE: []}
    # Not strict: the last text has no placeholder after it.
    for placeholder, offset in zip(placeholders_kept, accumulate(map(len, texts)), strict=False):
        offsets[placeholder].append(offset)
    return "".join(texts), offsets
