"""A library as the pages read it, cached as long as the books stay the same; and what a reader copies."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar, cast

from markupsafe import Markup, escape

from alexandria.book.choices import NEAREST, BibliographyFormat, CitationMarkup, CitationStyle
from alexandria.book.model import Chunk
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.inspection import Inspection
from alexandria.library.libraries import AnyLibrary
from alexandria.library.read.contents import Chapter
from alexandria.library.search.hits import Results
from alexandria.library.search.request import SearchRequest
from alexandria.show.html.layout import Piece, clipped, pieces_of
from alexandria.store.passage import Hit, Passage, Places
from alexandria.store.record import Record

T = TypeVar("T")
_MAX_CACHED = 24
"""Searches, inspections and contents in the cache: the latest ones. A long book takes some 10 MB."""
_NAMES = {
    CitationStyle.APA: "APA",
    CitationStyle.MLA: "MLA",
    CitationStyle.CHICAGO_NOTES: "Chicago, notes",
    CitationStyle.CHICAGO_AUTHOR_DATE: "Chicago, author-date",
    CitationStyle.HARVARD: "Harvard",
    CitationStyle.ISO690: "ISO 690",
    BibliographyFormat.BIBTEX: "BibTeX",
    BibliographyFormat.RIS: "RIS",
    BibliographyFormat.CSL_JSON: "CSL JSON",
}  # the styles and formats as people write them


@dataclass(frozen=True, slots=True)
class Part:
    """Some chunks of a book, in order."""

    whole: Inspection
    chunks: tuple[Chunk, ...]
    reasons: dict[int, str]
    """Why each chunk of the book begins where it does, by its number; the first has no reason."""

    @property
    def inspection(self) -> Inspection:
        """The book as if it had only these chunks."""
        return replace(self.whole, chunks=self.chunks)

    @property
    def pieces(self) -> list[Piece]:
        """The text of the chunks, with the cuts between them."""
        return list(pieces_of(Comparison.of([self.inspection]))) if self.chunks else []

    def pieces_on(self, page: int) -> list[Piece]:
        """Return the text of the chunks that is on a page, whose number is counted in the file."""
        pages = {(begin.start, begin.page) for chunk in self.chunks for begin in chunk.page_starts}
        start = min((offset for offset, number in pages if number == page), default=0)
        later_pages = (offset for offset, number in pages if number != page and offset > start)
        end = min(later_pages, default=sys.maxsize)
        return [piece for whole in self.pieces if (piece := clipped(whole, start, end)).paragraphs]


class Books:
    """A library as the pages read it; several threads may use it."""

    def __init__(self, library: AnyLibrary) -> None:
        self.library = library
        self._cache: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def records(self) -> list[Record]:
        """Return the books of the library, by title."""
        self.library.refresh()  # on a server, others may have added some
        return self.library.books()

    def search(self, request: SearchRequest) -> Results:
        """Return the passages that a search is asked for; cached as long as no book has changed."""
        # A generation is the name of a book as it is stored now: it changes when the book is replaced.
        state = hash(tuple(record.generation for record in self.library.books()))
        return self._get_or_make(("search", request, state), lambda: self.library.answer(request))

    def find(self, quoted: str, filters: Mapping[str, Any]) -> tuple[Places, tuple[Hit, ...]]:
        """Return the places of a quotation; if there are none, the passages nearest in meaning."""
        places = self.library.find(quoted, **filters)
        nearest = () if places else self.library.search(quoted, limit=NEAREST, **filters).hits
        return places, nearest

    def first_page(self, record: Record) -> int:
        """Return the first page with text of a PDF, counted in the file."""
        pages = (chunk.page_start for chunk in self.inspection(record).chunks if chunk.page_start)
        return next(pages, 1)

    def inspection(self, record: Record) -> Inspection:
        """Return a book with its cuts."""
        return self._get_or_make(
            ("inspection", record.generation), lambda: self.library.inspect(record.book_id)
        )

    def contents(self, record: Record) -> list[Chapter]:
        """Return the chapters of a book, kept for its pages until the book changes."""
        return self._get_or_make(
            ("contents", record.generation), lambda: self.library.contents(record.book_id)
        )

    def part(self, record: Record, first: int, n: int) -> Part:
        """Return `n` chunks of a book from chunk `first` on; fewer at its end."""
        whole = self.inspection(record)
        return self._part(record, whole.chunks[max(0, first) : max(0, first) + n])

    def page(self, record: Record, number: int) -> Part:
        """Return the chunks with text on a page; its number is counted in the file."""
        whole = self.inspection(record)
        return self._part(record, tuple(chunk for chunk in whole.chunks if _is_on_page(chunk, number)))

    def _part(self, record: Record, chunks: tuple[Chunk, ...]) -> Part:
        whole = self.inspection(record)
        return Part(whole, chunks, whole.reasons)

    def _get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of a key; if there is none, make it and cache it."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return cast(T, self._cache[key])
        # Without the lock: two threads may make the same value, but neither waits for the other.
        value = make()
        with self._lock:
            self._cache[key] = value
            if len(self._cache) > _MAX_CACHED:
                self._cache.popitem(last=False)  # the one that was not used for longest
        return value


def _is_on_page(chunk: Chunk, page: int) -> bool:
    first = chunk.page_start
    return first is not None and first <= page <= (chunk.page_end or first)


@dataclass(frozen=True, slots=True)
class Copied:
    """What a button copies."""

    key: str  # the style or format, as the command line names it
    text: str
    html: Markup | None = None  # the same with italics; None for what is read by programs

    @property
    def name(self) -> str:
        """The style or format as people write it."""
        return _NAMES[CitationStyle(self.key) if self.html else BibliographyFormat(self.key)]


def cited(library: AnyLibrary, passages: Sequence[Passage]) -> dict[str, Any]:
    """Return the `citations` of passages, and their sentences with them as `quotations`."""
    style = CitationStyle.CHICAGO_NOTES
    plain = library.cite_all(passages, style)
    marked = library.cite_all(passages, style, markup=CitationMarkup.HTML)
    citations = [
        Copied(style, str(text), _paragraphs(html.reference, html.in_text))
        for text, html in zip(plain, marked, strict=True)
    ]
    quotations = [
        Copied(style, f"“{words}”\n— {text.in_text}", _quoted(words, html.in_text))
        for words, text, html in zip(map(_words, passages), plain, marked, strict=True)
    ]
    return {"citations": citations, "quotations": quotations}


def cited_in_all_styles(library: AnyLibrary, passage: Passage) -> list[Copied]:
    """Return the citations of a passage in every style, and its book in the formats of other programs."""
    copies = []
    for style in CitationStyle:
        html = library.cite(passage, style, markup=CitationMarkup.HTML)
        copies.append(
            Copied(style, str(library.cite(passage, style)), _paragraphs(html.reference, html.in_text))
        )
    return copies + [Copied(kind, library.bibliography(kind, books=[passage])) for kind in BibliographyFormat]


def _words(passage: Passage) -> str:
    return " ".join((passage.sentence or passage.text).split())


def _paragraphs(*texts: str) -> Markup:
    """Return texts in which only italics are marked up, and everything else is escaped, as paragraphs."""
    return Markup("").join(Markup("<p>{}</p>").format(Markup(text)) for text in texts if text)


def _quoted(words: str, in_text: str) -> Markup:
    quote = Markup("<blockquote>{}</blockquote>").format(escape(words))
    return quote + Markup("<p>— {}</p>").format(Markup(in_text))
