"""Print one hash per strategy over everything that an ingest stores: ids, payloads and vectors.

    python tools/fingerprint.py PATH...

Run it before and after a change that must not alter any result, and compare the lines. It uses the command
line alone, so that the same script runs on both sides. The time of the ingest is left out. Files that cannot
be read enter the hash with their error codes. Needs the extra `parquet`.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyarrow.parquet import ParquetFile

INGESTED_AT = re.compile(r'"ingested_at": "[^"]*",? ?')

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
    store, exported = folder / "library", folder / "books.parquet"
    lines = _run("ingest", *paths, "--strategy", strategy, "--store", str(store), "--json").splitlines()
    outcomes = [json.loads(line) for line in lines]
    failures = sorted((one["source"], one["error"]["code"]) for one in outcomes if one.get("error"))
    _run("export", str(exported), "--store", str(store))
    digest = hashlib.sha256(json.dumps(failures).encode())
    n_points = 0
    for batch in ParquetFile(exported).iter_batches(batch_size=256):
        n_points += batch.num_rows
        digest.update(_bytes_of(batch))
    return f"{digest.hexdigest()}  {n_points} points, {len(failures)} failures"


def _bytes_of(batch: Any) -> bytes:
    """Return a batch of points as bytes, without the time of the ingest in their payloads."""
    timeless = [INGESTED_AT.sub("", payload) for payload in batch.column("payload").to_pylist()]
    rest = batch.drop_columns(["payload"])
    return bytes(rest.serialize()) + json.dumps(timeless).encode()


def _run(*words: str) -> str:
    environ = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "alexandria", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environ, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
