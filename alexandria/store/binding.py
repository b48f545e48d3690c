"""What every store checks when it opens a collection."""

from alexandria.errors import StoreError
from alexandria.store.points import SCHEMA_VERSION
from alexandria.store.store import Binding


def no_library(place: object) -> StoreError:
    """Return the error for a place where nothing has been ingested."""
    return StoreError(
        f"there is no library at {place}",
        why="nothing has been ingested there yet",
        fix="alexandria ingest BOOK",
    )


def check_binding(wanted: Binding | None, stored: Binding, place: object) -> None:
    """Refuse a collection of another schema, or of another encoder than wanted; None accepts any encoder.

    Raises:
        StoreError: the collection cannot be used.
    """
    if stored.schema_version != SCHEMA_VERSION:
        raise StoreError(
            f"cannot read the library at {place}",
            why=f"it has schema {stored.schema_version}, and this version reads schema {SCHEMA_VERSION}",
            fix="ingest its books again, into another --store or --collection",
        )
    if wanted is not None and wanted != stored:
        raise StoreError(
            f"cannot use the library at {place} with these settings",
            why=f"it holds vectors of {_described(stored)}, and these settings use {_described(wanted)}",
            fix="use the same model, or another --collection",
        )


def _described(binding: Binding) -> str:
    return f"{binding.encoder} ({binding.dim} dimensions)"
