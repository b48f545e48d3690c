"""Many small inputs drawn from a seed, and what the program makes of them as lines that a golden file holds.

What is held is what the program does, not what it should: `make golden` writes the files anew, and the diff
tells what a change has changed. Numbers may differ by a rounding, since processors add in another order.
"""

import json
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import pytest

from alexandria.errors import AlexandriaError
from tests.test_golden import GOLDEN, hold

_NUMBER = re.compile(r"-?\d+\.\d+")
DIGITS = 3
TOLERANCE = 0.0021


def hold_drawn(name: str, found: Mapping[str, Sequence[str]]) -> None:
    """Compare lines with those of a golden file, or write it where GOLDEN=write says so."""
    if os.environ.get("GOLDEN") == "write":
        hold(f"drawn/{name}.json", found)
    held = json.loads((GOLDEN / "drawn" / f"{name}.json").read_text(encoding="utf-8"))
    assert list(found) == list(held)
    for case, lines in found.items():
        assert [_NUMBER.sub("#", line) for line in lines] == [_NUMBER.sub("#", line) for line in held[case]]
        numbers = [float(number) for line in lines for number in _NUMBER.findall(line)]
        assert numbers == pytest.approx(
            [float(number) for line in held[case] for number in _NUMBER.findall(line)], abs=TOLERANCE
        )


def shown(value: Any) -> str:
    """Return a value in short: numbers rounded, of dataclasses what is not as by default."""
    match value:
        case Enum():
            return str(value.value)
        case bool() | None | str():
            return repr(value)
        case float():
            return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"
        case Mapping():
            return "{" + ", ".join(f"{key}: {shown(one)}" for key, one in value.items()) + "}"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(shown, value))) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
    if is_dataclass(value) and not isinstance(value, type):
        told = [(one.name, getattr(value, one.name)) for one in fields(value)]
        return (
            f"{type(value).__name__}({', '.join(f'{name}={shown(of)}' for name, of in told if _tells(of))})"
        )
    if hasattr(value, "tolist"):
        return shown(value.tolist())
    return str(value)


def _tells(value: Any) -> bool:
    return value is not None and value is not False and not (isinstance(value, tuple | str) and not value)


def or_error(call: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Return the lines, or the error with its fix."""
    try:
        return call()
    except AlexandriaError as error:
        return [f"{type(error).__name__}: {' '.join(str(error).split())}"]


def slipped(drawn: random.Random, text: str, n: int) -> str:
    """Return a text with n letters left out, doubled, changed or swapped."""
    for _ in range(n):
        i = drawn.randrange(1, max(2, len(text) - 1))
        other = drawn.choice("aeiounst")
        text = drawn.choice(
            (
                text[:i] + text[i + 1 :],
                text[:i] + text[i : i + 1] + text[i:],
                text[:i] + other + text[i + 1 :],
                text[: i - 1] + text[i : i + 1] + text[i - 1 : i] + text[i + 1 :],
                text[:i] + other + text[i:],
            )
        )
    return text


def listed(words: str) -> list[str]:
    return words.split()
