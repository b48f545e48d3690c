"""`alexandria doctor` finds what is wrong, and names the fix."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import alexandria as package
from alexandria.embed.models import packaged
from alexandria.library.care.health import Check, State, diagnose
from alexandria.store import open_store
from alexandria.store.lock import require_lock
from alexandria.store.store import Server
from tests.command import alexandria
from tests.conftest import ROOT, SAMPLES
from tests.store.examples import BINDING
from tests.store.fake_server import FakeServer


def named(checks: list[Check], name: str) -> Check:
    return next(check for check in checks if check.name == name)


@pytest.mark.model
def test_a_sound_installation_ends_in_0(tmp_path: Path) -> None:
    done = alexandria("doctor", "--store", tmp_path / "library")
    assert done.returncode == 0, done.stdout
    assert "first ingest creates it" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("everything that is needed works")
    assert not (tmp_path / "library").exists()


def test_the_processor_is_shown_with_the_format_that_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for precision, used in (("f32", "uses f32"), ("nonsense", "uses ")):
        monkeypatch.setenv("ALEXANDRIA_PRECISION", precision)
        processor = named(diagnose(str(tmp_path)), "processor")
        assert processor.state is State.OK
        assert used in processor.value or "the first ingest measures" in processor.value


def test_a_file_in_place_of_a_library_is_wrong_and_the_fix_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("a file")
    check = named(diagnose(str(tmp_path / "library")), "library")
    assert (check.state, check.fix) == (State.WRONG, "choose a folder with --store")


def test_the_program_is_named_with_its_version_and_folder(tmp_path: Path) -> None:
    program = named(diagnose(str(tmp_path)), "alexandria")
    assert program.value == f"{package.__version__} in {ROOT / 'alexandria'}"


def test_a_missing_model_is_wrong_and_the_fix_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    monkeypatch.setenv("ALEXANDRIA_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    shown = alexandria("doctor", "--store", tmp_path / "library")
    assert shown.stdout.splitlines()[-1] == "wrong: model; see the fix below it"
    done = alexandria("doctor", "--store", tmp_path / "library", "--json")
    assert done.returncode == 2
    entries: list[dict[str, Any]] = json.loads(done.stdout)
    wrong = [entry for entry in entries if entry["state"] == "wrong"]
    assert [(entry["name"], entry["fix"]) for entry in wrong] == [("model", "alexandria models install")]


def test_a_library_that_is_open_elsewhere_is_said_to_be_in_use(tmp_path: Path) -> None:
    ingested = alexandria("ingest", SAMPLES / "winterapfel.txt", "--store", tmp_path)
    assert ingested.returncode == 0, ingested.stderr
    assert "books; not in use" in named(diagnose(str(tmp_path)), "library").value
    lock = require_lock(tmp_path / "books")
    try:
        assert "in use by" in named(diagnose(str(tmp_path)), "library").value
    finally:
        lock.release()


def test_a_server_shows_its_version() -> None:
    with FakeServer() as server:
        check = named(diagnose(server.url), "library")
    assert check.state is State.OK
    assert f"{server.url}: Qdrant " in check.value


def test_a_server_that_does_not_answer_is_wrong() -> None:
    check = named(diagnose("http://127.0.0.1:1", Server(timeout=2)), "library")
    assert check.state is State.WRONG
    assert check.fix is not None


def test_a_library_where_no_folder_can_be_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "notes.txt"
    file.touch()
    for store in (file, file / "library"):
        check = named(diagnose(str(store)), "library")
        assert (check.state, check.value) == (State.WRONG, f"{file} is a file")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere
    assert "cannot be written" in named(diagnose(str(tmp_path / "new")), "library").value


def test_a_library_that_may_only_be_read_is_ok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(str(tmp_path), "books", BINDING).close()
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere
    check = named(diagnose(str(tmp_path)), "library")
    assert (check.state, check.value) == (State.OK, f"{tmp_path}: books; to be read, not written")


def test_a_full_disk_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    assert named(diagnose(str(tmp_path)), "disk (library)").state is State.WRONG


def test_an_optional_program_is_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    check = named(diagnose(":memory:"), "tesseract")
    assert check.state is State.MISSING


def test_what_stays_after_uninstalling_is_named_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "ALEXANDRIA_MODELS": ""}
    home["ALEXANDRIA_CACHE"] = str(tmp_path / "a cache")
    for folder in ("data/alexandria/books", "data/alexandria/models", "a cache"):
        (tmp_path / folder).mkdir(parents=True)
    printed = alexandria("doctor", "--uninstall", env=home).stdout
    removed = [line.partition("  #")[0] for line in printed.splitlines() if line.startswith(("rm", "pip"))]
    assert removed[:2] == ["pip uninstall alexandria-books", f"rm -r {tmp_path}/data/alexandria"]
    assert f"rm -r '{tmp_path}/a cache'" in removed
    assert not any("data/alexandria/models" in line for line in removed)  # it is in a folder that is named
    assert (tmp_path / "data/alexandria/books").exists()
