"""Kill an ingest at random moments, with no warning (SIGKILL), and see what is left.

    python -m tests.store.crash --runs 200            both kinds of folder, half of the runs each

A run begins with an empty folder or with the shelf under old settings, ingests it under new ones, and is
killed at a random moment. Then each book must be there whole, under its old or its new settings or not yet at
all; the next opening must find nothing else; and when the ingest is run again, the points must be those of an
undisturbed run, ids and payloads alike. All of it happens in forked processes: the parent opens no store.
"""

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from zlib import crc32

import alexandria
from alexandria.book import Point
from alexandria.errors import StoreError
from alexandria.store import Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of

PREFIXES = {"edge": "", "local": "local:"}
MODULES = {"edge": "alexandria.store.edge", "local": "alexandria.store.client"}
OLD = {"model": "hashing", "strategy": "recursive", "max_words": 60, "overlap_words": 0}
NEW = {"model": "hashing", "strategy": "recursive", "max_words": 40, "overlap_words": 0}
"""Small chunks: many points, so that most of the time goes into writing them."""


def write_shelf(folder: Path, *, n_books: int = 2, n_words: int = 3000) -> list[Path]:
    """Write plain-text books of random words, the same each time."""
    chance = random.Random(7)
    paths = []
    for number in range(n_books):
        words = [
            f"{chance.choice('bcdfgl')}{chance.choice('aeiou')}n{chance.randrange(400)}"
            for _ in range(n_words)
        ]
        lines = [" ".join(words[i : i + 12]).capitalize() + "." for i in range(0, n_words, 12)]
        paragraphs = ["\n".join(lines[i : i + 5]) for i in range(0, len(lines), 5)]
        path = folder / f"book{number}.txt"
        path.write_text(f"Book {number}\n\n" + "\n\n".join(paragraphs))
        paths.append(path)
    return paths


def ingest(shelf: list[Path], where: str, settings: dict[str, object]) -> None:
    """Ingest the shelf, whatever is there already."""
    alexandria.ingest(shelf, options=settings, store=where)


def check_whole(store: Store, *, swept: bool) -> None:
    """Raise where a book of the catalog is not there point by point, or, behind a sweep, anything else is."""
    library = Catalog(store, sweep=swept)
    for record in library.books():
        found = tuple(digest_of(payload) for payload in library.chunks(record))
        if found != record.digests:
            raise AssertionError(f"{record.title}: {len(found)} chunks, the record has {len(record.digests)}")
    expected = {record.generation: record.n_chunks for record in library.books()}
    if swept and store.generations() != expected:
        raise AssertionError(f"{store.generations()} is there, the catalog has {expected}")


def contents(store: Store) -> list[tuple[str, str, int]]:
    """Return id, payload digest and a checksum of the vectors of every point."""
    return [(one.id, digest_of(one.payload), checksum(one)) for one in store.points({})]


def checksum(point: Point) -> int:
    """Return a number for what a point's vectors hold."""
    rows = b"" if point.sentences is None else point.sentences.tobytes()
    return crc32(rows, crc32(point.dense.tobytes()))


def in_fork(work: Callable[[], None], *, kill_after: float | None = None) -> bool:
    """Run work in a process of its own; kill it if wanted. Return whether it came to its end.

    Raises:
        RuntimeError: it failed by itself.
    """
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("see the traceback above")
    return os.WIFEXITED(status)


@dataclass(frozen=True, slots=True)
class Trial:
    """What is the same for all runs over one kind of folder."""

    prefix: str
    shelf: list[Path]
    before: Path
    """A folder with the shelf under the old settings."""
    undisturbed: Path
    """A folder with the shelf under the new ones, behind the old."""
    seconds: float
    """How long the undisturbed ingest took."""

    @classmethod
    def prepare(cls, kind: str, folder: Path) -> "Trial":
        """Make the shelf and both folders."""
        prefix = PREFIXES[kind]
        # Before the forks: each would otherwise take seconds to import it, and most kills would hit that.
        import_module(MODULES[kind])
        before, undisturbed = folder / "before", folder / "undisturbed"
        shelf = write_shelf(folder)
        in_fork(lambda: ingest(shelf, f"{prefix}{before}", OLD))
        shutil.copytree(before, undisturbed)
        began = time.perf_counter()
        in_fork(lambda: ingest(shelf, f"{prefix}{undisturbed}", NEW))
        return cls(prefix, shelf, before, undisturbed, time.perf_counter() - began)

    def run(self, folder: Path, *, fresh: bool, moment: float) -> bool:
        """Kill one ingest at this share of its time; return whether it was killed before its end."""
        if not fresh:
            shutil.copytree(self.before, folder)
        where = f"{self.prefix}{folder}"
        # With nothing to replace, an ingest takes about half the time.
        moment *= 0.5 if fresh else 1.0
        ended = in_fork(lambda: ingest(self.shelf, where, NEW), kill_after=moment * self.seconds)
        in_fork(lambda: self._check(folder, fresh=fresh))
        in_fork(lambda: ingest(self.shelf, where, NEW))
        in_fork(lambda: self._compare(folder))
        return not ended

    def _check(self, folder: Path, *, fresh: bool) -> None:
        for swept in (False, True):
            try:
                store = open_store(f"{self.prefix}{folder}", "books", None)
            except StoreError as error:
                if fresh and "nothing has been ingested" in error.why:  # killed before there was anything
                    return
                raise
            check_whole(store, swept=swept)
            store.close()

    def _compare(self, folder: Path) -> None:
        stores = [open_store(f"{self.prefix}{one}", "books", None) for one in (folder, self.undisturbed)]
        found, wanted = map(contents, stores)
        if found != wanted or not wanted:
            raise AssertionError(f"{len(found)} points behind the crash, {len(wanted)} of an undisturbed run")
        check_whole(stores[0], swept=False)


def crash(kind: str, runs: int, *, seed: int) -> int:
    """Kill so many ingests into one kind of folder; return how many were hit before their end."""
    chance = random.Random(seed)
    # A kill is no power cut: what the kernel has taken counts as written, so a disk in memory shows the same.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        trial = Trial.prepare(kind, Path(scratch))
        hit = 0
        for number in range(runs):
            folder = Path(scratch, "run")
            hit += trial.run(folder, fresh=number % 2 == 0, moment=chance.random())
            shutil.rmtree(folder)
    return hit


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    kinds = wanted.kind or list(PREFIXES)
    for kind in kinds:
        runs = wanted.runs // len(kinds)
        began = time.perf_counter()
        hit = crash(kind, runs, seed=wanted.seed)
        seconds = time.perf_counter() - began
        print(f"{kind}: {runs} ingests killed, {hit} before their end, {seconds:.0f} s: all whole")


if __name__ == "__main__":
    main()
