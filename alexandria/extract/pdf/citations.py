"""Weighs the marks that may cite notes, and pairs them with the labels of notes, in order.

A mark is a raised number or sign in a line, or a number in brackets; it is a citation if it follows a word.
The note that it cites begins with a label, which reads the same.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from alexandria.extract.pdf.lines import Line, Mark

_CLOSING = " .,;:!?…'\"”’“‘»›«‹)]}*∗†‡—"
"""Characters that may be between a word and its mark."""
_STOPS = (".", ",", ";", ":", "!", "?", "…")
"""Characters that may precede a mark, but never an exponent."""
_FORMULA = re.compile(r"[=+<>≤≥×÷·∙^|\\∑∏∫√∞±−∂∇∈⊂⊆→]")
_CONTINUES_FORMULA = re.compile(r"\w|\s*[=+<>≤≥×÷·∙^∈⊂⊆→−]")
"""What follows an exponent rather than a note's mark."""
_LETTERS = re.compile(r"[^\W\d_]+$")
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d$")
_NUMBER = re.compile(r"\d{2,}$")
_VOWEL = re.compile(r"[aeiouyäöüàáâèéêìíîòóôùúûæœåøαεηιουωаеёиоуыэюя]", re.IGNORECASE)
_FUNCTIONS = re.compile(
    r"(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|det|dim|ker|lim|max|min|mod", re.IGNORECASE
)
_MAX_UNIT = 3
"""Most letters of a unit or a product of variables: km², mc²."""
_IDEOGRAPHS = "\u2e80"
"""The first character of the scripts in which one character may be a word."""
CERTAIN = 3
"""Weight of a mark after a word."""
DOUBTFUL = 2
"""Weight of a mark after what may be a word or a symbol."""
SYMBOL = 1
"""Weight of a mark after a symbol: the mark is probably an exponent."""


@dataclass(frozen=True, slots=True)
class CitedMark:
    """A mark that may cite a note."""

    line_index: int
    """Index of its line in reading order."""
    line: Line
    mark: Mark
    weight: int


def read_citations(lines: Sequence[Line], max_note_size: float) -> Iterator[CitedMark]:
    """Yield the marks that may cite notes, each with a weight: how certainly it follows a word.

    Args:
        lines: the lines of the book, in reading order.
        max_note_size: the largest size of notes. A mark at the beginning of a line follows the line above; in
            type of this size or smaller, such a mark is a note's own label, and is not yielded.
    """
    for line_index, line in enumerate(lines):
        above = lines[line_index - 1].text if line_index and line.size > max_note_size else ""
        for i, mark in enumerate(line.marks):
            if weight := _weigh_mark(line, i, above):
                yield CitedMark(line_index, line, mark, weight)


def _weigh_mark(line: Line, index: int, above: str) -> int:
    """Return the weight of a line's mark: how certainly it follows a word, or 0 if it follows nothing."""
    mark = line.marks[index]
    start = mark.start
    # In "word¹,²", the second mark follows the same word as the first one.
    for other in reversed(line.marks[:index]):
        if line.text[other.end : start].strip(" ,"):
            break
        start = other.start
    before = (line.text[:start] if start else above).rstrip()
    if not before.strip(_CLOSING):
        return 0
    if _CONTINUES_FORMULA.match(line.text, mark.end):
        return SYMBOL
    return CERTAIN if before.endswith(_STOPS) else _word_weight(before.rstrip(_CLOSING).rpartition(" ")[2])


def _word_weight(word: str) -> int:
    """Return the weight of a mark after this word: how certainly it is a word rather than a symbol."""
    if _FORMULA.search(word):
        return SYMBOL
    match = _LETTERS.search(word)
    if not match:
        if _YEAR.search(word):
            return CERTAIN
        return DOUBTFUL if _NUMBER.search(word) else SYMBOL
    letters = match.group()
    if letters[-1] >= _IDEOGRAPHS:
        return CERTAIN
    if len(letters) == 1:
        return DOUBTFUL if word == letters and _VOWEL.match(letters) else SYMBOL
    if _FUNCTIONS.fullmatch(letters):
        return SYMBOL
    return DOUBTFUL if len(letters) <= _MAX_UNIT and not _VOWEL.search(letters) else CERTAIN


def match_citations(
    labels: Sequence[tuple[int, str]], citations: Sequence[CitedMark], *, before: bool
) -> dict[int, CitedMark]:
    """Return the citation of each note that has one, by the note's index in `labels`.

    Labels are paired with marks that read the same, without crossings: the pairs are the heaviest common
    subsequence of both, which has the greatest sum of weights. Among subsequences of equal weight, the one
    with the earliest marks is chosen. The algorithm is by Hunt and Szymanski (1977), extended to weights.

    Args:
        labels: the line of each note and its label, in reading order; one in brackets also pairs with raised
            marks, but marks that are not raised pair only with labels in brackets.
        citations: the citations in reading order.
        before: a mark must be before its note.
    """
    indices_by_label: dict[str, list[int]] = defaultdict(list)
    for j, citation in enumerate(citations):
        indices_by_label[citation.mark.label].append(j)
        if citation.mark.is_raised:
            for printed in (f"[{citation.mark.label}]", f"({citation.mark.label})"):
                indices_by_label[printed].append(j)
    # Entry k: the heaviest chain of pairs whose last mark is ends[k] or earlier is chains[k], and it weighs
    # weights[k]. Ends and weights ascend strictly, as in the search for the longest increasing subsequence;
    # but since weights differ, a new chain may replace several entries.
    ends: list[int] = []
    weights: list[int] = []
    chains: list[_Link | None] = []
    for i, (line_index, label) in enumerate(labels):
        # Backwards: a label must not extend a chain that already ends in the same label.
        for j in reversed(indices_by_label.get(label, ())):
            if before and citations[j].line_index >= line_index:
                continue
            k = bisect_right(ends, j - 1)
            link = _Link(i, j, chains[k - 1] if k else None)
            total = (weights[k - 1] if k else 0) + citations[j].weight
            if k < len(ends) and ends[k] == j and weights[k] >= total:
                continue  # a chain as heavy ends in the same mark
            # The new chain replaces the chains that end later, but are no heavier.
            stop = k
            while stop < len(ends) and weights[stop] <= total:
                stop += 1
            ends[k:stop], weights[k:stop], chains[k:stop] = [j], [total], [link]
    pairs = {}
    chain = chains[-1] if chains else None
    while chain:
        pairs[chain.label] = citations[chain.citation]
        chain = chain.before
    return pairs


@dataclass(frozen=True, slots=True)
class _Link:
    """A pair of a label and a citation, by their indices, and the chain of pairs before it."""

    label: int
    citation: int
    before: "_Link | None"
