"""Finds footnotes typed as text, without links: `[1]` in a sentence, `[1]` at the start of a paragraph.

The first is a mark, which cites a note; the second defines it.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from alexandria.anchors import without_spans
from alexandria.book import BlockKind, count_words
from alexandria.extract.clean import one_line
from alexandria.extract.draft import DraftBlock, DraftNote, DraftSection, NoteMark
from alexandria.extract.note_pairs import find_blocks_above, pair_notes
from alexandria.extract.notes_title import is_notes_title

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

    sections: tuple[DraftSection, ...]
    """The sections without notes and marks."""
    notes: tuple[DraftNote, ...]
    n_removed: int
    """How many marks were removed from the text, plus the number of words in the labels of the notes."""


def separate_typed_notes(sections: tuple[DraftSection, ...], *, all_or_none: bool = False) -> SeparatedNotes:
    """Separate typed notes from the text in which they are cited.

    A mark belongs to notes only if it is cited as often as it is defined, each time before its definition. A
    note right below the block that cites it belongs to that citation: footnotes and endnotes may have the
    same numbers. Of the others, the first citation belongs to the first definition, and so on. All other
    text is kept.

    Args:
        sections: the sections of the book, in reading order.
        all_or_none: every paragraph that begins with a mark is a note, or none is; without it, a list of
            references would lose the entries that are cited once.
    """
    blocks = [block for section in sections for block in section.blocks]
    definitions: dict[str, list[int]] = {}  # by mark, the indices of the blocks that define it
    for i, block in enumerate(blocks):
        if definition := _parse_definition(block):
            definitions.setdefault(definition[0], []).append(i)
    nothing_separated = SeparatedNotes(sections, notes=(), n_removed=0)
    if not definitions:  # the usual case
        return nothing_separated
    defining_blocks = {i for indices in definitions.values() for i in indices}
    citations = _find_citations(blocks, defining_blocks)
    blocks_above = find_blocks_above((block, block - 1) for block in sorted(defining_blocks))
    note_marks = {
        mark: pair_notes(
            [[block] for block in citations.blocks_by_mark[mark]], [blocks_above[block] for block in indices]
        )
        for mark, indices in definitions.items()
        if citations.pairs_up(mark, indices)
    }
    other_marks = definitions.keys() - note_marks.keys()
    # An unpaired sign may be a bullet or emphasis; any other unpaired mark makes all of them doubtful.
    if not note_marks or (all_or_none and not all(map(_is_sign, other_marks))):
        return nothing_separated
    remover = _NoteRemover(note_marks)
    cleaned = (remover.remove_from(section) for section in sections)
    remaining = tuple(section for section in cleaned if section is not None)
    n_removed = remover.n_marks + remover.n_label_words
    return SeparatedNotes(remaining, tuple(remover.notes), n_removed)


@dataclass(frozen=True, slots=True)
class _Citations:
    """Where marks are cited."""

    blocks_by_mark: Mapping[str, Sequence[int]]
    """By mark, the indices of the blocks that cite it, ascending; an index once per citation."""
    n_signs: Counter[str] = field(default_factory=Counter)
    """How often each sign occurs anywhere in the text, whether it follows a word or not."""

    def pairs_up(self, mark: str, defined: Sequence[int]) -> bool:
        """Return whether a mark is cited as often as it is defined, each time before its definition.

        Signs also emphasise words, multiply numbers and begin the items of lists: a sign counts only if all
        of its occurrences are citations and definitions, in turn.

        Args:
            mark: the mark.
            defined: the indices of the blocks that define it, ascending.
        """
        cited = self.blocks_by_mark.get(mark, ())
        if len(cited) != len(defined):
            return False
        pairs = list(zip(cited, defined, strict=True))
        if not all(citation < definition for citation, definition in pairs):
            return False
        if not _is_sign(mark):
            return True
        alternating = [block for pair in pairs for block in pair]  # citation, definition, citation, …
        # A note and the next citation may share a block: hence <=, not <.
        are_in_turn = all(block <= next_block for block, next_block in pairwise(alternating))
        return are_in_turn and self.n_signs[mark] == len(alternating)


def _find_citations(blocks: Sequence[DraftBlock], definitions: Container[int]) -> _Citations:
    """Return, for each mark, the blocks that may cite it.

    Args:
        blocks: all blocks of the book.
        definitions: the indices of the blocks that define a mark; the mark with which each begins is no
            citation.
    """
    blocks_by_mark: dict[str, list[int]] = {}
    n_signs: Counter[str] = Counter()
    for i, block in enumerate(blocks):
        if _may_cite(block.text) and not _keeps_marks(block):
            for match in _CITED.finditer(block.text, 1 if i in definitions else 0):
                blocks_by_mark.setdefault(_mark_of(match), []).append(i)
            n_signs.update(_ANY_SIGNS.findall(block.text))
    return _Citations(blocks_by_mark, n_signs)


def _mark_of(match: re.Match[str]) -> str:
    """Return the mark that a match of `_CITED` has found."""
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

    def __init__(self, marks: Mapping[str, Sequence[int]]) -> None:
        """Begin before the first section; `marks` has what `pair_notes` returns for each mark of a note."""
        self._marks = marks
        """The marks of notes, each with what `pair_notes` returns; all other marks are text."""
        self._n_cited: Counter[str] = Counter()
        """How often each mark has been cited so far, in the text or in a note."""
        self._n_defined: Counter[str] = Counter()
        """How often each mark has been defined so far."""
        self.notes: list[DraftNote] = []
        self.n_marks = 0
        """How many citations have been removed so far."""
        self.n_label_words = 0
        """Words removed with the notes so far: their marks, the heading "Notes", the word "Footnote"."""

    def remove_from(self, section: DraftSection) -> DraftSection | None:
        """Return the section without notes, or None if it held only notes under a heading such as "Notes".

        Call it once for each section, in order: it counts the marks.
        """
        headings = tuple(self._heading_without_marks(heading) for heading in section.headings)
        blocks = tuple(self._remove_notes(section.blocks))
        had_notes = len(blocks) < len(section.blocks)
        first = blocks[0] if had_notes and len(blocks) == 1 else None
        if first and first.kind is BlockKind.HEADING and not first.pages and is_notes_title(first.text):
            self.n_label_words += count_words(first.text)
            return None
        return replace(section, headings=headings, blocks=blocks)

    def _remove_notes(self, blocks: Iterable[DraftBlock]) -> Iterator[DraftBlock]:
        """Yield the blocks that are not notes, without their marks.

        Each note is added to `notes` when it is reached, and the words of its label to `n_label_words`.
        """
        for block in blocks:
            definition = _parse_definition(block)
            if definition and definition[0] in self._marks:
                mark, text = definition
                self.n_label_words += count_words(block.text) - count_words(text)
                key = f"{mark}{self._n_defined[mark]}"  # as in `_cite_next_note`
                self._n_defined[mark] += 1
                self.notes.append(DraftNote(key, label=mark.strip("[]{}()^"), text=text))
                if not _keeps_marks(block):
                    for match in _CITED.finditer(block.text, 1):  # its own citations remain, but count
                        self._n_cited[_mark_of(match)] += 1
            else:
                yield block if _keeps_marks(block) else self._remove_marks(block)

    def _remove_marks(self, block: DraftBlock) -> DraftBlock:
        """Return a block without the marks of notes, and with a `NoteMark` for each of them."""
        if not _may_cite(block.text):
            return block
        parts: list[str] = []  # of the new text
        marks: list[NoteMark] = []
        removed: list[tuple[int, int]] = []  # the start and end of each mark in the old text
        last_end = 0  # of the last mark, in the old text
        new_length = 0  # of the parts
        for match in _CITED.finditer(block.text):
            mark = _mark_of(match)
            if mark in self._marks:
                parts.append(block.text[last_end : match.start()])
                new_length += len(parts[-1])
                marks.append(NoteMark(new_length, self._cite_next_note(mark)))
                removed.append(match.span())
                last_end = match.end()
        if not marks:
            return block
        self.n_marks += len(marks)
        linked_marks = (replace(mark, offset=_shift_offset(mark.offset, removed)) for mark in block.notes)
        return replace(
            block,
            text="".join((*parts, block.text[last_end:])),
            notes=tuple(sorted((*linked_marks, *marks), key=lambda mark: mark.offset)),
            pages=tuple(replace(page, offset=_shift_offset(page.offset, removed)) for page in block.pages),
            source=without_spans(block.source, removed, block.text),
        )

    def _cite_next_note(self, mark: str) -> str:
        """Count one more citation of a mark, and return the key of the note that it cites."""
        number = self._marks[mark][self._n_cited[mark]]
        self._n_cited[mark] += 1
        return f"{mark}{number}"

    def _heading_without_marks(self, heading: str) -> str:
        """Return a heading without the marks of notes; the `NoteMark`s are in the block of the heading."""
        return _CITED.sub(lambda match: "" if _mark_of(match) in self._marks else match[0], heading)


def _shift_offset(offset: int, removed: Iterable[tuple[int, int]]) -> int:
    """Return what an offset in a text becomes if these spans of the text (start, end) are removed."""
    return offset - sum(min(end, offset) - start for start, end in removed if start < offset)
