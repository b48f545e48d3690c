"""Groups the lines of a PDF into paragraphs or stanzas: by indent, short last line, gap and size."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from alexandria.book.model import BlockKind
from alexandria.extract.divisions import names_division
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.hyphens import HYPHENS, UNSPACED, Vocabulary
from alexandria.extract.pdf.lines import BULLETS, Line
from alexandria.extract.pdf.typography import Typography
from alexandria.extract.runs import group_runs

_LABEL = re.compile(r"(?:[\[(]?\d{1,4}[.\])]|[\[(][a-z]{1,4}[\])])\s+\S")  # a paragraph's number, to its left
_INDENT = 0.6  # times the body size: typesetters indent by one em or more; side bearings are below a tenth
_SAME_RIGHT_EDGE = 0.5  # times the body size: how far a quotation's full lines end from its right edge
_MIN_QUOTATION_LINES = 3  # fewest lines of an indented quotation
_MIN_FULL_LINES = 2 / 3  # smallest share of a quotation's lines that are full; speeches end anywhere
_QUOTATION_INSET = 0.01  # points by which the right edge of a quotation is left of the column's, at least
_SAME_EDGE = 0.15  # times the size: lines at one edge differ by the side bearings of their first letters
_OTHER_SIZE = 0.04  # share of the size: a larger difference is intended, such as 10 and 10.5 points
_GAP = 1.12  # times the leading: a gap after a sentence; less may be a page stretched to full height
_WIDE_GAP = 1.45  # times the leading: a gap even in mid-sentence
_MIN_VERSE_LEADING = 0.5  # times the leading: closer lines are not two lines of verse, one below the other
_GAP_IN_SENTENCE = 2.3  # times the leading: less continues a full line, below a formula or a taller font
_MIN_VERSE_LINES = 20  # lines from which a book of nothing but verse is known
_MIN_VERSE_CAPITALS = 0.85  # share of its lines that begin with a capital
_MIN_VERSE_COMMAS = 0.15  # share of its lines that end with a comma or a like mark
_MAX_TEXT_SIZE = 1.1  # times the body size: larger type is a heading
_DROP_CAP = 1.8  # times the body size: drop caps are at least two lines high
_CAP_HEIGHT = 0.75  # times its size: how far lines beside a drop cap are above its baseline, at most
_STOPS = "[.!?…:。！？：।؟۔]"
_AFTER_STOP = r"['\"”’»›)\]）」』*†‡\d]*$"
_SENTENCE_LIKE_END = re.compile(rf"(?:{_STOPS}|[;；؛」』]){_AFTER_STOP}|[-—–*_]{{3,}}$")
_SENTENCE_END = re.compile(rf"(?:{_STOPS}|[」』]){_AFTER_STOP}")
_TAIL = 12  # characters examined at the end of a line: no more closing marks occur
_FIRST_WORD = re.compile(r"\s*[^\s\-—–‐/]+")
_AMOUNT = re.compile(r"[£$€¥]?\s?\d[\d.,:]*(?:\s?[£$€¥%]|[-–—]|\.–)?")  # at the end of a row: a price, a page
_SAME_ROW = 0.1  # times the leading: cells of a row differ by rounding
_COMPOUND = re.compile(r"\s*[^\s—–/]+")
_BULLET = re.compile(rf"[{BULLETS}–]\s")
_SPEAKER = re.compile(r"(?:([QA])([.:])?|[A-Z][A-Z.'’ -]+:)(?:\s|\Z)")
"""What begins a speech of a transcript: a question, an answer, or a name."""
_MIN_SPEECHES = 3  # fewest questions and fewest answers of a transcript
_MIN_SPEECH_SHARE = 0.05  # smallest share of a transcript's lines that begin a question, or an answer
_MIN_CASELESS = 0.25  # share of a line's letters without capitals: between them may be Latin names
_HALF_WIDTH = re.compile(r"[\x20-\x7e]")


@dataclass(slots=True)
class Paragraph:
    """Lines that form one paragraph, with its margins and kind."""

    lines: list[Line]
    right: float  # the right edge of its last line if that were full
    left: float  # the left margin of the column with its last line
    kind: BlockKind = BlockKind.PARAGRAPH
    is_indented: bool = False  # whether its first line is indented
    break_before: bool = False  # True if the author set a break before it


def paragraphs_of(
    columns: Sequence[Column], typography: Typography, vocabulary: Vocabulary
) -> list[Paragraph]:
    """Return the paragraphs in reading order; successive lines of verse are one paragraph."""
    if _is_all_verse(columns, typography):
        return _stanzas_of(columns, typography)
    paragraphs: list[Paragraph] = []
    is_transcript = _is_transcript(columns)
    for column in columns:
        lines, initial_ids = with_drop_caps(column.lines, typography.body_size, vocabulary)
        edges = _right_edges(lines, column, typography)
        for i, line in enumerate(lines):
            if not paragraphs or id(line) in initial_ids:
                begins = True
            elif i == 0:
                begins = not _continues_paragraph(paragraphs[-1], line, edges[0], column, typography)
            else:
                above, right_above = lines[i - 1], edges[i - 1]
                at = _LineBreak(above, line, right_above, edges[i], column, typography)
                begins = _begins_paragraph(at)
            is_indented = line.x0 - column.left > _INDENT * typography.body_size
            if paragraphs and begins and id(line) not in initial_ids and not is_indented:
                begins = not _goes_on(paragraphs[-1], line, is_transcript, typography)
            elif is_transcript and (speaker := _SPEAKER.match(line.text)):
                begins = begins or speaker[1] is None or speaker[2] is not None  # no "A" of a sentence
            if begins:
                paragraphs.append(Paragraph([line], edges[i], column.left, _kind(line), is_indented))
            else:
                paragraphs[-1].lines.append(line)
                # The margins are those of its last line, which may be in another column.
                paragraphs[-1].right, paragraphs[-1].left = edges[i], column.left
    return _join_verses(paragraphs, typography)


def _is_transcript(columns: Iterable[Column]) -> bool:
    """Return whether many lines begin with the Q. of a question or the A. of an answer."""
    starts = [_SPEAKER.match(line.text) for column in columns for line in column.lines]
    labels = Counter(match[1] for match in starts if match and match[1])
    return min(labels["Q"], labels["A"]) >= max(_MIN_SPEECHES, _MIN_SPEECH_SHARE * len(starts))


def _is_all_verse(columns: Sequence[Column], typography: Typography) -> bool:
    """Return whether a book is verse throughout."""
    # Almost all lines in its usual type begin with a capital, and many end with a comma: those of prose begin
    # anywhere, those of slides end in nothing.
    texts = [
        line.text.strip()
        for column in columns
        for line in column.lines
        if abs(line.size - typography.body_size) <= _OTHER_SIZE * line.size
    ]
    n_capitals = sum(next(filter(str.isalpha, text), "").isupper() for text in texts)
    n_commas = sum(text.endswith((",", ";", ":", "—")) for text in texts)
    return (
        len(texts) >= _MIN_VERSE_LINES
        and n_capitals >= _MIN_VERSE_CAPITALS * len(texts)
        and n_commas >= _MIN_VERSE_COMMAS * len(texts)
    )


def _stanzas_of(columns: Sequence[Column], typography: Typography) -> list[Paragraph]:
    """Return the stanzas of a book of verse, between gaps, and its headings; single lines are paragraphs."""
    stanzas: list[Paragraph] = []
    for column in columns:
        above: Line | None = None
        for line in column.lines:
            last = stanzas[-1].lines[-1] if stanzas else None
            is_same_type = last and last.size == line.size and last.bold == line.bold
            if above is None:
                is_close = last is not None and not ends_sentence(last)
            else:
                is_close = (above.y - line.y) / typography.leading(line.size) <= _GAP
            if is_close and is_same_type:
                stanzas[-1].lines.append(line)
                stanzas[-1].kind = BlockKind.VERSE
            else:
                stanzas.append(Paragraph([line], column.right, column.left, _kind(line)))
            above = line
    return [
        replace(stanza, kind=BlockKind.PARAGRAPH)
        if stanza.lines[0].size > _MAX_TEXT_SIZE * typography.body_size
        else stanza
        for stanza in stanzas
    ]


def _kind(line: Line) -> BlockKind:
    return BlockKind.LIST_ITEM if _BULLET.match(line.text) else BlockKind.PARAGRAPH


@dataclass(frozen=True)
class _LineBreak:
    """The break between two lines of a column: what the rules ask about it."""

    above: Line
    line: Line
    right_above: float  # the right edge of the line above, as `_right_edges` returns it
    right: float  # that of the line; in an indented quotation, both are left of the column's
    column: Column
    typography: Typography

    @cached_property
    def distance(self) -> float:
        """From baseline to baseline, in lines."""
        return (self.above.y - self.line.y) / self.typography.leading(self.line.size)

    @cached_property
    def begins_small(self) -> bool:
        return self.line.text[:1].islower()

    @cached_property
    def above_is_short(self) -> bool:
        return _ends_short(self.above, self.line, self.right_above)

    @cached_property
    def above_ends_sentence(self) -> bool:
        return ends_sentence(self.above)

    @property
    def continues_sentence(self) -> bool:
        return self.begins_small and not self.above_ends_sentence

    @property
    def min_indent(self) -> float:
        return _INDENT * self.typography.body_size

    @cached_property
    def is_indented(self) -> bool:
        return self.line.x0 - self.column.left > self.min_indent

    @property
    def is_new_indent(self) -> bool:
        return self.is_indented and self.above.x0 - self.column.left < self.min_indent

    @property
    def keeps_indent(self) -> bool:
        return self.is_indented and _have_same_edge(self.above, self.line)


class _Rule(NamedTuple):
    """One reason why a line begins a paragraph or goes on with one."""

    name: str
    begins: bool
    applies: Callable[[_LineBreak], object]


_RULES = (
    _Rule("another size or pitch", True, lambda at: (
        abs(at.line.size - at.above.size) > _OTHER_SIZE * at.above.size or at.line.fixed is not at.above.fixed
    )),
    _Rule("a word goes on after its hyphen", False, lambda at: (
        at.begins_small and at.above.text.endswith(HYPHENS)
    )),
    _Rule("the last cell of the row", False, lambda at: (
        at.above.x1 < at.line.x0 and abs(at.distance) < _SAME_ROW and _AMOUNT.fullmatch(at.line.text)
    )),
    _Rule("the first cell of the next row", True, lambda at: (
        at.above.x0 > at.line.x1 and not at.begins_small and _AMOUNT.fullmatch(at.above.text)
    )),
    _Rule("the sentence goes on below a full line", False, lambda at: (
        at.continues_sentence and not at.above_is_short and at.distance < _GAP_IN_SENTENCE
    )),
    _Rule("a wide gap", True, lambda at: at.distance > _WIDE_GAP),
    _Rule("a gap after an end", True, lambda at: (
        at.distance > _GAP and (at.above_is_short or at.above_ends_sentence)
    )),
    _Rule("a bullet", True, lambda at: _BULLET.match(at.line.text)),
    _Rule("the next line of a heading, centred or ragged", False, lambda at: (
        at.line.size > _MAX_TEXT_SIZE * at.typography.body_size
        and abs(at.distance) < _GAP
        and not (at.above_is_short and at.above_ends_sentence and at.is_new_indent)
    )),
    _Rule("back at the margin after a quotation", True, lambda at: (
        at.right_above < at.column.right and at.above.x0 - at.line.x0 > at.min_indent
    )),
    _Rule("beside the number of its paragraph", False, lambda at: (
        at.is_indented
        and not at.above_is_short
        and at.line.x0 - at.above.x0 > _INDENT * at.line.size
        and _LABEL.match(at.above.text)
    )),
    _Rule("a quotation goes on below a full line", False, lambda at: (
        at.keeps_indent and at.right != at.column.right and not at.above_is_short
    )),
    _Rule("an indent", True, lambda at: at.is_indented and not (at.keeps_indent and at.continues_sentence)),
    _Rule("a short line above", True, lambda at: at.above_is_short and not at.continues_sentence),
)  # fmt: skip
"""The first that applies decides; without any, the line goes on with the paragraph."""


def _begins_paragraph(at: _LineBreak) -> bool:
    """Return whether a line begins a paragraph, given the line above it in the same column."""
    return next((rule.begins for rule in _RULES if rule.applies(at)), False)


def _continues_paragraph(
    paragraph: Paragraph, line: Line, right: float, column: Column, typography: Typography
) -> bool:
    """Return whether a column's first line continues the last paragraph of the previous column."""
    # The rules are ordered: the first that applies decides. Gaps cannot be measured across columns.
    # `right`: the right edge of the line, as `_right_edges` returns it.
    above = paragraph.lines[-1]
    is_other_type = abs(line.size - above.size) > _OTHER_SIZE * above.size or line.fixed is not above.fixed
    if is_other_type:
        return False  # a heading, or text in a size of its own, such as a note
    if above.text.endswith(HYPHENS):
        return True
    above_ends_sentence = ends_sentence(above)
    continues_sentence = line.text[:1].islower() and not above_ends_sentence
    if line.size > _MAX_TEXT_SIZE * typography.body_size and not continues_sentence:
        return False  # a heading
    if line.bold and not above.bold and not line.text[:1].islower():
        return False  # a heading in the size of the text
    if _BULLET.match(line.text) and (above_ends_sentence or not line.text.startswith("–")):
        return False  # a list item; in mid-sentence, `–` is a dash
    if above_ends_sentence and names_division(line.text.strip()):
        return False
    indent, indent_above = line.x0 - column.left, above.x0 - paragraph.left
    is_indented = indent > _INDENT * typography.body_size
    if is_indented and abs(indent - indent_above) > _SAME_EDGE * line.size:
        return False  # the indent of a first line, or a quotation that begins here
    above_is_short = _ends_short(above, line, paragraph.right)
    is_in_quotation = right < column.right
    if is_indented and not is_in_quotation and (above_is_short or above_ends_sentence):
        return False  # the indent of a first line, after a paragraph of one line with the same indent
    # At the margin, a full line is taken to go on, even if a sentence ends there.
    return not above_is_short or continues_sentence


