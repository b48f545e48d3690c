"""Kills an ingest at random moments, most of them inside its writing, and checks what is left.

    python -m tests.store.crash --runs 200            both kinds of folder, half of the runs each
    python -m tests.store.crash --runs 200 --readers 2    with two processes that read meanwhile

A run starts with an empty folder or with the books under old settings, ingests them under new settings, and
is killed: four times of five inside one of the steps in which the store is written, otherwise anywhere
between its start and its end. Afterwards each book must be stored completely, under its old or new settings,
or not at all; the next open must leave nothing else; and when the ingest is repeated, the points must equal
those of an uninterrupted run, ids and payloads alike. All of it happens in forked processes: the parent opens
no store.
"""

import argparse
import gc
import json
import math
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

# With all that an ingest needs, before the forks: importing it would take each of them longer than its work,
# and most kills would hit that.
import numpy.ma  # noqa: F401
import platformdirs  # noqa: F401
import portalocker  # noqa: F401

import alexandria.embed.cache
import alexandria.embed.deferred
import alexandria.embed.hashing
import alexandria.library.ingest.discovery
import alexandria.library.ingest.failures
import alexandria.library.ingest.progress
import alexandria.library.ingest.run
import alexandria.store.server.collection
import alexandria.store.server.connect  # noqa: F401
from alexandria.book.model import Point
from alexandria.errors import ChangedError, DisconnectedError, StoreError
from alexandria.library import shortcuts
from alexandria.library.location import open_catalog
from alexandria.store import Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CatalogFile
from alexandria.store.letter_files import LetterFiles
from alexandria.store.letters import letters_of_book
from alexandria.store.passage import Passage
from alexandria.store.payload import digest_of
from alexandria.store.verify import find_flaws

PREFIXES = {"edge": "", "local": "local:"}
MODULES = {"edge": "alexandria.store.edge", "local": "alexandria.store.server.client"}
CLASSES = {"edge": "EdgeStore", "local": "ClientStore"}
STEPS = "upsert", "delete"
"""The methods of a store that write; `commit` of its catalog is another step, and so are the letters."""
OLD = {"model": "hashing", "strategy": "recursive", "max_words": 60, "overlap_words": 0}
NEW = {"model": "hashing", "strategy": "recursive", "max_words": 40, "overlap_words": 0}
"""Small chunks give many points, so that most of the time is spent writing them."""


def write_books(folder: Path, *, n_books: int = 2, n_words: int = 3000) -> list[Path]:
    """Write plain-text books of random words, the same in every run."""
    rng = random.Random(7)
    paths = []
    for number in range(n_books):
        words = [f"{rng.choice('bcdfgl')}{rng.choice('aeiou')}n{rng.randrange(400)}" for _ in range(n_words)]
        lines = [" ".join(words[i : i + 12]).capitalize() + "." for i in range(0, n_words, 12)]
        paragraphs = ["\n".join(lines[i : i + 5]) for i in range(0, len(lines), 5)]
        path = folder / f"book{number}.txt"
        path.write_text(f"Book {number}\n\n" + "\n\n".join(paragraphs))
        paths.append(path)
    return paths


def ingest(books: list[Path], address: str, settings: dict[str, object]) -> None:
    """Ingest the books, whatever is stored already."""
    shortcuts.ingest(books, options=settings, store=address)


def watch_steps(store: type, begun: Callable[[int], None], ended: Callable[[], None]) -> None:
    """Call `begun` with its number before each step that writes into such a store, and `ended` after it."""
    number = 0

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal number
            begun(number)
            number += 1
            answer = method(*arguments, **named)
            ended()
            return answer

        return step

    others = (CatalogFile, "commit"), (LetterFiles, "_write")
    for owner, name in (*others, *((store, name) for name in STEPS)):
        setattr(owner, name, watched(getattr(owner, name)))


def ingest_timed(
    store: type, note: Path, books: list[Path], address: str, settings: dict[str, object]
) -> None:
    """Ingest the books, and write into a file how many seconds each step takes."""
    began: list[float] = []
    seconds: list[float] = []
    watch_steps(
        store,
        lambda _: began.append(time.perf_counter()),
        lambda: seconds.append(time.perf_counter() - began[-1]),
    )
    ingest(books, address, settings)
    note.write_text(json.dumps(seconds))


def ingest_until(
    store: type, step: int, delay: float, books: list[Path], address: str, settings: dict[str, object]
) -> None:
    """Ingest the books, and die so many seconds after the beginning of a step."""
    die_at(store, step, delay)
    ingest(books, address, settings)


