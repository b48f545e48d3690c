"""Cuts the text of a page, as PDFium holds it, into lines with positions and sizes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from statistics import median, mode
from typing import NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.characters import FILLER, Characters
from alexandria.extract.pdf.columns import Box, Boxes, gutters_of, is_broken, is_gap
from alexandria.extract.pdf.lines import DEPTH, HEIGHT, OVERHANG, Line, Mark
from alexandria.extract.pdf.signs import BRAHMIC, with_signs_in_place
from alexandria.extract.pdf.vertical import glyphs_of, is_vertical, vertical_lines

# PDFium replaces a hyphen (U+002D) at a line end by U+FFFE, and then leaves out the line break.
LINE = re.compile("[^\\s\ufffe](?:[^\r\n\ufffe]*\\S)?")  # a line with text, without white space at its ends
_LETTER = re.compile(r"[^\W\d_]")
_ALNUM = re.compile(r"\w")
# May cite a note if its end is raised: a number or a reference sign. It passes over most letters at once.
_MARK = re.compile(r"(?![a-z ])(?:\d+|([*∗†‡§¶‖])\1{0,2}|\|\||[¹²³⁰⁴-⁹]+|[①-⑳])|(?<=\()[a-z](?=\))")
_MAY_HAVE_MARK = re.compile(r"[\d*∗†‡§¶‖|¹²³⁰⁴-⁹①-⑳(]")  # a set without alternatives is found much faster
_WORD_END = re.compile(r"[^\W\d_]|[.,;:!?”’\"')]")
_OPERATORS = "+-−–=/·×∗"
_CIRCLED = {chr(ord("①") + i): str(i + 1) for i in range(20)}  # as Chinese and Japanese cite notes
_SUPERSCRIPTS = str.maketrans({**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)), **_CIRCLED})
_MAX_DIGITS = 3  # most characters of a mark: no chapter has a thousand notes
SMALL = 0.85  # times the line's size: marks are at 50–80 %, old-style figures and small caps at 90 %
_RAISED = 0.1  # times the line's size: marks are raised by a third of it, subscripts are lowered
_MIN_BOLD_WEIGHT = 600  # weight of a font from which on it is bold: semi-bold in CSS and OpenType
_BOLD_NAME = re.compile(rb"bold|cmbx|sfbx|cmssbx|-medi\b|black|heavy|demi", re.IGNORECASE)
_FIXED_NAME = re.compile(
    rb"courier|mono|consol|typewriter|cmtt|sftt|menlo|inconsolata|lettergoth|fixed|sourcecode|nimbusmon",
    re.IGNORECASE,
)  # few fonts of fixed pitch say that they are; their names do
_MIN_PITCH, _MAX_PITCH = 0.49, 0.65  # times the size: the width of a character of such fonts
_MAX_HEADING = 80  # fewer characters than these are in a line that may be a heading
_APART = re.compile(r"(?:[^\W\d_] ){3,}(?:\w ?)*[.:]?")  # letters set apart, which PDFium takes for words
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_]) (?=[^\W\d_])(?=[^A-Z])")  # a space that may be inside a word
_TRIED_PAGES, _N_TRIED = 4, 40  # pages of which one is tried, and its spaces measured, below the top
_MAX_FALSE_SPACE = 0.05  # times the size: no space between words is narrower
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_]) (?=[^\W\d_])")
_LETTERS_FROM_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
RIGHT_TO_LEFT = re.compile(f"[{_LETTERS_FROM_RIGHT}]")
_WORD_FROM_RIGHT = re.compile(f"[{_LETTERS_FROM_RIGHT}]{{2,}}")
_PHRASE_FROM_RIGHT = re.compile(f"[{_LETTERS_FROM_RIGHT}]+(?: [{_LETTERS_FROM_RIGHT}]+)+")
_WITH_POINTS = re.compile(r".[\u0591-\u05c7\u064b-\u065f\u0670]*")  # a letter with its points
_LATIN_PHRASE = re.compile(r"(?:[(\[]\d{3}[\d–-]*[)\]]\S* )?[A-Za-z]\S*(?: [A-Za-z]\S*)*")
"""Words, and the year in brackets that is drawn after them."""
MIRROR_IMAGES = str.maketrans("([{«)]}»", ")]}»([{«")
_BRACKET_BETWEEN = re.compile(
    rf"(?<=[{_LETTERS_FROM_RIGHT}])[()\[\]{{}}«»] (?=[A-Za-z])"
    rf"|(?<=[A-Za-z]) [()\[\]{{}}«»](?=[{_LETTERS_FROM_RIGHT}])"
)  # a bracket beside a word from right to left, and a space beside one from left to right
_MAX_TOUCH = 0.1  # times the size: a bracket is closer to what it encloses, and a space is wider
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f]")
_NAMELESS = re.compile(r"(?<=[^\W\d_]{2})[\0-\x08\x0e-\x1f]|[\0-\x08\x0e-\x1f](?=[^\W\d_]{2})")
"""The number of a glyph in place of its letter, beside two other letters."""
_MAX_ASKED = 400  # the characters of a page, at most, that are asked for their letter, which takes long
_LINE_NUMBER = re.compile(r"\d{1,2}(?!\S)")
_MIN_NUMBERED = 7  # fewest steps from number to number on a page of numbered lines; lists have fewer
_N_SPACES = 5  # spaces of a page that are measured
_TIGHT = 0.22  # times the size: PDFium overlooks some of the spaces that are narrower, between narrow letters
_MIN_WORD_GAP = 0.09  # times the size: kerning is narrower, the distance between words is wider
_MIN_APART_GAP = 1.8  # times the distance of letters set apart: that of words is wider
_MAX_INDENT = 3  # times the height of type: how far a line beside a side note may be indented
_STOPS = (".", ",", ";", "-", "\ufffe")
_MIN_SIZE = 2.0  # smallest real size in points: Type 3 fonts hold it in their glyph matrix instead

_Span = tuple[int, int, Boxes]  # start and end of a line in the page's text, boxes of its runs of type


class _Cuts(NamedTuple):
    """Where lines that PDFium took for one are cut."""

    gutters: frozenset[int] = frozenset()  # the x at which columns of the page begin
    usual_left: float = 0  # the x at which most lines begin


class _TypedLine(NamedTuple):
    """A line in which marks are searched for."""

    text: str
    start: int  # its offset in the page's text
    size: float
    baseline: float


@dataclass(frozen=True, slots=True)
class TextPage:
    """The text of one page, and the positions and sizes of its characters.

    PDFium numbers the characters of a page; an offset in its text is a different number if glyphs map to no
    character. `character` converts offsets into numbers.
    """

    index: int
    characters: Characters
    text: str
    one_to_one: bool  # whether the number of each character is also its offset in the text
    turn: int  # by how many quarter turns anticlockwise its type is turned
    is_vertical: bool  # whether the type runs down the page; columns are read as lines of a turned page
    is_right_to_left: bool  # whether it has words from right to left, some of them in the order of drawing
    is_tight: bool = False  # whether words are set so close that PDFium overlooks spaces
    numbers: Sequence[int] = ()  # PDFium's number of each character, if signs were put after their letters

    def loses_letters(self) -> bool:
        """Return whether a glyph in a word has no text, since its font does not name it."""
        if self.one_to_one and not _CONTROL.search(self.text):  # the usual case
            return False
        # Elsewhere, each character is asked for: a font without names loses letters wherever it is used.
        characters, handle = self.characters, self.characters.handle
        numbers = () if self.one_to_one else range(min(characters.count, _MAX_ASKED))
        text = "".join([chr(raw.FPDFText_GetUnicode(handle, i)) for i in numbers]) or self.text
        nameless = [match.start() for match in _NAMELESS.finditer(text)]
        boxes = ((i, *characters.page.get_charbox(i)) for i in nameless)  # left, bottom, right, top
        # PDFium also writes hyphens at line ends as such characters; the box of a blank has no height.
        return any(
            top > low + 1 and (text[i] == "\0" or raw.FPDFText_HasUnicodeMapError(handle, i))
            for i, _, low, _, top in boxes
        )

    def has_narrow_spaces(self) -> bool:
        """Return whether the page has no spaces of its own, and narrow distances where PDFium adds them."""
        gaps = []
        for space in islice(_BETWEEN_WORDS.finditer(self.text, len(self.text) // 4), _N_SPACES):
            if not raw.FPDFText_IsGenerated(self.characters.handle, self.character(space.start())):
                return False
            size, _ = self.size_and_baseline_at(self.character(space.start() - 1))
            gaps.append(self.gaps_before([space.start() - 1, space.end()])[1] / max(size, _MIN_SIZE))
        return len(gaps) == _N_SPACES and median(gaps) < _TIGHT

    def without_false_spaces(self, *, measures_all: bool) -> "TextPage":
        """Return the page without spaces that take no room on it, inside words; itself if there are none.

        Unless all are to be measured, some are on every fourth page, and all only if one takes no room.
        """
        if not self.one_to_one or self.turn or not (measures_all or self.index % _TRIED_PAGES == 0):
            return self
        tried = islice(_BETWEEN_LETTERS.finditer(self.text, len(self.text) // 3), _N_TRIED)
        if not (measures_all or any(self.has_no_room(match.start()) for match in tried)):
            return self
        spaces = [match.start() for match in _BETWEEN_LETTERS.finditer(self.text)]
        dropped = {at for at in spaces if self.has_no_room(at)}
        text = "".join(FILLER if i in dropped else letter for i, letter in enumerate(self.text))
        return replace(self, text=text)

    def has_no_room(self, space: int) -> bool:
        """Return whether the letter after a space is drawn back over it, in the same piece of text."""
        _, before, after = self.gaps_before([space - 1, space, space + 1])
        limit = _MAX_FALSE_SPACE * self.size_and_baseline_at(space - 1)[0]
        if after > -2 * limit or max(abs(before), abs(self.gaps_before([space - 1, space + 1])[1])) > limit:
            return False
        return self.characters.piece_of(space - 1) == self.characters.piece_of(space + 1)

    def in_reading_order(self, text: str, line_start: int) -> str:
        """Return a line of text from right to left with its letters and words in the order of reading.

        PDFium gives a word in the order of drawing if its letters are drawn one by one, and the words of a
        Latin phrase, or of a phrase from right to left in a Latin line, in reverse. The positions of the
        letters on the page show both.
        """

        def left_and_piece(at: int) -> tuple[float, int | None]:
            """Return the left edge of a letter of the line, and the piece of the page that it is part of."""
            number = self.character(line_start + at)
            return self.characters.left_of(number), self.characters.piece_of(number)

        def read_word(match: re.Match[str]) -> str:
            """Return a word from right to left as it is read: reversed if it is drawn letter by letter."""
            first_left, first_piece = left_and_piece(match.start())
            last_left, last_piece = left_and_piece(match.end() - 1)
            is_as_drawn = first_left < last_left and first_piece != last_piece
            return "".join(reversed(_WITH_POINTS.findall(match[0]))) if is_as_drawn else match[0]

        def read_phrase(match: re.Match[str]) -> str:
            goes_left = left_and_piece(match.start())[0] > left_and_piece(match.end() - 1)[0]
            is_from_right = RIGHT_TO_LEFT.match(match[0]) is not None
            return match[0] if goes_left is is_from_right else " ".join(reversed(match[0].split(" ")))

        is_latin = 2 * len(RIGHT_TO_LEFT.findall(text)) < sum(map(str.isalpha, text))
        in_order = _LATIN_PHRASE.sub(read_phrase, _WORD_FROM_RIGHT.sub(read_word, text))
        if is_latin:
            in_order = _PHRASE_FROM_RIGHT.sub(read_phrase, in_order)
        for match in _BRACKET_BETWEEN.finditer(text):
            bracket, word = match.span()
            if match[0].startswith(" "):
                bracket, word = word - 1, text.rfind(" ", 0, bracket) + 1
            size, _ = self.size_and_baseline_at(self.character(line_start + word))
            # PDFium takes it for a part of the word from right to left, and mirrors it.
            if abs(self.gaps_before([line_start + bracket, line_start + word])[1]) < _MAX_TOUCH * size:
                image = match[0].translate(MIRROR_IMAGES)[::-1]
                in_order = in_order[: match.start()] + image + in_order[match.end() :]
        return in_order

    def gaps_before(self, offsets: Iterable[int]) -> list[float]:
        """Return the distance of each of these characters from the one before it; 0 for the first."""
        return self.characters.gaps_before(map(self.character, offsets))

    def divided(self, text: str, line_start: int, size: float) -> str:
        """Return a line whose words are set close, or whose letters are set apart, divided at its gaps."""
        glyphs = [(line_start + i, glyph) for i, glyph in enumerate(text) if glyph != " "]
        gaps = self.gaps_before(offset for offset, _ in glyphs)
        usual = median(gaps)
        if usual > size:  # a row of a table
            return text
        limit = max(_MIN_WORD_GAP * size, _MIN_APART_GAP * usual)
        return "".join(" " * (gap > limit) + glyph for gap, (_, glyph) in zip(gaps, glyphs, strict=True))

    def turn_back(self, box: Box) -> Box:
        """Return a box on the page after it is turned back by `turn` quarters, which makes its text level.

        The page is turned clockwise about its origin: coordinates may become negative.
        """
        left, bottom, right, top = box
        match self.turn:
            case 1:
                return bottom, -right, top, -left
            case 2:
                return -right, -top, -left, -bottom
            case 3:
                return -top, left, -bottom, right
        return box

    def lines(self, page_box: Box) -> Iterator[Line]:
        """Yield the lines in the order in which they are drawn, and close the text page.

        They are cut where they go on beyond the edges of the visible page, after a gap.
        """
        if self.is_vertical:
            yield from vertical_lines([*glyphs_of(self.characters.handle, self.text)], self.index)
        else:
            bold_above = False
            for span in self.spans(page_box):
                line, bold_above = self.line(span, bold_above=bold_above)
                yield line
        self.characters.page.close()

    def spans(self, page_box: Box) -> Iterator[_Span]:
        """Yield the spans of the lines, of which some are parts of what PDFium took for one line."""
        ends = [match.span() for match in LINE.finditer(self.text)]
        spans = [(start, end, boxes) for start, end in ends if (boxes := self.boxes(start, end - 1))]
        broken = {start: boxes for start, _, boxes in spans if is_broken(boxes)}
        cuts = _Cuts()
        if broken and not self.turn:  # a turned page is a table or a plate: its lines are not cut at gutters
            lines = [boxes for _, _, boxes in spans]
            gutters = gutters_of(broken.values(), lines, from_right=self.is_right_to_left)
            gutters |= {*self.gutters_after_numbers(spans), int(page_box[0]), int(page_box[2])}
            cuts = _Cuts(gutters, mode([round(boxes[0][0]) for boxes in lines]))
        for span in spans:
            if span[0] in broken:
                yield from self.split_span(span, cuts)
            else:  # the usual case
                yield span

    def gutters_after_numbers(self, spans: Iterable[_Span]) -> frozenset[int]:
        """Return the x at which the text begins, if numbers and gaps before it count the lines."""
        matches = [(_LINE_NUMBER.match(self.text, start, end), boxes) for start, end, boxes in spans]
        numbers = [int(match[0]) for match, _ in matches if match]
        n_steps = sum(after - before == 1 for before, after in pairwise(numbers))
        lefts = [boxes[1][0] for match, boxes in matches if match and boxes[1:] and is_gap(*boxes[:2])]
        counts_lines = lefts and n_steps >= max(_MIN_NUMBERED, len(matches) / 2)
        return frozenset([int(min(lefts))]) if counts_lines else frozenset()

    def span(self, start: int, end: int) -> _Span:
        """Return the span of a line, without white space at its ends."""
        text = self.text[start:end]
        text_start = end - len(text.lstrip())
        text_end = start + len(text.rstrip())
        return text_start, text_end, self.boxes(text_start, text_end - 1)

    def split_span(self, span: _Span, cuts: _Cuts) -> Iterator[_Span]:
        """Yield the parts of a span that PDFium took for one line: across columns, or before a long dash."""
        start, end, boxes = span
        for i in range(1, len(boxes)):
            before, after = boxes[i - 1], boxes[i]
            (_, bottom, right, _), (left_after, bottom_after, _, top_after) = before, after
            is_below = top_after < bottom
            if is_below and start < (next_start := self.offset_of_next_line(before, after)) < end:
                # Not `span`: the space that PDFium puts between the two lines stays at the end of the first.
                yield start, next_start, boxes[:i]
                yield from self.split_span(self.span(next_start, end), cuts)
                return
            if self.turn or not (cuts.gutters or right < cuts.usual_left) or not is_gap(before, after):
                continue
            # The gutter may be anywhere in the gap, since the right part may be indented; or slightly right
            # of it, since the first letter may overhang.
            edge = left_after + OVERHANG * (top_after - bottom_after)
            is_gutter = any(right < x <= edge for x in cuts.gutters)
            if is_gutter or self.is_side_note(before, after, cuts.usual_left):
                next_start = self.first_offset_in(after)
                if start < next_start < end:
                    yield self.span(start, next_start)
                    yield from self.split_span(self.span(next_start, end), cuts)
                    return
        if boxes:
            yield span

    def is_side_note(self, before: Box, after: Box, usual_left: float) -> bool:
        """Return whether a run is smaller type, left of a line that begins where most lines do."""
        (_, _, note_right, _), (text_left, bottom, _, top) = before, after
        if note_right >= usual_left or text_left - usual_left >= _MAX_INDENT * (top - bottom):
            return False
        note, text = self.first_offset_in(before), self.first_offset_in(after)
        if min(note, text) < 0 or not _LETTER.search(self.text, note, text):
            return False
        note_size, text_size = (self.size_and_baseline_at(self.character(at))[0] for at in (note, text))
        return note_size < SMALL * text_size

    def offset_of_next_line(self, before: Box, after: Box) -> int:
        """Return the offset of the run `after` if it begins the line below the run `before`; otherwise 0.

        PDFium compares the distance between the runs with the width of letters, and so overlooks the end of a
        line next to a glyph of two ems.
        """
        _, bottom, right, top = before
        # A new line begins to the left of the end of the last one, by more than the height of the type.
        is_further_left = after[0] < right - (top - bottom)
        if self.turn or not is_further_left:
            return 0
        above, below = self.first_offset_in(before), self.first_offset_in(after)
        if min(above, below) < 0:
            return 0
        size, baseline = self.size_and_baseline_at(self.character(above))
        _, baseline_below = self.size_and_baseline_at(self.character(below))
        # The limits of sums, the labels of arrows and the parts of signs are closer to each other than lines.
        return below if baseline - baseline_below >= size else 0

    def line(self, span: _Span, *, bold_above: bool) -> tuple[Line, bool]:
        """Return a line, and whether it is bold or, if it is no heading, the last one before it was."""
        start, end, boxes = span
        text = self.text[start:end]
        sample = self.typical_character(text, start, len(boxes) > 1)
        size, baseline = self.size_and_baseline_at(sample)
        if self.is_right_to_left:
            text = self.in_reading_order(text, start)
        typed = _TypedLine(text, start, size, baseline)
        marks = tuple(self.marks(typed)) if _MAY_HAVE_MARK.search(text) else ()
        if size < _MIN_SIZE:
            size = median([top - bottom for _, bottom, _, top in boxes])
        x0, bottom, x1, top = _union_of(boxes)
        pitch = (x1 - x0) / max(len(text) * size, 0.1)
        is_set_apart = text[1:2] == " " and _APART.fullmatch(text)
        if (self.is_tight or is_set_apart) and not marks and not self.turn:
            text = self.divided(text, start, size)
        if may_be_heading := len(text) < _MAX_HEADING:
            bold_above = self.is_bold(text, sample, bold_above)
        line = Line(
            text=text.replace("\ufffe", "-").replace(FILLER, "").replace(" \u00ad", "\u00ad"),
            page=self.index,
            x0=x0,
            x1=x1,
            y=baseline,
            size=_round_size(size),
            bold=may_be_heading and bold_above,
            marks=tuple(_without_fillers(mark, text) for mark in marks) if FILLER in text else marks,
            turn=self.turn,
            ink=_ink_of(bottom, top, baseline, size),
            fixed=_MIN_PITCH < pitch < _MAX_PITCH and _is_fixed_name(self.characters.font_name(sample)),
        )
        return line, bold_above

    def is_bold(self, text: str, character: int, bold_above: bool) -> bool:
        """Return whether a short line of text is bold, by the weight or the name of a character's font."""
        if raw.FPDFText_GetFontWeight(self.characters.handle, character) >= _MIN_BOLD_WEIGHT:
            return True
        # Names are slow, and asked for only where the line may be a heading, or continue one.
        may_be_heading = (bold_above or not text[0].islower()) and not text.endswith(_STOPS)
        return may_be_heading and _is_bold_name(self.characters.font_name(character))

    def typical_character(self, text: str, line_start: int, is_mixed: bool) -> int:
        """Return the number of a character in the size of the line.

        Args:
            line_start: its offset in the page's text.
            is_mixed: whether the line has several runs of type, which may differ in size.
        """
        # From the middle of the line: its first letter may be a drop cap or a small capital.
        middle = self.letter_at(text, line_start, 2)
        if not is_mixed:
            return middle
        later = self.letter_at(text, line_start, 3)
        size, later_size = self.size_and_baseline_at(middle)[0], self.size_and_baseline_at(later)[0]
        if size == later_size:
            return middle
        # The middle may be a raised letter, as in "2nd": of three letters, choose the one of median size.
        earlier = self.letter_at(text, line_start, 1)
        earlier_size = self.size_and_baseline_at(earlier)[0]
        _, (_, median_letter), _ = sorted([(size, middle), (later_size, later), (earlier_size, earlier)])
        return median_letter

    def letter_at(self, text: str, line_start: int, quarter: int) -> int:
        """Return the number of the first letter of the line after this many quarters of the line.

        If no letter follows, return the number of the line's first letter; if the line has no letters, of its
        first figure or, without figures, of its first character.
        """
        at = len(text) * quarter // 4
        if text[at : at + 1].isalpha():  # the usual case
            return self.character(line_start + at)
        sample = _LETTER.search(text, at) or _LETTER.search(text) or _ALNUM.search(text)
        return self.character(line_start + (sample.start() if sample else 0))

    def character(self, offset: int) -> int:
        """Return the number, as PDFium counts, of the character at an offset in the page's text."""
        if self.one_to_one:
            return offset
        if self.numbers:
            return self.numbers[offset]
        return self.characters.number_of(offset)

    def first_offset_in(self, box: Box) -> int:
        """Return the offset of the first character in a box of the page as drawn; below 0 if there is none.

        The reverse of `character`. A box that `turn_back` has turned is somewhere else for PDFium.
        """
        left, bottom, _, top = box
        height = top - bottom
        # A point a little inside the letter.
        number = self.characters.number_at(left + 0.05 * height, (bottom + top) / 2, height)
        if number < 0 or self.one_to_one:
            return number
        if self.numbers:
            return self.numbers.index(number) if number in self.numbers else -1
        return self.characters.offset_of(number)

    def boxes(self, first: int, last: int) -> Boxes:
        """Return the box of each run of type between two offsets, both included."""
        begin, end = self.character(first), self.character(last)
        if self.numbers:
            begin, end = min(self.numbers[first : last + 1]), max(self.numbers[first : last + 1])
        boxes = self.characters.boxes(begin, end - begin + 1)
        return [self.turn_back(box) for box in boxes] if self.turn else boxes

    def size_and_baseline_at(self, character: int) -> tuple[float, float]:
        """Return the size of a character's type in points, and its baseline."""
        size, x, y = self.characters.measure(character)
        return size, self.turn_back((x, y, x, y))[1] if self.turn else y

    def marks(self, line: _TypedLine) -> Iterator[Mark]:
        """Yield the marks of a line: raised numbers and signs, and numbers in brackets."""
        text = line.text
        for match in _MARK.finditer(text):
            label, (start, end) = match.group(), match.span()
            if ord(label[0]) in _SUPERSCRIPTS:
                yield Mark(start, end, label.translate(_SUPERSCRIPTS))
                continue
            raised_start, raised_end = self.raised_part(line, start, end)
            n_raised = raised_end - raised_start
            if 0 < n_raised <= _MAX_DIGITS:
                if not self.is_exponent(line, raised_start, raised_end):
                    yield self.raised_mark(line, raised_start, raised_end)
            elif not n_raised and _is_sign_after_word(text, start, end):
                has_bracket = text[end : end + 1] == ")"
                yield Mark(start, end + has_bracket, normalise_label(label))
            elif not n_raised and end - start <= _MAX_DIGITS and _is_in_brackets(text, start, end):
                label = f"{text[start - 1]}{normalise_label(label)}{text[end]}"
                yield Mark(start - 1, end + 1, label)

    def raised_part(self, line: _TypedLine, start: int, end: int) -> tuple[int, int]:
        """Return where the raised part of a number or sign starts and ends; nowhere if none of it is raised.

        Only the end may be raised: "1845" may be a year, or "184" and a mark. At the beginning of a line,
        only the start may be raised: "11845" may be the label of a note and the note's first word.
        """
        raised_start = end
        while raised_start > start and self.is_raised(line, raised_start - 1):
            raised_start -= 1
        if raised_start < end or start > 0:
            return raised_start, end
        raised_end = start
        while raised_end < end and self.is_raised(line, raised_end):
            raised_end += 1
        return start, raised_end

    def raised_mark(self, line: _TypedLine, start: int, end: int) -> Mark:
        """Return the raised mark from `start` to `end` in a line, with its brackets if they are raised."""
        label = normalise_label(line.text[start:end])
        if _is_in_brackets(line.text, start, end) and self.is_raised(line, start - 1):
            start, end = start - 1, end + 1
        return Mark(start, end, label)

    def is_exponent(self, line: _TypedLine, start: int, end: int) -> bool:
        """Return whether raised letters or operators are next to raised figures, as in the exponent n−1."""
        return any(
            (line.text[at].isalpha() or line.text[at] in _OPERATORS) and self.is_raised(line, at)
            for at in (start - 1, end)
            if 0 <= at < len(line.text)
        )

    def is_raised(self, line: _TypedLine, at: int) -> bool:
        """Return whether the character at this offset in a line is raised above the line, and smaller."""
        size, baseline = self.size_and_baseline_at(self.character(line.start + at))
        return size < SMALL * line.size and baseline - line.baseline > _RAISED * line.size