def _goes_on(paragraph: Paragraph, line: Line, is_transcript: bool, typography: Typography) -> bool:
    """Return whether a line at the margin goes on with a paragraph, though the line above may look short."""
    # In a transcript, it goes on with a speech. In a script without capitals, it goes on with a sentence if
    # the paragraph began with an indent, as this line does not, and the line above fills half of the column.
    above = paragraph.lines[-1]
    gap = above.y - line.y if above.page == line.page else 0.0
    is_same_type = (above.size, above.bold, paragraph.kind) == (line.size, line.bold, _kind(line))
    if not is_same_type or gap > _GAP * typography.leading(line.size):
        return False
    if is_transcript and _SPEAKER.match(paragraph.lines[0].text):
        return not (_SPEAKER.match(line.text) or line.text.startswith("(") or line.text.isupper())
    is_half_full = 2 * (above.x1 - paragraph.left) >= paragraph.right - paragraph.left
    if not paragraph.is_indented or not is_half_full or ends_sentence(above) or _LABEL.match(line.text):
        return False
    letters = [*filter(str.isalpha, line.text)]
    return sum(letter.lower() == letter.upper() for letter in letters) > _MIN_CASELESS * len(letters)


def ends_sentence(line: Line) -> bool:
    """Return whether a line ends with a stop, a semicolon or a dash."""
    return bool(_SENTENCE_LIKE_END.search(line.text.rstrip()[-_TAIL:]))


