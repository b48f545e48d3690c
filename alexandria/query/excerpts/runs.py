"""A chunk divided into runs of sentences: the smallest parts that are handed out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.book import count_words, is_spaced

TARGET = 50
"""Words of a run: two or three sentences. 40 to 70 found as much, within noise (docs/retrieval.md)."""
_LONGEST = 100
"""Words of a run under a large budget: a paragraph."""
_SHARE = 6
"""The larger a budget, the longer the runs: a sixth of it. An answer is more often whole in fewer, longer
ones, if there is room for several (docs/retrieval.md)."""


@dataclass(frozen=True, slots=True)
class SentenceRun:
    """Neighbouring sentences of a chunk."""

    first: int
    """Its first sentence, counted from 0 in the chunk."""
    stop: int
    """The sentence after its last one."""
    start: int
    """Offset of its first character in the book."""
    end: int
    """Offset after its last character, white space left out."""
    n_words: int


def target_within(words: int) -> int:
    """Return how many words the runs that are handed out within a budget should have."""
    return min(max(TARGET, words // _SHARE), _LONGEST)


def runs_of(text: str, starts: Sequence[int], offset: int, *, target: int = TARGET) -> list[SentenceRun]:
    """Return the runs of a chunk in reading order; each sentence is in exactly one.

    Args:
        text: the chunk's.
        starts: where its sentences start in the book; at least one.
        offset: where the chunk starts in the book.
        target: words of a run. It may be half as long again, or half as long, if a paragraph ends there; a
            last one shorter than a third joins the one before.
    """
    lengths, ends_paragraph = _measure(text, starts, offset)
    edges = [0]
    while edges[-1] < len(starts):
        edges.append(_run_end(edges[-1], lengths, ends_paragraph, target))
    if len(edges) > 2 and sum(lengths[edges[-2] :]) < target // 3:
        del edges[-2]
    # Where white space separates sentences, no word is in two of them, and the sum is the count.
    apart = is_spaced(text) and all(text[start - offset - 1].isspace() for start in starts[1:])
    return [
        make_run(text, starts, offset, first, stop, n_words=sum(lengths[first:stop]) if apart else None)
        for first, stop in pairwise(edges)
    ]


def make_run(
    text: str, starts: Sequence[int], offset: int, first: int, stop: int, *, n_words: int | None = None
) -> SentenceRun:
    """Return the run of sentences `first` to `stop` of a chunk; the rest is as for `runs_of`.

    Args:
        n_words: its words, where they are known.
    """
    start = starts[first]
    end = starts[stop] if stop < len(starts) else offset + len(text)
    own = text[start - offset : end - offset].rstrip()
    return SentenceRun(first, stop, start, start + len(own), count_words(own) if n_words is None else n_words)


def sentence_lengths(text: str, starts: Sequence[int], offset: int) -> list[int]:
    """Return the words of each sentence of a chunk; the arguments are those of `runs_of`."""
    edges = [*(start - offset for start in starts), len(text)]
    if is_spaced(text):
        return [len(text[start:end].split()) for start, end in pairwise(edges)]
    return [count_words(text[start:end]) for start, end in pairwise(edges)]


def _measure(text: str, starts: Sequence[int], offset: int) -> tuple[list[int], list[bool]]:
    """Return the words of each sentence, and whether a paragraph ends with it."""
    edges = [start - offset for start in starts]
    ends = [text[max(0, edge - 1) : edge] == "\n" for edge in edges[1:]]
    return sentence_lengths(text, starts, offset), [*ends, True]


def _run_end(first: int, lengths: Sequence[int], ends_paragraph: Sequence[bool], target: int) -> int:
    """Return where the run that begins at a sentence ends: at a paragraph's end, if one is near enough."""
    slack, n_words, full = target // 2, 0, None
    for i in range(first, len(lengths)):
        if full is not None and n_words + lengths[i] > target + slack:
            return full
        n_words += lengths[i]
        if ends_paragraph[i] and n_words >= target - slack:
            return i + 1
        if full is None and n_words >= target:
            full = i + 1
    return len(lengths) if full is None else full
