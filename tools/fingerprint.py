"""Print one hash per strategy over everything that an ingest stores: ids, payloads and vectors.

    python tools/fingerprint.py PATH...

Run it before and after a change that must not alter any result, and compare the lines. It uses the command
line alone, so that the same script runs on both sides. The time of the ingest is left out. Files that cannot
be read enter the hash with their error codes.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

STRATEGIES = (
    "universal-semantic", "percentile", "tiered", "smoothed", "centroid", "optimal", "recursive", "fixed",
)  # fmt: skip


def main() -> None:
    """Print a hash per strategy, and how many points and failures went into it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", help="books, or folders of books")
    parser.add_argument("--strategy", action="append", help="only this one; repeatable")
    given = parser.parse_args()
    for strategy in given.strategy or STRATEGIES:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{strategy:<20}{_fingerprint(given.paths, strategy, Path(folder))}", flush=True)


def _fingerprint(paths: list[str], strategy: str, folder: Path) -> str:
    store, exported = folder / "library", folder / "books.jsonl"
    lines = _run("ingest", *paths, "--strategy", strategy, "--store", str(store), "--json").splitlines()
    outcomes = [json.loads(line) for line in lines]
    failures = sorted((one["source"], one["error"]["code"]) for one in outcomes if one.get("error"))
    _run("export", str(exported), "--store", str(store))
    digest = hashlib.sha256(json.dumps(failures).encode())
    n_points = 0
    for n_points, point in enumerate(_points(exported), 1):  # noqa: B007  # counts
        digest.update(point)
    return f"{digest.hexdigest()}  {n_points} points, {len(failures)} failures"


def _points(exported: Path) -> Iterator[bytes]:
    """Yield every point without its time, sorted by what is left."""
    lines = []
    with exported.open(encoding="utf-8") as file:
        for line in file:
            point = json.loads(line)
            point["payload"].pop("ingested_at", None)
            lines.append(hashlib.sha256(json.dumps(point, sort_keys=True).encode()).digest())
    yield from sorted(lines)


def _run(*words: str) -> str:
    environ = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "alexandria", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environ, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
