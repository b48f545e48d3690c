"""Turns a tree of XHTML into the blocks that readers see, in order, with marks for notes and pages.

The walk is iterative, so that no nesting is too deep for it. It sees one document at a time: what the whole
book reveals about that document (which elements are notes, which links cite them, where pages begin) is
handed over as a `Reading`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from lxml import etree

from alexandria.book.model import BlockKind, count_words
from alexandria.extract.clean import (
    CELL,
    MARK,
    WRAP,
    clean,
    clean_code,
    clean_rows,
    lift_marks,
    one_line,
    without_noncharacters,
)
from alexandria.extract.draft import NoteMark, PageMark
from alexandria.extract.markup import elements, tree
from alexandria.extract.markup.blocks import MarkupBlock, Reading, Region, Walk
from alexandria.extract.markup.breaks import is_blank, is_break, is_ornamental_image
from alexandria.extract.markup.frames import Frame, ends_line_of_verse, holds_play, kind_of, rank_of
from alexandria.extract.markup.list_numbers import ListNumbers
from alexandria.extract.markup.nodes import TextNode, anchors_of
from alexandria.extract.markup.wraps import collapse, is_wide, settle_wraps
from alexandria.extract.ornaments import is_ornament

_NEVER_ORNAMENTS = frozenset((BlockKind.CODE, BlockKind.TABLE))  # blocks in which a line of signs is data
_SEPARATORS = frozenset(",;–-")  # signs between two marks of notes
_HOLD_LOOSE_TEXT = frozenset(("body", "div", "section", "article", "main", "center"))
"""Elements in which a paragraph may have no element of its own."""
_WITHOUT_SECTIONS = frozenset(["blockquote", "li", "dd", "figure", "aside", "table", "td", "th"])
"""Elements whose headings do not open sections."""
# A single space does not match, as it would be replaced by a space.
_WHITE = re.compile(r"[\t\r\n\f][ \t\r\n\f]*| [ \t\r\n\f]+")

_PAGE_ATTRIBUTES = frozenset(["class", "role", "epub:type", tree.OPS_TYPE])
"""Attributes that can declare that a page begins."""
_MAX_CACHED_WHITE = 80  # characters of white space collapsed through a cache; more is like other text
_NO_TYPES: frozenset[str] = frozenset()

_EMPTY_READING = Reading()


def walk(root: tree.Element, reading: Reading = _EMPTY_READING) -> Walk:
    """Return the document's blocks in reading order; each visible character is in exactly one."""
    body = tree.body_of(root)
    walker = _Walker(reading, paths=[_path_to(body)])
    paths, steps = walker.paths, walker.steps
    events = etree.iterwalk(body, events=("start", "end"))
    for event, element in events:
        if event == "start":
            attributes = element.keys()
            if element is not body:
                # In a CFI, elements are even, text nodes odd.
                steps[-1] += 0 if tree.MADE in attributes else 2
                steps.append(0)
                paths.append("")
            if not walker.open(element, attributes):
                events.skip_subtree()
            continue
        walker.close(element)
        if element is body:
            continue
        steps.pop()
        paths.pop()
        tail = element.tail  # lxml builds a new string at each access
        if not tail:
            continue
        if reading.cites and _is_between_marks(element, tail, reading):
            walker.passed_over.append(tail)
        else:
            walker.add_text(tail)
    walker.flush()
    pages = [mark for mark in walker.marks if isinstance(mark, PageMark) and mark.label]
    return Walk(tuple(walker.blocks), walker.skipped, pages[-1].label if pages else None)


def _path_to(body: tree.Element) -> str:
    """Return the path from the root to the body, as in a CFI: `/4` for the second child of the root."""
    path = ""
    element = body
    while (parent := element.getparent()) is not None:
        n_before = sum(1 for _ in element.itersiblings(preceding=True))
        path = f"/{2 * (n_before + 1)}{path}"
        element = parent
    return path


def _is_between_marks(mark: tree.Element, tail: str, reading: Reading) -> bool:
    """Return whether only a comma or a dash separates a note's mark from the next mark, as in ¹,²."""
    if tail.strip() not in _SEPARATORS or not _is_mark(mark, reading):
        return False
    following = mark.getnext()
    return following is not None and _is_mark(following, reading)


