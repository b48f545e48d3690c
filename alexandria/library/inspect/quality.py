"""The quality of a book's chunks, without questions; `inspect` and `evaluate` show the same figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Block, BlockKind, Chunk, Embeddings, Reason, count_words
from alexandria.book.wording import number_of
from alexandria.chunking.cues.find import is_impersonal
from alexandria.chunking.cues.words import CueWords, cue_words
from alexandria.chunking.similarity import window_similarities
from alexandria.library.ingest.one_book import Analysis

TWO_TOPICS = 0.3
"""A chunk whose parts are less similar than this has two topics.

With the default model, this is so of 62 % of 600 passages of 16 sentences joined from two books, and of 2 %
of the chunks of these books. Of passages joined from two places in one book it is so of only 4 %: these are
mostly too similar.
"""
_MIN_PART = 3  # the least number of sentences in a part: the mean of fewer says little about a topic


def first_to_last(chunks: Sequence[Chunk], sentence_vectors: Embeddings) -> float | None:
    """Return the mean similarity of each chunk's first sentence to its last, in [-1, 1].

    The lower, the further chunks drift from where they began. None if no chunk has two sentences.

    Args:
        sentence_vectors: (n_sentences, dim), the vectors of the book's sentences, of length 1.
    """
    longer_chunks = [chunk for chunk in chunks if chunk.n_sentences > 1]
    if not longer_chunks:
        return None
    first = [chunk.first_sentence for chunk in longer_chunks]
    last = [chunk.first_sentence + chunk.n_sentences - 1 for chunk in longer_chunks]
    similarities = np.einsum("ij,ij->i", sentence_vectors[first], sentence_vectors[last])
    return round(float(similarities.mean(dtype=np.float64)), 6)


def count_two_topics(chunks: Sequence[Chunk], sentence_vectors: Embeddings) -> int:
    """Return how many chunks have two topics: they split into two parts less similar than `TWO_TOPICS`.

    Args:
        sentence_vectors: (n_sentences, dim), the vectors of the book's sentences, of length 1.
    """
    spans = ((chunk.first_sentence, chunk.first_sentence + chunk.n_sentences) for chunk in chunks)
    similarities = (similarities_of_parts(sentence_vectors[first:end]) for first, end in spans)
    return sum(bool((chunk_similarities < TWO_TOPICS).any()) for chunk_similarities in similarities)


def similarities_of_parts(sentence_vectors: Embeddings) -> NDArray[np.float64]:
    """Return the similarity of the two parts of a chunk, for each way to split it in two, in [-1, 1].

    The similarity is the cosine of the parts' mean vectors.

    Args:
        sentence_vectors: (n_sentences, dim), the vectors of the chunk's sentences, of length 1.

    Returns:
        (n_sentences - 5,), as a part has at least three sentences; empty for fewer than six sentences.
    """
    if len(sentence_vectors) < 2 * _MIN_PART:
        return np.empty(0)
    # Sums have the direction of the means. float64: differences of running sums are taken below.
    sums = sentence_vectors.cumsum(axis=0, dtype=np.float64)
    before = sums[_MIN_PART - 1 : -_MIN_PART]
    after = sums[-1] - before
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    similarities: NDArray[np.float64] = np.einsum("ij,ij->i", before, after) / lengths.clip(min=1e-9)
    return similarities


_FIRST_WORD = re.compile(r"[^\W\d_]+")
_SPEECH = re.compile(r"\s*[\"“„«»‘'—–]")  # a paragraph that begins like this is a turn of speech
_QUOTATION_MARKS = {"“": "”", "„": "“", "«": "»"}  # opening and closing marks, where they differ
# A contrast is a turn at the least similar gaps. Of 48 contrasts that readers graded, 12 are at such a gap:
# half of these begin well, as do half of the passages that begin with any other word; of the other 36, a
# sixth does.
_TURN_WINDOW = 4  # the sentences on each side of a gap that are compared
_TURN_SHARE = 0.25  # the share of the book's gaps, the least similar ones, at which a contrast is a turn


@dataclass(frozen=True, slots=True)
class Quality:
    """A book's chunks in figures. Cuts that a chapter or section requires do not count as flaws."""

    n_chunks: int
    n_cuts: int  # cuts inside chapters and sections
    inside: float | None
    """Mean similarity of neighbouring sentences in the same chunk; None if there are none."""
    across: float | None
    """Mean similarity across the cuts; None if there are none. Lower than `inside` is better."""
    n_mid_thought: int | None
    """Cuts followed by a pronoun or a connective, without `n_turns`; None for a language without a word
    list."""
    n_turns: int | None = None
    """Cuts followed by a contrast, such as `However`, where the topic changes; None if the vectors are not
    known, and `n_mid_thought` then counts them."""
    first_to_last: float | None = None
    """Mean similarity of a chunk's first sentence to its last; None if the vectors are not known. The lower,
    the further chunks drift from where they began."""
    n_two_topics: int | None = None
    """Chunks whose parts are hardly similar (`TWO_TOPICS`); None if the vectors are not known."""
    n_dialogue: int | None = None
    """Cuts between two speakers' turns, or inside a quotation; None if the blocks are not known."""
    n_stanza: int | None = None  # cuts inside a stanza; None if the blocks are not known
    n_beyond_window: int | None = None
    """Words that the model did not read, as their sentence is longer than its window; None if not known."""

    @property
    def share_mid_thought(self) -> float | None:
        """The share of cuts that begin mid-thought, in [0, 1], or None if it is not known."""
        return None if self.n_mid_thought is None else round(self.n_mid_thought / max(self.n_cuts, 1), 6)

    @property
    def mid_thought(self) -> str:
        """How many cuts begin mid-thought, with their share: `3 (30%)`; `–` if it is not known."""
        share = "" if self.share_mid_thought is None else f" ({self.share_mid_thought:.0%})"
        return number_of(self.n_mid_thought) + share


