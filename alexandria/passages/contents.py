"""A stored book's chapters, each with its distinctive words and the sentence nearest the mean of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from alexandria.book import Embeddings
from alexandria.passage import Passage
from alexandria.passages.topics import topics_of
from alexandria.store.points import stored_sentence_starts

_MIN_WORDS = 6
"""A shorter sentence, such as `Yes.`, does not represent a chapter if there is another one."""
_MAX_WORDS = 60
"""Nor does a longer one, such as a list."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Neighbouring chunks under one heading path, and a sentence that represents them."""

    headings: tuple[str, ...]
    """The heading path, outermost first; empty before the first heading."""
    first_chunk: int
    last_chunk: int
    n_words: int
    page: str | None
    """The page it begins on, as a reader cites it."""
    sentence: str
    """The sentence nearest the mean of all its sentences; the first one if no vectors are stored."""
    topic: tuple[str, ...] = ()
    """Its most distinctive words, compared with the other chapters; five at most."""


def chapters_of(chunks: Sequence[Passage], rows: Mapping[str, Embeddings]) -> list[Chapter]:
    """Return the chapters of a book in reading order.

    Args:
        chunks: the book's chunks, in order.
        rows: the sentence vectors, (n_sentences, dim), of each chunk that has any, by its id.
    """
    runs = [list(run) for _, run in groupby(chunks, key=lambda chunk: chunk.section)]
    language = chunks[0].language if chunks else None
    topics = topics_of(("\n".join(chunk.text for chunk in run) for run in runs), language)
    return [_chapter(run, rows, topic) for run, topic in zip(runs, topics, strict=True)]


def _chapter(chunks: Sequence[Passage], rows: Mapping[str, Embeddings], topic: tuple[str, ...]) -> Chapter:
    first, last = chunks[0], chunks[-1]
    return Chapter(
        headings=first.section,
        first_chunk=first.chunk_id,
        last_chunk=last.chunk_id,
        n_words=sum(int(chunk.payload["word_count"]) for chunk in chunks),
        page=first.page,
        sentence=_sentence_nearest_mean(chunks, rows),
        topic=topic,
    )


def _sentence_nearest_mean(chunks: Sequence[Passage], rows: Mapping[str, Embeddings]) -> str:
    """Return the sentence whose vector is nearest the mean of all; one of ordinary length if there is one."""
    sentences = [sentence for chunk in chunks for sentence in sentences_of_passage(chunk)]
    stored = [rows[chunk.id] for chunk in chunks if chunk.id in rows]
    vectors = np.concatenate(stored) if stored else np.empty((0, 1), np.float32)  # (n_sentences, dim)
    if len(vectors) != len(sentences):  # a chunk has no stored vectors
        return sentences[0]
    nearness = vectors @ vectors.mean(axis=0)  # (n_sentences,)
    is_ordinary = [_MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS for sentence in sentences]
    if any(is_ordinary):
        nearness = np.where(is_ordinary, nearness, -np.inf)
    return sentences[int(nearness.argmax())]


def sentences_of_passage(chunk: Passage) -> list[str]:
    """Return the texts of a stored chunk's sentences."""
    edges = [start - chunk.start for start in stored_sentence_starts(chunk.payload)]
    return [chunk.text[start:end].strip() for start, end in zip(edges, [*edges[1:], None], strict=True)]
