"""Weighs the marks that may cite notes, reads the labels with which notes begin, and groups these notes.

A mark is a raised number or sign in a line, or a number in brackets; it is a citation if it follows a word.
A label is the number or sign that begins a note (`3.`, `[3]`, `*`); its mark reads the same. A sequence is a
list of notes whose labels count up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from alexandria.extract.notes.pairing import PlacedMark, PlacedNote, Rules, pair
from alexandria.extract.pdf.lines import Line, Mark

_CLOSING = " .,;:!?…'\"”’“‘»›«‹)]}*∗†‡—"  # characters that may be between a word and its mark
_STOPS = (".", ",", ";", ":", "!", "?", "…")  # characters that may precede a mark, but never an exponent
_FORMULA = re.compile(r"[=+<>≤≥×÷·∙^|\\∑∏∫√∞±−∂∇∈⊂⊆→]")
_CONTINUES_FORMULA = re.compile(r"\w|\s*[=+<>≤≥×÷·∙^∈⊂⊆→−]")  # what follows an exponent rather than a mark
_LETTERS = re.compile(r"[^\W\d_]+$")
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d$")
_NUMBER = re.compile(r"\d{2,}$")
_VOWEL = re.compile(r"[aeiouyäöüàáâèéêìíîòóôùúûæœåøαεηιουωаеёиоуыэюя]", re.IGNORECASE)
_FUNCTIONS = re.compile(
    r"(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|det|dim|ker|lim|max|min|mod", re.IGNORECASE
)
_MAX_UNIT = 3  # most letters of a unit or a product of variables: km², mc²
_IDEOGRAPHS = "\u2e80"  # the first character of the scripts in which one character may be a word
CERTAIN = 3  # weight of a mark after a word
DOUBTFUL = 2  # weight of a mark after what may be a word or a symbol
SYMBOL = 1  # weight of a mark after a symbol: the mark is probably an exponent
_LABEL = re.compile(
    r"\s*[\[(]?(\d{1,3}|(?<=\()[a-z](?=\))|(?:([*∗†‡§¶‖])\2{0,2}))[\])]?[.:]?(?=\s|[^\W\d_]|[“\"‘'«(\[])"
)
_WORDS = re.compile(r"[^\W\d_]{2}|[^\W\d_]\.|[\u2e80-\uffff]")
_BRACKETS = {"[": "[]", "(": "()"}
_SIGN_ORDER = "*†‡§¶‖"  # in the order of typesetters
_MAX_STEP = 3  # largest step between labels on a page: with more than 1, marks or notes were not recognised


@dataclass(frozen=True, slots=True, eq=False)  # by identity: to hash one would be to hash its whole line
class CitedMark:
    """A mark that may cite a note."""

    line_index: int  # index of its line in reading order
    line: Line
    mark: Mark
    weight: int


def read_citations(lines: Sequence[Line], max_note_size: float) -> Iterator[CitedMark]:
    """Yield the marks that may cite notes, each with a weight: how certainly it follows a word.

    Args:
        max_note_size: the largest size of notes. A mark at the beginning of a line follows the line above; in
            type of this size or smaller, such a mark is a note's own label, and is not yielded.
    """
    for line_index, line in enumerate(lines):
        above = lines[line_index - 1].text if line_index and line.size > max_note_size else ""
        for i, mark in enumerate(line.marks):
            if weight := _weigh_mark(line, i, above):
                yield CitedMark(line_index, line, mark, weight)


def _weigh_mark(line: Line, index: int, above: str) -> int:
    """Return the weight of a line's mark: how certainly it follows a word, or 0 if it follows nothing."""
    mark = line.marks[index]
    start = mark.start
    # In "word¹,²", the second mark follows the same word as the first one.
    for other in reversed(line.marks[:index]):
        if line.text[other.end : start].strip(" ,"):
            break
        start = other.start
    before = (line.text[:start] if start else above).rstrip()
    if not before.strip(_CLOSING):
        return 0
    if _CONTINUES_FORMULA.match(line.text, mark.end):
        return SYMBOL
    return CERTAIN if before.endswith(_STOPS) else _word_weight(before.rstrip(_CLOSING).rpartition(" ")[2])


