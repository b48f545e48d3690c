"""The command line as a person or a script meets it: exit codes, streams, JSON."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from alexandria.book.filters import Filter, Filters, filters
from alexandria.doors import cli
from alexandria.doors.cli import chosen
from alexandria.doors.cli.chosen import with_groups
from alexandria.doors.cli.schemas import schema_document
from alexandria.library.search import relevance
from tests.command import alexandria
from tests.conftest import CORE_BOOKS, EACH_SAMPLE, ROOT, SAMPLE_BOOKS, SAMPLES

EPUB = SAMPLES / "the-quiet-trades.epub"


def documents(output: str) -> list[Any]:
    return [json.loads(line) for line in output.splitlines()]


def validate(document: object, name: str) -> None:
    schema = schema_document(name)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the samples that every build reads."""
    folder = tmp_path_factory.mktemp("library")
    done = alexandria("ingest", *CORE_BOOKS, "--store", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder


def test_help_and_version_answer() -> None:
    command = [sys.executable, "-m", "alexandria"]  # a process of its own, as a person starts it
    shown = [subprocess.check_output([*command, word], text=True) for word in ("--help", "--version")]
    assert "ingest" in shown[0]
    assert shown[1].startswith("alexandria ")


@pytest.mark.model
def test_ingest_prints_a_line_a_book_and_a_summary(tmp_path: Path) -> None:
    done = alexandria("ingest", SAMPLES, "--store", tmp_path, "--json", "--domain", "literature")
    lines = documents(done.stdout)
    for line in lines:
        validate(line, "ingest")
    n_books = len(SAMPLE_BOOKS)
    assert [line["status"] for line in lines[:-1]] == ["ingested"] * n_books
    assert lines[-1]["summary"]["ingested"] == n_books
    assert lines[-1]["summary"]["chunks"] == sum(line["chunks"] for line in lines[:-1])
    assert done.stderr == ""


def test_a_second_ingest_changes_nothing_and_says_so(library: Path) -> None:
    before = alexandria("list", "--store", library, "--json").stdout
    done = alexandria("ingest", *CORE_BOOKS, "--store", library, "--json")
    assert {line.get("status") for line in documents(done.stdout)[:-1]} == {"unchanged"}
    assert done.returncode == 0
    assert alexandria("list", "--store", library, "--json").stdout == before


@pytest.mark.parametrize("sample", EACH_SAMPLE)
def test_inspect_json_keeps_to_its_schema_and_adds_up(sample: Path) -> None:
    done = alexandria("inspect", sample, "--json", "--domain", "philosophy")
    document = json.loads(done.stdout)
    validate(document, "inspect")
    assert len(document["similarities"]) == document["n_sentences"] - 1
    gaps = [boundary["gap"] for boundary in document["boundaries"]]
    assert gaps == sorted(set(gaps))
    assert len(document["chunks"]) == len(gaps) + 1
    assert [one["start"] for one in document["chunks"][1:]] == [
        one["start"] for one in document["boundaries"]
    ]
    assert sum(one["n_sentences"] for one in document["chunks"]) == document["n_sentences"]
    assert sum(one["word_count"] for one in document["chunks"]) == document["book"]["words"]
    assert document["settings"] | {"threshold": 0.45, "domain": "philosophy"} == document["settings"]


def test_inspect_shows_chapters_and_each_boundary_with_its_reason() -> None:
    shown = alexandria("inspect", EPUB).stdout
    document = json.loads(alexandria("inspect", EPUB, "--json").stdout)
    for chunk in document["chunks"]:
        assert chunk["section"][-1][:40] in shown
    assert shown.count("” begins") == sum(one["reason"] == "section" for one in document["boundaries"])


def test_inspect_all_gaps_shows_every_gap() -> None:
    document = json.loads(alexandria("inspect", EPUB, "--json").stdout)
    shown = alexandria("inspect", EPUB, "--all-gaps").stdout
    gaps = [line.split()[0] for line in shown.splitlines() if re.match(r"\s*\d+\s+-?\d\.\d{3}", line)]
    assert gaps == [str(gap) for gap in range(len(document["similarities"]))]


def test_a_query_and_a_quotation_need_no_quotation_marks(library: Path) -> None:
    for words in (("search", "the", "dance of", "bees"), ("find", "Before the", "kettle has", "boiled")):
        command, *typed = words
        shown = [
            alexandria(*given, "--store", library).stdout for given in (words, (command, " ".join(typed)))
        ]
        assert shown[0] == shown[1] != ""


def test_search_answers_with_a_citation(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "_CALIBRATED", ("hashing-",))
    words = ("search", "the dance of the bees in the hive", "--store", library)
    document = json.loads(alexandria(*words, "--json", "-k", "3").stdout)
    validate(document, "search")
    hits = document["hits"]
    assert document["verdict"] == max(hits, key=lambda hit: hit["relevance"])["strength"]
    assert document["notes"] == []
    assert len(hits) == 3
    assert "bee" in hits[0]["text"].lower()
    shown = alexandria(*words, "-k", "1").stdout
    assert hits[0]["book_title"] in shown
    assert f"  {hits[0]['strength']}\n" in shown
    assert hits[0]["id"] in shown


@pytest.mark.parametrize(
    ("filter", "key", "value"),
    [
        (("--book", "weather"), "book_title", "The Weather over Town"),
        (("--author", "ferrand"), "author", "Tomas Ferrand"),
        (("--domain", "default"), "domain", "default"),
    ],
    ids=["book", "author", "domain"],
)
def test_search_keeps_to_its_filters(library: Path, filter: Sequence[str], key: str, value: str) -> None:
    done = alexandria("search", "a thing", "--store", library, "--json", "-k", "20", *filter)
    assert {hit[key] for hit in json.loads(done.stdout)["hits"]} == {value}


def test_some_books_fail_and_the_rest_is_stored(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "good.txt").write_text("A first sentence. A second one.")
    done = alexandria("ingest", tmp_path, tmp_path / "gone.epub", "--store", tmp_path / "lib", "--json")
    assert done.returncode == 3
    *lines, summary = documents(done.stdout)
    status = {
        Path(line["source"]).name: (line["status"], (line["error"] or {}).get("code")) for line in lines
    }
    assert status == {
        "empty.txt": ("failed", "empty"),
        "good.txt": ("ingested", None),
        "gone.epub": ("failed", "not_found"),
    }
    assert summary["summary"]["failed"] == 2


REFUSALS = [
    pytest.param(["ingest", "gone.txt", "--store", "lib"], 4, "no such file", id="nothing was ingested"),
    pytest.param(["ingest", "http://a.b/c.epub", "--store", "lib"], 4, "download it first", id="an address"),
    pytest.param(["search", "x", "--store", "qdrant://host"], 2, "the schemes are http://", id="a scheme"),
    pytest.param(["ingest", "empty-folder", "--store", "lib"], 2, "nothing to ingest", id="no book there"),
    pytest.param(["inspect", "gone.txt"], 4, "cannot find", id="inspect nothing"),
    pytest.param(["ingest", "gone.txt", "--domain", "phil"], 2, "unknown domain", id="unknown domain"),
    pytest.param(["ingest", "gone.txt", "--set", "min_words"], 2, "there is no =", id="no assignment"),
    pytest.param(["ingest"], 2, "no PATH was given", id="no path"),
    pytest.param(["inspect", "a", "b"], 2, "unexpected extra argument", id="usage"),
    pytest.param(["search", "x", "--store", "lib"], 5, "alexandria ingest", id="no library yet"),
    pytest.param(["search", " ", "--store", "lib"], 2, "the query is empty", id="empty query, no library"),
    pytest.param(
        ["ingest", "not-a-library/letter.txt", "--store", "not-a-library", "--collection", "."],
        5,
        "not a library",
        id="foreign",
    ),
]


@pytest.mark.parametrize(("words", "code", "message"), REFUSALS)
def test_refusals_have_their_code_and_say_what_to_do(
    words: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty-folder").mkdir()
    (tmp_path / "not-a-library").mkdir()
    (tmp_path / "not-a-library" / "letter.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = alexandria(*words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "not-a-library" / "letter.txt").read_text() == "mine"


def test_an_error_is_json_too(tmp_path: Path) -> None:
    done = alexandria("inspect", tmp_path / "gone.txt", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "not_found"


def test_a_hostile_title_does_not_reach_the_terminal(tmp_path: Path) -> None:
    book = tmp_path / "x\x1b[31m\u202ered.txt"
    book.write_text("One sentence. \x1b]0;title\x07 Another one.")
    done = alexandria("ingest", book, "--store", tmp_path / "lib")
    shown = (
        done.stdout + done.stderr + alexandria("inspect", book).stdout + alexandria("extract", book).stdout
    )
    assert not {"\x1b", "\u202e", "\x07"} & set(shown)


def test_remove_takes_a_book_out(tmp_path: Path) -> None:
    alexandria("ingest", EPUB, "--store", tmp_path)
    assert alexandria("remove", "quiet", "--store", tmp_path).returncode == 0
    assert json.loads(alexandria("list", "--store", tmp_path, "--json").stdout) == []
    assert alexandria("remove", "quiet", "--store", tmp_path).returncode == 2


def test_domains_are_shown_with_their_origin() -> None:
    shown = json.loads(alexandria("domains", "show", "philosophy", "--origin", "--json").stdout)
    threshold = shown["threshold"]
    assert (threshold["value"], threshold["origin"]) == (0.45, "shipped philosophy.yaml:3")
    names = [one["domain"] for one in json.loads(alexandria("domains", "list", "--json").stdout)]
    assert "philosophy" in names


def test_an_origin_is_shown_to_the_line_however_long_its_path_is(tmp_path: Path) -> None:
    folder = tmp_path / ("a-long-name-" * 12)
    (folder / "alexandria" / "domains").mkdir(parents=True)
    (folder / "alexandria" / "domains" / "mine.yaml").write_text("extends: philosophy\nthreshold: 0.4\n")
    shown = alexandria("domains", "show", "mine", "--origin", env={"XDG_CONFIG_HOME": str(folder)}).stdout
    assert "mine.yaml:2" in "".join(shown.split())


def test_h_is_help_everywhere() -> None:
    for command in ["", "search", "domains", "domains show"]:
        short, long = alexandria(*command.split(), "-h"), alexandria(*command.split(), "--help")
        assert short.returncode == 0
        assert short.stdout == long.stdout
        assert "Usage" in short.stdout


def test_the_shells_completion_can_be_shown_and_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--install-completion" in alexandria("help", "--all").stdout
    # Built without the detection of the shell that runs the tests, the option takes the shell's name.
    monkeypatch.setattr(cli, "program", cli.program.__wrapped__)
    shown = alexandria("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert "complete" in shown.stdout.lower()


@pytest.mark.parametrize("words", [("-v", "ingest"), ("ingest", "--verbose")])
def test_verbose_tells_each_step_with_its_time(words: tuple[str, ...], tmp_path: Path) -> None:
    done = alexandria(*words, SAMPLES / "winterapfel.txt", "--store", tmp_path)
    assert re.search(r"^ +\d+\.\d\d s  storing \d+ chunks of “Der Winterapfel”$", done.stderr, re.MULTILINE)
    quiet = alexandria("ingest", SAMPLES / "winterapfel.txt", "--force", "--store", tmp_path)
    assert "storing" not in quiet.stderr


def test_debug_prints_a_traceback_wherever_it_is_written() -> None:
    cases = [
        ("--debug", "domains", "show", "nope"),
        ("domains", "--debug", "show", "nope"),
        ("domains", "show", "--debug", "nope"),
        ("domains", "show", "nope", "--debug"),
    ]
    for words in cases:
        done = alexandria(*words)
        assert done.returncode == 2
        assert "Traceback" in done.stderr
        assert "Error: unknown domain" in done.stderr


def test_a_word_that_only_looks_like_an_option_is_not_one() -> None:
    done = alexandria("domains", "show", "--", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in alexandria("domains", "show", "--", "--debug").stderr


@pytest.mark.annex
def test_a_choice_that_does_not_exist_is_refused_with_those_that_do() -> None:
    cases: dict[str, tuple[Sequence[str], str]] = {
        "search": (("search", "bees", "--mode", "fast"), "'dense', 'sentences', 'bm25', 'hybrid'"),
        "evaluate": (
            ("evaluate", "retrieval", str(EPUB), "--mode", "fast"),
            "'dense', 'sentences', 'bm25', 'hybrid'",
        ),
        "tune": (("tune", str(EPUB), "--objective", "beauty"), "'recall', 'sections'"),
        "ingest": (("ingest", str(EPUB), "--quantization", "none"), "'scalar', 'binary', 'product'"),
    }
    for words, choices in cases.values():
        done = alexandria(*words, env={"COLUMNS": "200"})
        assert done.returncode == 2
        assert choices in " ".join(done.stderr.replace("│", " ").split())


def test_search_has_an_option_for_every_filter() -> None:
    shown = alexandria("search", "--help", env={"COLUMNS": "200"}).stdout
    for _, one in filters():
        assert one.help in shown
        assert all(option in shown for option in one.options)


def test_a_filter_may_have_the_name_of_a_commands_own_option(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Filter(help="Only this.", options=("--only",), admits=lambda book, value: True)
    monkeypatch.setattr(chosen, "filters", lambda: iter([("book", own)]))
    given: list[tuple[str, Filters]] = []

    @with_groups
    def command(book: str, filters: Filters) -> None:
        given.append((book, filters))

    command(book="mine", filter_book="theirs")
    assert given == [("mine", Filters(book="theirs"))]