def _ends_short(above: Line, line: Line, right: float) -> bool:
    """Return whether the line above is short: up to its right edge, it had room for the line's first word."""
    room, width = right - above.x1, line.character_width
    n_extra = 2  # a space, and a letter in case the word's letters are wide
    if UNSPACED.match(line.text) and not ends_sentence(above):
        # A stop may hang beyond the edge, and figures are half as wide as letters.
        room -= (1 + len(_HALF_WIDTH.findall(above.text)) / 2) * line.size
    if room <= (1 + n_extra) * width:  # the usual case: no word would have fitted
        return False
    # A compound may be broken at its hyphen, but need not be.
    match = (_FIRST_WORD if ends_sentence(above) else _COMPOUND).match(line.text)
    # Chinese and Japanese lines are broken after any character.
    n_letters = len(match.group()) if match and not UNSPACED.match(line.text) else 1
    return room > (n_letters + n_extra) * width


def _have_same_edge(above: Line, line: Line) -> bool:
    return abs(line.x0 - above.x0) < _SAME_EDGE * line.size


def _right_edges(lines: Sequence[Line], column: Column, typography: Typography) -> list[float]:
    """Return how far to the right each line would reach if it were full: to the column's right edge."""
    # The lines of an indented quotation reach to the quotation's own edge. This edge is always left of the
    # column's, by which callers recognise a quotation.
    edges: list[float] = []
    # Groups of lines with one left edge, in one size.
    for group in group_runs(lines, lambda g, line: _have_same_edge(g[0], line) and line.size == g[0].size):
        edge = column.right
        is_indented = group[0].x0 - column.left > _INDENT * typography.body_size
        if is_indented and _is_quotation(group, typography.body_size):
            edge = min(max(line.x1 for line in group), column.right - _QUOTATION_INSET)
        edges += [edge] * len(group)
    return edges


