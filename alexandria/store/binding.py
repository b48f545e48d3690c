"""What every store checks when it opens a collection."""

from collections.abc import Sequence
from difflib import get_close_matches

from alexandria.errors import NoLibraryError, StoreError
from alexandria.modes import NO_MODEL
from alexandria.store.points import READABLE_SCHEMAS, SCHEMA_VERSION
from alexandria.store.store import Binding


def no_library(place: object, collection: str, others: Sequence[str]) -> NoLibraryError:
    """Return the error for a place where nothing has been ingested; it names the nearest collection there.

    Args:
        place: the folder, or the address of the server.
        collection: the one that is not there.
        others: those that are; if it is one of them by now, it has just been created.
    """
    if others and collection not in others:
        close = get_close_matches(collection, others, n=1)
        return NoLibraryError(
            f"there is no library at {place}: no collection is called {collection!r}",
            why=f"the collections there are {', '.join(sorted(others))}",
            fix=f"did you mean --collection {close[0]}?" if close else "name one of them with --collection",
        )
    return NoLibraryError(
        f"there is no library at {place}",
        why="nothing has been ingested there yet",
        fix="alexandria ingest BOOK",
    )


def check_binding(wanted: Binding | None, stored: Binding, place: object) -> None:
    """Refuse a collection of another schema, or of another encoder than wanted; None accepts any encoder.

    Raises:
        StoreError: the collection cannot be used.
    """
    if stored.schema_version not in READABLE_SCHEMAS:
        raise StoreError(
            f"cannot read the library at {place}",
            why=f"it has schema {stored.schema_version}, and this version reads schema {SCHEMA_VERSION}",
            fix="ingest its books again, into another --store or --collection",
        )
    if wanted is not None and (wanted.encoder, wanted.dim) != (stored.encoder, stored.dim):
        raise StoreError(
            f"cannot use the library at {place} with these settings",
            why=f"it holds {_described(stored)}, and these settings use {_described(wanted)}",
            fix="--strategy recursive --set model=none, or another --collection"
            if stored.encoder == NO_MODEL
            else "use the same model, or another --collection",
        )


def _described(binding: Binding) -> str:
    if binding.encoder == NO_MODEL:
        return "words alone, no vectors"
    return f"vectors of {binding.encoder} ({binding.dim} dimensions)"
