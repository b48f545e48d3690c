"""Compare EPUBs with their conversions to MOBI 6, both formats in one file, and AZW3, by Calibre.

    python tools/converted.py BOOK.epub... [--folder FOLDER] [--most 12]

Converts each book with `ebook-convert` (into FOLDER, where existing files are kept) and prints where text,
headings, blocks, notes, matter and metadata differ as Alexandria reads them. What Calibre itself changes is
among it: in MOBI 6 it prints small capitals as capitals, keeps no headings that the contents do not list and
no lists of definitions, prints the readings of ruby in the line, adds quotation marks to `<q>`, and leaves
MathML and captions of pictures out.
"""

import argparse
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from alexandria.book.model import Book  # noqa: E402  # run as a script, this folder is not a package
from alexandria.extract import extract  # noqa: E402

KINDS = {".old.mobi": ("--mobi-file-type=old",), ".both.mobi": ("--mobi-file-type=both",), ".azw3": ()}
"""The ends of the names of conversions, and the options of `ebook-convert` that make them."""
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")


def convert(epub: Path, kind: str, folder: Path) -> Path:
    """Return the conversion of a book in the folder, made unless it exists.

    Raises:
        CalledProcessError: Calibre cannot convert the book.
    """
    path = folder / (epub.stem + kind)
    if not path.exists():
        subprocess.run(["ebook-convert", epub, path, *KINDS[kind]], check=True, capture_output=True)
    return path


def words(text: str) -> list[str]:
    """Return the words of a text without characters that nobody sees."""
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text)).split()


def aspects(book: Book) -> dict[str, list[str]]:
    """Return what is compared of a book, each as a list of lines."""
    return {
        "words": words(book.text),
        "headings": [f"{section.level} {' / '.join(section.headings)}" for section in book.sections],
        "blocks": [f"{block.kind} {block.text[:25]!r}" for block in book.blocks],
        "notes": [
            f"{note.label} after {len(words(book.text[: note.cited_at]))} words: {' '.join(words(note.text))}"
            for note in book.notes
        ],
        "left out": sorted({left.kind for left in book.left_out}),
        "metadata": [
            f"{name} {getattr(book.metadata, name)}"
            for name in ("title", "authors", "language", "publisher", "subjects", "translators", "series")
        ],
    }


def differences(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield where two sequences differ, with the place in the first."""
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            yield f"{a}: [{' '.join(old[a:b])[:300]}] → [{' '.join(new[c:d])[:300]}]"


def main() -> None:
    """Convert and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("books", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--most", type=int, default=12, help="differences shown per aspect")
    options = parser.parse_args()
    if shutil.which("ebook-convert") is None:
        sys.exit("ebook-convert is not installed: install Calibre")
    with TemporaryDirectory() as temporary:
        for epub in options.books:
            _compare(epub, options.folder or Path(temporary), options.most)


def _compare(epub: Path, folder: Path, most: int) -> None:
    expected = aspects(extract(epub))
    for kind in KINDS:
        print(f"{epub.stem}{kind}: {len(expected['words']):,} words")
        try:
            read = aspects(extract(convert(epub, kind, folder)))
        except subprocess.CalledProcessError as error:
            print(f"  Calibre cannot convert it: {error.stderr.decode(errors='replace')[-200:]}")
            continue
        for name, lines in expected.items():
            different = [*differences(lines, read[name])] if lines != read[name] else []
            print(f"  {name}: {len(different)} differences")
            for line in different[:most]:
                print(f"    {line}")


if __name__ == "__main__":
    main()
