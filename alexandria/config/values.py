"""The value of an option as it was written, where it was written, and what it is in the option's type."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Union, get_args, get_origin

import yaml

from alexandria.errors import ConfigError


class Source(StrEnum):
    """The kinds of places that values come from, in words."""

    SHIPPED = "shipped"
    FILE = "file"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written."""

    source: Source
    place: str = ""
    """File and line, or the environment variable."""
    name: str = ""
    """What the option is called there, if not by its own name."""

    def __str__(self) -> str:
        """Return the origin in words, such as `shipped philosophy.yaml:3`."""
        place = self.place if self.source is Source.FILE else f"{self.source} {self.place}".rstrip()
        return f"{place}, as {self.name}" if self.name else place


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """The value of an option as it was written, and where."""

    value: object
    origin: Origin
    comment: str = ""
    """What the file says after it on its line."""


Layer = Mapping[str, SourcedValue]
"""The values of one source, by option."""


def scalar(value: object) -> object:
    """Return a string of the command line or the environment as YAML reads it; other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def typed(option: str, written: SourcedValue, hint: Any) -> Any:
    """Return the value in the option's type.

    Raises:
        ConfigError: it is of another type, or not one of the choices.
    """
    value = written.value
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if kind is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(kind, type) and issubclass(kind, StrEnum) and value in list(kind):
            return kind(str(value))
        if kind in (bool, str) and isinstance(value, kind):
            return value
    raise bad_value(option, written, _in_words(kinds))


def _in_words(kinds: Sequence[Any]) -> str:
    words = {
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a string",
        type(None): "null",
    }
    return " or ".join(words[kind] if kind in words else f"one of {', '.join(kind)}" for kind in kinds)


def bad_value(option: str, written: SourcedValue, expected: str) -> ConfigError:
    """Return the error for a value that is not as `expected`."""
    return ConfigError(
        f"cannot set {option} to {written.value!r}{at(written)}",
        why=f"it must be {expected}",
        fix="change the value",
    )


def nearest(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    """Return `did you mean …?` with the known name that is most like `name`; empty if none is close."""
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


def at(written: SourcedValue) -> str:
    """Return where a value was written, for the end of a message; nothing if it was given in the call."""
    given = written.origin.source is Source.COMMAND_LINE and not written.origin.name
    return "" if given else f" ({written.origin})"
