"""The value of an option, where it was written, and what it is in the option's type."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Union, get_args, get_origin

import yaml

from alexandria.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as it was written, and where, in words."""

    value: object
    origin: str


Layer = Mapping[str, Setting]
"""Settings of one source, by option."""


def scalar(value: object) -> object:
    """Return what a string of the command line or the environment says, read as YAML reads it."""
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def typed(key: str, setting: Setting, hint: Any) -> Any:
    """Return the value as the option's type, or say what it should be."""
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
    raise bad_value(key, setting, _in_words(kinds))


def _in_words(kinds: Sequence[Any]) -> str:
    words = {
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a text",
        type(None): "null",
    }
    return " or ".join(words[kind] if kind in words else f"one of {', '.join(kind)}" for kind in kinds)


def bad_value(key: str, setting: Setting, wanted: str) -> ConfigError:
    """Return the error for a value that is not what is `wanted`."""
    return ConfigError(
        f"{key} cannot be {setting.value!r}{at(setting)}", why=f"it must be {wanted}", fix="change it"
    )


def nearest(name: str, known: Sequence[str] | Mapping[str, object]) -> str:
    """Return the question whether a known name was meant; nothing where none is near."""
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


def at(setting: Setting) -> str:
    """Return where a setting was written, for the end of a message."""
    return f" ({setting.origin})"
