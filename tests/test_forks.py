"""The process that forks commands for other tests: what they get is a process as a person would start it."""

import os
import signal
from pathlib import Path

import pytest

from tests.command import alexandria
from tests.forks import Forked, fork_server
from tests.store.crash import write_books


def start(*words: str, cwd: Path) -> Forked:
    return Forked([*words], env={**os.environ, "ALEXANDRIA_MODEL": "hashing"}, cwd=cwd)


def test_a_forked_command_has_its_own_folder_streams_and_exit_code(tmp_path: Path) -> None:
    (book,) = write_books(tmp_path, n_books=1, n_words=60)
    process = start("ingest", book.name, "--store", "lib", "--json", cwd=tmp_path)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert b'"summary"' in output
    assert process.pid != os.getpid()
    for words in (("list", "--store", "lib"), ("list", "--store", "nowhere")):
        process, here = start(*words, cwd=tmp_path), alexandria(*words, cwd=tmp_path)
        assert process.communicate() == (here.stdout.encode(), here.stderr.encode())
        assert process.returncode == here.returncode


@pytest.mark.parametrize(
    ("number", "code"), [pytest.param(signal.SIGINT, 130, id="interrupt"), (signal.SIGKILL, -9)]
)
def test_a_forked_command_is_ended_by_a_signal(number: int, code: int, tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    with start("ingest", "shelf", "--watch", "--store", "lib", "--json", cwd=tmp_path) as process:
        process.stderr.readline()  # it has begun to watch
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait() == code
    process.kill()  # it has ended: nobody else is hit
    assert process.poll() == code


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only Linux lists the threads of another process")
def test_the_process_that_forks_has_one_thread() -> None:
    name = str(fork_server()).encode()
    servers = [
        entry
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and name in (entry / "cmdline").read_bytes()
    ]
    assert [len(list((server / "task").iterdir())) for server in servers] == [1]
