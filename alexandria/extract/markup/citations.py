"""Which notes the text cites, directly or from another note; and what of a note's text is only its label."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from alexandria.book import BlockKind
from alexandria.extract.draft import NoteMark
from alexandria.extract.markup.blocks import MarkupBlock, Region
from alexandria.extract.markup.marks import NOTE_WORD, begins_with, label_pattern
from alexandria.extract.markup.sections import DocumentText
from alexandria.extract.notes_title import is_notes_title

# "[Footnote 12: …]" without its number, which was a link; "Note: …" is text.
_NAME_OF_LABEL = re.compile(rf"^(\[?){NOTE_WORD}\s+[.:]\s*", re.IGNORECASE)
_CITED_WORDS = re.compile(r"\.\.\. ?\S[^\n]{0,60}\n(?=\S)")
_REMAINDER = re.compile(r"(?:\[\]|\(\)|\{\})?[.:)\]}]*")

_ALIKE = 20
"""Characters by which the beginnings of two texts are compared."""

Notes = Mapping[str, Sequence[MarkupBlock]]
"""The blocks of notes by their keys."""


def uncited_notes(chapters: Sequence[DocumentText], notes: Notes) -> frozenset[str]:
    """Return the keys of the notes to which no mark in the text leads, nor one in a note that is cited."""
    nested = {key: _cited_in(blocks) for key, blocks in notes.items()}
    reached: dict[str, None] = {}
    for chapter in chapters:
        _reach(_cited_in(chapter.blocks), nested, reached)
    within = {key for keys in nested.values() for key in keys}
    uncited = []
    # A note that becomes text cites the notes cited in it, so that those in no other note are first.
    for key in sorted(notes, key=within.__contains__):
        if key not in reached:
            uncited.append(key)
            _reach(nested[key], nested, reached)
    return frozenset(uncited)


def with_nested_notes(chapters: Sequence[DocumentText], notes: Notes) -> list[DocumentText]:
    """Return the chapters, in which a block that cites a note also cites the notes cited in that note."""
    nested = {key: cited for key, blocks in notes.items() if (cited := _cited_in(blocks))}
    if not nested:
        return list(chapters)
    return [
        replace(chapter, blocks=tuple(_with_nested(block, nested) for block in chapter.blocks))
        for chapter in chapters
    ]


def without_label(text: str, label: str, *, printed: str) -> str:
    """Return a note's text without its label.

    Args:
        text: the note, without what was a link back.
        label: of the marks that cite it.
        printed: how its first block begins in the file, links back included; empty for an item of a list,
            whose label is no text.
    """
    # Brackets, a caret or a full stop around a link back remain when it is removed.
    text = re.sub(r"^(?:\[\s*\]|\(\s*\)|[\^:)\]]|\.(?!\.))\s*|\s*(?:\[\s*\]|\(\s*\))$", "", text)
    if label and printed and not _is_without(text, label, printed):
        text = _NAME_OF_LABEL.sub(r"\1", text)
        bare = re.sub(rf"^{label_pattern(label)}(?:\s*(?:\(\s*\)|\[\s*\]))?\s*", "", text)
        text = bare or text  # a note may be a number alone
    inside = text[1:-1]
    return inside.strip() if text[:1] + text[-1:] == "[]" and "[" not in inside else text


def without_cited_words(text: str) -> str:
    """Return a note in a list of definitions without the words that its mark follows.

    LaTeX2HTML prints them as the term: "... autumn".
    """
    return _CITED_WORDS.sub("", text)


def _is_without(text: str, label: str, printed: str) -> bool:
    """Return whether a note's label was a link: then what begins like it is text, as in "[A] A farm"."""
    bare = re.sub(rf"^{label_pattern(label)}\s*", "", printed)
    return bare != printed and begins_with(bare, label) and text.startswith(bare[:_ALIKE].rstrip())


def with_notes_titled(blocks: Sequence[MarkupBlock]) -> list[MarkupBlock]:
    """Return the blocks; a heading such as "Footnotes" with only notes below is part of the notes.

    So is a line that is printed as one, but marked up as a paragraph.
    """
    titled = list(blocks)
    below: str | None = None
    for i, block in reversed(list(enumerate(blocks))):
        if block.region is not None:
            below = below or ("notes" if block.region.note is not None else None)
        elif below == "notes" and is_notes_title(block.text):
            titled[i] = replace(block, region=Region("notes"))
            below = None
        else:
            below = None if block.kind is BlockKind.HEADING else "text"
    return titled


def n_label_words(printed: str, text: str) -> int:
    """Return how many words a note's label was; brackets and stops left of a link back are none."""
    at = printed.find(text)
    before, after = printed[:at].split(), printed[at + len(text) :].split()
    return sum(not _REMAINDER.fullmatch(word) for word in (*before, *after))


def _cited_in(blocks: Sequence[MarkupBlock]) -> list[str]:
    return [mark.key for block in blocks for mark in block.notes]


def _reach(keys: Sequence[str], nested: Mapping[str, Sequence[str]], reached: dict[str, None]) -> None:
    """Add the keys of notes, each followed by those cited in it; a `dict` is a set that keeps the order."""
    waiting = [*reversed(keys)]
    while waiting:
        key = waiting.pop()
        if key not in reached:
            reached[key] = None
            waiting += reversed(nested.get(key, ()))


def _with_nested(block: MarkupBlock, nested: Mapping[str, Sequence[str]]) -> MarkupBlock:
    if not any(mark.key in nested for mark in block.notes):
        return block
    marks: list[NoteMark] = []
    for mark in block.notes:
        reached: dict[str, None] = {}
        _reach([mark.key], nested, reached)
        marks += (NoteMark(mark.offset, key) for key in reached)
    return replace(block, notes=tuple(marks))
