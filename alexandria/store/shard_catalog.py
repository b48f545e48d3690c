"""The catalog of an embedded library as earlier versions wrote it: a second shard of the engine."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import qdrant_edge as qdrant

from alexandria.store.damage import opening, unreadable, writing
from alexandria.system.durable import sync_folder

SHARD = "catalog"
_DELETED = "catalog.old"
_PAGE = 256


def shard_records(folder: Path, shard: qdrant.EdgeShard) -> Iterator[dict[str, Any]]:
    """Yield the records of an open shard, and close it.

    Raises:
        DamagedError: they cannot be read.
    """
    try:
        offset = None
        while True:
            with opening(folder, SHARD):
                page, offset = shard.scroll(
                    qdrant.ScrollRequest(offset=offset, limit=_PAGE, with_payload=True, with_vector=False)
                )
            for point in page:
                record = point.payload or {}
                if not isinstance(record.get("book_id"), str):
                    raise unreadable(folder, SHARD, f"the record {point.id} names no book")
                yield record
            if offset is None:
                return
    finally:
        with writing(folder):
            shard.close()


def delete_shard(folder: Path) -> None:
    """Delete the shard; half of it is never taken for one."""
    deleted = folder / _DELETED
    shutil.rmtree(deleted, ignore_errors=True)  # of a process that was killed
    (folder / SHARD).replace(deleted)
    sync_folder(folder)
    shutil.rmtree(deleted)
