"""The program that recognises words, run on one picture within limits of its own."""

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
from pathlib import Path
from typing import IO, cast

from alexandria.errors import BookError, Code
from alexandria.extract.ocr.languages import tesseract_command
from alexandria.extract.scans import ScannedPage

try:
    import resource
except ImportError:  # on Windows, only the elapsed time is limited
    resource = None  # type: ignore[assignment]  # a module elsewhere

PROGRAM = "tesseract"
_MEMORY_BYTES = 1 << 30
"""Address space. A page of a large book takes 0.1 GiB."""
_BUSY = 4
"""Times the processor time: what may elapse on a busy machine."""
_MOST_OUTPUT = 32 << 20
"""Bytes: a full page of a newspaper prints 3 MB."""
_QUICK_SECONDS = 20
"""To print its version or its languages."""
_OUT_OF_TIME = [-getattr(signal, name) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)]
_SURE = 2.0
"""The confidence of a script: right ones had 2.4 to 60 on pages in four languages, wrong ones 0.3 to 0.7 on
skewed and specked pages in English."""
_LAST_SECONDS = 5
"""For a program that has printed everything to end."""
_DEATH = 1
"""PR_SET_PDEATHSIG of Linux: the signal that a process gets when the one that started it ends."""


class RecognitionError(Exception):
    """The program did not read a picture; the message says why."""


def find_program() -> str | None:
    """Return the path of the program, or None if it is not installed."""
    return shutil.which(PROGRAM)


@cache
def installed(program: str) -> tuple[str, frozenset[str]]:
    """Return the version of the program, and the languages it has; nothing if it does not answer."""
    version = _ask(program, "--version").partition("\n")[0]
    return version, frozenset(_ask(program, "--list-langs").split("\n")[1:]) - {""}


def _ask(program: str, option: str) -> str:
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [program, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # old versions print there
            timeout=_QUICK_SECONDS,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace")
    return ""


def recognise(picture: bytes, *, languages: str, dpi: float | None, seconds: float) -> ScannedPage:
    """Return the words on a picture.

    Args:
        picture: a file of any format that the program reads.
        languages: as the program names them: `eng`, `deu+lat`.
        dpi: pixels in an inch; None if it is not known.
        seconds: processor time that it may take.

    Raises:
        RecognitionError: the program is missing, fails, hangs, or prints something else.
    """
    # The callers of `installed` need no parser.
    from alexandria.extract.ocr.hocr import UnreadableOutputError, read_hocr

    output = _run(
        [
            *("-", "-", "-l", languages, *_resolution(dpi), "--psm", "3"),
            *("-c", "tessedit_create_hocr=1", "-c", "hocr_char_boxes=1"),
        ],
        picture,
        seconds,
    )
    try:
        return read_hocr(output, dpi)
    except UnreadableOutputError as error:
        raise RecognitionError(f"{PROGRAM} printed something that is no page") from error


def recognise_script(picture: bytes, *, dpi: float | None, seconds: float) -> str | None:
    """Return the script on a picture as the program names it (`Latin`, `Cyrillic`); None if it is unsure."""
    output = _run(["-", "-", "--psm", "0", *_resolution(dpi)], picture, seconds)
    values = {}
    for line in output.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        values[name] = value.strip()
    try:
        sure = float(values.get("Script confidence", "")) >= _SURE
    except ValueError:
        sure = False
    return values.get("Script") if sure else None


def _resolution(dpi: float | None) -> list[str]:
    """Return the option; without it, the program takes what the picture states, or guesses."""
    return ["--dpi", str(round(dpi))] if dpi else []


def _run(arguments: list[str], picture: bytes, seconds: float) -> bytes:
    """Run the program on a picture; it has ended when this returns or raises."""
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
            preexec_fn=_limits(seconds) if os.name == "posix" else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RecognitionError(f"{PROGRAM} cannot be started: {error}") from error
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    def feed() -> None:
        stdin = cast("IO[bytes]", process.stdin)
        with suppress(OSError, ValueError):  # it may end before it has read everything
            stdin.write(picture)
        with suppress(OSError, ValueError):
            stdin.close()

    stdout = cast("IO[bytes]", process.stdout)
    timer, feeder = threading.Timer(_BUSY * seconds, end), threading.Thread(target=feed, daemon=True)
    timer.start()
    feeder.start()
    try:
        output = stdout.read(_MOST_OUTPUT + 1)
    finally:
        if not stdout.closed:
            stdout.close()  # one that prints without end is ended by that
        code = _ended(process)
        timer.cancel()
        feeder.join()
    if len(output) > _MOST_OUTPUT:
        raise RecognitionError(f"{PROGRAM} printed more than {_MOST_OUTPUT >> 20} MiB")
    if late.is_set() or code in _OUT_OF_TIME:
        raise RecognitionError(f"{PROGRAM} took more than {seconds:g} seconds")
    if code < 0:
        raise RecognitionError(f"{PROGRAM} crashed (signal {-code})")
    if code:
        raise RecognitionError(f"{PROGRAM} failed (exit code {code})")
    return output


def _ended(process: "subprocess.Popen[bytes]") -> int:
    """Wait for a process that has closed its output, or end it; return its exit code."""
    try:
        return process.wait(_LAST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _limits(seconds: float) -> Callable[[], None]:
    """Return what a new process does before it becomes the program: limit itself, and end with this one."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None

    def limit() -> None:
        for kind, value in (
            (resource.RLIMIT_AS, _MEMORY_BYTES),
            (resource.RLIMIT_CPU, int(seconds + 1)),  # the kernel counts whole seconds
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with suppress(ValueError, OSError):  # macOS has no limit of memory
                resource.setrlimit(kind, (value, value))
        if prctl is not None:
            prctl(_DEATH, signal.SIGKILL)

    return limit


def missing_languages(path: Path, languages: tuple[str, ...]) -> BookError:
    """Return the error of a scan in languages that are not installed."""
    return BookError(
        f"cannot read {path}",
        why=f"it is a scan, and {PROGRAM} lacks the language {', '.join(languages)}",
        fix=f"{tesseract_command(languages)}; or name the language of the book with --ocr LANG",
        code=Code.NO_TEXT,
    )