def _word_weight(word: str) -> int:
    """Return the weight of a mark after this word: how certainly it is a word rather than a symbol."""
    if _FORMULA.search(word):
        return SYMBOL
    match = _LETTERS.search(word)
    if not match:
        if _YEAR.search(word):
            return CERTAIN
        return DOUBTFUL if _NUMBER.search(word) else SYMBOL
    letters = match.group()
    if letters[-1] >= _IDEOGRAPHS:
        return CERTAIN
    if len(letters) == 1:
        return DOUBTFUL if word == letters and _VOWEL.match(letters) else SYMBOL
    if _FUNCTIONS.fullmatch(letters):
        return SYMBOL
    return DOUBTFUL if len(letters) <= _MAX_UNIT and not _VOWEL.search(letters) else CERTAIN


@dataclass(frozen=True, slots=True)
class NoteStart:
    """A line that may be the first one of a note."""

    line_index: int  # index of the line in reading order
    stop: int  # index of the line before which the note must end
    label: str
    is_raised: bool
    brackets: str = ""  # `[]` or `()` if it is printed in them, not raised

    @property
    def printed(self) -> str:
        """The label as marks of it are printed: in brackets if it is in brackets itself."""
        return self.label.join(self.brackets) if self.brackets else self.label

    @property
    def number(self) -> int | None:
        """The label as a number, or None for a sign."""
        return int(self.label) if self.label.isdecimal() else None

    def follows(self, before: "NoteStart", max_step: int = 1) -> bool:
        """Return whether the label is one of the `max_step` next after that of another note."""
        return follows(self.label, before.label, max_step)


NotesByLine = dict[int, tuple[NoteStart, CitedMark | None]]
"""Notes by the indices of their first lines, each with the mark that cites it, or None if none was found."""


@dataclass(slots=True)
class NoteSequence:
    """Notes in order whose labels count up, each with the mark that cites it, or None if none was found."""

    notes: list[tuple[NoteStart, CitedMark | None]] = field(default_factory=list)

    @property
    def first_number(self) -> int | None:
        """The first number, or None for a sign."""
        return self.notes[0][0].number

    @property
    def last_number(self) -> int | None:
        """The last number, or None for a sign."""
        return self.notes[-1][0].number

    @property
    def n_cited(self) -> int:
        """How many of the notes are cited."""
        return sum(citation is not None for _, citation in self.notes)

    @property
    def weight(self) -> int:
        """The weight of the mark that most certainly follows a word."""
        return max((citation.weight for _, citation in self.notes if citation), default=0)

    @property
    def is_raised(self) -> bool:
        """True if its labels are raised."""
        return self.notes[0][0].is_raised

    @property
    def has_bracketed_marks(self) -> bool:
        """True if a mark in square brackets, which is not raised, cites one of its notes."""
        return any(citation and citation.mark.label.startswith("[") for _, citation in self.notes)

    @property
    def by_line(self) -> NotesByLine:
        """The notes by the indices of their first lines."""
        return {start.line_index: (start, citation) for start, citation in self.notes}


class Label(NamedTuple):
    """A label at the beginning of a line."""

    text: str  # without brackets
    end: int  # the offset after it


def read_label(line: Line) -> Label | None:
    """Return the label at the beginning of a line, raised or not; None without a label or words after it."""
    if begins_raised(line):
        label = Label(line.marks[0].label, line.marks[0].end)
    elif match := _LABEL.match(line.text):
        label = Label(match.group(1).replace("∗", "*"), match.end())
    else:
        return None
    return label if _WORDS.search(line.text, label.end) else None


