"""A file may crash, hang or bloat its reader: that is an error of one book, and the next one is read."""

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract import content_id, extract
from alexandria.extract.options import ReadOptions
from alexandria.reading.ahead import read_ahead
from alexandria.reading.limits import Limits, check_size, limits_from
from alexandria.reading.process import IsolatedReader
from tests.conftest import SAMPLES

OPTIONS = ReadOptions()
BOOKS = sorted(path for path in SAMPLES.iterdir() if path.suffix == ".txt")
PARAGRAPH = "It rained all day over the town. Nobody went out, and nobody came in.\n\n"


@pytest.fixture
def reader() -> Iterator[IsolatedReader]:
    """A reader whose process stands ready."""
    with IsolatedReader(Limits()) as one:
        one.read(BOOKS[0], OPTIONS)
        yield one


def test_it_reads_what_the_extractor_reads(reader: IsolatedReader) -> None:
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


def test_one_process_reads_file_after_file(reader: IsolatedReader) -> None:
    pid = reader.pid
    with pytest.raises(BookError, match="no such file"):
        reader.read(Path("gone.txt"), OPTIONS)
    reader.read(BOOKS[1], OPTIONS)
    assert reader.pid == pid


def test_a_process_that_ended_between_two_files_is_no_fault_of_the_next(reader: IsolatedReader) -> None:
    pid = reader.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])
    assert reader.pid != pid


@pytest.mark.parametrize(
    ("death", "code", "why"),
    [
        pytest.param(signal.SIGSEGV, Code.DAMAGED, r"crashed on it \(exit code -11\)", id="crash"),
        pytest.param(signal.SIGXCPU, Code.TIMEOUT, "more than 15 seconds", id="processor time"),
        pytest.param(signal.SIGALRM, Code.TIMEOUT, "more than 15 seconds", id="time"),
        pytest.param(
            signal.SIGKILL, Code.TOO_LARGE, "more than 4,096 MiB of memory", id="kernel out of memory"
        ),
    ],
)
def test_the_death_of_its_process_is_an_error_of_one_book(
    reader: IsolatedReader, death: signal.Signals, code: Code, why: str
) -> None:
    pid = reader.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # it cannot answer before it dies

    def end() -> None:
        os.kill(pid, death)
        os.kill(pid, signal.SIGCONT)

    clock = threading.Timer(0.2, end)
    clock.start()
    with pytest.raises(BookError, match=why) as caught:
        reader.read(BOOKS[0], OPTIONS)
    clock.join()
    assert caught.value.code is code
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


def test_a_process_that_hangs_is_ended() -> None:
    with IsolatedReader(Limits(seconds=1)) as reader:
        reader.read(BOOKS[0], OPTIONS)
        assert reader.pid is not None
        os.kill(reader.pid, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(BookError) as caught:
            reader.read(BOOKS[0], OPTIONS)
        assert caught.value.code is Code.TIMEOUT
        assert time.monotonic() - began < 20  # it waits for four seconds; the rest is a busy machine's


def test_a_file_that_takes_too_much_processor_time_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow.txt"
    slow.write_text(PARAGRAPH * 150_000)
    with IsolatedReader(Limits(seconds=0.01, seconds_per_mib=0.1)) as reader:
        with pytest.raises(BookError) as caught:
            reader.read(slow, OPTIONS)
        assert caught.value.code is Code.TIMEOUT


def test_a_file_that_takes_too_much_memory_is_an_error_of_that_book(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_text(PARAGRAPH * 1_500_000)
    with IsolatedReader(Limits(memory_bytes=480 << 20)) as reader:
        with pytest.raises(BookError, match="more than 480 MiB of memory") as caught:
            reader.read(large, OPTIONS)
        assert caught.value.code is Code.TOO_LARGE
        assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


def test_the_process_ends_with_the_reader(reader: IsolatedReader) -> None:
    pid = reader.pid
    reader.close()
    assert reader.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid or 0, 0)


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_files_come_in_order_whatever_the_number_of_workers(workers: int, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    files = [*BOOKS, tmp_path / "empty.txt", *reversed(BOOKS), tmp_path / "gone.txt"]
    found: list[object] = []
    for path, reading in read_ahead(files, OPTIONS, Limits(), workers, lambda id: False):
        try:
            found.append((path, reading.result()[1]))
        except BookError as error:
            found.append((path, error.code))
    whole = {path: extract(path) for path in BOOKS}
    expected = {tmp_path / "empty.txt": Code.EMPTY, tmp_path / "gone.txt": Code.NOT_FOUND, **whole}
    assert found == [(path, expected[path]) for path in files]


def test_no_more_large_files_are_taken_than_there_are_readers_for(tmp_path: Path) -> None:
    large = [tmp_path / f"{i}.txt" for i in range(8)]
    for path in large:
        with path.open("wb") as file:
            file.truncate(10 << 20)
    taken = []

    def files() -> Iterator[Path]:
        for path in large:
            taken.append(path)
            yield path

    ahead = []
    for i, (_, reading) in enumerate(read_ahead(files(), OPTIONS, Limits(), 2, lambda id: True)):
        reading.result()
        ahead.append(len(taken) - i)
    assert max(ahead) == 3  # the one given out, and two that are being read


def test_a_known_file_is_not_read() -> None:
    [(_, reading)] = read_ahead([BOOKS[0]], OPTIONS, Limits(), 1, lambda id: id == content_id(BOOKS[0]))
    assert reading.result() == (content_id(BOOKS[0]), None)


def test_a_file_is_refused_by_its_size_before_it_is_opened(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse.epub"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no room
    with pytest.raises(BookError, match="1,048,576 MiB") as caught:
        check_size(sparse, Limits())
    assert caught.value.code is Code.TOO_LARGE
    [(_, reading)] = read_ahead([sparse], OPTIONS, Limits(), 1, lambda id: False)
    with pytest.raises(BookError):
        reading.result()


def test_a_file_of_the_kernel_without_a_size_is_never_opened() -> None:
    # Reading /proc/kmsg waits for the kernel to say something.
    with pytest.raises(BookError) as caught:
        check_size(Path("/proc/kmsg"), Limits())
    assert caught.value.code is Code.EMPTY


def test_limits_come_from_the_environment() -> None:
    environ = {
        "ALEXANDRIA_READ_SECONDS": "2.5",
        "ALEXANDRIA_READ_MEMORY": "512",
        "ALEXANDRIA_FILE_SIZE": "10",
    }
    assert limits_from(environ) == Limits(seconds=2.5, memory_bytes=512 << 20, file_bytes=10 << 20)
    assert limits_from({}) == Limits()


@pytest.mark.parametrize("value", ["0", "-1", "much", "nan", "inf", "1e300", ""])
def test_an_impossible_limit_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="ALEXANDRIA_READ_MEMORY"):
        limits_from({"ALEXANDRIA_READ_MEMORY": value})


def test_a_large_file_may_take_longer() -> None:
    limits = Limits(seconds=10, seconds_per_mib=2)
    assert limits.cpu_seconds(0) == 10
    assert limits.cpu_seconds(5 << 20) == 20
    assert limits.wall_seconds(5 << 20) == 80


def test_this_process_keeps_its_own_limits(reader: IsolatedReader) -> None:
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != Limits().memory_bytes
