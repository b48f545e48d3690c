"""Files are read ahead in processes, and yielded in order."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, content_id, extract
from alexandria.reading.ahead import read_ahead
from alexandria.reading.limits import Limits
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
