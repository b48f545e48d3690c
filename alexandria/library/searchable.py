"""What one library and several have in common: they are searched, compared with texts, and cited alike."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from alexandria.book.choices import (
    CitationMarkup,
    CitationMarkupName,
    CitationStyle,
    Diverse,
    DiverseName,
    Mode,
    ModeName,
    chosen,
)
from alexandria.book.filters import FilterOptions, Filters
from alexandria.errors import check_path
from alexandria.store.passage import Passage
from alexandria.store.sharing import retry_after_reopening

if TYPE_CHECKING:
    from alexandria.library.check.report import CheckReport
    from alexandria.library.check.shelf import Shelf
    from alexandria.library.cite.citations import Citation
    from alexandria.library.search.hits import Results
    from alexandria.library.search.request import SearchRequest


class Searchable(ABC):
    """A library, or several read as one."""

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        words: int | None = None,
        mode: Mode | ModeName = Mode.HYBRID,
        context: int = 0,
        all_editions: bool = False,
        everywhere: bool = False,
        exact: bool = False,
        diverse: Diverse | DiverseName | None = None,
        rerank: Path | str | None = None,
        rerank_weight: float = 0.5,
        **filters: Unpack[FilterOptions],
    ) -> "Results":
        """Return the stored passages that answer a query best, best first.

        Args:
            query: a question, or some words.
            limit: how many hits at most: 5 if not given, and with `words` as many as fit.
            words: how many words to return in all: hits are then the sentences that answer, not whole chunks.
                The best sentence is returned alone if it is longer.
            mode: `hybrid`, `dense`, `sentences` or `bm25`.
            context: how many chunks on each side come with a hit, as `before` and `after`.
            all_editions: return a passage once per edition of a work; otherwise `also_in` names the others.
            everywhere: search all books, even if the query names an author or a title; otherwise only theirs
                are searched, if something there seems to answer.
            exact: take the words of the query as typed; otherwise, the nearest word of the books is searched
                for one that no book has.
            diverse: `chapter` or `book` returns one hit of each, `mmr` hits that are not all alike; by
                default, the best ones, whatever they share.
            rerank: the folder of a cross-encoder, which ranks the best 20 chunks again.
            rerank_weight: the weight of its scores, 0 to 1; those of the search have the rest.
            filters: which passages are considered, by the names of `Filters`: `author="Plato"`.

        Raises:
            ConfigError: the query is empty, a number is out of range, the mode, a filter or the kind of
                diversity is unknown, no book passes the filters, the cross-encoder cannot be loaded, or
                `words` and `context` are both given.
            StoreError: there is no library, or it is in use.
        """
        from alexandria.library.search.request import SearchRequest, parse_filters

        return self.answer(
            SearchRequest(
                query=query,
                limit=limit,
                words=words,
                mode=chosen(Mode, mode, "mode", "modes"),
                context=context,
                all_editions=all_editions,
                everywhere=everywhere,
                exact=exact,
                diverse=None if diverse is None else chosen(Diverse, diverse, "kind of diversity", "kinds"),
                rerank=None if rerank is None else Path(rerank),
                rerank_weight=rerank_weight,
                filters=parse_filters(filters),
            )
        )

    @abstractmethod
    def answer(self, request: "SearchRequest") -> "Results":
        """Return what `search` returns for the same request."""

    @retry_after_reopening
    def check(
        self,
        paths: Iterable[str | Path] | str | Path,
        *,
        bibliography: Iterable[str | Path] | str | Path = (),
        started: Callable[[Path], None] = lambda path: None,
        **filters: Unpack[FilterOptions],
    ) -> "CheckReport":
        """Return the quotations of manuscripts, each compared word by word with the books.

        Books that are a manuscript itself, or a draft of it, are left out and named. A manuscript that cannot
        be read does not stop the others: `unread` has it with the error. No model is needed.

        Args:
            paths: files, or folders of files; one, or several.
            bibliography: files of BibTeX or CSL-JSON with the keys that are cited; without any, those that a
                manuscript names, or those beside it.
            started: called with each file before it is read.
            filters: with which books they are compared, by the names of `Filters`: `author="Plato"`.

        Raises:
            BookError: none of the manuscripts can be read.
            ConfigError: a bibliography cannot be read, a filter is unknown, or no book passes the filters.
        """
        from alexandria.library.check.checking import check_files
        from alexandria.library.search.request import parse_filters

        opened = partial(self._shelf, parse_filters(filters))
        return check_files(as_paths(paths), opened, bibliography=as_paths(bibliography), started=started)

    @retry_after_reopening
    def check_text(
        self, text: str, *, within: Iterable[Passage] | None = None, **filters: Unpack[FilterOptions]
    ) -> "CheckReport":
        """Return the quotations of a text, such as the answer of a model, compared with the books.

        Args:
            text: the text; it is never taken for a path.
            within: compare them with these passages instead, such as the hits that the answer was given.
            filters: as for `check`.

        Raises:
            ConfigError: the text is not a string, a filter is unknown, or no book passes the filters.
        """
        from alexandria.library.check.checking import check_quoted_in
        from alexandria.library.search.request import parse_filters

        return check_quoted_in(text, partial(self._shelf, parse_filters(filters)), within=within)

    @abstractmethod
    def _shelf(self, filters: Filters) -> "AbstractContextManager[Shelf]":
        """Open the books that pass some filters, for quotations to be compared with."""

    def cite(
        self,
        place: Passage | str,
        style: str = CitationStyle.CHICAGO_NOTES,
        *,
        markup: CitationMarkup | CitationMarkupName = CitationMarkup.TEXT,
    ) -> "Citation":
        """Return a citation of a passage or of a book, ready to paste.

        Args:
            place: a hit or another passage, or its short id; or a book, by part of its title or the beginning
                of its id.
            style: `apa`, `mla`, `chicago-notes`, `chicago-author-date`, `harvard` or `iso690`; with the extra
                `cite`, also any CSL style by its name, or a CSL file by its path.
            markup: how italics are marked: `text` (not at all), `html` or `markdown`.

        Raises:
            ConfigError: there is no such style, passage or book.
            MissingPackageError: the style needs the extra `cite`.
        """
        return self.cite_all([place], style, markup=markup)[0]

    @abstractmethod
    def cite_all(
        self,
        places: Iterable[Passage | str],
        style: str = CitationStyle.CHICAGO_NOTES,
        *,
        markup: CitationMarkup | CitationMarkupName = CitationMarkup.TEXT,
    ) -> "list[Citation]":
        """Return citations for one text, in which works of the same year are distinguished."""


def as_paths(paths: Iterable[str | Path] | str | Path) -> list[Path]:
    """Return one path or several as a list: a string is one path, not a list of letters."""
    given: Any = paths
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for path in listed:
        check_path(path=path)
    return [Path(path) for path in listed]
