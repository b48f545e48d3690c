"""Reads the catalog of an embedded library that an earlier version wrote: a second shard of the engine."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import qdrant_edge as qdrant

from alexandria.store.damage import damaged_shard_error, translate_open_errors, translate_write_errors
from alexandria.system.durable import sync_folder

SHARD = "catalog"
_DELETED = "catalog.old"
"""The name of the shard's folder while it is being deleted."""
_PAGE = 256
"""Records read per request."""


def shard_records(folder: Path, shard: qdrant.EdgeShard) -> Iterator[dict[str, Any]]:
    """Yield the records in an open shard, and close the shard at the end.

    Raises:
        DamagedError: the records cannot be read.
    """
    try:
        offset = None
        while True:
            with translate_open_errors(folder, SHARD):
                page, offset = shard.scroll(
                    qdrant.ScrollRequest(offset=offset, limit=_PAGE, with_payload=True, with_vector=False)
                )
            for point in page:
                record = point.payload or {}
                if not isinstance(record.get("book_id"), str):
                    raise damaged_shard_error(folder, SHARD, f"the record {point.id} names no book")
                yield record
            if offset is None:
                return
    finally:
        with translate_write_errors(folder):
            shard.close()


def delete_shard(folder: Path) -> None:
    """Delete the folder of the shard. It is renamed first, so that half a shard is never opened."""
    deleted = folder / _DELETED
    shutil.rmtree(deleted, ignore_errors=True)  # a killed process may have left it
    (folder / SHARD).replace(deleted)
    sync_folder(folder)
    shutil.rmtree(deleted)
