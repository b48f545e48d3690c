"""The values that flow from a file to the store, in the order in which they arise.

    Book → Sentence → embeddings → Segmentation → Chunk → Point

After extraction the text never changes: everything that follows is a half-open span of `Book.text`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from alexandria.book.languages import language_tag
from alexandria.book.patterns import pattern
from alexandria.book.people import Contributor
from alexandria.book.weighed import Balance, KeptTogether

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# In quotes, like all arrays below: numpy would double the start-up time of the process that reads files.
Embeddings: TypeAlias = "NDArray[np.float32]"  # (n, dim) float32, one row per text, each of length 1


class BlockKind(StrEnum):
    """What a block is on the page."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    QUOTE = "quote"
    VERSE = "verse"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a book states about itself; empty where it states nothing."""

    title: str = ""
    subtitle: str = ""
    authors: tuple[str, ...] = ()  # as displayed; where the book states nobody else, its editors
    people: tuple[Contributor, ...] = ()
    """Everybody that the book names with a role, authors among them; empty where only `authors` are known."""
    language: str | None = None  # BCP 47 tag, such as `en` or `pt-BR`
    language_source: str | None = None  # `metadata`, `detected`, or None if the language is unknown
    publisher: str = ""
    place: str = ""  # where it was published
    date: str = ""  # of this edition
    original_date: str = ""  # of the first edition
    edition: str = ""
    url: str = ""
    identifiers: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    series: str = ""  # the series with the book's number in it, as in `Discworld 8`
    volume: str = ""  # the volume of a work in several volumes, where the book states it apart from its title
    volume_title: str = ""
    container: str = ""
    """The journal that it is an article of; empty for a book. The next three are of the article in it."""
    container_volume: str = ""
    issue: str = ""
    pages: str = ""  # as printed: `167–191`
    guessed_title: str = ""
    """The title of a book that states none: as its first page prints it, or else the name of its file."""

    @property
    def kind(self) -> str:
        """`article` or `book`."""
        return "article" if self.container else "book"

    def __post_init__(self) -> None:
        """Put the language into one form; what names none is left out, and the language detected."""
        if self.language is not None and (tag := language_tag(self.language)) != self.language:
            object.__setattr__(self, "language", tag)
            if tag is None:
                object.__setattr__(self, "language_source", None)


ARTICLE_KEYS = ("container", "container_volume", "issue", "pages")
"""The fields of metadata, payloads and records that only articles have."""


class Article(NamedTuple):
    """What a stored text says of the article that it is; nothing of a book."""

    kind: str | None = None
    container: str | None = None
    container_volume: str | None = None
    issue: str | None = None
    pages: str | None = None

    @property
    def source(self) -> str:
        """The journal with volume, issue and pages: `Annals 6 (3): 167–171`; empty for a book."""
        issue = f"({self.issue})" if self.issue else ""
        place = " ".join(filter(None, (self.container, self.container_volume, issue)))
        return f"{place}: {self.pages}" if self.pages else place


def article_of(stated: Callable[[str], str | None]) -> Article:
    """Return the article that `stated` tells of by field."""
    if not stated("container"):
        return Article()
    return Article("article", *(stated(key) or None for key in ARTICLE_KEYS))


@dataclass(frozen=True, slots=True)
class Location:
    """The place of a passage, as a reader would cite it."""

    headings: tuple[str, ...] = ()  # from the outermost heading to the innermost
    page: int | None = None  # 1-based index of the page in the file
    page_label: str | None = None  # the page as printed: `xii`, `214`
    href: str | None = None  # `file#anchor` inside the book


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item…: `book.text[start:end] == text`."""

    kind: BlockKind
    text: str
    start: int
    location: Location
    break_before: bool = False
    """True if the author set a break (a rule, asterisks, an ornament, a blank line) before this block."""
    source: str = ""
    """Where its text is in the file, with offsets from its own start, as `places` describes: in an EPUB its
    text nodes, in a PDF its lines. Empty in other formats."""
    ocr_confidence: float | None = None
    """How certain the words are, 0 to 100, if they were read from a picture (OCR); None for other text."""
    text_layer: bool = False
    """Whether it is from the text layer of scanned pages, which another program has recognised."""

    @property
    def end(self) -> int:
        """Offset just after the block's last character."""
        return self.start + len(self.text)


