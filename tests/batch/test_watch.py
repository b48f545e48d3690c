"""A watched folder gives each book once, and only when it has arrived whole."""

from collections.abc import Callable
from pathlib import Path

from alexandria.batch.watch import arrivals


def looks(folder: Path, *happen: Callable[[], object]) -> list[list[str]]:
    """Return what arrives while these things happen, one before each look."""
    todo = list(happen)

    def stopped() -> bool:
        if not todo:
            return True
        todo.pop(0)()
        return False

    return [[path.name for path in files] for files in arrivals([folder], stopped, period=0)]


def nothing() -> None:
    """A look without news."""


def test_what_is_there_and_what_arrives_is_given_once(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "deep" / "b.epub"
    a.write_text("here from the start")
    b.parent.mkdir()
    assert looks(tmp_path, nothing, nothing, nothing, lambda: b.write_text("late"), nothing, nothing) == [
        ["a.txt"],
        ["b.epub"],
    ]


def test_a_file_that_still_grows_has_not_arrived(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"

    def grow() -> None:
        with a.open("a") as file:
            file.write("more")

    assert looks(tmp_path, grow, grow, grow) == []
    assert looks(tmp_path, nothing, grow, grow, nothing, nothing) == [["a.txt"]]


def test_a_file_that_changes_is_given_again_and_one_that_goes_is_forgotten(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"
    a.write_text("one")
    arrived = looks(tmp_path, nothing, nothing, lambda: a.write_text("another"), nothing, a.unlink, nothing)
    assert arrived == [["a.txt"], ["a.txt"]]
