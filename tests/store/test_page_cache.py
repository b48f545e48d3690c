"""The vectors of a library that is searched again are read into the system's cache."""

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from alexandria.book import Sparse
from alexandria.store import QueryVectors, open_store, page_cache
from alexandria.store.page_cache import THREAD, ReadAhead, request_files, vector_files
from alexandria.store.plan import Stage
from alexandria.store.vectors import VectorName
from tests.store.examples import AXES, BINDING, point

N_BYTES = 1 << 20
PAGES = N_BYTES // mmap.PAGESIZE
SEGMENT = Path("segments/a-segment")
QUERY = QueryVectors(AXES[0], Sparse((1,), (1.0,)))

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the system cannot be asked to read")


@pytest.fixture(autouse=True)
def much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tests not depend on how much memory the machine has free."""
    monkeypatch.setattr(page_cache, "free_bytes", lambda: 1 << 40)


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder on a disk: that of other tests is in memory."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def on_disk(file: Path) -> Path:
    """Write a file that is not in the system's cache."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        out.write(os.urandom(N_BYTES))
        out.flush()
        os.fsync(out.fileno())
    forget(file)
    return file


def forget(file: Path) -> None:
    """Take a file out of the system's cache."""
    descriptor = os.open(file, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)
    if n_cached(file):
        pytest.skip("the file system keeps its files in memory")


def n_cached(file: Path) -> int:
    """Return how many pages of a file are in the system's cache."""
    pages = (ctypes.c_ubyte * PAGES)()
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), N_BYTES) as view:
        address = (ctypes.c_byte * N_BYTES).from_buffer(view)
        assert ctypes.CDLL(None).mincore(ctypes.byref(address), ctypes.c_size_t(N_BYTES), pages) == 0
        del address
    return sum(page & 1 for page in pages)


def join() -> None:
    """Wait until everything has been requested."""
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join()


def comes_into_cache(file: Path, seconds: float = 10) -> bool:
    """Return whether all of a file comes into the cache, which the system fills after it was asked to."""
    join()
    deadline = time.monotonic() + seconds
    while n_cached(file) < PAGES:
        if time.monotonic() > deadline:
            return False
    return True


def test_the_second_search_begins_to_read(disk: Path) -> None:
    chunks = on_disk(disk / SEGMENT / "vector_storage" / "matrix.dat")
    sentences = on_disk(disk / SEGMENT / "vector_storage-sentences" / "vectors" / "chunk_0.mmap")
    reading = ReadAhead(disk)
    reading.count_search()
    join()
    assert n_cached(chunks) == n_cached(sentences) == 0
    reading.count_search()
    assert comes_into_cache(chunks)
    assert comes_into_cache(sentences)


def test_files_that_no_search_reads_are_left_where_they_are(tmp_path: Path) -> None:
    for name in ("vector_storage-bm25/store/page_0.dat", "payload_storage/page_0.dat"):
        file = tmp_path / SEGMENT / name
        file.parent.mkdir(parents=True)
        file.touch()
    assert not list(vector_files(tmp_path))


def test_files_are_read_once_until_they_are_replaced(disk: Path) -> None:
    file = on_disk(disk / SEGMENT / "vector_storage" / "matrix.dat")
    reading = ReadAhead(disk)
    for _ in range(2):
        reading.count_search()
    assert comes_into_cache(file)
    forget(file)
    for _ in range(3):
        reading.count_search()
    join()
    assert not comes_into_cache(file, seconds=0.2)
    reading.restart()
    for _ in range(2):
        reading.count_search()
    assert comes_into_cache(file)


@pytest.mark.parametrize("free", [None, 2 * N_BYTES - 4096], ids=["unknown", "too little"])
def test_what_does_not_fit_into_half_of_the_free_memory_is_not_read(
    free: int | None, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_cache, "free_bytes", lambda: free)
    assert request_files([on_disk(disk / "file")], threading.Event()) == 0


def test_reading_ends_when_the_library_is_closed(disk: Path) -> None:
    file, reading = on_disk(disk / SEGMENT / "vector_storage" / "matrix.dat"), ReadAhead(disk)
    reading.stop()
    for _ in range(2):
        reading.count_search()
    assert not comes_into_cache(file, seconds=0.2)


def test_the_engine_keeps_its_vectors_where_they_are_looked_for(tmp_path: Path) -> None:
    folder = tmp_path / "books" / "points"
    store = open_store(str(tmp_path), "books", BINDING)
    store.upsert([point(1)])
    store.flush()
    files = [file.relative_to(folder).parts[2] for file in vector_files(folder)]
    store.close()
    assert set(files) == {"vector_storage", "vector_storage-sentences"}


def test_a_library_in_a_folder_is_read_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[int] = []
    monkeypatch.setattr(page_cache, "request_files", lambda files, stopped: readings.append(len(files)))
    store = open_store(str(tmp_path), "books", BINDING)
    store.upsert([point(1)])
    for _ in range(3):
        assert store.search(QUERY, Stage(VectorName.DENSE, 1), {})
    join()
    store.close()
    assert len(readings) == 1
    assert readings[0] > 0
