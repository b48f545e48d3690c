"""What `--help` shows: in groups, within 80 columns, and at once."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from alexandria.chunking import STRATEGIES
from alexandria.cli import program
from alexandria.cli.help import Command, Group
from alexandria.modes import Goal, Mode, Quantization
from tests.command import alexandria


def commands(group: Any, *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        yield (*above, name), command
        if hasattr(command, "commands"):
            yield from commands(command, *above, name)


COMMANDS = [((), program()), *commands(program())]
every_command = pytest.mark.parametrize(
    ("words", "command"), COMMANDS, ids=[" ".join(words) or "alexandria" for words, _ in COMMANDS]
)


def shown(*words: str) -> str:
    return alexandria(*words, "--help", env={"COLUMNS": "80"}).stdout


def unwrapped(text: str) -> str:
    return " ".join(text.split()).replace("- ", "-")  # words may be divided after a hyphen


@every_command
def test_its_help_fits_80_columns_with_nothing_left_out(words: tuple[str, ...], command: Any) -> None:
    lines = shown(*words).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert lines[0].startswith(f"Usage: {' '.join(('alexandria', *words))} [OPTIONS]")
    described = unwrapped("\n".join(lines))
    for one in [*command.params, *getattr(command, "commands", {}).values()]:
        if not one.hidden and one.name != "strategy":
            assert unwrapped(one.help or "") in described


@every_command
def test_its_help_is_written_in_groups(words: tuple[str, ...], command: Any) -> None:
    assert isinstance(command, Command | Group)


def test_commands_and_options_have_headings() -> None:
    headings = re.compile(r"^(\S.*):$", re.MULTILINE)
    assert headings.findall(shown()) == ["Books", "Library", "Quality", "Setup", "Options"]
    expected = ["Arguments", "Filters", "The library", "Options"]
    assert headings.findall(shown("search")) == expected


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        (("search",), Mode),
        (("evaluate", "retrieval"), Mode),
        (("tune",), Goal),
        (("ingest",), Quantization),
    ],
    ids=["search", "evaluate", "tune", "ingest"],
)
def test_the_choices_of_an_option_are_shown(words: tuple[str, ...], choices: Any) -> None:
    assert "|".join(choices) in shown(*words)


def test_the_strategies_are_listed_without_importing_them() -> None:
    listed = shown("inspect").split("Where to cut: ")[1].partition(".")[0]
    assert listed.split() == [f"{name}," for name in sorted(STRATEGIES)[:-1]] + [sorted(STRATEGIES)[-1]]


@pytest.mark.parametrize("words", ["--help", "ingest --help", "search -h", "--version"])
def test_help_imports_nothing_that_takes_time(words: str) -> None:
    """rich alone takes .2 s, numpy as long on some machines; what is allowed takes .15 s together."""
    slow = ("rich", "numpy", "yaml", "jinja2", "platformdirs", "markdown_it", "alexandria.library.library")
    script = f"""
import sys
from alexandria.cli import main
sys.argv = ["alexandria", *{words.split()!r}]
try:
    main()
finally:
    print([name for name in {slow!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "guesses"),
    [
        ("ingest", True),
        ("inspect", True),
        ("evaluate boundaries", False),
        ("evaluate retrieval", False),
        ("evaluate quality", False),
        ("tune", False),
    ],
)
def test_only_commands_that_can_guess_the_domain_offer_it(words: str, guesses: bool) -> None:
    assert ("or auto to guess it" in alexandria(*words.split(), "--help").stdout) == guesses
    refused = "cannot use the domain 'auto' here"
    assert (refused in alexandria(*words.split(), "no-such-book", "-d", "auto").stderr) != guesses
