"""Builds the XHTML as which a word processor's file is read, from the beginning to the end of the text."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

from lxml import etree

from alexandria.book.model import count_words
from alexandria.extract.clean import one_line
from alexandria.extract.markup.tree import Element, has_text, text_of, without_illegal
from alexandria.extract.markup.walk import walk
from alexandria.extract.office.styles import PLAIN, Shape

_BLANK = "\u00a0"  # a no-break space, by which `extract.markup` recognises an empty line
_TITLES = ("title", "subtitle")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class XhtmlPage:
    """A document of XHTML that is written from its beginning to its end."""

    def __init__(self) -> None:
        """Begin an empty document, whose body is open."""
        self.root = etree.Element("html")
        self._open = [etree.SubElement(self.root, "body")]  # the open elements, innermost last
        self._pending: list[str] = []  # text that is not in the tree yet, to be added in one piece
        self._paragraph: Element | None = None  # the open paragraph
        self._depth = 0  # how many elements were open when the paragraph began; `end_paragraph` returns to it
        self._ids: list[str] = []  # ids that were written outside paragraphs; the next paragraph gets them

    def begin(self, name: str, **attributes: str) -> Element:
        """Begin an element inside the one that is open."""
        self._flush()
        element = etree.SubElement(self._open[-1], name, attributes)
        self._open.append(element)
        return element

    def end(self) -> None:
        """End the element that began last."""
        self._flush()
        self._open.pop()

    @contextmanager
    def inside(self, name: str, **attributes: str) -> Iterator[None]:
        """Write what the block writes inside an element of its own."""
        self.begin(name, **attributes)
        yield
        self.end()

    def write_text(self, text: str) -> None:
        """Write text."""
        self._pending.append(text)

    def write_inline(self, name: str, text: str) -> None:
        """Write text in an element of its own, or in the element just written if that has the same name."""
        self._flush()
        last = _last_child(self._open[-1])
        # Not if text follows that element, or if it has elements or attributes.
        if last is not None and last.tag == name and not (last.tail or len(last) or last.attrib):
            last.text = (last.text or "") + without_illegal(text)
            return
        with self.inside(name):
            self.write_text(text)

    def write_hidden(self, text: str) -> None:
        """Write text that is not shown."""
        with self.inside("span", hidden=""):
            self.write_text(text)

    def write_void(self, name: str, **attributes: str) -> None:
        """Write an element without content."""
        self.begin(name, **{key: without_illegal(value) for key, value in attributes.items()})
        self.end()

    def insert(self, element: Element) -> None:
        """Write a copy of an element of XHTML, without the text after it."""
        self._flush()
        copy = deepcopy(element)
        copy.tail = None
        self._open[-1].append(copy)

    def cite(self, id: str, mark: str) -> None:
        """Write the mark of the note that has this id."""
        with self.inside("a", role="doc-noteref", href=f"#{id}"):
            self.write_text(mark)

    def write_anchor(self, id: str) -> None:
        """Give an id to the current place.

        The open paragraph gets it if it is still empty and has none, otherwise an empty link in it does.
        Outside paragraphs, the next paragraph gets it.
        """
        self._flush()
        paragraph = self._paragraph
        if paragraph is None:
            self._ids.append(id)
            return
        is_empty = _last_child(paragraph) is None and not paragraph.text
        if is_empty and paragraph.get("id") is None:
            paragraph.set("id", without_illegal(id))
        else:
            self.write_void("a", id=id)

    @property
    def in_paragraph(self) -> bool:
        """Whether a paragraph is open."""
        return self._paragraph is not None

    def begin_paragraph(self, shape: Shape = PLAIN) -> None:
        """Begin a paragraph; a line of code (`pre`) right after another one continues its paragraph."""
        self._flush()
        self._depth = len(self._open)
        if shape.matter:
            self.begin("div", role=shape.matter)
        if shape.around:
            attributes = {"class": shape.style} if shape.style else {}
            self.begin(shape.around, **attributes)
        last = _last_child(self._open[-1])
        if shape.name == "pre" and last is not None and last.tag == "pre":
            self._open.append(last)
            self.write_text("\n")
            self._paragraph = last
        else:
            self._paragraph = self.begin(shape.name)
        ids, self._ids = self._ids, []
        for id in ids:
            self.write_anchor(id)

    def set_style(self, style: str) -> None:
        """Give the open paragraph a style of CSS, by which a heading that is typed as such is known."""
        if self._paragraph is not None and style:
            self._paragraph.set("style", style)

    def end_paragraph(self) -> None:
        """End the open paragraph, if any, and the elements around it; an empty one becomes a blank line."""
        paragraph = self._paragraph
        if paragraph is None:
            return
        self._flush()
        has_graphic = next(paragraph.iter("img", "math"), None) is not None
        if not has_graphic and not has_text(paragraph):
            paragraph.tag = "p"
            self.write_text(_BLANK)
        while len(self._open) > self._depth:
            self.end()
        self._paragraph = None

    def n_words(self) -> int:
        """Return how many words the page has, hidden ones included."""
        walked = walk(self.root)
        return sum(count_words(block.text) for block in walked.blocks) + sum(walked.skipped.values())

    def settle_titles(self) -> str:
        """Turn titles and subtitles into elements of XHTML, and return the text of the first title.

        Call it once, when the whole text is written. A single title before all headings is the title page,
        together with the subtitles right below it. If there are several titles, each begins a chapter, and
        the headings are below them. Any other title or subtitle is a paragraph.
        """
        elements = [*self.root.iter(*_TITLES, *_HEADINGS)]
        titles = [element for element in elements if element.tag == "title"]
        first_title = one_line(text_of(titles[0])) if titles else ""
        elements_above = elements[: elements.index(titles[0])] if titles else []
        if len(titles) == 1 and not any(element.tag in _HEADINGS for element in elements_above):
            for line in _title_page_lines(titles[0]):
                _wrap_in_title_page(line)
        elif titles:
            _make_titles_chapters(elements)
        for element in elements:
            if element.tag in _TITLES:
                element.tag = "p"
        return first_title

    def _flush(self) -> None:
        if not self._pending:
            return
        text = without_illegal("".join(self._pending))
        self._pending.clear()
        parent = self._open[-1]
        if (last := _last_child(parent)) is not None:
            last.tail = (last.tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def _last_child(parent: Element) -> Element | None:
    """Return the last child or None; `len` would count all children one by one."""
    return next(parent.iterchildren(reversed=True), None)


def _title_page_lines(title: Element) -> list[Element]:
    """Return the title and the subtitles below it, up to any other text."""
    lines = [title]
    for following in title.itersiblings():
        if following.tag == "subtitle":
            lines.append(following)
        elif has_text(following):
            break
    return lines


def _make_titles_chapters(elements: list[Element]) -> None:
    """Rename titles to headings of the first level, and lower all headings by one level; there are six."""
    for element in elements:
        if element.tag in _HEADINGS:
            level = _HEADINGS.index(str(element.tag)) + 1
            element.tag = f"h{min(level + 1, 6)}"
        elif element.tag == "title":
            element.tag = "h1"


def _wrap_in_title_page(element: Element) -> None:
    """Make a title a paragraph on a title page, in place: it is no heading of the text."""
    parent = element.getparent()
    assert parent is not None  # it is in the body
    wrapper = etree.Element("div", {"role": "doc-titlepage"})
    wrapper.tail, element.tail = element.tail, None
    parent.replace(element, wrapper)
    element.tag = "p"
    wrapper.append(element)
