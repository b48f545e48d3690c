"""Finds which notes the text cites, directly or from another note, and removes the labels of notes.

A mark is the link in the text that cites a note; a label is the number or sign printed before the note.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from alexandria.book.model import BlockKind
from alexandria.extract.draft import NoteMark
from alexandria.extract.markup.blocks import MarkupBlock, Region
from alexandria.extract.markup.sections import DocumentText
from alexandria.extract.notes.marks import NOTE_WORD, begins_with_label, label_pattern
from alexandria.extract.notes.pairing import is_notes_title

# "[Footnote : …]", whose number was a link and is removed; "Note: …", without the space, is text.
_LABEL_WITHOUT_NUMBER = re.compile(rf"^(\[?){NOTE_WORD}\s+[.:]\s*", re.IGNORECASE)
_CITED_WORDS = re.compile(r"\.\.\. ?\S[^\n]{0,60}\n(?=\S)")
# Brackets, a caret or a full stop: what is left around a link back that has been removed.
_AROUND_BACKLINK = re.compile(r"^(?:\[\s*\]|\(\s*\)|[\^:)\]]|\.(?!\.))\s*|\s*(?:\[\s*\]|\(\s*\))$")
_EMPTY_BRACKETS = r"(?:\s*(?:\(\s*\)|\[\s*\]))?"
_PUNCTUATION_OF_LABEL = re.compile(r"(?:\[\]|\(\)|\{\})?[.:)\]}]*")
_COMPARED_LENGTH = 20  # characters at the beginnings of two texts that are compared

Notes = Mapping[str, Sequence[MarkupBlock]]  # the blocks of each note, by its key


def find_uncited_notes(chapters: Sequence[DocumentText], notes: Notes) -> frozenset[str]:
    """Return the keys of the notes that the text does not cite, either directly or through other notes.

    Notes that only another uncited note cites are not among them: that note becomes text, which cites them.
    """
    keys_by_note = {key: _keys_cited_in(blocks) for key, blocks in notes.items()}
    reached: dict[str, None] = {}
    for chapter in chapters:
        _add_reachable(_keys_cited_in(chapter.blocks), keys_by_note, reached)
    cited_in_notes = {key for keys in keys_by_note.values() for key in keys}
    uncited = []
    # First the notes that no other note cites (False sorts before True): they may reach the rest.
    for key in sorted(notes, key=lambda key: key in cited_in_notes):
        if key not in reached:
            uncited.append(key)
            _add_reachable(keys_by_note[key], keys_by_note, reached)
    return frozenset(uncited)


def with_nested_notes(chapters: Sequence[DocumentText], notes: Notes) -> list[DocumentText]:
    """Return the chapters with marks for the notes that are cited only inside other notes.

    A block that cites note 3 gets a mark of note 4 right after the mark of note 3, if note 3 cites note 4.
    """
    keys_by_note = {key: cited for key, blocks in notes.items() if (cited := _keys_cited_in(blocks))}
    if not keys_by_note:
        return list(chapters)
    return [
        replace(chapter, blocks=tuple(_with_nested(block, keys_by_note) for block in chapter.blocks))
        for chapter in chapters
    ]


def without_label(text: str, label: str, *, printed: str) -> str:
    """Return a note's text without its label.

    Args:
        text: the note's text, from which links back have been removed.
        label: the label of the marks that cite the note.
        printed: the text of the note's first element in the file, with links back; empty for an item of a
            list, whose label is not part of the text.
    """
    text = _AROUND_BACKLINK.sub("", text)
    if label and printed and not _label_was_link(text, label, printed):
        text = _LABEL_WITHOUT_NUMBER.sub(r"\1", text)
        unlabelled = re.sub(rf"^{label_pattern(label)}{_EMPTY_BRACKETS}\s*", "", text)
        text = unlabelled or text  # a note may consist of a number
    inside = text[1:-1]
    is_in_brackets = text.startswith("[") and text.endswith("]") and "[" not in inside
    return inside.strip() if is_in_brackets else text


def without_cited_words(text: str) -> str:
    """Return a note in a definition list without its term, which quotes the words before the mark.

    LaTeX2HTML prints such terms: "... autumn".
    """
    term = _CITED_WORDS.match(text)
    return text[term.end() :] if term else text


def _label_was_link(text: str, label: str, printed: str) -> bool:
    """Return whether a note's label was a link and is already removed from its text."""
    # If the text still begins with the same letter, the letter is then a word: in "[A] A farm", the link
    # "[A]" is removed, and "A farm" is the note.
    printed_note = re.sub(rf"^{label_pattern(label)}\s*", "", printed)
    if printed_note == printed or not begins_with_label(printed_note, label):
        return False
    return text.startswith(printed_note[:_COMPARED_LENGTH].rstrip())


def with_notes_headings(blocks: Sequence[MarkupBlock]) -> list[MarkupBlock]:
    """Return the blocks; a heading such as "Footnotes" becomes part of the notes if only notes follow it.

    The heading may also be marked up as a paragraph.
    """
    with_headings = list(blocks)
    # From the last block to the first: what is between a block and the next heading, if anything.
    below: Literal["notes", "text"] | None = None
    for i in reversed(range(len(blocks))):
        block = blocks[i]
        if block.region is not None:
            is_note = block.region.note is not None
            if is_note and below is None:
                below = "notes"
        elif below == "notes" and is_notes_title(block.text):
            with_headings[i] = replace(block, region=Region("notes"))
            below = None
        elif block.kind is BlockKind.HEADING:
            below = None
        else:
            below = "text"
    return with_headings


def count_label_words(printed: str, text: str) -> int:
    """Return how many words of a printed note are not in its text: the words of its label.

    Brackets and full stops that were around a link back do not count as words.

    Args:
        printed: the note as it is printed, without links back.
        text: the note without its label.
    """
    if text not in printed:  # the label was inside brackets that remain: "[Footnote : He said [sic] so.]"
        return _count_words(printed) - _count_words(text)
    before, _, after = printed.partition(text) if text else (printed, "", "")
    return _count_words(before) + _count_words(after)


def _count_words(text: str) -> int:
    """Return how many words a text has; the punctuation of a label alone is no word."""
    return sum(not _PUNCTUATION_OF_LABEL.fullmatch(word) for word in text.split())


def _keys_cited_in(blocks: Sequence[MarkupBlock]) -> list[str]:
    return [mark.key for block in blocks for mark in block.notes]


def _add_reachable(
    keys: Sequence[str], keys_by_note: Mapping[str, Sequence[str]], reached: dict[str, None]
) -> None:
    """Add keys of notes to `reached`, each followed by the keys of the notes cited in it."""
    # `reached`: a set of keys; a `dict`, because it keeps its order.
    stack = [*reversed(keys)]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached[key] = None
            stack += reversed(keys_by_note.get(key, ()))


def _with_nested(block: MarkupBlock, keys_by_note: Mapping[str, Sequence[str]]) -> MarkupBlock:
    """Return the block with the marks of nested notes after each mark, at its offset."""
    if not any(mark.key in keys_by_note for mark in block.notes):
        return block
    marks: list[NoteMark] = []
    for mark in block.notes:
        reached: dict[str, None] = {}
        _add_reachable([mark.key], keys_by_note, reached)
        marks += (NoteMark(mark.offset, key) for key in reached)
    return replace(block, notes=tuple(marks))
