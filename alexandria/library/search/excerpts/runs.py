"""A chunk divided into runs of sentences: the smallest parts that a search returns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.book.model import count_words, is_spaced
from alexandria.book.words import letters_of

TARGET = 50
"""Words of a run: two or three sentences. 40 to 70 found as much, within noise (docs/lab/search.md)."""
_MAX_TARGET = 100  # words of a run under a large budget: a paragraph
_RUNS_PER_BUDGET = 6
"""The larger a budget, the longer its runs: a sixth of it, within these limits. An answer is more often whole
in a few long runs (docs/lab/search.md)."""

_PARAGRAPH = re.compile(r"\S(?:[^\n]+|\n(?!\n))*")
_DASH = re.compile(r"[—–]|--| - ")
_STOP = re.compile(r"[.!?…:;,—–-][\W\d]*$")
_BEGINNING = 40  # characters
LINE_WORDS = 20  # a paragraph of more words is no heading
_LEAST_DASHES, _WORDS_PER_DASH = 3, 8
"""How many dashes a summary has (“First arrival—Good Success Bay—The forests …”), and how dense they are."""


@dataclass(frozen=True, slots=True)
class SentenceRun:
    """Neighbouring sentences of a chunk."""

    first: int  # its first sentence, counted from 0 in the chunk
    stop: int  # the sentence after its last one
    start: int  # offset of its first character in the book
    end: int  # offset after its last character, white space left out
    n_words: int


def target_within(words: int) -> int:
    """Return how many words a run should have under a budget of words."""
    return min(max(TARGET, words // _RUNS_PER_BUDGET), _MAX_TARGET)


def runs_of(text: str, starts: Sequence[int], offset: int, *, target: int = TARGET) -> list[SentenceRun]:
    """Return the runs of a chunk in reading order; each sentence is in exactly one.

    Args:
        starts: the offsets of its sentences in the book; at least one.
        offset: the chunk's own offset in the book.
        target: words of a run; half to one and a half times as many if a paragraph ends there. A last run
            shorter than a third joins the one before.
    """
    lengths, ends_paragraph = _measure(text, starts, offset)
    edges = [0]
    while edges[-1] < len(starts):
        edges.append(_run_end(edges[-1], lengths, ends_paragraph, target))
    if len(edges) > 2 and sum(lengths[edges[-2] :]) < target // 3:
        del edges[-2]
    # If white space separates all sentences, no word is in two of them, and their lengths add up.
    adds_up = is_spaced(text) and all(text[start - offset - 1].isspace() for start in starts[1:])
    return [
        make_run(text, starts, offset, first, stop, n_words=sum(lengths[first:stop]) if adds_up else None)
        for first, stop in pairwise(edges)
    ]


def make_run(
    text: str, starts: Sequence[int], offset: int, first: int, stop: int, *, n_words: int | None = None
) -> SentenceRun:
    """Return the run of a chunk's sentences from `first` to `stop`, without `stop`.

    Args:
        offset: the chunk's own offset in the book.
        first: the first sentence of the run, counted from 0 in the chunk.
        stop: the sentence after its last one.
        n_words: the words of the run, if they are known; otherwise they are counted.
    """
    start = starts[first]
    end = starts[stop] if stop < len(starts) else offset + len(text)
    run_text = text[start - offset : end - offset].rstrip()
    n_words = count_words(run_text) if n_words is None else n_words
    return SentenceRun(first=first, stop=stop, start=start, end=start + len(run_text), n_words=n_words)


def sentence_lengths(text: str, starts: Sequence[int], offset: int) -> list[int]:
    """Return the number of words of each sentence of a chunk.

    Args:
        offset: the chunk's own offset in the book.
    """
    edges = [*(start - offset for start in starts), len(text)]
    if is_spaced(text):
        return [len(text[start:end].split()) for start, end in pairwise(edges)]
    return [count_words(text[start:end]) for start, end in pairwise(edges)]


def text_paragraphs(text: str, headings: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return where the paragraphs of a chunk begin and end that hold sentences.

    Left out are headings, with a summary of the chapter below them, and lines by themselves that are set in
    capitals, in brackets or without a stop at their end: titles, epigraphs, directions.
    """
    letters = letters_of(" ".join(headings))
    spans = list[tuple[int, int]]()
    for paragraph in _PARAGRAPH.finditer(text):
        line = paragraph[0]
        # Its beginning is enough for most: to fold all of a long paragraph takes time.
        is_heading = not spans and all(letters_of(part) in letters for part in (line[:_BEGINNING], line))
        is_summary = not spans and paragraph.start() > 0 and _is_summary(line)
        if not (is_heading or is_summary or _is_display(line)):
            spans.append(paragraph.span())
    return tuple(spans)


def _is_display(paragraph: str) -> bool:
    """Return whether a paragraph is a line that is no sentence."""
    if "\n" in paragraph or len(paragraph.split(None, LINE_WORDS)) > LINE_WORDS:
        return False
    is_bracketed = paragraph[0] in "([" and paragraph[-1] in ")]"
    if is_bracketed or paragraph.isupper():
        return True
    # Scripts without capitals have other stops.
    return not _STOP.search(paragraph) and all(
        letter.lower() != letter.upper() for letter in paragraph if letter.isalpha()
    )


def _is_summary(paragraph: str) -> bool:
    n_dashes = len(_DASH.findall(paragraph))
    return n_dashes >= max(_LEAST_DASHES, len(paragraph.split()) / _WORDS_PER_DASH)


def _measure(text: str, starts: Sequence[int], offset: int) -> tuple[list[int], list[bool]]:
    """Return the number of words of each sentence, and whether a paragraph ends with it."""
    edges = [start - offset for start in starts]
    ends = [text[max(0, edge - 1) : edge] == "\n" for edge in edges[1:]]
    return sentence_lengths(text, starts, offset), [*ends, True]


def _run_end(first: int, lengths: Sequence[int], ends_paragraph: Sequence[bool], target: int) -> int:
    """Return the sentence after the run that begins at `first`."""
    # The run ends with the first paragraph that ends within half of the target around it; if none does, with
    # the sentence that reaches the target.
    slack, n_words = target // 2, 0
    stop_at_target = None
    for i in range(first, len(lengths)):
        if stop_at_target is not None and n_words + lengths[i] > target + slack:
            return stop_at_target
        n_words += lengths[i]
        if ends_paragraph[i] and n_words >= target - slack:
            return i + 1
        if stop_at_target is None and n_words >= target:
            stop_at_target = i + 1
    return len(lengths) if stop_at_target is None else stop_at_target
