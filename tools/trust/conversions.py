"""Kills the conversion of a library that an earlier version wrote, and checks that nothing is lost.

    python -m tools.trust.conversions --runs 100

Each run opens a copy of a folder whose records are in a shard of the engine, and is killed at a random moment
of the conversion; the copy must then open with the same books, points and vectors, and without the old shard.
"""

import argparse
import random
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from alexandria.store import open_store
from alexandria.store.catalog import Catalog
from alexandria.store.shard_catalog import SHARD
from alexandria.store.verify import find_flaws
from tests.store.crash import contents, in_fork, timed
from tests.store.examples import BINDING, as_earlier_version, book, make_records, store_book


def fill(folder: Path, n_books: int) -> None:
    """Write a library as an earlier version did: three books with points, and records of many more."""
    store = open_store(str(folder), "books", BINDING)
    catalog = Catalog(store)
    for name in ("a", "b", "c"):
        store_book(catalog, book(name))
    for record in make_records(n_books):
        catalog.add_removed(replace(record, removed_at="2026-01-01"))
    store.close()
    as_earlier_version(folder / "books")


def convert(folder: Path) -> None:
    """Open a library, which converts it."""
    open_store(str(folder), "books", None).close()


def check(folder: Path, expected: Path) -> None:
    """Raise unless a library has the books, points and vectors of another, and no flaws."""
    contents_of = []
    for place in (folder, expected):
        store = open_store(str(place), "books", None)
        contents_of.append((Catalog(store).records(), contents(store), list(find_flaws(store))))
        store.close()
    actual, wanted = contents_of
    flaws = actual[2]
    if actual != wanted or flaws or (folder / "books" / SHARD).exists():
        raise AssertionError(f"{folder} is not what it was")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--books", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    n_killed = n_wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        earlier, whole, trial = (Path(scratch) / name for name in ("earlier", "whole", "trial"))
        in_fork(lambda: fill(earlier, chosen.books))
        shutil.copytree(earlier, whole)
        seconds = timed(lambda: convert(whole))
        for _ in range(chosen.runs):
            shutil.copytree(earlier, trial)
            n_killed += not in_fork(lambda: convert(trial), kill_after=rng.random() * seconds)
            try:
                in_fork(lambda: check(trial, whole))
            except RuntimeError:
                n_wrong += 1
            shutil.rmtree(trial)
    print(f"{chosen.runs} conversions, {n_killed} killed before the end, {n_wrong} wrong")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
