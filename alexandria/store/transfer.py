"""Copies books, point by point, into another library or an export that other programs can read."""

import codecs
import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

from alexandria.book.filters import EVERYTHING, Filters
from alexandria.book.headings import is_under
from alexandria.book.model import Point
from alexandria.errors import ConfigError, MissingPackageError, refusing
from alexandria.store.catalog import Catalog
from alexandria.store.consistent_read import (
    OpenCatalog,
    list_books,
    raise_if_incomplete,
    read_if_complete,
    read_whole_book,
)
from alexandria.store.passage import passage_of
from alexandria.store.payload import with_lists
from alexandria.store.plan import VectorName
from alexandria.store.record import Record, sections_meant
from alexandria.system.files import atomic_write

PARQUET_BATCH = 256  # points per row group of a Parquet file: some 10 MB with sentence vectors


def copy_books(open_catalog: OpenCatalog, target: Catalog) -> Iterator[tuple[Record, bool]]:
    """Copy the books that the target does not hold under the same configuration.

    Yields every book of the source, and whether it was copied now or was there already. If a book is replaced
    meanwhile, the new one is copied.

    A book becomes visible once all of it is copied, so an interrupted copy resumes where it stopped.

    Raises:
        StoreError: books were left out because they are incomplete; all others are copied.
    """
    incomplete: list[Record] = []
    for record in list_books(open_catalog):
        is_missing = not target.holds(record.book_id, record.generation)
        if is_missing:
            book = read_if_complete(open_catalog, record, incomplete)
            if book is None:
                continue  # removed since, or incomplete
            record = target.replace(book.record, book.points)
        yield record, is_missing
    raise_if_incomplete(incomplete, done="copied")


WritePoint = Callable[[Point], None]  # writes a point to the file of an export
STDOUT = Path("-")  # the file that stands for standard output


def export_books(
    open_catalog: OpenCatalog,
    file: Path,
    *,
    format: str | None = None,
    vectors: bool = True,
    filters: Filters = EVERYTHING,
) -> int:
    """Write the points of books to a file, and return their number.

    The file appears once it is complete and on disk.

    Args:
        file: the file to write; `-` for standard output.
        format: one of `WRITERS`; by default the suffix of the file, and `jsonl` for standard output.
        vectors: whether to write the vectors; CSV never has them.
        filters: which books and sections to write.

    Raises:
        ConfigError: an unknown format, no book passes the filters, the file exists already or cannot be
            written, or the package for Parquet is missing.
        StoreError: books were left out because they are incomplete; all others are in the file.
    """
    format = format or ("jsonl" if file == STDOUT else file.suffix[1:])
    _check_output(file, format)
    records = [record for record in list_books(open_catalog) if filters.admit(record)]
    if not records and filters != EVERYTHING:
        raise ConfigError(
            "no book passes these filters", why="there is nothing to export", fix="alexandria list"
        )
    incomplete: list[Record] = []
    points = _read_points(open_catalog, records, filters, incomplete)
    if file == STDOUT:
        n_points = _write_points(WRITERS[format](sys.stdout.buffer, vectors), points)
    else:
        with refusing(f"cannot export to {file}", fix="choose another folder"), atomic_write(file) as out:
            n_points = _write_points(WRITERS[format](out, vectors), points)
    raise_if_incomplete(incomplete, done="exported")
    return n_points


def _fix_of(file: Path) -> str:
    """Return what to do about a file name that no format has: it may be that of a bibliography."""
    if (format := {".bib": "bibtex", ".ris": "ris"}.get(file.suffix.lower())) is not None:
        return f"alexandria list --format {format} > {file}"
    return "use a name such as books.jsonl"


def _check_output(file: Path, format: str) -> None:
    """Refuse a format that cannot be written to this file, and a file that exists."""
    why = None
    if file == STDOUT and format == "parquet":
        why = "Parquet is not written to standard output"
    elif format not in WRITERS and format == file.suffix[1:]:  # as if no other format was requested
        why = f"its name does not end in {' or '.join(f'.{name}' for name in WRITERS)}"
    elif format not in WRITERS:
        why = f"there is no format {format!r}; the formats are {', '.join(WRITERS)}"
    if why is not None:
        raise ConfigError(f"cannot export to {file}", why=why, fix=_fix_of(file))
    if file != STDOUT and file.exists():
        raise ConfigError(f"cannot export to {file}", why="it exists already", fix="choose another name")


