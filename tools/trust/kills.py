"""Kills the commands that write a library at random moments (SIGKILL), and checks what is left.

    python -m tools.trust.kills --runs 500            over both kinds of folder and all operations

Two processes read meanwhile, and must see whole books only. Afterwards the library must open, every book of a
finished step must be there, each book whole, nothing else after the sweep, and the same command must leave
the same points as without the kill.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.store.crash import MODULES, end_fork, in_fork, read_until, start_fork
from tools.trust.operations import OPERATIONS, PREFIXES, Operation, Shelf, check_library, fill_shelf, stored

N_READERS = 2


@dataclass(frozen=True, slots=True)
class Campaign:
    """One operation on one kind of library."""

    scratch: Path
    shelf: Shelf
    kind: str
    operation: Operation
    rng: random.Random

    def rehearse(self) -> float:
        """Run the operation undisturbed, write down what it leaves, and return its seconds."""
        library = self.scratch / "rehearsal"
        self.shelf.prepare(self.operation, self.kind, library)
        began = time.perf_counter()
        in_fork(lambda: self._work(library))
        seconds = time.perf_counter() - began
        in_fork(lambda: self._write_expected(library))
        shutil.rmtree(library)
        return seconds

    def kill(self, seconds: float) -> bool:
        """Kill the operation once; return whether it was killed before it finished.

        Raises:
            RuntimeError: something was wrong afterwards, or for a reader.
        """
        library = self.scratch / "library"
        shutil.rmtree(library, ignore_errors=True)
        self.shelf.prepare(self.operation, self.kind, library)
        stop = self.scratch / "stop"
        stop.unlink(missing_ok=True)
        readers = [start_fork(lambda: read_until(stop, self._address(library))) for _ in range(N_READERS)]
        # Readers beside it slow the operation down.
        moment = self.rng.random() * 1.5 * seconds
        finished = in_fork(lambda: self._work(library), kill_after=moment)
        stop.touch()
        for reader in readers:
            end_fork(reader)
        allowed = self.operation.n_books(len(self.shelf.books), 0)
        in_fork(lambda: check_library(self._address(library), allowed))
        in_fork(lambda: self._work(library))
        in_fork(lambda: self._compare(library))
        return not finished

    @property
    def _expected(self) -> Path:
        return self.scratch / "expected.json"

    def _address(self, library: Path) -> str:
        return f"{PREFIXES[self.kind]}{library}"

    def _work(self, library: Path) -> None:
        other = self._address(self.shelf.library(self.kind))
        for _ in self.operation.steps(self._address(library), self.shelf.books, other):
            pass

    def _stored(self, library: Path) -> str:
        return json.dumps(stored(self._address(library)))

    def _write_expected(self, library: Path) -> None:
        self._expected.write_text(self._stored(library))

    def _compare(self, library: Path) -> None:
        if self._stored(library) != self._expected.read_text():
            raise AssertionError("the points are not those of an uninterrupted run")


def kill_often(kind: str, name: str, n_runs: int, *, seed: int) -> tuple[int, int]:
    """Return how often the operation was killed before it finished, and how often something was wrong."""
    for module in (*MODULES.values(), "alexandria.pipeline", "alexandria.embed.hashing"):
        import_module(module)  # once, and not in each of the processes that are forked
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        scratch = Path(folder)
        # In a process of its own: this one must fork, and so must not start the engine's threads.
        in_fork(lambda: fill_shelf(scratch / "shelf"))
        shelf = Shelf(sorted((scratch / "shelf").glob("*.txt")), scratch / "shelf")
        campaign = Campaign(scratch, shelf, kind, OPERATIONS[name], random.Random(seed))
        seconds = campaign.rehearse()
        n_killed = n_wrong = 0
        for number in range(n_runs):
            try:
                n_killed += campaign.kill(seconds)
            except RuntimeError:
                n_wrong += 1
                print(f"{kind} {name}: wrong after run {number}", file=sys.stderr)
                traceback.print_exc(limit=1)
        return n_killed, n_wrong


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=500, help="over all kinds and operations")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--operation", choices=OPERATIONS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    campaigns = [(kind, name) for kind in chosen.kind or PREFIXES for name in chosen.operation or OPERATIONS]
    n_runs = -(-chosen.runs // len(campaigns))
    total = 0
    for kind, name in campaigns:
        n_killed, n_wrong = kill_often(kind, name, n_runs, seed=chosen.seed)
        print(
            f"{kind:>6} {name:<8} {n_runs} runs, {n_killed} killed before the end, {n_wrong} wrong",
            flush=True,
        )
        total += n_wrong
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
