"""What a library returns: a stored chunk as a `Passage`, and as a `Hit` when it answers a query."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from textwrap import shorten
from typing import Any

from alexandria.book.model import Article, PageStart, Point, article_of, pages_between
from alexandria.book.places import (
    BLOCK_SEPARATOR,
    LinePart,
    Quad,
    cfi_at,
    parts_between,
    shift_anchors,
)
from alexandria.book.volumes import Volume, volume_of
from alexandria.book.words import count_of
from alexandria.store.locator import make_locator, quote_between
from alexandria.store.payload import parse_hrefs, parse_numbers, parse_pages

_MAX_TITLES = 5  # books that a summary names
MAX_OMITTED = 400  # letters for which the dots in a quotation may stand
LEFT_OUT = "contents, index and other matter left out"
"""What is in no book of a library, unless it is read with `--keep-matter`, as messages name it."""
_REPR_WIDTH = 60  # characters of its text that the representation of a passage shows


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Passage:
    """A stored chunk with what a reader would cite. Its offsets are characters of the book's text."""

    id: str
    """The id of its point in the collection."""
    payload: Mapping[str, Any]
    """All that is stored with it; the attributes below read it."""
    best: tuple[int, int] | None = None
    """Start and end, in the book's text, of the sentence it was found for; None where that is not known."""
    collection: str | None = None
    """The collection it is from, where several are read as one (`Libraries`)."""

    def __repr__(self) -> str:
        page = f", p. {self.page}" if self.page else ""
        words = shorten(self.sentence or self.text, _REPR_WIDTH, placeholder=" …")
        return f"<{type(self).__name__} {self.short_id} “{self.title}”{page}: {words!r}>"

    @property
    def short_id(self) -> str:
        """A name of the passage that every command takes, such as `1a2b3c4d-5120`.

        It has the first eight digits of the book's id, and the offset in the book's text of the sentence, or
        else of the chunk. It leads to the same words while that text stays the same, however it is cut.
        """
        return f"{self.book_id[:8]}-{self._span[0]}"

    @property
    def text(self) -> str:
        """The chunk's text, a slice of the book's."""
        return str(self.payload["text"])

    @property
    def sentence(self) -> str | None:
        """The text of the sentence it was found for; None where that is not known."""
        if self.best is None:
            return None
        start, end = self.best
        return self.text[start - self.start : end - self.start]

    @property
    def title(self) -> str:
        """The book's title."""
        return str(self.payload["book_title"])

    @property
    def author(self) -> str:
        """The book's authors, separated by commas; empty where none is known."""
        return str(self.payload["author"] or "")

    @property
    def chapter_author(self) -> str | None:
        """Who wrote the chapter, if others edited the book; several separated by commas."""
        return self.payload.get("chapter_author")

    @property
    def chapter_title(self) -> str | None:
        """The title of that chapter."""
        return self.payload.get("chapter_title")

    @property
    def as_article(self) -> Article:
        """The article that its text is, if it is one."""
        return article_of(self.payload.get)

    @property
    def as_volume(self) -> Volume:
        """The volume that its book is, if it is one, and the book's title without it."""
        stated = (str(self.payload.get(key) or "") for key in ("series", "volume", "volume_title"))
        return volume_of(self.title, *stated)

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above it, outermost first."""
        return tuple(self.payload["section"])

    @property
    def pages(self) -> tuple[PageStart, ...]:
        """The pages it is on, in order; empty where the book has none."""
        if stored := parse_pages(self.payload):
            return stored
        if self.page_start is None and self.page_label is None:
            return ()
        return (PageStart(self.start, self.page_start, self.page_label),)

    @property
    def cited_pages(self) -> tuple[PageStart, ...]:
        """The first and the last page of the sentence that was found, or of all its text if none was.

        One page if these are the same; empty if the book has no pages.
        """
        cited = pages_between(self.pages, *self._span)
        if not cited:
            return ()
        first, last = cited[0], cited[-1]
        is_one_page = (first.page, first.label) == (last.page, last.label)
        return (first,) if is_one_page else (first, last)

    @property
    def page(self) -> str | None:
        """The page to cite, or the range of pages: printed labels, otherwise numbers in the file."""
        names = [page.label or str(page.page) for page in self.cited_pages]
        return "–".join(names) or None

    @property
    def verse(self) -> str | None:
        """Chapter and verse of its sentence, otherwise of its text: `3:16`, or `3:16–18` for several."""
        verse = re.search(r"\d+:\d.*", self.cited_verse)  # the name of the book may have a colon too
        return verse[0] if verse else None

    @property
    def cited_verse(self) -> str:
        """The same after the name of the book, `Genesis 3:16–18`; empty where no verse is known."""
        verses = pages_between(parse_pages(self.payload, "verse_starts"), *self._span)
        names = [*dict.fromkeys(verse.label for verse in verses if verse.label)]
        whole = "–".join(names[:: len(names) - 1 or 1])  # the first and the last
        return re.sub(r"(.* )(\d+:)(\d+)–\1(?:\2)?", r"\1\2\3–", whole)

    @property
    def page_label(self) -> str | None:
        """The printed label of the page it begins on, such as `xii`."""
        return self.payload.get("page_label")

    @property
    def page_start(self) -> int | None:
        """The page it begins on, counted from 1 in the file."""
        return self.payload.get("page_start")

    @property
    def page_end(self) -> int | None:
        """The page it ends on, counted from 1 in the file."""
        return self.payload.get("page_end")

    @property
    def book_id(self) -> str:
        """The book's id: the sha256 of its file."""
        return str(self.payload["book_id"])

    @property
    def generation(self) -> str:
        """Identifies its book under one configuration."""
        return str(self.payload["generation"])

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that it cites."""
        return tuple(self.payload.get("notes") or ())

    @property
    def ocr_confidence(self) -> float | None:
        """How certain its words are, to 100, if they were read from scanned pages."""
        return self.payload.get("ocr_confidence")

    @property
    def text_layer(self) -> bool | None:
        """True if any of it is from the text layer of scanned pages, as another OCR program read them."""
        return self.payload.get("text_layer")

    @property
    def chunk_id(self) -> int:
        """Its number among the book's chunks, from 0."""
        return int(self.payload["chunk_id"])

    @property
    def start(self) -> int:
        """Offset of its first character."""
        return int(self.payload["start"])

    @property
    def end(self) -> int:
        """Offset after its last character."""
        return int(self.payload["end"])

    @property
    def sentence_starts(self) -> tuple[int, ...]:
        """Offsets of its sentences."""
        return parse_numbers(self.payload, "sentence_starts")

    @property
    def word_count(self) -> int:
        """The number of its words."""
        return int(self.payload["word_count"])

    @property
    def domain(self) -> str:
        """The domain the book was ingested under."""
        return str(self.payload["domain"])

    @property
    def language(self) -> str | None:
        """BCP 47 tag of the book's language, such as `en` or `pt-BR`."""
        return self.payload.get("language")

    @property
    def format(self) -> str:
        """The format of the file, such as `epub`."""
        return str(self.payload["format"])

    @property
    def source(self) -> str:
        """Path of the file the book was read from, relative to the folder that was ingested."""
        return str(self.payload["source"])

    @property
    def href(self) -> str | None:
        """`file#anchor` inside the book, where its format has them, at its sentence or else its text."""
        href: str | None = self.payload["href"]
        start, _ = self._span
        for begin, later in parse_hrefs(self.payload):
            if begin <= start:
                href = later
        return href

    @property
    def cfi(self) -> str | None:
        """Where its sentence, otherwise its text, begins in an EPUB, as an EPUB CFI; None elsewhere."""
        return cfi_at(self._anchors, self._span[0])

    @property
    def quads(self) -> tuple[Quad, ...]:
        """Boxes around its sentence, otherwise around its text, in a PDF, line by line; empty elsewhere."""
        return tuple(part.quad for part in self.line_parts)

    @property
    def line_parts(self) -> tuple[LinePart, ...]:
        """The lines that `quads` surrounds, with their offsets."""
        return parts_between(self._anchors, *self._span, self.end)

    @property
    def _anchors(self) -> str:
        """Where in the file its text is from (`book/places.py`), with offsets in the book's text."""
        return self.payload.get("anchors") or ""

    @property
    def locator(self) -> dict[str, Any]:
        """Where its sentence, otherwise the first paragraph of its text, is: a Readium Locator.

        `href`: a document of an EPUB, otherwise the file; `type`; `title`; `locations` with `fragments`,
        `partialCfi` (EPUB), or `position`, a page, and `quads` (PDF: page, left, bottom, right, top in
        points), `verse`, such as `3:16`, and `totalProgression`, from 0 to 1; `text` with the words as the
        file has them and what is before and after them; `chapter_author` if others edited the book.
        """
        stored = (self.payload.get("locator") or {}).get("locations", {})
        locations = {key: stored[key] for key in ("totalProgression",) if key in stored}
        if self.quads:
            locations["quads"] = [
                [quad.page, quad.left, quad.bottom, quad.right, quad.top] for quad in self.quads
            ]
        start, end = self._span_in_text
        if (end_of_block := self.text.find(BLOCK_SEPARATOR, start, end)) > start:
            end = end_of_block
        locator = make_locator(
            format=self.format,
            source=self.source,
            href=self.href,
            cfi=self.cfi,
            page=self.cited_pages[0].page if self.cited_pages else None,
            title=self.section[-1] if self.section else "",
            locations=locations | ({"verse": self.verse} if self.verse else {}),
            text=self._quote_between(start, end),
        )
        return {**locator, "chapter_author": self.chapter_author} if self.chapter_author else locator

    @property
    def quote(self) -> dict[str, str]:
        """Its sentence, otherwise its text, as the file has it: a TextQuoteSelector of the W3C."""
        text = self._quote_between(*self._span_in_text)
        return {
            "type": "TextQuoteSelector",
            "exact": text["highlight"],
            "prefix": text["before"],
            "suffix": text["after"],
        }

    @property
    def _span(self) -> tuple[int, int]:
        """Where its sentence, otherwise its text, begins and ends in the book's text."""
        return self.best or (self.start, self.end)

    @property
    def _span_in_text(self) -> tuple[int, int]:
        """Where its sentence, otherwise its text, begins and ends in its own text."""
        start, end = self._span
        return start - self.start, end - self.start

    def _quote_between(self, start: int, end: int) -> dict[str, str]:
        """Return the words between two offsets in its own text, as `quote_between` does."""
        # The anchors have offsets in the book's text.
        return quote_between(shift_anchors(self._anchors, -self.start), self.text, start, end)

    @property
    def place(self) -> str:
        """Section and page in one string: `Part One › 2. Dyes, p. 12`; empty where neither is known.

        A verse takes the place of the page, and of the headings from that of its book on.
        """
        book = self.cited_verse.removesuffix(self.verse or "").strip()
        section = [*takewhile(lambda heading: not book or book not in heading, self.section)]
        parts = [" › ".join(section)] if section else []
        if book:
            parts.append(self.cited_verse)
        elif pages := self.cited_pages:
            several = len(pages) > 1
            if pages[0].label:
                parts.append(f"{'pp.' if several else 'p.'} {self.page}")
            else:
                parts.append(f"{'pages' if several else 'page'} {self.page} of the file")
        return ", ".join(parts)

    @property
    def citation(self) -> str:
        """Author, title, section and page in one string."""
        return ", ".join(
            part
            for part in (self.chapter_author or self.author, self.as_volume.full_title, self.place)
            if part
        )


