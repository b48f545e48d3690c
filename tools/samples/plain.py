"""Writes a manuscript as plain text: hard-wrapped, with printed chapter numbers and indented verse."""

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from manuscript import Manuscript, Passage

_WIDTH = 72  # the usual width of plain-text books since teletypes with 80 columns


def write_txt(book: Manuscript, path: Path, *, numbers: Sequence[str], contents: str, encoding: str) -> None:
    """Write the book.

    Args:
        book: the manuscript.
        path: of the text file.
        numbers: the printed number of each chapter.
        contents: the heading of the table of contents; empty for none.
        encoding: of the file.
    """
    parts = [f"{book.title}\n\n{book.author}"]
    pairs = list(zip(numbers, book.chapters, strict=True))
    if contents:
        parts.append(f"{contents}\n\n" + "\n".join(f"{number}. {c.title}" for number, c in pairs))
    for number, chapter in pairs:
        passages = "\n\n".join(_wrap(passage) for passage in chapter.passages)
        parts.append(f"{number}\n\n{chapter.title}\n\n{passages}")
    path.write_bytes(("\n\n\n\n".join(parts) + "\n").encode(encoding))


def _wrap(passage: Passage) -> str:
    if passage.verse:
        return textwrap.indent(passage.text, " " * 6)
    text = re.sub(r"\*(.+?)\*", r"_\1_", passage.text)  # italics, as Project Gutenberg marks them
    return textwrap.fill(text, _WIDTH, break_on_hyphens=False, break_long_words=False)
