"""Writes a library to one file, a backup, while others may read and write it; `restore.py` reads backups.

The file is a ZIP archive, so that its contents can be read without Alexandria:

    README.txt        how to restore the backup
    books/1.json      a book: its record, and the id, the payload and the BM25 vector of each point
    books/1.vectors   for each point, the chunk vector, then its sentence vectors: little-endian float32
    removed.json      the records of the books that were removed
    manifest.json     the format, what the library is bound to, and the books

The file ends with the SHA-256 of everything before it, as the comment of the archive: any change is detected,
also in the headers of the archive.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from alexandria.errors import ConfigError, refusing
from alexandria.store.consistent_read import OpenCatalog, StoredBook, read_whole_book
from alexandria.store.record import Record
from alexandria.store.sharing import retry_after_reopening
from alexandria.store.store import Binding
from alexandria.system.files import atomic_write

FORMAT = 1  # the version of the format, raised when earlier versions can no longer restore what is written
README = "README.txt", b"A backup of a library of Alexandria: alexandria restore FILE --store FOLDER\n"
MANIFEST, REMOVED, BOOK, VECTORS = "manifest.json", "removed.json", "books/{}.json", "books/{}.vectors"
_HASH_BYTES = 64  # bytes of the hash at the end of the file, one per hexadecimal digit
_BLOCK = 1 << 20  # bytes that are read at once to compute the hash
FLOAT = np.dtype("<f4")  # the type of the numbers in vectors, on every machine


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What a backup holds, and what it does not."""

    books: tuple[Record, ...]  # the books in the backup
    removed_books: tuple[Record, ...]
    """Books that had been removed before the backup began: it holds their records."""
    replaced: tuple[Record, ...]
    """Books that replaced others while the backup was written: it holds the new ones."""
    gone: tuple[Record, ...]  # books that were removed while the backup was written: it does not hold them
    damaged: tuple[Record, ...]  # books that are incomplete in the library: the backup does not hold them
    altered: tuple[Record, ...]
    """Books with payloads that were altered after they were stored: the backup holds them as they are."""
    n_bytes: int  # the size of the file


def write_backup(
    open_catalog: OpenCatalog, file: Path, *, written: Callable[[Record], None] = lambda record: None
) -> BackupSummary:
    """Write the books of a library to a file, which appears once it is complete.

    Others may read and write the library meanwhile: they wait for one book to be read, not for all. Each book
    is in the file as a whole, as it was at some moment of the backup.

    Args:
        file: the file to write; it must not exist.
        written: called with each book that has been written.

    Raises:
        ConfigError: the file exists, or cannot be written.
        StoreError: the library cannot be read.
    """
    if file.exists():
        raise ConfigError(f"cannot write {file}", why="it exists already", fix="choose another name")
    listed, removed, binding = _list_contents(open_catalog)
    books: dict[str, Record] = {}
    replaced, gone, damaged, altered = [], [], [], []
    with _new_archive(file) as archive:
        for record in listed:
            book = read_whole_book(open_catalog, record)
            if book is None or book.record.book_id in books:  # removed; or replaced by a book already written
                gone.append(record)
            elif not book.is_complete:
                damaged.append(book.record)
            else:
                _write_book(archive, len(books) + 1, book)
                books[book.record.book_id] = book.record
                if book.record.generation != record.generation:
                    replaced.append(book.record)
                if book.findings:
                    altered.append(book.record)
                written(book.record)
        _write_json(archive, REMOVED, [asdict(record) for record in removed])
        _write_json(archive, MANIFEST, _make_manifest(binding, books.values()))
    return BackupSummary(
        books=tuple(books.values()),
        removed_books=tuple(removed),
        replaced=tuple(replaced),
        gone=tuple(gone),
        damaged=tuple(damaged),
        altered=tuple(altered),
        n_bytes=file.stat().st_size,
    )


@retry_after_reopening
def _list_contents(open_catalog: OpenCatalog) -> tuple[list[Record], list[Record], Binding]:
    """Return the books of a library as it is now, its removed books, and what it is bound to."""
    catalog = open_catalog()
    catalog.refresh()  # on a server, others may have changed it
    with catalog.read_lock():
        return catalog.books(), catalog.removed_books(), catalog.binding


@contextmanager
def _new_archive(file: Path) -> Iterator[ZipFile]:
    """Yield an archive to fill; then write the hash at its end, and move it to `file`.

    Raises:
        ConfigError: the file cannot be written.
    """
    with refusing(f"cannot write {file}", fix="choose a folder with more room"), atomic_write(file) as out:
        with ZipFile(out, "w") as archive:
            # A comment is the end of an archive: below, the hash of everything before it replaces it.
            archive.comment = b"0" * _HASH_BYTES
            archive.writestr(*README, ZIP_STORED)
            yield archive
        out.flush()
        with Path(out.name).open("rb") as complete:
            digest = hash_of(complete)
        out.seek(-_HASH_BYTES, os.SEEK_END)
        out.write(digest)


def hash_of(file: IO[bytes]) -> bytes:
    """Return the SHA-256 of a backup except its last `_HASH_BYTES`, which are to hold this hash.

    Afterwards, the position in the file is the beginning of these last bytes.
    """
    digest = sha256()
    bytes_left = file.seek(0, os.SEEK_END) - _HASH_BYTES
    file.seek(0)
    while bytes_left > 0 and (block := file.read(min(bytes_left, _BLOCK))):
        digest.update(block)
        bytes_left -= len(block)
    return digest.hexdigest().encode()


def _write_book(archive: ZipFile, number: int, book: StoredBook) -> None:
    """Write the two files of a book; `number` counts the books from 1."""
    points = [
        {
            "id": point.id,
            "sentences": None if point.sentences is None else len(point.sentences),
            "bm25": asdict(point.bm25),
            "payload": point.payload,
        }
        for point in book.points
    ]
    _write_json(archive, BOOK.format(number), {"record": asdict(book.record), "points": points})
    with archive.open(VECTORS.format(number), "w", force_zip64=True) as vectors:
        for point in book.points:
            vectors.write(point.dense.astype(FLOAT).tobytes())
            if point.sentences is not None:
                vectors.write(point.sentences.astype(FLOAT).tobytes())


def _write_json(archive: ZipFile, name: str, document: Any) -> None:
    archive.writestr(name, json.dumps(document), ZIP_DEFLATED)


def _make_manifest(binding: Binding, books: Iterable[Record]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "binding": asdict(binding),
        "books": [
            {
                "book_id": record.book_id,
                "generation": record.generation,
                "title": record.title,
                "n_chunks": record.n_chunks,
            }
            for record in books
        ],
    }
