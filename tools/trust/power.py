"""Cuts the power while a library is written, and checks what is left on the disk.

    python -m tools.trust.power --points 200          needs root: mounts ext4 images through loop devices

The library lies on a file system that writes nothing until it is synced. At random moments the writing
process is stopped and the image copied as it is: what was not synced by then is lost in the copy. At every
second point, some files of the library are synced first, as the kernel may do at any time. Each copy is then
mounted: the library must open, every book of a finished step must be there, each book whole, nothing else
after the sweep, and the same command must end with the same points as without the cut.
"""

import argparse
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.store.crash import MODULES, in_fork, start_fork
from tools.trust.disk import copy_image, make_image, mounted_image
from tools.trust.operations import OPERATIONS, PREFIXES, Operation, Shelf, check_library, fill_shelf, stored

IMAGE_MEBIBYTES = 160


@dataclass(frozen=True, slots=True)
class Cut:
    """A copy of the disk, and how many steps were finished before."""

    image: Path
    n_steps: int


@dataclass(frozen=True, slots=True)
class Campaign:
    """One operation on one kind of library."""

    scratch: Path
    shelf: Shelf
    kind: str
    operation: Operation
    rng: random.Random

    def cuts(self, n_points: int) -> list[Cut]:
        """Run the operation once, and copy the disk at random moments."""
        image, place = self.scratch / "disk.img", self.scratch / "disk"
        make_image(image, mebibytes=IMAGE_MEBIBYTES)
        with mounted_image(image, place):
            library = place / "library"
            self.shelf.prepare(self.operation, self.kind, library)
            os.sync()
            seconds = self._rehearse()
            return self._record(image, library, n_points, seconds)

    def _rehearse(self) -> float:
        library = self.scratch / "rehearsal"
        self.shelf.prepare(self.operation, self.kind, library)
        began = time.perf_counter()
        in_fork(lambda: self._work(library, None))
        return time.perf_counter() - began

    def _work(self, library: Path, done: int | None) -> None:
        other = f"{PREFIXES[self.kind]}{self.shelf.library(self.kind)}"
        address = f"{PREFIXES[self.kind]}{library}"
        for _ in self.operation.steps(address, self.shelf.books, other):
            if done is not None:
                os.write(done, b".")

    def _record(self, image: Path, library: Path, n_points: int, seconds: float) -> list[Cut]:
        listening, done = os.pipe()
        pid = start_fork(lambda: self._work(library, done))
        os.close(done)
        cuts: list[Cut] = []
        n_steps = 0
        running = True
        while running and len(cuts) < n_points:
            time.sleep(self.rng.random() * 2 * seconds / n_points)
            os.kill(pid, signal.SIGSTOP)
            n_steps += self._steps_done(listening)
            if len(cuts) % 2:
                self._write_back(library)
            copy = self.scratch / f"cut{len(cuts)}.img"
            copy_image(image, copy)
            cuts.append(Cut(copy, n_steps))
            os.kill(pid, signal.SIGCONT)
            running = os.waitpid(pid, os.WNOHANG) == (0, 0)
        if running:
            os.waitpid(pid, 0)
        os.close(listening)
        return cuts

    def _steps_done(self, listening: int) -> int:
        n_steps = 0
        while select.select([listening], [], [], 0)[0] and (bytes_read := os.read(listening, 64)):
            n_steps += len(bytes_read)
        return n_steps

    def _write_back(self, library: Path) -> None:
        """Sync a few files, as the kernel may do at any time."""
        files = [path for path in library.parent.rglob("*") if path.is_file()]
        for path in self.rng.sample(files, min(3, len(files))):
            with suppress(FileNotFoundError):  # it takes a moment until the process has stopped
                descriptor = os.open(path, os.O_RDONLY)
                os.fsync(descriptor)
                os.close(descriptor)

    def check(self, cut: Cut, expected: Path) -> None:
        """Raise unless the library on a copy is whole, and the same command finishes it."""
        with mounted_image(cut.image, self.scratch / "after") as place:
            library = place / "library"
            address = f"{PREFIXES[self.kind]}{library}"
            allowed = self.operation.n_books(len(self.shelf.books), cut.n_steps)
            in_fork(lambda: check_library(address, allowed))
            in_fork(lambda: self._work(library, None))
            in_fork(lambda: self._compare(address, expected))

    def _compare(self, address: str, expected: Path) -> None:
        if json.dumps(points := stored(address)) != expected.read_text():
            raise AssertionError(f"{len(points)} points, and not those of an uninterrupted run")

    def write_expected(self, file: Path) -> None:
        """Write what an uninterrupted run leaves."""
        file.write_text(json.dumps(stored(f"{PREFIXES[self.kind]}{self.scratch / 'rehearsal'}")))


def cut_power(kind: str, name: str, n_points: int, *, seed: int) -> tuple[int, int]:
    """Return at how many points the power was cut, and after how many of them something was wrong."""
    for module in (*MODULES.values(), "alexandria.pipeline", "alexandria.embed.hashing"):
        import_module(module)  # once, and not in each of the processes that are forked
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        scratch = Path(folder)
        # In a process of its own: this one must fork, and so must not start the engine's threads.
        in_fork(lambda: fill_shelf(scratch / "shelf"))
        shelf = Shelf(sorted((scratch / "shelf").glob("*.txt")), scratch / "shelf")
        campaign = Campaign(scratch, shelf, kind, OPERATIONS[name], random.Random(seed))
        cuts = campaign.cuts(n_points)
        expected = scratch / "expected"
        in_fork(lambda: campaign.write_expected(expected))
        n_wrong = 0
        for number, cut in enumerate(cuts):
            try:
                campaign.check(cut, expected)
            except (RuntimeError, AssertionError):
                n_wrong += 1
                print(f"{kind} {name}: wrong after cut {number} (steps done: {cut.n_steps})", file=sys.stderr)
                traceback.print_exc(limit=1)
            cut.image.unlink()
        return len(cuts), n_wrong


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--points", type=int, default=200, help="per kind, over all operations")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--operation", choices=OPERATIONS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    names = chosen.operation or list(OPERATIONS)
    total = 0
    for kind in chosen.kind or list(PREFIXES):
        for name in names:
            n_points = -(-chosen.points // len(names))
            n_cuts = n_wrong = 0
            for turn in range(10):  # the operation may end before all points are taken
                if n_cuts < n_points:
                    cuts, wrong = cut_power(kind, name, n_points - n_cuts, seed=chosen.seed + turn)
                    n_cuts, n_wrong = n_cuts + cuts, n_wrong + wrong
            print(f"{kind:>6} {name:<8} {n_cuts} cuts, {n_wrong} wrong", flush=True)
            total += n_wrong
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
