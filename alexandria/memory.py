"""Whether a book fits into the memory that is free: asked before hours are spent on it."""

from collections.abc import Sequence
from pathlib import Path

from alexandria.book import Book, Sentence
from alexandria.errors import BookError, Code

_MODEL_BYTES = 500 << 20
"""Of the program and its model, whatever the book."""
_TEXT_BYTES = 16
"""Of a character: the text of book, blocks, sentences, chunks, payloads, at up to two bytes each, twice."""
_SENTENCE_BYTES = 500
"""Of a sentence, beside its text and its vector."""


def needed_bytes(book: Book, n_sentences: int, dim: int) -> int:
    """Return about how much memory embedding, cutting and storing a book takes at most."""
    return _MODEL_BYTES + _TEXT_BYTES * len(book.text) + n_sentences * (dim * 4 + _SENTENCE_BYTES)


def check_memory(book: Book, sentences: Sequence[Sentence], dim: int, free: int | None = None) -> None:
    """Do nothing where the book fits into the memory that is free, or where that is not known.

    Args:
        book: as extracted.
        sentences: the book's.
        dim: length of a vector.
        free: bytes; by default what the system has.

    Raises:
        BookError: it does not (`too_large`).
    """
    free = _free_bytes() if free is None else free
    needed = needed_bytes(book, len(sentences), dim)
    if free is None or needed <= free:
        return
    raise BookError(
        f"cannot embed {book.source}",
        why=f"its {len(sentences):,} sentences take about {needed / 1e9:.1f} GB of memory, "
        f"{free / 1e9:.1f} are free",
        fix="split the file into volumes, or use a machine with more memory",
        code=Code.TOO_LARGE,
    )


def _free_bytes() -> int | None:
    """Return what the system can give without swapping, where it says so (Linux)."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if found is None else int(found) * 1024
