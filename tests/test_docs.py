"""The docs name what there is, and what they show is true."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

import alexandria
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import domain_names, unknown_variables
from alexandria.doors.cli import program
from alexandria.extract import FORMATS
from tests.conftest import ROOT, SAMPLES

README = (ROOT / "README.md").read_text(encoding="utf-8")
STAGES = (
    *("extract/isolated/", "extract/", "chunking/sentences.py", "embed/", "chunking/", "store/"),
    "library/search/",
)
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), ROOT / "samples" / "README.md"]

# Options of tesseract, ocrmypdf, LibreOffice, pip, uv, Ray and viewers of PDFs, in texts or commands.
OF_OTHER_PROGRAMS = {
    *("--psm", "--dpi", "--list-langs", "--force-ocr", "--convert-to", "--outdir", "--head", "--open-at"),
    *("--no-deps", "--upgrade", "--force-reinstall", "--reinstall", "--disable-pip-version-check"),
    *("--no-compile", "--target", "--python"),
}

# A command line quoted in a page: at the beginning of a line of code, or in backticks.
QUOTED = re.compile(r"(?:^    |^\$ |`)alexandria ((?:[^`\n\\]|\\\n)+)", re.MULTILINE)


def commands() -> list[str]:
    return list(program().commands)


def anchors(page: Path) -> set[str]:
    """Return what a link to each heading of a page is called."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def unknown_in(command_line: str) -> list[str]:
    """Return the command or the options in a command line that do not exist."""
    command = program()
    words = command_line.split()
    if not words[0].startswith("-") and words[0] not in commands():
        return words[:1]
    for word in words:
        if word not in getattr(command, "commands", {}):
            break
        command = command.commands[word]
    known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
    return [option for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", command_line) if option not in known]


def test_the_docs_name_all_there_is() -> None:
    named = "".join((ROOT / "docs" / f"{page}.md").read_text() for page in ("cli", "strategies", "install"))
    assert [name for name in (*commands(), *STRATEGIES, *FORMATS, *domain_names()) if name not in named] == []


def test_the_readme_is_read_in_ten_minutes() -> None:
    assert len(README.split()) <= 1200


DOORS = ("read-and-cite", "search", "build-retrieval", "keep-it-safe", "judge-the-cuts")
GENERATED = ("api.md", "cli.md", "modules.md")


def test_a_door_is_one_short_page_that_begins_with_a_task() -> None:
    for door in DOORS:
        text = (ROOT / "docs" / f"{door}.md").read_text(encoding="utf-8")
        assert len(text.split()) <= 700
        _, task, commands_or_code, *_ = text.split("\n\n")
        assert re.fullmatch(r"\*.*\*", task, re.DOTALL)
        assert commands_or_code.startswith(("    alexandria ", "```python\n"))
        assert f"]({door}.md)" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", index.read_text(encoding="utf-8")))
    pages = {page.relative_to(index.parent).as_posix() for page in index.parent.glob("**/*.md")}
    assert pages - {"index.md"} == linked


def test_the_docs_that_are_written_by_hand_keep_to_their_budget() -> None:
    generated = re.compile(r"<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->", re.DOTALL)
    texts = [
        page.read_text(encoding="utf-8") for page in ROOT.glob("docs/*.md") if page.name not in GENERATED
    ]
    n_bytes = sum(len(generated.sub("", text).encode()) for text in texts)
    assert (
        n_bytes <= 106_300
    )  # 4,700: check; 690: cuts by content; 550: articles; 246: letters that differ; 215: no stemmer


def test_every_variable_of_the_environment_is_on_its_page() -> None:
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    named = {name for _, text in texts_in_code() for name in re.findall(r"\bALEXANDRIA_[A-Z_]*[A-Z]\b", text)}
    assert {name for name in named if f"`{name}" not in page} == set()
    documented = re.findall(r"`(ALEXANDRIA_[A-Z_]+)", page.split("|---|---|")[1])
    assert len(documented) > 12
    assert unknown_variables(dict.fromkeys(documented, "1")) == {}


def test_how_it_works_follows_the_flow_with_a_link_a_stage() -> None:
    how = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## How it works")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\d\. \[`(.*?)`\]", how, re.MULTILINE)) == STAGES


def in_all_pages(pattern: str | re.Pattern[str]) -> Iterator[tuple[Path, Any]]:
    """Yield what a pattern finds in the pages, each with its page."""
    for page in PAGES:
        yield from ((page, found) for found in re.findall(pattern, page.read_text(encoding="utf-8")))


def test_every_link_leads_somewhere() -> None:
    links = list(in_all_pages(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)"))
    assert len(links) > 100
    for page, (file, anchor) in links:
        target = page.parent / file if file else page
        assert target.exists(), (page, file)
        assert not anchor or anchor in anchors(target), (page, anchor)


def test_every_path_that_is_named_is_there() -> None:
    folders = "alexandria|benchmarks|configs|docs|samples|schemas|tests|tools"
    paths = list(in_all_pages(rf"`((?:{folders})/[\w./-]+)`"))
    assert len(paths) > 30
    assert [(page.name, path) for page, path in paths if not (ROOT / path).exists()] == []


def test_every_command_that_is_quoted_exists_with_its_options() -> None:
    quoted = list(in_all_pages(QUOTED))
    assert len(quoted) > 100
    assert [(page.name, line) for page, line in quoted if unknown_in(line)] == []


def texts_in_code() -> list[tuple[str, str]]:
    """Return the strings and docstrings of the program, each with its place."""
    return [
        (f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node.value)
        for path in sorted(ROOT.glob("alexandria/**/*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_every_option_that_the_program_names_exists() -> None:
    """An error once told people to "go without --grpc", which was no option."""
    every, waiting = {"--help"}, [program()]
    for command in waiting:
        every.update(option for parameter in command.params for option in parameter.opts)
        waiting.extend(getattr(command, "commands", {}).values())
    assert not every & OF_OTHER_PROGRAMS
    known, option = every | OF_OTHER_PROGRAMS, re.compile(r"(?<![\w-])--[a-z][\w-]*\w")
    named = {place: set(option.findall(text)) - known for place, text in texts_in_code()}
    assert {place: unknown for place, unknown in named.items() if unknown} == {}


def test_every_command_that_the_program_names_exists_with_its_options() -> None:
    command_line = re.compile(r"(?<![\w./-])alexandria ((?!is |to |that )[a-z-](?:[^.;:,…()`\n]|\.(?=\w))*)")
    named = [(place, line) for place, text in texts_in_code() for line in command_line.findall(text)]
    assert len(named) > 50
    assert {place: unknown for place, line in named if (unknown := unknown_in(line))} == {}


def test_every_strategy_has_its_chapter() -> None:
    text = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    assert [name for name in STRATEGIES if name not in text] == []


def test_the_changelog_begins_with_what_is_new() -> None:
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].split("\n")[0]
    version, state = newest.split(" ", 1)
    assert (version == alexandria.__version__) == (state != "(unreleased)")
    assert re.fullmatch(r"\((unreleased|20\d\d-\d\d-\d\d)\)", state)


def python_blocks() -> list[ParameterSet]:
    # The recipes for frameworks need these, and a library: tests/integrations runs them.
    pages = [page for page in PAGES if page.name != "integrations.md"]
    return [
        pytest.param(block, id=f"{page.name}:{number}")
        for page in pages
        for number, block in enumerate(
            re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        )
    ]


@pytest.mark.model
@pytest.mark.parametrize("block", python_blocks())
def test_python_in_the_docs_runs(block: str, tmp_path: Path) -> None:
    """Each book that a block names is a sample under that name; the library is in a scratch folder."""
    for name in set(re.findall(r'"([\w./-]+\.(?:epub|pdf|txt))"', block)):
        sample = next(SAMPLES.glob(f"*{Path(name).suffix}"))
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(sample, tmp_path / name)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-c", block]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readme_shows_python() -> None:
    assert any(one.id == "README.md:0" for one in python_blocks())


def test_a_generated_page_is_what_the_code_says() -> None:
    cases = ["docs/api.md", "docs/cli.md", "docs/descriptions.md", "docs/install.md", "docs/modules.md"]
    for page in cases:
        command = [sys.executable, "-m", "cogapp", "--check", page]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, "make docs writes it: " + done.stdout
