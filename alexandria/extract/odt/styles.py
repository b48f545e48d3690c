"""What the styles of an OpenDocument text say about paragraphs and characters."""

from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.office.styles import PLAIN, Shape, shape_named

_NUMBERED_SPACE = "_20_"
"""A space in the name of a style, in which only letters, digits and marks are allowed."""

_LONGEST_CHAIN = 50
"""Styles that are based on each other."""


@dataclass(frozen=True, slots=True)
class Characters:
    """How characters are set."""

    hidden: bool = False
    raised: str = ""
    """`sup`, `sub` or empty."""


@dataclass(slots=True)
class OdtStyles:
    """The styles of a file, by their family and name."""

    by_name: dict[tuple[str, str], Element] = field(default_factory=dict)
    _shapes: dict[str, Shape] = field(default_factory=dict)
    _characters: dict[tuple[str, str], Characters] = field(default_factory=dict)

    def add(self, root: Element | None) -> None:
        """Add the styles of a part; those that it already has remain."""
        for element in root.iter() if root is not None else ():
            if local_name(element) == "style":
                self.by_name.setdefault(
                    (attribute_named(element, "family"), attribute_named(element, "name")), element
                )

    def shape_of(self, name: str) -> Shape:
        """Return the shape of the paragraphs in a style."""
        shape = self._shapes.get(name)
        if shape is None:
            chain = self._chain("paragraph", name) or [name]
            shapes = (shape_named(each.replace(_NUMBERED_SPACE, " ")) for each in chain)
            shape = self._shapes[name] = next((each for each in shapes if each), PLAIN)
        # OpenDocument marks headings and lists itself.
        return PLAIN if shape.name in ("li", "h1", "h2", "h3", "h4", "h5", "h6") else shape

    def characters_of(self, family: str, name: str) -> Characters:
        """Return how the characters of a style are set."""
        how = self._characters.get((family, name))
        if how is None:
            how = self._characters[family, name] = self._set_by(family, name)
        return how

    def _chain(self, family: str, name: str) -> list[str]:
        """Return the names of a style and of those it is based on, each once."""
        names: list[str] = []
        while (
            name not in names
            and len(names) < _LONGEST_CHAIN
            and (style := self.by_name.get((family, name))) is not None
        ):
            names.append(name)
            name = attribute_named(style, "parent-style-name")
        return [*names, name] if name and name not in names else names

    def _set_by(self, family: str, name: str) -> Characters:
        hidden: bool | None = None
        raised: str | None = None
        for each in self._chain(family, name):
            style = self.by_name.get((family, each))
            for element in style if style is not None else ():
                if local_name(element) == "text-properties":
                    display, position = (
                        attribute_named(element, "display"),
                        attribute_named(element, "text-position"),
                    )
                    hidden = display == "none" if display and hidden is None else hidden
                    raised = _raised(position) if position and raised is None else raised
        return Characters(bool(hidden), raised or "")


def attribute_named(element: Element, name: str) -> str:
    """Return an attribute by its local name, whatever its namespace; empty if there is none."""
    for key, value in element.attrib.items():
        if key == name or str(key).endswith(f"}}{name}"):
            return str(value)
    return ""


def _raised(position: str) -> str:
    """Return the element of a position such as `super 58%`, `-33% 58%`; empty for that of plain text."""
    first = position.split(maxsplit=1)[0] if position.strip() else ""
    if first == "super":
        return "sup"
    if first == "sub" or first.startswith("-"):
        return "sub"
    return "sup" if first.rstrip("%").strip("0.") else ""