def _is_quotation(lines: Sequence[Line], body_size: float) -> bool:
    """Return whether indented lines are a quotation: enough lines, most of which reach one right edge."""
    # The last line may end anywhere.
    if len(lines) < _MIN_QUOTATION_LINES:
        return False
    widest = max(line.x1 for line in lines)
    n_full = sum(1 for line in lines[:-1] if widest - line.x1 < _SAME_RIGHT_EDGE * body_size)
    return n_full >= _MIN_FULL_LINES * (len(lines) - 1)


def with_drop_caps(
    lines: Sequence[Line], body_size: float, vocabulary: Vocabulary
) -> tuple[list[Line], frozenset[int]]:
    """Return the lines of a column with each drop cap joined to the line it begins.

    The other lines next to a drop cap are moved to the margin: they must not look indented.

    Returns:
        The lines, and the `id` of each line that begins with a drop cap.
    """
    result = list(lines)
    initial_ids: set[int] = set()
    caps = [line for line in lines if _is_drop_cap(line, body_size)]
    # From right to left and upwards: the letter next to the word is joined first.
    for cap in sorted(caps, key=lambda line: (-line.x0, line.y)):
        beside = [
            line
            for line in result
            if not _is_drop_cap(line, body_size) and _is_next_to_cap(line, cap, body_size)
        ]
        if not beside:
            continue
        first = max(beside, key=lambda line: line.y)
        result.remove(cap)
        # The first line is full, as the paragraph goes on next to the cap: it reaches as far as the widest.
        right = max(line.x1 for line in beside)
        for line in beside:
            if line is first:
                moved = _join_initial(cap, line, vocabulary)._replace(x1=right)
            else:
                moved = line._replace(x0=cap.x0)
            result[result.index(line)] = moved
            # With two drop caps, as in "Dr", the line that the first one began is replaced.
            initial_ids.discard(id(line))
            if line is first:
                initial_ids.add(id(moved))
        result.sort(key=lambda line: -line.y)
    return result, frozenset(initial_ids)


