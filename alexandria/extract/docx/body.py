"""Rewrites the stories of a Word file (its text, its notes) as XHTML, as a reader sees them.

A story is a text of its own: the body of the document or a note.

Tracked changes are read as accepted. Unknown elements are entered: a later version of Word may add
elements, and no text in them may be lost.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from alexandria.book.model import count_words
from alexandria.extract.clean import clean
from alexandria.extract.docx.fields import Fields, are_balanced
from alexandria.extract.docx.numbering import Numbering
from alexandria.extract.docx.styles import RunFormat, WordStyles, child_named, own_attribute, value_of
from alexandria.extract.markup.elements import formula
from alexandria.extract.markup.tree import Element, has_text, local_name
from alexandria.extract.numerals import format_number
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.styles import CONTENTS, Shape
from alexandria.extract.words import read_words

_DELETED = frozenset(["del", "movefrom"])
# Properties, and elements without text.
_WORDS = read_words("office")
_SKIPPED = frozenset(_WORDS["docx skipped"].split("|"))
_INLINE = frozenset(["r", "hyperlink", "fldsimple", "t", "omath"])
_BLOCKS = frozenset(["p", "tbl", "txbxcontent"])
_GRAPHICS = frozenset(["drawing", "pict", "object"])
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NOTES = {"footnotereference": "footnote", "endnotereference": "endnote"}
_CHARACTERS = {"tab": "\t", "ptab": "\t", "nobreakhyphen": "\u2011", "softhyphen": "\u00ad"}
_TRUE = ("1", "true", "on")
_PLAIN_RUN = RunFormat()
# Adobe's Symbol encoding from 0x20 on; a space where Unicode has no such character.
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ "
    "                                 ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…   ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇   ∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨   ∑"
)
_WINGDINGS = {int(code, 16): sign for code, sign in map(str.split, _WORDS["wingdings"].split("|"))}


@dataclass(slots=True)
class WordFindings:
    """What the stories of a file cite, and what in them is not text."""

    note_marks: dict[tuple[str, str], str] = field(default_factory=dict)
    """The marks of notes by kind and id, in the order in which they are first cited."""
    # Notes that have a number as their mark, by kind.
    n_numbered: Counter[str] = field(default_factory=Counter)
    n_deleted: int = 0  # deleted words
    n_unknown: Counter[str] = field(default_factory=Counter)
    """How many characters without a known Unicode character were found, by font."""


@dataclass(slots=True)
class WordStory:
    """Writes a story to a page."""

    styles: WordStyles
    page: XhtmlPage
    findings: WordFindings
    note_formats: dict[str, str]  # the number format of notes, by kind
    numbering: Numbering = field(default_factory=Numbering)  # counts the numbers of paragraphs
    fields: Fields = field(default_factory=Fields)
    shape: Shape | None = None  # the shape of all paragraphs here, if the element around them determines it
    boxes: list[Element] = field(default_factory=list)
    """Text boxes that are anchored in the open paragraph; they are written after the paragraph."""

    def write(self, root: Element) -> None:
        """Write the content of the element that holds the story."""
        self.fields = Fields(balanced=are_balanced(root))
        self._write_blocks(root)

    def _write_blocks(self, parent: Element) -> None:
        for element in parent:
            name = local_name(element)
            if name == "p":
                self._write_paragraph(element)
            elif name in _SKIPPED:
                continue
            elif name in _DELETED:
                self._count_deleted(element)
            elif name == "bookmarkstart":
                self._write_anchor(element)
            elif name == "tbl":
                self._end_paragraph()
                self._write_table(element)
            elif name == "alternatecontent":
                self._write_blocks(_choose_alternative(element))
            elif name == "sdt":
                self._write_content_control(element)
            elif name in _INLINE or not any(local_name(e) in _BLOCKS for e in element.iterdescendants()):
                self._write_loose_inline(element)
            else:
                self._write_blocks(element)
        self._end_paragraph()

    def _write_content_control(self, element: Element) -> None:
        """Write the content of a content control; Word puts a table of contents into one."""
        gallery = value_of(child_named(child_named(element, "sdtpr"), "docpartobj"), "docpartgallery")
        outer_shape = self.shape
        if gallery.casefold() == "table of contents":
            self._end_paragraph()
            self.shape = CONTENTS
        content = child_named(element, "sdtcontent")
        if content is not None:
            self._write_blocks(content)
        self.shape = outer_shape

    def _write_loose_inline(self, element: Element) -> None:
        """Write an inline element that is outside any paragraph, where it should not be."""
        if has_text(element) and not self.page.in_paragraph:
            self.page.begin_paragraph(self.shape or Shape())
        self._write_inline_element(element, local_name(element))

    def _write_paragraph(self, element: Element) -> None:
        """Write a paragraph; it may continue the paragraph before it, or be continued by the next one."""
        # The element around the paragraph or its style determines its shape, unless a field such as `TOC`
        # generates the paragraph.
        properties = child_named(element, "ppr")
        is_continuation = self.page.in_paragraph
        if not is_continuation:
            shape = self.shape or self.styles.shape_of(properties)
            if not shape.matter and (matter := self.fields.role_of_paragraph(element)):
                shape = Shape(matter=matter)
            self.page.begin_paragraph(shape)
            number = self.numbering.next_number(properties)
            if number and not shape.matter and has_text(element):
                self.page.write_text(f"{number} ")
            self.page.set_style(self.styles.style_of(element, properties))
        self._write_inline(element)
        if not _is_continued(properties):
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        """End the open paragraph, and write the text boxes anchored in it."""
        self.page.end_paragraph()
        boxes, self.boxes = self.boxes, []  # emptied first: writing a box ends paragraphs again
        for box in boxes:
            # Fields that are open in the paragraph do not extend into its boxes.
            outer_fields, self.fields = self.fields, Fields(balanced=self.fields.balanced)
            with self.page.inside("div"):
                self._write_blocks(box)
            self.fields = outer_fields

    def _write_table(self, table: Element) -> None:
        """Write a table, without deleted rows and cells, whose words are counted."""
        with self.page.inside("table"):
            for row in _table_parts(table, "tr", stop_at="tbl"):
                if child_named(child_named(row, "trpr"), "del") is not None:
                    self._count_deleted(row)
                    continue
                with self.page.inside("tr"):
                    for cell in _table_parts(row, "tc", stop_at="tr"):
                        if child_named(child_named(cell, "tcpr"), "celldel") is not None:
                            self._count_deleted(cell)
                            continue
                        with self.page.inside("td"):
                            self._write_blocks(cell)

    def _write_inline(self, parent: Element) -> None:
        for element in parent:
            self._write_inline_element(element, local_name(element))

    def _write_inline_element(self, element: Element, name: str) -> None:
        """Write one inline element; a block inside a paragraph is kept until the paragraph ends."""
        if name == "r":
            self._write_run(element)
        elif name in _DELETED:
            self._count_deleted(element)
        elif name == "bookmarkstart":
            self._write_anchor(element)
        elif (
            name == "hyperlink" and (target := own_attribute(element, "anchor")) and not self.fields.list_role
        ):
            with self.page.inside("a", href=f"#{target}"):
                self._write_inline(element)
        elif name in ("omath", "omathpara"):
            self._write_formula(element)
        elif name == "alternatecontent":
            self._write_inline(_choose_alternative(element))
        elif name in _GRAPHICS:
            self._write_graphic(element)
        elif name in _BLOCKS:
            self.boxes.append(element)
        elif name not in _SKIPPED:
            self._write_run_element(element, name, _PLAIN_RUN)

    def _write_run(self, run: Element) -> None:
        """Write a run: characters of one format, with the fields, pictures and marks of notes among them."""
        reference = next((e for e in run if local_name(e) in _NOTES), None)
        if reference is not None and own_attribute(reference, "customMarkFollows").lower() in _TRUE:
            typed_mark = "".join(map(_characters, run.iter())).strip()  # all text of such a run
            self._write_mark(reference, local_name(reference), typed_mark)
            return
        run_format = self.styles.run_of(child_named(run, "rpr"))
        for element in run:
            name = local_name(element)
            if name in ("fldchar", "instrtext"):
                self.fields.pass_element(element, name)
            elif name in _NOTES:
                self._write_mark(element, name, typed_mark="")
            elif name in _GRAPHICS:
                self._write_graphic(element)
            elif name == "alternatecontent":
                self._write_inline(_choose_alternative(element))
            elif name == "ruby":
                self._write_ruby(element)
            elif name not in _SKIPPED:
                self._write_run_element(element, name, run_format)

    def _write_run_element(self, element: Element, name: str, run_format: RunFormat) -> None:
        """Write the text that an element of a run stands for; an unknown element is entered."""
        if name == "t":
            text = element.text or ""
            self._write_text(text if element.get(_SPACE) == "preserve" else text.strip(" \t\r\n"), run_format)
        elif name in _CHARACTERS:
            self._write_text(_CHARACTERS[name], run_format)
        elif name in ("br", "cr"):
            if own_attribute(element, "type") in ("page", "column"):
                self.page.write_text(" ")
            else:
                self.page.write_void("br")
        elif name == "sym":
            self._write_symbol(element, run_format)
        elif name == "deltext":
            self.findings.n_deleted += count_words(clean(element.text or ""))
        else:
            self._write_inline(element)

    def _write_text(self, text: str, run_format: RunFormat) -> None:
        """Write characters in the format of their run; the characters of a field's code are hidden."""
        if not text:
            return
        if run_format.hidden or self.fields.in_code:
            self.page.write_hidden(text)
        elif run_format.raised:
            self.page.write_inline(run_format.raised, text)
        else:
            self.page.write_text(text)

    def _write_symbol(self, element: Element, run_format: RunFormat) -> None:
        """Write a character of a symbol font, or count it as unknown."""
        font = own_attribute(element, "font")
        character = decode_symbol(font, own_attribute(element, "char"))
        if character is None:
            self.findings.n_unknown[font] += 1
        else:
            self._write_text(character, run_format)

    def _write_formula(self, element: Element) -> None:
        """Write the symbols of a formula in a row, without their arrangement above and below each other."""
        if text := " ".join(formula(self._without_deleted(element)).split()):
            self._write_text(f" {text} ", _PLAIN_RUN)

    def _without_deleted(self, element: Element) -> Element:
        """Return an element, or a copy of it without its deleted parts, whose words are counted."""
        if not any(_is_deleted(part) for part in element.iter()):
            return element
        remaining = deepcopy(element)
        deleted = [part for part in remaining.iter() if _is_deleted(part)]
        for part in deleted:
            parent = part.getparent()
            if parent is not None and not any(map(_is_deleted, part.iterancestors())):
                self._count_deleted(part)
                parent.remove(part)
        return remaining

    def _write_ruby(self, element: Element) -> None:
        """Write a ruby: its base text, then the reading above it (`rt`), such as furigana."""
        with self.page.inside("ruby"):
            self._write_inline(element)
            if (reading := child_named(element, "rt")) is not None:
                with self.page.inside("rt"):
                    self._write_inline(reading)

    def _write_graphic(self, element: Element) -> None:
        """Write the first alternative text of a graphic, and its horizontal rules."""
        # The text boxes in it are added to `boxes`; if there are any, the alternative text is dropped.
        n_boxes_before = len(self.boxes)
        alternatives: list[str] = []
        stack = [element]
        while stack:
            part = stack.pop()
            name = local_name(part)
            if name in ("txbxcontent", "txbody"):
                self.boxes.append(part)
                continue
            if name == "docpr":
                alternatives += (part.get("descr", ""), part.get("title", ""))
            elif name == "textpath":
                alternatives.append(part.get("string", ""))
            elif name == "shape":
                alternatives.append(part.get("alt", ""))
            # In VML, a horizontal rule is a rectangle with the attribute `o:hr`.
            elif name == "rect" and any(str(key).endswith("}hr") for key in part.attrib):
                self.page.write_void("hr")
            # The first child is popped first.
            stack += reversed(_choose_alternative(part) if name == "alternatecontent" else part)
        text = next((text for text in alternatives if text.strip()), "")
        if text and len(self.boxes) == n_boxes_before:
            self.page.write_void("img", alt=text)

    def _write_anchor(self, element: Element) -> None:
        if name := own_attribute(element, "name"):
            self.page.write_anchor(name)

    def _write_mark(self, reference: Element, name: str, typed_mark: str) -> None:
        """Write the mark of a note; a note that is cited again keeps its number."""
        # `typed_mark`: the mark that the author typed; empty if the note is numbered.
        kind, id = _NOTES[name], own_attribute(reference, "id")
        marks = self.findings.note_marks
        if (kind, id) not in marks:
            marks[kind, id] = typed_mark or self._next_number(kind)
        self.page.cite(f"{kind}-{id}", typed_mark or marks[kind, id])

    def _next_number(self, kind: str) -> str:
        """Count one more numbered note of a kind, and return its number in the format of the kind."""
        self.findings.n_numbered[kind] += 1
        number = self.findings.n_numbered[kind]
        return format_number(number, self.note_formats.get(kind, "")) or str(number)

    def _count_deleted(self, element: Element) -> None:
        self.findings.n_deleted += count_words(clean(" ".join(paragraph_texts(element))))


