"""Reads the sample texts: `# ` starts a chapter, `> ` verse or a quotation; `word[^1]` cites `[^1]: `."""

import re
from dataclasses import dataclass
from pathlib import Path

_NOTE = re.compile(r"\[\^(\d+)\]: (.+)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph on one line, or what is set off: a quotation, or a stanza with line breaks and indents."""

    text: str
    verse: bool = False


@dataclass(frozen=True, slots=True)
class Chapter:
    """A title and the passages below it."""

    title: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A book before it is written in any format."""

    title: str
    author: str
    chapters: tuple[Chapter, ...]
    notes: dict[str, str]
    """Text by mark."""


def read_manuscript(path: Path, *, title: str, author: str) -> Manuscript:
    """Return the book in a source file."""
    notes: dict[str, str] = {}
    chapters: list[tuple[str, list[Passage]]] = []
    for part in re.split(r"\n(?=\[\^)|\n>?\n", path.read_text(encoding="utf-8").strip()):
        if part.startswith("# "):
            chapters.append((part.removeprefix("# "), []))
        elif note := _NOTE.fullmatch(part):
            notes[note[1]] = note[2]
        elif part.startswith("> "):
            verse = "\n".join(line.removeprefix("> ") for line in part.split("\n"))
            chapters[-1][1].append(Passage(verse, verse=True))
        else:
            chapters[-1][1].append(Passage(part))
    return Manuscript(title, author, tuple(Chapter(name, tuple(p)) for name, p in chapters), notes)
