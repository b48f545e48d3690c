"""The letters of all books, in which quotations are looked up: a file per book, derived from its chunks.

A file begins with a line of JSON, which says what follows: the folded letters (`words.letters_of`) of all
its chunks and then of the notes, in UTF-8; a bit for each letter, set where a word begins; where each chunk
and each note begins; and, for a longer book, its signatures. These are bits: for each of `_N_GRAMS` kinds of
runs of four bytes, which blocks of the letters have one. A few of these rows give the blocks with a piece.
"""

import json
import mmap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from alexandria.book.words import letters_and_borders
from alexandria.store.passage import Passage
from alexandria.store.payload import parse_numbers

VERSION = 1  # incremented when letters are folded in another way: files of other versions are made again
SEPARATOR = "\n"  # before each note: no letter
_BLOCK = 2048  # bytes of letters in a block
_OVERLAP = 64
"""How many of the bytes after a block its signature has as well: it has all of a piece of this length."""
_N_GRAMS = 1 << 14
_MIN_BLOCKS = 8  # a book of fewer blocks has no signatures: it is searched as it is
_MAX_ROWS = 12
_N_DECODED = 64

Offsets = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class BookLetters:
    """The letters of a book, as its file has them. Offsets are letters, unless they are said to be bytes."""

    data: "mmap.mmap | bytes"  # all of the file
    head: Mapping[str, Any]
    """How many bytes and letters there are, of letters, of the text without notes, and of each table."""

    @cached_property
    def _tables(self) -> tuple[Bytes, Bytes, Offsets, Offsets, Bytes]:
        """Bytes of the letters, bits of the borders, starts of chunks, notes, rows of the signatures."""
        head, at, tables = self.head, self.head["at"], list[NDArray[Any]]()
        sizes = (
            (head["bytes"], np.uint8),
            (head["n"] // 8 + 1, np.uint8),
            (head["chunks"] + 1, np.int64),
            (3 * head["notes"], np.int64),
            (_N_GRAMS * head["columns"], np.uint8),
        )
        for n, kind in sizes:
            at += -at % 8
            tables.append(np.frombuffer(self.data, kind, n, at))
            at += tables[-1].nbytes
        letters, borders, chunks, notes, rows = tables
        return letters, borders, chunks, notes.reshape(-1, 3), rows.reshape(_N_GRAMS, -1)

    @property
    def n_text(self) -> int:
        """The letters of the text, before those of the notes."""
        return int(self._tables[2][-1])

    @property
    def starts_of_chunks(self) -> Offsets:
        """Where each chunk begins, and the end of the last."""
        return self._tables[2]

    def note_at(self, offset: int) -> tuple[int, int, int]:
        """Return of the note that has a letter: where it begins, its chunk, where its mark is in the text."""
        notes = self._tables[3]
        begin, chunk, mark = map(int, notes[np.searchsorted(notes[:, 0], offset, "right") - 1])
        return begin, chunk, mark

    @property
    def codes(self) -> NDArray[Any]:
        """The code points of all letters."""
        letters = self._tables[0]
        return letters if self.head["n"] == self.head["bytes"] else _decoded(self)[0]

    def chunk_at(self, offset: int) -> int:
        """Return the number of the chunk that has a letter, or that cites the note which has it."""
        if offset >= self.n_text:
            return self.note_at(offset)[1]
        return int(np.searchsorted(self.starts_of_chunks, offset, "right")) - 1

    def text(self, start: int, end: int) -> str:
        """Return the letters between two offsets."""
        return "".join(map(chr, self.codes[start:end].tolist()))

    def is_border(self, offsets: Offsets) -> NDArray[np.bool_]:
        """Return whether a word begins, or all ends, at these offsets."""
        borders = self._tables[1]
        is_border: NDArray[np.bool_] = (borders[offsets >> 3] >> (offsets & 7) & 1).astype(bool)
        return is_border

    def find(self, piece: str) -> Offsets:
        """Return where a piece of folded letters stands, ascending."""
        sought, head, found = piece.encode(), self.head, list[int]()
        for start, stop in self._runs_with(sought):
            at, end = head["at"] + start, head["at"] + min(stop + len(sought) - 1, head["bytes"])
            while (at := self.data.find(sought, at, end)) >= 0:
                found.append(at - head["at"])
                at += 1
        offsets = np.array(found, np.int64)
        return offsets if head["n"] == head["bytes"] else np.searchsorted(_decoded(self)[1], offsets)

    def has_in_a_word(self, piece: str) -> bool:
        """Return whether a piece of folded letters stands somewhere with no word beginning inside it."""
        inner = self.find(piece)[:, None] + np.arange(1, len(piece))
        return bool((~self.is_border(inner).any(axis=1)).any())

    def most_in_one_block(self, rows: NDArray[np.int64]) -> int:
        """Return how many pieces one block may have at most; `rows` are those of `signature_rows`."""
        if not self.head["columns"]:
            return len(rows)
        blocks = np.bitwise_and.reduce(self._tables[4][rows], axis=1)
        return int(np.unpackbits(blocks, axis=1).sum(axis=0, dtype=np.int64).max())

    def _runs_with(self, sought: bytes) -> Iterable[tuple[int, int]]:
        """Yield the ranges of bytes in which a piece may begin, by the signatures."""
        if not self.head["columns"] or len(sought) < 4:
            yield 0, self.head["bytes"]
            return
        grams = np.unique(_grams(np.frombuffer(sought[:_OVERLAP], np.uint8)))
        rows = self._tables[4][grams[:: -(-len(grams) // _MAX_ROWS)]]
        blocks = np.flatnonzero(np.unpackbits(np.bitwise_and.reduce(rows, axis=0)))
        if not len(blocks):
            return
        gaps = np.flatnonzero(np.diff(blocks) > 1)
        for first, last in zip(blocks[[0, *(gaps + 1)]], blocks[[*gaps, -1]], strict=True):
            yield int(first) * _BLOCK, (int(last) + 1) * _BLOCK


@lru_cache(maxsize=_N_DECODED)
def _decoded(book: BookLetters) -> tuple[NDArray[np.uint32], Offsets]:
    """Return the code points of all letters, and the byte at which each begins."""
    letters = book._tables[0]
    codes = np.frombuffer(letters.tobytes().decode().encode("utf-32-le"), np.uint32)
    return codes, np.flatnonzero((letters & 0xC0) != 0x80)


def _grams(letters: Bytes) -> NDArray[np.int64]:
    """Return the kind of each run of four bytes: a number below `_N_GRAMS`."""
    wide = letters.astype(np.uint32)
    runs = wide[:-3] | wide[1:-2] << 8 | wide[2:-1] << 16 | wide[3:] << 24
    return (runs * np.uint32(2_654_435_761) >> np.uint32(18)).astype(np.int64)


def signature_rows(pieces: Iterable[str]) -> NDArray[np.int64]:
    """Return the rows of the signatures for the first runs of four bytes of pieces: (n_pieces, n_runs)."""
    kinds = [_grams(np.frombuffer(piece.encode(), np.uint8)) for piece in pieces]
    return np.array([one[: min(map(len, kinds))] for one in kinds])


def made_letters(chunks: Sequence[Passage], generation: str = "") -> BookLetters:
    """Return the letters of a book as `letters_of_book` makes them; `data` is what its file has."""
    book = parse_letters(letters_of_book(chunks, generation))
    assert book is not None  # of this version
    return book


def letters_of_book(chunks: Sequence[Passage], generation: str = "") -> bytes:
    """Return the letters of a book, its notes after its text, as the file that `BookLetters` reads."""
    texts, borders, starts, n = list[str](), list[int](), [0], 0
    notes: dict[str, tuple[int, int, int]] = {}

    def add(text: str) -> None:
        nonlocal n
        letters, own_borders = letters_and_borders(text)
        texts.append(letters)
        borders.extend(n + border for border in own_borders)
        n += len(letters)

    for chunk in chunks:
        add(chunk.text)
        starts.append(n)
    for number, chunk in enumerate(chunks):
        marks = chain(parse_numbers(chunk.payload, "note_marks"), repeat(chunk.start))
        for note, mark in zip(chunk.notes, marks, strict=False):
            if note not in notes:  # it counts once
                borders.append(n)
                texts.append(SEPARATOR)
                n += 1
                notes[note] = (n, number, mark)
                add(note)
    letters = np.frombuffer("".join(texts).encode(), np.uint8)
    is_border = np.zeros(n // 8 * 8 + 8, np.bool_)
    is_border[[*borders, n]] = True
    rows = _signatures(letters)
    tables = (
        letters,
        np.packbits(is_border, bitorder="little"),
        np.array(starts, np.int64),
        np.array([*notes.values()], np.int64).reshape(-1),
        rows.reshape(-1),
    )
    sizes = {
        "bytes": len(letters),
        "n": n,
        "chunks": len(chunks),
        "notes": len(notes),
        "columns": rows.shape[1],
    }
    parts = list[bytes]()
    for table in tables:
        parts += [table.tobytes(), b"\0" * (-table.nbytes % 8)]
    body = b"".join(parts)
    head = (
        json.dumps({"version": VERSION, "generation": generation, **sizes, "sum": crc32(body)}).encode()
        + b"\n"
    )
    return head + b"\0" * (-len(head) % 8) + body


def _signatures(letters: Bytes) -> Bytes:
    """Return the rows of a book's signatures: (`_N_GRAMS`, n_blocks / 8) bytes; no columns if it is short."""
    n_blocks = -(-len(letters) // _BLOCK)
    if n_blocks < _MIN_BLOCKS:
        return np.zeros((_N_GRAMS, 0), np.uint8)
    grams, at = _grams(letters), np.arange(len(letters) - 3)
    has = np.zeros((_N_GRAMS, n_blocks), np.bool_)
    has[grams, at // _BLOCK] = True
    after = (at % _BLOCK < _OVERLAP) & (at >= _BLOCK)
    has[grams[after], at[after] // _BLOCK - 1] = True
    return np.packbits(has, axis=1)


def parse_letters(data: "mmap.mmap | bytes", *, check: bool = False) -> BookLetters | None:
    """Return the letters in a file, or None if it is of another version or, with `check`, was damaged."""
    at = data.find(b"\n", 0, 400) + 1
    try:
        head = json.loads(data[:at])
        if head["version"] != VERSION:
            return None
        book = BookLetters(data, {**head, "at": at + -at % 8})
        if book._tables and check and crc32(data[book.head["at"] :]) != head["sum"]:
            return None
    except (ValueError, KeyError, TypeError):
        return None
    return book