def _read_points(
    open_catalog: OpenCatalog, records: Sequence[Record], filters: Filters, incomplete: list[Record]
) -> Iterator[Point]:
    """Yield the points of these books; incomplete books are left out, and added to `incomplete`."""
    sections = () if filters.chapter is None else sections_meant(filters.chapter, records)
    if filters.chapter is not None and not sections:
        return
    for record in records:
        book = read_whole_book(open_catalog, record)
        if book is None or not filters.admit(book.record):
            continue  # removed or changed since it was listed
        if not book.is_complete:
            incomplete.append(book.record)
            continue
        yield from (point for point in book.points if is_under(passage_of(point).section, sections))


def _write_points(writer: AbstractContextManager[WritePoint], points: Iterable[Point]) -> int:
    """Write the points, and return their number."""
    n_points = 0
    with writer as write:
        for point in points:
            write(point)
            n_points += 1
    return n_points


def to_document(point: Point, *, vectors: bool = True) -> dict[str, Any]:
    """Return a point as a JSON document, with its vectors under their names in the collection."""
    document: dict[str, Any] = {"id": point.id}
    if vectors:
        document["vectors"] = {
            VectorName.DENSE: point.dense.tolist(),
            VectorName.SENTENCES: None if point.sentences is None else point.sentences.tolist(),
            VectorName.BM25: {"indices": list(point.bm25.indices), "values": list(point.bm25.values)},
        }
    document["payload"] = with_lists(point.payload)
    return document


@contextmanager
def _json_lines(out: IO[bytes], vectors: bool) -> Iterator[WritePoint]:
    """Write one JSON object per line. Yields the function that writes a point."""

    def write(point: Point) -> None:
        document = to_document(point, vectors=vectors)
        out.write(json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")

    yield write
    out.flush()


@contextmanager
def _open_csv(out: IO[bytes], vectors: bool) -> Iterator[WritePoint]:
    """Write one row per point, without vectors; lists as JSON. Yields the function that writes a point."""
    # Not a TextIOWrapper: it closes the file when it is dropped, and cannot be detached from a broken pipe.
    table = csv.writer(codecs.getwriter("utf-8")(out, "backslashreplace"))
    keys: list[str] = []  # the columns: filled from the first point, since all payloads have the same keys

    def write(point: Point) -> None:
        payload = with_lists(point.payload)
        payload.pop("metadata", None)  # a copy of other fields
        if not keys:
            keys.extend(payload)
            table.writerow(["id", *keys])
        table.writerow([point.id, *(_to_cell(payload.get(key)) for key in keys)])

    yield write
    out.flush()


def _to_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


@contextmanager
def _open_parquet(file: IO[bytes], vectors: bool) -> Iterator[WritePoint]:
    """Write one row per point to a Parquet file. Yields the function that writes a point."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingPackageError(
            "cannot export to Parquet",
            why="the package pyarrow is not installed",
            fix="pip install 'alexandria-books[parquet]', or export to a .jsonl file",
        ) from error
    numbers = arrow.list_(arrow.float32())
    schema = arrow.schema(
        {
            "id": arrow.string(),
            "dense": numbers,
            "sentences": arrow.list_(numbers),
            "bm25_indices": arrow.list_(arrow.uint32()),
            "bm25_values": numbers,
            "text": arrow.string(),
            "book_title": arrow.string(),
            "chunk_id": arrow.int64(),
            "payload": arrow.string(),
        }
    )
    rows: list[Mapping[str, Any]] = []
    with parquet.ParquetWriter(file, schema) as out:

        def write(point: Point) -> None:
            rows.append(_to_row(point, vectors=vectors))
            if len(rows) == PARQUET_BATCH:
                flush()

        def flush() -> None:
            out.write_table(arrow.Table.from_pylist(rows, schema=schema))
            rows.clear()

        yield write
        if rows:
            flush()


def _to_row(point: Point, *, vectors: bool) -> dict[str, Any]:
    """Return a point as a row of the Parquet file, with the whole payload as JSON."""
    chunk = passage_of(point)
    row = {
        "id": point.id,
        "text": chunk.text,
        "book_title": chunk.title,
        "chunk_id": chunk.chunk_id,
        "payload": json.dumps(with_lists(point.payload), ensure_ascii=False),
    }
    return {**row, **_vector_columns(point)} if vectors else row  # the schema orders the columns


def _vector_columns(point: Point) -> dict[str, Any]:
    """Return the vectors of a point as columns of a row; a BM25 vector has two columns."""
    return {
        "dense": point.dense.tolist(),
        "sentences": None if point.sentences is None else point.sentences.tolist(),
        "bm25_indices": list(point.bm25.indices),
        "bm25_values": list(point.bm25.values),
    }


WRITERS: Mapping[str, Callable[[IO[bytes], bool], AbstractContextManager[WritePoint]]] = {
    "jsonl": _json_lines,
    "csv": _open_csv,
    "parquet": _open_parquet,
}
"""By format, the context manager that yields the function to write a point with.

Its arguments are the open file, and whether to write vectors.
"""
