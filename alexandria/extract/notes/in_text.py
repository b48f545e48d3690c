"""Finds footnotes typed as text, without links: `[1]` in a sentence, `[1]` at the start of a paragraph.

The first is a mark, which cites a note; the second defines it.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from alexandria.book.model import BlockKind, count_words
from alexandria.book.places import without_spans
from alexandria.extract.clean import one_line
from alexandria.extract.draft import DraftBlock, DraftNote, DraftSection, NoteMark
from alexandria.extract.notes.pairing import AMONG_TEXT, PlacedMark, PlacedNote, is_notes_title, pair

# As typed in the text: [1] [A] {1} (*) (+) ¹ ^1^, and signs after a word: *.
_SIGNS = "[*†‡]{1,3}"
_MARK_PATTERN = r"\[(?:\d{1,3}|[A-Z])\]|\{\d{1,3}\}|\([*+%#†‡]{1,3}\)|\^\d{1,3}\^|[¹²³⁰⁴-⁹]{1,3}"
_AFTER_WORD = rf"""(?<=[\w.,;:!?"'”’)\]]){_SIGNS}(?![*†‡\w])"""
# Asterisks around a mark: CommonMark reads those in "word**[1]**" as text.
_CITED = re.compile(rf"[ \n]?(?P<wrap>\*{{0,2}})(?P<mark>{_MARK_PATTERN})(?P=wrap)|(?P<sign>{_AFTER_WORD})")
_DEFINED = re.compile(
    rf"(?P<mark>{_MARK_PATTERN}|{_SIGNS})\s+(?P<text>\S.*)"
    r"|\[(?:Foot)?note (?P<label>\d{1,3}|[A-Z]):\s*(?P<inside>.*)\]",
    re.S | re.I,
)
_ANY_SIGNS = re.compile(rf"(?<![*†‡]){_SIGNS}(?![*†‡])")
_NON_ASCII_MARK = re.compile("[¹²³⁰⁴-⁹†‡]")
_FIRST_CHARACTERS = frozenset("[{(^*†‡¹²³⁴⁵⁶⁷⁸⁹")
_MAY_CITE = re.compile(r"[\[{(^*]")
_KINDS_AS_TYPED = frozenset({BlockKind.CODE, BlockKind.TABLE})


class SeparatedNotes(NamedTuple):
    """A book's text and its notes apart from each other."""

    sections: tuple[DraftSection, ...]  # the sections without notes and marks
    notes: tuple[DraftNote, ...]
    n_removed: int  # the marks that were removed from the text, and words of notes' labels and headings


def separate_typed_notes(sections: tuple[DraftSection, ...], *, all_or_none: bool = False) -> SeparatedNotes:
    """Separate typed notes from the text in which they are cited.

    A mark belongs to notes only if it is cited as often as it is defined, each time before its definition.
    All other text is kept.

    Args:
        all_or_none: every paragraph that begins with a mark is a note, or none is; without it, a list of
            references would lose the entries that are cited once.
    """
    blocks = [block for section in sections for block in section.blocks]
    notes = _place_notes(blocks)
    nothing_separated = SeparatedNotes(sections, notes=(), n_removed=0)
    if not notes:  # the usual case
        return nothing_separated
    marks = _place_marks(blocks, {note.place for note in notes})
    mark_of = pair(marks, notes, AMONG_TEXT)
    labels = {notes[i].label for i in mark_of}
    labels -= {label for label in filter(_is_sign, labels) if not _is_only_mark(label, marks, notes, blocks)}
    # An unpaired sign may be a bullet or emphasis; any other unpaired mark makes all of them doubtful.
    other_labels = {note.label for note in notes} - labels
    if not labels or (all_or_none and not all(map(_is_sign, other_labels))):
        return nothing_separated
    cited_keys: dict[str, list[str]] = {label: [] for label in labels}
    for i in sorted(mark_of, key=mark_of.__getitem__):  # in the order of the marks
        if notes[i].label in labels:
            cited_keys[notes[i].label].append(_key_of(notes[i]))
    remover = _NoteRemover(cited_keys, [_key_of(note) for note in notes if note.label in labels])
    cleaned = (remover.remove_from(section) for section in sections)
    remaining = tuple(section for section in cleaned if section is not None)
    return SeparatedNotes(remaining, tuple(remover.notes), remover.n_removed)


def _place_notes(blocks: Sequence[DraftBlock]) -> list[PlacedNote]:
    notes: list[PlacedNote] = []
    above: dict[int, int] = {}
    for i, block in enumerate(blocks):
        if definition := _parse_definition(block):
            above[i] = above.get(i - 1, i - 1)
            notes.append(PlacedNote(definition[0], i, above=above[i]))
    return notes


def _place_marks(blocks: Sequence[DraftBlock], definitions: Container[int]) -> list[PlacedMark]:
    """Return what may be the marks in all blocks of a book."""
    # `definitions`: the indices of the blocks that define a mark; the mark with which each begins is no
    # citation.
    return [
        PlacedMark(_mark_of(match), i, blocks=(i,))
        for i, block in enumerate(blocks)
        for match in _find_marks(block, start=1 if i in definitions else 0)
    ]


def _find_marks(block: DraftBlock, *, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield what may be marks in a block, from an offset on."""
    if _may_cite(block.text) and not _keeps_marks(block):
        yield from _CITED.finditer(block.text, start)


def _is_only_mark(
    sign: str, marks: Sequence[PlacedMark], notes: Sequence[PlacedNote], blocks: Sequence[DraftBlock]
) -> bool:
    """Return whether all that a sign does in a book is to cite a note and to define it, in turn."""
    # Signs also emphasise words, multiply numbers and begin the items of lists.
    mark_blocks = (mark.place for mark in marks if mark.label == sign)
    note_blocks = (note.place for note in notes if note.label == sign)
    blocks_in_turn = [*chain.from_iterable(zip(mark_blocks, note_blocks, strict=True))]
    return blocks_in_turn == [
        i
        for i, block in enumerate(blocks)
        if _may_cite(block.text) and not _keeps_marks(block)
        for _ in range(_ANY_SIGNS.findall(block.text).count(sign))
    ]


def _key_of(note: PlacedNote) -> str:
    return f"{note.label}{note.place}"


def _mark_of(match: re.Match[str]) -> str:
    mark: str = match["mark"] or match["sign"]
    return mark


def _is_sign(mark: str) -> bool:
    """Return whether a mark is a sign without brackets."""
    return mark[0] in "*†‡"


def _parse_definition(block: DraftBlock) -> tuple[str, str] | None:
    """Return the mark that a block defines, and the text of the note, or None if it defines no mark."""
    if block.kind in _KINDS_AS_TYPED or block.kind is BlockKind.HEADING:
        return None
    if block.text[:1] not in _FIRST_CHARACTERS or not (match := _DEFINED.fullmatch(block.text)):
        return None
    if match["label"]:
        return f"[{match['label']}]", one_line(match["inside"])
    return match["mark"], one_line(match["text"])


def _keeps_marks(block: DraftBlock) -> bool:
    """Return whether a block keeps its marks: code, a table, or one that would be empty without them."""
    return block.kind in _KINDS_AS_TYPED or (_may_cite(block.text) and not _CITED.sub("", block.text).strip())


def _may_cite(text: str) -> bool:
    """Return whether a text has a character with which marks begin: a quick test that most texts fail."""
    return _MAY_CITE.search(text) is not None or (
        not text.isascii() and _NON_ASCII_MARK.search(text) is not None
    )


class _NoteRemover:
    """Removes marks and notes from sections in reading order."""

    def __init__(self, cited: Mapping[str, Iterable[str]], defined: Iterable[str]) -> None:
        """Begin before the first section.

        Args:
            cited: the marks of notes, each with the keys of the notes that it cites, in order; all other
                marks are text.
            defined: the keys of all notes, in order.
        """
        self._cited = {mark: iter(keys) for mark, keys in cited.items()}
        self._defined = iter(defined)
        self.notes: list[DraftNote] = []
        self.n_removed = 0  # as in `SeparatedNotes`, so far

    def remove_from(self, section: DraftSection) -> DraftSection | None:
        """Return the section without notes, or None if it held only notes under a heading such as "Notes".

        Call it once for each section, in order: it counts the marks.
        """
        headings = tuple(self._heading_without_marks(heading) for heading in section.headings)
        blocks = tuple(self._remove_notes(section.blocks))
        had_notes = len(blocks) < len(section.blocks)
        first = blocks[0] if had_notes and len(blocks) == 1 else None
        if first and first.kind is BlockKind.HEADING and not first.pages and is_notes_title(first.text):
            self.n_removed += count_words(first.text)
            return None
        return replace(section, headings=headings, blocks=blocks)

    def _remove_notes(self, blocks: Iterable[DraftBlock]) -> Iterator[DraftBlock]:
        """Yield the blocks that are not notes, without their marks."""
        # Each note is added to `notes` when it is reached, and the words of its label to `n_removed`.
        for block in blocks:
            definition = _parse_definition(block)
            if definition and definition[0] in self._cited:
                mark, text = definition
                self.n_removed += count_words(block.text) - count_words(text)
                self.notes.append(DraftNote(next(self._defined), label=mark.strip("[]{}()^"), text=text))
                for match in _find_marks(block, start=1):  # its own marks remain, but count
                    next(self._cited.get(_mark_of(match), iter(())), None)
            else:
                yield self._remove_marks(block)

    def _remove_marks(self, block: DraftBlock) -> DraftBlock:
        """Return a block without the marks of notes, and with a `NoteMark` for each of them."""
        parts: list[str] = []  # of the new text
        marks: list[NoteMark] = []
        removed: list[tuple[int, int]] = []  # the start and end of each mark in the old text
        last_end = 0  # of the last mark, in the old text
        new_length = 0  # of the parts
        for match in _find_marks(block):
            mark = _mark_of(match)
            if mark in self._cited:
                parts.append(block.text[last_end : match.start()])
                new_length += len(parts[-1])
                marks.append(NoteMark(new_length, next(self._cited[mark])))
                removed.append(match.span())
                last_end = match.end()
        if not marks:
            return block
        self.n_removed += len(marks)
        linked_marks = (replace(mark, offset=shift_offset(mark.offset, removed)) for mark in block.notes)
        return replace(
            block,
            text="".join((*parts, block.text[last_end:])),
            notes=tuple(sorted((*linked_marks, *marks), key=lambda mark: mark.offset)),
            pages=tuple(replace(page, offset=shift_offset(page.offset, removed)) for page in block.pages),
            source=without_spans(block.source, removed, block.text),
        )

    def _heading_without_marks(self, heading: str) -> str:
        """Return a heading without the marks of notes; the `NoteMark`s are in the block of the heading."""
        return _CITED.sub(lambda match: "" if _mark_of(match) in self._cited else match[0], heading)


def shift_offset(offset: int, removed: Iterable[tuple[int, int]]) -> int:
    """Return what an offset in a text becomes if these spans of the text (start, end) are removed."""
    return offset - sum(min(end, offset) - start for start, end in removed if start < offset)
