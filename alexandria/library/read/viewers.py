"""How other programs open a passage: by an address, or by the command of a reader that can go to a place."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from alexandria.store.passage import Passage

_CALIBRE_BOOK = re.compile(r".*\((\d+)\)")
"""The folder of a book in a Calibre library: `Title (12)`, below the folder of its author."""
_WORDS_TO_FIND = 12  # words by which a browser finds a passage; more would make an address unwieldy


@dataclass(frozen=True, slots=True)
class Viewing:
    """How a passage is opened."""

    address: str  # what the system is asked to open if there is no command
    command: tuple[str, ...] = ()  # a reader with its arguments; empty if the address is to be opened


def plan_viewing(
    passage: Passage, path: Path, *, which: Callable[[str], str | None] = shutil.which
) -> Viewing | None:
    """Return how to open the file of a passage at its sentence, or None if no program can go there.

    A PDF is opened at its page, HTML at the words themselves. An EPUB is opened in Calibre if it is in a
    Calibre library, otherwise in Calibre's or Foliate's viewer if one of them is installed. Foliate is only
    given the file, not the place.

    Args:
        which: returns the path of a program, as `shutil.which` does.
    """
    file = path.as_uri()
    if passage.format == "pdf" and passage.cited_pages and passage.cited_pages[0].page:
        return Viewing(f"{file}#page={passage.cited_pages[0].page}")
    if passage.format == "html":
        return Viewing(f"{file}#:~:text={quote(_first_words(passage.quote['exact']), safe='')}")
    if passage.format == "epub" and passage.cfi:
        return _plan_epub_viewing(path, file, passage.cfi, which)
    return None


def _plan_epub_viewing(path: Path, file: str, cfi: str, which: Callable[[str], str | None]) -> Viewing | None:
    """Return how to open an EPUB at a CFI: in its Calibre library, or else in an installed viewer."""
    cfi_in_calibre = calibre_cfi(cfi)
    book_folder = _CALIBRE_BOOK.fullmatch(path.parent.name)
    # In a Calibre library, the path is LIBRARY/AUTHOR/TITLE (12)/FILE.
    if book_folder and (path.parents[2] / "metadata.db").is_file():
        # After `_hex_-`, Calibre reads the library's name in hexadecimal: it may contain any character.
        library = "_hex_-" + path.parents[2].name.encode().hex()
        book_number = book_folder[1]
        quoted_cfi = quote(cfi_in_calibre, safe="()/:")
        return Viewing(f"calibre://view-book/{library}/{book_number}/EPUB?open_at={quoted_cfi}")
    if viewer := which("ebook-viewer"):  # Calibre's viewer
        return Viewing(file, (viewer, "--open-at", cfi_in_calibre, str(path)))
    if viewer := which("foliate"):
        return Viewing(file, (viewer, str(path)))
    return None


def calibre_cfi(cfi: str) -> str:
    """Return an EPUB CFI in the form that Calibre's viewer reads: `/6/8!/4/2` becomes `/8/2/4/2`.

    Calibre leaves out the step from the package to its spine (`/6`). It counts from the document node, so the
    root element is a step of its own (`/2`). Any other CFI is returned unchanged.
    """
    match = re.fullmatch(r"epubcfi\(/\d+/(?P<chapter>\d+)!(?P<path>.*)\)", cfi)
    if match is None:
        return cfi
    return f"epubcfi(/{match['chapter']}/2{match['path']})"


def _first_words(text: str) -> str:
    return " ".join(text.split()[:_WORDS_TO_FIND])
