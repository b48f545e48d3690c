"""Counts the items of ordered lists, and writes their numbers as browsers print them."""

import re
from dataclasses import dataclass, field
from itertools import islice

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.numerals import FORMATS, format_number
from alexandria.extract.words import read_words

_STYLES = dict(pair.split() for pair in read_words("list_styles")["css"].split("|"))
"""The formats of CSS by their names in Word."""
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([^;]*)", re.I)
_UNNUMBERED_STYLE = re.compile(r"\b(?:none|disc|circle|square)\b|[\"']", re.I)
_UNNUMBERED_CLASS = re.compile(
    r"unstyled|unnumbered|no-?(?:bullets?|numbers?|list|marker)|\bnone\b|plain|simple|toc", re.I
)
# A number that is typed: the list itself then prints none.
_TYPED = re.compile(r"\s*[\[(]?(?:\d{1,4}|[ivxlc]{1,6}|[a-z])(?:[.)\]:]|\s*[–—])", re.I)
_MAX_TYPED = 12  # pieces of text in which a typed number ends


@dataclass(slots=True)
class ListNumbers:
    """The last number of each ordered list."""

    _last: dict[Element, int] = field(default_factory=dict)

    def number_of(self, item: Element) -> str:
        """Count an item of a list, and return its number with a full stop; empty if none is printed.

        With the style `nested`, the numbers of outer items come first, and with `nested.`, a full stop is
        last. With `parenthesis`, a bracket is, as in Markdown's `1)`. The items of contents in `nav` have
        none.
        """
        parent = item.getparent()
        if parent is None or local_name(parent) != "ol" or any(True for _ in item.iterancestors("{*}nav")):
            return ""
        value = self._count(item, parent)
        outer = [*parent.iterancestors("{*}ol")]
        style = _style_of(item) or _style_of(parent)
        style = style or next((s for s in map(_style_of, outer) if s.startswith("nested")), "")
        classes = f"{parent.get('class') or ''} {item.get('class') or ''}"
        beginning = "".join(map(str, islice(item.itertext(), _MAX_TYPED)))
        if _UNNUMBERED_STYLE.search(style) or _UNNUMBERED_CLASS.search(classes) or _TYPED.match(beginning):
            return ""
        if style.startswith("nested"):
            numbers = [self._last[e] for e in (parent, *outer) if e in self._last]
            return ".".join(map(str, reversed(numbers))) + style.removeprefix("nested")
        type = item.get("type") or parent.get("type") or ""
        words = style.replace("outside", "").replace("inside", "").split() or [FORMATS.get(type, "")]
        end = ")" if words[0] == "parenthesis" else "."
        return f"{format_number(value, _STYLES.get(words[0], words[0])) or value}{end}"

    def _count(self, item: Element, parent: Element) -> int:
        step = -1 if "reversed" in parent.attrib else 1
        last = self._last.get(parent)
        if (value := _integer(item.get("value"))) is None:
            value = _first_value(parent, step) if last is None else last + step
        self._last[parent] = value
        return value


def _style_of(element: Element) -> str:
    styles: list[str] = _STYLE.findall(element.get("style") or "")
    return styles[-1].strip().lower() if styles else ""


def _first_value(parent: Element, step: int) -> int:
    start = _integer(parent.get("start"))
    if start is not None:
        return start
    return 1 if step > 0 else sum(local_name(child) == "li" for child in parent)


def _integer(text: str | None) -> int | None:
    match = re.fullmatch(r"\s*(-?\d{1,6})\s*", text or "")
    return int(match[1]) if match else None
