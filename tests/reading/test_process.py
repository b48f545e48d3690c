"""A file may crash, hang or bloat its reader: that is an error of one book, and the next file is read."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.isolated import process
from alexandria.extract.isolated.limits import Limits, peak_memory
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.options import ReadOptions
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


def dies_soon(pid: int | None, death: signal.Signals) -> threading.Timer:
    """Stop a process, so that it cannot answer, and end it a moment later."""
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)

    def end() -> None:
        os.kill(pid, death)
        os.kill(pid, signal.SIGCONT)

    timer = threading.Timer(0.2, end)
    timer.start()
    return timer


@pytest.mark.parametrize(
    ("death", "code", "why"),
    [
        pytest.param(signal.SIGSEGV, Code.DAMAGED, r"crashed on it \(exit code -11\)", id="crash"),
        pytest.param(signal.SIGABRT, Code.DAMAGED, r"crashed on it \(exit code -6\)", id="abort"),
        pytest.param(signal.SIGXCPU, Code.TIMEOUT, "more than 15 seconds", id="processor time"),
        pytest.param(signal.SIGALRM, Code.TIMEOUT, "more than 15 seconds", id="time"),
        pytest.param(
            signal.SIGKILL, Code.TOO_LARGE, "the system ended its reader", id="kernel out of memory"
        ),
    ],
)
def test_the_death_of_its_process_is_an_error_of_one_book(
    reader: IsolatedReader, death: signal.Signals, code: Code, why: str
) -> None:
    timer = dies_soon(reader.pid, death)
    with pytest.raises(BookError, match=why) as caught:
        reader.read(BOOKS[0], OPTIONS)
    timer.join()
    assert caught.value.code is code
    assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


_ANSWERS_WITH_A_STRING = """
import pickle, sys
while True:
    pickle.load(sys.stdin.buffer)
    pickle.dump("no book", sys.stdout.buffer)
    sys.stdout.buffer.flush()
"""


def test_a_process_that_answers_something_else_is_ended_at_once(
    reader: IsolatedReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", _ANSWERS_WITH_A_STRING]
    strange = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    reader.close()
    with monkeypatch.context() as patch:
        patch.setattr(process, "start_worker", lambda: strange)
        with pytest.raises(BookError, match="neither a book") as caught:
            reader.read(BOOKS[0], OPTIONS)
    assert caught.value.code is Code.DAMAGED
    assert strange.returncode == -signal.SIGKILL
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
    # With one character outside the basic plane, Python holds each in four bytes: the limit is met soon.
    large.write_text("𝄞 " + PARAGRAPH * 930_000)
    with IsolatedReader(Limits(memory_bytes=480 << 20)) as reader:
        with pytest.raises(BookError, match="more than 480 MiB of memory") as caught:
            reader.read(large, OPTIONS)
        assert caught.value.code is Code.TOO_LARGE
        assert reader.read(BOOKS[0], OPTIONS) == extract(BOOKS[0])


_KEEPS_MEMORY = """
from alexandria.extract.isolated import worker

answer, answered = worker._answer, []

def answer_or_refuse(request):
    if request.path.name == "too large" or (request.path.name == "large" and answered):
        return worker.out_of_memory(request.path, request.limits)
    answered.append(answer(request))
    return answered[-1]

worker._answer = answer_or_refuse
worker.main()
"""
"""A worker in which the file `large` does not fit beside what it keeps of other files."""


def test_a_file_is_refused_only_if_it_does_not_fit_into_a_new_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_started = 0

    def start_keeping() -> "subprocess.Popen[bytes]":
        nonlocal n_started
        n_started += 1
        command = [sys.executable, "-c", _KEEPS_MEMORY]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(process, "start_worker", start_keeping)
    for name in ("small", "large", "too large"):
        (tmp_path / name).write_text(PARAGRAPH)
    with IsolatedReader(Limits()) as reader:
        for name in ("small", "large"):
            assert reader.read(tmp_path / name, OPTIONS).text == PARAGRAPH.strip()
        assert n_started == 2
        with pytest.raises(BookError, match="more than 1,536 MiB of memory"):
            reader.read(tmp_path / "too large", OPTIONS)
        assert n_started == 3


def repeating_pdf(depth: int) -> bytes:
    """Return a PDF of one page whose forms draw one another ten times each, `depth` deep."""
    resources = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>"
    text = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>"
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        stream(b"/F Do ", b""),
        *(stream(b"/F Do " * 10, resources % (6 + i)) for i in range(depth)),
        stream(b"0 0 9 9 re f ", text),
    ]
    objects = [b"%d 0 obj\n%b\nendobj\n" % (i + 1, body) for i, body in enumerate(bodies)]
    return b"%PDF-1.5\n" + b"".join(objects) + b"trailer\n<</Root 1 0 R>>\n%%EOF\n"


def stream(content: bytes, entries: bytes) -> bytes:
    return b"<</Length %d%b>>\nstream\n%b\nendstream" % (len(content), entries, content)


_READ = """
import os, signal, sys
from pathlib import Path
from alexandria.errors import BookError
from alexandria.extract.options import ReadOptions
from alexandria.extract.isolated import process
from alexandria.extract.isolated.limits import Limits
from alexandria.extract.isolated.process import IsolatedReader

bomb, book, held = sys.argv[1:]
large = b"1" * int(held)
with IsolatedReader(Limits(memory_bytes=480 << 20)) as reader:
    try:
        reader.read(Path(bomb), ReadOptions())
    except BookError as error:
        print(error.code, error.why)
    assert reader.read(Path(book), ReadOptions()).text
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing else limits the memory of a reader")
@pytest.mark.parametrize(
    ("held", "answer"),
    [
        pytest.param(0, "too_large reading it takes more than 480 MiB of memory", id="of its own"),
        # Linux counts it as the reader's, so that nothing is known of the reader itself.
        pytest.param(
            600 << 20, "damaged the reader crashed on it (exit code -6)", id="of the process before it"
        ),
    ],
)
def test_a_parser_that_crashes_for_want_of_memory_is_no_damaged_file(
    tmp_path: Path, held: int, answer: str
) -> None:
    """In a process of its own: this one may have held more than the reader ever does."""
    if peak_memory() > 300 << 20:  # Linux hands it down to every process that this one starts
        pytest.skip("this process has held more memory than the reader will")
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(repeating_pdf(depth=9))
    command = [sys.executable, "-c", _READ, str(bomb), str(BOOKS[0]), str(held)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == answer


def test_the_process_ends_with_the_reader(reader: IsolatedReader) -> None:
    pid = reader.pid
    reader.close()
    assert reader.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid or 0, 0)


def test_the_limits_do_not_apply_to_this_process(reader: IsolatedReader) -> None:
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != Limits().memory_bytes
