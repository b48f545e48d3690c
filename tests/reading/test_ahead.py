"""Files are read ahead in processes, and yielded in order; a few of any size wait, and more if small."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, content_id, extract
from alexandria.extract.isolated.ahead import FileQueue, read_ahead
from alexandria.extract.isolated.limits import Limits
from tests.conftest import SAMPLES

OPTIONS = ReadOptions()
BOOKS = sorted(path for path in SAMPLES.iterdir() if path.suffix == ".txt")


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_files_are_yielded_in_order_with_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    files = [*BOOKS, tmp_path / "empty.txt", *reversed(BOOKS), tmp_path / "gone.txt"]
    results: list[object] = []
    for path, reading in read_ahead(files, lambda path, id: OPTIONS, Limits(), workers):
        try:
            results.append((path, reading.result()[1]))
        except BookError as error:
            results.append((path, error.code))
    books = {path: extract(path) for path in BOOKS}
    expected = {tmp_path / "empty.txt": Code.EMPTY, tmp_path / "gone.txt": Code.NOT_FOUND, **books}
    assert results == [(path, expected[path]) for path in files]


def test_no_more_large_files_are_read_ahead_than_there_are_workers(tmp_path: Path) -> None:
    large = [tmp_path / f"{i}.txt" for i in range(8)]
    for path in large:
        with path.open("wb") as file:
            file.truncate(10 << 20)
    requested = []

    def files() -> Iterator[Path]:
        for path in large:
            requested.append(path)
            yield path

    ahead = []
    for i, (_, reading) in enumerate(read_ahead(files(), lambda path, id: None, Limits(), 2)):
        reading.result()
        ahead.append(len(requested) - i)
    assert max(ahead) == 3  # the one yielded, and two that are being read


def test_a_known_file_is_not_read() -> None:
    [(_, reading)] = read_ahead([BOOKS[0]], lambda path, id: None, Limits(), 1)
    assert reading.result() == (content_id(BOOKS[0]), None)


def test_a_file_is_refused_by_its_size_before_it_is_opened(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse.epub"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no space on the disk
    [(_, reading)] = read_ahead([sparse], lambda path, id: OPTIONS, Limits(), 1)
    with pytest.raises(BookError, match="1,048,576 MiB"):
        reading.result()


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