def find_note_starts(lines: Sequence[Line], start: int, stop: int) -> list[NoteStart]:
    """Return the lines from `start` to `stop` that begin with a label; if any label is raised, only those."""
    starts = [
        NoteStart(
            line_index,
            stop,
            label.text,
            is_raised=begins_raised(lines[line_index]),
            brackets=_BRACKETS.get(lines[line_index].text.lstrip()[0], ""),
        )
        for line_index in range(start, stop)
        if (label := read_label(lines[line_index]))
    ]
    raised = [start for start in starts if start.is_raised]
    return raised or starts


def begins_raised(line: Line) -> bool:
    """Return whether a line begins with a raised label."""
    return bool(line.marks) and line.marks[0].start == 0 and line.marks[0].is_raised


def find_citations(
    starts: Sequence[NoteStart], citations: Sequence[CitedMark], rules: Rules
) -> dict[NoteStart, CitedMark]:
    """Return the mark that cites each of what may be notes, for those that a mark cites."""
    mark_of = pair(
        [PlacedMark(c.mark.label, c.line_index, weight=c.weight) for c in citations],
        [PlacedNote(start.printed, start.line_index) for start in starts],
        rules,
    )
    return {starts[i]: citations[j] for i, j in mark_of.items()}


def find_note_sequences(
    starts: Sequence[NoteStart], citation_of: Mapping[NoteStart, CitedMark], *, backwards: bool
) -> list[NoteSequence]:
    """Return the sequences of notes: each begins with a cited note, and its labels count up.

    Uncited notes after it belong to the sequence if their labels count on: only their marks are missing.

    Args:
        starts: candidates in reading order, among them lines that begin with a number by chance.
        backwards: also add the uncited notes before the first cited one of a sequence.
    """
    sequences: list[NoteSequence] = []
    # For each label, the index of the last candidate that is cited.
    last_cited = {start.label: i for i, start in enumerate(starts) if start in citation_of}
    for i, start in enumerate(starts):
        citation = citation_of.get(start)
        last_start = sequences[-1].notes[-1][0] if sequences else None
        if citation is None:
            is_label_cited_later = last_cited.get(start.label, -1) > i  # the later line is the note
            if last_start and start.follows(last_start) and not is_label_cited_later:
                sequences[-1].notes.append((start, None))
        elif last_start and start.follows(last_start, _MAX_STEP):
            sequences[-1].notes.append((start, citation))
        else:
            new_sequence = NoteSequence([(start, citation)])
            if backwards:
                last_index = last_start.line_index if last_start else -1
                _prepend_uncited(new_sequence, [s for s in starts[:i] if s.line_index > last_index])
            sequences.append(new_sequence)
    return sequences


def follows(label: str, before: str, max_step: int = 1) -> bool:
    """Return whether a label is one of the `max_step` next after `before`, and of the same kind.

    The kinds are numbers, signs, and either of them in brackets.
    """
    if _BRACKETS.get(label[0]) != _BRACKETS.get(before[0]):
        return False
    label, before = label.strip("[()]"), before.strip("[()]")
    return label.isdecimal() is before.isdecimal() and 0 < _rank(label) - _rank(before) <= max_step


def _rank(label: str) -> int:
    """Return the rank of a label: the number itself, or the place of a sign in *, †, ‖, **, ††, or a, b, …"""
    if label.isalnum():
        return int(label) if label.isdecimal() else ord(label)
    n_repeats = len(label) - 1
    return _SIGN_ORDER.index(label[0]) + len(_SIGN_ORDER) * n_repeats


def _prepend_uncited(sequence: NoteSequence, earlier: Sequence[NoteStart]) -> None:
    """Insert, before the first note of a sequence, the earlier candidates whose numbers lead up to it."""
    for start in reversed(earlier):
        number_before = (sequence.first_number or 0) - 1
        if number_before > 0 and start.number == number_before:
            sequence.notes.insert(0, (start, None))