class Contribution(NamedTuple):
    """A chapter that has authors of its own, in a book that others edited."""

    chapter_title: str
    chapter_author: str  # several are separated by commas. The names are those in the payloads of chunks.


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading, up to the next heading of any level."""

    headings: tuple[str, ...]  # the heading path, outermost first; empty for text before any heading
    level: int  # 1 for the outermost headings, 0 for text before any heading
    chapter: bool  # True if a chapter or part begins here: no chunk extends across
    href: str | None
    blocks: tuple[Block, ...]
    contribution: Contribution | None = None
    """The chapter that it is, or is in, if that has authors of its own."""


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote, separate from the text that cites it."""

    label: str  # the mark as printed: `1`, `*`
    text: str
    cited_at: int | None
    """Offset in `Book.text` just after the word that cites it; None for a note that is not cited."""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class PageStart:
    """The offset in `Book.text` at which a page begins, or a verse: its label is then `Genesis 3:16`."""

    start: int
    page: int | None
    label: str | None


def pages_between(pages: Sequence[PageStart], start: int, end: int) -> Sequence[PageStart]:
    """Return the pages that the text between two offsets is on; the first may have begun before it."""
    first = bisect_right(pages, start, key=lambda page: page.start) - 1
    return pages[max(0, first) : bisect_left(pages, end, key=lambda page: page.start)]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page of a PDF as it looks."""

    width: int
    height: int
    pixels: bytes
    """Rows from the top, each of `width` pixels from the left, three bytes each: red, green, blue."""
    transform: tuple[float, float, float, float, float, float] = (1, 0, 0, 1, 0, 0)
    """a, b, c, d, e, f, as in PDF: a point (x, y) of the page is at (ax + cy + e, bx + dy + f) of the
    picture, in shares of its width and height from the upper left corner."""
    letters: str = ""  # the letters and digits on the page, in the order of the file; none on a scan
    boxes: bytes = b""  # the box of each in points, as four float32: left, bottom, right, top


LEFT_OUT_KINDS: Mapping[str, str] = {
    "cover": "cover", "titlepage": "title page", "halftitle": "half title", "contents": "contents",
    "imprint": "imprint", "colophon": "colophon", "copyright": "copyright", "index": "index",
    "illustrations": "list of illustrations", "illustration": "caption marks",
    "running_head": "running heads", "page_number": "page numbers", "page_label": "page labels",
    "ornament": "ornaments", "licence": "licence", "website": "parts of its website",
    "line_numbers": "line numbers", "side_note": "side notes",  # in the margins
    "cues": "cues",  # the numbers and times of subtitles
    "notes": "note headings",  # above notes, which are now separate
    "note_mark": "note marks",  # the marks that cite notes, and the labels and links back of the notes
    "deleted": "deleted text",  # in tracked changes, which are read as accepted
    "comment": "comments",
    "picture": "words in pictures",  # in charts and diagrams
    "plate": "pictures without words",  # covers and plates
    "annotation": "annotation",  # what a file says of its book
    "ruby": "ruby",  # the readings above characters
    "hidden": "hidden text",  # marked in the file as not to be shown, or outside the visible part of a page
}  # fmt: skip
"""The kinds of text left out, the same in every format, each as a reader calls it."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words that extraction left out on purpose."""

    kind: str
    """One of `LEFT_OUT_KINDS`."""
    where: str
    """Where they were, such as pages or a part of the file; or what they were."""
    words: int
    """How many they were."""

    @property
    def name(self) -> str:
        """The kind as a reader calls it: `title page` for `titlepage`."""
        return LEFT_OUT_KINDS.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """A line that extraction left out on purpose."""

    kind: str  # one of `LEFT_OUT_KINDS`
    page: int  # 1-based
    text: str


