"""An interrupt ends the program with 130, wherever it comes; in an ingest, the first one requests a stop."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from alexandria.doors import cli
from alexandria.doors.cli.state import stop_on_signal
from tests.command import alexandria

KILL = "os.kill(os.getpid(), signal.SIGINT)"
MOMENTS = {
    "while the command line is imported": f"""
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "alexandria.doors.cli":
            {KILL}
sys.meta_path.insert(0, Finder())
""",
    "in a command": f"command = lambda interrupted: {KILL}",
    "in an import that turns it into another error": f"""
def command(interrupted):
    try:
        {KILL}
    except KeyboardInterrupt:
        sys.exit(1)
""",
    "at exit": f"command = lambda interrupted: atexit.register(lambda: {KILL})",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_interrupt_ends_with_130(moment: str) -> None:
    program = f"""
import atexit, os, signal, sys, types
from alexandria.__main__ import run_program
{MOMENTS[moment]}
if "command" in globals():
    sys.modules["alexandria.doors.cli"] = types.SimpleNamespace(main=command)
run_program()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_signal_of_the_engine_is_told_in_words() -> None:
    program = """
import os, signal, sys, types
from alexandria.__main__ import run_program
command = lambda interrupted: os.kill(os.getpid(), signal.SIGBUS)
sys.modules["alexandria.doors.cli"] = types.SimpleNamespace(main=command)
run_program()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGBUS
    assert done.stderr.startswith("Fatal Python error: Bus error")


def test_error_after_an_interrupt_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["alexandria", "doctor"])

    def broken(*args: object, **options: object) -> None:
        raise ImportError("a library was interrupted while it was imported")

    monkeypatch.setattr(cli, "program", lambda: broken)
    with pytest.raises(SystemExit) as end:
        cli.main(lambda: True)
    assert end.value.code == 130


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a file of Linux")
def test_output_on_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "alexandria", "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (4, 5)
    assert done.stderr.startswith("Error: cannot write ")
    assert "no space left on device" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="the shell is one of POSIX")
@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_a_reader_of_the_output_that_leaves_interrupts_the_command(format: str, tmp_path: Path) -> None:
    book = tmp_path / "long.txt"
    book.write_text("The keeper lit the lamp, and wrote the hour of it into his book. " * 4000)
    alexandria("ingest", book, "--store", tmp_path / "lib")
    script = '"$0" -m alexandria export - --format "$2" --store "$1" | head -c 9; echo " ${PIPESTATUS[0]}"'
    command = ["bash", "-c", script, sys.executable, str(tmp_path / "lib"), format]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout[9:], done.stderr) == (" 130\n", "")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no pseudo-terminals")
def test_an_input_that_ends_at_a_question_interrupts_the_command(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("The keeper lit the lamp.")
    alexandria("ingest", book, "--store", tmp_path / "lib")
    keyboard, terminal = os.openpty()
    os.write(keyboard, b"\x04")  # Ctrl-D
    command = [sys.executable, "-m", "alexandria", "remove", "book", "--store", str(tmp_path / "lib")]
    done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, check=False)
    os.close(keyboard)
    os.close(terminal)
    assert done.returncode == 130
    assert json.loads(alexandria("list", "--store", tmp_path / "lib", "--json").stdout)


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX closes the streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_no_error(closed: str, tmp_path: Path) -> None:
    script = f'"$0" -m alexandria mcp --store "$1" {closed}'
    command = ["sh", "-c", script, sys.executable, str(tmp_path / "none")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
def test_products_are_computed_by_one_thread() -> None:
    """More would wait busily for the next product, on processors that the model needs."""
    program = """
import os, sys, types
from alexandria.__main__ import run_program

def command(interrupted):
    import numpy
    numpy.ones((500, 500)) @ numpy.ones((500, 500))
    print(len(os.listdir("/proc/self/task")))

sys.modules["alexandria.doors.cli"] = types.SimpleNamespace(main=command)
run_program()
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_requests_a_stop_and_the_second_interrupts(number: signal.Signals) -> None:
    before, calls = signal.getsignal(number), []
    with stop_on_signal(lambda: calls.append(1)) as stopped:
        assert not stopped()
        os.kill(os.getpid(), number)
        assert stopped()
        assert calls == [1]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_outside_the_main_thread_it_never_stops() -> None:
    results: list[bool] = []

    def work() -> None:
        with stop_on_signal(lambda: None) as stopped:
            results.append(stopped())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [False]
