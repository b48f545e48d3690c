"""What `--help` shows: in groups, within 80 columns, and at once."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alexandria.book.choices import Goal, Mode, Quantization
from alexandria.chunking import STRATEGIES
from alexandria.doors.cli import program
from alexandria.doors.cli.help import EXAMPLES, FIRST_STEPS, GROUPS, NAMED, RARE, Command, Group
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
def test_its_whole_help_fits_80_columns_with_nothing_left_out(words: tuple[str, ...], command: Any) -> None:
    lines = alexandria("help", *(words or ("--all",)), env={"COLUMNS": "80"}).stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert lines[0].startswith(f"Usage: {' '.join(('alexandria', *words))} [OPTIONS]")
    described = unwrapped("\n".join(lines))
    for one in [*command.params, *getattr(command, "commands", {}).values()]:
        if not one.hidden and one.name != "strategy":
            assert unwrapped(one.help or "") in described


@every_command
def test_its_page_fits_on_a_screen_and_names_every_option(words: tuple[str, ...], command: Any) -> None:
    lines = shown(*words).splitlines()
    assert len(lines) <= 35
    assert [line for line in lines if len(line) > 80] == []
    page = "\n".join(lines)  # not unwrapped: no name of an option is divided
    named = {option.opts[-1] for option in command.params if not option.hidden and option.opts[0][0] == "-"}
    later = {"--install-completion", "--show-completion"} if not words else set()
    assert {name for name in named - later if name not in page} == set()


def test_every_command_is_in_one_group_and_has_examples() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert len(set(grouped)) == len(grouped)
    assert {*grouped, "help"} == set(program().commands)
    groups = {name for name, command in program().commands.items() if hasattr(command, "commands")}
    assert set(EXAMPLES) == set(grouped) - groups


@pytest.mark.parametrize("example", [one for examples in EXAMPLES.values() for one in examples])
def test_an_example_is_a_valid_command_line(example: str) -> None:
    name, *words = shlex.split(example)
    with program().commands[name].make_context(name, words) as context:
        assert context.params


def test_the_rare_options_are_options_of_their_command() -> None:
    for name, rare in RARE.items():
        assert rare <= {parameter.name for parameter in program().commands[name].params}


def test_help_library_describes_what_says_which_library() -> None:
    page = alexandria("help", "library", env={"COLUMNS": "80"}).stdout
    for option in ("--store", "--collection", "--api-key-file", "--wait", "--shards", "--compat"):
        assert f"\n  {option} " in page
    unknown = alexandria("help", "nothing")
    assert unknown.returncode == 2
    assert "no command nothing" in unknown.stderr


def test_all_help_is_written_in_groups() -> None:
    assert all(isinstance(command, Command | Group) for _, command in COMMANDS)


def test_commands_and_options_have_headings() -> None:
    headings = re.compile(r"^(\S.*):$", re.MULTILINE)
    assert headings.findall(shown()) == ["Everyday", "Cuts", "Options"]
    for group in NAMED:
        assert f"{group}: {', '.join(GROUPS[group])}" in shown()
    more = ["More options (alexandria help search)", "The library (alexandria help library)"]
    expected = ["Examples", "Arguments", "Filters", "Options", *more]
    assert headings.findall(shown("search")) == expected


def test_the_choices_of_an_option_are_shown() -> None:
    cases: dict[str, tuple[tuple[str, ...], Any]] = {
        "search": (("search",), Mode),
        "evaluate": (("evaluate", "retrieval"), Mode),
        "tune": (("tune",), Goal),
        "ingest": (("ingest",), Quantization),
    }
    for words, choices in cases.values():
        assert "|".join(choices) in alexandria("help", *words, env={"COLUMNS": "80"}).stdout


def test_the_strategies_are_listed_without_importing_them() -> None:
    listed = alexandria("help", "inspect").stdout.split("The strategy: ")[1].partition(".")[0]
    assert listed.split() == [f"{name}," for name in sorted(STRATEGIES)[:-1]] + [sorted(STRATEGIES)[-1]]


@pytest.mark.parametrize("words", ["--help", "ingest --help", "search -h", "--version"])
def test_help_imports_nothing_that_takes_time(words: str) -> None:
    """rich alone takes .2 s, numpy as long on some machines; what is allowed takes .15 s together."""
    slow = ("rich", "numpy", "yaml", "jinja2", "platformdirs", "markdown_it", "alexandria.library.library")
    script = f"""
import sys
from alexandria.doors.cli import main
sys.argv = ["alexandria", *{words.split()!r}]
try:
    main()
finally:
    print([name for name in {slow!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_only_commands_that_can_guess_the_domain_offer_it() -> None:
    cases = [
        ("ingest", True),
        ("inspect", True),
        ("evaluate boundaries", False),
        ("evaluate retrieval", False),
        ("evaluate quality", False),
        ("tune", False),
    ]
    for words, guesses in cases:
        page = unwrapped(alexandria("help", *words.split()).stdout)
        assert ("by default guessed for each" in page) == guesses
        refused = "cannot use the domain 'auto' here"
        assert (refused in alexandria(*words.split(), "no-such-book", "-d", "auto").stderr) != guesses


def test_alone_it_says_what_to_type_first_and_with_a_library_what_there_is(tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    first = alexandria(env=home)
    assert (first.returncode, first.stdout, first.stderr) == (2, "", FIRST_STEPS)
    assert alexandria(env={**home, "ALEXANDRIA_STORE": str(tmp_path)}).stderr.startswith("Usage: alexandria")
    (tmp_path / "alexandria" / "books").mkdir(parents=True)
    there = alexandria(env=home)
    assert (there.returncode, there.stderr.partition(" [")[0]) == (2, "Usage: alexandria")
