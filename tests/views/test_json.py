"""Every command with --json prints a document that its schema describes, whatever command is added."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.core import TyperGroup

from alexandria.doors.cli import program
from alexandria.doors.cli.schemas import DOCUMENTS, schema_document
from tests.command import alexandria
from tests.conftest import ROOT, SAMPLES
from tests.evaluate.made import TOPICS, paragraph, write_text

EPUB = SAMPLES / "the-quiet-trades.epub"
INVOCATIONS = {
    "cache info": [("", "cache-info")],
    "doctor": [("", "doctor")],
    "domains list": [("", "domains-list")],
    "domains show": [("history", "domains-show"), ("history --origin", "domains-origin")],
    "backup": [("{folder}/books.zip --store {library}", "backup")],
    "evaluate boundaries": [("{sections} --documents 2", "evaluate-boundaries")],
    "evaluate quality": [("{text}", "evaluate-quality")],
    "evaluate retrieval": [("{text} --mode dense", "evaluate-retrieval")],
    "extract": [("{epub}", "extract"), ("{text}", "extract")],
    "ingest": [
        ("{text} {empty} --store {folder}/new", "ingest"),
        ("{text} --store {folder}/new", "ingest"),
        ("{text} --dry-run --store {folder}/none", "estimate"),
    ],
    "check": [("{draft} --store {library}", "check")],
    "find": [("foragers --store {library}", "find"), ("nothingofthesort --store {library}", "find")],
    "inspect": [
        ("{epub}", "inspect"),
        ("quiet --store {library}", "inspect"),
        ("{hit} --store {library}", "inspect-hit"),
        ("{epub} --compare optimal,fixed", "comparison"),
    ],
    "list": [("--store {library}", "list")],
    "models list": [("", "models-list")],
    "models test": [("all-MiniLM-L6-v2", "models-test")],
    "read": [("quiet --chapter kitchen --store {library}", "read")],
    "repair": [("--store {library}", "repair")],
    "restore": [("{backup} --store {folder}/restored", "restore")],
    "search": [
        ("bees --store {library}", "search"),
        ("bees --store {library} --mode bm25 --context 1", "search"),
        ("bees --store {library} --diverse chapter", "search"),
        ("bees --store {library} --collection books,others", "search"),
        ("nothingofthesort --store {library} --mode bm25", "search"),
    ],
    "show": [("quiet --store {library}", "show")],
    "status": [("--store {library}", "status"), ("--failures --store {failed}", "failures")],
    "tune": [("{sections} {sections2} --settings 3 --objective sections", "tune")],
    "verify": [("--store {library}", "verify")],
}
"""The words after each command with --json, and the name of the schema of what it prints."""
MARKS = {"models test": pytest.mark.model, "evaluate": pytest.mark.annex, "tune": pytest.mark.annex}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path | str]:
    """A small library, and small books."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "empty.txt").write_text("")
    library = folder / "library"
    done = alexandria("ingest", EPUB, "--store", library)
    assert done.returncode == 0, done.stderr
    done = alexandria("ingest", SAMPLES / "winterapfel.txt", "--store", library, "--collection", "others")
    assert done.returncode == 0, done.stderr
    done = alexandria("backup", folder / "backup.zip", "--store", library)
    assert done.returncode == 0, done.stderr
    assert alexandria("ingest", folder / "empty.txt", "--store", folder / "failed").returncode
    [hit, *_] = json.loads(alexandria("search", "bees", "--store", library, "--json").stdout)["hits"]
    return {
        "hit": hit["id"],
        "backup": folder / "backup.zip",
        "failed": folder / "failed",
        "folder": folder,
        "library": library,
        "epub": EPUB,
        "empty": folder / "empty.txt",
        "text": write_text(folder, "made.txt"),
        "draft": ROOT / "docs" / "examples" / "chapter-2.txt",
        "sections": write_sections(folder / "made.json"),
        "sections2": write_sections(folder / "other.json"),
    }


def write_sections(path: Path) -> Path:
    """Write a book with a section per topic, in the format of the test sets."""
    sections = [{"title": topic, "paragraphs": [paragraph(topic, n=12)]} for topic in TOPICS]
    path.write_text(json.dumps({"title": path.stem, "sections": sections}))
    return path


def commands_with_json(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the commands that have the option --json, as they are typed."""
    if isinstance(command, TyperGroup):
        for name, child in command.commands.items():
            yield from commands_with_json(child, (*path, name))
    elif any("--json" in option.opts for option in command.params):
        yield " ".join(path)


@cache
def validator(name: str) -> Draft202012Validator:
    schema = schema_document(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.annex
def test_every_command_with_json_is_tested_here() -> None:
    assert sorted(commands_with_json(program())) == sorted(INVOCATIONS)


def test_every_schema_describes_the_output_of_some_command() -> None:
    used = {name for invocations in INVOCATIONS.values() for _, name in invocations}
    assert used | {"error"} == set(DOCUMENTS)


@pytest.mark.parametrize(
    ("command", "words", "name"),
    [
        pytest.param(
            *(command, words, name),
            id=f"{command} {words}".strip(),
            marks=MARKS.get(command.partition(" ")[0] if command != "models test" else command, ()),
        )
        for command, invocations in INVOCATIONS.items()
        for words, name in invocations
    ],
)
def test_what_a_command_prints_is_valid(
    files: dict[str, Path | str], command: str, words: str, name: str
) -> None:
    done = alexandria(*command.split(), *words.format_map(files).split(), "--json", typed="q\n")
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    assert name == "ingest" or len(lines) == 1
    for line in lines:
        validator(name).validate(json.loads(line))


def test_an_error_is_a_valid_document() -> None:
    done = alexandria("inspect", "nosuch.epub", "--json")
    assert done.returncode != 0
    validator("error").validate(json.loads(done.stdout))


@pytest.mark.annex
def test_the_command_schema_prints_any_of_them() -> None:
    names = alexandria("schema").stdout.split()
    assert names == list(DOCUMENTS)
    for name in names:
        assert json.loads(alexandria("schema", name).stdout) == schema_document(name)
    unknown = alexandria("schema", "serch")
    assert unknown.returncode == 2
    assert "did you mean search?" in unknown.stderr


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("inspect", {"summary": {}}, id="a missing field"),
        pytest.param("inspect", {"n_words": 3}, id="an unknown field"),
        pytest.param("inspect", {"n_sentences": -1}, id="a number out of range"),
        pytest.param("inspect", {"schema_version": 2}, id="another version"),
        pytest.param("inspect", {"similarities": [None]}, id="null where a number must be"),
    ],
)
def test_a_schema_refuses_what_the_type_does_not_allow(
    files: dict[str, Path | str], name: str, change: dict[str, Any]
) -> None:
    done = alexandria(name, files["text"], "--json")
    document = json.loads(done.stdout)
    assert validator(name).is_valid(document)
    assert not validator(name).is_valid({**document, **change})
