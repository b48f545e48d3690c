"""What each page shows: the values of its template, and the same as a JSON document."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from alexandria.book.filters import Filters
from alexandria.book.filters import filters as known_filters
from alexandria.book.languages import primary_language
from alexandria.book.suggest import suggestion
from alexandria.doors.web.books import Books, Part, cited, cited_in_all_styles
from alexandria.doors.web.frames import Frame, frames, png_of
from alexandria.doors.web.requests import RefusedError
from alexandria.errors import AlexandriaError, ConfigError
from alexandria.library.cite.works import reference_order, year_of_work
from alexandria.library.libraries import AnyLibrary
from alexandria.library.read.viewers import plan_viewing
from alexandria.library.search.request import SearchRequest
from alexandria.show.html.checking import check_values
from alexandria.show.json.checking import check_document
from alexandria.show.json.library import book_entry, find_document
from alexandria.show.json.serving import (
    book_document,
    citations_document,
    page_document,
    reading_document,
    results_document,
)
from alexandria.store.passage import Hit, Passage, Quotation
from alexandria.store.record import Record, work_of

HITS = 10  # hits that a search shows by default
MAX_HITS = 50
_MAX_CHOICES = 500  # authors, and titles, that a filter offers to choose from
_CHUNKS = 8  # chunks that the reading view shows: some ten pages of a book
_BOOK_ID = re.compile(r"[0-9a-f]{8,64}")
_MARK = re.compile(r"(\d{1,12})-(\d{1,12})")
_AROUND = 200  # characters of text before and after a quotation
_MAX_DIGITS = 9  # digits of a number in an address
_MAX_QUERY = 2_000  # characters; the rest of a longer query is dropped
_DOI = re.compile(r"(?:doi:|urn:doi:)(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ISBN = re.compile(r"(?:isbn:|urn:isbn:)?((?:97[89])?[\d-]{9,16}[\dX])", re.IGNORECASE)

Values = Mapping[str, str]  # the values of a request's query, by name


class MarkedSpan(NamedTuple):
    """The words that a page marks, by their offsets in the book's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """A page before it is rendered."""

    template: str
    values: Mapping[str, Any]
    document: Callable[[], Any]  # makes the page's JSON document


