"""Marks that may cite a note, and how the labels of notes meet them in order."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from alexandria.extract.pdf.lines import Line, Mark

_CLOSING = " .,;:!?…'\"”’“‘»›«‹)]}*∗†‡—"
"""May be between a word and its mark."""
_STOPS = (".", ",", ";", ":", "!", "?", "…")
"""Before a mark, but never before an exponent."""
_FORMULA = re.compile(r"[=+<>≤≥×÷·∙^|\\∑∏∫√∞±−∂∇∈⊂⊆→]")
_GOES_ON = re.compile(r"\w|\s*[=+<>≤≥×÷·∙^∈⊂⊆→−]")
"""What follows an exponent rather than a note's mark."""
_LETTERS = re.compile(r"[^\W\d_]+$")
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d$")
_FIGURES = re.compile(r"\d{2,}$")
_VOWEL = re.compile(r"[aeiouyäöüàáâèéêìíîòóôùúûæœåøαεηιουωаеёиоуыэюя]", re.IGNORECASE)
_FUNCTIONS = re.compile(
    r"(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|det|dim|ker|lim|max|min|mod", re.IGNORECASE
)
_UNIT = 3
"""Most letters of a unit or a product of variables: km², mc²."""
_IDEOGRAPHS = "\u2e80"
"""From here on, one letter is a word."""
CERTAIN, DOUBTFUL, SYMBOL = 3, 2, 1
"""Weights of marks: after a word, after what may be a word or a symbol, and after a symbol."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark that may cite a note."""

    at: int
    """Index of its line in reading order."""
    line: Line
    mark: Mark
    weight: int


def read_citations(lines: Sequence[Line], small: float) -> Iterator[Citation]:
    """Yield the marks of these lines, weighted by what they follow: after symbols they are mostly exponents.

    At the beginning of a line, a mark follows the line above; in type of the size `small` it is a label.
    """
    for at, line in enumerate(lines):
        above = lines[at - 1].text if at and line.size > small else ""
        for i, mark in enumerate(line.marks):
            if weight := _weight(line, i, above):
                yield Citation(at, line, mark, weight)


def _weight(line: Line, index: int, above: str) -> int:
    """Return how certainly a mark of a line follows a word; 0 if it follows nothing."""
    mark = line.marks[index]
    start = mark.start
    # In "word¹,²" the second mark follows what the first one follows.
    for other in reversed(line.marks[:index]):
        if line.text[other.end : start].strip(" ,"):
            break
        start = other.start
    before = (line.text[:start] if start else above).rstrip()
    if not before.strip(_CLOSING):
        return 0
    if _GOES_ON.match(line.text, mark.end):
        return SYMBOL
    return CERTAIN if before.endswith(_STOPS) else _word_weight(before.rstrip(_CLOSING).rpartition(" ")[2])


def _word_weight(word: str) -> int:
    """Return how certainly this is a word rather than a symbol."""
    if _FORMULA.search(word):
        return SYMBOL
    match = _LETTERS.search(word)
    if not match:
        return CERTAIN if _YEAR.search(word) else DOUBTFUL if _FIGURES.search(word) else SYMBOL
    letters = match.group()
    if letters[-1] >= _IDEOGRAPHS:
        return CERTAIN
    if len(letters) == 1:
        return DOUBTFUL if word == letters and _VOWEL.match(letters) else SYMBOL
    if _FUNCTIONS.fullmatch(letters):
        return SYMBOL
    return DOUBTFUL if len(letters) <= _UNIT and not _VOWEL.search(letters) else CERTAIN


def match_citations(
    labels: Sequence[tuple[int, str]], citations: Sequence[Citation], *, before: bool
) -> dict[int, Citation]:
    """Return the citations of notes, by the index in `labels`, so that both are in order.

    Of all ways to pair labels with marks of the same label without crossing, the one with the greatest sum of
    weights: the heaviest common subsequence. Of equals, the earliest marks.

    Args:
        labels: the line of each note and its label, in reading order; one in brackets also pairs with raised
            marks, and marks that are not raised pair with no other.
        citations: in reading order.
        before: a mark must be before its note.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for j, citation in enumerate(citations):
        places[citation.mark.label].append(j)
        if citation.mark.is_raised:
            places[f"[{citation.mark.label}]"].append(j)
    # The weight of the heaviest chain that ends at or before a mark, ascending in both; as for the longest
    # increasing subsequence, but each weight may raise several entries.
    ends: list[int] = []
    sums: list[int] = []
    chains: list[_Link | None] = []
    for i, (at, label) in enumerate(labels):
        for j in reversed(places.get(label, ())):
            if before and citations[j].at >= at:
                continue
            k = bisect_right(ends, j - 1)
            link = _Link(i, j, chains[k - 1] if k else None)
            total = (sums[k - 1] if k else 0) + citations[j].weight
            if k < len(ends) and ends[k] == j and sums[k] >= total:
                continue
            stop = k
            while stop < len(ends) and sums[stop] <= total:
                stop += 1
            ends[k:stop], sums[k:stop], chains[k:stop] = [j], [total], [link]
    pairs = {}
    chain = chains[-1] if chains else None
    while chain:
        pairs[chain.label] = citations[chain.citation]
        chain = chain.before
    return pairs


@dataclass(frozen=True, slots=True)
class _Link:
    """A pair of a label and a citation, and the chain of pairs before it."""

    label: int
    citation: int
    before: "_Link | None"