def _is_drop_cap(line: Line, body_size: float) -> bool:
    return line.size > _DROP_CAP * body_size and len(line.text) <= 2


def _is_next_to_cap(line: Line, cap: Line, body_size: float) -> bool:
    """Return whether a line is directly to the right of a drop cap, at its height."""
    return (
        cap.y - body_size / 2 <= line.y <= cap.y + _CAP_HEIGHT * cap.size
        and cap.x0 - body_size / 2 <= line.x0 < cap.x1 + 2 * body_size
        and line.size < cap.size
    )


def _join_initial(cap: Line, line: Line, vocabulary: Vocabulary) -> Line:
    """Return the line with its drop cap, from the left edge of the drop cap on."""
    head = vocabulary.end_initial(cap.text, line.text)
    marks = tuple(mark.moved(len(head)) for mark in line.marks)
    return line._replace(text=head + line.text, x0=cap.x0, marks=marks)


def _join_verses(paragraphs: list[Paragraph], typography: Typography) -> list[Paragraph]:
    """Return the paragraphs, with successive lines of verse (or of an address) joined into stanzas."""
    # Each line of verse is short, and so was taken for a paragraph.
    groups = group_runs(paragraphs, lambda group, below: _are_one_stanza(group[-1], below, typography))
    return [paragraph for group in groups for paragraph in _to_stanza(group)]


def _are_one_stanza(above: Paragraph, below: Paragraph, typography: Typography) -> bool:
    """Return whether two paragraphs may be successive lines of a stanza: single lines of the same type."""
    line, following = above.lines[-1], below.lines[0]
    distance = (line.y - following.y) / typography.leading(line.size)
    return (
        len(above.lines) == len(below.lines) == 1
        and line.size == following.size <= _MAX_TEXT_SIZE * typography.body_size
        and line.page == following.page
        and _MIN_VERSE_LEADING < distance <= _GAP
        and line.bold == following.bold
        and above.kind == below.kind == BlockKind.PARAGRAPH
    )


def _to_stanza(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Return single-line paragraphs joined into one stanza if most, except the last, end in mid-sentence."""
    # Otherwise, return them as they are, unless they are Chinese verse.
    texts = [paragraph.lines[-1].text.rstrip() for paragraph in paragraphs]
    n_sentence_ends = sum(1 for text in texts[:-1] if _SENTENCE_END.search(text[-_TAIL:]))
    # A Chinese couplet in one line has a comma in its middle, and ends a sentence.
    is_metric = len(set(map(len, texts))) == 1 and all(
        text[: len(text) // 2].endswith("，") for text in texts
    )
    if not texts[1:] or (n_sentence_ends >= len(texts[1:]) / 2 and not is_metric):
        return paragraphs
    lines = [line for paragraph in paragraphs for line in paragraph.lines]
    last = paragraphs[-1]
    return [
        Paragraph(
            lines,
            right=last.right,
            left=last.left,
            kind=BlockKind.VERSE,
            break_before=paragraphs[0].break_before,
        )
    ]
