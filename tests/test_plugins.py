"""An installed package adds formats and strategies; what is broken about it is reported by name."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from alexandria.chunking import STRATEGIES
from alexandria.errors import ConfigError
from alexandria.extract import FORMATS
from alexandria.system.plugins import Registry, list_installed_versions
from tests.conftest import ROOT, SAMPLES
from tests.forks import Forked

GROUP = "alexandria.tests"
NAMED = "class Number(int): name = 'six'\nTWO = Number(2)"

FORMAT = """
from pathlib import Path

from alexandria.book.model import BlockKind, Metadata
from alexandria.extract import Format
from alexandria.extract.draft import Draft, DraftBlock, DraftSection

STANZA = Format(
    "stanza",
    suffixes=(".stanza",),
    matches=lambda probe: probe.head.startswith(b"STANZA 1"),
    module="stanza_format",
)


def extract(path, options):
    title, *lines = path.read_text().splitlines()[1:]
    blocks = tuple(DraftBlock(BlockKind.VERSE, line) for line in lines)
    return Draft(Metadata(title=title), (DraftSection((), 0, None, blocks),))
"""
POEM = "STANZA 1\nThe Reed\nThe reed bends low. The wind goes over.\nThe oak stood up, and lies in clover.\n"

STRATEGY = """
from dataclasses import dataclass
from typing import ClassVar

from alexandria.book.model import Boundary, Reason


@dataclass(frozen=True, slots=True)
class EveryNth:
    name: ClassVar[str] = "every-nth"
    needs_embeddings: ClassVar[bool] = False
    min_words: ClassVar[int] = 0

    n: int = 10
    max_words: int = 1200

    def segment(self, embeddings, sizes):
        starts = (i for first, stop in sizes.spans() for i in range(first + self.n, stop, self.n))
        return tuple(Boundary(i - 1, 0.0, None, Reason.TOPIC) for i in starts)

    def rule(self):
        return f"every {self.n} sentences"

    def cap(self):
        return f"{self.max_words} words"
"""
BOOK = str(SAMPLES / "gull-rock.txt")


def install(folder: Path, name: str, source: str, **entry_points: str) -> None:
    """Write a package that Python sees as installed once `folder` is on its path.

    Args:
        folder: to hold the module and its metadata.
        name: of the package and of its only module.
        source: of the module.
        entry_points: for each group, with `_` for `.`, lines such as `tiny = tiny:FORMAT`.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (f"[{group.replace('_', '.')}]\n{lines}\n" for group, lines in entry_points.items())
    (info / "entry_points.txt").write_text("\n".join(groups))
    (folder / f"{name}.py").write_text(source)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment where the format is installed."""
    install(tmp_path / "site", "stanza_format", FORMAT, alexandria_formats="stanza = stanza_format:STANZA")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *sys.path]),
        "ALEXANDRIA_CACHE": str(tmp_path / "cache"),
        "ALEXANDRIA_MODEL": "hashing",
        "ALEXANDRIA_STORE": str(tmp_path / "store"),
    }


@pytest.fixture
def alexandria(environ: dict[str, str]) -> Callable[..., str]:
    """Run a command where the format is installed."""

    def checked(*words: str | Path) -> str:
        done = run(environ, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return checked


def run(environment: dict[str, str], *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which sees the packages of this environment as installed."""
    process = Forked([*map(str, words)], env=environment, cwd=ROOT)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(words, process.wait(), output.decode(), errors.decode())


def registry() -> Registry[int]:
    return Registry(GROUP, {"one": 1}, kind="number", accepts=lambda value: isinstance(value, int))


def test_an_installed_entry_is_listed_after_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "numbers_added", "TWO = 2", alexandria_tests="two = numbers_added:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(registry().items()) == [("one", 1), ("two", 2)]
    assert len(registry()) == 2
    assert "three" not in registry()
    assert list_installed_versions(GROUP) == ("numbers_added 1.0",)


@pytest.mark.parametrize(
    ("source", "point", "why"),
    [
        pytest.param("1 / 0", "two = broken_numbers:TWO", "ZeroDivisionError: division by zero", id="raises"),
        pytest.param("", "two = broken_numbers:TWO", "has no attribute 'TWO'", id="missing"),
        pytest.param(
            "TWO = 'b'", "two = broken_numbers:TWO", "broken_numbers:TWO is not a number", id="kind"
        ),
        pytest.param("TWO = 2", "one = broken_numbers:TWO", "another number has this name", id="name"),
        pytest.param(NAMED, "two = broken_numbers:TWO", "broken_numbers:TWO calls itself 'six'", id="itself"),
    ],
)
def test_a_broken_package_is_named(
    source: str, point: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken_numbers", source, alexandria_tests=point)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_numbers", raising=False)
    with pytest.raises(
        ConfigError, match=f"the number '{point[:3]}' of the package broken_numbers"
    ) as caught:
        dict(registry())
    assert why in caught.value.why


