"""Small things that a person meets on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria import Library
from alexandria.book.filters import Filters
from alexandria.chunking.cues.notes import NOTES
from alexandria.chunking.domains import load_domain
from alexandria.doors import cli
from alexandria.errors import BookError
from alexandria.extract import extract
from alexandria.show.terminal.domains import show_domain
from tests.batch.test_duplicates import record
from tests.command import alexandria
from tests.conftest import SAMPLES

BOOK = SAMPLES / "gull-rock.txt"


def test_a_server_without_its_scheme_is_no_folder(tmp_path: Path) -> None:
    done = alexandria("list", "--store", "localhost:6333", cwd=tmp_path)
    assert (done.returncode, "--store http://localhost:6333" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
    done = alexandria("ingest", BOOK, "--store", "./shelf:1", cwd=tmp_path)  # a folder all the same
    assert done.returncode == 0, done.stderr
    assert alexandria("list", "--store", "shelf:1", cwd=tmp_path).returncode == 0


def test_an_option_given_twice_is_an_error_unless_it_may_be_repeated(tmp_path: Path) -> None:
    done = alexandria("ingest", BOOK, "-t", "0.4", "--threshold", "0.5", "--store", tmp_path)
    assert (done.returncode, "--threshold is given 2 times" in done.stderr) == (2, True)
    options = ("--set", "min_words=50", "--set", "max_words=500", "-q", "-q")
    done = alexandria("ingest", BOOK, *options, "--store", tmp_path)
    assert done.returncode == 0, done.stderr


def test_accents_and_case_fold_in_filters() -> None:
    for text in ["niccolo", "NICCOLÒ", "machiavèlli"]:
        assert Filters(author=text).admit(record("The Prince", "Niccolò Machiavelli"))
        assert Filters(book=text).admit(record("Niccolo\u0300 Machiavelli"))


def test_copy_refuses_itself_and_ends_with_a_summary(tmp_path: Path) -> None:
    alexandria("ingest", BOOK, "--store", tmp_path / "lib")
    done = alexandria("copy", "--store", tmp_path / "lib", "--to", f"{tmp_path}/other/../lib")
    assert (done.returncode, "onto itself" in done.stderr) == (2, True)
    for counts in ("1 book copied, 0 already there", "0 books copied, 1 already there"):
        done = alexandria("copy", "--store", tmp_path / "lib", "--to", tmp_path / "copy")
        assert done.stderr.splitlines()[-1] == counts


def test_the_ocr_hint_quotes_the_path(tmp_path: Path) -> None:
    scan = tmp_path / "my scan; rm.pdf"
    canvas = Canvas(str(scan))
    canvas.rect(10, 10, 100, 100)
    canvas.save()
    with pytest.raises(BookError) as caught:
        extract(scan)
    assert f"'{scan}' 'my scan; rm-ocr.pdf'" in caught.value.fix


def test_a_repeated_key_is_refused_with_both_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("threshold: 0.4\nmin_words: 100\nthreshold: 0.5\n")
    done = alexandria("inspect", BOOK, "--config", tmp_path / "mine.yaml")
    assert done.returncode == 2
    assert "mine.yaml:3" in done.stderr
    assert "line 1" in done.stderr


def test_a_variable_that_sets_nothing_is_named(tmp_path: Path) -> None:
    env = {"ALEXANDRIA_THRESHHOLD": "0.4", "ALEXANDRIA_MIN_WORDS": "100", "ALEXANDRIA_TIMEOUT": "9"}
    done = alexandria("ingest", BOOK, "--store", tmp_path, env=env)
    assert (
        "ALEXANDRIA_THRESHHOLD is not a variable of Alexandria; did you mean ALEXANDRIA_THRESHOLD?"
        in done.stderr
    )
    assert done.stderr.count("is not a variable") == 1
    elsewhere = {"ALEXANDRIA_STOR": str(tmp_path), "ALEXANDRIA_ZZZ": "1"}
    listed = alexandria("list", "--store", tmp_path, env=elsewhere).stderr
    assert "ALEXANDRIA_STOR is not a variable of Alexandria; did you mean ALEXANDRIA_STORE?" in listed
    assert "note: ALEXANDRIA_ZZZ is not a variable of Alexandria\n" in listed


def test_domains_init_says_what_it_shadows(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert "shadows" in alexandria("domains", "init", "history", env=env).stderr
    assert "shadows" not in alexandria("domains", "init", "sermons", env=env).stderr


def test_domains_list_shows_the_others_of_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "alexandria" / "domains"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("a: [\n")
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    done = alexandria("domains", "list", env=env)
    assert done.returncode == 2
    assert "philosophy" in done.stdout
    assert "broken.yaml:2" in done.stderr
    assert alexandria("domains", "list", "--json", env=env).stdout.startswith('{"error"')


def test_domains_show_explains_each_cost_by_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    domain = load_domain("literature")
    show_domain(domain, origins=False)
    shown = " ".join(capsys.readouterr().out.split())
    for name in NOTES:
        what, example = NOTES[name].phrase, NOTES[name].example
        assert f"{name}_cost {getattr(domain.strategy, f'{name}_cost')}: {what} {example}" in shown
    assert f"in this domain: {domain.comments['chunk_cost']}" in shown
    show_domain(load_domain("literature", options={"strategy": "universal-semantic"}), origins=False)
    assert "turn_cost" not in capsys.readouterr().out


def test_an_error_in_the_command_line_is_a_document_too() -> None:
    cases: dict[str, tuple[tuple[str, ...], str]] = {
        "missing argument": (("search",), "Missing argument 'QUERY...'"),
        "unknown option": (("search", "x", "--nope"), "No such option"),
        "invalid value": (("search", "x", "-k", "many"), "Invalid value for '--limit'"),
        "unknown command": (("nothing",), "No such command 'nothing'."),
        "unknown subcommand": (("evaluate", "nothing"), "No such command 'nothing'."),
    }
    for words, what in cases.values():
        done = alexandria(*words, "--json")
        assert done.returncode == 2
        error = json.loads(done.stdout)["error"]
        assert error["what"].startswith(what)
        assert error["code"] == "config"
        assert alexandria(*words).stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a file of Linux")
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_output_that_cannot_be_written_is_an_error_of_one_sentence(options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "alexandria", "domains", "list", *options]
    # Otherwise nothing is left to write when the program ends.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=buffered
        )
    assert (done.returncode, done.stderr.count("Error: cannot write")) == (5, 1)
    assert "Traceback" not in done.stderr


def test_what_one_may_not_reach_is_no_fault_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/shelf/hidden")

    monkeypatch.setattr(Library, "books", refuse)
    monkeypatch.setattr(sys, "argv", ["alexandria", "list", "--json", "--store", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert json.loads(capsys.readouterr().out)["error"]["what"] == "cannot reach /shelf/hidden"


def test_a_fault_of_the_program_is_a_document_and_70(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("what nobody expected")

    monkeypatch.setattr(Library, "books", fail)
    monkeypatch.setattr(sys, "argv", ["alexandria", "list", "--json", "--store", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    assert ended.value.code == 70
    error = json.loads(shown.out)["error"]
    assert (error["code"], error["what"]) == (
        "bug",
        "a bug in Alexandria: RuntimeError: what nobody expected",
    )
    assert "alexandria --debug" in error["fix"]
    assert "Traceback" not in shown.err


def test_mcp_in_a_terminal_prints_what_registers_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.chdir(tmp_path)

    def registered(*words: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["alexandria", "mcp", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 0
        server = json.loads(capsys.readouterr().out)["mcpServers"]["alexandria"]
        assert Path(server["command"]).is_absolute()
        return list(server["args"])

    assert registered("--store", "shelf") == ["mcp", "--store", str(tmp_path / "shelf")]
    assert registered("--store", "local:shelf") == ["mcp", "--store", f"local:{tmp_path / 'shelf'}"]
    assert registered("--store", "http://host:6333") == ["mcp", "--store", "http://host:6333"]
    monkeypatch.setenv("ALEXANDRIA_STORE", "shelf")
    assert registered("--collection", "a") == ["mcp", "--store", str(tmp_path / "shelf"), "--collection", "a"]
