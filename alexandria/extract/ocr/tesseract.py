"""Runs the program that recognises words on one picture, within limits of time, memory and output."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import IO, NamedTuple, cast

from alexandria.extract.scans import ScannedPage

try:
    import resource
except ImportError:  # on Windows, only the elapsed time is limited
    resource = None  # type: ignore[assignment]  # a module on other systems

PROGRAM = "tesseract"
_MEMORY_BYTES = 1 << 30  # limit for the address space; a page of a large book takes 0.1 GiB
_ELAPSED_PER_SECOND = 4  # elapsed time that is allowed per second of processor time, for a busy machine
_MAX_OUTPUT = 32 << 20  # limit in bytes; for a full page of a newspaper, the program prints 3 MB
_QUICK_SECONDS = 20  # limit for printing the version or the languages
_TIMEOUT_CODES = [-getattr(signal, name) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)]
"""Exit codes of a process that the kernel ended because it used up its processor time."""
_MIN_SCRIPT_CONFIDENCE = 2.0
"""Least confidence of a script to rely on: right ones had 2.4 to 60 on pages in four languages, wrong ones
0.3 to 0.7 on skewed and specked pages in English."""
_LAST_SECONDS = 5  # time for the program to exit after it has printed everything
_PR_SET_PDEATHSIG = 1  # option of `prctl` on Linux: the signal that a process gets when its parent ends


class RecognitionError(Exception):
    """The program did not read a picture; the message says why."""


class _Outcome(NamedTuple):
    """How a process ended."""

    output: bytes  # what it printed, up to one byte more than `_MAX_OUTPUT`
    code: int  # its exit code; negative for a signal
    was_late: bool  # True if it was killed because it took too much elapsed time


def find_program() -> str | None:
    """Return the path of the program, or None if it is not installed."""
    return shutil.which(PROGRAM)


def installed() -> tuple[str, frozenset[str]] | None:
    """Return the program's version and languages; both empty if it does not answer. None without it."""
    program = find_program()
    return None if program is None else _version_and_languages(program)


@cache
def _version_and_languages(program: str) -> tuple[str, frozenset[str]]:
    version = _output_of(program, "--version").partition("\n")[0]
    _, *languages = _output_of(program, "--list-langs").split("\n")  # the first line is a heading
    return version, frozenset(languages) - {""}