def die_at(store: type, step: int, delay: float = 0) -> None:
    """Let this process die so many seconds after the beginning of a step that writes into such a store."""

    def begun(number: int) -> None:
        if number == step:  # nobody handles this signal: the kernel ends the process, also outside of Python
            signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))

    watch_steps(store, begun, lambda: None)


def check_complete(store: Store, *, swept: bool) -> None:
    """Raise if a point of a book in the catalog is missing or, after a sweep, if any other point is left."""
    catalog = Catalog(store, sweep=swept)
    check_books(catalog)
    expected = {record.generation: record.n_chunks for record in catalog.books()}
    if swept and store.generations() != expected:
        raise AssertionError(f"the store holds {store.generations()}, the catalog lists {expected}")
    folder = store.records.letters_folder
    letters = {file.name for file in folder.iterdir()} if folder and folder.exists() else set()
    if swept and letters - {f"{generation}.letters" for generation in expected}:
        raise AssertionError(f"there are {letters}, the catalog lists {expected}")


def check_books(catalog: Catalog) -> None:
    """Raise if a book in the catalog lacks a chunk; ChangedError if it is no longer in the catalog."""
    for record in catalog.books():
        stored = [payload for _, payload in catalog.store.payloads({"generation": [record.generation]})]
        digests = tuple(map(digest_of, sorted(stored, key=lambda payload: int(payload["chunk_id"]))))
        if digests != record.digests:
            catalog.check_current(record)  # a reader may find that it was replaced meanwhile
            raise AssertionError(
                f"{record.title}: {len(digests)} chunks, the record has {len(record.digests)}"
            )
        stored.sort(key=lambda payload: int(payload["chunk_id"]))
        chunks = [Passage(id="", payload=payload) for payload in stored]
        letters = catalog.letter_files.read(record.generation)
        if letters is not None and bytes(letters.data) != letters_of_book(chunks, record.generation):
            raise AssertionError(f"{record.title}: its letters are not those of its chunks")


def contents(store: Store) -> list[tuple[str, str, int]]:
    """Return id, payload digest and a checksum of the vectors of every point."""
    return [(point.id, digest_of(point.payload), checksum(point)) for point in store.points({})]


def note_points(note: Path, address: str) -> None:
    """Write the contents of the store at an address into a file."""
    store = open_store(address, "books", None)
    note.write_text(json.dumps(contents(store)))
    store.close()


def checksum(point: Point) -> int:
    """Return a checksum of a point's vectors."""
    rows = b"" if point.sentences is None else point.sentences.tobytes()
    return crc32(rows, crc32(point.dense.tobytes()))


def read_until(stop: Path, address: str) -> None:
    """Open a library again and again until the file `stop` exists; raise if a book is not whole."""
    while not stop.exists():
        try:
            with open_catalog(address, "books", None) as catalog, catalog.read_lock():
                check_books(catalog)
        except (DisconnectedError, ChangedError):
            pass  # the ingest was killed, has just begun, or has replaced a book
        except StoreError as error:
            if "nothing has been ingested" not in error.why:
                raise
        time.sleep(0.05)  # a reader that opens again at once may keep a writer out of the folder


def in_fork(work: Callable[[], None], *, kill_after: float | None = None) -> bool:
    """Run work in a process of its own, killed after so many seconds; return whether it finished.

    Raises:
        RuntimeError: it failed.
    """
    pid = start_fork(work)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return end_fork(pid)


