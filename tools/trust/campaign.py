"""What the campaigns have in common: an operation on one kind of library, and what must hold after it."""

import atexit
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.store.crash import MODULES, in_fork
from tools.trust.operations import OPERATIONS, PREFIXES, Operation, Shelf, check_library, fill_shelf, stored


@dataclass(frozen=True, slots=True)
class Campaign:
    """One operation on one kind of library."""

    scratch: Path
    shelf: Shelf
    kind: str
    operation: Operation
    rng: random.Random

    @classmethod
    @contextmanager
    def prepared(cls, kind: str, name: str, *, seed: int) -> "Iterator[Campaign]":
        """Yield a campaign with a shelf, in a folder of its own, in memory where there is room for that."""
        for module in (
            *MODULES.values(),
            "alexandria.doors.cli",
            "alexandria.library.ingest.one_book",
            "alexandria.embed.hashing",
        ):
            import_module(module)  # once, and not in each of the processes that are forked
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
            scratch = Path(folder)
            # In a process of its own: this one must fork, and so must not start the engine's threads.
            in_fork(lambda: fill_shelf(scratch / "shelf"))
            shelf = Shelf(sorted((scratch / "shelf").glob("*.txt")), scratch / "shelf")
            yield cls(scratch, shelf, kind, OPERATIONS[name], random.Random(seed))

    def address(self, library: Path) -> str:
        """Return the address of a library of this kind."""
        return f"{PREFIXES[self.kind]}{library}"

    def work(self, library: Path, done: int | None = None) -> None:
        """Run the operation; each finished step is written to the descriptor `done`."""
        other = self.address(self.shelf.library(self.kind))
        for _ in self.operation.steps(self.address(library), self.shelf.books, other):
            if done is not None:
                os.write(done, b".")

    def rehearse(self) -> float:
        """Run the operation undisturbed, write down what it leaves, and return its seconds."""
        library = self.scratch / "rehearsal"
        self.shelf.prepare(self.operation, self.kind, library)
        began = time.perf_counter()
        in_fork(lambda: self.work(library))
        seconds = time.perf_counter() - began
        in_fork(lambda: self._write_expected(library))
        shutil.rmtree(library)
        return seconds

    def check(self, library: Path, *, n_steps: int = 0) -> None:
        """Raise unless a library is whole, and the same command finishes it.

        Args:
            library: on which the operation was ended.
            n_steps: that were finished before, and so must last.
        """
        allowed = self.operation.n_books(len(self.shelf.books), n_steps)
        in_fork(lambda: check_library(self.address(library), allowed))
        in_fork(lambda: self.work(library))
        in_fork(lambda: self._compare(library))

    @property
    def _expected(self) -> Path:
        return self.scratch / "expected.json"

    def _write_expected(self, library: Path) -> None:
        self._expected.write_text(json.dumps(stored(self.address(library))))

    def _compare(self, library: Path) -> None:
        if json.dumps(points := stored(self.address(library))) != self._expected.read_text():
            raise AssertionError(f"{len(points)} points, and not those of an uninterrupted run")


def run_command(words: list[str], cache: Path, output: Path, errors: Path | None = None) -> int:
    """Run a command in a fork, and return its exit code; negative for a signal.

    Args:
        words: of the command line.
        cache: the folder of the cache.
        output: the file for what it prints.
        errors: the file for what it prints to stderr; the same if not given.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        atexit._clear()  # this process is to delete the folder, not the fork
        os.environ.pop("RUST_BACKTRACE", None)
        os.environ.update(ALEXANDRIA_MODEL="hashing", ALEXANDRIA_CACHE=str(cache))
        for number, file in ((1, output), (2, errors or output)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), number)
        sys.argv = ["alexandria", *words]
        from alexandria.__main__ import run_program

        run_program()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
