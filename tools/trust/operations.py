"""The commands that write a library, as the campaigns run them, and what must hold after each."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import alexandria
from alexandria.chunking.domains import DomainRequest
from alexandria.errors import StoreError
from alexandria.library.ingest.options import RunOptions
from alexandria.store import open_store
from alexandria.store.catalog import Catalog
from alexandria.store.verify import find_flaws
from tests.store.crash import NEW, OLD, check_complete, contents, write_books

PREFIXES = {"edge": "", "local": "local:"}


@dataclass(frozen=True, slots=True)
class Operation:
    """One command on a library: what it starts from, and its steps, each of which must be durable."""

    name: str
    begins_with_books: bool
    steps: Callable[[str, list[Path], str], Iterator[object]]
    """Given the library's address, the books, and the address of another library that holds them."""
    n_books: Callable[[int, int], range]
    """Given how many books there are and how many steps were done, how many books may be stored."""


def _ingest(settings: dict[str, object], *, force: bool = False) -> Callable[..., Iterator[object]]:
    def steps(address: str, books: list[Path], other: str) -> Iterator[object]:
        with alexandria.Library(address) as library:
            yield from library.ingest_files(
                books, DomainRequest(options=settings), RunOptions(workers=0, force=force, cache=False)
            )

    return steps


def _remove(address: str, books: list[Path], other: str) -> Iterator[object]:
    with alexandria.Library(address) as library:
        for record in library.books():
            yield library.remove(record.book_id)


def _edit(address: str, books: list[Path], other: str) -> Iterator[object]:
    with alexandria.Library(address) as library:
        for record in library.books():
            yield library.edit(record.book_id, title=f"{record.title.split(' (')[0]} (edited)")


def _copy(address: str, books: list[Path], other: str) -> Iterator[object]:
    with alexandria.Library(other) as library:
        yield from library.copy(address)


def _restore(address: str, books: list[Path], other: str) -> Iterator[object]:
    with alexandria.Library(address) as library:
        yield library.restore(Shelf(books, books[0].parent).backup)


# How many of n books may be stored after so many finished steps.


def _growing(n: int, done: int) -> range:
    return range(done, n + 1)


def _all(n: int, done: int) -> range:
    return range(n, n + 1)


def _shrinking(n: int, done: int) -> range:
    return range(n - done + 1)


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("ingest", False, _ingest(OLD), _growing),
        Operation("again", True, _ingest(NEW), _all),
        Operation("force", True, _ingest(OLD, force=True), _all),
        Operation("remove", True, _remove, _shrinking),
        Operation("edit", True, _edit, _all),
        Operation("copy", False, _copy, _growing),
        Operation("restore", False, _restore, _growing),
    )
}


@dataclass(frozen=True, slots=True)
class Shelf:
    """Books, and a library of each kind that holds them."""

    books: list[Path]
    folder: Path

    @classmethod
    def fill(cls, folder: Path, *, n_books: int, n_words: int) -> "Shelf":
        """Write books, ingest them into libraries of both kinds, and back one of them up."""
        folder.mkdir()
        shelf = cls(write_books(folder, n_books=n_books, n_words=n_words), folder)
        for kind, prefix in PREFIXES.items():
            for _ in _ingest(OLD)(f"{prefix}{shelf.library(kind)}", shelf.books, ""):
                pass
        with alexandria.Library(str(shelf.library("edge"))) as library:
            library.backup(shelf.backup)
        return shelf

    @property
    def backup(self) -> Path:
        """Return the backup of the library."""
        return self.folder / "backup.zip"

    def library(self, kind: str) -> Path:
        """Return the folder of the library of one kind."""
        return self.folder / kind

    def prepare(self, operation: Operation, kind: str, place: Path) -> None:
        """Put into `place` what an operation begins with."""
        if operation.begins_with_books:
            # The engine's files are mostly holes; copied in full, they would fill the disk.
            subprocess.run(["cp", "-a", "--sparse=always", self.library(kind), place], check=True)


def fill_shelf(folder: Path) -> None:
    """Fill the shelf of a campaign: four short books."""
    Shelf.fill(folder, n_books=4, n_words=1500)


def check_library(address: str, allowed: range) -> None:
    """Raise unless a library is whole: each book complete and unaltered, nothing else once it is swept."""
    try:
        store = open_store(address, "books", None)
    except StoreError as error:
        if "nothing has been ingested" in error.why and 0 in allowed:
            return
        raise
    flaws = list(find_flaws(store))
    n_books = len(Catalog(store, sweep=False).books())
    store.close()
    store = open_store(address, "books", None)
    check_complete(store, swept=True)
    flaws += find_flaws(store)
    store.close()
    if flaws:
        raise AssertionError(f"{len(flaws)} flaws, the first: {flaws[0]}")
    if n_books not in allowed:
        raise AssertionError(f"{n_books} books are stored, {allowed} were expected")


def stored(address: str) -> list[tuple[str, str, int]]:
    """Return what is stored: id, digest of the payload and checksum of the vectors of every point."""
    store = open_store(address, "books", None)
    try:
        return contents(store)
    finally:
        store.close()