def _output_of(program: str, option: str) -> str:
    """Return what the program prints for an option; empty if it cannot be run or does not end in time."""
    with suppress(OSError, subprocess.SubprocessError):
        completed = subprocess.run(
            [program, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # old versions print to stderr
            timeout=_QUICK_SECONDS,
            check=False,
        )
        return completed.stdout.decode("utf-8", "replace")
    return ""


def recognise(picture: bytes, *, languages: str, dpi: float | None, seconds: float) -> ScannedPage:
    """Return the words on a picture.

    Args:
        picture: a file of any format that the program reads.
        languages: as the program names them: `eng`, `deu+lat`.
        dpi: pixels per inch; None if it is not known.
        seconds: processor time that the program may take.

    Raises:
        RecognitionError: the program is missing, fails, takes too long, or prints too much or no page.
    """
    # Imported here: callers of `installed` do not need the parser.
    from alexandria.extract.ocr.hocr import UnreadableOutputError, read_hocr

    # From stdin to stdout; `--psm 3` finds the blocks of the page by itself.
    output = _run(
        [
            *("-", "-", "-l", languages, *_dpi_option(dpi), "--psm", "3"),
            *("-c", "tessedit_create_hocr=1", "-c", "hocr_char_boxes=1"),
        ],
        picture,
        seconds,
    )
    try:
        return read_hocr(output, dpi)
    except UnreadableOutputError as error:
        raise RecognitionError(f"{PROGRAM} printed something that is not a page") from error


def recognise_script(picture: bytes, *, dpi: float | None, seconds: float) -> str | None:
    """Return the script on a picture as the program names it (`Latin`, `Cyrillic`), or None if it is unsure.

    Raises:
        RecognitionError: the program is missing, fails, takes too long, or prints too much.
    """
    # `--psm 0` only determines the script and the orientation.
    output = _run(["-", "-", "--psm", "0", *_dpi_option(dpi)], picture, seconds)
    values = {}
    for line in output.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        values[name] = value.strip()
    try:
        is_sure = float(values.get("Script confidence", "")) >= _MIN_SCRIPT_CONFIDENCE
    except ValueError:
        is_sure = False
    return values.get("Script") if is_sure else None


def _dpi_option(dpi: float | None) -> list[str]:
    """Return the option for the resolution; without it, the program reads it from the picture, or guesses."""
    return ["--dpi", str(round(dpi))] if dpi else []


def _run(arguments: list[str], picture: bytes, seconds: float) -> bytes:
    """Return what the program prints for a picture.

    Raises:
        RecognitionError: the program is missing, fails, takes too long, or prints too much.
    """
    program = find_program()
    if program is None:
        raise RecognitionError(f"{PROGRAM} is not installed")
    try:
        process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            preexec_fn=_limit_process(seconds) if os.name == "posix" else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RecognitionError(f"{PROGRAM} cannot be started: {error}") from error
    outcome = _exchange(process, picture, _ELAPSED_PER_SECOND * seconds)
    if len(outcome.output) > _MAX_OUTPUT:
        raise RecognitionError(f"{PROGRAM} printed more than {_MAX_OUTPUT >> 20} MiB")
    if outcome.was_late or outcome.code in _TIMEOUT_CODES:
        raise RecognitionError(f"{PROGRAM} took more than {seconds:g} seconds")
    if outcome.code < 0:
        raise RecognitionError(f"{PROGRAM} crashed (signal {-outcome.code})")
    if outcome.code:
        raise RecognitionError(f"{PROGRAM} failed (exit code {outcome.code})")
    return outcome.output


def _exchange(process: "subprocess.Popen[bytes]", picture: bytes, seconds: float) -> _Outcome:
    """Write a picture to a process, read what it prints, and wait for its end, even if the reading fails."""
    # A thread writes while this one reads: the program may print before it has read everything, and if both
    # pipes filled up, each side would wait for the other forever. A timer kills the process after `seconds`
    # of elapsed time.
    late = threading.Event()

    def kill_late_process() -> None:
        late.set()
        process.kill()

    def write_picture() -> None:
        """Write the picture to the process, in a thread of its own: it may be larger than the pipe."""
        stdin = cast("IO[bytes]", process.stdin)
        with suppress(OSError, ValueError):  # it may end before it has read everything
            stdin.write(picture)
        with suppress(OSError, ValueError):
            stdin.close()

    stdout = cast("IO[bytes]", process.stdout)
    timer = threading.Timer(seconds, kill_late_process)
    writer = threading.Thread(target=write_picture, daemon=True)
    timer.start()
    writer.start()
    try:
        output = stdout.read(_MAX_OUTPUT + 1)
    finally:
        if not stdout.closed:
            stdout.close()  # a program that prints without end gets SIGPIPE
        code = _await_exit(process)
        timer.cancel()
        writer.join()
    return _Outcome(output, code, was_late=late.is_set())


def _await_exit(process: "subprocess.Popen[bytes]") -> int:
    """Return the exit code of a process that has closed its output; kill it if it does not exit soon."""
    try:
        return process.wait(_LAST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _limit_process(seconds: float) -> Callable[[], None]:
    """Return a function that limits a new process, which calls it before it becomes the program."""
    # It limits the processor time and the memory of the process, and makes the process end with its parent.
    # `prctl` is looked up here, not in the function: little is safe to do between fork and exec.
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None

    def limit() -> None:
        for kind, value in (
            (resource.RLIMIT_AS, _MEMORY_BYTES),
            (resource.RLIMIT_CPU, int(seconds + 1)),  # the kernel counts whole seconds
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard_limit = resource.getrlimit(kind)
            allowed = value if hard_limit == resource.RLIM_INFINITY else min(value, hard_limit)
            with suppress(ValueError, OSError):  # macOS cannot limit memory
                resource.setrlimit(kind, (allowed, allowed))
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return limit
