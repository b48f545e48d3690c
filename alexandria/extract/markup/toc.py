"""The table of contents, the page list and the landmarks of a book, whichever format declares them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from alexandria.extract.markup.compose import Outline
from alexandria.extract.markup.matter import leaves_nothing
from alexandria.extract.markup.sections import ContentsEntry
from alexandria.extract.markup.tree import Document, Element


@dataclass(frozen=True, slots=True)
class TocLine:
    """A line of the table of contents; without a target, it only groups the lines below it."""

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
    """Return the structure that the contents declare, without titles of documents that are all matter."""
    without_text = {d.path for d in documents if leaves_nothing(d, matter[d.path])}
    # A half-title above all chapters would add the book's name to each heading path.
    skipped = frozenset(line for line in toc.lines if line.target and line.target[0] in without_text)
    entries = tuple(
        ContentsEntry(titles, *line.target) for line, titles in title_paths(toc.lines, skipped) if line.target
    )
    pages: dict[str, dict[str, str]] = {}
    for (path, fragment), label in toc.pages.items():
        pages.setdefault(path, {})[fragment] = label
    return Outline(entries, pages)


def title_paths(
    lines: Sequence[TocLine], skipped: frozenset[TocLine]
) -> Iterator[tuple[TocLine, tuple[str, ...]]]:
    """Yield each line with its path of titles, its own last; skipped lines are not in the paths of others."""
    above: list[TocLine] = []
    for line in lines:
        while above and above[-1].depth >= line.depth:
            above.pop()
        above.append(line)
        yield line, tuple(each.title for each in above if each is line or each not in skipped)
