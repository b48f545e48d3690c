"""Finds which notes the text cites, directly or from another note, and removes the labels of notes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from alexandria.book import BlockKind
from alexandria.extract.draft import NoteMark
from alexandria.extract.markup.blocks import MarkupBlock, Region
from alexandria.extract.markup.marks import NOTE_WORD, begins_with, label_pattern
from alexandria.extract.markup.sections import DocumentText
from alexandria.extract.notes_title import is_notes_title

# "[Footnote : …]", whose number was a link and is removed; "Note: …", without the space, is text.
_LABEL_WITHOUT_NUMBER = re.compile(rf"^(\[?){NOTE_WORD}\s+[.:]\s*", re.IGNORECASE)
_CITED_WORDS = re.compile(r"\.\.\. ?\S[^\n]{0,60}\n(?=\S)")
_PUNCTUATION_OF_LABEL = re.compile(r"(?:\[\]|\(\)|\{\})?[.:)\]}]*")
_COMPARED_LENGTH = 20
"""Characters at the beginnings of two texts that are compared."""

Notes = Mapping[str, Sequence[MarkupBlock]]
"""The blocks of each note, by its key."""


def uncited_notes(chapters: Sequence[DocumentText], notes: Notes) -> frozenset[str]:
    """Return the keys of the notes that the text does not cite, either directly or through other notes.

    Notes that only another uncited note cites are not among them: that note becomes text, which cites them.
    """
    keys_by_note = {key: _keys_cited_in(blocks) for key, blocks in notes.items()}
    reached: dict[str, None] = {}
    for chapter in chapters:
        _add_reachable(_keys_cited_in(chapter.blocks), keys_by_note, reached)
    cited_in_notes = {key for keys in keys_by_note.values() for key in keys}
    uncited = []
    # First the notes that no other note cites: they may reach the rest.
    for key in sorted(notes, key=cited_in_notes.__contains__):
        if key not in reached:
            uncited.append(key)
            _add_reachable(keys_by_note[key], keys_by_note, reached)
    return frozenset(uncited)


def with_nested_notes(chapters: Sequence[DocumentText], notes: Notes) -> list[DocumentText]:
    """Return the chapters with blocks that also cite the notes cited in the notes they cite."""
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
    # The brackets, caret or full stop that were around a link back.
    text = re.sub(r"^(?:\[\s*\]|\(\s*\)|[\^:)\]]|\.(?!\.))\s*|\s*(?:\[\s*\]|\(\s*\))$", "", text)
    if label and printed and not _label_was_link(text, label, printed):
        text = _LABEL_WITHOUT_NUMBER.sub(r"\1", text)
        unlabelled = re.sub(rf"^{label_pattern(label)}(?:\s*(?:\(\s*\)|\[\s*\]))?\s*", "", text)
        text = unlabelled or text  # a note may consist of a number
    inside = text[1:-1]
    is_bracketed = text[:1] + text[-1:] == "[]" and "[" not in inside
    return inside.strip() if is_bracketed else text


def without_cited_words(text: str) -> str:
    """Return a note in a definition list without its term, which quotes the words before the mark.

    LaTeX2HTML prints such terms: "... autumn".
    """
    term = _CITED_WORDS.match(text)
    return text[term.end() :] if term else text


def _label_was_link(text: str, label: str, printed: str) -> bool:
    """Return whether a note's label was a link and is already removed from its text.

    Text that still begins with the same letter is then not a label, as in "[A] A farm".
    """
    unlabelled = re.sub(rf"^{label_pattern(label)}\s*", "", printed)
    if unlabelled == printed or not begins_with(unlabelled, label):
        return False
    return text.startswith(unlabelled[:_COMPARED_LENGTH].rstrip())


def with_notes_headings(blocks: Sequence[MarkupBlock]) -> list[MarkupBlock]:
    """Return the blocks; a heading such as "Footnotes" becomes part of the notes if only notes follow it.

    The heading may also be marked up as a paragraph.
    """
    marked = list(blocks)
    below: str | None = None  # "notes" or "text" if such blocks are between this one and the next heading
    for i, block in reversed(list(enumerate(blocks))):
        if block.region is not None:
            below = below or ("notes" if block.region.note is not None else None)
        elif below == "notes" and is_notes_title(block.text):
            marked[i] = replace(block, region=Region("notes"))
            below = None
        else:
            below = None if block.kind is BlockKind.HEADING else "text"
    return marked


def n_label_words(printed: str, text: str) -> int:
    """Return how many words of a printed note are not in its text: the words of its label.

    Brackets and full stops that were around a link back do not count as words.
    """
    start = printed.find(text)
    before, after = printed[:start].split(), printed[start + len(text) :].split()
    return sum(not _PUNCTUATION_OF_LABEL.fullmatch(word) for word in (*before, *after))


def _keys_cited_in(blocks: Sequence[MarkupBlock]) -> list[str]:
    return [mark.key for block in blocks for mark in block.notes]


def _add_reachable(
    keys: Sequence[str], keys_by_note: Mapping[str, Sequence[str]], reached: dict[str, None]
) -> None:
    """Add keys of notes to `reached`, each followed by the keys of the notes cited in it.

    Args:
        keys: of notes that are cited.
        keys_by_note: the keys of the notes that each note cites, by its own key.
        reached: a set of keys; a `dict`, because it keeps its order.
    """
    stack = [*reversed(keys)]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached[key] = None
            stack += reversed(keys_by_note.get(key, ()))


def _with_nested(block: MarkupBlock, keys_by_note: Mapping[str, Sequence[str]]) -> MarkupBlock:
    """Return the block with the marks of nested notes at the same offset after each mark."""
    if not any(mark.key in keys_by_note for mark in block.notes):
        return block
    marks: list[NoteMark] = []
    for mark in block.notes:
        reached: dict[str, None] = {}
        _add_reachable([mark.key], keys_by_note, reached)
        marks += (NoteMark(mark.offset, key) for key in reached)
    return replace(block, notes=tuple(marks))
