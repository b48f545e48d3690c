"""Fields of a Word file: what stands in for a code (`TOC`, `PAGE`) is text, and the code is not."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lxml import etree

from alexandria.extract.docx.styles import own_attribute
from alexandria.extract.markup.tree import Element, local_name

UNREAD = frozenset(["del", "movefrom", "fallback"])
"""Elements whose content is not read: deleted, moved elsewhere, or another form of what is read."""

_LISTS = {"TOC": "doc-toc", "INDEX": "doc-index"}


@dataclass(slots=True)
class _Field:
    code: str = ""
    in_result: bool = False


@dataclass(slots=True)
class Fields:
    """The fields that are open at a place of a story, the innermost last."""

    open: list[_Field] = field(default_factory=list)
    balanced: bool = True
    """False if the file ends a field that did not begin, or never ends one: then all is text."""

    def meet(self, element: Element, name: str) -> None:
        """Go on past an element."""
        if name == "fldchar":
            self._turn(own_attribute(element, "fldCharType"))
        elif name == "instrtext" and self.open and not self.open[-1].in_result:
            self.open[-1].code += element.text or ""

    @property
    def in_code(self) -> bool:
        """Whether text here is a part of a field's code, which is not shown."""
        return self.balanced and any(not each.in_result for each in self.open)

    @property
    def matter(self) -> str:
        """The role of the list that a field makes of the book here, such as `doc-toc`; empty outside one."""
        if not self.balanced:
            return ""
        kinds = (list_made_by(each.code) for each in self.open if each.in_result)
        return next((kind for kind in kinds if kind), "")

    def matter_in(self, paragraph: Element) -> str:
        """Return the role of the list in which the first text of the next paragraph is."""
        if not self.balanced:
            return ""
        ahead = Fields([replace(each) for each in self.open])
        for element, name in _read(paragraph):
            if name == "t" and element.text and element.text.strip() and not ahead.in_code:
                break
            ahead.meet(element, name)
        return ahead.matter

    def _turn(self, kind: str) -> None:
        if kind == "begin":
            self.open.append(_Field())
        elif kind == "separate" and self.open:
            self.open[-1].in_result = True
        elif kind == "end" and self.open:
            self.open.pop()


def list_made_by(code: str) -> str:
    """Return the role of the list that a field with this code makes; empty if it makes none."""
    words = code.split(None, 1)
    kind = _LISTS.get(words[0].upper(), "") if words else ""
    # With a label of captions, the list is that of illustrations.
    return "doc-loi" if kind == "doc-toc" and "\\c" in code else kind


def are_balanced(root: Element) -> bool:
    """Return whether each field that begins in a part also ends there."""
    depth = 0
    for element, name in _read(root):
        if name == "fldchar":
            kind = own_attribute(element, "fldCharType")
            depth += (kind == "begin") - (kind == "end")
            if depth < 0:
                return False
    return depth == 0


def _read(root: Element) -> Iterator[tuple[Element, str]]:
    """Yield the elements that are read, with their names."""
    events = etree.iterwalk(root, events=("start",))
    for _, element in events:
        name = local_name(element)
        if name in UNREAD:
            events.skip_subtree()
        else:
            yield element, name