def passage_of(point: Point) -> Passage:
    """Return a point as a passage."""
    return Passage(id=point.id, payload=point.payload)


LINE = 0.4  # a passage with a lower relevance probably does not answer (docs/lab/search.md)
STRONG = 0.75  # a passage with at least this relevance probably does


class Strength(StrEnum):
    """How likely a passage answers a question."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"
    NONE = "none"  # of an answer without any passage


def strength_of(relevance: float) -> Strength:
    """Return a relevance in a word."""
    if relevance < LINE:
        return Strength.WEAK
    return Strength.STRONG if relevance >= STRONG else Strength.FAIR


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Hit(Passage):
    """A passage that answers a query."""

    score: float
    """Higher is better; comparable within one search only."""
    relevance: float | None = None
    """How likely it answers the query, from 0 to 1, comparable between searches; None where it is not known.
    Below 0.4 it probably does not."""
    excerpt: tuple[int, int] | None = None
    """Start and end of the two or three sentences that answer best, by meaning and by keyword."""
    also_in: tuple[Passage, ...] = ()
    """The same words in other editions of the work that the library has."""
    before: tuple[str, ...] = ()
    """The texts of the chunks before it in the book, in reading order, as many as were requested."""
    after: tuple[str, ...] = ()
    """The texts of the chunks after it."""

    @property
    def strength(self) -> Strength | None:
        """Its relevance in a word; None where that is not known."""
        return None if self.relevance is None else strength_of(self.relevance)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Quotation(Passage):
    """A passage with the words that were looked for: at `best`, which may end in the next chunk."""

    words: str
    """The words as the book has them."""
    nearness: float
    """The share of its letters that are the same, from 0 to 1; punctuation and case do not count."""
    near: bool = False
    """Whether more than one letter in twelve differs: it may be another wording, or another text."""
    in_note: bool = False
    """Whether the words are those of a note, whose mark is at `best`."""
    differences: tuple[str, ...] = ()
    """In what it differs from the quotation: `capitals`, `spacing`, `punctuation`, `accents`, `points`,
    `spelling of letters`, or else `letters`, `omission` or `ends inside a word`; empty if word for word."""

    @property
    def place(self) -> str:
        """As of any passage, with `in a note` where the words are in one."""
        place = Passage.place.__get__(self)
        return ", ".join(filter(None, (place, "in a note"))) if self.in_note else place


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What was looked at for a quotation."""

    n_books: int
    n_words: int
    slips: int
    """Letters by which a place may differ to be found for certain; of several parts, each."""
    n_parts: int = 1
    """The parts of the quotation, between dots, or its sentences if it is long."""
    partial: tuple[str, ...] = ()
    """The titles of books of which parts could not be read, or that have no text."""
    apart: tuple[str, ...] = ()
    """The titles of books that have all parts, but too far apart or in another order."""
    in_chapters: bool = False
    """Whether only some chapters of these books were looked at: those that a filter let pass."""
    n_not_ready: int = 0
    """Books whose letters are not there yet: only the likeliest chunks of these were looked at."""
    keeps_matter: bool = True
    """Whether all books were read with their contents, index and copyright page."""


