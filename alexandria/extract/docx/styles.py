"""Reads what the styles of a Word file, and the styles they are based on, say about paragraphs and runs."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.office.styles import LIST_ITEM, PLAIN, Shape, heading_shape, shape_named

_OFF = frozenset(["0", "false", "off", "none"])
_BODY_TEXT = 9  # the outline level of body text; headings have levels from 0 to 8


def own_attribute(element: Element, name: str) -> str:
    """Return an attribute in the element's namespace, or without a namespace; empty if there is neither."""
    tag = str(element.tag)
    return element.get(f"{tag[: tag.rfind('}') + 1]}{name}") or element.get(name) or ""


def child_named(element: Element | None, name: str) -> Element | None:
    """Return the first child with this name, or None; the name is given in lower case."""
    return next((e for e in element if local_name(e) == name), None) if element is not None else None


def value_of(element: Element | None, name: str) -> str:
    """Return the value of a property, which is the attribute `val` of a child; empty if it is not set."""
    child = child_named(element, name)
    return own_attribute(child, "val") if child is not None else ""


def is_on(element: Element | None, name: str) -> bool | None:
    """Return whether a property is on (True) or off (False), or None if it is not set."""
    child = child_named(element, name)
    return None if child is None else own_attribute(child, "val").lower() not in _OFF


_MAX_CHAIN = 50  # styles followed through `basedOn`; Word itself allows eleven


@dataclass(frozen=True, slots=True)
class RunFormat:
    """How the characters of a run are set."""

    hidden: bool = False
    raised: str = ""  # `sup`, `sub` or empty


_PLAIN_RUN = RunFormat()


@dataclass(slots=True)
class WordStyles:
    """The styles of a file."""

    by_id: dict[str, Element] = field(default_factory=dict)
    # Cached: the shapes of paragraphs, by id of style.
    _shapes: dict[str, Shape] = field(default_factory=dict)
    _runs: dict[str, RunFormat] = field(default_factory=dict)
    """Cached: the formats of runs, by the id of their style."""

    @classmethod
    def read(cls, root: Element | None) -> "WordStyles":
        """Return the styles in `styles.xml`; if it is missing, the ids of styles serve as their names."""
        styles = (e for e in root if local_name(e) == "style") if root is not None else ()
        return cls({own_attribute(style, "styleId"): style for style in styles})

    def shape_of(self, properties: Element | None) -> Shape:
        """Return the shape of a paragraph: its style's shape, unless its own properties override it."""
        id = value_of(properties, "pstyle")
        shape = self._shapes.get(id)
        if shape is None:
            shape = self._shapes[id] = self._shape_of_style(id)
        if shape.matter:
            return shape
        level = _outline_level(properties)
        if level is not None and level < _BODY_TEXT:
            return heading_shape(level + 1)
        if level is not None:  # body text
            is_heading = shape.name[:1] == "h"
            return PLAIN if is_heading else shape
        is_numbered = _is_numbered(properties)
        if shape is PLAIN and is_numbered:
            return LIST_ITEM
        if shape is LIST_ITEM and is_numbered is False:  # not None: that keeps the list of the style
            return PLAIN
        return shape

    def run_of(self, properties: Element | None) -> RunFormat:
        """Return the format of a run: its style's format, unless its own properties override it."""
        if properties is None or not len(properties):
            return _PLAIN_RUN
        id = value_of(properties, "rstyle")
        style_format = self._runs.get(id)
        if style_format is None:
            style_format = self._runs[id] = self._run_of_style(id)
        own_hidden = is_on(properties, "vanish")
        own_alignment = value_of(properties, "vertalign")
        return RunFormat(
            hidden=style_format.hidden if own_hidden is None else own_hidden,
            raised=_RAISED.get(own_alignment, "") if own_alignment else style_format.raised,
        )

    def style_of(self, paragraph: Element, properties: Element | None) -> str:
        """Return how a paragraph stands out, in CSS: centred, bold or in large type; empty if it does not."""
        styles = [*self.ancestry(value_of(properties, "pstyle"))]
        paragraph_properties = (properties, *(child_named(style, "ppr") for style in styles))
        alignment = next(filter(None, (value_of(e, "jc") for e in paragraph_properties)), "")
        if alignment == "center":
            return "text-align: center"
        run_properties_of_styles = [child_named(style, "rpr") for style in styles]
        bold_in_styles = (is_on(e, "b") for e in run_properties_of_styles)
        is_style_bold = next((is_bold for is_bold in bold_in_styles if is_bold is not None), False)
        runs = [run for run in paragraph.iter("{*}r") if child_named(run, "t") is not None]
        bold_in_runs = [is_on(child_named(run, "rpr"), "b") for run in runs]
        if runs and all(is_style_bold if is_bold is None else is_bold for is_bold in bold_in_runs):
            return "font-weight: bold"
        style_size = next(filter(None, (value_of(e, "sz") for e in run_properties_of_styles)), "")
        sizes = {value_of(child_named(run, "rpr"), "sz") or style_size for run in runs}  # in half points
        size = sizes.pop() if len(sizes) == 1 else ""
        return f"font-size: {int(size) // 2}pt" if size.isascii() and size.isdigit() else ""

    def ancestry(self, id: str) -> Iterator[Element]:
        """Yield a style, the style it is based on, and so on, each once."""
        seen: set[str] = set()
        while id not in seen and len(seen) < _MAX_CHAIN and (style := self.by_id.get(id)) is not None:
            seen.add(id)
            yield style
            id = value_of(style, "basedon")

    def _shape_of_style(self, id: str) -> Shape:
        """Return the shape of a style."""
        # The style and those it is based on are checked in turn, each by its name, then its outline level,
        # then its numbering; the first of these that is known decides. A style that the file does not define
        # has only its id to go by.
        if id not in self.by_id:
            return shape_named(id) or PLAIN
        for style in self.ancestry(id):
            if shape := shape_named(value_of(style, "name")):
                return shape
            properties = child_named(style, "ppr")
            level = _outline_level(properties)
            if level is not None:
                return heading_shape(level + 1) if level < _BODY_TEXT else PLAIN
            is_numbered = _is_numbered(properties)
            if is_numbered is not None:
                return LIST_ITEM if is_numbered else PLAIN
        return PLAIN

    def _run_of_style(self, id: str) -> RunFormat:
        """Return the format of a style; of the styles it is based on, the first to set a property decides."""
        hidden: bool | None = None
        alignment = ""
        for style in self.ancestry(id):
            properties = child_named(style, "rpr")
            if hidden is None:
                hidden = is_on(properties, "vanish")
            alignment = alignment or value_of(properties, "vertalign")
        return RunFormat(hidden=bool(hidden), raised=_RAISED.get(alignment, ""))


_RAISED = {"superscript": "sup", "subscript": "sub"}


def _outline_level(properties: Element | None) -> int | None:
    """Return the outline level of a paragraph, from 0 on, or None if it is not set or not a small number."""
    level = value_of(properties, "outlinelvl")
    return int(level) if level.isascii() and level.isdigit() and len(level) < 3 else None


def _is_numbered(properties: Element | None) -> bool | None:
    """Return whether a paragraph is an item of a list; None if it is not set. List 0 means that it is not."""
    numbering = child_named(properties, "numpr")
    if numbering is None:
        return None
    return value_of(numbering, "numid") not in ("", "0")
