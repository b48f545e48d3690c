"""`Library`: books to ingest, search and read. What Python users hold, and what the command line calls."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from alexandria.book.choices import (
    NO_MODEL,
    BibliographyFormat,
    BibliographyFormatName,
    CitationMarkup,
    CitationMarkupName,
    CitationStyle,
    ExportFormat,
    ExportFormatName,
    Mode,
    chosen,
)
from alexandria.book.filters import EVERYTHING, FilterOptions, Filters
from alexandria.errors import (
    AlexandriaError,
    BookError,
    ConfigError,
    NoLibraryError,
    check_at_least,
    check_path,
    check_text,
)
from alexandria.library.location import (
    binding_for,
    default_address,
    failures_path,
    library_folder,
    open_bound,
    progress_path,
    restoring_path,
    same_place,
    whole_address,
)
from alexandria.library.opened import LoadedModels, OpenLibrary
from alexandria.library.read.pictures import PageDrawer
from alexandria.library.searchable import Searchable, as_paths
from alexandria.store import Server
from alexandria.store.catalog import Catalog
from alexandria.store.lock import Owner
from alexandria.store.passage import Passage, Places
from alexandria.store.record import Record, is_outdated
from alexandria.store.sharing import Access, retry_after_reopening

if TYPE_CHECKING:
    from alexandria.book.edits import Edits
    from alexandria.book.model import PagePicture
    from alexandria.chunking.domains import Domain, DomainRequest
    from alexandria.library.care.calibration import Calibration
    from alexandria.library.care.repair import Repair, Verification
    from alexandria.library.check.shelf import Shelf
    from alexandria.library.cite.citations import Citation
    from alexandria.library.ingest.events import Events
    from alexandria.library.ingest.failures import Failure
    from alexandria.library.ingest.options import RunOptions
    from alexandria.library.ingest.outcome import Action, Outcome
    from alexandria.library.ingest.progress import LibraryStatus
    from alexandria.library.ingest.sync import Step
    from alexandria.library.inspect.explanation import Explanation
    from alexandria.library.inspect.inspection import Inspection
    from alexandria.library.read.contents import Chapter
    from alexandria.library.search.hits import Results
    from alexandria.library.search.request import SearchRequest
    from alexandria.library.search.reranking import Ranker
    from alexandria.store.backup import BackupSummary
    from alexandria.store.restore import RestoreSummary


class Library(Searchable):
    """A library of books, opened once: the model is loaded once and serves every search and ingest.

    Use it as a context manager. A library in a folder is opened by the first method that needs it. Any number
    of processes may read it at once, and one may write: from its first ingest or other change until it is
    closed, another process that wants to write waits or gets a StoreError. On a server, several processes may
    write too; what others have changed shows within half a minute, or at once after `refresh`.

    Several threads may use one Library. A search waits while a book is being written, not while it is being
    read or embedded, so it sees each book whole or not at all.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        collection: str = "books",
        *,
        server: Server | None = None,
        wait: float | None = None,
        waiting: Callable[[Owner], None] = lambda owner: None,
        models: LoadedModels | None = None,
    ) -> None:
        """Name a library; nothing is opened or created yet.

        Args:
            store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
            collection: one of its collections.
            server: how to reach a server, and how to create a collection there.
            wait: seconds to wait for another process that has the library open; by default a minute to read,
                and not at all to write.
            waiting: called with that process if the wait exceeds a second.
            models: where loaded models are kept; by default, this library has its own.

        Raises:
            ConfigError: `store` cannot be a path, or `collection` cannot be a name.
        """
        if store:
            check_path(store=store)
        check_text(collection=collection)
        check_path(collection=collection)
        self.store, self.collection = str(store or default_address()), collection
        access = Access(wait=wait, waiting=waiting)
        self._drawer = PageDrawer()
        self._server, self._wait = server, wait
        self._opened = OpenLibrary(self.store, self.collection, server, access, models or LoadedModels())

    def __repr__(self) -> str:
        return f"Library({self.store!r}, {self.collection!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where the library is: what is unpickled opens it again."""
        again = partial(Library, server=self._server, wait=self._wait)
        return again, (self.store, self.collection)

    def __deepcopy__(self, memo: object) -> "Library":
        """Return another Library for the same place, which shares the loaded models."""
        return Library(
            self.store, self.collection, server=self._server, wait=self._wait, models=self._opened.models
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the library and the process that draws pages."""
        self._drawer.close()
        self._opened.close(kind, error, trace)

    def close(self) -> None:
        """Close the library, so that other processes can open it. No method may be called afterwards."""
        self.__exit__(None, None, None)

    # --- books in -------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Iterable[str | Path] | str | Path,
        *,
        domain: "str | Domain | None" = None,
        options: Mapping[str, object] | None = None,
        workers: int = 1,
        force: bool = False,
        again: bool = False,
    ) -> "list[Outcome]":
        """Read books, cut them where the topic changes, store them, and return the outcome for each file.

        A book that cannot be read does not stop the others: its outcome is `failed`, with the error.

        Args:
            paths: books, or folders of books; one path, or several.
            domain: how they are cut. If not given, the field of a new book is guessed, and a stored one keeps
                the settings it is stored with; the `alexandria.yaml` of a folder comes before both.
            options: options of the domain that replace its own: `{"threshold": 0.4}`.
            workers: processes that read ahead of the book being embedded; 0 for none.
            force: ingest again what is stored already.
            again: also ingest what was removed.

        Raises:
            ConfigError: an unknown domain or option, or `workers` is less than 0.
            StoreError: the library is in use, or was created for another model.
        """
        from alexandria.chunking.domains import Domain, DomainRequest
        from alexandria.library.ingest.discovery import discover, select_folders
        from alexandria.library.ingest.options import RunOptions

        arguments = as_paths(paths)
        cut = domain if isinstance(domain, Domain) else DomainRequest(domain=domain, options=options or {})
        run = RunOptions(workers=workers, force=force, again=again, roots=select_folders(arguments))
        return list(self.ingest_files(discover(arguments), cut, run))

    def ingest_files(
        self,
        files: Iterable[Path],
        domain: "Domain | DomainRequest",
        run: "RunOptions",
        *,
        ray: str | None = None,
        events: "Events | None" = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> "Generator[Outcome, None, None]":
        """Ingest files, and yield the outcome of each when it is stored; close it to end the batch early.

        Args:
            files: as `find_books` returns them.
            domain: how they are cut; a request may leave stored books as they are, and consult their folders.
            run: how the batch is run.
            ray: the address of a Ray cluster that does the work, or `local`; by default this process does.
            events: what is called while the batch runs, such as with each outcome at once.
            stopped: asked before each file; True ends the batch there.
        """
        from alexandria.chunking.domains import Domain, DomainRequest
        from alexandria.extract.clean import path_text
        from alexandria.library.ingest.events import Events
        from alexandria.library.ingest.failures import Failures
        from alexandria.library.ingest.pace import Pace
        from alexandria.library.ingest.progress import ProgressFile
        from alexandria.library.ingest.run import ingest

        files, events = list(files), events or Events()
        if isinstance(domain, DomainRequest):
            domain = self.with_model(domain)
        catalog = self.create(domain)
        base_domain = domain if isinstance(domain, Domain) else domain.domain_for()
        failures_file = Failures(failures_path(self.store, self.collection))
        progress_at = progress_path(self.store, self.collection)
        sources = {file: path_text(file.absolute()) for file in files}
        stored = {record.source for record in catalog.books_at(sources.values())}
        pace = Pace(files, time.monotonic(), [file for file, source in sources.items() if source in stored])
        progress_file = ProgressFile(progress_at, pace, n_books=catalog.n_books)
        events.began(pace)
        with failures_file as failures, progress_file as progress:

            def finished(outcome: "Outcome") -> None:
                """Note an outcome in the files beside the library, and pass it on."""
                if outcome.error is None:
                    failures.clear(outcome.source)
                else:
                    failures.record(outcome.source, outcome.error)
                progress.finished(outcome, n_books=catalog.n_books)
                events.finished(replace(outcome, ignored=failures.is_ignored(outcome.source)))

            outcomes = ingest(
                files,
                domain,
                self._opened.encoder(base_domain, cache=run.cache),
                catalog,
                run,
                cluster=None if ray is None else self._opened.cluster(ray, base_domain, cache=run.cache),
                events=progress.noting(replace(events, finished=finished)),
                stopped=stopped,
            )
            with closing(outcomes):  # if the caller ends the batch early, its workers end now
                for outcome in outcomes:
                    yield replace(outcome, ignored=failures.is_ignored(outcome.source))

    def with_model(self, request: "DomainRequest") -> "DomainRequest":
        """Return a request with the model of this library, where it names none; a new library has none yet.

        Args:
            request: how books are cut.

        Raises:
            StoreError: the library cannot be opened.
        """
        if request.names_model():
            return request
        model = self._opened.model()
        return request if model is None else request.with_model(model)

    @retry_after_reopening
    def changes(self, files: Iterable[Path], request: "DomainRequest") -> dict[str, list[Record]]:
        """Return the books of these files whose settings an ingest would change, by the changes in words.

        Books are looked up by the path of their file: no file is read, and no other book's record.

        Raises:
            ConfigError: the `alexandria.yaml` of a folder is wrong.
        """
        from alexandria.extract.clean import path_text
        from alexandria.library.ingest.plan import plan_changes

        files = list(files)
        try:
            catalog = self._opened.for_reading()
        except NoLibraryError:
            return {}
        with catalog.read_lock():
            stored = catalog.books_at(path_text(file.absolute()) for file in files)
        return plan_changes(stored, files, request)

    def to_read(self, files: Sequence[Path], request: "DomainRequest", run: "RunOptions") -> list[Path]:
        """Return the files that an ingest would read: all but those that are stored as they should be.

        A library that does not exist yet has none of them; a file that cannot be read counts as one to read.
        """
        return list(self.plan_ingest(files, request, run))

    def plan_ingest(
        self, files: Sequence[Path], request: "DomainRequest", run: "RunOptions"
    ) -> "dict[Path, Action]":
        """Return the files that an ingest would read, as `to_read` does, and what it would do with each."""
        from alexandria.extract import content_id
        from alexandria.library.ingest.outcome import Action
        from alexandria.library.ingest.plan import Planner

        try:
            catalog = self._opened.for_reading()
        except NoLibraryError:
            return dict.fromkeys(files, Action.ADD)
        request = self.with_model(request)
        planner = Planner(request, self._opened.encoder(request.domain_for()), catalog, run)

        def action(path: Path) -> Action | None:
            try:
                id = content_id(path)
            except BookError:
                return Action.ADD
            if catalog.find_id(id) is None and planner.find_removed_record(path, id) is not None:
                return None
            plan = planner.plan_for(path, id)
            return None if plan is None else plan.action

        with catalog.read_lock():
            return {path: planned for path in files if (planned := action(path)) is not None}

    def plan_sync(self, folders: Sequence[Path], files: Sequence[Path]) -> "list[Step]":
        """Return the steps that bring the library in sync with folders: remove books, follow renamed files.

        A library that does not exist yet needs none.

        Args:
            folders: the folders to keep in sync with.
            files: the books found in them, as `find_books` returns them.

        Raises:
            ConfigError: one of them is not a folder, or no book is left in one that had some.
        """
        from alexandria.library.ingest.sync import plan_sync

        try:
            records = self.books()
        except NoLibraryError:
            records = []
        return plan_sync(records, folders, files)

    def take_step(self, step: "Step") -> None:
        """Remove a book whose file is gone, or note where its file is now."""
        from alexandria.library.ingest.sync import take_step

        take_step(step, self._opened.for_writing())

    def create(self, domain: "Domain | DomainRequest") -> Catalog:
        """Open the library for writing, and create it for the domain's model where there is none.

        Raises:
            StoreError: it is in use, or was created for another model.
        """
        return self._opened.open_or_create(domain)

    def failures(self) -> "list[Failure]":
        """Return the files that could not be read, in the order in which they failed."""
        from alexandria.library.ingest.failures import Failures

        return Failures(failures_path(self.store, self.collection)).all()

    def ignore_failures(self, files: Iterable[str | Path] | str | Path) -> "list[Failure]":
        """Mark failed files as ignored: they no longer make a run count as failed.

        Returns:
            Their failures, now marked.

        Raises:
            ConfigError: a file is not among the failures; then none is marked.
        """
        from alexandria.library.ingest.failures import Failures

        with Failures(failures_path(self.store, self.collection)) as failures:
            listed = [failures.find(file) for file in as_paths(files)]  # all, before the first is marked
            return [failures.ignore(failure) for failure in listed]

    def edit(self, book: str, **changes: "Unpack[Edits]") -> Record:
        """Give a book other metadata, which it keeps when it is ingested again; return its new record.

        Args:
            book: part of its title, or the beginning of its id.
            changes: `title`, `subtitle`, `author`, `publisher`, `place`, `date`, `original_date`, `edition`,
                `url`, `series`, `volume`, `volume_title`; lists of `editors`, `translators`, `identifiers`.

        Raises:
            ConfigError: no book matches, or several do; there is no such field; a value is not a string, or
                not a list of strings; or the title is empty.
        """
        from alexandria.library.ingest.metadata import edit_book

        with self._opened.writing() as catalog:
            return edit_book(catalog, catalog.find(book), changes)

    def remove(self, book: str) -> Record:
        """Remove a book, and return the record it had. Later ingests skip its file, unless with `again`.

        Args:
            book: part of its title, or the beginning of its id.

        Raises:
            ConfigError: no book matches, or several do.
        """
        with self._opened.writing() as catalog:
            record = catalog.find(book)
            catalog.remove(record)  # not `forget`: the record stays, so that the next ingest skips the file
        return record

    # --- passages out ---------------------------------------------------------------------------------

    @retry_after_reopening
    def answer(self, request: "SearchRequest") -> "Results":
        """Return the passages that a search is asked for, as `search` does."""
        from alexandria.library.search.hits import search

        ranker = self._ranker(request.rerank, request.rerank_weight)
        with self._opened.reading() as catalog:
            model = catalog.model()
        return search(request, catalog, self._opened.search_encoder(model), ranker=ranker)

    @retry_after_reopening
    def read(
        self,
        place: Passage | str,
        chunk: int | None = None,
        *,
        page: str | int | None = None,
        chapter: str | None = None,
        context: int | None = None,
        before: int = 1,
        after: int = 1,
    ) -> list[Passage]:
        """Return a chunk with its neighbours, a page or a chapter, in reading order.

        Args:
            place: a hit or another passage, or its short id; or a book, by part of its title or the beginning
                of its id.
            chunk: the number of the chunk in that book: by default that of the passage, or the first.
            page: return the text of this page instead, by its printed label, or its number in the file if it
                has none: of each chunk on it, the part that is on the page.
            chapter: return the chunks below this heading instead, named by it, part of it or its number:
                below the one that the passage is under, otherwise below the first.
            context: how many chunks, or pages, to return on each side, in place of `before` and `after`.
            before: how many chunks before it; fewer at the beginning of the book.
            after: how many chunks after it; fewer at the end.

        Raises:
            ConfigError: no book matches, or several do; there is no such chunk, page or chapter; or the
                passage is no longer stored.
        """
        from alexandria.library.read.stored import chunks_around, part_with

        check_at_least(0, chunk=chunk, context=context, before=before, after=after)
        if context is not None:
            before = after = context
        with self._opened.reading() as catalog:
            if page is None and chapter is None:
                return chunks_around(place, catalog, chunk=chunk, before=before, after=after)
            return part_with(place, catalog, page=page, chapter=chapter, context=context or 0)

    @retry_after_reopening
    def passage(self, short_id: str) -> Passage:
        """Return the passage that a short id leads to, with `best`, the sentence there.

        Args:
            short_id: `Passage.short_id` of a hit, as `search` and `find` print it.

        Raises:
            ConfigError: it is not a short id; no book matches, or several do; or there is no text there.
        """
        from alexandria.library.read.stored import passage_at

        with self._opened.reading() as catalog:
            return passage_at(short_id, catalog)

    @retry_after_reopening
    def find(self, text: str, *, limit: int | None = 5, **filters: Unpack[FilterOptions]) -> Places:
        """Return where a quotation comes from: the places with its words, nearest first.

        Quotes, dashes, hyphens, accents, case and line breaks do not count. Every place where at most one
        letter in twelve is another, put in or left out is found; if there is none, places that are `near`.
        `searched` says what was looked at, `n_places` how many places there are. No model is needed.

        Args:
            text: the quoted words; dots (…) stand for words that were left out.
            limit: how many places at most; None for all.
            filters: which books are considered, by the names of `Filters`: `author="Plato"`.

        Raises:
            ConfigError: there are too few letters, a filter is unknown, no book passes the filters, or
                `limit` is less than 1.
        """
        from alexandria.library.search.quotations import find_quotation
        from alexandria.library.search.request import parse_filters

        chosen_filters = parse_filters(filters)
        with self._opened.reading() as catalog:
            return find_quotation(text, catalog, limit=limit, filters=chosen_filters)

    @contextmanager
    def _shelf(self, filters: Filters) -> "Iterator[Shelf]":
        from alexandria.library.check.shelf import shelf_of

        with self._opened.reading() as catalog:
            yield shelf_of(catalog, filters)

    @retry_after_reopening
    def cite_all(
        self,
        places: Iterable[Passage | str],
        style: str = CitationStyle.CHICAGO_NOTES,
        *,
        markup: CitationMarkup | CitationMarkupName = CitationMarkup.TEXT,
    ) -> "list[Citation]":
        """Return citations for one text, in which works of the same year are distinguished (2026a, 2026b).

        Arguments and errors are those of `cite`.
        """
        from alexandria.library.cite.citations import cite
        from alexandria.library.read.stored import named_place

        check_text(style=style)
        with self._opened.reading() as catalog:
            named = [named_place(place, catalog) for place in places]
        return cite([place.record for place in named], [place.passage for place in named], style, markup)

    @retry_after_reopening
    def csl_citation(self, places: Iterable[Passage | str]) -> dict[str, Any]:
        """Return hits as one CSL citation, in which the locator of each cite-item is the place of the hit.

        Raises:
            ConfigError: a place is not a passage of the library.
        """
        from alexandria.library.cite.bibliography import csl_citation
        from alexandria.library.read.stored import passage_at

        with self._opened.reading() as catalog:
            passages = [passage_at(place, catalog) for place in places]
            cited = [(catalog.book(passage.book_id), passage) for passage in passages]
            library = catalog.books()
        return csl_citation(cited, library=library)

    @retry_after_reopening
    def bibliography(
        self,
        format: BibliographyFormat | BibliographyFormatName = BibliographyFormat.BIBTEX,
        *,
        books: Iterable[Passage | str] | None = None,
        **filters: Unpack[FilterOptions],
    ) -> str:
        """Return books for another program: each once, with a key that stays the same.

        Args:
            format: `bibtex`, `ris` or `csl-json`.
            books: ids of books, or parts of their titles; by default all that pass the filters. Of a passage,
                the chapter is returned if it has authors of its own, and otherwise the book.
            filters: which books, as for `search`.

        Raises:
            ConfigError: there is no such format, book or filter.
        """
        from alexandria.library.cite.bibliography import bibliography
        from alexandria.library.search.request import parse_filters

        program = chosen(BibliographyFormat, format, "format", "formats")
        with self._opened.reading() as catalog:
            library = catalog.books()
            admitted = parse_filters(filters)
            places = library if books is None else list(books)
            named = [
                catalog.find(place) if isinstance(place, str) else catalog.book(place.book_id)
                for place in places
            ]
        passages = [place for place in places if isinstance(place, Passage)]
        records = [record for record in named if admitted.admit(record)]
        return bibliography(records, program, library=library, passages=passages)

    @retry_after_reopening
    def books(
        self, filters: Filters = EVERYTHING, *, start: int = 0, limit: int | None = None
    ) -> list[Record]:
        """Return the records of the books, by title.

        Args:
            filters: which books; by section, those with a chunk under such a heading.
            start: how many of them to skip.
            limit: how many to return at most; in a folder, the others are not read.

        Raises:
            ConfigError: `start` or `limit` is less than 0, or `filters` are not `Filters`.
        """
        if not isinstance(filters, Filters):
            raise ConfigError(
                f"filters cannot be {str(filters)[:40]!r}",
                why="they must be of the type Filters",
                fix="Filters(book='…')",
            )
        check_at_least(0, start=start, limit=limit)
        with self._opened.reading() as catalog:
            return catalog.page(filters, start=start, limit=limit)

    @retry_after_reopening
    def require_books(self, filters: Filters) -> None:
        """Refuse filters that no book passes, naming the one to blame and the nearest name.

        Raises:
            NoMatchError: no book passes, or none has such a chapter; or the library is empty.
        """
        from alexandria.library.search.seeking import select_books

        with self._opened.reading() as catalog:
            select_books(catalog, filters, Mode.BM25)

    @retry_after_reopening
    def outdated(self, books: Iterable[Record] | None = None) -> list[Record]:
        """Return those of these books, or of all, that another version of Alexandria has read.

        They stay as they are until `alexandria ingest --reread` reads their files again.
        """
        from alexandria.extract import EXTRACTION_VERSION

        with self._opened.reading() as catalog:
            among, encoder = catalog.books() if books is None else books, catalog.binding.encoder
            return [book for book in among if is_outdated(book, EXTRACTION_VERSION, encoder)]

    @retry_after_reopening
    def removed_books(self) -> list[Record]:
        """Return the records of the books that were removed, by title."""
        with self._opened.reading() as catalog:
            return catalog.removed_books()

    @retry_after_reopening
    def book(self, book: str) -> Record:
        """Return the record of one book.

        Args:
            book: part of its title, or the beginning of its id.

        Raises:
            ConfigError: no book matches, or several do.
        """
        with self._opened.reading() as catalog:
            return catalog.find(book)

    @retry_after_reopening
    def chunks(self, book: str) -> list[Passage]:
        """Return the chunks of a book in reading order, as the catalog has them.

        Raises:
            ConfigError: no book matches, or several do.
        """
        with self._opened.reading() as catalog:
            return catalog.chunks(catalog.find(book))

    @retry_after_reopening
    def contents(self, book: str, *, typical: bool = True) -> "list[Chapter]":
        """Return the chapters of a book in reading order, each with its topic and a typical sentence.

        Args:
            book: part of its title, or the beginning of its id.
            typical: if false, the sentence is the first one: for a typical one, all vectors are read.

        Raises:
            ConfigError: no book matches, or several do.
        """
        from alexandria.library.read.contents import chapters_of

        with self._opened.reading() as catalog:
            record = catalog.find(book)
            chunks = catalog.chunks(record)
            sentence_vectors = catalog.sentence_vectors([chunk.id for chunk in chunks]) if typical else {}
            catalog.check_current(record)
        return chapters_of(chunks, sentence_vectors)

    @retry_after_reopening
    def calibrate(
        self, questions: Path | str, *, rerank: Path | str | None = None, rerank_weight: float = 0.5
    ) -> "Calibration":
        """Fit `hit.strength` to questions whose answers are known: with this model, in all libraries.

        It is stored in the user's folder, and changes no library.

        Args:
            questions: a file of questions and quotes, as in docs/evaluate.md; those that no book of the
                library answers have no quotes.
            rerank: the folder of the cross-encoder that is used.
            rerank_weight: as in `search`.

        Raises:
            ConfigError: the file cannot be read, or has too few questions; the cross-encoder cannot be
                loaded; the user's folder cannot be written.
            StoreError: there is no library, or it is in use.
        """
        from alexandria.library.care.calibration import calibrate_strength

        return calibrate_strength(self._opened, Path(questions), self._ranker(rerank, rerank_weight))

    def _ranker(self, rerank: Path | str | None, weight: float) -> "Ranker | None":
        from alexandria.library.search.reranking import Ranker

        return None if rerank is None else Ranker(self._opened.ranker(Path(rerank)), weight)

    @retry_after_reopening
    def prepare(self) -> None:
        """Open the library and load its model, so that the first search need not.

        Raises:
            StoreError: there is no library, or it is in use or empty.
        """
        with self._opened.reading() as catalog:
            model = catalog.model()
        if model != NO_MODEL:
            self._opened.search_encoder(model).encode_queries(["ready"])  # the first use loads the model

    def page_picture(self, book: str, page: int, *, password: str | None = None) -> "PagePicture":
        """Return the picture of a page of a stored PDF, drawn from its file in the isolated process.

        Args:
            book: part of its title, or the beginning of its id.
            page: its number in the file, from 1.
            password: the password of an encrypted file.

        Raises:
            ConfigError: no book matches, or several do; it is not a PDF; or its file has been moved or
                changed.
            BookError: the page cannot be drawn.
        """
        return self._drawer.draw(self.book(book), page, password)

    @retry_after_reopening
    def inspect(self, book: str) -> "Inspection":
        """Return a stored book with its similarities and cuts, as `alexandria inspect` shows them.

        Raises:
            ConfigError: no book matches, or several do.
            StoreError: some of its chunks are missing.
        """
        from alexandria.library.inspect.inspection import Inspection

        with self._opened.reading() as catalog:
            record = catalog.find(book)
            return Inspection.of_library(record, catalog.chunks(record))

    def explain(self, place: Passage | str, chunk: int | None = None) -> "Explanation":
        """Return why a chunk begins and ends where it does.

        Args:
            place: a hit or another passage, or its short id; or a book, by part of its title or the beginning
                of its id.
            chunk: the number of the chunk in that book, the first by default; a passage has its own.

        Raises:
            ConfigError: no book matches, or several do; there is no such chunk; or the passage is no longer
                stored.
        """
        from alexandria.library.inspect.explanation import Explanation
        from alexandria.library.read.stored import is_hit_id

        if isinstance(place, Passage) or is_hit_id(place):
            [passage] = self.read(place, before=0, after=0)
            return Explanation.of(self.inspect(passage.book_id), passage.chunk_id)
        return Explanation.of(self.inspect(place), chunk or 0)

    # --- the whole ------------------------------------------------------------------------------------

    def status(self) -> "LibraryStatus":
        """Return who has the library open, how far along its ingest is, and what it holds.

        It does not wait for an ingest, but for any other change, as everything that reads the library does.

        Raises:
            StoreError: there is no library, or another process has not finished changing it in time.
        """
        from alexandria.library.ingest.progress import library_status
        from alexandria.store.restore import interrupted_restore

        status = library_status(
            library_folder(self.store, self.collection),
            progress_path(self.store, self.collection),
            self.books,  # this and the next: not called while an ingest is running, which they would wait for
            lambda: self._opened.for_reading().n_written,
            n_failures=sum(not failure.ignored for failure in self.failures()),
            restore=interrupted_restore(restoring_path(self.store, self.collection)),
        )
        status = replace(status, n_outdated=None if status.is_running else len(self.outdated()))
        return replace(status, store=whole_address(self.store), collection=self.collection)

    def repair(
        self,
        books: Iterable[str | Path] | str | Path = (),
        *,
        password: str | None = None,
        tried: Callable[[Record, AlexandriaError | None], None] = lambda record, error: None,
    ) -> "Repair":
        """Repair a lost marker, unreadable files, lost records, and missing or altered points, if possible.

        A book is read and embedded again, or taken from the cache, and its points are written again if they
        are exactly those that the catalog lists. A lost record is rebuilt from the points of its book.
        Points of a book without a record are deleted unless they are all that the book had. Indexes are
        made again. Files that Qdrant Edge cannot read are moved away, and their points made again from the
        books' files, and from nothing else. Afterwards the library is checked once more.

        Args:
            books: files, and folders of files, where books may be whose records are lost; one, or several.
            password: the password of encrypted files.
            tried: called with each damaged book, and the error if it could not be repaired.

        Raises:
            DamagedError: files cannot be read, and cannot be made again.
            StoreError: there is no library, it is in use, or it has lost its marker and holds nothing that
                shows its model.
        """
        from alexandria.library.care.repair import repair

        return repair(self._opened, as_paths(books), password=password, tried=tried)

    def verify(self) -> "Verification":
        """Check that every book has exactly its points, unaltered, with sound vectors; reads every point."""
        from alexandria.library.care.repair import verify

        return verify(self._opened)

    def backup(
        self, file: str | Path, *, written: Callable[[Record], None] = lambda record: None
    ) -> "BackupSummary":
        """Write the whole library to one file, which `restore` reads; others may read and write meanwhile.

        The file holds each book complete, as it was at one moment of the backup. The summary names the
        books that were replaced or removed meanwhile, and those that are incomplete, which are left out.

        Args:
            file: the file to write; it appears once it is complete, and holds a hash of its contents.
            written: called with each book that is in the file.

        Raises:
            ConfigError: the file exists, or cannot be written.
            StoreError: there is no library, or it is in use.
        """
        from alexandria.store.backup import write_backup

        return write_backup(self._opened.for_reading, Path(file), written=written)

    def restore(
        self, file: str | Path, *, stored: Callable[[Record, bool], None] = lambda record, is_new: None
    ) -> "RestoreSummary":
        """Store the books of a backup in this library, which is created if there is none.

        The whole file is checked before the library is opened. After an interrupt, `restore` resumes when it
        is called again with the same file; until then, `verify` and `status` name it.

        Args:
            file: written by `backup`.
            stored: called with each book, and whether it had to be stored.

        Raises:
            ConfigError: the file cannot be read, or is not a backup.
            StoreError: the file is damaged, or the library holds other books, or is bound to another model.
        """
        from alexandria.store.restore import Backup, restore_books

        with Backup(Path(file)) as backup:
            target = self._opened.open_or_create_bound(backup.binding)
            return restore_books(backup, target, restoring_path(self.store, self.collection), stored=stored)

    def export(
        self,
        file: str | Path,
        *,
        format: ExportFormat | ExportFormatName | None = None,
        vectors: bool = True,
        filters: Filters = EVERYTHING,
    ) -> int:
        """Write payloads and vectors to a file, and return the number of points.

        Args:
            file: `books.jsonl`, `books.parquet`, or `books.csv` without vectors; `-` for standard output.
            format: `jsonl`, `parquet` or `csv`; by default what the name of the file says.
            vectors: whether to write the vectors.
            filters: which points to write.

        Raises:
            ConfigError: the format is unknown, the file exists or cannot be written, or nothing matches.
            StoreError: books were left out because they are incomplete; all others are in the file.
        """
        from alexandria.store.transfer import export_books

        reading = self._opened.for_reading
        return export_books(reading, Path(file), format=format, vectors=vectors, filters=filters)

    def copy(
        self,
        store: str | Path,
        collection: str | None = None,
        *,
        model: str | None = None,
        server: Server | None = None,
    ) -> Iterator[tuple[Record, bool]]:
        """Copy every book into another library; the iterator yields each, and whether it had to be copied.

        A wrong argument is an error at once; nothing is copied before the iterator is used.

        Args:
            store: the other library, named as for `Library`.
            collection: its name there; the same if not given.
            model: embeds the stored texts again, without their files; their chunks stay as they are. By
                default, the vectors are copied too.
            server: how to reach a server, and how to create a collection there.

        Raises:
            ConfigError: source and target are the same, or the model is not on this machine or is `none`.
            StoreError: there is no library, it is in use, or the other library has another model; books were
                left out because they are incomplete.
        """
        from alexandria.library.care.reembedding import copy_reembedded
        from alexandria.store.transfer import copy_books

        if same_place((self.store, self.collection), (str(store), collection or self.collection)):
            raise ConfigError(
                f"cannot copy the library at {self.store} onto itself",
                why="source and target are the same",
                fix="name another --to or --to-collection",
            )
        if model == NO_MODEL:
            raise ConfigError(
                f"cannot copy the library at {self.store} without vectors",
                why=f"a copy has the stored vectors, or those of another model, and {NO_MODEL} is no model",
                fix=f"ingest the files into another library, with --set model={NO_MODEL}",
            )
        reading = self._opened.for_reading
        binding = reading().binding
        encoder = None
        if model is not None:
            encoder = self._opened.installed_encoder(model)
            binding = binding_for(encoder)
        target = open_bound(
            str(store),
            collection or self.collection,
            binding,
            server=server or Server(),
            access=self._opened.access,
        )
        if encoder is None or model is None:
            return _closing_at_end(target, copy_books(reading, target))
        return _closing_at_end(target, copy_reembedded(reading, target, encoder, model))

    @retry_after_reopening
    def refresh(self) -> None:
        """Read the catalog again: on a server, other processes may have changed it."""
        self._opened.for_reading().refresh()


def _closing_at_end(target: Catalog, copied: Iterable[tuple[Record, bool]]) -> Iterator[tuple[Record, bool]]:
    """Yield what is copied; the target is closed at the end, or when the iterator is dropped."""
    with target:
        yield from copied