class Pages:
    """The pages of a library."""

    def __init__(self, library: AnyLibrary, password: str | None = None) -> None:
        """Show a library.

        Args:
            library: read by several threads.
            password: the password of its encrypted PDFs.
        """
        self._books, self._password = Books(library), password

    def shelf(self, values: Values | None = None) -> View:
        """Return the books of the library, editions of one work together, in the order asked for."""
        records = self._books.records()
        works: dict[str, list[Record]] = {}
        for record in records:
            works.setdefault(work_of(record), []).append(record)
        order = (values or {}).get("sort", "")
        order = order if order in _ORDERS else "title"
        ranked = sorted(works.values(), key=lambda editions: _ORDERS[order](editions[0]))
        shelves = groupby(ranked, lambda editions: editions[0].domain if order == "field" else "")
        groups = [(heading, list(on_it)) for heading, on_it in shelves]
        shown = {"groups": groups, "orders": list(_ORDERS), "order": order, "year_of": year_of_work}
        return View("shelf.html", shown, lambda: [book_entry(record) for record in records])

    def results(self, values: Values) -> View:
        """Return the passages that answer a query; without a query, the shelf."""
        _refuse_unknown(values)
        query = _parse_query(values)
        if not query:
            return self.shelf()
        request = _parse_search(values)
        results, widened = self._books.search(request), {**values, "limit": str(MAX_HITS)}
        shown = {
            "query": query,
            "results": results,
            "links": [_hit_link(hit, n, values) for n, hit in enumerate(results)],
            **cited(self._books.library, list(results)),
            "everywhere": _make_address("search", {**values, "everywhere": "1"}) if results.named else None,
            "exact": _make_address("search", {**values, "exact": "1"}) if results.respelled else None,
            "more": _make_address("search", widened) if request.limit == HITS else None,
        }
        return View("search.html", shown, lambda: results_document(query, _parse_filters(values), results))

    def places(self, values: Values) -> View:
        """Return where a quotation comes from, or what is nearest in meaning; without one, the shelf."""
        _refuse_unknown(values)
        quoted = _parse_query(values)
        if not quoted:
            return self.shelf()
        filters = _parse_filters(values)
        places, nearest = self._books.find(quoted, filters)
        passages: Sequence[Passage] = places or nearest
        shown = {
            "query": quoted,
            "places": places,
            "nearest": nearest,
            "links": [_reading_link(passage, passage.best, filters) for passage in passages],
            "around": [_around(passage) for passage in passages],
            **cited(self._books.library, passages),
        }
        return View("find.html", shown, lambda: find_document(places))

    def check(self, text: str) -> View:
        """Return a text with its quotations marked, and a form for another; nothing is kept."""
        library = self._books.library
        report = library.check_text(text) if text.strip() else None
        shown = {"text": text, "report": report, **(check_values(report) if report else {})}
        return View("check.html", shown, lambda: check_document(report or library.check_text(text)))

    def book(self, id: str) -> View:
        """Return a book and its contents."""
        record = self._find_record(id)
        contents = self._books.contents(record)
        shown = {
            "record": record,
            "contents": contents,
            "editions": self._other_editions(record),
            "first_page": self._books.first_page(record) if record.format == "pdf" else None,
            "links_out": _web_links(record),
        }
        return View("book.html", shown, lambda: book_document(record, contents))

    def reading(self, id: str, values: Values) -> View:
        """Return a part of a book's text with its cuts.

        Args:
            values: `hit`, or `mark`, its start and end, to mark in the text; `chunk`, the first chunk of the
                part, by default the one before the hit; and the search that led here, if any.
        """
        record = self._find_record(id)
        mark = _parse_mark(values.get("mark", ""))
        if mark is None and (hit := values.get("hit")):
            of_hit = self._books.library.passage(hit)
            mark = MarkedSpan(*(of_hit.best or (of_hit.start, of_hit.end)))
        first = _parse_number(values, "chunk", 0)
        if mark is not None and "chunk" not in values:
            whole = self._books.part(record, 0, record.n_chunks)
            first = max(0, _chunk_at(whole, mark.start) - 1)
        if first >= record.n_chunks:
            raise ConfigError(
                f"there is no chunk {first} in “{record.title}”", why=f"it has {record.n_chunks}"
            )
        stop = first + _CHUNKS
        part = self._books.part(record, first, _CHUNKS)
        passage = _passage_in(self._books.library, record, part, mark)
        shown = {
            "record": record,
            "part": part,
            "reasons": part.reasons,
            "mark": mark,
            "hits": self._neighbouring_hits(values),
            "marked_page": _page_of(passage, mark),
            "calibre": _calibre_address(passage, record),
            "command": f"alexandria open {passage.short_id}",
            "earlier": _part_address(record, max(0, first - _CHUNKS), values) if first else None,
            "later": _part_address(record, stop, values) if stop < record.n_chunks else None,
            "here_is": passage.place,
            "citations": cited_in_all_styles(self._books.library, passage),
            "quoted": cited(self._books.library, [passage])["quotations"][0],
        }
        return View("read.html", shown, lambda: reading_document(record, part.inspection, part.reasons))

    def page(self, id: str, number: int, values: Values) -> View:
        """Return a page of a PDF: its picture, and the text on it."""
        record = self._find_record(id)
        if record.format != "pdf" or not 1 <= number <= (record.n_pages or 0):
            raise RefusedError(404, "there is no such page")
        part = self._books.page(record, number)
        mark = _parse_mark(values.get("mark", ""))
        shown = {
            "record": record,
            "number": number,
            "part": part,
            "pieces": part.pieces_on(number),
            "mark": mark,
            "frames": self._frames(record, number, part, mark),
        }
        return View("page.html", shown, lambda: page_document(record, number, part.inspection, part.reasons))

    def _frames(self, record: Record, page: int, part: Part, mark: MarkedSpan | None) -> list[Frame]:
        """Return the boxes around the marked words on a page; none if they are on another page."""
        if mark is None or not _contains(part, mark.start):
            return []
        # `best`: the boxes are those of the marked words, not of the sentence that begins there.
        passage = replace(_passage_in(self._books.library, record, part, mark), best=mark)
        if all(quad.page != page for quad in passage.quads):
            return []
        picture = self._books.library.page_picture(record.book_id, page, password=self._password)
        return frames(passage, page, picture)

    def picture(self, id: str, number: int) -> bytes:
        """Return the picture of a page of a PDF, as PNG."""
        record = self._find_record(id)
        return png_of(self._books.library.page_picture(record.book_id, number, password=self._password))

    def cite(self, values: Values) -> View:
        """Return a passage cited in every style."""
        hit = values.get("hit", "")
        passage = self._books.library.passage(hit)
        citations = cited_in_all_styles(self._books.library, passage)
        quoted = cited(self._books.library, [passage])["quotations"][0]
        shown = {"passage": passage, "citations": citations, "quoted": quoted}
        return View(
            "cite.html",
            shown,
            lambda: citations_document(
                hit, [*((copied.key, copied.text) for copied in citations), ("quotation", quoted.text)]
            ),
        )

    def layout_values(self) -> dict[str, Any]:
        """Return the values of the layout, which all pages share: the filters, with what can be chosen.

        If the library cannot be read, nothing can be chosen; the page itself says why.
        """
        try:
            records = self._books.library.books()
        except AlexandriaError:
            records = []
        return {
            "authors": sorted({record.author for record in records if record.author})[:_MAX_CHOICES],
            "languages": sorted(
                {primary_language(lang) or lang for record in records if (lang := record.language)}
            ),
            "domains": sorted({record.domain for record in records}),
            "titles": sorted({record.title for record in records})[:_MAX_CHOICES],
            "n_books": len(records),
            "filters": [(name, name.capitalize()) for name in _FILTERS],
        }

    def _find_record(self, id: str) -> Record:
        if not _BOOK_ID.fullmatch(id):
            raise RefusedError(404, "there is no such book")
        return self._books.library.book(id)

    def _other_editions(self, record: Record) -> list[Record]:
        work = work_of(record)
        return [
            other
            for other in self._books.library.books()
            if work_of(other) == work and other.book_id != record.book_id
        ]

    def _neighbouring_hits(self, values: Values) -> dict[str, Any] | None:
        """Return the hits before and after the one shown, in the search that led here; None without one."""
        query, n = _parse_query(values), _parse_number(values, "n", -1)
        if not query or not 0 <= n < MAX_HITS:
            return None
        results = self._books.search(_parse_search(values))
        if n >= len(results):
            return None
        return {
            "query": query,
            "n": n,
            "of": len(results),
            "all": _make_address("search", {key: value for key, value in values.items() if key in CARRIED}),
            "previous": _hit_link(results[n - 1], n - 1, values) if n else None,
            "next": _hit_link(results[n + 1], n + 1, values) if n + 1 < len(results) else None,
        }


