"""Pages per second of the PDF reader and of pypdf, in one run.

    python benchmarks/extract_pdf.py BOOK.pdf...

Ours returns paragraphs, chapters and notes; pypdf returns the lines of each page. Processor seconds of this
process are measured, the runs alternate, and the best of each is reported, so that other work on the machine
affects both alike.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from pypdf import PdfReader

from alexandria.extract import extract

RUNS = 3


def ours(path: Path) -> None:
    extract(path)


def theirs(path: Path) -> None:
    for page in PdfReader(path).pages:
        page.extract_text()


def seconds(run: Callable[[Path], None], path: Path) -> float:
    start = process_time()
    run(path)
    return process_time() - start


def main(paths: list[str]) -> None:
    print(f"{'pages':>6} {'ours/s':>8} {'pypdf/s':>8} {'ratio':>6}")
    for path in map(Path, paths):
        n_pages = len(PdfReader(path).pages)
        runs = [(seconds(ours, path), seconds(theirs, path)) for _ in range(RUNS)]
        fast, slow = (min(times) for times in zip(*runs, strict=True))
        print(f"{n_pages:6} {n_pages / fast:8.0f} {n_pages / slow:8.0f} {slow / fast:6.1f}  {path.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
