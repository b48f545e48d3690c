"""Reads the labels with which notes begin, and groups notes whose labels count up into runs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from alexandria.extract.pdf.citations import Citation
from alexandria.extract.pdf.lines import Line

_LABEL = re.compile(r"\s*[\[(]?(\d{1,3}|(?:([*∗†‡§¶‖])\2{0,2}))[\])]?[.:]?(?=\s|[^\W\d_]|[“\"‘'«(\[])")
_WORDS = re.compile(r"[^\W\d_]{2}|[^\W\d_]\.|[\u2e80-\uffff]")
_SIGN_ORDER = "*†‡§¶‖"
"""In the order of typesetters."""
_MAX_STEP = 3
"""Largest step between labels on a page: with more than 1, marks or notes were not recognised."""


@dataclass(frozen=True, slots=True)
class NoteStart:
    """A line that may be the first one of a note."""

    at: int
    """Index of the line in reading order."""
    label: str
    is_raised: bool
    is_bracketed: bool = False
    """True if it is printed in brackets, not raised."""

    @property
    def printed(self) -> str:
        """The label as marks of it are printed: in brackets if it is in brackets itself."""
        return f"[{self.label}]" if self.is_bracketed else self.label

    @property
    def number(self) -> int | None:
        """The label as a number; None for a sign."""
        return int(self.label) if self.label.isdecimal() else None

    def follows(self, before: "NoteStart", max_step: int = 1) -> bool:
        """Return whether the label is one of the `max_step` next after that of another note."""
        return follows(self.label, before.label, max_step)


@dataclass(slots=True)
class NoteRun:
    """Notes in order whose labels count up, each with the mark that cites it."""

    notes: list[tuple[NoteStart, Citation | None]] = field(default_factory=list)

    @property
    def first(self) -> int | None:
        """The first number; None for a sign."""
        return self.notes[0][0].number

    @property
    def last(self) -> int | None:
        """The last number; None for a sign."""
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
    def is_flat(self) -> bool:
        """True if a mark that is not raised cites one of its notes."""
        return any(citation and not citation.mark.is_raised for _, citation in self.notes)


class Label(NamedTuple):
    """A label at the beginning of a line."""

    text: str
    """Without brackets."""
    end: int
    """The offset after it."""


def read_label(line: Line) -> Label | None:
    """Return the label at the beginning of a line; None if it has none, or no words after it."""
    if _is_raised(line):
        label = Label(line.marks[0].label, line.marks[0].end)
    elif match := _LABEL.match(line.text):
        label = Label(match.group(1).replace("∗", "*"), match.end())
    else:
        return None
    return label if _WORDS.search(line.text, label.end) else None


def note_starts(lines: Sequence[Line], start: int, stop: int) -> list[NoteStart]:
    """Return the lines from `start` to `stop` that begin with a label; if any label is raised, only those."""
    starts = [
        NoteStart(
            at,
            label.text,
            is_raised=_is_raised(lines[at]),
            is_bracketed=lines[at].text.lstrip().startswith("["),
        )
        for at in range(start, stop)
        if (label := read_label(lines[at]))
    ]
    raised = [start for start in starts if start.is_raised]
    return raised or starts


def _is_raised(line: Line) -> bool:
    """Return whether a line begins with a raised label."""
    return bool(line.marks) and line.marks[0].start == 0 and line.marks[0].is_raised


def note_runs(
    starts: Sequence[NoteStart], cited: Mapping[NoteStart, Citation], *, backwards: bool
) -> list[NoteRun]:
    """Return the runs of notes: each begins with a cited note, and its labels count up.

    Notes between and after cited ones belong to the run if only their marks are missing.

    Args:
        starts: candidates in reading order, among them lines that begin with a number by chance.
        cited: the candidates that a mark cites, each with the mark.
        backwards: also add the uncited notes before the first cited one of a run.
    """
    runs: list[NoteRun] = []
    last_cited = {start.label: i for i, start in enumerate(starts) if start in cited}
    for i, start in enumerate(starts):
        citation = cited.get(start)
        run = runs[-1] if runs else None
        if citation is None:
            is_cited_later = last_cited.get(start.label, -1) > i  # by another line with the same label
            if run and start.follows(run.notes[-1][0]) and not is_cited_later:
                run.notes.append((start, None))
        elif run and start.follows(run.notes[-1][0], _MAX_STEP):
            run.notes.append((start, citation))
        else:
            runs.append(NoteRun([(start, citation)]))
            if backwards:
                end_of_previous = run.notes[-1][0].at if run else -1
                _prepend_uncited(runs[-1], [early for early in starts[:i] if early.at > end_of_previous])
    return runs


def follows(label: str, before: str, max_step: int = 1) -> bool:
    """Return whether a label is one of the `max_step` next after `before`, and of the same kind.

    The kinds are numbers, signs, and either of them in brackets.
    """
    if label.startswith("[") is not before.startswith("["):
        return False
    label, before = label.strip("[]"), before.strip("[]")
    return label.isdecimal() is before.isdecimal() and 0 < _rank(label) - _rank(before) <= max_step


def _rank(label: str) -> int:
    """Return the place of a label in its order: signs are doubled, then tripled, after the last one."""
    return (
        int(label) if label.isdecimal() else _SIGN_ORDER.index(label[0]) + len(_SIGN_ORDER) * (len(label) - 1)
    )


def _prepend_uncited(run: NoteRun, earlier: Sequence[NoteStart]) -> None:
    """Insert the earlier candidates whose numbers lead up to the first one of a run."""
    for start in reversed(earlier):
        if run.first is not None and start.number == run.first - 1 and start.number > 0:
            run.notes.insert(0, (start, None))
