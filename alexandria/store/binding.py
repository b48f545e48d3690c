"""The errors of every store when it opens a collection: it does not exist, or is bound to something else."""

from collections.abc import Sequence
from difflib import get_close_matches

from alexandria.errors import NoLibraryError, StoreError
from alexandria.modes import NO_MODEL
from alexandria.store.points import READABLE_SCHEMAS, SCHEMA_VERSION
from alexandria.store.store import Binding


def no_library_error(place: object, collection: str, others: Sequence[str]) -> NoLibraryError:
    """Return the error for a collection that does not exist; it suggests the one with the most similar name.

    Args:
        place: the folder, or the address of the server.
        collection: the name of the missing collection.
        others: the names of the collections that exist; `collection` is one of them if it was just created.
    """
    if others and collection not in others:
        similar = get_close_matches(collection, others, n=1)
        return NoLibraryError(
            f"there is no library at {place}: no collection is called {collection!r}",
            why=f"the collections there are {', '.join(sorted(others))}",
            fix=f"did you mean --collection {similar[0]}?"
            if similar
            else "name one of them with --collection",
        )
    return NoLibraryError(
        f"there is no library at {place}",
        why="nothing has been ingested there yet",
        fix="alexandria ingest BOOK",
    )


def check_binding(wanted: Binding | None, stored: Binding, place: object) -> None:
    """Refuse a collection of an unreadable schema, or of another encoder than wanted.

    Args:
        wanted: what the collection has to be bound to; None accepts any encoder.
        stored: what it is bound to.
        place: the folder or address, for the message.

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
            why=f"it holds {_vectors_of(stored)}, and these settings use {_vectors_of(wanted)}",
            fix="--strategy recursive --set model=none, or another --collection"
            if stored.encoder == NO_MODEL
            else "use the same model, or another --collection",
        )


def _vectors_of(binding: Binding) -> str:
    """Return what a collection holds, for a message."""
    if binding.encoder == NO_MODEL:
        return "words alone, no vectors"
    return f"vectors of {binding.encoder} ({binding.dim} dimensions)"
