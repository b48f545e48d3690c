"""What a library returns: a stored chunk as a `Passage`, and as a `Hit` when it answers a query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stored chunk with what a reader would cite. Its offsets are characters of the book's text."""

    id: str
    """The id of its point in the collection."""
    payload: Mapping[str, Any]
    """All that is stored with it; the attributes below read it."""

    @property
    def text(self) -> str:
        """The chunk's text, a slice of the book's."""
        return str(self.payload["text"])

    @property
    def title(self) -> str:
        """The book's title."""
        return str(self.payload["book_title"])

    @property
    def author(self) -> str:
        """The book's authors, separated by commas; empty where none is known."""
        return str(self.payload["author"] or "")

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above it, outermost first."""
        return tuple(self.payload["section"])

    @property
    def page(self) -> str | None:
        """The page it begins on as a reader cites it: its printed label, otherwise its number in the file."""
        return self.page_label or (str(self.page_start) if self.page_start else None)

    @property
    def page_label(self) -> str | None:
        """The printed label of the page it begins on, such as `xii`."""
        label: str | None = self.payload["page_label"]
        return label

    @property
    def page_start(self) -> int | None:
        """The page it begins on, counted from 1 in the file."""
        page: int | None = self.payload["page_start"]
        return page

    @property
    def page_end(self) -> int | None:
        """The page it ends on, counted from 1 in the file."""
        page: int | None = self.payload["page_end"]
        return page

    @property
    def book_id(self) -> str:
        """The book's id: the sha256 of its file."""
        return str(self.payload["book_id"])

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
    def domain(self) -> str:
        """The domain the book was ingested under."""
        return str(self.payload["domain"])

    @property
    def language(self) -> str | None:
        """BCP 47 tag of the book's language, such as `en` or `pt-BR`."""
        tag: str | None = self.payload["language"]
        return tag

    @property
    def format(self) -> str:
        """The format of the file, such as `epub`."""
        return str(self.payload["format"])

    @property
    def source(self) -> str:
        """Absolute path of the file the book was read from."""
        return str(self.payload["source"])

    @property
    def href(self) -> str | None:
        """`file#anchor` inside the book, where its format has them."""
        href: str | None = self.payload["href"]
        return href

    @property
    def place(self) -> str:
        """Section and page in one string: `Part One › 2. Dyes, p. 12`; empty where neither is known."""
        parts = [" › ".join(self.section)] if self.section else []
        if self.page_label:
            parts.append(f"p. {self.page_label}")
        elif self.page_start:
            parts.append(f"page {self.page_start} of the file")
        return ", ".join(parts)

    @property
    def citation(self) -> str:
        """Author, title, section and page in one string."""
        return ", ".join(part for part in (self.author, self.title, self.place) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Passage):
    """A passage that answers a query."""

    score: float
    """Higher is better; comparable within one search only."""
    best: tuple[int, int] | None = None
    """Start and end, in the book's text, of the sentence that answers best; None where that is not known."""
    excerpt: tuple[int, int] | None = None
    """Start and end of the two or three sentences that answer best, by meaning and by words."""
    also_in: tuple[Passage, ...] = ()
    """The same words in other editions of the work that the library has."""
    before: tuple[str, ...] = ()
    """The texts of the chunks before it in the book, in reading order, as many as were requested."""
    after: tuple[str, ...] = ()
    """The texts of the chunks after it."""

    @property
    def sentence(self) -> str | None:
        """The text of the sentence that answers best; None where that is not known."""
        if self.best is None:
            return None
        start, end = self.best
        return self.text[start - self.start : end - self.start]
