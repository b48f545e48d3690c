"""Reads what the styles of an OpenDocument text say about paragraphs and characters."""

from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.numerals import FORMATS, format_number, stated_number
from alexandria.extract.office.styles import PLAIN, Shape, shape_named

_ENCODED_SPACE = "_20_"  # how a space is written in the name of a style, by its hexadecimal number

_MAX_CHAIN = 50  # styles followed through `parent-style-name`
_MAX_LEVEL = 10


@dataclass(frozen=True, slots=True)
class CharacterFormat:
    """How characters are set."""

    hidden: bool = False
    raised: str = ""  # `sup`, `sub` or empty


@dataclass(slots=True)
class OdtStyles:
    """The styles of a file, by their family and name."""

    by_name: dict[tuple[str, str], Element] = field(default_factory=dict)
    _shapes: dict[str, Shape] = field(default_factory=dict)
    """Cached: the shapes of paragraphs, by the name of their style."""
    _formats: dict[tuple[str, str], CharacterFormat] = field(default_factory=dict)

    def add(self, root: Element | None) -> None:
        """Add the styles of one part of the file; a style that is already defined is kept."""
        for element in root.iter() if root is not None else ():
            if local_name(element) == "style":
                self.by_name.setdefault(
                    (attribute_named(element, "family"), attribute_named(element, "name")), element
                )

    def shape_of(self, name: str) -> Shape:
        """Return the shape of paragraphs in a style: the first known by the name of the style or of a parent.

        If that is a heading or a list item, the paragraphs are plain: these have elements of their own
        (`text:h`).
        """
        shape = self._shapes.get(name)
        if shape is None:
            chain = self._list_ancestry("paragraph", name) or [name]
            shapes = (shape_named(style_name.replace(_ENCODED_SPACE, " ")) for style_name in chain)
            shape = next((shape for shape in shapes if shape), PLAIN)
            if shape.name in ("li", "h1", "h2", "h3", "h4", "h5", "h6"):
                shape = PLAIN
            self._shapes[name] = shape
        return shape

    def format_of(self, family: str, name: str) -> CharacterFormat:
        """Return how the characters of a style are set; its family is `text` or `paragraph`."""
        character_format = self._formats.get((family, name))
        if character_format is None:
            character_format = self._formats[family, name] = self._resolve_format(family, name)
        return character_format

    def style_of(self, paragraph: Element, name: str) -> str:
        """Return how a paragraph in a style stands out, in CSS: centred, bold or large; or empty."""
        if self._property("paragraph", name, "text-align") == "center":
            return "text-align: center"
        spans = [span for span in paragraph if local_name(span) == "span"]
        has_own_text = any((text or "").strip() for text in (paragraph.text, *(e.tail for e in paragraph)))
        bold = [self._property("text", attribute_named(span, "style-name"), "font-weight") for span in spans]
        is_bold = bool(spans) and not has_own_text and set(bold) == {"bold"}
        if is_bold or self._property("paragraph", name, "font-weight") == "bold":
            return "font-weight: bold"
        size = self._property("paragraph", name, "font-size")
        return f"font-size: {size}" if size else ""

    def list_style_of(self, name: str) -> str:
        """Return the list style that a style of paragraphs names, itself or through its parents; or empty."""
        styles = (self.by_name.get(("paragraph", style)) for style in self._list_ancestry("paragraph", name))
        names = (attribute_named(style, "list-style-name") for style in styles if style is not None)
        return next(filter(None, names), "")

    def _property(self, family: str, name: str, property: str) -> str:
        """Return a property of a style, or of the first style it is based on that sets it."""
        styles = (self.by_name.get((family, style)) for style in self._list_ancestry(family, name))
        values = (attribute_named(e, property) for style in styles if style is not None for e in style)
        return next(filter(None, values), "")

    def _list_ancestry(self, family: str, name: str) -> list[str]:
        """Return the names of a style, of the style it is based on, and so on, each once."""
        # The last style may be undefined in the file: its name may still stand for a shape.
        names: list[str] = []
        while (
            name not in names
            and len(names) < _MAX_CHAIN
            and (style := self.by_name.get((family, name))) is not None
        ):
            names.append(name)
            name = attribute_named(style, "parent-style-name")
        return [*names, name] if name and name not in names else names

    def _resolve_format(self, family: str, name: str) -> CharacterFormat:
        """Return the format of a style; the first style in its chain to set a property determines it."""
        hidden: bool | None = None
        raised: str | None = None
        for style_name in self._list_ancestry(family, name):
            style = self.by_name.get((family, style_name))
            for element in style if style is not None else ():
                if local_name(element) != "text-properties":
                    continue
                display = attribute_named(element, "display")
                if display and hidden is None:
                    hidden = display == "none"
                position = attribute_named(element, "text-position")
                if position and raised is None:
                    raised = _raised_element(position)
        return CharacterFormat(bool(hidden), raised or "")


def attribute_named(element: Element, name: str) -> str:
    """Return the attribute with a local name, whatever its namespace, or an empty string if there is none."""
    for key, value in element.attrib.items():
        if key == name or str(key).endswith(f"}}{name}"):
            return str(value)
    return ""


def _raised_element(position: str) -> str:
    """Return `sup` for a text position such as `super 58%`, `sub` for `-33% 58%`, empty for `0% 100%`."""
    # A position is the height of the text above the line, and its size.
    height = position.split(maxsplit=1)[0] if position.strip() else ""
    if height == "super":
        return "sup"
    if height == "sub" or height.startswith("-"):
        return "sub"
    is_zero = not height.rstrip("%").strip("0.")
    return "" if is_zero else "sup"


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
        """Begin a list; it has the style of the list around it, and may state that it continues another one.

        Args:
            element: the list.
            style_of_paragraphs: the list style that the style of its paragraphs names.
        """
        outer_style, counts = self._open[-1] if self._open else ("", {})
        style = attribute_named(element, "style-name") or outer_style or style_of_paragraphs
        if not self._open:
            continues = attribute_named(element, "continue-numbering") == "true"
            continued = attribute_named(element, "continue-list") or (style if continues else "none")
            counts = self._counted.get(continued, {})
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
        """Count one more item or heading of a level, and return its number; empty if none is printed."""
        # `counts`: the last number at each level; it is changed.
        # `start`: the number from which it is to count on; empty if it states none.
        levels = self.styles.get(style, {})
        if level > _MAX_LEVEL or level not in levels:
            return ""
        definition = levels[level]
        first = stated_number(start or attribute_named(definition, "start-value") or "1")
        counts[level] = first if start or level not in counts else counts[level] + 1
        for deeper in range(level + 1, _MAX_LEVEL + 1):
            counts.pop(deeper, None)
        if not attribute_named(definition, "num-format"):
            return ""
        n_shown = stated_number(attribute_named(definition, "display-levels")) or 1
        numbers = [
            format_number(counts.get(i, 1), FORMATS.get(format[0], format))
            for i in range(max(1, level - n_shown + 1), level + 1)
            if i in levels and (format := attribute_named(levels[i], "num-format"))
        ]
        if "" in numbers:  # in an unknown format
            return ""
        prefix, suffix = attribute_named(definition, "num-prefix"), attribute_named(definition, "num-suffix")
        return f"{prefix}{'.'.join(numbers)}{suffix}".strip()
