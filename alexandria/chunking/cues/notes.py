"""Each cue in words and with an example, for the views that explain a cut or a domain.

The notes are in the text file beside this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from alexandria.book.word_lists import read_lists


@dataclass(frozen=True, slots=True)
class CostNote:
    """A cost of cuts, as a reader would describe it."""

    phrase: str  # what is there, as in `despite …`
    tie: str  # why the text is not cut there, as in `Almost cut before “He slid …”, but …`
    example: str  # text around a cut, which is marked with `|`


NOTES: Mapping[str, CostNote] = {
    name: CostNote(*lines) for name, lines in read_lists(Path(__file__).with_suffix(".txt")).items()
}  # the note on each cost of cuts, by its name


def tie_of(term: str) -> str:
    """Return why a text is not cut where a term stands, in words."""
    return NOTES[term].tie if term in NOTES else f"{term.replace('_', ' ')} speaks against it"


def phrase_of(term: str) -> str:
    """Return a term in words; if it has no note, its name with spaces."""
    return NOTES[term].phrase if term in NOTES else term.replace("_", " ")
