"""A tree of XHTML to the blocks that readers see, in order, with marks for notes and pages.

The walk is iterative, so that no nesting is too deep. It sees one document alone; what the rest of the book
reveals about it (which elements are notes, which links cite them, where pages begin) is its `Reading`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from lxml import etree

from alexandria.book import BlockKind, count_words
from alexandria.extract.clean import (
    CELL,
    MARK,
    clean,
    clean_code,
    clean_rows,
    lift_marks,
    one_line,
    without_noncharacters,
)
from alexandria.extract.draft import NoteMark, PageMark
from alexandria.extract.markup.blocks import MarkupBlock, Reading, Region, Walk
from alexandria.extract.markup.breaks import is_blank, is_break, is_ornamental_image
from alexandria.extract.markup.elements import (
    BLOCKS,
    HEADINGS,
    UNSEEN,
    formula,
    is_hidden,
    is_inline_image,
    is_skipped_case,
    is_stanza,
    is_verse,
    link_text,
    page_label,
)
from alexandria.extract.markup.frames import Frame, in_verse, is_speeches, kind_of, rank_of
from alexandria.extract.markup.nodes import TextNode, anchors_of
from alexandria.extract.markup.tree import (
    MADE,
    OPS_TYPE,
    Element,
    body_of,
    identifier,
    local_name,
    text_of,
    types,
)
from alexandria.extract.ornaments import is_ornament

# Signs in these are data.
_AS_TYPED = frozenset((BlockKind.CODE, BlockKind.TABLE))
_SEPARATORS = frozenset(",;–-")
# A single space does not match: it would be replaced by itself.
_WHITE = re.compile(r"[\t\r\n\f][ \t\r\n\f]*| [ \t\r\n\f]+")

_DECLARING = frozenset(["class", "role", "epub:type", OPS_TYPE])
"""Attributes that may declare that a page begins."""
_LONGEST_WHITE = 80
"""Characters of white space between elements, at most; more is read as any other text."""
_NO_TYPES: frozenset[str] = frozenset()

_NOTHING_KNOWN = Reading()


def walk(root: Element, reading: Reading = _NOTHING_KNOWN) -> Walk:
    """Return the document's blocks in reading order; each visible character is in exactly one."""
    body = body_of(root)
    walker = _Walker(reading, paths=[_path_to(body)])
    paths, steps = walker.paths, walker.steps
    events = etree.iterwalk(body, events=("start", "end"))
    for event, element in events:
        if event == "start":
            attributes = element.keys()
            if element is not body:
                steps[-1] += 0 if MADE in attributes else 2
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
        tail = element.tail  # a new string each time that it is asked for
        if tail and not (reading.cites and _is_between_marks(element, tail, reading)):
            walker.text(tail)
    walker.flush()
    pages = [mark for mark in walker.marks if isinstance(mark, _PageHere)]
    return Walk(tuple(walker.blocks), walker.skipped, pages[-1].label if pages else None)


def _path_to(body: Element) -> str:
    """Return the path from the root to the body, as in a CFI."""
    path = ""
    element: Element | None = body
    while element is not None and (parent := element.getparent()) is not None:
        path = f"/{2 * sum(1 for _ in element.itersiblings(preceding=True)) + 2}{path}"
        element = parent
    return path


def _is_between_marks(mark: Element, tail: str, reading: Reading) -> bool:
    """Return whether only a comma or a dash separates a note's mark from the next one, as in ¹,²."""
    if tail.strip() not in _SEPARATORS or not _cites(mark, reading):
        return False
    following = mark.getnext()
    return following is not None and _cites(following, reading)


def _cites(element: Element, reading: Reading) -> bool:
    """Return whether an element is a note's mark, or raises one and nothing else."""
    if element in reading.cites:
        return True
    raised = len(element) == 1 and not (element.text or element[0].tail or "").strip()
    return raised and local_name(element) == "sup" and element[0] in reading.cites


@dataclass(frozen=True, slots=True)
class _NoteHere:
    key: str


@dataclass(frozen=True, slots=True)
class _PageHere:
    label: str