def test_names_are_listed_without_importing_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "numbers_unread", "1 / 0", alexandria_tests="two = numbers_unread:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(registry()) == ["one", "two"]
    assert "two" in registry()
    assert "numbers_unread" not in sys.modules


def test_a_shipped_name_is_found_without_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "slow_numbers", "1 / 0", alexandria_tests="two = slow_numbers:TWO")
    monkeypatch.syspath_prepend(tmp_path)
    assert registry()["one"] == 1
    assert "one" in registry()


# --- a format -------------------------------------------------------------------------------------


def test_an_installed_format_is_read_by_every_command(alexandria: Callable[..., str], tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "reed.stanza").write_text(POEM)
    (shelf / "reed.xyz").write_text(POEM)  # no suffix that a folder is searched for
    outcomes = alexandria("ingest", shelf, "--json").splitlines()
    assert [Path(json.loads(line)["source"]).suffix for line in outcomes[:-1]] == [".stanza"]
    inspected = json.loads(alexandria("inspect", shelf / "reed.xyz", "--json"))
    assert (inspected["book"]["format"], inspected["book"]["title"]) == ("stanza", "The Reed")
    assert "The Reed" in alexandria("inspect", "The Reed")


def test_an_installed_format_is_listed(environ: dict[str, str]) -> None:
    """In Python as it starts, without what the other tests have imported."""
    command = [sys.executable, "-c", "from tools.readme import formats; print(formats())"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ", ".join(f"`{name}`" for name in (*FORMATS, "stanza"))


def test_another_version_of_an_installed_format_reads_books_again(
    alexandria: Callable[..., str], tmp_path: Path
) -> None:
    book = tmp_path / "reed.stanza"
    book.write_text(POEM)
    (metadata,) = (tmp_path / "site").glob("*.dist-info/METADATA")
    for version, n_cached in (("1.0", 1), ("1.0", 1), ("1.1", 2)):
        metadata.write_text(metadata.read_text().replace("1.0", version))
        alexandria("inspect", book, "--json")
        assert len(list((tmp_path / "cache" / "books").glob("*.book"))) == n_cached


# --- a strategy -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of commands, without the package that adds the strategy."""
    return {
        **os.environ,
        "ALEXANDRIA_MODEL": "hashing",
        "ALEXANDRIA_STORE": str(tmp_path_factory.mktemp("store") / "library"),
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }


@pytest.fixture(scope="module")
def installed(without: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of commands, with the strategy `every-nth` of an installed package."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, "nths", STRATEGY, alexandria_strategies="every-nth = nths:EveryNth")
    return {**without, "PYTHONPATH": os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))}


def test_an_installed_strategy_is_listed_with_the_shipped_ones(installed: dict[str, str]) -> None:
    words = run(installed, "help", "inspect").stdout.split()
    last = f"{max(STRATEGIES)},"
    assert words[words.index(last) :][:2] == [last, "every-nth."]
    unknown = run(installed, "domains", "show", "default", "--strategy", "every-mth")
    assert unknown.returncode == 2
    assert "did you mean every-nth?" in unknown.stderr


def test_an_installed_strategy_has_options_as_any_other(installed: dict[str, str]) -> None:
    options = ("--strategy", "every-nth", "--set", "n=7", "--origin", "--json")
    shown = json.loads(run(installed, "domains", "show", "default", *options).stdout)
    assert (shown["strategy"]["value"], shown["strategy"]["origin"]) == ("every-nth", "command line")
    assert (shown["n"]["value"], shown["n"]["origin"]) == (7, "command line")
    inspected = json.loads(
        run(installed, "inspect", BOOK, "--strategy", "every-nth", "--set", "n=7", "--json").stdout
    )
    assert inspected["settings"]["n"] == 7
    sizes = [chunk["n_sentences"] for chunk in inspected["chunks"]]
    assert max(set(sizes), key=sizes.count) == 7


def test_a_book_explains_itself_when_its_strategy_is_gone(
    installed: dict[str, str], without: dict[str, str]
) -> None:
    assert run(installed, "ingest", BOOK, "--strategy", "every-nth").returncode == 0
    stored = json.loads(run(without, "inspect", "gull", "--json").stdout)
    assert (stored["settings"]["strategy"], stored["settings"]["n"]) == ("every-nth", 10)
    chunk = [boundary["reason"] for boundary in stored["boundaries"]].index("topic")
    hit = f"{stored['book']['id'][:8]}-{stored['chunks'][chunk]['start']}"
    here, gone = (
        json.loads(run(environment, "inspect", hit, "--json").stdout) for environment in (installed, without)
    )
    why, rule = here["ends"].pop("why"), "rule of the strategy every-nth, which is not available here"
    assert ". Every 10 sentences (" in why
    assert gone["ends"].pop("why") == why.replace("Every 10 sentences", rule[0].upper() + rule[1:])
    assert gone == here
    assert "every-nth" in run(without, "inspect", "gull").stdout