def _is_mark(element: tree.Element, reading: Reading) -> bool:
    """Return whether an element is a note's mark, or a superscript that holds a mark and nothing else."""
    if element in reading.cites:
        return True
    has_one_child = len(element) == 1 and not (element.text or element[0].tail or "").strip()
    return has_one_child and tree.local_name(element) == "sup" and element[0] in reading.cites


@dataclass(frozen=True, slots=True)
class _NoteCited:
    key: str


@dataclass(slots=True)
class _Walker:
    """The blocks so far, and the state of the one that is being put together."""

    reading: Reading
    paths: list[str]  # the path of each open element, as in a CFI; empty where it was not needed yet
    steps: list[int] = field(default_factory=lambda: [0])
    """For each open element, the step of a CFI to the child that began last."""
    blocks: list[MarkupBlock] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)  # how many words are in no block, by kind
    frames: list[Frame] = field(default_factory=lambda: [Frame()])  # states of open blocks, outermost first
    parts: list[str] = field(default_factory=list)
    """The text of the current block so far, with a placeholder (`MARK`) for each of its marks."""
    sources: list[TextNode] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    """What the file has after the last of `sources` that is not shown, or white space only."""
    marks: list[_NoteCited | PageMark] = field(default_factory=list)
    """The marks of the current block, in the order of their placeholders."""
    ids: list[str] = field(default_factory=list)  # the ids since the previous block
    last_id: str | None = None  # the last id of a block element
    n_groups: int = 0
    n_sections: int = 0
    list_numbers: ListNumbers = field(default_factory=ListNumbers)
    item_number: str = ""  # the number of the open list item, until its first text
    break_before: bool = False
    blank_before: bool = False

    def open(self, element: tree.Element, attributes: Sequence[str]) -> bool:
        """Handle the start of an element; return whether its content is to be walked.

        `attributes` are the names of its attributes: a test of this list is cheaper than `element.get`.
        """
        name = tree.local_name(element)
        if self._is_block(element, name):
            self._open_block(element, name, attributes)
        if attributes and self._add_id_and_page(element, attributes):
            return self._skip(element, "page_number")
        if tree.VERSE in attributes:
            self._add_mark(PageMark(0, None, verse=element.get(tree.VERSE, "")))
        if (key := self.reading.cites.get(element)) is not None:
            if key:
                self._add_mark(_NoteCited(key))
            return self._skip(element, "note_mark")
        if element in self.reading.backlinks:
            return self._skip(element, "note_mark")
        if name in elements.NOT_SHOWN:
            if name in ("rt", "rtc"):
                return self._skip(element, "ruby")
            self.passed_over += map(str, element.itertext())
            return False
        if (
            "class" in attributes
            and self.frames[-1].kind is not BlockKind.CODE
            and elements.is_line_number(element)
        ):
            return self._skip(element, "line_numbers")
        if elements.is_skipped_case(element, name):
            return self._skip(element, "hidden")
        if (
            _may_be_hidden(attributes)
            and elements.is_hidden(element)
            and self.frames[-1].element is not element
            and not elements.is_hidden_initial(element)
        ):
            return self._skip(element, "hidden")
        return self._enter(element, name)

    def _add_id_and_page(self, element: tree.Element, attributes: Sequence[str]) -> bool:
        """Add an element's id and the page that begins there; return whether its text is the page's label."""
        id = tree.identifier(element) if _may_have_id(attributes) else None
        if id:
            self.ids.append(id)
            if listed_label := self.reading.pages.get(id):
                self._add_mark(PageMark(0, None, listed_label))
        if _PAGE_ATTRIBUTES.isdisjoint(attributes):
            return False
        label = elements.page_label(element)
        if label is None:
            return False
        is_listed = id is not None and id in self.reading.pages
        if label and not is_listed:  # otherwise the page list has given its label, or nothing gives any
            self._add_mark(PageMark(0, None, label))
        return True

    def _skip(self, element: tree.Element, kind: str) -> bool:
        """Count the words of an element that is not walked; return False, for `open` to return."""
        self.passed_over += map(str, element.itertext())
        text = elements.link_text(element) if kind == "note_mark" else tree.text_of(element)
        self.skipped[kind] += count_words(clean(text))
        return False

    def close(self, element: tree.Element) -> None:
        """Handle the end of an element."""
        if self.frames[-1].element is element:
            self.flush()
            self.frames.pop()
            self.item_number = ""
        elif tree.local_name(element) == "q" and not self.reading.cfi:
            self._add_substitute(elements.quotation_marks(element)[1:])
        elif self.frames[-1].in_table:
            self._close_in_table(tree.local_name(element))
        elif self.frames[-1].in_stanza and tree.local_name(element) in elements.BLOCKS:
            self.parts.append("\n")

    def flush(self) -> None:
        """Turn the text so far into a block.

        If it is empty or an ornament, no block is made, and its marks and ids are kept for the next one.
        """
        parts, sources = self.parts, self.sources
        if not parts:
            return  # the usual case: between two blocks
        frame = self.frames[-1]
        raw = "".join(parts)
        if WRAP in raw:
            parts = settle_wraps(parts)
            raw = "".join(parts)
        after = "".join(self.passed_over)
        self.parts, self.sources, self.passed_over = [], [], []
        if not raw or raw.isspace():
            return
        text, offsets = lift_marks(_clean_block(raw, frame.kind))
        if frame.region is None and frame.kind not in _NEVER_ORNAMENTS and is_ornament(text):
            self.skipped["ornament"] += count_words(text)
            self.break_before = True
            text = ""
        if not text:
            self.parts.extend(MARK for _ in self.marks)
            return
        notes, pages = self._take_marks(text, offsets) if self.marks else ((), ())
        self.blocks.append(
            MarkupBlock(
                kind=frame.kind,
                text=text,
                rank=frame.rank if frame.opens_sections else 0,
                group=frame.group,
                sections=frame.sections,
                ids=tuple(self.ids),
                last_id=self.last_id,
                notes=notes,
                pages=pages,
                region=frame.region,
                break_before=self.break_before,
                blank_before=self.blank_before,
                element=frame.element,
                source=anchors_of(cfi, parts, sources, raw, text, after) if (cfi := self.reading.cfi) else "",
            )
        )
        self.break_before = self.blank_before = False
        self.ids.clear()

    def _take_marks(
        self, text: str, offsets: Sequence[int]
    ) -> tuple[tuple[NoteMark, ...], tuple[PageMark, ...]]:
        """Remove the marks of a block from `marks`, and return them: its notes, and the pages it begins."""
        # Pages that begin at its end are kept for the next block.
        # `offsets`: where the placeholders were in the text, one for each of `self.marks`.
        notes: list[NoteMark] = []
        pages: list[PageMark] = []
        kept: list[_NoteCited | PageMark] = []
        for mark, offset in zip(self.marks, offsets, strict=True):
            if isinstance(mark, _NoteCited):
                # At the end of the word before it, from which a space may separate the mark.
                notes.append(NoteMark(len(text[:offset].rstrip()), mark.key))
            elif offset < len(text):
                pages.append(replace(mark, offset=offset))
            else:
                kept.append(mark)
        self.marks = kept
        self.parts.extend(MARK for _ in kept)
        return tuple(notes), tuple(pages)

    def _is_block(self, element: tree.Element, name: str) -> bool:
        """Return whether an element opens a block; in a stanza or a table, most elements do not."""
        if element in self.reading.regions:
            return True
        if name not in elements.BLOCKS:
            return False
        frame = self.frames[-1]
        if frame.in_stanza:
            return False
        if frame.in_table:
            return name in ("caption", "table") or name in elements.HEADINGS
        return name in ("caption", "tr") if frame.in_play else True

    def _open_block(self, element: tree.Element, name: str, attributes: Sequence[str]) -> None:
        """End the current block, and push the state of the one that an element opens."""
        self.flush()
        if name == "hr" or "class" in attributes:
            self.break_before = self.break_before or is_break(element, name)
        self.blank_before = self.blank_before or is_blank(element, name)
        if _may_have_id(attributes) and (id := tree.identifier(element)):
            self.last_id = id
        parent = self.frames[-1]
        own_types = tree.types(element) if attributes else _NO_TYPES
        region = self.reading.regions.get(element) or parent.region
        if _may_be_hidden(attributes) and elements.is_hidden(element) and element not in self.reading.regions:
            region = Region("hidden")  # a hidden note is read: readers show it in a pop-up
        kind = kind_of(element, name, own_types, parent)
        if name == "li" and region is None and (number := self.list_numbers.number_of(element)):
            self.item_number = f"{number} "
        group = parent.group
        if name in ("hgroup", "header"):
            self.n_groups += 1
            group = self.n_groups
        self.n_sections += name in elements.SECTIONS
        own_section = (self.n_sections,) if name in elements.SECTIONS else ()
        self.frames.append(
            Frame(
                element=element,
                sections=(*parent.sections, *own_section),
                kind=kind,
                rank=rank_of(element, name, kind, parent),
                group=group,
                in_table=kind is BlockKind.TABLE or (parent.in_play and name == "tr"),
                in_play=holds_play(element, name, parent),
                in_stanza=kind is BlockKind.VERSE and elements.is_stanza(element),
                in_verse=parent.in_verse or (bool(attributes) and elements.is_verse(element, own_types)),
                opens_sections=parent.opens_sections and name not in _WITHOUT_SECTIONS,
                region=region,
            )
        )

    def _enter(self, element: tree.Element, name: str) -> bool:
        """Add what the start of a visible element contributes; return whether its content is to be walked."""
        frame = self.frames[-1]
        if name == "br":
            if self._is_in_loose_text():
                self._break_loose_line()
            else:
                self._break_line(" " if frame.in_table and not ends_line_of_verse(element, frame) else "\n")
        elif name == "img":
            self._add_image(element)
        elif name == "q" and not self.reading.cfi:  # EPUBs are read as they always were
            self._add_substitute(elements.quotation_marks(element)[:1])
        elif name == "math":
            self._add_substitute(_WHITE.sub(" ", without_noncharacters(elements.formula(element))))
            self.passed_over += map(str, element.itertext())
            return False
        elif name == tree.SPACE or (frame.in_table and name in elements.BLOCKS):
            self.parts.append(" ")
        self.add_text(element.text)
        return True

    def _is_in_loose_text(self) -> bool:
        """Return whether the open element holds text outside paragraphs, as the pages of old HTML do."""
        frame = self.frames[-1]
        is_loose = frame.element is not None and tree.local_name(frame.element) in _HOLD_LOOSE_TEXT
        return is_loose and frame.kind is BlockKind.PARAGRAPH and not (frame.in_table or frame.in_stanza)

    def _break_loose_line(self) -> None:
        """End a line of loose text; two line breaks in a row end a paragraph, if it has no other."""
        # A text with other line breaks is verse, or an address.
        if len(self.parts) > 1 and self.parts[-1] == "\n" and "\n" not in self.parts[:-1]:
            self.flush()
        elif self.parts:
            self._break_line("\n")

    def _break_line(self, end: str) -> None:
        """Add the end of a line, in place of a space before it."""
        if self.parts and self.parts[-1] == " " and self.frames[-1].kind is not BlockKind.CODE:
            self.parts[-1] = end
        else:
            self.parts.append(end)

    def _close_in_table(self, name: str) -> None:
        """Add what separates a cell, a row or a block in a cell from the next; in a play, all end lines."""
        if name == "tr":
            self.parts.append("\n")
        elif name in ("td", "th"):
            self.parts.append("\n" if self.frames[-1].in_play else CELL)
        elif name in elements.BLOCKS:
            self.parts.append("\n\n" if self.frames[-1].in_play else " ")

    def _add_image(self, element: tree.Element) -> None:
        """Add an image: as a break, as its alternative text within the line, or as a caption of its own."""
        if is_ornamental_image(element):
            self.flush()
            self.break_before = True
            self.skipped["ornament"] += count_words(element.get("alt") or "")
            return
        alternative = _WHITE.sub(" ", without_noncharacters(element.get("alt") or "")).strip()
        if not alternative or tree.types(element) & {"presentation", "none"}:
            return
        if self.frames[-1].in_table or elements.is_inline_image(element):
            # An initial is part of its word; a longer text is not.
            self._add_substitute(f" {alternative} " if len(alternative) > 1 else alternative)
            return
        self.flush()
        parent = self.frames[-1]
        self.frames.append(Frame(kind=BlockKind.CAPTION, region=parent.region, sections=parent.sections))
        self._add_substitute(alternative)
        self.flush()
        self.frames.pop()

    def _add_substitute(self, text: str) -> None:
        """Add a text shown in place of the current element, or beside its text nodes."""
        if not text:
            return
        if self.reading.cfi:
            self.sources.append(
                TextNode(
                    len(self.parts),
                    self._current_path(),
                    text,
                    has_offsets=False,
                    passed_over=self._take_passed_over(),
                )
            )
        self.parts.append(text)

    def _take_passed_over(self) -> str:
        """Return what was passed over since the last text node, and begin again."""
        text = "".join(self.passed_over)
        self.passed_over.clear()
        return text

    def _current_path(self) -> str:
        """Return the steps of a CFI down to the innermost open element; `paths` is filled on demand."""
        paths = self.paths
        if path := paths[-1]:
            return path
        # Up to the innermost element whose path is known. The outermost one's is, even if it is empty.
        known_depth = max(len(paths) - 2, 0)
        while known_depth and not paths[known_depth]:
            known_depth -= 1
        for depth in range(known_depth + 1, len(paths)):
            paths[depth] = f"{paths[depth - 1]}/{self.steps[depth - 1]}"
        return paths[-1]

    def _add_mark(self, mark: _NoteCited | PageMark) -> None:
        """Add a mark at the current place in the text."""
        # Its placeholder survives cleaning; `lift_marks` then removes it, and returns where it was.
        self.marks.append(mark)
        self.parts.append(MARK)

    def add_text(self, text: str | None) -> None:
        """Add a text node of the innermost open element to the current block, its white space collapsed."""
        if not text:
            return
        as_typed = self.frames[-1].kind is BlockKind.CODE
        if len(text) <= _MAX_CACHED_WHITE and text.isspace():
            # White space alone is dropped between two blocks (the usual case) and at the start of a line.
            self.passed_over.append(text)
            if not as_typed and (not self.parts or self.parts[-1] == "\n"):
                return
            is_wrap = not as_typed and ("\n" in text or "\r" in text) and self._ends_wide()
            self.parts.append(WRAP if is_wrap else text if as_typed else _collapse(text))
            return
        if text.isspace():
            self.passed_over.append(text)
        elif self.item_number:
            number, self.item_number = self.item_number, ""
            self._add_substitute(number)
            self.add_text(text.lstrip())
            return
        elif self.reading.cfi:
            # In a CFI, a text node has the odd step after that of the element before it.
            path = f"{self._current_path()}/{self.steps[-1] + 1}"
            passed_over = self._take_passed_over() if self.passed_over else ""
            self.sources.append(TextNode(len(self.parts), path, text, passed_over=passed_over))
        # The only white space that `str.isprintable` allows is plain spaces, and it allows no noncharacters.
        if not text.isprintable():
            text = without_noncharacters(text)
            text = text if as_typed else _WHITE.sub(" " if text.isascii() else collapse, text)
        elif "  " in text and not as_typed:
            text = _WHITE.sub(" ", text)
        self.parts.append(text)

    def _ends_wide(self) -> bool:
        """Return whether the current block ends with a Chinese or Japanese character, before any marks."""
        return is_wide(next((part[-1:] for part in reversed(self.parts) if part != MARK), ""))


@lru_cache(maxsize=256)  # a book has few different ones between its elements
def _collapse(white: str) -> str:
    return _WHITE.sub(" ", white)


def _may_have_id(attributes: Sequence[str]) -> bool:
    return "id" in attributes or "name" in attributes


def _may_be_hidden(attributes: Sequence[str]) -> bool:
    return "hidden" in attributes or "style" in attributes


def _clean_block(text: str, kind: BlockKind) -> str:
    """Return the text of a block, cleaned as its kind requires: code and tables keep their lines."""
    if kind is BlockKind.CODE:
        return clean_code(text)
    if kind is BlockKind.TABLE:
        return clean_rows(text)
    return one_line(text) if kind is BlockKind.HEADING else clean(text)
