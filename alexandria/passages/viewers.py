"""How other programs open a passage: by an address, or by the command of a reader that can go to a place."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from alexandria.passage import Passage

_CALIBRE_BOOK = re.compile(r".*\((\d+)\)")
"""The folder of a book in a Calibre library: `Title (12)`, below that of its author."""
_WORDS_TO_FIND = 12


@dataclass(frozen=True, slots=True)
class Viewing:
    """How a passage is opened."""

    address: str
    """What the system is asked to open if there is no command."""
    command: tuple[str, ...] = ()
    """A reader with its arguments, which goes to the passage; empty if the address is to be opened."""


def viewing(
    passage: Passage, path: Path, *, which: Callable[[str], str | None] = shutil.which
) -> Viewing | None:
    """Return how to open the file of a passage at its sentence; None if no program can go there.

    A PDF is opened at its page, HTML at the words themselves. An EPUB is opened in Calibre if it is in a
    Calibre library, otherwise in Calibre's or Foliate's viewer if one of them is installed.

    Args:
        passage: a hit, or another passage.
        path: the file of its book.
        which: returns the path of a program, as `shutil.which` does.
    """
    file = path.as_uri()
    if passage.format == "pdf" and passage.cited_pages and passage.cited_pages[0].page:
        return Viewing(f"{file}#page={passage.cited_pages[0].page}")
    if passage.format == "html":
        return Viewing(f"{file}#:~:text={quote(_first_words(passage.quote['exact']), safe='')}")
    if passage.format == "epub" and passage.cfi:
        return _epub_viewing(path, file, passage.cfi, which)
    return None


def _epub_viewing(path: Path, file: str, cfi: str, which: Callable[[str], str | None]) -> Viewing | None:
    """Return how to open an EPUB at a CFI: in its Calibre library, or else in an installed viewer."""
    cfi_in_calibre = calibre_cfi(cfi)
    book = _CALIBRE_BOOK.fullmatch(path.parent.name)
    if book and (path.parents[2] / "metadata.db").is_file():
        # The path is LIBRARY/AUTHOR/TITLE (12)/FILE. After `_hex_-`, Calibre reads the library's name in
        # hexadecimal, so that it may contain any character.
        library = "_hex_-" + path.parents[2].name.encode().hex()
        place = quote(cfi_in_calibre, safe="()/:")
        return Viewing(f"calibre://view-book/{library}/{book[1]}/EPUB?open_at={place}")
    if viewer := which("ebook-viewer"):  # Calibre's
        return Viewing(file, (viewer, "--open-at", cfi_in_calibre, str(path)))
    if viewer := which("foliate"):
        return Viewing(file, (viewer, str(path)))
    return None


def calibre_cfi(cfi: str) -> str:
    """Return an EPUB CFI as Calibre's viewer writes it.

    There, it begins with the step in the spine, not in the package, and continues at the document, which is
    one level above the root element (`/2`).
    """
    match = re.fullmatch(r"epubcfi\(/\d+/(\d+)!(.*)\)", cfi)
    return f"epubcfi(/{match[1]}/2{match[2]})" if match else cfi


def _first_words(text: str) -> str:
    """Return the words of a text that a browser is to find; more would make an address unwieldy."""
    return " ".join(text.split()[:_WORDS_TO_FIND])
