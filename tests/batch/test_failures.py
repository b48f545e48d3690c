"""A file that failed is listed until it can be read."""

import json
from pathlib import Path

from alexandria.batch.failures import Failures
from alexandria.errors import BookError, Code

ERROR = BookError("cannot read it", why="it is torn", fix="get another", code=Code.DAMAGED)


def sources(path: Path) -> list[str]:
    with Failures(path) as failures:
        return [str(source) for source in failures.sources()]


def test_a_failure_is_on_disk_at_once_with_all_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "library" / "failures.jsonl"
    with Failures(path) as failures:
        failures.note(Path("/shelf/a.epub"), ERROR)
        line = json.loads(path.read_text())
    assert line.pop("failed_at").endswith("+00:00")
    assert line == {
        "source": "/shelf/a.epub",
        "code": "damaged",
        "what": "cannot read it",
        "why": "it is torn",
        "fix": "get another",
    }


def test_a_file_that_is_read_at_last_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        for name in "abc":
            failures.note(Path("/shelf", name), ERROR)
    with Failures(path) as failures:
        failures.note(Path("/shelf/b"), None)
        failures.note(Path("/shelf/a"), ERROR)
    assert sources(path) == ["/shelf/c", "/shelf/a"]
    assert len(path.read_text().splitlines()) == 2


def test_without_failures_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        failures.note(Path("/shelf/a"), None)
    assert not path.exists()
    with Failures(path) as failures:
        failures.note(Path("/shelf/a"), ERROR)
    with Failures(path) as failures:
        failures.note(Path("/shelf/a"), None)
    assert not path.exists()


def test_a_line_cut_off_by_a_kill_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        failures.note(Path("/shelf/a"), ERROR)
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2] + "\n[]\n")
    assert sources(path) == ["/shelf/a"]


def test_a_run_that_notes_nothing_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    reader = Failures(path)
    with Failures(path) as other:
        other.note(Path("/shelf/a"), ERROR)
    with reader:
        pass
    assert sources(path) == ["/shelf/a"]


def test_a_name_that_is_not_utf8_comes_back_unchanged(tmp_path: Path) -> None:
    with Failures(tmp_path / "f.jsonl") as failures:
        failures.note(Path("/shelf/caf\udce9"), ERROR)
    assert sources(tmp_path / "f.jsonl") == ["/shelf/caf\udce9"]


def test_a_library_in_memory_lists_none() -> None:
    with Failures(None) as failures:
        failures.note(Path("/shelf/a"), ERROR)
        assert failures.sources() == []
