"""Fields of a Word file: a code (`TOC`, `PAGE`), which is not shown, and its result, which is text."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lxml import etree

from alexandria.extract.docx.styles import own_attribute
from alexandria.extract.markup.tree import Element, local_name

UNREAD = frozenset(["del", "movefrom", "fallback"])
"""Elements whose content is not read: it is deleted, moved elsewhere, or a second form of what is read."""

_ROLES = {"TOC": "doc-toc", "INDEX": "doc-index"}


@dataclass(slots=True)
class _Field:
    """An open field."""

    code: str = ""  # its code as far as it has been read
    in_result: bool = False  # True after the character that separates its code from its result


@dataclass(slots=True)
class Fields:
    """The fields that are open at the current place of a story, the innermost last."""

    open: list[_Field] = field(default_factory=list)
    balanced: bool = True
    """False if the file ends a field that did not begin, or never ends one: all text is then shown."""

    def pass_element(self, element: Element, name: str) -> None:
        """Advance past an element: open, continue or close a field if the element does so."""
        if name == "fldchar":
            self._pass_field_character(own_attribute(element, "fldCharType"))
        elif name == "instrtext" and self.open and not self.open[-1].in_result:
            self.open[-1].code += element.text or ""

    @property
    def in_code(self) -> bool:
        """Whether text here is part of a field's code, which is not shown."""
        return self.balanced and any(not open_field.in_result for open_field in self.open)

    @property
    def list_role(self) -> str:
        """The role of the generated list around the current place, such as `doc-toc`; empty outside one."""
        if not self.balanced:
            return ""
        roles = (role_of_list(open_field.code) for open_field in self.open if open_field.in_result)
        return next((role for role in roles if role), "")

    def role_of_paragraph(self, paragraph: Element) -> str:
        """Return the role of the generated list that a paragraph is in, such as `doc-toc`; empty if none.

        It is asked before the paragraph is read, in which a field may begin before the first visible text.
        The open fields stay as they are: this only looks ahead.
        """
        if not self.balanced:
            return ""
        ahead = Fields([replace(open_field) for open_field in self.open])
        for element, name in _elements_read(paragraph):
            has_text = name == "t" and bool(element.text and element.text.strip())
            if has_text and not ahead.in_code:  # the first visible text decides
                break
            ahead.pass_element(element, name)
        return ahead.list_role

    def _pass_field_character(self, kind: str) -> None:
        """Advance past the character at which a field begins, its result begins, or it ends."""
        if kind == "begin":
            self.open.append(_Field())
        elif kind == "separate" and self.open:
            self.open[-1].in_result = True
        elif kind == "end" and self.open:
            self.open.pop()


def role_of_list(code: str) -> str:
    """Return the role of the list that a field with this code generates; empty if it generates none."""
    words = code.split(None, 1)
    role = _ROLES.get(words[0].upper(), "") if words else ""
    # `TOC \c "Figure"` lists the captions with a label.
    return "doc-loi" if role == "doc-toc" and "\\c" in code else role


def are_balanced(root: Element) -> bool:
    """Return whether each field that begins in an element also ends in it, and the other way round."""
    depth = 0
    for element, name in _elements_read(root):
        if name == "fldchar":
            kind = own_attribute(element, "fldCharType")
            depth += (kind == "begin") - (kind == "end")
            if depth < 0:
                return False
    return depth == 0


def _elements_read(root: Element) -> Iterator[tuple[Element, str]]:
    """Yield the elements outside `UNREAD` ones, with their names."""
    events = etree.iterwalk(root, events=("start",))
    for _, element in events:
        name = local_name(element)
        if name in UNREAD:
            events.skip_subtree()
        else:
            yield element, name
