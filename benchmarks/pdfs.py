"""What our reader makes of a folder of PDFs, beside pdftotext, pypdf and pypdfium2, by kind of file.

    python -m benchmarks.pdfs FOLDER [TABLE]

Three questions: how many words of a page are only in what was left out as running heads, where more than
`MOST_LOST` mean that lines of text were taken for heads; what share of the words of each other program is in
our text or among what was left out; and into how many pieces each divides the text, ours into blocks,
the others into lines. TABLE names the kind of each file, in Markdown: `| owner/repository:path | kind |`.
pdftotext is left out where it is not installed.
"""

import logging
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
from pypdf import PdfReader

from alexandria.book.model import Book
from alexandria.book.words import WORD
from alexandria.errors import BookError
from alexandria.extract import extract

MOST_LOST = 4.0
"""Words per page, as a mean over the pages that have heads, of files of `MIN_PAGES` and more."""
MIN_PAGES = 10
"""In shorter files, stamps and heads are words that the text does not have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of one file."""

    n_pages: int
    lost: float
    """Words per page with heads that are nowhere but among them."""
    n_blocks: int
    kept: Mapping[str, float]
    """Share of the words of each other program that ours has, in [0, 1]."""
    n_lines: Mapping[str, int]
    """Lines that each of them reads."""


def words_of(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def lost_per_page(book: Book) -> float:
    """Return how many words per page with running heads are only in these.

    Each counts once, since those of a stamp are on every page; numbers are no words.
    """
    heads = [line for line in book.left_out_lines if line.kind == "running_head"]
    read = words_of(book.text + "\n".join(note.text for note in book.notes))
    lost = {word for line in heads for word in words_of(line.text) if word.isalpha() and not read[word]}
    return len(lost) / max(len({line.page for line in heads}), 1)


def with_pypdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def with_pdfium(path: Path) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pdfium.PdfDocument(path))


def with_pdftotext(path: Path) -> str:
    run = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


PEERS: Mapping[str, Callable[[Path], str]] = {
    **({"pdftotext": with_pdftotext} if shutil.which("pdftotext") else {}),
    "pypdf": with_pypdf,
    "pypdfium2": with_pdfium,
}


def read(path: Path) -> Reading:
    """Return what our reader and the others make of a file.

    Raises:
        BookError: ours cannot read it.
    """
    book = extract(path)
    everything = [
        book.text,
        *(note.text for note in book.notes),
        *(line.text for line in book.left_out_lines),
    ]
    ours = words_of("\n".join(everything))
    texts = {name: peer(path) for name, peer in PEERS.items()}
    counts = {name: words_of(text) for name, text in texts.items()}
    return Reading(
        n_pages=book.n_pages or 1,
        lost=lost_per_page(book),
        n_blocks=len(book.blocks),
        kept={name: (words & ours).total() / max(words.total(), 1) for name, words in counts.items()},
        n_lines={name: sum(map(bool, map(str.strip, text.split("\n")))) for name, text in texts.items()},
    )


def kinds_in(table: str) -> Iterator[tuple[str, str]]:
    """Yield the name of the file of each row, as `owner_repository__path` in a flat folder, and its kind."""
    for row in table.splitlines():
        source, _, path = row.removeprefix("| ").partition(" |")[0].partition(":")
        if path.endswith(".pdf"):
            yield f"{source}__{path}".replace("/", "_").replace(" ", "_"), row.split("|")[2].strip()


def main(folder: Path, table: Path | None) -> None:
    logging.disable()  # pypdf warns of every font
    kinds = dict(kinds_in(table.read_text(encoding="utf-8"))) if table else {}
    readings: dict[str, list[Reading]] = defaultdict(list)
    for path in sorted(folder.rglob("*.pdf")):
        try:
            reading = read(path)
        except BookError as error:
            print(f"{path.name}: {error.why}", file=sys.stderr)
            continue
        readings[kinds.get(path.name, "")].append(reading)
        if reading.lost > MOST_LOST and reading.n_pages >= MIN_PAGES:
            print(f"{path.name}: {reading.lost:.1f} words per page only in heads", file=sys.stderr)
    print(f"| kind | files | pages | words lost, most | {' | '.join(f'of {name}' for name in PEERS)} "
          f"| blocks | {' | '.join(f'lines of {name}' for name in PEERS)} |")  # fmt: skip
    print(f"|---|{'--:|' * (4 + 2 * len(PEERS))}")
    for kind, group in sorted(readings.items()):
        n_pages = sum(reading.n_pages for reading in group)
        shares = [sum(r.kept[name] * r.n_pages for r in group) / n_pages for name in PEERS]
        lines = [sum(r.n_lines[name] for r in group) for name in PEERS]
        print(
            f"| {kind} | {len(group)} | {n_pages} | "
            f"{max((r.lost for r in group if r.n_pages >= MIN_PAGES), default=0.0):.1f} | "
            f"{' | '.join(f'{share:.3f}' for share in shares)} | {sum(r.n_blocks for r in group):,} | "
            f"{' | '.join(f'{n:,}' for n in lines)} |"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else None)
