"""Damages the files of a small library one by one; each must be harmless, found by verify, or a StoreError.

    python -m tests.store.damage FOLDER [EVERY]

With EVERY, only one file of so many, by name. In a process of its own, since a damaged file may end it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from alexandria.errors import StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.verify import find_flaws
from tests.store.examples import BINDING, Place, book, contents, folder_place, record, store_book

SMALL = 4096
"""Bytes: of a larger file, only the beginning is filled with zeros, so that each trial is quick."""


def outcome(place: Place, expected: list[tuple[str, str]]) -> str:
    """Return what becomes of a damaged library: an error, findings, or nothing."""
    try:
        store = place.open(None)
        try:
            flaws = list(find_flaws(store))
            books = Catalog(store, sweep=False).books()
            harmless = books == [record(book("b1"))] and contents(store) == expected
        finally:
            store.close()
    except StoreError as error:
        if not (error.why and error.fix):
            raise AssertionError(f"no remedy: {error}") from error
        return "error"
    if not flaws and not harmless:
        raise AssertionError("another answer, and verify finds nothing")
    return "flaws" if flaws else "harmless"


def damaged(file: Path) -> list[tuple[str, bytes, int]]:
    """Return how to damage a file: the name, the first bytes of the result, and its size."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        head = opened.read(SMALL)
    ways = [("cut", head[: size // 2], size // 2), ("zeros", bytes(len(head)), size)]
    return ways if size > SMALL else [*ways, ("empty", b"", 0)]


def main() -> None:
    """Run from the command line."""
    folder, trial = Path(sys.argv[1], "whole"), Path(sys.argv[1], "damaged")
    place = folder_place(folder)
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    expected = contents(store)
    store.close()
    seen = []
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    # The names of segments differ in each run; those of the files in them do not.
    files.sort(key=lambda path: (path.name, path.parent.name))
    for file in files[:: int(sys.argv[2]) if len(sys.argv) > 2 else 1]:
        if file.parent.name == "wal":  # 64 MB without a byte of ours
            continue
        for name, head, size in damaged(file):
            shutil.rmtree(trial, ignore_errors=True)
            subprocess.run(["cp", "-r", "--sparse=auto", folder, trial], check=True)  # most of it is holes
            target = trial / file.relative_to(folder)
            with target.open("r+b") as opened:
                opened.write(head)
            os.truncate(target, size)
            try:
                seen.append(outcome(folder_place(trial), expected))
            except BaseException as error:
                raise AssertionError(f"{file} ({name})") from error
    print(f"{len(seen)} damages:", ", ".join(f"{seen.count(kind)} {kind}" for kind in sorted(set(seen))))


if __name__ == "__main__":
    main()
