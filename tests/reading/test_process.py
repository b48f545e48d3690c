"""A file may crash, hang or bloat its reader: that is an error of one book, and the next file is read."""

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.options import ReadOptions
from alexandria.reading.limits import Limits
from alexandria.reading.process import IsolatedReader
from tests.conftest import SAMPLES

OPTIONS = ReadOptions()
BOOKS = sorted(path for path in SAMPLES.iterdir() if path.suffix == ".txt")
PARAGRAPH = "It rained all day over the town. Nobody went out, and nobody came in.\n\n"


@pytest.fixture
def reader() -> Iterator[IsolatedReader]:
    """A reader whose process is running."""
    with IsolatedReader(Limits()) as reader:
        reader.read(BOOKS[0], OPTIONS)
        yield reader


def test_it_reads_what_the_extractor_reads(reader: IsolatedReader) -> None:
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


def test_one_process_reads_many_files(reader: IsolatedReader) -> None:
    pid = reader.pid
    with pytest.raises(BookError, match="no such file"):
        reader.read(Path("gone.txt"), OPTIONS)
    reader.read(BOOKS[1], OPTIONS)
    assert reader.pid == pid


def test_a_process_that_ended_between_two_files_is_replaced(reader: IsolatedReader) -> None:
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

    timer = threading.Timer(0.2, end)
    timer.start()
    with pytest.raises(BookError, match=why) as caught:
        reader.read(BOOKS[0], OPTIONS)
    timer.join()
    assert caught.value.code is code
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


def test_a_process_that_hangs_is_ended(reader: IsolatedReader) -> None:
    assert reader.pid is not None
    os.kill(reader.pid, signal.SIGSTOP)
    reader.limits = Limits(seconds=0.1)  # not before: the first file also waits for the imports
    began = time.monotonic()
    with pytest.raises(BookError) as caught:
        reader.read(BOOKS[0], OPTIONS)
    assert caught.value.code is Code.TIMEOUT
    assert time.monotonic() - began < Limits().wall_seconds(0) / 2


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


def test_the_limits_do_not_apply_to_this_process(reader: IsolatedReader) -> None:
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != Limits().memory_bytes