_ORDERS: Mapping[str, Callable[[Record], Any]] = {
    "title": lambda record: "",  # as they are listed
    "author": reference_order,
    "year": lambda record: year_of_work(record).zfill(4) if year_of_work(record) else "~",  # these last
    "field": lambda record: record.domain,
}  # the orders of the shelf, each with its key
_FILTERS = tuple(name for name, _ in known_filters())
_OPTIONS = ("everywhere", "exact")
CARRIED = ("q", "limit", *_OPTIONS, *_FILTERS)
"""Values of a search that the addresses of its hits carry, so that a hit leads to the next one."""


def _parse_query(values: Values) -> str:
    return " ".join(values.get("q", "").split())[:_MAX_QUERY]


def _refuse_unknown(values: Values) -> None:
    """Refuse a value that is no filter, as the command line does: the answer would not be what was asked."""
    if unknown := sorted(values.keys() - set(CARRIED)):
        raise ConfigError(
            f"there is no filter {unknown[0]!r}",
            why=f"the filters are {', '.join(_FILTERS)}",
            fix=suggestion(unknown[0], _FILTERS),
        )


def _parse_search(values: Values) -> SearchRequest:
    """Return the search that the fields of the form ask for."""
    return SearchRequest(
        query=_parse_query(values),
        limit=min(max(1, _parse_number(values, "limit", HITS)), MAX_HITS),
        everywhere=bool(values.get("everywhere")),
        exact=bool(values.get("exact")),
        filters=Filters(**_parse_filters(values)),
    )


def _parse_filters(values: Values) -> dict[str, str]:
    return {name: value for name in _FILTERS if (value := values.get(name, "").strip())}


