"""The command line, run inside the test process: what a person or a script would see of it.

Starting Python and importing the packages costs a second of processor time per command. Tests that need a
process of their own (signals, kills, what is imported) start one.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO

import pytest

from alexandria.doors.cli import main
from alexandria.show.terminal import console  # noqa: F401  # before a test sets COLUMNS, whose width it would keep

NOTHING: Mapping[str, str] = MappingProxyType({})


def alexandria(
    *words: str | Path, typed: str = "", cwd: Path | None = None, env: Mapping[str, str] = NOTHING
) -> CompletedProcess[str]:
    """Run a command with the encoder that needs no model, and type these lines into it."""
    done = alexandria_bytes(*words, typed=typed.encode(), cwd=cwd, env=env)
    output, errors = done.stdout.decode(), done.stderr.decode()
    return CompletedProcess(done.args, done.returncode, output, errors)


def alexandria_bytes(
    *words: str | Path, typed: bytes = b"", cwd: Path | None = None, env: Mapping[str, str] = NOTHING
) -> CompletedProcess[bytes]:
    """As `alexandria`, for what is no UTF-8."""
    command = ["alexandria", *map(str, words)]
    with ExitStack() as stack:
        stdin, stdout, stderr = (stack.enter_context(TemporaryFile()) for _ in range(3))
        stdin.write(typed)
        stdin.seek(0)
        with pytest.MonkeyPatch.context() as patch, streams(stdin, stdout, stderr):
            for name, value in {"ALEXANDRIA_MODEL": "hashing", "COLUMNS": "100", **env}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", command)
            if cwd is not None:
                patch.chdir(cwd)
            code = exit_code()
        outputs = [(file.seek(0), file.read())[1] for file in (stdout, stderr)]
    return CompletedProcess(command, code, *outputs)


def exit_code() -> int:
    """Run `main` and return the code it leaves with."""
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int), end.value.code
    return end.value.code


@contextmanager
def streams(*files: IO[bytes]) -> Iterator[None]:
    """Let files stand in for the three streams: for Python, for libraries in C, and for child processes."""
    before = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        with (
            open(0, closefd=False, encoding="utf-8") as sys.stdin,
            open(1, "w", closefd=False, encoding="utf-8") as sys.stdout,
            open(2, "w", closefd=False, encoding="utf-8", errors="backslashreplace") as sys.stderr,
        ):
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
