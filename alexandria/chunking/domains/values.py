"""The value of an option as it was written, with its origin, and its conversion to the type of the option."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Union, get_args, get_origin

import yaml

from alexandria.errors import ConfigError


class Source(StrEnum):
    """The kinds of sources that values come from, in words."""

    SHIPPED = "shipped"
    FILE = "file"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written."""

    source: Source
    place: str = ""  # file and line, or the environment variable
    name: str = ""  # the name of the option as it was written, if that is a synonym

    def __str__(self) -> str:
        """Return the origin in words, such as `shipped philosophy.yaml:3`."""
        place = self.place if self.source is Source.FILE else f"{self.source} {self.place}".rstrip()
        return f"{place}, as {self.name}" if self.name else place


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """The value of an option as it was written, and where."""

    value: object
    origin: Origin
    comment: str = ""  # the comment after it on its line of the file


Layer = Mapping[str, SourcedValue]  # the values of one source, by option


def scalar(value: object) -> object:
    """Return the value of a string as YAML reads it, and any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def convert_value(option: str, setting: SourcedValue, hint: Any) -> Any:
    """Return the value of an option, converted to the option's type.

    Args:
        hint: the annotation of the option's field.

    Raises:
        ConfigError: the value has another type, or is not one of the choices.
    """
    value = setting.value
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
    raise bad_value(option, setting, _describe(kinds))


def _describe(kinds: Sequence[Any]) -> str:
    """Return what a value of one of these types is, as `a number or null`."""
    descriptions = {
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a string",
        type(None): "null",
    }
    return " or ".join(
        descriptions[kind] if kind in descriptions else f"one of {', '.join(kind)}" for kind in kinds
    )


def bad_value(option: str, setting: SourcedValue, expected: str) -> ConfigError:
    """Return the error for a value that is not what is `expected`, such as `at least 1`."""
    return ConfigError(
        f"cannot set {option} to {setting.value!r}{place_of(setting)}",
        why=f"it must be {expected}",
        fix="change the value",
    )


def place_of(setting: SourcedValue) -> str:
    """Return ` (…)` with where a value was written, for a message; empty for the command line or a call."""
    is_obvious = setting.origin.source is Source.COMMAND_LINE and not setting.origin.name
    return "" if is_obvious else f" ({setting.origin})"
