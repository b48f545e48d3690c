"""Lets the disk run full under the commands that write a library, and checks how they end.

    python -m tools.trust.full --sizes 40             needs root: mounts ext4 images through loop devices

The library, the cache and the records of failures lie on a file system with so many bytes left; their number
goes from none to more than the command needs. The command must end with exit code 4 or 5 and one error that
says that there is no room, or with 0; by no signal and no traceback. The library must then be whole, and a
search without any more room must answer, or say so; the same command, with room, must leave the same points
as on an empty disk.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path

import alexandria
from tests.store.crash import MODULES, OLD, in_fork
from tools.trust.campaign import run_command
from tools.trust.disk import make_image, mounted_image
from tools.trust.operations import OPERATIONS, PREFIXES, Shelf, check_library, stored

MEBIBYTES = 192
"""Size of the file system: room for two embedded libraries of some books, and a filler."""
MAX_FREE = {"edge": 56 << 20, "local": 4 << 20}
"""Free bytes, by kind of library: more than any command needs."""
_SETTINGS = [word for name, value in OLD.items() if name != "model" for word in ("--set", f"{name}={value}")]
COMMANDS: dict[str, list[str]] = {
    "ingest": ["ingest", "{books}", "--workers", "0", "--quiet", *_SETTINGS, "--store", "{library}"],
    "force": [
        "ingest",
        "{books}",
        "--force",
        "--workers",
        "0",
        "--quiet",
        *_SETTINGS,
        "--store",
        "{library}",
    ],
    "remove": ["remove", "{book}", "--yes", "--store", "{library}"],
    "copy": ["copy", "--store", "{other}", "--to", "{library}"],
}


def fill_up(place: Path, *, free: int) -> Path:
    """Write a file that leaves `free` bytes of the file system."""
    filler = place / "filler"
    with filler.open("wb") as file:
        size = max(1, shutil.disk_usage(place).free - free)
        while True:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
                return filler
            except OSError:  # the list of the file's blocks needs some bytes, too
                size -= 1 << 16


def _words(shelf: Shelf, scratch: Path, kind: str, name: str, address: str) -> list[str]:
    values = {
        "library": address,
        "other": f"{PREFIXES[kind]}{shelf.library(kind)}",
        "books": str(shelf.folder / "books"),
        "book": (scratch / "book").read_text(),
    }
    return [word.format(**values) for word in COMMANDS[name]]


def squeeze(shelf: Shelf, scratch: Path, kind: str, name: str, free: int) -> str:
    """Run a command with `free` bytes left on the disk; return how it ended, or what is wrong."""
    operation = OPERATIONS[name]
    output = scratch / "output"
    make_image(scratch / "disk.img", mebibytes=MEBIBYTES)
    with mounted_image(scratch / "disk.img", scratch / "disk") as place:
        library = place / "library"
        address = f"{PREFIXES[kind]}{library}"
        words = _words(shelf, scratch, kind, name, address)
        shelf.prepare(operation, kind, library)
        filler = fill_up(place, free=free)
        code = run_command(words, place / "cache", output)
        printed = output.read_text()
        if code not in (0, 4, 5) or "Traceback" in printed or "bug" in printed:
            return f"exit {code}: {printed[-1500:]}"
        if code and not ("room" in printed or "space" in printed or "full" in printed):
            return f"exit {code} for another reason: {printed[-1500:]}"
        no_book = "ingested"  # "nothing has been ingested there yet", or "no book has been ingested yet"
        search_code = run_command(["search", "bonafu", "--store", address], place / "cache", output)
        # The embedded engine needs some bytes to open a library: then the search says that it is whole.
        is_whole = "the library is whole" in output.read_text()
        is_empty = name in ("ingest", "copy") and no_book in output.read_text()
        if search_code and not is_whole and not is_empty:
            printed = output.read_text()[-1500:]
            return f"exit {code}, and a search without room ends with {search_code}: {printed}"
        filler.unlink()
        in_fork(lambda: check_library(address, operation.n_books(len(shelf.books), 0)))
        again = run_command(words, place / "cache", output)
        if again != 0 and not (name == "remove" and "no book" in output.read_text()):
            return f"exit {again} with room: {output.read_text()[-1500:]}"
        try:
            in_fork(lambda: _compare(address, scratch / "expected.json"))
        except RuntimeError:
            return f"exit {code}, and other points once there is room"
    return str(code)


def _write_expected(shelf: Shelf, scratch: Path, kind: str, name: str) -> None:
    """Run a command with all the room it needs, and write what is stored then."""
    library = scratch / "expected"
    shelf.prepare(OPERATIONS[name], kind, library)
    address = f"{PREFIXES[kind]}{library}"
    if code := run_command(
        _words(shelf, scratch, kind, name, address), scratch / "cache", scratch / "output"
    ):
        raise AssertionError(f"exit {code} with room: {(scratch / 'output').read_text()}")
    in_fork(lambda: _write(scratch / "expected.json", stored(address)))
    shutil.rmtree(library)


def _write(file: Path, points: object) -> None:
    file.write_text(json.dumps(points))


def _compare(address: str, expected: Path) -> None:
    if json.dumps(stored(address)) != expected.read_text():
        raise AssertionError("the points are not those of an ingest on an empty disk")


def _prepare(scratch: Path) -> None:
    shelf = Shelf.fill(scratch / "shelf", n_books=4, n_words=1500)
    (scratch / "shelf" / "books").mkdir()
    for book in shelf.books:
        shutil.copy(book, scratch / "shelf" / "books")
    for kind, prefix in PREFIXES.items():
        with alexandria.Library(f"{prefix}{shelf.library(kind)}") as library:
            (scratch / "book").write_text(library.books()[0].book_id)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, default=40, help="per kind and command")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--command", choices=COMMANDS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    for module in (
        *MODULES.values(),
        "alexandria.doors.cli",
        "alexandria.library.ingest.one_book",
        "alexandria.embed.hashing",
    ):
        import_module(module)  # once, and not in each of the processes that are forked
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        in_fork(lambda: _prepare(scratch))
        shelf = Shelf(sorted((scratch / "shelf").glob("*.txt")), scratch / "shelf")
        for kind in chosen.kind or PREFIXES:
            for name in chosen.command or COMMANDS:
                _write_expected(shelf, scratch, kind, name)
                ends: Counter[str] = Counter()
                for _ in range(chosen.sizes):
                    free = int(MAX_FREE[kind] * rng.random() ** 2) // 4096 * 4096  # most of them small
                    end = squeeze(shelf, scratch, kind, name, free)
                    if end not in ("0", "4", "5"):
                        n_wrong += 1
                        print(f"{kind} {name} with {free:,} bytes free: {end}", file=sys.stderr)
                        end = "wrong"
                    ends[end] += 1
                print(f"{kind:>6} {name:<8} exit codes:", dict(sorted(ends.items())), flush=True)
    print(f"{n_wrong} wrong")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
