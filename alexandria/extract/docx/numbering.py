"""Counts the automatic numbers of paragraphs as Word prints them: "Article I.", "1.1", "(c)"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from alexandria.extract.docx.styles import WordStyles, child_named, is_on, own_attribute, value_of
from alexandria.extract.markup.tree import Element, local_name
from alexandria.extract.numerals import format_number, stated_number

_N_LEVELS = 9
_PLACEHOLDER = re.compile(r"%([1-9])")
_UNKNOWN = "\0"  # replaces a number in an unknown format: the whole number is then left out
_UNPRINTED = ("bullet", "none")  # number formats of levels without a number: the text of a bullet is a sign


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list: how its numbers are written, and from which number on."""

    format: str = "decimal"
    text: str = ""  # with `%1` for the number of the first level, and so on
    start: int = 1
    only_digits: bool = False  # the numbers of higher levels are in digits as well: 1.1 below Article I
    restarts_after: int | None = None
    """The level, from 1, after which the numbers start again; None for any higher one, 0 for none."""


@dataclass(slots=True)
class Numbering:
    """The lists of a file, and how far each has been counted."""

    styles: WordStyles = field(default_factory=WordStyles)
    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    """The levels of each list, by the id by which paragraphs refer to it."""
    _counters: dict[str, str] = field(default_factory=dict)
    """The id of the counter of each list: lists of one definition are counted together."""
    _level_of_style: dict[tuple[str, str], int] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    """The last number at each level, by the id of the counter."""
    _restarts: dict[str, dict[int, int]] = field(default_factory=dict)
    """Numbers at which a list starts again when it is first met."""

    @classmethod
    def read(cls, root: Element | None, styles: WordStyles) -> "Numbering":
        """Return the lists in `numbering.xml`; none if it is missing."""
        numbering = cls(styles)
        if root is None:
            return numbering
        definitions = {own_attribute(e, "abstractNumId"): e for e in root if local_name(e) == "abstractnum"}
        by_style = {style: e for e in definitions.values() if (style := value_of(e, "stylelink"))}
        for element in root:
            if local_name(element) == "num":
                definition = definitions.get(value_of(element, "abstractnumid"))
                linked = by_style.get(value_of(definition, "numstylelink"))
                numbering._add_list(
                    own_attribute(element, "numId"), element, definition if linked is None else linked
                )
        return numbering

    def _add_list(self, id: str, element: Element, definition: Element | None) -> None:
        """Add a list: its definition, with the levels and first numbers that the list itself overrides."""
        # Lists of one definition count on together: its id is the name of their counter.
        levels: dict[int, _Level] = {}
        for level in _children(definition, "lvl"):
            index = stated_number(own_attribute(level, "ilvl"))
            levels[index] = _read_level(level)
            if style := value_of(level, "pstyle"):
                self._level_of_style[id, style] = index
        for override in _children(element, "lvloverride"):
            index = stated_number(own_attribute(override, "ilvl"))
            if (own_level := child_named(override, "lvl")) is not None:
                levels[index] = _read_level(own_level)
            if start := value_of(override, "startoverride"):
                self._restarts.setdefault(id, {})[index] = stated_number(start)
        self._levels[id] = levels
        self._counters[id] = value_of(element, "abstractnumid")

    def next_number(self, properties: Element | None) -> str:
        """Count a paragraph with these properties, and return its number; empty if it has none.

        The list and the level are its own or those of its style.
        """
        id, level_index = self._list_of(properties)
        levels = self._levels.get(id)
        if levels is None:
            return ""
        counts = self._counts.setdefault(self._counters[id], {})
        for restarted_index, start in self._restarts.pop(id, {}).items():
            counts[restarted_index] = start - 1
        level = levels.get(level_index, _Level())
        counts[level_index] = counts.get(level_index, level.start - 1) + 1
        for deeper_index in range(level_index + 1, _N_LEVELS):
            restarts_after = levels.get(deeper_index, _Level()).restarts_after
            if restarts_after is None or level_index < restarts_after:
                counts.pop(deeper_index, None)
        if level.format in _UNPRINTED and not _PLACEHOLDER.search(level.text):
            return "" if level.format == "bullet" else level.text.strip()

        def number_for(placeholder: re.Match[str]) -> str:
            index = int(placeholder[1]) - 1
            named = levels.get(index, _Level())
            in_digits = named.format in _UNPRINTED or (level.only_digits and named.format != "decimalZero")
            number = counts.setdefault(index, named.start)
            return format_number(number, "decimal" if in_digits else named.format) or _UNKNOWN

        number = _PLACEHOLDER.sub(number_for, level.text).strip()
        return "" if _UNKNOWN in number else number

    def _list_of(self, properties: Element | None) -> tuple[str, int]:
        """Return the id of a paragraph's list and its level; an empty id if it is in none."""
        style_id = value_of(properties, "pstyle")
        properties_of_styles = (child_named(style, "ppr") for style in self.styles.ancestry(style_id))
        numberings = [child_named(e, "numpr") for e in (properties, *properties_of_styles)]
        id = next(filter(None, (value_of(numbering, "numid") for numbering in numberings)), "")
        level = next(filter(None, (value_of(numbering, "ilvl") for numbering in numberings)), "")
        return id, stated_number(level) if level else self._level_of_style.get((id, style_id), 0)


def _read_level(element: Element) -> _Level:
    restart = value_of(element, "lvlrestart")
    return _Level(
        format=value_of(element, "numfmt") or "decimal",
        text=value_of(element, "lvltext"),
        start=stated_number(value_of(element, "start") or "1"),
        only_digits=bool(is_on(element, "islgl")),
        restarts_after=stated_number(restart) if restart else None,
    )


def _children(element: Element | None, name: str) -> Iterator[Element]:
    return (child for child in element if local_name(child) == name) if element is not None else iter(())
