"""A few files of any size may wait, and more if they are small; all leave in the order they arrived."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.reading.queue import FileQueue


def put(queue: FileQueue[int], folder: Path, sizes: list[int]) -> list[list[int]]:
    """Add files of these sizes; return what left the queue after each."""
    out = []
    for i, size in enumerate(sizes):
        path = folder / str(i)
        path.write_bytes(b"." * size)
        queue.add(path, i)
        out.append(list(queue.take_surplus()))
    return out


@pytest.mark.parametrize(
    ("n_files", "n_bytes", "sizes", "out"),
    [
        (1, 10, [20, 20, 20], [[], [0], [1]]),
        (1, 10, [3, 3, 3, 3, 3], [[], [], [], [0], [1]]),
        (1, 10, [3, 3, 20, 3], [[], [], [0, 1], [2]]),
        (2, 10, [20, 20, 20], [[], [], [0]]),
        (0, 0, [0, 1], [[0], [1]]),
        (1, 10, [0] * 18, [[]] * 16 + [[0], [1]]),
    ],
)
def test_small_files_wait_together(
    n_files: int, n_bytes: int, sizes: list[int], out: list[list[int]], tmp_path: Path
) -> None:
    assert put(FileQueue(n_files, n_bytes), tmp_path, sizes) == out


def test_an_item_that_is_ready_leaves_from_the_front(tmp_path: Path) -> None:
    queue = FileQueue[int](4, 100)
    put(queue, tmp_path, [1, 1, 1, 1])
    assert list(queue.take_surplus(lambda item: item != 2)) == [0, 1]
    assert list(queue.take_all()) == [2, 3]


def test_a_missing_file_counts_as_empty(tmp_path: Path) -> None:
    queue = FileQueue[int](1, 0)
    queue.add(tmp_path / "gone", 0)
    queue.add(tmp_path / "gone", 1)
    assert not list(queue.take_surplus())


@given(st.integers(0, 3), st.integers(0, 50), st.lists(st.integers(0, 40), max_size=40))
def test_each_item_leaves_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, n_files: int, n_bytes: int, sizes: list[int]
) -> None:
    queue = FileQueue[int](n_files, n_bytes)
    out = put(queue, tmp_path_factory.mktemp("files"), sizes)
    assert [i for items in out for i in items] + list(queue.take_all()) == list(range(len(sizes)))
