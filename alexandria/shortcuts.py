"""One call each: open a library, or ingest, search and inspect without holding one."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from alexandria import pipeline
from alexandria.batch import Outcome
from alexandria.config import load_domain
from alexandria.embed import load_encoder
from alexandria.library import Library
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.pipeline import Analysis
from alexandria.store import Server


def open(
    store: str | Path | None = None, collection: str = "books", *, server: Server | None = None
) -> Library:
    """Return a library to use in a `with` block; a first ingest creates it where there is none.

    Args:
        store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
        collection: one of its collections.
        server: how to reach a server, and how to create a collection there.
    """
    return Library(store, collection, server=server)


def ingest(
    paths: Iterable[str | Path],
    *,
    domain: str = "default",
    options: Mapping[str, object] | None = None,
    store: str | None = None,
    collection: str = "books",
    server: Server | None = None,
    workers: int = 1,
    force: bool = False,
) -> list[Outcome]:
    """Open a library, ingest books as `Library.ingest` does, and close it."""
    with Library(store, collection, server=server) as library:
        return library.ingest(paths, domain=domain, options=options, workers=workers, force=force)


def search(
    query: str,
    *,
    limit: int = 5,
    mode: str = Mode.HYBRID,
    context: int = 0,
    store: str | None = None,
    collection: str = "books",
    server: Server | None = None,
    **filters: str | None,
) -> list[Hit]:
    """Open a library, search it as `Library.search` does, and close it; hold a Library for several."""
    with Library(store, collection, server=server) as library:
        return list(library.search(query, limit=limit, mode=mode, context=context, **filters))


def inspect(
    path: str | Path, *, domain: str = "default", options: Mapping[str, object] | None = None
) -> Analysis:
    """Read and cut a book without storing it; the file is read in an isolated process.

    Args:
        path: the book.
        domain: how it is cut.
        options: options of the domain that replace its own: `{"threshold": 0.4}`.

    Raises:
        BookError: the file cannot be read as a book.
        ConfigError: an unknown domain or option.
    """
    chosen = load_domain(domain, options=options)
    encoder = load_encoder(chosen.model, backend=chosen.backend, precision=chosen.precision, cache=True)
    book = pipeline.read(Path(path), pipeline.read_options(chosen), cache=True)
    return pipeline.analyse(book, chosen, encoder)
