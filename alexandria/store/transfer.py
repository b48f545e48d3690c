"""Books copied into another library, or exported to a file that other programs read."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from alexandria.book import Point
from alexandria.errors import ConfigError, io_reason
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.vectors import VectorName

PARQUET_BATCH = 256
"""Points per row group: some 10 MB with sentence vectors."""


def copy_books(source: Catalog, target: Catalog) -> Iterator[tuple[Record, bool]]:
    """Copy the books that the target does not hold under the same configuration.

    Yields every book of the source, and whether it was copied or was there already.

    A book becomes visible once all of it is copied, so an interrupted copy resumes where it stopped.
    """
    for record in source.books():
        missing = not target.holds(record.book_id, record.generation)
        if missing:
            target.replace(record, list(source.points(record)))
        yield record, missing


Write = Callable[[Point], None]


def export_books(catalog: Catalog, file: Path) -> int:
    """Write the payloads and vectors of all books to a file, and return the number of points.

    The file appears once it is complete.

    Raises:
        ConfigError: its suffix is neither `.jsonl` nor `.parquet`, it exists already or cannot be written,
            or the package for Parquet is missing.
    """
    if file.suffix not in WRITERS:
        raise ConfigError(
            f"cannot export to {file}",
            why=f"its name does not end in {' or '.join(WRITERS)}",
            fix="use a name such as books.jsonl",
        )
    if file.exists():
        raise ConfigError(f"cannot export to {file}", why="it exists already", fix="choose another name")
    part = file.with_name(file.name + ".part")
    n_points = 0
    try:
        with WRITERS[file.suffix](part) as write:
            for record in catalog.books():
                for point in sorted(catalog.points(record), key=lambda point: int(point.payload["chunk_id"])):
                    write(point)
                    n_points += 1
        part.replace(file)
    except OSError as error:
        raise ConfigError(
            f"cannot export to {file}", why=io_reason(error), fix="choose another folder"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return n_points


def to_document(point: Point) -> dict[str, Any]:
    """Return a point as JSON, with its vectors under their names in the collection."""
    return {
        "id": point.id,
        "vectors": {
            VectorName.DENSE: point.dense.tolist(),
            VectorName.SENTENCES: None if point.sentences is None else point.sentences.tolist(),
            VectorName.BM25: {"indices": list(point.bm25.indices), "values": list(point.bm25.values)},
        },
        "payload": dict(point.payload),
    }


@contextmanager
def _json_lines(file: Path) -> Iterator[Write]:
    with file.open("w", encoding="utf-8") as out:
        yield lambda point: print(json.dumps(to_document(point), ensure_ascii=False), file=out)


@contextmanager
def _parquet(file: Path) -> Iterator[Write]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(
            f"cannot export to {file.with_suffix('')}",
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
            rows.append(_row(point))
            if len(rows) == PARQUET_BATCH:
                flush()

        def flush() -> None:
            out.write_table(arrow.Table.from_pylist(rows, schema=schema))
            rows.clear()

        yield write
        if rows:
            flush()


def _row(point: Point) -> dict[str, Any]:
    """Return a point as a row of the Parquet file, with the whole payload as JSON."""
    return {
        "id": point.id,
        "dense": point.dense.tolist(),
        "sentences": None if point.sentences is None else point.sentences.tolist(),
        "bm25_indices": list(point.bm25.indices),
        "bm25_values": list(point.bm25.values),
        **{key: point.payload[key] for key in ("text", "book_title", "chunk_id")},
        "payload": json.dumps(dict(point.payload), ensure_ascii=False),
    }


WRITERS: Mapping[str, Callable[[Path], AbstractContextManager[Write]]] = {
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