class Places(list[Quotation]):
    """The places of a quotation: those within the slips first, then those that are only near."""

    def __init__(
        self, places: Iterable[Quotation], searched: Searched, n_places: int, titles: Sequence[str]
    ) -> None:
        """List some of them."""
        super().__init__(places)
        self.searched, self.n_places, self.titles = searched, n_places, tuple(titles)
        """What was looked at; how many places there are in all, without near ones, and in which works."""

    @property
    def summary(self) -> str:
        """Say how many places there are, or where none is, and what was looked at and what was not."""
        looked = self.searched
        unread = list[str]()
        if looked.n_not_ready:
            unread.append(f"{count_of(looked.n_not_ready, 'other book')} not ready yet: ask again")
        if self.n_places:
            named = ", ".join(self.titles[:_MAX_TITLES]) + ", …" * (len(self.titles) > _MAX_TITLES)
            n_books = count_of(len(self.titles), "book")
            found = f"Stands at {count_of(self.n_places, 'place')} in {n_books}: {named}"
            return "; ".join((found, *unread)) + "."
        whole = f"the {looked.n_books:,} books" if looked.n_books > 1 else "the book"
        whole = count_of(looked.n_books, "book") if looked.n_not_ready else whole
        said = f"Not in {whole} ({looked.n_words:,} words)"
        if looked.in_chapters:
            said = f"Not in the chapters of {whole} that the filters let pass"
        if looked.slips:
            said += f", with up to {count_of(looked.slips, 'slip')}"
            said += " in each part" if looked.n_parts > 1 else ""
        if looked.n_parts > 1:
            said += f", each within {MAX_OMITTED} letters after the one before"
        if looked.apart:
            titles = ", ".join(f"“{title}”" for title in looked.apart[:_MAX_TITLES])
            said += f"; all parts stand in {titles}, but further apart or in another order"
        if looked.partial:
            n = len(looked.partial)
            unread.append(f"{n} of them {'was' if n == 1 else 'were'} read with warnings (alexandria show)")
        said = "; ".join((said, *unread)) + ("" if looked.keeps_matter else f"; {LEFT_OUT} apart")
        return f"{said}. Near it:" if self else f"{said}."


def merged_places(places: Iterable[Quotation], answers: Collection[Places]) -> Places:
    """Return places of several libraries, with what was looked at in all of them."""
    searched = Searched(
        n_books=sum(answer.searched.n_books for answer in answers),
        n_words=sum(answer.searched.n_words for answer in answers),
        slips=max(answer.searched.slips for answer in answers),
        partial=tuple(title for answer in answers for title in answer.searched.partial),
        apart=tuple(title for answer in answers for title in answer.searched.apart),
        in_chapters=any(answer.searched.in_chapters for answer in answers),
        n_not_ready=sum(answer.searched.n_not_ready for answer in answers),
        keeps_matter=all(answer.searched.keeps_matter for answer in answers),
        n_parts=max(answer.searched.n_parts for answer in answers),
    )
    n_places = sum(answer.n_places for answer in answers)
    found = [place for place in places if not (place.near and n_places)]
    return Places(found, searched, n_places, [title for answer in answers for title in answer.titles])