def read_text_page(page: pdfium.PdfPage, index: int) -> TextPage:
    """Return the text of a page, and how it is set; turned type is read as if the page were turned back."""
    characters = Characters(page)
    text = characters.text()
    is_one_to_one = len(text) == characters.count
    turn = _quarter_turns(characters, text, one_to_one=is_one_to_one)
    runs_down = is_one_to_one and not turn and is_vertical(characters.handle, text)
    is_brahmic = not text.isascii() and is_one_to_one and BRAHMIC.search(text) is not None
    text_page = TextPage(
        index,
        characters,
        text,
        one_to_one=is_one_to_one,
        turn=3 if runs_down else turn,
        is_vertical=runs_down,
        is_right_to_left=not text.isascii() and RIGHT_TO_LEFT.search(text) is not None,
    )
    is_tight = not text_page.turn and not is_brahmic and text_page.has_narrow_spaces()
    text_page = replace(text_page, is_tight=is_tight)
    if not (is_brahmic or text_page.is_right_to_left) or text_page.turn or not is_one_to_one:
        return text_page
    pieces = page.get_objects((raw.FPDF_PAGEOBJ_TEXT,), max_depth=2)
    boxes = sorted(piece.get_bounds() for piece in pieces)
    placed = with_signs_in_place(characters.handle, text, text_page.size_and_baseline_at, boxes)
    return replace(text_page, text=placed[0], numbers=placed[1], one_to_one=False) if placed else text_page


