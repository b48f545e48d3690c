"""`Libraries`: several collections of a store, read as one; each is searched with its own model."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar, Unpack

from alexandria.book.choices import (
    BibliographyFormat,
    BibliographyFormatName,
    CitationMarkup,
    CitationMarkupName,
    CitationStyle,
)
from alexandria.book.filters import FilterOptions, Filters
from alexandria.book.model import PagePicture
from alexandria.book.words import fold_text
from alexandria.errors import AlexandriaError, ConfigError, NoLibraryError, NoMatchError, StoreError
from alexandria.library.cite.citations import Citation
from alexandria.library.inspect.explanation import Explanation
from alexandria.library.inspect.inspection import Inspection
from alexandria.library.library import Library
from alexandria.library.location import default_address
from alexandria.library.opened import LoadedModels
from alexandria.library.read.contents import Chapter
from alexandria.library.read.stored import book_of_short_id
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.library.search.hits import Results
from alexandria.library.search.merging import merge
from alexandria.library.search.request import SearchRequest
from alexandria.library.searchable import Searchable
from alexandria.store import Server
from alexandria.store.lock import Owner
from alexandria.store.passage import Passage, Places, merged_places
from alexandria.store.record import Record

if TYPE_CHECKING:
    from alexandria.library.check.shelf import Shelf

Answer = TypeVar("Answer")
AnyPassage = TypeVar("AnyPassage", bound=Passage)
AnyLibrary: TypeAlias = "Library | Libraries"  # what can be searched and read


class Libraries(Searchable):
    """Several collections, to search and read together; `Library` ingests into one.

    It has the reading methods of `Library`. Every hit and passage states its `collection`. If several
    collections hold the same book, it is read from the first of them.

    A search returns the passages of all, by their relevance. A collection in which no book passes the filters
    is left out, and so is one without the books that the query names, if another has them; `also_in` names
    editions in the same collection. With `rerank`, the cross-encoder decides the order of the hits of each
    collection. One that cannot be searched now, because it is locked, damaged, empty or not reachable, does
    not stop the others: `left_out` of the results names it with the reason, and so does a remark. One that
    does not exist is an error, as its name is probably misspelt.
    """

    def __init__(
        self,
        store: str | Path | None,
        collections: Sequence[str],
        *,
        server: Server | None = None,
        wait: float | None = None,
        waiting: Callable[[Owner], None] = lambda owner: None,
    ) -> None:
        """Name the collections; nothing is opened yet.

        Args:
            store: a folder, `local:FOLDER` or the address of a server; the user's data folder if not given.
            collections: their names, at least one.
            server: how to reach a server.
            wait: as for `Library`, for each collection.
            waiting: as for `Library`.

        Raises:
            ConfigError: no collection is named, or one has no name.
        """
        is_one = isinstance(collections, str) or not isinstance(collections, Iterable)
        named: Any = [collections] if is_one else collections
        names: list[str] = list(dict.fromkeys(named))  # each once
        if not names or not all(name and isinstance(name, str) for name in names):
            raise ConfigError(
                "cannot read a collection without a name",
                why=f"the collections named are {', '.join(map(repr, names)) or 'none'}",
                fix="--collection a,b",
            )
        self.store, self.collections = str(store or default_address()), tuple(names)
        models = LoadedModels()
        self._libraries = {
            name: Library(self.store, name, server=server, wait=wait, waiting=waiting, models=models)
            for name in names
        }

        self._server, self._wait = server, wait

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where the collections are: what is unpickled opens them again; likewise `deepcopy`."""
        again = partial(Libraries, server=self._server, wait=self._wait)
        return again, (self.store, self.collections)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the collections. No method may be called afterwards."""
        for library in self._libraries.values():
            library.close()

    def answer(self, request: SearchRequest) -> Results:
        """Return the passages of all collections that a search is asked for, by their relevance.

        One that cannot be searched now is left out, and the results name it.
        """
        results, left_out = self._ask_each(lambda library: library.answer(request), skip_unreadable=True)
        merged = merge(results, request)
        remarks = (
            Remark(RemarkKind.PLAIN, f"left out, {error.what}: {error.why}") for error in left_out.values()
        )
        return replace(merged, noted=(*remarks, *merged.noted), left_out=tuple(left_out))

    def find(self, text: str, *, limit: int | None = 5, **filters: Unpack[FilterOptions]) -> Places:
        """Return where a quotation comes from, the nearest place first, as `Library.find` does."""
        answers, _ = self._ask_each(lambda library: library.find(text, limit=limit, **filters))
        quotations = [
            quotation for name, answer in answers.items() for quotation in _with_collection(answer, name)
        ]
        best_first = sorted(quotations, key=lambda quotation: (quotation.near, -quotation.nearness))
        return merged_places(best_first[:limit], answers.values())

    @contextmanager
    def _shelf(self, filters: Filters) -> "Iterator[Shelf]":
        with ExitStack() as stack:
            shelves, _ = self._ask_each(lambda library: stack.enter_context(library._shelf(filters)))
            first, *others = (shelf.of_collection(name) for name, shelf in shelves.items())
            yield first.with_books_of(others)

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
        """Return a chunk with its neighbours, a page or a chapter, as `Library.read` does."""
        library = self._library_with(place)
        with _naming_collection(library.collection):
            passages = library.read(
                place, chunk, page=page, chapter=chapter, context=context, before=before, after=after
            )
        return _with_collection(passages, library.collection)

    def passage(self, short_id: str) -> Passage:
        """Return the passage that a short id leads to, as `Library.passage` does."""
        library = self._library_with(short_id)
        return replace(library.passage(short_id), collection=library.collection)

    def cite_all(
        self,
        places: Iterable[Passage | str],
        style: str = CitationStyle.CHICAGO_NOTES,
        *,
        markup: CitationMarkup | CitationMarkupName = CitationMarkup.TEXT,
    ) -> list[Citation]:
        """Return the citations of passages and books; works are told apart within a collection."""
        named = list(places)
        by_library: dict[str, list[int]] = {}
        for i, place in enumerate(named):
            by_library.setdefault(self._library_with(place).collection, []).append(i)
        citations: dict[int, Citation] = {}
        for name, numbers in by_library.items():
            cited = self._libraries[name].cite_all([named[i] for i in numbers], style, markup=markup)
            citations.update(zip(numbers, cited, strict=True))
        return [citations[i] for i in range(len(named))]

    def csl_citation(self, places: Iterable[Passage | str]) -> dict[str, Any]:
        """Return hits as one citation of CSL, as `Library.csl_citation` does."""
        from alexandria.library.cite.bibliography import csl_citation

        passages = [place if isinstance(place, Passage) else self.passage(place) for place in places]
        cited = [(self._find_book(passage.book_id)[1], passage) for passage in passages]
        return csl_citation(cited, library=self.books())

    def bibliography(
        self,
        format: BibliographyFormat | BibliographyFormatName = BibliographyFormat.BIBTEX,
        *,
        books: Iterable[Passage | str],
    ) -> str:
        """Return books for another program, as `Library.bibliography` does."""
        from alexandria.library.cite.bibliography import bibliography

        places = list(books)
        passages = [place for place in places if isinstance(place, Passage)]
        records = [self.book(place if isinstance(place, str) else place.book_id) for place in places]
        return bibliography(records, BibliographyFormat(format), library=self.books(), passages=passages)

    def books(self) -> list[Record]:
        """Return the records of the books of all collections, by title."""
        records = [record for library in self._libraries.values() for record in library.books()]
        return sorted(records, key=lambda record: fold_text(record.title))

    def book(self, book: str) -> Record:
        """Return the record of one book, as `Library.book` does."""
        return self._find_book(book)[1]

    def chunks(self, book: str) -> list[Passage]:
        """Return the chunks of a book in reading order."""
        library, record = self._find_book(book)
        return _with_collection(library.chunks(record.book_id), library.collection)

    def contents(self, book: str, *, typical: bool = True) -> list[Chapter]:
        """Return the chapters of a book in reading order, as `Library.contents` does."""
        library, record = self._find_book(book)
        return library.contents(record.book_id, typical=typical)

    def inspect(self, book: str) -> Inspection:
        """Return a stored book with its similarities and cuts."""
        library, record = self._find_book(book)
        return library.inspect(record.book_id)

    def explain(self, place: Passage | str, chunk: int | None = None) -> Explanation:
        """Return why a chunk begins and ends where it does, as `Library.explain` does."""
        return self._library_with(place).explain(place, chunk)

    def page_picture(self, book: str, page: int, *, password: str | None = None) -> PagePicture:
        """Return the picture of a page of a stored PDF, as `Library.page_picture` does."""
        library, record = self._find_book(book)
        return library.page_picture(record.book_id, page, password=password)

    def prepare(self) -> None:
        """Open the collections and load their models, so that the first search need not."""
        for library in self._libraries.values():
            library.prepare()

    def refresh(self) -> None:
        """Read the catalogs again: on a server, other processes may have changed them."""
        for library in self._libraries.values():
            library.refresh()

    def _ask_each(
        self, ask: Callable[[Library], Answer], *, skip_unreadable: bool = False
    ) -> tuple[Mapping[str, Answer], Mapping[str, StoreError]]:
        """Return the answers of the collections in which something matches, and the errors of skipped ones.

        Both are by the names of the collections.

        Args:
            skip_unreadable: skip collections that cannot be read now; otherwise, the first error is raised.

        Raises:
            NoMatchError: nothing matches in any collection.
            StoreError: a collection cannot be read; if these are skipped: none can be, or one does not exist.
        """
        answers = dict[str, Answer]()
        unmatched, left_out = dict[str, NoMatchError](), dict[str, StoreError]()
        for name, library in self._libraries.items():
            try:
                with _naming_collection(name):
                    answers[name] = ask(library)
            except NoMatchError as error:
                unmatched[name] = error
            except NoLibraryError:  # its name is probably misspelt
                raise
            except StoreError as error:
                if not skip_unreadable:
                    raise
                left_out[name] = error
        if not answers and not unmatched:
            raise next(iter(left_out.values()))
        if not answers:
            first = next(iter(unmatched.values()))
            why = "\n".join(f"{name}: {error.why}" for name, error in unmatched.items())
            raise NoMatchError(first.what, why=why, fix=first.fix)
        return answers, left_out

    def _library_with(self, place: Passage | str) -> Library:
        """Return the library that holds a passage, the place of a short id, or a book.

        Raises:
            ConfigError: no library does, or several books match.
        """
        if isinstance(place, Passage) and place.collection in self._libraries:
            return self._libraries[place.collection]
        book = place.book_id if isinstance(place, Passage) else book_of_short_id(place) or place
        library, _ = self._find_book(book)
        return library

    def _find_book(self, book: str) -> tuple[Library, Record]:
        """Return the first library that holds a book, and the book's record.

        Args:
            book: part of its title, or the beginning of its id; a whole title has precedence.

        Raises:
            ConfigError: no book matches, or several do.
        """
        records, _ = self._ask_each(lambda library: library.book(book))
        with_title = {
            name: record for name, record in records.items() if fold_text(record.title) == fold_text(book)
        }
        matches = with_title or records
        if len({record.book_id for record in matches.values()}) > 1:
            raise ConfigError(
                f"several books match {book!r}",
                why="\n".join(
                    f"{record.title}, {record.author or 'author unknown'}: {record.book_id[:8]} in {name}"
                    for name, record in matches.items()
                ),
                fix="use the beginning of one id",
            )
        name, record = next(iter(matches.items()))
        return self._libraries[name], record


def _with_collection(passages: Sequence[AnyPassage], collection: str) -> list[AnyPassage]:
    return [replace(passage, collection=collection) for passage in passages]


@contextmanager
def _naming_collection(collection: str) -> Iterator[None]:
    """Name the collection in every error of the block, except a NoMatchError."""
    # `_ask_each` puts the NoMatchErrors of all collections into one, and names the collections there.
    try:
        yield
    except NoMatchError:
        raise
    except AlexandriaError as error:
        error.what = f"in the collection {collection}: {error.what}"
        raise
