"""Each statement of the descriptions says where it is done, and what it names exists.

`descriptions.psv` has a statement per line: its number, the statement in short, whether the program does it
(as described, better, otherwise, in part, or not at all), where, and the test that checks it.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains.domain import DOMAIN_OPTIONS, option_names
from alexandria.chunking.sentences import SPLITTERS
from tests.conftest import ROOT
from tests.test_docs import unknown_in

KINDS = {"as", "better", "other", "partly", "n/a"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a description, and what became of it."""

    id: str
    text: str
    kind: str
    where: str
    """References in backticks, and the reason if the program does something else."""
    test: str
    """The test that checks it, below `tests/`."""


STATEMENTS = [
    Statement(*line.split("|"))
    for line in (ROOT / "tests" / "descriptions.psv").read_text(encoding="utf-8").splitlines()
]
COUNTS = {"C": 27, "A": 129, "B": 81, "D": 23, "E": 30, "F": 22}
FOLDERS = ("alexandria/", "benchmarks/", "configs/", "docs/", "samples/", "tests/")


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def options() -> set[str]:
    return {
        *DOMAIN_OPTIONS,
        *STRATEGIES,
        *(name for one in STRATEGIES.values() for name in option_names(one)),
    }


def exists(reference: str) -> bool:
    """Return whether a file, command, public name, key of the payload or option is there."""
    if reference.startswith(FOLDERS) or reference in ("Makefile", "README.md", "pyproject.toml"):
        return (ROOT / reference).exists()
    if reference.startswith("alexandria "):
        return not unknown_in(reference.removeprefix("alexandria "))
    if reference == "alexandria.yaml":
        return True
    if reference.startswith("alexandria."):
        module, _, name = reference.rpartition(".")
        return hasattr(import_module(module), name)
    if reference.startswith("payload."):
        return f'"{reference.removeprefix("payload.")}": ' in source(ROOT / "alexandria/store/payload.py")
    return reference in options()


def test_every_statement_is_there_once() -> None:
    assert [one.id for one in STATEMENTS] == [
        f"{d}{n}" for d, most in COUNTS.items() for n in range(1, most + 1)
    ]


def test_none_is_missing_and_few_are_done_in_part() -> None:
    assert {one.kind for one in STATEMENTS} <= KINDS
    assert sum(one.kind == "partly" for one in STATEMENTS) <= 5


def test_what_is_not_there_is_noticed() -> None:
    cases = ["alexandria/nothing.py", "alexandria fly", "alexandria.Fly", "payload.fly", "fly"]
    for reference in cases:
        assert not exists(reference)


def test_what_a_statement_names_exists() -> None:
    quoted = {"local:", "en", "en-GB", "--collection", *SPLITTERS}
    named = [(one.id, name) for one in STATEMENTS for name in re.findall(r"`([^`]+)`", one.where)]
    assert [(id, name) for id, name in named if name not in quoted and not exists(name)] == []


def test_the_test_of_a_statement_exists() -> None:
    unknown = {one.id: one.test for one in STATEMENTS if one.kind != "n/a" and not is_test(one.test)}
    assert unknown == {}


def is_test(name: str) -> bool:
    file, _, function = name.partition("::")
    path = ROOT / "tests" / file
    return path.is_file() and f"\ndef {function}(" in source(path)


def test_what_is_otherwise_has_its_reason() -> None:
    reasons = {
        one.id: re.sub(r"`[^`]+`[:;,]?", "", one.where).strip()
        for one in STATEMENTS
        if one.kind in ("other", "partly", "n/a")
    }
    assert {id: reason for id, reason in reasons.items() if len(reason) <= 8} == {}
