"""Counts the items of lists and the headings of an OpenDocument text, and writes their numbers as printed."""

from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.numerals import FORMATS, format_number, stated_number
from alexandria.extract.odt.styles import attribute_named

_MAX_LEVEL = 10


@dataclass(slots=True)
class OdtLists:
    """The lists of a file, and how far each has been counted."""

    styles: dict[str, dict[int, Element]] = field(default_factory=dict)
    """The levels of each style of lists by its name; that of headings has no name."""
    _open: list[tuple[str, dict[int, int]]] = field(default_factory=list)
    """The style and the last number at each level of the lists that are open, outermost first."""
    _counted: dict[str, dict[int, int]] = field(default_factory=dict)
    """The counts of the lists that are closed, and of the headings, by the style or the id of the list."""

    def add(self, root: Element | None) -> None:
        """Add the styles of one part of the file; a style that is already defined is kept."""
        for style in root.iter("{*}list-style", "{*}outline-style") if root is not None else ():
            name = attribute_named(style, "name") if local_name(style) == "list-style" else ""
            levels = {stated_number(attribute_named(level, "level")): level for level in style}
            self.styles.setdefault(name, levels)

    def begin(self, element: Element, style_of_paragraphs: str) -> None:
        """Begin a list: a list in another continues its style; one that says so continues its numbers.

        Args:
            element: the list.
            style_of_paragraphs: the list style that the style of its paragraphs names.
        """
        outer_style, counts = self._open[-1] if self._open else ("", {})
        style = attribute_named(element, "style-name") or outer_style or style_of_paragraphs
        if not self._open:
            continues = attribute_named(element, "continue-numbering") == "true"
            before = attribute_named(element, "continue-list") or (style if continues else "none")
            counts = self._counted.get(before, {})
            self._counted |= {style: counts, attribute_named(element, "id") or style: counts}
        self._open.append((style, counts))

    def end(self) -> None:
        """End the innermost open list."""
        self._open.pop()

    def number_of_item(self, item: Element) -> str:
        """Count an item of the open list, and return its number; empty if none is printed."""
        style, counts = self._open[-1]
        return self._next(style, counts, len(self._open), attribute_named(item, "start-value"))

    def number_of_heading(self, heading: Element, level: int) -> str:
        """Count a heading outside lists, and return its number; empty if none is printed."""
        if local_name(heading) != "h" or self._open or attribute_named(heading, "is-list-header") == "true":
            return ""
        counts = self._counted.setdefault("", {})
        return self._next("", counts, level, attribute_named(heading, "start-value"))

    def _next(self, style: str, counts: dict[int, int], level: int, start: str) -> str:
        levels = self.styles.get(style, {})
        if level > _MAX_LEVEL or level not in levels:
            return ""
        first = stated_number(start or attribute_named(levels[level], "start-value") or "1")
        counts[level] = first if start or level not in counts else counts[level] + 1
        for deeper in range(level + 1, _MAX_LEVEL + 1):
            counts.pop(deeper, None)
        if not attribute_named(levels[level], "num-format"):
            return ""
        n_shown = stated_number(attribute_named(levels[level], "display-levels")) or 1
        shown = [
            format_number(counts.get(i, 1), FORMATS.get(format[0], format))
            for i in range(max(1, level - n_shown + 1), level + 1)
            if i in levels and (format := attribute_named(levels[i], "num-format"))
        ]
        if "" in shown:  # in an unknown format
            return ""
        prefix, suffix = (attribute_named(levels[level], f"num-{end}") for end in ("prefix", "suffix"))
        return f"{prefix}{'.'.join(shown)}{suffix}".strip()
