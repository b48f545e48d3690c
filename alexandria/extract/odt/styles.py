"""Reads what the styles of an OpenDocument text say about paragraphs and characters."""

from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.office.styles import PLAIN, Shape, shape_named

_ENCODED_SPACE = "_20_"
"""How a space is written in the name of a style, by its hexadecimal number."""

_MAX_CHAIN = 50
"""Styles followed through `parent-style-name`."""


@dataclass(frozen=True, slots=True)
class CharacterFormat:
    """How characters are set."""

    hidden: bool = False
    raised: str = ""
    """`sup`, `sub` or empty."""


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
        """Return the shape of paragraphs in a style: the first shape that a name in its chain stands for.

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
        """Return how a paragraph in a style stands out, in CSS: centred, bold or large; else empty."""
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
        """Return the style of the lists in which paragraphs in a style are; empty if it names none."""
        styles = (self.by_name.get(("paragraph", style)) for style in self._list_ancestry("paragraph", name))
        names = (attribute_named(style, "list-style-name") for style in styles if style is not None)
        return next(filter(None, names), "")

    def _property(self, family: str, name: str, property: str) -> str:
        """Return a property of a style, or of the first style it is based on that sets it."""
        styles = (self.by_name.get((family, style)) for style in self._list_ancestry(family, name))
        values = (attribute_named(e, property) for style in styles if style is not None for e in style)
        return next(filter(None, values), "")

    def _list_ancestry(self, family: str, name: str) -> list[str]:
        """Return the names of a style, of the style it is based on, and so on, each once.

        The last style may be undefined in the file: its name may still stand for a shape.
        """
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
    """Return `sup` for a text position such as `super 58%`, `sub` for `-33% 58%`, empty for `0% 100%`.

    A position is the height of the text above the line, and its size.
    """
    height = position.split(maxsplit=1)[0] if position.strip() else ""
    if height == "super":
        return "sup"
    if height == "sub" or height.startswith("-"):
        return "sub"
    is_zero = not height.rstrip("%").strip("0.")
    return "" if is_zero else "sup"
