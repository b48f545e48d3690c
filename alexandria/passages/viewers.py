"""Where other programs open a passage: an address, or the command of a reader that can go to a place."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from alexandria.passage import Passage

_CALIBRE_BOOK = re.compile(r".*\((\d+)\)")
"""The folder of a book in a Calibre library: `Title (12)`, below that of its author."""


@dataclass(frozen=True, slots=True)
class Viewing:
    """How a passage is opened."""

    address: str
    """For the program that the system opens such an address with."""
    command: tuple[str, ...] = ()
    """A reader with its arguments, which goes to the passage; empty where the address is to be opened."""


def viewing(
    passage: Passage, path: Path, *, which: Callable[[str], str | None] = shutil.which
) -> Viewing | None:
    """Return how to open the file of a passage at its sentence; None if no program is known to go there.

    A PDF is opened at its page, HTML at the words themselves. An EPUB is opened in Calibre if it is in a
    Calibre library, otherwise in Calibre's or Foliate's viewer if one of them is installed.

    Args:
        passage: a hit, or another passage.
        path: of the file of its book.
        which: finds a program by its name.
    """
    file = path.as_uri()
    if passage.format == "pdf" and passage.cited_pages and passage.cited_pages[0].page:
        return Viewing(f"{file}#page={passage.cited_pages[0].page}")
    if passage.format == "html":
        return Viewing(f"{file}#:~:text={quote(_few_words(passage.quote['exact']), safe='')}")
    if passage.format == "epub" and passage.cfi:
        return _epub(path, file, passage.cfi, which)
    return None


def _epub(path: Path, file: str, cfi: str, which: Callable[[str], str | None]) -> Viewing | None:
    own = calibre_cfi(cfi)
    if (book := _CALIBRE_BOOK.fullmatch(path.parent.name)) and (path.parents[2] / "metadata.db").is_file():
        library = "_hex_-" + path.parents[2].name.encode().hex()
        return Viewing(f"calibre://view-book/{library}/{book[1]}/EPUB?open_at={quote(own, safe='()/:')}")
    if viewer := which("ebook-viewer"):
        return Viewing(file, (viewer, "--open-at", own, str(path)))
    if viewer := which("foliate"):
        return Viewing(file, (viewer, str(path)))
    return None


def calibre_cfi(cfi: str) -> str:
    """Return an EPUB CFI as Calibre's viewer writes it.

    It begins with the number in the spine, not in the package, and goes on one level higher: at the document.
    """
    match = re.fullmatch(r"epubcfi\(/\d+/(\d+)!(.*)\)", cfi)
    return f"epubcfi(/{match[1]}/2{match[2]})" if match else cfi


def _few_words(text: str) -> str:
    """Return the beginning of a text, as much as a browser looks for."""
    return " ".join(text.split()[:12])
