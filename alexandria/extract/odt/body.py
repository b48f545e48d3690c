"""Rewrites the text and the notes of an OpenDocument text as XHTML, as a reader sees them.

A story is a text of its own: the body of the document, a note or a text box.

Tracked changes are read as accepted. Unknown elements are entered: none of their text may be lost.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from operator import itemgetter

from lxml import etree

from alexandria.book.model import count_words
from alexandria.extract.clean import clean
from alexandria.extract.markup.tree import Element, has_text, local_name, text_of
from alexandria.extract.numerals import stated_number
from alexandria.extract.odt.styles import OdtLists, OdtStyles, attribute_named
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.styles import (
    CONTENTS,
    ILLUSTRATIONS,
    INDEX,
    LIST_ITEM,
    PLAIN,
    Shape,
    heading_shape,
)
from alexandria.extract.words import read_words

_MATTER = {
    **{"table-of-content": CONTENTS, "alphabetical-index": INDEX, "user-index": INDEX},
    **dict.fromkeys(("illustration-index", "table-index", "object-index"), ILLUSTRATIONS),
}
# Declarations, templates of indexes, repeated numbers, macros, and what is read elsewhere or has no text.
_WORDS = read_words("office")
_SKIPPED = frozenset(_WORDS["odt skipped"].split("|"))
_BLOCKS = frozenset(["p", "h", "list", "table", "section"])
_GRAPHICS = frozenset(_WORDS["odt graphics"].split("|"))
_HIDEABLE_FIELDS = ("hidden-text", "variable-set", "user-field-get")
_ANCHORED = _GRAPHICS | {"note", "annotation"}
_SPACES = ("s", "tab", "line-break")
_MAX_SPACES = 1000  # spaces that one element may stand for, whatever number a damaged or hostile file states

ReadFormula = Callable[[str], Element | None]
"""A function that returns the formula in an embedded object, by the object's reference, or None."""


@dataclass(slots=True)
class OdtFindings:
    """What is found in a file besides its text."""

    notes: list[tuple[str, Element]] = field(default_factory=list)
    """The id under which each note is cited, with the note, in order."""
    n_deleted: int = 0  # deleted words
    n_commented: int = 0  # words of comments


