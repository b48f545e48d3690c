"""The errors of every store when it opens a collection: it does not exist, or is bound to something else."""

from collections.abc import Sequence
from difflib import get_close_matches

from alexandria.book.choices import NO_MODEL
from alexandria.errors import NoLibraryError, StoreError
from alexandria.store.payload import READABLE_SCHEMAS, SCHEMA_VERSION
from alexandria.store.store import Binding

INGEST = "alexandria ingest BOOK"


def no_library_error(place: object, collection: str, existing: Sequence[str]) -> NoLibraryError:
    """Return the error for a collection that does not exist; it suggests the one with the most similar name.

    Args:
        place: the folder, or the address of the server.
        existing: the names of the collections at that place; `collection` is one of them if another process
            has just created it.
    """
    if existing and collection not in existing:
        similar = get_close_matches(collection, existing, n=1)
        suggestion = f"did you mean --collection {similar[0]}?" if similar else None
        return NoLibraryError(
            f"there is no library at {place}: no collection is called {collection!r}",
            why=f"the collections there are {', '.join(sorted(existing))}",
            fix=suggestion or "name one of them with --collection",
        )
    return NoLibraryError(
        f"there is no library at {place}",
        why="nothing has been ingested there yet",
        fix=INGEST,
    )


def check_binding(wanted: Binding | None, stored: Binding, place: object) -> None:
    """Refuse a collection of an unreadable schema, or of another encoder than wanted.

    Args:
        wanted: what the collection has to be bound to; None accepts any encoder.
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
        has_no_model = stored.encoder == NO_MODEL
        same_model = "--strategy recursive --set model=none" if has_no_model else "use the same model"
        raise StoreError(
            f"cannot use the library at {place} with these settings",
            why=f"it holds {_describe_vectors(stored)}, and these settings use {_describe_vectors(wanted)}",
            fix=f"{same_model}, or another --collection",
        )


def _describe_vectors(binding: Binding) -> str:
    """Return the kind of vectors in a collection, as part of a sentence."""
    if binding.encoder == NO_MODEL:
        return "words alone, no vectors"
    return f"vectors of {binding.encoder} ({binding.dim} dimensions)"
