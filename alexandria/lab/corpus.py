"""Books to evaluate on: whatever can be ingested, and two formats of published test sets.

a book                  as `ingest` reads it
plain text, unchanged   for questions whose answers are spans of the file
.ref                    lines of `========,level,title` between sections, one sentence per line (Wiki-50)
.json                   {title, author, language, sections: [{title, level, paragraphs}]}
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import quantiles
from typing import Any

from alexandria.book.model import Block, BlockKind, Book, Location, Metadata, Section
from alexandria.errors import BookError, Code
from alexandria.extract import content_id
from alexandria.extract.clean import clean
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.extract.encoding import decode
from alexandria.extract.formats import FORMATS
from alexandria.extract.language import detect_language

TEST_SET_SUFFIXES = frozenset({".ref", ".json"})
"""Of the formats of published test sets, which an ingest does not read."""
PLAIN_SUFFIXES = frozenset(FORMATS["txt"].suffixes + FORMATS["markdown"].suffixes)
MAX_WRAPPED_LINE = 100
"""Characters of a line of wrapped text. If many lines are longer, each line is a paragraph."""

_REF_HEADING = re.compile(r"={4,}(?:,(?P<level>\d+),(?P<title>.*))?")
_BLANK_LINES = re.compile(r"\n\s*\n")


def read_for_evaluation(path: Path, read: Callable[[Path], Book], *, as_is: bool = False) -> Book:
    """Return the book of a file.

    Args:
        path: the file; its suffix alone decides whether it belongs to a test set.
        read: reads any other file, as `ingest` does.
        as_is: keep plain text unchanged, so that offsets into the file are offsets into `Book.text`.

    Raises:
        BookError: the file cannot be read.
    """
    readers: dict[str, Callable[[Path], Book]] = {".ref": read_ref, ".json": read_sections}
    if as_is:
        readers |= dict.fromkeys(PLAIN_SUFFIXES, read_as_is)
    read_file = readers.get(path.suffix.lower(), read)
    return read_file(path)


def find_test_sets(folders: Sequence[Path], *, as_is: bool = False) -> list[Path]:
    """Return the files below the folders that belong to test sets; an ingest of the folders skips them.

    Args:
        folders: paths of files among them are ignored.
        as_is: also return plain texts with any suffix.
    """
    suffixes = TEST_SET_SUFFIXES
    if as_is:
        suffixes |= PLAIN_SUFFIXES
    inside = (path for folder in folders if folder.is_dir() for path in sorted(folder.rglob("*")))
    return [path for path in inside if path.suffix.lower() in suffixes and path.is_file()]


def read_as_is(path: Path) -> Book:
    """Return a book with the text of the file, character by character; a line end counts as one character.

    Raises:
        BookError: the file cannot be read, or contains no text.
    """
    text = _read_text(path).replace("\r\n", "\n")
    location = Location(headings=(path.stem,))
    blocks = tuple(
        Block(BlockKind.PARAGRAPH, text[start:end], start, location) for start, end in _paragraph_spans(text)
    )
    if not blocks:
        raise BookError(f"cannot read {path}", why="it contains no text", code=Code.EMPTY)
    language = detect_language(text)
    return Book(
        id=content_id(path),
        source=str(path),
        format="txt",
        metadata=Metadata(
            title=path.stem, language=language, language_source="detected" if language else None
        ),
        sections=(Section(headings=(path.stem,), level=1, chapter=True, href=None, blocks=blocks),),
        notes=(),
        page_starts=(),
        left_out=(),
        warnings=(),
        n_pages=None,
        text=text,
    )


def _read_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        BookError: the file is missing, special, or cannot be opened.
    """
    content_id(path)  # raises if the file cannot be read, and says why
    return decode(path.read_bytes()).text


def read_ref(path: Path) -> Book:
    """Return an article of Wiki-50's format as a book; each line is a block.

    Raises:
        BookError: the file cannot be read.
    """
    title, level = "", 0  # of the text before the first heading
    paragraphs: list[str] = []
    sections: list[DraftSection] = []
    for line in _read_text(path).splitlines():
        heading = _REF_HEADING.fullmatch(line.strip())
        if heading is None:
            paragraphs.append(clean(line))
            continue
        sections.append(_draft_section(title, level, paragraphs))
        title, level = clean(heading["title"] or ""), int(heading["level"] or 1)
        paragraphs = []
    sections.append(_draft_section(title, level, paragraphs))
    return _bind(path, sections, Metadata(title=path.stem))


def read_sections(path: Path) -> Book:
    """Return a book from JSON: sections with titles, levels and paragraphs.

    Raises:
        BookError: the file cannot be read, or has no such sections.
    """
    try:
        document: Mapping[str, Any] = json.loads(_read_text(path))
        sections = [
            _draft_section(
                title=clean(str(section["title"])),
                level=int(section.get("level", 1)),
                paragraphs=[clean(paragraph) for paragraph in section["paragraphs"]],
            )
            for section in document["sections"]
        ]
        author, language = str(document.get("author", "")), document.get("language")
        metadata = Metadata(
            title=str(document.get("title", "")),
            authors=(author,) if author else (),
            language=language,
            language_source="metadata" if language else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BookError(
            f"cannot read {path}",
            why="it has no list of sections with `title` and `paragraphs`",
            fix="see docs/evaluate.md for the formats",
            code=Code.UNSUPPORTED,
        ) from error
    return _bind(path, sections, metadata)


def _draft_section(title: str, level: int, paragraphs: Sequence[str]) -> DraftSection:
    """Return a section whose first block is its title; an empty title or paragraph becomes no block."""
    blocks = [DraftBlock(BlockKind.PARAGRAPH, text) for text in paragraphs if text]
    if title:
        blocks.insert(0, DraftBlock(BlockKind.HEADING, title))
    return DraftSection(headings=(title,) if title else (), level=level, href=None, blocks=tuple(blocks))


def _bind(path: Path, sections: Sequence[DraftSection], metadata: Metadata) -> Book:
    draft = Draft(metadata, tuple(sections))
    return bind(draft, id=content_id(path), source=str(path), format=path.suffix[1:])


def _paragraph_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the paragraphs, without white space at their ends."""
    separator = re.compile(r"\n") if _lines_are_paragraphs(text) else _BLANK_LINES
    edges = [0, *(edge for gap in separator.finditer(text) for edge in gap.span()), len(text)]
    for start, end in list(pairwise(edges))[::2]:  # every second pair of edges is a separator
        paragraph = text[start:end]
        stripped = paragraph.strip()
        if stripped:
            first = start + len(paragraph) - len(paragraph.lstrip())
            yield first, first + len(stripped)


def _lines_are_paragraphs(text: str) -> bool:
    """Return whether each line of a plain text is a paragraph, instead of being wrapped to a page's width."""
    lengths = [len(line) for line in text.split("\n") if line.strip()]
    if len(lengths) < 2:
        return True
    # A tenth of the lines is at least this long: in wrapped text, even these fit the page.
    length_of_longest_tenth = quantiles(lengths, n=10)[-1]
    return length_of_longest_tenth > MAX_WRAPPED_LINE
