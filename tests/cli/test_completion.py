"""The shell completes names of domains, strategies and stored books."""

from pathlib import Path

import pytest

from alexandria import Library
from tests.command import alexandria
from tests.conftest import SAMPLES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("completion")
    with Library(place) as library:
        library.ingest(SAMPLES / "the-quiet-trades.epub", options={"model": "hashing"})
    return place


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ingest x --domain ph", ["philosophy"]),
        ("search x --domain ph", ["philosophy"]),
        ("inspect x -s uni", ["universal-semantic"]),
        ("domains show hist", ["history"]),
        ("cite x --style ch", ["chicago-notes", "chicago-author-date"]),
        ("show The", ["The\\ Quiet\\ Trades"]),
        ("remove the", []),  # bash inserts what begins as typed
        ("search x --book T", ["The\\ Quiet\\ Trades"]),
        ("read nothing", []),
    ],
)
def test_names_are_completed(folder: Path, words: str, expected: list[str]) -> None:
    asked = {
        "_ALEXANDRIA_COMPLETE": "complete_bash",
        "COMP_WORDS": f"alexandria {words}",
        "COMP_CWORD": str(len(words.split())),
        "ALEXANDRIA_STORE": str(folder),
    }
    done = alexandria(env=asked)
    assert done.stdout.split("\n")[:-1] == expected or (not expected and not done.stdout.strip()), done.stderr


def test_commands_are_completed_before_there_is_a_library(tmp_path: Path) -> None:
    asked = {"_ALEXANDRIA_COMPLETE": "complete_bash", "COMP_WORDS": "alexandria se", "COMP_CWORD": "1"}
    done = alexandria(env=asked | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    assert (done.stdout.split(), done.stderr, done.returncode) == (["search", "serve"], "", 0)
