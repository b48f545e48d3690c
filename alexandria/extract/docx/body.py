"""WordprocessingML to XHTML: the stories of a Word file (its text, its notes) as a reader sees them.

Changes are read as accepted. Elements that are not known here are entered, so that what a later version of
Word puts around text loses none of it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from alexandria.book import count_words
from alexandria.extract.clean import clean
from alexandria.extract.docx.fields import Fields, are_balanced
from alexandria.extract.docx.styles import RunFormat, WordStyles, child_named, own_attribute, value_of
from alexandria.extract.docx.symbols import symbol
from alexandria.extract.markup.elements import formula
from alexandria.extract.markup.tree import Element, has_text, local_name
from alexandria.extract.office.page import XhtmlPage
from alexandria.extract.office.styles import CONTENTS, Shape

_DELETED = frozenset(["del", "movefrom"])
_CELL_DELETED = frozenset(["celldel"])
# Properties, and what has no text of its own.
_SKIPPED = frozenset([
    "ppr", "rpr", "tblpr", "tblgrid", "tblprex", "trpr", "tcpr", "sectpr", "sdtpr", "sdtendpr", "fldchar",
    "instrtext", "delinstrtext", "footnoteref", "endnoteref", "annotationref", "separator",
    "continuationseparator", "rt",
])  # fmt: skip
_INLINE = frozenset(["r", "hyperlink", "fldsimple", "t", "omath"])
_BLOCKS = frozenset(["p", "tbl", "txbxcontent"])
_GRAPHICS = frozenset(["drawing", "pict", "object"])
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NOTES = {"footnotereference": "footnote", "endnotereference": "endnote"}
_CHARACTERS = {"tab": "\t", "ptab": "\t", "nobreakhyphen": "\u2011", "softhyphen": "\u00ad"}
_PLAIN_RUN = RunFormat()


@dataclass(slots=True)
class WordFindings:
    """What the stories of a file refer to, and what of them is not text."""

    cited: dict[tuple[str, str], str] = field(default_factory=dict)
    """The marks of notes by kind and id, in the order in which they are first cited."""
    n_numbered: Counter[str] = field(default_factory=Counter)
    """How many notes have a number for their mark, by kind."""
    n_deleted: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    """Characters without a Unicode number, by their fonts."""


@dataclass(slots=True)
class WordStory:
    """Writes a story to a page."""

    styles: WordStyles
    page: XhtmlPage
    findings: WordFindings
    formats: dict[str, str]
    """How notes are numbered, by kind."""
    fields: Fields = field(default_factory=Fields)
    shape: Shape | None = None
    """Of all paragraphs, where what holds them decides."""
    boxes: list[Element] = field(default_factory=list)
    """Text boxes that are anchored in the open paragraph: they follow it."""

    def write(self, root: Element) -> None:
        """Write the content of the element that holds the story."""
        self.fields = Fields(balanced=are_balanced(root))
        self._blocks(root)

    def _blocks(self, parent: Element) -> None:
        for element in parent:
            name = local_name(element)
            if name == "p":
                self._paragraph(element)
            elif name in _SKIPPED:
                continue
            elif name in _DELETED:
                self._delete(element)
            elif name == "bookmarkstart":
                self._bookmark(element)
            elif name == "tbl":
                self._end_paragraph()
                self._table(element)
            elif name == "alternatecontent":
                self._blocks(_alternative(element))
            elif name == "sdt":
                self._control(element)
            elif name in _INLINE or not _holds_blocks(element):
                self._loose(element)
            else:
                self._blocks(element)
        self._end_paragraph()

    def _control(self, element: Element) -> None:
        """Write the content of a content control; a table of contents made by Word is in one."""
        gallery = value_of(child_named(child_named(element, "sdtpr"), "docpartobj"), "docpartgallery")
        before = self.shape
        if gallery.casefold() == "table of contents":
            self._end_paragraph()
            self.shape = CONTENTS
        content = child_named(element, "sdtcontent")
        if content is not None:
            self._blocks(content)
        self.shape = before

    def _loose(self, element: Element) -> None:
        """Write what should be in a paragraph and is not."""
        if has_text(element) and not self.page.in_paragraph:
            self.page.begin_paragraph(self.shape or Shape())
        self._inline_one(element, local_name(element))

    def _paragraph(self, element: Element) -> None:
        properties = child_named(element, "ppr")
        if not self.page.in_paragraph:
            shape = self.shape or self.styles.shape_of(properties)
            if not shape.matter and (matter := self.fields.matter_in(element)):
                shape = Shape(matter=matter)
            self.page.begin_paragraph(shape)
        self._inline(element)
        if not _goes_on(properties):
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        """End the paragraph that is open, and write the text boxes anchored in it."""
        self.page.end_paragraph()
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            outside, self.fields = self.fields, Fields(balanced=self.fields.balanced)
            self.page.begin("div")
            self._blocks(box)
            self.page.end()
            self.fields = outside

    def _table(self, table: Element) -> None:
        self.page.begin("table")
        for row in _within(table, "tr", "tbl"):
            if child_named(child_named(row, "trpr"), "del") is not None:
                self._delete(row)
                continue
            self.page.begin("tr")
            for cell in _within(row, "tc", "tr"):
                if any(local_name(e) in _CELL_DELETED for e in cell.iterfind("{*}tcPr/*")):
                    self._delete(cell)
                    continue
                self.page.begin("td")
                self._blocks(cell)
                self.page.end()
            self.page.end()
        self.page.end()

    def _inline(self, parent: Element) -> None:
        for element in parent:
            self._inline_one(element, local_name(element))

    def _inline_one(self, element: Element, name: str) -> None:
        if name == "r":
            self._run(element)
        elif name in ("ppr", "rpr"):
            return
        elif name in _DELETED:
            self._delete(element)
        elif name == "bookmarkstart":
            self._bookmark(element)
        elif name == "hyperlink" and (target := own_attribute(element, "anchor")) and not self.fields.matter:
            self.page.begin("a", href=f"#{target}")
            self._inline(element)
            self.page.end()
        elif name in ("omath", "omathpara"):
            self._formula(element)
        elif name == "alternatecontent":
            self._inline(_alternative(element))
        elif name in _GRAPHICS:
            self._graphic(element)
        elif name in _BLOCKS:
            self.boxes.append(element)
        elif name not in _SKIPPED:
            self._text(element, name, _PLAIN_RUN)

    def _run(self, run: Element) -> None:
        how = self.styles.run_of(child_named(run, "rpr"))
        custom = next((e for e in run if local_name(e) in _NOTES), None)
        if custom is not None and own_attribute(custom, "customMarkFollows").lower() in ("1", "true", "on"):
            mark = "".join(_texts(run)).strip()
            self._cite(custom, local_name(custom), mark)
            return
        for element in run:
            name = local_name(element)
            if name in ("fldchar", "instrtext"):
                self.fields.meet(element, name)
            elif name in _NOTES:
                self._cite(element, name, "")
            elif name in _GRAPHICS:
                self._graphic(element)
            elif name == "alternatecontent":
                self._inline(_alternative(element))
            elif name == "ruby":
                self._ruby(element)
            elif name not in _SKIPPED:
                self._text(element, name, how)

    def _text(self, element: Element, name: str, how: RunFormat) -> None:
        """Write what an element of a run shows; one that is not known shows what is in it."""
        if name == "t":
            text = element.text or ""
            self._write(text if element.get(_SPACE) == "preserve" else text.strip(" \t\r\n"), how)
        elif name in _CHARACTERS:
            self._write(_CHARACTERS[name], how)
        elif name in ("br", "cr"):
            if own_attribute(element, "type") in ("page", "column"):
                self.page.text(" ")
            else:
                self.page.void("br")
        elif name == "sym":
            self._symbol(element, how)
        elif name == "deltext":
            self.findings.n_deleted += count_words(clean(element.text or ""))
        else:
            self._inline(element)

    def _write(self, text: str, how: RunFormat) -> None:
        if not text:
            return
        if how.hidden or self.fields.in_code:
            self.page.hidden(text)
        elif how.raised:
            self.page.inline(how.raised, text)
        else:
            self.page.text(text)

    def _symbol(self, element: Element, how: RunFormat) -> None:
        font = own_attribute(element, "font")
        character = symbol(font, own_attribute(element, "char"))
        if character is None:
            self.findings.unknown[font] += 1
        else:
            self._write(character, how)

    def _formula(self, element: Element) -> None:
        """Write a formula as its symbols, which lines and heights arrange in Word."""
        if text := " ".join(formula(element).split()):
            self._write(f" {text} ", _PLAIN_RUN)

    def _ruby(self, element: Element) -> None:
        self.page.begin("ruby")
        self._inline(element)
        if (reading := child_named(element, "rt")) is not None:
            self.page.begin("rt")
            self._inline(reading)
            self.page.end()
        self.page.end()

    def _graphic(self, element: Element) -> None:
        """Write what a picture shows in place of itself; its text boxes follow the paragraph."""
        n_boxes = len(self.boxes)
        alternatives = []
        waiting = [element]
        while waiting:
            part = waiting.pop()
            name = local_name(part)
            if name in ("txbxcontent", "txbody"):
                self.boxes.append(part)
                continue
            if name == "docpr":
                alternatives.append(part.get("descr", ""))
            elif name == "textpath":
                alternatives.append(part.get("string", ""))
            elif name == "shape":
                alternatives.append(part.get("alt", ""))
            elif name == "rect" and any(str(key).endswith("}hr") for key in part.attrib):
                self.page.void("hr")
            waiting += reversed(_alternative(part) if name == "alternatecontent" else part)
        text = next((text for text in alternatives if text.strip()), "")
        if text and len(self.boxes) == n_boxes:
            self.page.void("img", alt=text)

    def _bookmark(self, element: Element) -> None:
        if name := own_attribute(element, "name"):
            self.page.anchor(name)

    def _cite(self, element: Element, name: str, mark: str) -> None:
        key = _NOTES[name], own_attribute(element, "id")
        kind, id = key
        if key not in self.findings.cited:
            self.findings.n_numbered[kind] += not mark
            number = numbered(self.findings.n_numbered[kind], self.formats.get(kind, ""))
            self.findings.cited[key] = mark or number
        self.page.cite(f"{kind}-{id}", mark or self.findings.cited[key])

    def _delete(self, element: Element) -> None:
        self.findings.n_deleted += count_words(clean(" ".join(_paragraph_texts(element))))


def numbered(n: int, format: str) -> str:
    """Return a number in one of Word's formats; in digits, if it is none of letters or Roman numerals."""
    if format.endswith("Letter"):
        letters = chr(ord("a") + (n - 1) % 26) * ((n - 1) // 26 + 1)
        return letters.upper() if format.startswith("upper") else letters
    if format.endswith("Roman"):
        roman = ""
        for size, sign in _ROMAN:
            roman, n = roman + sign * (n // size), n % size
        return roman.upper() if format.startswith("upper") else roman
    return str(n)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def _goes_on(properties: Element | None) -> bool:
    """Return whether the next paragraph goes on with this one: its end is deleted, or it is an initial."""
    marks = child_named(properties, "rpr")
    if any(child_named(marks, name) is not None for name in _DELETED):
        return True
    frame = child_named(properties, "framepr")
    return frame is not None and own_attribute(frame, "dropCap") in ("drop", "margin")


def _alternative(element: Element) -> Element:
    """Return the form of alternate content that has text: the first one, or the fallback for old programs."""
    choices = [e for e in element if local_name(e) in ("choice", "fallback")]
    with_text = (e for e in choices if any(local_name(inner) == "t" and inner.text for inner in e.iter()))
    return next(with_text, choices[0] if choices else element)


def _holds_blocks(element: Element) -> bool:
    return any(local_name(e) in _BLOCKS for e in element.iterdescendants())


def _within(parent: Element, name: str, around: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, also those in content controls."""
    for element in parent:
        own = local_name(element)
        if own == name:
            yield element
        elif own not in _SKIPPED and own != around:
            yield from _within(_alternative(element) if own == "alternatecontent" else element, name, around)


def _texts(element: Element) -> Iterator[str]:
    for each in element.iter():
        if local_name(each) in ("t", "deltext"):
            yield each.text or ""
        elif local_name(each) in ("tab", "br"):
            yield " "
        elif local_name(each) == "sym":
            yield symbol(own_attribute(each, "font"), own_attribute(each, "char")) or ""


def _paragraph_texts(element: Element) -> Iterator[str]:
    """Yield the texts of the paragraphs in an element; of the element, if there are none in it."""
    paragraphs = [e for e in element.iterdescendants() if local_name(e) == "p"]
    for each in paragraphs or [element]:
        yield "".join(_texts(each))
