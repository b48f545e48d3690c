"""The table of contents, the page list and the landmarks of a book, whichever format declares them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from alexandria.extract.markup.compose import Outline
from alexandria.extract.markup.matter import is_all_matter
from alexandria.extract.markup.sections import ContentsEntry
from alexandria.extract.markup.tree import Document, Element


@dataclass(frozen=True, slots=True)
class TocLine:
    """A line of the table of contents; a line without a target only groups the lines below it."""

    title: str
    depth: int
    """1 for the outermost lines."""
    target: tuple[str, str] | None
    """Path and fragment."""


@dataclass(frozen=True, slots=True)
class Toc:
    """The table of contents, the page list and the landmarks of a book."""

    lines: tuple[TocLine, ...] = ()
    pages: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Printed page labels by path and fragment."""
    landmarks: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """The types of special parts by path and fragment."""


def outline_of(
    toc: Toc, documents: Sequence[Document], matter: Mapping[str, Mapping[Element, str]]
) -> Outline:
    """Return the lines of the contents that lead into the book, with their heading paths, and its pages.

    The title of a document that is all matter is left out of the heading paths of other documents.

    Args:
        toc: the table of contents.
        documents: the documents of the book, in reading order.
        matter: the elements that are matter, with their kinds, by the path of the document.
    """
    all_matter = {d.path for d in documents if is_all_matter(d, matter[d.path])}
    # A half-title listed above all chapters would add the book's name to each heading path.
    skipped = frozenset(line for line in toc.lines if line.target and line.target[0] in all_matter)
    entries = tuple(
        ContentsEntry(titles, *line.target)
        for line, titles in title_paths(toc.lines, skipped)
        if line.target is not None
    )
    labels_by_path: dict[str, dict[str, str]] = {}  # each by fragment
    for (path, fragment), label in toc.pages.items():
        labels_by_path.setdefault(path, {})[fragment] = label
    return Outline(entries, labels_by_path)


def title_paths(
    lines: Sequence[TocLine], skipped: frozenset[TocLine]
) -> Iterator[tuple[TocLine, tuple[str, ...]]]:
    """Yield each line with its path: the titles of the lines above it, outermost first, then its own title.

    The title of a skipped line is left out of the paths of the lines below it.
    """
    path: list[TocLine] = []
    for line in lines:
        while path and path[-1].depth >= line.depth:
            path.pop()
        path.append(line)
        yield line, tuple(part.title for part in path if part is line or part not in skipped)