def _quarter_turns(characters: Characters, text: str, *, one_to_one: bool) -> int:
    """Return by how many quarter turns anticlockwise a text is turned, from three sample letters."""
    # Without a majority, the first of them decides; a page without letters is upright.
    turns = []
    for quarter in (1, 2, 3):
        if letter := _LETTER.search(text, len(text) * quarter // 4):
            number = letter.start() if one_to_one else characters.number_of(letter.start())
            across, up = characters.direction(number)
            if abs(up) > abs(across):
                turns.append(1 if up > 0 else 3)
            else:
                turns.append(2 if across < 0 else 0)
    return mode(turns) if turns else 0


def _is_sign_after_word(text: str, start: int, end: int) -> bool:
    """Return whether a reference sign ends a word, as typewriters set it: "log.* And", "log*) and"."""
    if text[start] not in "*∗†‡§¶‖" or not _WORD_END.match(text[max(0, start - 1) : start]):
        return False
    closing_bracket = "" if "(" in text[:start] else ")"  # one that opened before is closed by its own
    return (text[end : end + 1] or " ") in f" .,;:!?{closing_bracket}"


def _is_in_brackets(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] + text[end : end + 1] in ("[]", "()")


@lru_cache(maxsize=256)
def _is_bold_name(font: bytes) -> bool:
    return bool(_BOLD_NAME.search(font))


@lru_cache(maxsize=256)
def _is_fixed_name(font: bytes) -> bool:
    return bool(_FIXED_NAME.search(font))


@lru_cache(maxsize=1024)
def _round_size(size: float) -> float:
    """Return a size rounded to a tenth of a point; at least 0.1, since distances are divided by it."""
    return max(round(size, 1), 0.1)


def _union_of(boxes: Boxes) -> Box:
    """Return the smallest box around others."""
    if len(boxes) == 1:
        return boxes[0]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _ink_of(bottom: float, top: float, baseline: float, size: float) -> tuple[float, float] | None:
    """Return the `Line.ink` of type: bottom and top if its middle is not where letters are, or None."""
    is_usual = baseline - DEPTH * size <= (bottom + top) / 2 <= baseline + HEIGHT * size
    return None if is_usual or bottom >= top else (bottom, top)


def normalise_label(text: str) -> str:
    """Return a label in its usual characters: some fonts have "||" for ‖, and an operator for *."""
    return text.replace("∗", "*").replace("||", "‖")


def _without_fillers(mark: Mark, text: str) -> Mark:
    return mark.moved(-text.count(FILLER, 0, mark.start))