def quality_of(analysis: Analysis) -> Quality:
    """Return the figures of a book that has just been cut."""
    book, sentences, blocks = analysis.book, analysis.sentences, analysis.book.blocks
    boundaries = analysis.segmentation.boundaries
    gaps = [boundary.gap for boundary in boundaries if boundary.reason is not Reason.SECTION]
    parted = [(sentences[gap], sentences[gap + 1]) for gap in gaps]
    words = np.array([count_words(text) for text in analysis.texts])
    quality = quality_of_chunks(analysis.chunks, analysis.segmentation.similarities, book.language)
    return replace(
        _with_vector_figures(quality, analysis),
        n_dialogue=sum(_splits_dialogue(blocks, left.block, right.block, left.end) for left, right in parted),
        n_stanza=sum(
            left.block == right.block and blocks[left.block].kind is BlockKind.VERSE for left, right in parted
        ),
        n_beyond_window=round(float((words * (1 - analysis.coverage)).sum())) if len(words) else 0,
    )


def _with_vector_figures(quality: Quality, analysis: Analysis) -> Quality:
    """Return the figures plus those that need the sentences' vectors; unchanged without a model."""
    # A cut before a contrast, such as `However`, is no flaw where the topic changes (`n_turns`). `quality`
    # still counts it in `n_mid_thought`, as it does not know the vectors: here it is subtracted.
    sentence_vectors, chunks = analysis.embeddings, analysis.chunks
    if sentence_vectors.shape[1] == 0:  # the strategy needed no model
        return quality
    n_turns = _count_turns(analysis)
    n_mid_thought = quality.n_mid_thought
    # Both are None for a language without a word list.
    if n_mid_thought is not None and n_turns is not None:
        n_mid_thought -= n_turns
    return replace(
        quality,
        n_mid_thought=n_mid_thought,
        n_turns=n_turns,
        first_to_last=first_to_last(chunks, sentence_vectors),
        n_two_topics=count_two_topics(chunks, sentence_vectors),
    )


def _count_turns(analysis: Analysis) -> int | None:
    """Return how many cuts are turns: followed by a contrast, at one of the book's least similar gaps."""
    words = cue_words(analysis.book.language)
    if words is None:
        return None
    gaps = [
        chunk.boundary.gap
        for chunk in analysis.chunks
        if chunk.boundary is not None
        and chunk.boundary.reason is not Reason.SECTION
        and _first_word(_first_sentence(chunk)) in words.contrasts
    ]
    if not gaps:
        return 0
    similarities = window_similarities(analysis.embeddings, window=_TURN_WINDOW)
    return int((similarities[gaps] <= np.quantile(similarities, _TURN_SHARE)).sum())


def quality_of_chunks(
    chunks: Sequence[Chunk], similarities: Sequence[float] | NDArray[np.float32], language: str | None
) -> Quality:
    """Return the figures that need neither the book's blocks nor the model.

    Args:
        similarities: (n_sentences - 1,), the similarity across each gap.
        language: the book's language, as a BCP 47 tag.
    """
    # Rounded as in the store: the means of a stored book are then the same to the last digit.
    gaps = np.asarray(similarities, np.float64).round(6)
    cuts = [(chunk, chunk.boundary) for chunk in chunks if chunk.boundary is not None]
    at_cut = np.isin(np.arange(len(gaps)), [boundary.gap for _, boundary in cuts])
    after_inner_cuts = [chunk for chunk, boundary in cuts if boundary.reason is not Reason.SECTION]
    words = cue_words(language)
    n_mid_thought = None
    if words is not None:
        n_mid_thought = sum(begins_mid_thought(_first_sentence(chunk), words) for chunk in after_inner_cuts)
    return Quality(
        n_chunks=len(chunks),
        n_cuts=len(after_inner_cuts),
        inside=_mean(gaps[~at_cut]),
        across=_mean(gaps[at_cut]),
        n_mid_thought=n_mid_thought,
    )


def begins_mid_thought(text: str, words: CueWords) -> bool:
    """Return whether the first word of a text points back; `it` does, but not in `it is clear that`."""
    return _first_word(text) in words.openers and not is_impersonal(text, words)


def _first_word(text: str) -> str:
    """Return the first word of a text in lower case, without quotation marks before it; empty if none."""
    first = _FIRST_WORD.search(text)
    return "" if first is None else first[0].casefold()


def _splits_dialogue(blocks: Sequence[Block], left: int, right: int, cut: int) -> bool:
    """Return whether a cut separates two turns of speech, or leaves a quotation open."""
    # `left`: the index of the block before the cut.
    # `right`: the index of the block after the cut; the same if the cut is inside a block.
    if left != right:
        return all(_SPEECH.match(blocks[i].text) is not None for i in (left, right))
    before = blocks[left].text[: cut - blocks[left].start]
    return any(before.count(opening) > before.count(closing) for opening, closing in _QUOTATION_MARKS.items())


def _first_sentence(chunk: Chunk) -> str:
    """Return the text of a chunk's first sentence, with the blanks after it."""
    first, *others = chunk.sentence_starts
    return chunk.text[first - chunk.start : others[0] - chunk.start if others else None]


def _mean(similarities: NDArray[np.float64]) -> float | None:
    return round(float(similarities.mean()), 6) if len(similarities) else None
