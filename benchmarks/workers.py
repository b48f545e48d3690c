"""How much workers save: one shelf, ingested with and without them in alternation.

    python -m benchmarks.workers [--runs 5] [--workers 0 2] [--pages N] [FOLDER]

With `--pages`, the shelf's PDFs are first split into files of N pages, to stand for papers instead of books.

Whole processes are timed as a user runs them, including the start of the program. Each makes a new library
and starts with a cache that contains only the compiled model. Next to elapsed time, three figures are
reported: the processor seconds of all processes, readers included, which other work on the machine affects
least; the resulting share of the processors in use; and the processor seconds that the host of a virtual
machine took away, which happens most when all processors are busy.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.errors import DependencyError, PyPdfError

from alexandria.system.cache import graphs_folder

SHELF = Path(__file__).parents[2] / "shared" / "data" / "pdf"


@dataclass(frozen=True, slots=True)
class Run:
    """One ingest of the shelf."""

    seconds: float
    processor: float
    stolen: float
    """Processor seconds that the host of a virtual machine gave to others in the meantime."""


def ingest(shelf: Path, workers: int) -> Run:
    """Ingest the shelf into a new library with this many workers."""
    with tempfile.TemporaryDirectory() as folder:
        library, cache = Path(folder) / "library", Path(folder) / "cache"
        cache.mkdir()
        graphs_folder().mkdir(parents=True, exist_ok=True)  # nothing can be written through a dangling link
        (cache / "graphs").symlink_to(graphs_folder().absolute())
        command = ["-m", "alexandria", "ingest", str(shelf), "--store", str(library), "--quiet"]
        stolen_before = stolen()
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [sys.executable, *command, "--workers", str(workers)],
            env={**os.environ, "ALEXANDRIA_CACHE": str(cache)},
            capture_output=True,
            check=False,
        )
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):  # 3: some books failed, such as those that need a password
        raise SystemExit(done.stderr.decode())
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(seconds, processor, stolen() - stolen_before)


def stolen() -> float:
    """Return the processor seconds that the host gave to others since the start; 0 except on Linux."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return 0.0
    return int(first.split()[8]) / os.sysconf("SC_CLK_TCK")


def cut(shelf: Path, folder: Path, n_pages: int) -> None:
    """Split the shelf's PDFs into files of `n_pages`, without those that need a password."""
    for path in sorted(shelf.glob("*.pdf")):
        try:
            reader = PdfReader(path)
        except (PyPdfError, DependencyError):
            continue
        for first in range(0, 0 if reader.is_encrypted else len(reader.pages), n_pages):
            writer = PdfWriter()
            last = min(first + n_pages, len(reader.pages))
            writer.append(reader, pages=(first, last), import_outline=False)
            writer.write(folder / f"{path.stem}-{first:04}.pdf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shelf", type=Path, nargs="?", default=SHELF)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--pages", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shelf = arguments.shelf
        if arguments.pages:
            shelf = Path(folder)
            cut(arguments.shelf, shelf, arguments.pages)
        ingest(shelf, 0)  # compiles the model, and loads the files into the page cache
        runs: dict[int, list[Run]] = {n: [] for n in arguments.workers}
        for _ in range(arguments.runs):
            for n, done in runs.items():
                done.append(ingest(shelf, n))
    first = statistics.median(run.seconds for run in runs[arguments.workers[0]])
    n_cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    middle = f"{arguments.runs} runs | processor seconds | of {n_cpus} cores"
    print(f"| workers | seconds | {middle} | stolen | speed-up |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    for n, done in runs.items():
        seconds, processor, stolen_seconds = (
            statistics.median(getattr(run, name) for run in done)
            for name in ("seconds", "processor", "stolen")
        )
        all_seconds = ", ".join(f"{run.seconds:.1f}" for run in done)
        share = processor / seconds / n_cpus
        print(
            f"| {n} | {seconds:.2f} | {all_seconds} | {processor:.1f} | {share:.0%} | {stolen_seconds:.1f} "
            f"| {first / seconds:.2f} × |"
        )


if __name__ == "__main__":
    main()