def start_fork(work: Callable[[], None]) -> int:
    """Begin work in a process of its own, and return its id."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return pid


def end_fork(pid: int) -> bool:
    """Wait for a process; return whether it finished.

    Raises:
        RuntimeError: it failed.
    """
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("see the traceback above")
    return os.WIFEXITED(status)


def timed(work: Callable[[], None]) -> float:
    """Return the seconds that work takes in a process of its own."""
    began = time.perf_counter()
    in_fork(work)
    return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class Trial:
    """What all runs over one kind of folder have in common."""

    prefix: str
    store: type
    books: list[Path]
    before: Path
    """A folder with the books under the old settings."""
    expected: list[tuple[str, str, int]]
    """The points of the books first ingested under the old settings, then under the new."""
    seconds: dict[bool, float]
    """How long an uninterrupted ingest takes: into an empty folder (True), or over the old settings."""
    steps: dict[bool, list[float]]
    """The seconds of each step in which it writes."""
    n_readers: int
    """Processes that read while the ingest runs and is killed; each must see whole books only."""

    @classmethod
    def prepare(cls, kind: str, folder: Path, n_readers: int) -> "Trial":
        """Write the books and fill both folders."""
        prefix = PREFIXES[kind]
        store: type = getattr(import_module(MODULES[kind]), CLASSES[kind])  # imported before the forks too
        before, uninterrupted, note = folder / "before", folder / "uninterrupted", folder / "steps"
        books = write_books(folder)
        seconds, steps = {}, {}
        seconds[True] = timed(lambda: ingest_timed(store, note, books, f"{prefix}{before}", OLD))
        steps[True] = json.loads(note.read_text())
        shutil.copytree(before, uninterrupted)
        seconds[False] = timed(lambda: ingest_timed(store, note, books, f"{prefix}{uninterrupted}", NEW))
        steps[False] = json.loads(note.read_text())
        in_fork(lambda: note_points(note, f"{prefix}{uninterrupted}"))
        expected = [(id, digest, checksum) for id, digest, checksum in json.loads(note.read_text())]
        return cls(prefix, store, books, before, expected, seconds, steps, n_readers)

    def run(self, folder: Path, *, fresh: bool, moment: float, inside: bool) -> bool:
        """Kill one ingest after this share of its time or steps; return whether that was before its end."""
        if not fresh:
            shutil.copytree(self.before, folder)
        address = f"{self.prefix}{folder}"
        stop = folder.with_name("stop")
        readers = [start_fork(lambda: read_until(stop, address)) for _ in range(self.n_readers)]
        if inside:
            share, step = math.modf(moment * len(self.steps[fresh]))
            delay = share * self.steps[fresh][int(step)]
            finished = in_fork(lambda: ingest_until(self.store, int(step), delay, self.books, address, NEW))
        else:
            seconds = moment * self.seconds[fresh]
            finished = in_fork(lambda: ingest(self.books, address, NEW), kill_after=seconds)
        stop.touch()
        for reader in readers:
            end_fork(reader)
        stop.unlink()
        in_fork(lambda: self._check(folder, fresh=fresh))
        in_fork(lambda: ingest(self.books, address, NEW))
        in_fork(lambda: self._compare(folder))
        return not finished

    def _check(self, folder: Path, *, fresh: bool) -> None:
        for swept in (False, True):
            try:
                store = open_store(f"{self.prefix}{folder}", "books", None)
            except StoreError as error:
                if fresh and "nothing has been ingested" in error.why:  # killed before anything was written
                    return
                raise
            check_complete(store, swept=swept)
            if flaws := list(find_flaws(store)):  # what the killed ingest has left is none
                raise AssertionError(f"{len(flaws)} flaws, the first: {flaws[0]}")
            store.close()

    def _compare(self, folder: Path) -> None:
        store = open_store(f"{self.prefix}{folder}", "books", None)
        points = contents(store)
        if points != self.expected or not self.expected:
            raise AssertionError(
                f"{len(points)} points after the crash, {len(self.expected)} in an uninterrupted run"
            )
        check_complete(store, swept=False)


def crash(kind: str, runs: int, *, seed: int, n_readers: int = 0) -> int:
    """Kill `runs` ingests into one kind of folder; return how many were killed before they finished."""
    rng = random.Random(seed)
    # A kill is not a power cut: what the kernel has accepted is written, on a disk in memory as on any other.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        trial = Trial.prepare(kind, Path(scratch), n_readers)
        n_killed = 0
        for number in range(runs):
            folder = Path(scratch, "run")
            inside, fresh = number % 5 > 0, number % 2 == 0
            # Spread, so that no few runs fall into the same steps.
            moment = (number + rng.random()) / runs if inside else rng.random()
            n_killed += trial.run(folder, fresh=fresh, moment=moment, inside=inside)
            shutil.rmtree(folder)
    return n_killed


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readers", type=int, default=0)
    arguments = parser.parse_args()
    gc.collect()
    gc.freeze()  # no fork visits what this process has imported
    kinds = arguments.kind or list(PREFIXES)
    for kind in kinds:
        runs = arguments.runs // len(kinds)
        began = time.perf_counter()
        n_killed = crash(kind, runs, seed=arguments.seed, n_readers=arguments.readers)
        seconds = time.perf_counter() - began
        print(
            f"{kind}: {runs} ingests killed, {n_killed} before the end, {seconds:.0f} s: every book complete"
        )


if __name__ == "__main__":
    main()
