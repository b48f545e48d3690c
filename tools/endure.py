"""Kill an ingest of many books several times at random, and compare the library with an uninterrupted one.

    python tools/endure.py FOLDER [--books 500] [--kills 3] [--workers 2] [--seed 0]

The books are excerpts from the texts in FOLDER, so that there are enough of them. Prints what each run did.
The exit code is 1 if a book was ingested twice, or if the two libraries differ in anything but their times.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from alexandria.store import open_store  # noqa: E402  # run as a script, this folder is not a package

CHARACTERS = 12_000
"""Per book: about 2,000 words, which is several chunks and quick to ingest."""


def make_books(source: Path, folder: Path, n_books: int, random: Random) -> None:
    """Write excerpts from the texts below `source` as books, each with a unique first line."""
    paths = sorted(source.rglob("*.txt"))
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    texts = [text for text in texts if len(text) > CHARACTERS]
    folder.mkdir()
    for i in range(n_books):
        text = random.choice(texts)
        start = random.randrange(len(text) - CHARACTERS)
        (folder / f"{i:05}.txt").write_text(f"This is book {i}.\n\n{text[start : start + CHARACTERS]}")


def run(folder: Path, library: Path, workers: int, *, kill_after: int | None = None) -> list[str]:
    """Ingest the folder and return the sources ingested; kill the process after `kill_after` of them."""
    command = [sys.executable, "-m", "alexandria", "ingest", str(folder), "--store", str(library), "--json"]
    environ = {**os.environ, "ALEXANDRIA_MODEL": "hashing", "PYTHONPATH": str(ROOT)}
    stored, n_unchanged = [], 0
    with subprocess.Popen(
        [*command, "--workers", str(workers)], stdout=subprocess.PIPE, env=environ, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            document = json.loads(line)
            if document.get("status") in ("ingested", "partial"):
                stored.append(document["source"])
                if len(stored) == kill_after:
                    process.send_signal(signal.SIGKILL)
                    break
            n_unchanged += document.get("status") == "unchanged"
    ending = "killed" if kill_after is not None else f"exit code {process.returncode}"
    print(f"{len(stored):,} ingested, {n_unchanged:,} unchanged, {ending}", flush=True)
    return stored


def digest(library: Path) -> tuple[int, str]:
    """Return the number of points, and a hash of their ids and payloads without times."""
    store = open_store(str(library), "books", None)
    try:
        points = sorted((id, {**payload, "ingested_at": None}) for id, payload in store.payloads({}))
    finally:
        store.close()
    return len(points), sha256(json.dumps(points, sort_keys=True).encode()).hexdigest()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Kill an ingest at random and compare what is stored.")
    parser.add_argument("source", type=Path, metavar="FOLDER")
    parser.add_argument("--books", type=int, default=500)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    random = Random(chosen.seed)
    with TemporaryDirectory() as scratch:
        folder, killed, whole = (Path(scratch, name) for name in ("shelf", "killed", "whole"))
        make_books(chosen.source, folder, chosen.books, random)
        stored: list[str] = []
        for _ in range(chosen.kills):
            left = chosen.books - len(stored)
            stored += run(folder, killed, chosen.workers, kill_after=random.randint(1, max(1, left // 2)))
        stored += run(folder, killed, chosen.workers)
        run(folder, whole, chosen.workers)
        n_twice = len(stored) - len(set(stored))
        after_kills, expected = digest(killed), digest(whole)
        is_identical = after_kills == expected
        points = f"{after_kills[0]:,} and {expected[0]:,}"
        print(f"ingested twice: {n_twice}; points: {points}; identical: {is_identical}")
        sys.exit(n_twice > 0 or not is_identical)


if __name__ == "__main__":
    main()
