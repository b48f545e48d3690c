"""Print one hash per strategy over everything that an ingest stores: ids, payloads and vectors.

    python tools/fingerprint.py PATH... [--without FIELD]

Run it before and after a change that must not change any result, and compare the lines. It uses little of the
package, so that the same script runs on both sides. The time of the ingest is left out, and so are payload
fields that the change adds or removes, if they are named. Files that cannot be read enter the hash with their
error codes.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Set
from pathlib import Path

import numpy as np

from alexandria.book.model import Point
from alexandria.store import open_store

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
    parser.add_argument(
        "--without",
        metavar="FIELD",
        action="append",
        default=[],
        help="not this field of payloads; repeatable",
    )
    given = parser.parse_args()
    without = {"ingested_at", *given.without}
    for strategy in given.strategy or STRATEGIES:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{strategy:<20}{_fingerprint(given.paths, strategy, Path(folder), without)}", flush=True)


def _fingerprint(paths: list[str], strategy: str, folder: Path, without: Set[str]) -> str:
    lines = _run("ingest", *paths, "--strategy", strategy, "--store", str(folder), "--json").splitlines()
    outcomes = [json.loads(line) for line in lines]
    failed = [outcome for outcome in outcomes if outcome.get("error")]
    failures = sorted((outcome["source"], outcome["error"]["code"]) for outcome in failed)
    digest = hashlib.sha256(json.dumps(failures).encode())
    n_points = 0
    store = open_store(str(folder), "books", None)
    try:
        for n_points, point in enumerate(store.points({}), 1):  # noqa: B007  # counts
            digest.update(_bytes_of(point, without))
    finally:
        store.close()
    return f"{digest.hexdigest()}  {n_points} points, {len(failures)} failures"


def _bytes_of(point: Point, without: Set[str]) -> bytes:
    """Return a point as bytes, without these fields of its payload."""
    payload = {key: value for key, value in point.payload.items() if key not in without}
    sentences = b"" if point.sentences is None else np.asarray(point.sentences, np.float32).tobytes()
    words = repr((point.id, point.bm25.indices, point.bm25.values)).encode()
    return words + point.dense.tobytes() + sentences + json.dumps(payload, sort_keys=True).encode()


def _run(*words: str) -> str:
    environ = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "alexandria", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environ, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