@dataclass(slots=True)
class OdtStory:
    """Writes a story to a page."""

    styles: OdtStyles
    page: XhtmlPage
    findings: OdtFindings
    formula_in: ReadFormula  # returns the formula in an embedded object
    shape: Shape | None = None  # the shape of all paragraphs here, if the element around them determines it
    lists: OdtLists = field(default_factory=OdtLists)  # counts the items of lists and the headings
    number: str = ""  # the number of the open item, until its first paragraph
    boxes: list[Element] = field(default_factory=list)
    """Frames with blocks that are anchored in the open paragraph; they are written after the paragraph."""

    def write(self, root: Element) -> None:
        """Write the content of the element that holds the story."""
        self._write_blocks(root)

    def write_notes(self) -> None:
        """Write the notes cited in the text, and the notes cited in notes."""
        # Without notes, the list is empty, and adds nothing to the book.
        with self.page.inside("ol", role="doc-endnotes"):
            for id, note in self.findings.notes:  # the loop extends the list: notes can cite notes
                with self.page.inside("li", id=id, role="doc-footnote"):
                    self._write_blocks(note)

    def _write_blocks(self, parent: Element) -> None:
        """Write the content of an element that can hold paragraphs, lists and tables."""
        for element in parent:
            name = local_name(element)
            if name in ("p", "h"):
                self._write_paragraph(element, name)
            elif name == "list":
                first = next(element.iter("{*}p", "{*}h"), element)
                self.lists.begin(element, self.styles.list_style_of(attribute_named(first, "style-name")))
                self._write_in_shape(LIST_ITEM if self.shape is None else self.shape, element)
                self.lists.end()
            elif name == "list-item":
                self.number = self.lists.number_of_item(element)
                self._write_blocks(element)
                self.number = ""
            elif name in _MATTER:
                self._write_in_shape(_MATTER[name], element)
            elif name == "table":
                self._write_table(element)
            elif name == "tracked-changes":
                self._count_changes(element)
            elif name == "annotation":
                self.findings.n_commented += count_paragraph_words(element)
            elif name in _SKIPPED:
                continue
            elif name == "section" and _is_hidden(element):
                self._write_hidden_section(element)
            elif name in _GRAPHICS:
                self._write_graphic(element)
                self._end_paragraph()
            elif any(local_name(e) in _BLOCKS for e in element.iterdescendants()):
                self._write_blocks(element)
            else:
                self._write_loose_inline(element, name)
        self._end_paragraph()

    def _count_changes(self, changes: Element) -> None:
        """Add the words of tracked changes to the counts: what was deleted, and comments on changes."""
        for part in changes.iter("{*}deletion", "{*}change-info"):
            if local_name(part) == "change-info":
                self.findings.n_commented += count_paragraph_words(part)
            elif not any(local_name(outer) == "deletion" for outer in part.iterancestors()):
                self.findings.n_deleted += count_paragraph_words(part)

    def _write_in_shape(self, shape: Shape, element: Element) -> None:
        """Write the content of an element that determines the shape of all paragraphs in it."""
        outer_shape, self.shape = self.shape, shape
        self._write_blocks(element)
        self.shape = outer_shape

    def _write_loose_inline(self, element: Element, name: str) -> None:
        """Write an inline element that is outside any paragraph, where it should not be."""
        if has_text(element) and not self.page.in_paragraph:
            self.page.begin_paragraph(self.shape or PLAIN)
        self._write_inline_element(element, name)

    def _write_hidden_section(self, section: Element) -> None:
        self.page.begin_paragraph()
        self.page.write_hidden(" ".join(_paragraph_texts(section)))
        self._end_paragraph()

    def _write_paragraph(self, element: Element, name: str) -> None:
        style = attribute_named(element, "style-name")
        self.page.begin_paragraph(self._shape_of(element, name, style))
        number = self.number or self.lists.number_of_heading(element, _outline_level(element))
        if number and (self.shape is None or not self.shape.matter) and has_text(element):
            self.page.write_text(f"{number} ")
            self.number = ""
        self.page.set_style(self.styles.style_of(element, style))
        fields = element.iter("{*}hidden-paragraph")
        if self.styles.format_of("paragraph", style).hidden or any(map(_is_hidden, fields)):
            self._write_hidden(element)
        else:
            self._write_inline(element)
        self._end_paragraph()

    def _shape_of(self, element: Element, name: str, style: str) -> Shape:
        """Return the shape of a paragraph or a heading."""
        # The element around it determines the shape, except that a list may contain headings, and paragraphs
        # in a style with a shape of its own.
        if self.shape is not None and self.shape is not LIST_ITEM:
            return self.shape
        if name == "h":
            return heading_shape(_outline_level(element))
        shape_of_style = self.styles.shape_of(style)
        if self.shape is LIST_ITEM and shape_of_style is PLAIN:
            return LIST_ITEM
        return shape_of_style

    def _end_paragraph(self) -> None:
        """End the open paragraph, and write the boxes anchored in it."""
        self.page.end_paragraph()
        boxes, self.boxes = self.boxes, []  # emptied first: writing a box ends paragraphs again
        for box in boxes:
            with self.page.inside("div"):
                self._write_blocks(box)

    def _write_table(self, table: Element) -> None:
        """Write a table, in which paragraphs have their own shapes again."""
        with self.page.inside("table"):
            outer_shape, self.shape = self.shape, None
            for row in _table_rows(table):
                with self.page.inside("tr"):
                    for cell in row:
                        if local_name(cell) in ("table-cell", "covered-table-cell"):
                            with self.page.inside("td"):
                                self._write_blocks(cell)
            self.shape = outer_shape

    def _write_inline(self, parent: Element) -> None:
        self._write_text(parent.text)
        for element in parent:
            self._write_inline_element(element, local_name(element))
            self._write_text(element.tail)

    def _write_inline_element(self, element: Element, name: str) -> None:
        """Write one inline element; a block inside a paragraph is kept until the paragraph ends."""
        if name == "span":
            self._write_span(element)
        elif name == "s":
            self.page.write_text(" " * _count_spaces(attribute_named(element, "c")))
        elif name == "tab":
            self.page.write_text("\t")
        elif name == "line-break":
            self.page.write_void("br")
        elif name == "note":
            self._write_mark(element)
        elif name == "annotation":
            self.findings.n_commented += count_paragraph_words(element)
        elif name in ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start"):
            if id := attribute_named(element, "name"):
                self.page.write_anchor(id)
        elif name == "hidden-paragraph" or (name in _HIDEABLE_FIELDS and _is_hidden(element)):
            self._write_hidden(element)
        elif name == "ruby":
            self._write_ruby(element)
        elif name == "a" and (target := attribute_named(element, "href")).startswith("#"):
            with self.page.inside("a", href=target):
                self._write_inline(element)
        elif name in _GRAPHICS:
            self._write_graphic(element)
        elif name in _BLOCKS:
            self.boxes.append(element)
        elif name not in _SKIPPED:
            self._write_inline(element)

    def _write_span(self, element: Element) -> None:
        """Write a span of characters in a style: hidden, raised or plain."""
        character_format = self.styles.format_of("text", attribute_named(element, "style-name"))
        if character_format.hidden:
            self._write_hidden(element)
        elif character_format.raised and not len(element):
            self.page.write_inline(character_format.raised, element.text or "")
        else:
            self._write_inline(element)

    def _write_text(self, text: str | None) -> None:
        if text:
            self.page.write_text(text)

    def _write_hidden(self, element: Element) -> None:
        self.page.write_hidden(text_of(element))

    def _write_mark(self, element: Element) -> None:
        """Write the mark of a note, and add the note to the notes that `write_notes` writes after the text.

        In a damaged file, a note may lack its body; its mark is then text.
        """
        parts = {local_name(e): e for e in element}
        citation, body = parts.get("note-citation"), parts.get("note-body")
        mark = text_of(citation) if citation is not None else ""
        if body is None:
            self.page.write_text(mark)
            return
        id = f"note-{len(self.findings.notes) + 1}"
        self.findings.notes.append((id, body))
        self.page.cite(id, mark or "*")

    def _write_ruby(self, element: Element) -> None:
        """Write characters with their reading (`ruby-text`), which XHTML calls `rt`."""
        with self.page.inside("ruby"):
            for part in element:
                if local_name(part) == "ruby-text":
                    with self.page.inside("rt"):
                        self._write_inline(part)
                else:
                    self._write_inline(part)

    def _write_graphic(self, element: Element) -> None:
        """Write the formulas in a graphic or, if it has none, its alternative text: its description or title.

        Of several descriptions, the outermost is written, which describes the whole graphic. The text boxes
        in it are added to `boxes`; if there are any, the alternative text is dropped.
        """
        boxes, formulas = [], []
        alternatives: list[tuple[bool, int, str]] = []  # whether it is a title, how deep it is, its text
        stack = [(element, 0)]
        while stack:
            part, depth = stack.pop()
            name = local_name(part)
            if name == "annotation":
                self.findings.n_commented += count_paragraph_words(part)
                continue
            if name == "text-box" or any(local_name(e) in _BLOCKS for e in part):
                boxes.append(part)
                continue
            if name in ("desc", "title") and (text := text_of(part)):
                alternatives.append((name == "title", depth, text))
            elif name == "object" and (formula := self._find_formula(part)) is not None:
                formulas.append(formula)
            stack += ((child, depth + 1) for child in reversed(part))  # the first child is popped first
        self.boxes += boxes
        for formula in formulas:
            self.page.insert(formula)
        if alternatives and not boxes and not formulas:
            _, _, text = min(alternatives, key=itemgetter(0, 1))  # the first of those that are equally deep
            self.page.write_void("img", alt=text)

    def _find_formula(self, element: Element) -> Element | None:
        """Return the formula in an object, or in the embedded object it refers to; None if there is none."""
        math = next((e for e in element if local_name(e) == "math"), None)
        if math is not None:
            return deepcopy(math)
        return self.formula_in(attribute_named(element, "href"))


