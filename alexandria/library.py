"""The public functions: what the command line does, from Python."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from alexandria import batch
from alexandria.batch import Outcome
from alexandria.config import Domain, load_domain
from alexandria.embed import Encoder, load_encoder
from alexandria.filters import Filters
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.pipeline import Analysis, analyse, read, read_options
from alexandria.query import search as find
from alexandria.store import LOCAL, MEMORY, SERVER_SCHEMES, Binding, Server, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.points import SCHEMA_VERSION


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
    """Read books, cut them where the topic changes, and store them; return what became of each file.

    Args:
        paths: books, or folders of books.
        domain: how they are cut.
        options: any options of the domain, over its own: `{"threshold": 0.4}`.
        store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
        collection: one of its collections.
        server: how to reach a server, and how it keeps a collection that is created on it.
        workers: processes that read ahead of the book that is embedded; 0 for none.
        force: make anew what is there already.

    Raises:
        ConfigError: an unknown domain or option.
        StoreError: the library is in use, or made with another model.
    """
    chosen = load_domain(domain, options=options)
    encoder = _encoder(chosen)
    with open_library(store, collection, encoder, server=server) as library:
        return list(
            batch.ingest(
                batch.discover(map(Path, paths)),
                chosen,
                encoder,
                library,
                batch.RunOptions(workers=workers, force=force),
            )
        )


def inspect(
    path: str | Path, *, domain: str = "default", options: Mapping[str, object] | None = None
) -> Analysis:
    """Read and cut a book without storing it.

    Raises:
        BookError: the file cannot be read as a book.
        ConfigError: an unknown domain or option.
    """
    chosen = load_domain(domain, options=options)
    return analyse(read(Path(path), read_options(chosen), cache=True), chosen, _encoder(chosen))


def search(
    query: str,
    *,
    limit: int = 5,
    mode: str = Mode.HYBRID,
    domain: str | None = None,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
    section: str | None = None,
    context: int = 0,
    store: str | None = None,
    collection: str = "books",
    server: Server | None = None,
) -> list[Hit]:
    """Return the stored passages that answer best, best first; the filters are those of `alexandria search`.

    Raises:
        ConfigError: the query is empty, or no book passes the filters.
        StoreError: there is no library, or it is in use.
    """
    with open_library(store, collection, None, server=server) as library:
        results = find(
            query,
            library,
            load_encoder(library.model()),
            limit=limit,
            mode=Mode(mode),
            filters=Filters(domain=domain, title=title, author=author, language=language, section=section),
            context=context,
        )
    return list(results.hits)


def _encoder(domain: Domain) -> Encoder:
    return load_encoder(domain.model, backend=domain.backend, precision=domain.precision, cache=True)


def open_library(
    store: str | None,
    collection: str,
    encoder: Encoder | None,
    *,
    server: Server | None = None,
    sweep: bool = True,
) -> Catalog:
    """Open a library, creating it for `encoder` where it is not there.

    Args:
        store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
        collection: one of its collections.
        encoder: what it is bound to; None opens only what is there.
        server: how to reach a server; what the environment says if not given.
        sweep: clear what a crash has left. Readers of a server never do: they may not be allowed to.

    Raises:
        StoreError: it is not there and there is no encoder; it is in use; it is bound to another encoder;
            the server does not answer.
    """
    from platformdirs import user_data_path

    where = store or str(user_data_path("alexandria"))
    binding = Binding(encoder.name, encoder.dim, SCHEMA_VERSION) if encoder else None
    opened = open_store(where, collection, binding, server or Server.from_environment(os.environ))
    try:
        return Catalog(opened, sweep=sweep and (encoder is not None or not opened.shared))
    except BaseException:
        opened.close()
        raise


def failures_path(store: str | None, collection: str) -> Path | None:
    """Return where the files are listed that could not be read: in the library's folder.

    A server's list is kept in the user's data folder; a store in memory has none.
    """
    from platformdirs import user_data_path

    where = store or str(user_data_path("alexandria"))
    if where == MEMORY:
        return None
    if where.startswith(SERVER_SCHEMES):
        place = re.sub(r"[^\w.-]+", "-", f"{where}-{collection}")
        return user_data_path("alexandria") / "failures" / f"{place}.jsonl"
    if where.startswith(LOCAL):
        return Path(where.removeprefix(LOCAL)).expanduser() / f"failures-{collection}.jsonl"
    return Path(where).expanduser() / collection / "failures.jsonl"
