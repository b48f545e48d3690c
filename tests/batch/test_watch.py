"""A watched folder yields each book once, and only when it has arrived completely."""

from collections.abc import Callable
from pathlib import Path

from alexandria.batch.watch import arrivals


def polls(
    folder: Path, *happen: Callable[[], object], on_gone: Callable[[], None] = lambda: None
) -> list[list[str]]:
    """Return what arrives while these things happen, one before each poll."""
    pending = list(happen)

    def stopped() -> bool:
        if not pending:
            return True
        pending.pop(0)()
        return False

    return [[path.name for path in files] for files in arrivals([folder], stopped, period=0, on_gone=on_gone)]


def nothing() -> None:
    """A poll without a change."""


def test_each_file_is_yielded_once(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "deep" / "b.epub"
    a.write_text("here from the start")
    b.parent.mkdir()
    assert polls(tmp_path, nothing, nothing, nothing, lambda: b.write_text("late"), nothing, nothing) == [
        ["a.txt"],
        ["b.epub"],
    ]


def test_a_file_that_is_still_growing_has_not_arrived(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"

    def grow() -> None:
        with a.open("a") as file:
            file.write("more")

    assert polls(tmp_path, grow, grow, grow) == []
    assert polls(tmp_path, nothing, grow, grow, nothing, nothing) == [["a.txt"]]


def test_a_changed_file_is_yielded_again_and_a_deleted_one_forgotten(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"
    a.write_text("one")
    arrived = polls(tmp_path, nothing, nothing, lambda: a.write_text("another"), nothing, a.unlink, nothing)
    assert arrived == [["a.txt"], ["a.txt"]]


def test_only_what_two_polls_in_a_row_do_not_see_is_gone(tmp_path: Path) -> None:
    a, calls = tmp_path / "a.txt", list[str]()

    def write() -> None:
        a.write_text("here")

    def watch(*happen: Callable[[], object]) -> int:
        calls.clear()
        polls(tmp_path, *happen, on_gone=lambda: calls.append("gone"))
        return len(calls)

    assert watch(write, a.unlink, write, nothing, a.unlink, write, nothing) == 0
    assert watch(write, a.unlink, nothing, nothing, nothing) == 1
