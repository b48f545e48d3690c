"""The table of contents, the page list and the landmarks of a book, whichever format declares them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from alexandria.extract.markup.compose import Outline
from alexandria.extract.markup.elements import page_in_name, page_label
from alexandria.extract.markup.matter import is_all_matter
from alexandria.extract.markup.sections import ContentsEntry
from alexandria.extract.markup.tree import Document, Element, has_text, identifier, local_name, types
from alexandria.extract.numerals import roman_value, stated_number

_ROMAN = frozenset("ivxlcdm")


@dataclass(frozen=True, slots=True)
class TocLine:
    """A line of the table of contents; a line without a target only groups the lines below it."""

    title: str
    depth: int  # 1 for the outermost lines
    target: tuple[str, str] | None  # path and fragment


@dataclass(frozen=True, slots=True)
class Toc:
    """The table of contents, the page list and the landmarks of a book."""

    lines: tuple[TocLine, ...] = ()
    pages: Mapping[tuple[str, str], str] = field(default_factory=dict)  # page labels by path and fragment
    landmarks: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """The types of special parts by path and fragment."""


def outline_of(
    toc: Toc, documents: Sequence[Document], matter: Mapping[str, Mapping[Element, str]]
) -> Outline:
    """Return the lines of the contents that lead into the book, with their heading paths, and its pages.

    The title of a document that is all matter is left out of the heading paths of other documents.

    Args:
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
    pages = _printed_pages(toc.pages, documents) or _pages_in_names(documents)
    for (path, fragment), label in pages.items():
        labels_by_path.setdefault(path, {})[fragment] = label
    return Outline(entries, labels_by_path)


def _printed_pages(
    pages: Mapping[tuple[str, str], str], documents: Sequence[Document]
) -> Mapping[tuple[str, str], str]:
    """Return a page list without what is no page in it, or no label."""
    # EbookLib lists all elements with a type, such as chapters and notes, and labels a page with its id.
    # Beside page breaks, a heading or a paragraph is no page either. A label that is an id is believed if the
    # page break itself has none, and if the labels are numbers that count up.
    places = {(document.path, identifier(e)): e for document in documents for e in document.elements if pages}
    elements = {target: places[target] for target in pages if target in places}
    labels = {target: page_label(element) for target, element in elements.items()}
    marked = any(label is not None for label in labels.values())
    others = {t for t, e in elements.items() if labels[t] is None and (types(e) or (marked and has_text(e)))}
    listed = {target: label for target, label in pages.items() if target not in others}
    ids = [target for target, label in listed.items() if label == target[1] != ""]
    counts_up = _count_up([id for _, id in ids])
    return {
        target: label
        for target, label in listed.items()
        if target not in ids or (counts_up and not labels.get(target))
    }


def _count_up(labels: Sequence[str]) -> bool:
    """Return whether labels are numbers that count up, from 1 or more on; Roman numerals come first."""
    are_roman = map(_ROMAN.issuperset, labels)
    numbers = [
        roman_value(label) - 10_000 if is_roman else stated_number(label)
        for label, is_roman in zip(labels, are_roman, strict=True)
    ]
    return 0 not in numbers and all(before < after for before, after in pairwise(numbers))


def _pages_in_names(documents: Sequence[Document]) -> Mapping[tuple[str, str], str]:
    """Return the pages at anchors that are named for them, if their numbers count up and none has a label."""
    # An anchor called `p12` beside almost each paragraph is the number of a paragraph.
    named = [(d, e, name) for d in documents for e in d.elements if (name := page_in_name(e))]
    n_paragraphs = sum(local_name(e) == "p" for d in documents for e in d.elements) if named else 0
    are_pages = len(named) > 1 and len({word for *_, (word, _) in named}) == 1
    if not are_pages or not _count_up([label.lower() for *_, (_, label) in named]):
        return {}
    if len(named[0][2][0]) == 1 and 3 * len(named) > 2 * n_paragraphs:
        return {}
    if any(page_label(e) for d in documents for e in d.elements if e.keys()):
        return {}
    return {(d.path, identifier(e) or ""): label for d, e, (_, label) in named}


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
