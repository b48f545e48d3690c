"""OpenDocument text to XHTML: the text and the notes as a reader sees them.

Changes are read as accepted. Elements that are not known here are entered: none of their text is lost.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from alexandria.book import count_words
from alexandria.extract.clean import clean
from alexandria.extract.markup.tree import Element, has_text, local_name, text_of
from alexandria.extract.odt.styles import OdtStyles, attribute_named
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.styles import CONTENTS, ILLUSTRATIONS, INDEX, LIST_ITEM, PLAIN, Shape, heading

_MATTER = {
    "table-of-content": CONTENTS,
    "alphabetical-index": INDEX,
    "user-index": INDEX,
    "illustration-index": ILLUSTRATIONS,
    "table-index": ILLUSTRATIONS,
    "object-index": ILLUSTRATIONS,
}
# Declarations, the patterns of indexes, what repeats a number that is printed, and macros.
_SKIPPED = frozenset([
    "sequence-decls", "variable-decls", "user-field-decls", "dde-connection-decls", "forms", "number",
    "event-listeners", "table-of-content-source", "alphabetical-index-source", "user-index-source",
    "illustration-index-source", "table-index-source", "object-index-source", "bibliography-source", "script",
    "note-citation", "ruby-text", "title", "desc", "soft-page-break", "image-map", "glue-point",
])  # fmt: skip
_BLOCKS = frozenset(["p", "h", "list", "table", "section"])
_DRAWN = frozenset([
    "frame", "custom-shape", "rect", "line", "ellipse", "circle", "polygon", "polyline", "path", "connector",
    "caption", "measure", "g", "control", "regular-polygon",
])  # fmt: skip
_LARGEST_SPACE = 1000
"""Spaces that one element may stand for."""

ReadFormula = Callable[[str], Element | None]
"""Returns the formula in an embedded object, by its reference, or None."""


@dataclass(slots=True)
class OdtFindings:
    """What of a file is not text."""

    notes: list[tuple[str, Element]] = field(default_factory=list)
    """The notes with the ids by which they are cited, in order."""
    n_deleted: int = 0
    n_commented: int = 0


@dataclass(slots=True)
class OdtStory:
    """Writes a story to a page."""

    styles: OdtStyles
    page: XhtmlPage
    findings: OdtFindings
    formula_in: ReadFormula
    shape: Shape | None = None
    """Of all paragraphs, where what holds them decides."""
    boxes: list[Element] = field(default_factory=list)
    """Frames with blocks that are anchored in the open paragraph: they follow it."""

    def write(self, root: Element) -> None:
        """Write the content of the element that holds the story."""
        self._blocks(root)

    def write_notes(self) -> None:
        """Write the notes that are cited so far, and those cited in them."""
        self.page.begin("ol", role="doc-endnotes")
        for id, note in self.findings.notes:  # which grows by the notes cited in notes
            self.page.begin("li", id=id, role="doc-footnote")
            self._blocks(note)
            self.page.end()
        self.page.end()

    def _blocks(self, parent: Element) -> None:
        for element in parent:
            name = local_name(element)
            if name in ("p", "h"):
                self._paragraph(element, name)
            elif name == "list":
                self._in_shape(LIST_ITEM if self.shape is None else self.shape, element)
            elif name in _MATTER:
                self._in_shape(_MATTER[name], element)
            elif name == "table":
                self._table(element)
            elif name == "tracked-changes":
                for change in element.iter("{*}deletion"):
                    self.findings.n_deleted += paragraph_words(change)
            elif name in _SKIPPED:
                continue
            elif name in _DRAWN:
                self._drawn(element)
                self._end_paragraph()
            elif _holds_blocks(element):
                self._blocks(element)
            else:
                self._loose(element, name)
        self._end_paragraph()

    def _in_shape(self, shape: Shape, element: Element) -> None:
        before, self.shape = self.shape, shape
        self._blocks(element)
        self.shape = before

    def _loose(self, element: Element, name: str) -> None:
        """Write what should be in a paragraph and is not."""
        if has_text(element) and not self.page.in_paragraph:
            self.page.begin_paragraph(self.shape or PLAIN)
        self._element(element, name)

    def _paragraph(self, element: Element, name: str) -> None:
        style = attribute_named(element, "style-name")
        if name == "h" and (self.shape is None or self.shape is LIST_ITEM):
            level = attribute_named(element, "outline-level")
            shape = heading(int(level) if level.isascii() and level.isdigit() and len(level) < 3 else 1)
        else:
            own, given = self.styles.shape_of(style), self.shape
            shape = own if given is None or (given is LIST_ITEM and own is not PLAIN) else given
        self.page.begin_paragraph(shape)
        if self.styles.characters_of("paragraph", style).hidden:
            self._hide(element)
        else:
            self._inline(element)
        self._end_paragraph()

    def _end_paragraph(self) -> None:
        self.page.end_paragraph()
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            self.page.begin("div")
            self._blocks(box)
            self.page.end()

    def _table(self, table: Element) -> None:
        self.page.begin("table")
        shape, self.shape = self.shape, None
        for row in _within(table, "table-row"):
            self.page.begin("tr")
            for cell in row:
                if local_name(cell) in ("table-cell", "covered-table-cell"):
                    self.page.begin("td")
                    self._blocks(cell)
                    self.page.end()
            self.page.end()
        self.shape = shape
        self.page.end()

    def _inline(self, parent: Element) -> None:
        """Write the text in an element, and what follows each element in it."""
        self._text(parent.text)
        for element in parent:
            self._element(element, local_name(element))
            self._text(element.tail)

    def _element(self, element: Element, name: str) -> None:
        if name == "span":
            self._span(element)
        elif name == "s":
            self.page.text(" " * _n_spaces(attribute_named(element, "c")))
        elif name == "tab":
            self.page.text("\t")
        elif name == "line-break":
            self.page.void("br")
        elif name == "note":
            self._note(element)
        elif name == "annotation":
            self.findings.n_commented += paragraph_words(element)
        elif name in ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start"):
            if id := attribute_named(element, "name"):
                self.page.anchor(id)
        elif name in ("hidden-text", "hidden-paragraph"):
            self._hide(element)
        elif name == "ruby":
            self._ruby(element)
        elif name == "a" and (target := attribute_named(element, "href")).startswith("#"):
            self.page.begin("a", href=target)
            self._inline(element)
            self.page.end()
        elif name in _DRAWN:
            self._drawn(element)
        elif name in _BLOCKS:
            self.boxes.append(element)
        elif name not in _SKIPPED:
            self._inline(element)

    def _span(self, element: Element) -> None:
        how = self.styles.characters_of("text", attribute_named(element, "style-name"))
        if how.hidden:
            self._hide(element)
        elif how.raised and not len(element):
            self.page.inline(how.raised, element.text or "")
        else:
            self._inline(element)

    def _text(self, text: str | None) -> None:
        if text:
            self.page.text(text)

    def _hide(self, element: Element) -> None:
        self.page.hidden(text_of(element))

    def _note(self, element: Element) -> None:
        parts = {local_name(e): e for e in element}
        id = f"note-{len(self.findings.notes) + 1}"
        citation, body = parts.get("note-citation"), parts.get("note-body")
        mark = text_of(citation) if citation is not None else ""
        if body is not None:
            self.findings.notes.append((id, body))
        self.page.cite(id, mark or "*")

    def _ruby(self, element: Element) -> None:
        self.page.begin("ruby")
        for part in element:
            if local_name(part) == "ruby-text":
                self.page.begin("rt")
                self._inline(part)
                self.page.end()
            else:
                self._inline(part)
        self.page.end()

    def _drawn(self, element: Element) -> None:
        """Write what a picture shows in place of itself; its text boxes follow the paragraph."""
        boxes, formulas, alternatives = [], [], []
        waiting = [element]
        while waiting:
            part = waiting.pop()
            name = local_name(part)
            if name == "text-box" or any(local_name(e) in _BLOCKS for e in part):
                boxes.append(part)
                continue
            if name in ("desc", "title"):
                alternatives.append((name != "desc", text_of(part)))
            elif name == "object" and (math := self._math(part)) is not None:
                formulas.append(math)
            waiting += reversed(part)
        self.boxes += boxes
        for math in formulas:
            self.page.insert(math)
        texts = [text for _, text in sorted(alternatives) if text]
        if texts and not boxes and not formulas:
            self.page.void("img", alt=texts[0])

    def _math(self, element: Element) -> Element | None:
        inside = next((e for e in element if local_name(e) == "math"), None)
        return deepcopy(inside) if inside is not None else self.formula_in(attribute_named(element, "href"))


def _holds_blocks(element: Element) -> bool:
    return any(local_name(e) in _BLOCKS for e in element.iterdescendants())


def _within(parent: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table, also those in groups."""
    for element in parent:
        if local_name(element) == name:
            yield element
        elif local_name(element) not in ("table", "table-cell", *_SKIPPED):
            yield from _within(element, name)


def _n_spaces(count: str) -> int:
    return (
        min(int(count), _LARGEST_SPACE) if count.isascii() and 0 < len(count) < 9 and count.isdigit() else 1
    )


def paragraph_words(element: Element) -> int:
    """Return the words of the paragraphs in an element, but not who wrote them and when."""
    paragraphs = (e for e in element.iter() if local_name(e) in ("p", "h"))
    return sum(count_words(clean(text_of(each))) for each in paragraphs)