@dataclass(frozen=True, slots=True)
class Book:
    """A book as read: sections of blocks, and the one text of which everything else is a span."""

    id: str
    """sha256 of the file's bytes, in hexadecimal."""
    source: str
    """The path that was read."""
    format: str
    """The name of its extractor: `epub`, `pdf`, `txt`, …"""
    metadata: Metadata
    sections: tuple[Section, ...]
    notes: tuple[Note, ...]
    page_starts: tuple[PageStart, ...]
    """Ascending by `start`; empty if the format has no pages."""
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    """What could not be read, such as a damaged chapter. A book with warnings is `partial`."""
    n_pages: int | None
    text: str
    verse_starts: tuple[PageStart, ...] = ()
    """Verses with a known book and chapter, ascending by `start`; one without a label ends the last one."""
    left_out_lines: tuple[LeftOutLine, ...] = ()
    """The lines that `left_out` counts, by kind; empty if the format has no lines."""

    @property
    def title(self) -> str:
        """The title, never empty after extraction."""
        return self.metadata.title

    @property
    def author(self) -> str:
        """All authors, separated by commas."""
        return ", ".join(self.metadata.authors)

    @property
    def language(self) -> str | None:
        """BCP 47 tag, or None."""
        return self.metadata.language

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in reading order; `Sentence.block` is an index into it."""
        return tuple(block for section in self.sections for block in section.blocks)

    def page_at(self, offset: int) -> PageStart | None:
        """Return the page that contains the character at `offset`, or None if no page is known."""
        i = bisect_right(self.page_starts, offset, key=lambda page: page.start)
        return self.page_starts[i - 1] if i else None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A half-open span of `Book.text`, inside one block; sentences are ordered."""

    start: int
    end: int
    section: int  # index into `Book.sections`
    block: int  # index into `Book.blocks`


class Reason(StrEnum):
    """Why a boundary is where it is."""

    TOPIC = "topic"
    MAX_SIZE = "max_size"
    SECTION = "section"
    BREAK = "break"  # the author's own: a rule, asterisks, an ornament, a blank line