def _is_hidden(element: Element) -> bool:
    """Return whether a section or a field says that it is not shown."""
    return attribute_named(element, "display") == "none" or attribute_named(element, "is-hidden") == "true"


def _outline_level(element: Element) -> int:
    """Return the level of a heading, from 1 on, or 1 if it is not stated or not a small number."""
    return stated_number(attribute_named(element, "outline-level")) or 1


def _table_rows(parent: Element) -> Iterator[Element]:
    """Yield the rows of a table, including rows in groups, but not the rows of nested tables."""
    for element in parent:
        if local_name(element) == "table-row":
            yield element
        elif local_name(element) not in ("table", "table-cell", *_SKIPPED):
            yield from _table_rows(element)


def _count_spaces(count: str) -> int:
    """Return how many spaces an element stands for, up to `_MAX_SPACES`; 1 if it states no valid number."""
    # Python refuses to parse thousands of digits.
    is_number = count.isascii() and count.isdigit() and len(count) < 9
    return min(int(count), _MAX_SPACES) if is_number else 1


def count_paragraph_words(element: Element) -> int:
    """Return how many words the paragraphs in an element have; see `_paragraph_texts`."""
    return sum(count_words(clean(text)) for text in _paragraph_texts(element))


def _paragraph_texts(element: Element) -> list[str]:
    """Return the text of each paragraph in an element, without comments on tracked changes."""
    # A box, a note or a comment is not part of the paragraph in which it is anchored; its labels and names,
    # and those of a change, do not count.
    texts: list[list[str]] = []
    open_texts: list[list[str]] = [[]]  # of each open element, the text to which its characters belong
    events = etree.iterwalk(element, events=("start", "end"))
    for event, part in events:
        name = local_name(part)
        if event == "end":
            open_texts.pop()
            open_texts[-1].append(part.tail or "")
            continue
        if name in ("p", "h"):
            texts.append([])
            open_texts.append(texts[-1])
        elif name in _ANCHORED:
            open_texts.append([])  # belongs to no paragraph
        else:
            open_texts.append(open_texts[-1])
        open_texts[-1].append(" " if name in _SPACES else part.text or "")
        if name == "change-info" and part is not element:
            events.skip_subtree()
    return ["".join(text) for text in texts]
