"""Counts the items of ordered lists, and writes their numbers as browsers print them.

In a document that sets no number, letter or numeral itself, all lists count 1, 2, 3: their order says as
much, and their items are left as they are.
"""

import re
from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.numerals import format_number

_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_STYLES = {
    **{"lower-alpha": "lowerLetter", "lower-latin": "lowerLetter", "upper-alpha": "upperLetter"},
    **{"upper-latin": "upperLetter", "lower-roman": "lowerRoman", "upper-roman": "upperRoman"},
    "decimal-leading-zero": "decimalZero",
}
_STYLE_FORMAT = re.compile(rf"list-style(?:-type)?\s*:\s*({'|'.join(_STYLES)})", re.I)
_UNNUMBERED_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.I)
_UNNUMBERED_CLASS = re.compile(
    r"unstyled|unnumbered|no-?(?:bullets?|numbers?|list|marker)|\bnone\b|plain|simple|toc", re.I
)
# A number that is typed: the list itself then prints none.
_TYPED = re.compile(r"\s*[\[(]?(?:\d{1,4}|[ivxlc]{1,6}|[a-z])(?:[.)\]:]|\s*[–—])", re.I)
_MAX_TYPED = 12
"""Characters in which a typed number ends."""


@dataclass(slots=True)
class ListNumbers:
    """The last number of each ordered list."""

    _last: dict[Element, int] = field(default_factory=dict)
    _sets_numbers: bool | None = None
    """Whether any list of the document says how it is numbered; None before the first list."""

    def number_of(self, item: Element) -> str:
        """Count an item of a list, and return its number with a full stop; empty if none is printed."""
        parent = item.getparent()
        if parent is None or local_name(parent) != "ol":
            return ""
        if self._sets_numbers is None:
            self._sets_numbers = any(map(_sets_number, parent.getroottree().iter("{*}ol", "{*}li")))
        if not self._sets_numbers:
            return ""
        value = self._count(item, parent)
        if any(map(_is_unnumbered, (parent, item))) or _TYPED.match(_beginning(item)):
            return ""
        format = item.get("type") or parent.get("type") or ""
        style = _STYLE_FORMAT.search(f"{item.get('style')};{parent.get('style')}")
        written = format_number(value, _STYLES[style[1].lower()] if style else _FORMATS.get(format, ""))
        return f"{written}."

    def _count(self, item: Element, parent: Element) -> int:
        step = -1 if "reversed" in parent.attrib else 1
        last = self._last.get(parent)
        if (value := _integer(item.get("value"))) is None:
            value = _first_value(parent, step) if last is None else last + step
        self._last[parent] = value
        return value


def _sets_number(element: Element) -> bool:
    """Return whether a list or an item says which number it has, or how it is written."""
    if _STYLE_FORMAT.search(element.get("style") or ""):
        return True
    if element.get("type") in ("1", *_FORMATS):
        return True
    return any(element.get(name) is not None for name in ("start", "value", "reversed"))


def _first_value(parent: Element, step: int) -> int:
    start = _integer(parent.get("start"))
    if start is not None:
        return start
    return 1 if step > 0 else sum(local_name(child) == "li" for child in parent)


def _is_unnumbered(element: Element) -> bool:
    style, classes = element.get("style") or "", element.get("class") or ""
    return _UNNUMBERED_STYLE.search(style) is not None or _UNNUMBERED_CLASS.search(classes) is not None


def _beginning(item: Element) -> str:
    """Return the first characters of an item's text."""
    text = ""
    for part in map(str, item.itertext()):
        text = (text + part).lstrip()
        if len(text) >= _MAX_TYPED:
            break
    return text


def _integer(text: str | None) -> int | None:
    match = re.fullmatch(r"\s*(-?\d{1,6})\s*", text or "")
    return int(match[1]) if match else None