def _parse_number(values: Values, name: str, default: int) -> int:
    """Return a value as a number; the default if it is missing, not a number, or too long for one."""
    text = values.get(name, "")
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else default


def _parse_mark(text: str) -> MarkedSpan | None:
    """Return the mark that a text such as `120-164` stands for, or None if it is not one."""
    match = _MARK.fullmatch(text)
    return MarkedSpan(int(match[1]), int(match[2])) if match else None


def _make_address(path: str, values: Values) -> str:
    """Return an address relative to the shelf, with those values that a page knows."""
    kept = {key: value for key, value in values.items() if value and key in (*CARRIED, "mark", "n", "chunk")}
    return f"{path}?{urlencode(kept, quote_via=quote)}" if kept else path


def _hit_link(hit: Hit, n: int, values: Values) -> str:
    """Return the address of the reading view at a hit, with the search that led there."""
    # `n`: its index among the hits of the search.
    # `values`: the values of the search form's fields.
    carried = {key: value for key, value in values.items() if key in CARRIED}
    return _reading_link(hit, hit.best or hit.excerpt, {**carried, "n": str(n)})


def _reading_link(passage: Passage, mark: tuple[int, int] | None, values: Values) -> str:
    """Return the address of the reading view with these characters marked, or else the whole passage."""
    start, end = mark or (passage.start, passage.end)
    path = f"book/{passage.book_id[:16]}/read"
    return _make_address(path, {**values, "mark": f"{start}-{end}"}) + "#hit"


def _around(passage: Passage) -> dict[str, str]:
    """Return the words of a passage that were found, and the text before and after them."""
    start, end = passage.best or (passage.start, passage.end)
    text, first, last = passage.text, start - passage.start, end - passage.start
    words = text[first:last]
    if isinstance(passage, Quotation):
        words, text = passage.words, "" if passage.in_note else text  # a note is not among the words there
    before, after = text[max(0, first - _AROUND) : first], text[last : last + _AROUND]
    if first > _AROUND:  # not from the middle of a word
        before = f"… {before.partition(' ')[2]}"
    if last + _AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} …"
    return {"before": before, "words": words, "after": after}


def _part_address(record: Record, chunk: int, values: Values) -> str:
    kept = {key: value for key, value in values.items() if key != "chunk"}
    return _make_address(f"book/{record.book_id[:16]}/read", {**kept, "chunk": str(chunk)})


def _chunk_at(part: Part, offset: int) -> int:
    return max((chunk.index for chunk in part.chunks if chunk.start <= offset), default=0)


def _passage_in(library: AnyLibrary, record: Record, part: Part, mark: MarkedSpan | None) -> Passage:
    """Return the marked passage if it begins in this part of the book, otherwise the part's first chunk."""
    offset = mark.start if mark is not None and _contains(part, mark.start) else part.chunks[0].start
    return library.passage(f"{record.book_id[:16]}-{offset}")


def _contains(part: Part, offset: int) -> bool:
    return any(chunk.start <= offset < chunk.end for chunk in part.chunks)


def _page_of(passage: Passage, mark: MarkedSpan | None) -> int | None:
    """Return the number in the file of the page on which the mark begins, or None without a mark or pages."""
    pages = replace(passage, best=mark).cited_pages if mark else ()
    return pages[0].page if pages else None


def _calibre_address(passage: Passage, record: Record) -> str | None:
    """Return the `calibre://` address of a passage, or None if it is not in an EPUB in a Calibre library."""
    # Other viewers cannot be started from a web page, nor can it link to files.
    view = plan_viewing(
        passage, Path(record.source), which=lambda name: None
    )  # as if no viewer were installed
    return view.address if view is not None and view.address.startswith("calibre://") else None


def _web_links(record: Record) -> Sequence[tuple[str, str]]:
    """Return the web addresses among a book's identifiers, as text and link."""
    links = []
    for identifier in record.identifiers:
        if identifier.startswith(("https://", "http://")):
            links.append((identifier, identifier))
        elif match := _DOI.fullmatch(identifier):
            links.append((identifier, f"https://doi.org/{quote(match[1], safe='/')}"))
        elif match := _ISBN.fullmatch(identifier):
            isbn = match[1].replace("-", "")
            links.append((f"ISBN {isbn}", f"https://openlibrary.org/isbn/{isbn}"))
    return links
