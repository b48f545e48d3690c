"""What can be said of a book's chunks without a question: figures that `inspect` and `evaluate` show."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Block, BlockKind, Reason, count_words
from alexandria.pipeline import Analysis

# Words that point back: who begins reading with one of them has missed something. Articles and prepositions
# do not, and of the conjunctions only those that join sentences are here.
OPENERS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "he she it they him her them his its their this that these those such and but or nor yet so "
        "for because therefore thus hence however moreover furthermore nevertheless still then "
        "consequently accordingly besides likewise similarly otherwise instead meanwhile also which "
        "whereas although",
        "de": "er sie es ihn ihm ihnen sein ihr dies diese dieser dieses jene jener jenes solche und aber "
        "oder denn sondern doch jedoch also daher darum deshalb deswegen folglich außerdem ferner "
        "trotzdem dennoch dann dagegen ebenso sonst stattdessen weil obwohl",
        "fr": "il elle ils elles lui leur ceci cela ce cet cette ces celui celle ceux celles et mais ou "
        "ni car or donc ainsi cependant pourtant toutefois néanmoins alors puis aussi ensuite parce",
        "es": "él ella ello ellos ellas este esta esto estos estas ese esa eso esos esas aquel aquella y "
        "pero o ni pues sino porque entonces luego además también tampoco así asimismo aunque",
        "it": "egli ella esso essa essi esse lui lei loro questo questa questi queste quello quella e ma "
        "o né perché dunque quindi perciò però tuttavia inoltre allora poi anche così infatti",
        "nl": "hij zij het hem haar hun dit dat deze die zulke en maar of noch want dus daarom daardoor "
        "echter toch bovendien niettemin dan ook anders omdat hoewel",
    }.items()
}
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_TURN = re.compile(r"\s*[\"“„«»‘'—–]")
_QUOTED = {"“": "”", "„": "“", "«": "»"}  # pairs whose opening mark tells itself from the closing one


@dataclass(frozen=True, slots=True)
class Quality:
    """A book's chunks in figures. A cut that a chapter or section demands is not held against anyone."""

    n_chunks: int
    n_cuts: int
    """Cuts inside chapters and sections."""
    inside: float
    """Mean similarity of neighbouring sentences in the same chunk; 1 where there are none."""
    across: float
    """Mean similarity across the cuts; 1 where there are none. Lower than `inside` is better."""
    n_mid_thought: int | None
    """Chunks behind a cut that begin with a pronoun or a connective; None for a language without a list."""
    n_dialogue: int
    """Cuts between two speakers' turns, or inside a quotation."""
    n_stanza: int
    """Cuts inside a stanza."""
    n_beyond_window: int
    """Words of the book that the model has not read, for the sentence is longer than its window."""

    @property
    def share_mid_thought(self) -> float | None:
        """Of the cuts; None where it is not known."""
        return None if self.n_mid_thought is None else self.n_mid_thought / max(self.n_cuts, 1)


def quality(analysis: Analysis, coverage: NDArray[np.float32]) -> Quality:
    """Return the figures of one book.

    Args:
        analysis: the book as it is cut.
        coverage: (n_sentences,), the share of each sentence that the model's window holds.
    """
    similarities = analysis.segmentation.similarities
    boundaries = analysis.segmentation.boundaries
    at_cut = np.isin(np.arange(len(similarities)), [one.gap for one in boundaries])
    own = [one.gap for one in boundaries if one.reason is not Reason.SECTION]
    blocks = analysis.book.blocks
    sides = [(analysis.sentences[gap], analysis.sentences[gap + 1]) for gap in own]
    openers = OPENERS.get((analysis.book.language or "").split("-")[0].lower())
    texts = [analysis.book.text[right.start : right.end] for _, right in sides]
    words = np.array([count_words(analysis.book.text[s.start : s.end]) for s in analysis.sentences])
    return Quality(
        n_chunks=len(analysis.chunks),
        n_cuts=len(own),
        inside=_mean(similarities[~at_cut]),
        across=_mean(similarities[at_cut]),
        n_mid_thought=None if openers is None else sum(begins_mid_thought(text, openers) for text in texts),
        n_dialogue=sum(_splits_dialogue(blocks, left.block, right.block, left.end) for left, right in sides),
        n_stanza=sum(
            left.block == right.block and blocks[left.block].kind is BlockKind.VERSE for left, right in sides
        ),
        n_beyond_window=round(float((words * (1 - coverage)).sum())) if len(words) else 0,
    )


def begins_mid_thought(text: str, openers: frozenset[str]) -> bool:
    """Tell whether the first word points back, whatever quotation marks stand before it."""
    first = _FIRST_WORD.search(text)
    return first is not None and first[0].casefold() in openers


def _splits_dialogue(blocks: Sequence[Block], left: int, right: int, cut: int) -> bool:
    """Tell whether the cut parts two turns of speech, or leaves a quotation open."""
    if left != right:
        return all(_TURN.match(blocks[i].text) is not None for i in (left, right))
    before = blocks[left].text[: cut - blocks[left].start]
    return any(before.count(opening) > before.count(closing) for opening, closing in _QUOTED.items())


def _mean(similarities: NDArray[np.float32]) -> float:
    return float(similarities.mean(dtype=np.float64)) if len(similarities) else 1.0