@dataclass(frozen=True, slots=True)
class Boundary:
    """A gap that was cut. Gap i lies between sentence i and sentence i + 1."""

    gap: int
    similarity: float
    """Across the gap, in [-1, 1], as the strategy measured it; the lower, the likelier a cut."""
    threshold: float | None  # what the similarity was compared with; None if the strategy has no threshold
    reason: Reason
    rank: int | None = None  # among the gaps at which this chunk could have ended; 1 is the deepest
    n_candidates: int | None = None  # the number of those gaps
    overlap: int = 0  # the number of sentences before the gap that the next chunk repeats as context
    balance: Balance | None = None
    """What a strategy that adds up costs has weighed; None for the others, and where a section begins."""

    @property
    def margin(self) -> float | None:
        """How far the similarity is below the threshold; negative if it is above."""
        return None if self.threshold is None else self.threshold - self.similarity


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Where a book is cut: boundaries ascend and no gap appears twice."""

    similarities: "NDArray[np.float32]"  # (n_sentences - 1,)
    boundaries: tuple[Boundary, ...]
    kept: tuple[KeptTogether, ...] = ()  # where the text nearly was cut, ascending; at most one gap per chunk
    costs: tuple[float | None, ...] = ()  # of a cut at each gap; None where none may be; empty without costs


@dataclass(frozen=True, slots=True)
class Overlap:
    """The end of a chunk, repeated as context of the next one: a slice of the book."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences; `text` is a slice of the book, and chunks partition the sentences."""

    index: int
    start: int
    end: int
    text: str
    word_count: int
    first_sentence: int
    n_sentences: int
    headings: tuple[str, ...]
    """The heading path at the chunk's start."""
    page_start: int | None
    page_end: int | None
    page_label: str | None
    """The printed page at the chunk's start."""
    href: str | None
    notes: tuple[str, ...]
    """The texts of the notes cited in the chunk."""
    avg_similarity: float
    """Mean similarity of neighbouring sentences in the chunk; 1.0 for a single sentence."""
    boundary: Boundary | None
    """The boundary before the chunk; None for the first."""
    sentence_starts: tuple[int, ...] = ()
    """Where each of its sentences begins; a sentence ends before the white space that precedes the next."""
    similarities: tuple[float, ...] = ()
    """Across the gap after each of its sentences; the book's last sentence has none."""
    page_starts: tuple[PageStart, ...] = ()
    """The pages it is on; the first one may have begun before it."""
    note_marks: tuple[int, ...] = ()
    """Where each of its notes is cited."""
    anchors: str = ""
    """Where its text is in the file, with offsets in `Book.text`; see `alexandria.book.places`."""
    hrefs: tuple[tuple[int, str], ...] = ()
    """Where the text of each document of the book begins in it, and the href there; empty if it has none."""
    kept: KeptTogether | None = None
    """The gap inside it that would have been cut, but for the cues that hold the text together."""
    overlap_before: Overlap | None = None
    """What it repeats from the chunk before it: context, no part of its text."""
    ocr_confidence: float | None = None
    """How certain its words are, 0 to 100, if they were read from pictures (OCR); None for other text."""
    text_layer: bool | None = None
    """True if any of it is from the text layer of scanned pages, which another program has recognised."""
    contribution: Contribution | None = None
    """The chapter at its start, if that has authors of its own."""
    topic: tuple[str, ...] = ()
    """At most five typical words, which are far more frequent in the chunk than in the book."""

    @property
    def sentences(self) -> list[str]:
        """The texts of its sentences, without the white space after each."""
        return sentence_texts(self.text, self.start, self.sentence_starts)

    @property
    def text_with_overlap(self) -> str:
        """Its text, preceded by what it repeats from the chunk before it."""
        return f"{self.overlap_before.text}\n{self.text}" if self.overlap_before else self.text


def sentence_texts(text: str, start: int, sentence_starts: Sequence[int]) -> list[str]:
    """Return the sentences of a text that begins at `start`, where the first sentence does."""
    starts = [offset - start for offset in sentence_starts]
    return [text[start:end].rstrip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: term ids and their weights, in the same order."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk as it is stored."""

    id: str  # UUIDv5 of book id, generation and chunk index
    dense: "NDArray[np.float32]"  # (dim,)
    sentences: "NDArray[np.float32] | None"  # (n_sentences, dim)
    bm25: Sparse
    payload: Mapping[str, Any]


# Han and kana are written without spaces. Two characters, with any endings in hiragana that follow them,
# count as a word: a passage then has about as many words as in languages with spaces (measured on parallel
# texts).
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_HIRAGANA, _KANA = r"\u3041-\u309f", r"\u3041-\u30ff"
_WORD = pattern(rf"[{_HAN}]{{1,2}}[{_HIRAGANA}]{{0,3}}|[{_KANA}]{{1,4}}|[^\s{_HAN}{_KANA}]+")
_UNSPACED_CHARACTER = pattern(f"[{_HAN}{_KANA}]")


def count_words(text: str) -> int:
    """Return the number of words: runs between white space; in Chinese and Japanese, an estimate."""
    return len(text.split()) if is_spaced(text) else sum(1 for _ in _WORD.finditer(text))


def is_spaced(text: str) -> bool:
    """Return whether a text has no Chinese or Japanese in it, so that white space separates its words."""
    return text.isascii() or not _UNSPACED_CHARACTER.search(text)


def word_starts(text: str) -> "NDArray[np.int64]":
    """Return where each word that `count_words` counts begins, ascending."""
    import numpy as np  # slow to import, and not needed to read files

    return np.fromiter((word.start() for word in _WORD.finditer(text)), dtype=np.int64)
