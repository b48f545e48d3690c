"""Footnotes typed as text, without links: `[1]` in a sentence, and a paragraph that begins with `[1]`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from alexandria.anchors import without_spans
from alexandria.book import BlockKind, count_words
from alexandria.extract.clean import one_line
from alexandria.extract.draft import DraftBlock, DraftNote, DraftSection, NoteMark

# As typed in the text: [1] [A] {1} (*) (+) ¹.
_MARK = r"\[(?:\d{1,3}|[A-Z])\]|\{\d{1,3}\}|\([*+%#†‡]{1,3}\)|[¹²³⁰⁴-⁹]{1,3}"
_CITED = re.compile(rf"[ \n]?(?P<mark>{_MARK})")
_DEFINED = re.compile(
    rf"(?P<mark>{_MARK})\s+(?P<text>\S.*)|\[(?:Foot)?note (?P<label>\d{{1,3}}|[A-Z]):\s*(?P<inside>.*)\]",
    re.S | re.I,
)
_RAISED = re.compile("[¹²³⁰⁴-⁹]")
_FIRST = frozenset("[{(¹²³⁴⁵⁶⁷⁸⁹")
_AS_TYPED = frozenset({BlockKind.CODE, BlockKind.TABLE})


def take_notes(
    sections: tuple[DraftSection, ...], *, all_or_none: bool = False
) -> tuple[tuple[DraftSection, ...], tuple[DraftNote, ...], int]:
    """Return the sections without their notes and marks, the notes, and how many marks and labels there were.

    A mark counts only if it is cited as often as it is explained, each time before its explanation; the first
    citation then belongs to the first explanation, and so on. All other text is kept.

    Args:
        sections: in reading order.
        all_or_none: every paragraph that begins with a mark is a note, or none is; otherwise a list of
            references would lose those that are cited once.
    """
    blocks = [block for section in sections for block in section.blocks]
    defined: dict[str, list[int]] = {}
    for n, block in enumerate(blocks):
        if definition := _definition(block):
            defined.setdefault(definition[0], []).append(n)
    if not defined:  # the usual case
        return sections, (), 0
    cited: dict[str, list[int]] = {}
    starts = {n for places in defined.values() for n in places}
    for n, block in enumerate(blocks):
        if _may_cite(block.text) and not _is_as_typed(block):
            for mark in _CITED.finditer(block.text, 1 if n in starts else 0):
                cited.setdefault(mark["mark"], []).append(n)
    certain = {mark for mark, places in defined.items() if _pair_up(cited.get(mark, []), places)}
    if not certain or (all_or_none and len(certain) < len(defined)):
        return sections, (), 0
    remover = _NoteRemover(certain)
    remaining = tuple(remover.section(section) for section in sections)
    return remaining, tuple(remover.notes), remover.n_cited + remover.n_label_words


def _definition(block: DraftBlock) -> tuple[str, str] | None:
    """Return the mark that a block explains and the explanation; None for any other block."""
    if block.kind in _AS_TYPED or block.kind is BlockKind.HEADING:
        return None
    if block.text[:1] not in _FIRST or not (match := _DEFINED.fullmatch(block.text)):
        return None
    if match["label"]:
        return f"[{match['label']}]", one_line(match["inside"])
    return match["mark"], one_line(match["text"])


def _is_as_typed(block: DraftBlock) -> bool:
    """Return whether a block keeps its marks: code, a table, or one that would be empty without them."""
    return block.kind in _AS_TYPED or (_may_cite(block.text) and not _CITED.sub("", block.text).strip())


def _may_cite(text: str) -> bool:
    """Return whether a text has the first character of a mark: most have not, which is quickly seen."""
    return (
        "[" in text or "{" in text or "(" in text or (not text.isascii() and _RAISED.search(text) is not None)
    )


def _pair_up(cited: list[int], defined: list[int]) -> bool:
    return len(cited) == len(defined) and all(a < b for a, b in zip(cited, defined, strict=True))


class _NoteRemover:
    """Removes marks and notes from sections in reading order."""

    def __init__(self, certain: Iterable[str]) -> None:
        self._certain = frozenset(certain)
        self._n_cited: Counter[str] = Counter()
        self._n_defined: Counter[str] = Counter()
        self.notes: list[DraftNote] = []
        self.n_label_words = 0

    @property
    def n_cited(self) -> int:
        """Marks removed so far."""
        return self._n_cited.total()

    def section(self, section: DraftSection) -> DraftSection:
        """Return the section without notes; to be called once per section, in order."""
        headings = tuple(self._without_marks(heading) for heading in section.headings)
        return replace(section, headings=headings, blocks=tuple(self._blocks(section.blocks)))

    def _blocks(self, blocks: Iterable[DraftBlock]) -> Iterator[DraftBlock]:
        for block in blocks:
            definition = _definition(block)
            if definition and definition[0] in self._certain:
                mark, text = definition
                self._n_defined[mark] += 1
                self.n_label_words += count_words(block.text) - count_words(text)
                self.notes.append(DraftNote(f"{mark}{self._n_defined[mark]}", mark.strip("[]{}()"), text))
            else:
                yield block if _is_as_typed(block) else self._block(block)

    def _block(self, block: DraftBlock) -> DraftBlock:
        parts: list[str] = []
        marks: list[NoteMark] = []
        removed: list[tuple[int, int]] = []
        end = length = 0
        if not _may_cite(block.text):
            return block
        for mark in _CITED.finditer(block.text):
            if mark["mark"] in self._certain:
                self._n_cited[mark["mark"]] += 1
                parts.append(block.text[end : mark.start()])
                length += len(parts[-1])
                marks.append(NoteMark(length, f"{mark['mark']}{self._n_cited[mark['mark']]}"))
                removed.append(mark.span())
                end = mark.end()
        if not marks:
            return block
        linked = (replace(mark, offset=_moved(mark.offset, removed)) for mark in block.notes)
        return replace(
            block,
            text="".join((*parts, block.text[end:])),
            notes=tuple(sorted((*linked, *marks), key=lambda mark: mark.offset)),
            pages=tuple(replace(page, offset=_moved(page.offset, removed)) for page in block.pages),
            source=without_spans(block.source, removed, len(block.text)),
        )

    def _without_marks(self, heading: str) -> str:
        return _CITED.sub(lambda mark: "" if mark["mark"] in self._certain else mark[0], heading)


def _moved(offset: int, removed: Iterable[tuple[int, int]]) -> int:
    """Return where an offset is once these spans are removed."""
    return offset - sum(min(end, offset) - start for start, end in removed if start < offset)
