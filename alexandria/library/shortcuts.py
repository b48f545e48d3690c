"""Functions for a single call: they open and close a library, or cut a file without storing it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from alexandria.book.choices import Mode, ModeName
from alexandria.book.filters import FilterOptions
from alexandria.book.model import Book
from alexandria.chunking.domains import Domain, DomainRequest
from alexandria.library.ingest import one_book
from alexandria.library.ingest.encoder import cuts_without_vectors, encoder_of
from alexandria.library.ingest.estimate import Estimate, estimate
from alexandria.library.ingest.one_book import Analysis
from alexandria.library.ingest.options import AS_USUAL, ReadChoices, RunOptions
from alexandria.library.ingest.outcome import Outcome
from alexandria.library.inspect.comparison import Comparison, from_book
from alexandria.library.libraries import AnyLibrary, Libraries
from alexandria.library.library import Library
from alexandria.store import Server
from alexandria.store.passage import Hit


def open(
    store: str | Path | None = None, collection: str = "books", *, server: Server | None = None
) -> Library:
    """Return a library to use in a `with` block; the first ingest creates it if there is none.

    Args:
        store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
        collection: one of its collections.
        server: how to reach a server, and how to create a collection there.
    """
    return Library(store, collection, server=server)


def ingest(
    paths: Iterable[str | Path] | str | Path,
    *,
    domain: str | None = None,
    options: Mapping[str, object] | None = None,
    store: str | Path | None = None,
    collection: str = "books",
    server: Server | None = None,
    workers: int = 1,
    force: bool = False,
    again: bool = False,
) -> list[Outcome]:
    """Open a library, ingest books as `Library.ingest` does, and close it."""
    with Library(store, collection, server=server) as library:
        return library.ingest(
            paths, domain=domain, options=options, workers=workers, force=force, again=again
        )


def search(
    query: str,
    *,
    limit: int | None = None,
    words: int | None = None,
    mode: Mode | ModeName = Mode.HYBRID,
    context: int = 0,
    all_editions: bool = False,
    everywhere: bool = False,
    exact: bool = False,
    store: str | Path | None = None,
    collection: str | Sequence[str] = "books",
    server: Server | None = None,
    **filters: Unpack[FilterOptions],
) -> list[Hit]:
    """Open a library, search it as `Library.search` does, and close it; to search often, hold a Library.

    Several collections are searched as `Libraries.search` does.
    """
    opened: AnyLibrary = (
        Library(store, collection, server=server)
        if isinstance(collection, str)
        else Libraries(store, collection, server=server)
    )
    with opened as library:
        results = library.search(
            query,
            limit=limit,
            words=words,
            mode=mode,
            context=context,
            all_editions=all_editions,
            everywhere=everywhere,
            exact=exact,
            **filters,
        )
        return list(results)


def inspect(
    path: str | Path, *, domain: str = "auto", options: Mapping[str, object] | None = None
) -> Analysis:
    """Read and cut a book without storing it; the file is read in an isolated process.

    Args:
        path: the book.
        domain: how it is cut; `auto` guesses it from the book, and the analysis has its `domain.guess`.
        options: options of the domain that replace its own: `{"threshold": 0.4}`.

    Raises:
        BookError: the file cannot be read as a book.
        ConfigError: an unknown domain or option.
    """
    request = DomainRequest(domain=domain, options=options or {})
    book, [chosen] = _read_and_choose_domains(path, [request], cache=True)
    return one_book.analyse(book, chosen, encoder_of(chosen, cache=True))


def compare_domains(
    path: str | Path,
    requests: Sequence[DomainRequest],
    chosen: ReadChoices = AS_USUAL,
    *,
    cache: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
) -> Comparison:
    """Read a book and cut it as each domain says, with one pass of the model, without storing it.

    Args:
        requests: how it is cut: at least one, all with the same model, backend, precision and treatment of
            notes, as the book is read and embedded once; the domain may be guessed.
        cache: use the book and its vectors from the cache, and keep them there.
        meanwhile: called while the process that reads starts.

    Raises:
        BookError: the file cannot be read as a book.
    """
    book, domains = _read_and_choose_domains(path, requests, chosen, cache=cache, meanwhile=meanwhile)
    # All have the same model. If it is missing, `encoder_of` raises for a strategy that needs vectors, and
    # returns an encoder without vectors for others: a domain that needs vectors decides, if there is one.
    needing_vectors = (domain for domain in domains if not cuts_without_vectors(domain.strategy))
    deciding = next(needing_vectors, domains[0])
    return from_book(book, domains, encoder_of(deciding, cache=cache))


def _read_and_choose_domains(
    path: str | Path,
    requests: Sequence[DomainRequest],
    chosen: ReadChoices = AS_USUAL,
    *,
    cache: bool,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[Book, list[Domain]]:
    """Return a book, read as the domain of the first request says, and the domain of each request for it."""
    # The domains of all requests, so that an error in any of them is raised before the file is read.
    path = Path(path)
    first, *_ = [request.domain_for(path) for request in requests]
    book = read_book(path, first, chosen, cache=cache, keep_pages=cache, meanwhile=meanwhile)
    model = requests[0].model  # one for all, so that their cuts can be compared
    domains = [replace(request, model=model).domain_of(book, path) for request in requests]
    if domains[0].notes != first.notes:  # a guessed domain may treat notes differently
        book = read_book(path, domains[0], chosen, cache=cache, keep_pages=cache)
    return book, domains


def read_book(
    path: str | Path,
    domain: Domain,
    chosen: ReadChoices = AS_USUAL,
    *,
    cache: bool = False,
    keep_pages: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
) -> Book:
    """Read a book in an isolated process; arguments and errors are those of `compare_domains`.

    Even without `cache`, scanned pages are cached unless `keep_pages` is False.
    """
    options = one_book.read_options(domain, chosen)
    return one_book.read(Path(path), options, cache=cache, keep_pages=keep_pages, meanwhile=meanwhile)


def estimate_ingest(
    files: Iterable[Path], domain: Domain, run: RunOptions, *, read: Callable[[], None] = lambda: None
) -> Estimate:
    """Return what ingesting the files would cost on this machine under its present load.

    Args:
        run: how the batch would be run.
        read: called after each file.
    """
    options, workers = one_book.read_options(domain, run), max(1, run.workers)
    return estimate(files, domain, encoder_of(domain), options, workers=workers, cache=run.cache, read=read)