@dataclass(slots=True)
class _Walker:
    reading: Reading
    paths: list[str]
    """Of the open elements, from the root, as in a CFI; empty where nobody has asked for it yet."""
    steps: list[int] = field(default_factory=lambda: [0])
    """In each open element, the step to the child that began last."""
    blocks: list[MarkupBlock] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    frames: list[Frame] = field(default_factory=lambda: [Frame()])
    parts: list[str] = field(default_factory=list)
    sources: list[TextNode] = field(default_factory=list)
    marks: list[_NoteHere | _PageHere] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    anchor: str | None = None
    n_groups: int = 0
    break_before: bool = False
    blank_before: bool = False

    def open(self, element: Element, attributes: Sequence[str]) -> bool:
        """Handle the start of an element; return whether its content is to be walked.

        To have the names of its attributes is cheaper than to ask the element for each of them.
        """
        name = local_name(element)
        if self._is_block(element, name):
            self._open_block(element, name, attributes)
        if attributes and self._begins_page(element, attributes):
            return self._skip(element, "page_number")
        if (key := self.reading.cites.get(element)) is not None:
            if key:
                self._mark(_NoteHere(key))
            return self._skip(element, "note_mark")
        if element in self.reading.backlinks:
            return self._skip(element, "note_mark")
        if name in UNSEEN:
            return self._skip(element, "ruby") if name in ("rt", "rtc") else False
        if is_skipped_case(element, name):
            return self._skip(element, "hidden")
        if _may_hide(attributes) and is_hidden(element) and self.frames[-1].element is not element:
            return self._skip(element, "hidden")
        return self._enter(element, name)

    def _begins_page(self, element: Element, attributes: Sequence[str]) -> bool:
        """Return whether an element holds the label of a page; its id and the page are remembered."""
        id = identifier(element) if _may_name(attributes) else None
        if id:
            self.anchors.append(id)
            if label := self.reading.pages.get(id):
                self._mark(_PageHere(label))
        if _DECLARING.isdisjoint(attributes) or (label := page_label(element)) is None:
            return False
        if not (id and id in self.reading.pages):
            self._mark(_PageHere(label))
        return True

    def _skip(self, element: Element, kind: str) -> bool:
        """Count the words of an element that is not walked; return False, as `open` does."""
        text = link_text(element) if kind == "note_mark" else text_of(element)
        self.skipped[kind] += count_words(clean(text))
        return False

    def close(self, element: Element) -> None:
        """Handle the end of an element."""
        if self.frames[-1].element is element:
            self.flush()
            self.frames.pop()
        elif self.frames[-1].table:
            self._close_in_table(local_name(element))
        elif self.frames[-1].lines and local_name(element) in BLOCKS:
            self.parts.append("\n")

    def flush(self) -> None:
        """Turn the text so far into a block.

        If it is empty or an ornament, its marks and ids wait for the next one.
        """
        parts, sources = self.parts, self.sources
        if not parts:
            return  # between two blocks, as most often
        frame = self.frames[-1]
        raw = "".join(parts)
        self.parts, self.sources = [], []
        if not raw or raw.isspace():
            return
        text, offsets = lift_marks(_cleaned(raw, frame.kind))
        if frame.region is None and frame.kind not in _AS_TYPED and is_ornament(text):
            self.skipped["ornament"] += count_words(text)
            self.break_before = True
            text = ""
        if not text:
            if self.marks:
                self.parts.extend(MARK for _ in self.marks)
            return
        notes, pages = self._placed(text, offsets) if self.marks else ((), ())
        self.blocks.append(
            MarkupBlock(
                kind=frame.kind,
                text=text,
                rank=frame.rank if frame.sectioning else 0,
                group=frame.group,
                anchors=tuple(self.anchors),
                anchor=self.anchor,
                notes=notes,
                pages=pages,
                region=frame.region,
                break_before=self.break_before,
                blank_before=self.blank_before,
                source=anchors_of(self.reading.cfi, parts, sources, raw, text) if self.reading.cfi else "",
            )
        )
        self.break_before = self.blank_before = False
        self.anchors.clear()

    def _placed(self, text: str, offsets: Sequence[int]) -> tuple[tuple[NoteMark, ...], tuple[PageMark, ...]]:
        """Return the marks of a block at their offsets; pages that begin at its end wait for the next."""
        placed = list(zip(self.marks, offsets, strict=True))
        notes = [NoteMark(len(text[:at].rstrip()), m.key) for m, at in placed if isinstance(m, _NoteHere)]
        pages = [(at, m) for m, at in placed if isinstance(m, _PageHere)]
        self.marks = [m for at, m in pages if at == len(text)]
        self.parts.extend(MARK for _ in self.marks)
        return tuple(notes), tuple(PageMark(at, None, m.label) for at, m in pages if at < len(text))

    def _is_block(self, element: Element, name: str) -> bool:
        if element in self.reading.regions:
            return True
        if name not in BLOCKS:
            return False
        frame = self.frames[-1]
        if frame.lines:
            return False
        if frame.table:
            return name in ("caption", "table") or name in HEADINGS
        return name in ("caption", "tr") if frame.play else True

    def _open_block(self, element: Element, name: str, attributes: Sequence[str]) -> None:
        self.flush()
        if name == "hr" or "class" in attributes:
            self.break_before = self.break_before or is_break(element, name)
        self.blank_before = self.blank_before or is_blank(element, name)
        if _may_name(attributes) and (id := identifier(element)):
            self.anchor = id
        parent = self.frames[-1]
        own_types = types(element) if attributes else _NO_TYPES
        region = self.reading.regions.get(element) or parent.region
        if _may_hide(attributes) and is_hidden(element) and element not in self.reading.regions:
            region = Region("hidden")
        kind = kind_of(element, name, own_types, parent)
        group = parent.group
        if name in ("hgroup", "header"):
            self.n_groups += 1
            group = self.n_groups
        self.frames.append(
            Frame(
                element=element,
                kind=kind,
                rank=rank_of(element, name, kind, parent),
                group=group,
                table=kind is BlockKind.TABLE or (parent.play and name == "tr"),
                play=is_speeches(element, name, parent),
                lines=kind is BlockKind.VERSE and is_stanza(element),
                verse=parent.verse or (bool(attributes) and is_verse(element, own_types)),
                sectioning=parent.sectioning
                and name not in ("blockquote", "li", "dd", "figure", "aside", "table", "td", "th"),
                region=region,
            )
        )

    def _enter(self, element: Element, name: str) -> bool:
        frame = self.frames[-1]
        if name == "br":
            self._break_line(" " if frame.table and not in_verse(element, frame) else "\n")
        elif name == "img":
            self._image(element)
        elif name == "math":
            self._described(_WHITE.sub(" ", without_noncharacters(formula(element))))
            return False
        elif frame.table and name in BLOCKS:
            self.parts.append(" ")
        self.text(element.text)
        return True

    def _break_line(self, end: str) -> None:
        """Add the end of a line in place of the white space before it, which cleaning would remove."""
        if self.parts and self.parts[-1] == " " and self.frames[-1].kind is not BlockKind.CODE:
            self.parts[-1] = end
        else:
            self.parts.append(end)

    def _close_in_table(self, name: str) -> None:
        if name == "tr":
            self.parts.append("\n")
        elif name in ("td", "th"):
            self.parts.append("\n" if self.frames[-1].play else CELL)
        elif name in BLOCKS:
            self.parts.append("\n\n" if self.frames[-1].play else " ")

    def _image(self, element: Element) -> None:
        if is_ornamental_image(element):
            self.flush()
            self.break_before = True
            self.skipped["ornament"] += count_words(element.get("alt") or "")
            return
        alternative = _WHITE.sub(" ", without_noncharacters(element.get("alt") or "")).strip()
        if not alternative or types(element) & {"presentation", "none"}:
            return
        if self.frames[-1].table or is_inline_image(element):
            self._described(f" {alternative} " if len(alternative) > 1 else alternative)
            return
        self.flush()
        parent = self.frames[-1]
        self.frames.append(Frame(kind=BlockKind.CAPTION, region=parent.region))
        self._described(alternative)
        self.flush()
        self.frames.pop()

    def _described(self, text: str) -> None:
        """Add the text of an element that has no text nodes: the one that the walk has reached."""
        if self.reading.cfi:
            self.sources.append(TextNode(len(self.parts), self._path(), text, has_offsets=False))
        self.parts.append(text)

    def _path(self) -> str:
        """Return the path to the open element."""
        paths = self.paths
        if path := paths[-1]:
            return path
        # The path of the body may be empty: in a fragment, it is the root.
        known = max(len(paths) - 2, 0)
        while known and not paths[known]:
            known -= 1
        for depth in range(known + 1, len(paths)):
            paths[depth] = f"{paths[depth - 1]}/{self.steps[depth - 1]}"
        return paths[-1]

    def _mark(self, mark: _NoteHere | _PageHere) -> None:
        self.marks.append(mark)
        self.parts.append(MARK)

    def text(self, text: str | None) -> None:
        """Add characters of the node that the walk has reached to the current block."""
        if not text:
            return
        as_typed = self.frames[-1].kind is BlockKind.CODE
        if len(text) <= _LONGEST_WHITE and text.isspace():
            if not as_typed and (not self.parts or self.parts[-1] == "\n"):
                return  # between two blocks, as most often, or at the beginning of a line
            self.parts.append(text if as_typed else _collapsed(text))
            return
        if self.reading.cfi and not text.isspace():
            path = f"{self._path()}/{self.steps[-1] + 1}"
            self.sources.append(TextNode(len(self.parts), path, text))
        # Printable are no white space but plain spaces, and no noncharacters.
        if not text.isprintable():
            text = without_noncharacters(text)
            text = text if as_typed else _WHITE.sub(" ", text)
        elif "  " in text and not as_typed:
            text = _WHITE.sub(" ", text)
        self.parts.append(text)


@lru_cache(maxsize=256)  # a book has the same few between its elements
def _collapsed(white: str) -> str:
    return _WHITE.sub(" ", white)


def _may_name(attributes: Sequence[str]) -> bool:
    return "id" in attributes or "name" in attributes


def _may_hide(attributes: Sequence[str]) -> bool:
    return "hidden" in attributes or "style" in attributes


def _cleaned(text: str, kind: BlockKind) -> str:
    if kind is BlockKind.CODE:
        return clean_code(text)
    if kind is BlockKind.TABLE:
        return clean_rows(text)
    return one_line(text) if kind is BlockKind.HEADING else clean(text)
