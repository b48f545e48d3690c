"""Checks that a book fits into free memory, before hours are spent on it."""

from collections.abc import Sequence

from alexandria.book import Book, Sentence
from alexandria.errors import BookError, Code
from alexandria.system.machine import free_bytes

_MODEL_BYTES = 500 << 20
"""What the program and its model take, whatever the book."""
_CHARACTER_BYTES = 16
"""Per character of the book: up to two bytes in each of several copies (book, blocks, chunks, payloads…)."""
_SENTENCE_BYTES = 500
"""Per sentence, besides its text and its vector."""


def estimate_bytes(book: Book, n_sentences: int, dim: int) -> int:
    """Return an upper estimate of the memory in bytes that embedding, cutting and storing a book takes."""
    return _MODEL_BYTES + _CHARACTER_BYTES * len(book.text) + n_sentences * (dim * 4 + _SENTENCE_BYTES)


def check_memory(book: Book, sentences: Sequence[Sentence], dim: int, free: int | None = None) -> None:
    """Refuse a book that does not fit into free memory; if free memory is not known, accept any book.

    Args:
        book: the book, as extracted.
        sentences: all sentences of the book.
        dim: length of a vector.
        free: free memory in bytes; by default as the system reports it.

    Raises:
        BookError: the book does not fit (`too_large`).
    """
    free = free_bytes() if free is None else free
    needed = estimate_bytes(book, len(sentences), dim)
    if free is None or needed <= free:
        return
    raise BookError(
        f"cannot embed {book.source}",
        why=f"its {len(sentences):,} sentences take about {needed / 1e9:.1f} GB of memory, "
        f"and {free / 1e9:.1f} GB are free",
        fix="split the file into volumes, or use a machine with more memory",
        code=Code.TOO_LARGE,
    )