def _is_continued(properties: Element | None) -> bool:
    """Return whether Word joins the next paragraph to this one: its mark was deleted, or it is a drop cap."""
    mark_properties = child_named(properties, "rpr")  # the properties of the paragraph mark
    if any(child_named(mark_properties, name) is not None for name in _DELETED):
        return True
    frame = child_named(properties, "framepr")
    return frame is not None and own_attribute(frame, "dropCap") in ("drop", "margin")


def _choose_alternative(element: Element) -> Element:
    """Return the first version of alternate content that has text, whether a choice or the fallback."""
    # If none has text, return the first version; the element itself if it has no versions.
    versions = [e for e in element if local_name(e) in ("choice", "fallback")]
    for version in versions:
        if any(local_name(inner) == "t" and inner.text for inner in version.iter()):
            return version
    return versions[0] if versions else element


def _is_deleted(element: Element) -> bool:
    return local_name(element) in _DELETED


def _table_parts(parent: Element, name: str, *, stop_at: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, including those inside content controls."""
    # `name`: the name of the elements to yield: `tr` or `tc`.
    # `stop_at`: the name of the elements that are not entered: nested tables (`tbl`) or rows (`tr`).
    for element in parent:
        element_name = local_name(element)
        if element_name == name:
            yield element
        elif element_name not in _SKIPPED and element_name != stop_at:
            container = _choose_alternative(element) if element_name == "alternatecontent" else element
            yield from _table_parts(container, name, stop_at=stop_at)


def _characters(element: Element) -> str:
    """Return the characters that an element itself stands for, whether deleted or not."""
    name = local_name(element)
    if name in ("t", "deltext"):
        return element.text or ""
    if name in ("tab", "br"):
        return " "
    if name == "sym":
        return decode_symbol(own_attribute(element, "font"), own_attribute(element, "char")) or ""
    return ""


def paragraph_texts(element: Element) -> list[str]:
    """Return the text outside paragraphs in an element, and the text of each paragraph; deleted text too.

    A box is not part of the paragraph in which it is anchored.
    """
    outside: list[str] = []
    texts = [outside]
    stack = [(element, outside)]  # each element with the text to which its characters belong
    while stack:
        part, text = stack.pop()
        if local_name(part) == "p":
            text = []
            texts.append(text)
        text.append(_characters(part))
        children = _choose_alternative(part) if local_name(part) == "alternatecontent" else part
        stack += ((child, text) for child in reversed(children))  # the first child is popped first
    return ["".join(text) for text in texts]


def decode_symbol(font: str, code: str) -> str | None:
    """Return the Unicode character for a character of a symbol font, or None if it is not known.

    Args:
        font: the name of the font, such as `Symbol`.
        code: the number of the character, hexadecimal; Word adds F000 to the numbers of symbol fonts.
    """
    try:
        number = int(code, 16)
    except ValueError:
        return None
    if not 0xE000 <= number <= 0xF8FF:  # outside Unicode's private use area: a character like any other
        return chr(number) if 0x20 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else None
    number &= 0xFF  # without F000
    if font.casefold() == "symbol":
        i = number - 0x20
        character = _SYMBOL[i].strip() if 0 <= i < len(_SYMBOL) else ""
        return character or None
    if font.casefold() == "wingdings":
        return _WINGDINGS.get(number)
    return None
