"""A stored book's chapters, each with its distinctive words and the sentence nearest the mean of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from alexandria.book.model import Embeddings, sentence_texts
from alexandria.store.passage import Passage
from alexandria.store.topics import topics_of

_MIN_WORDS = 6  # a shorter sentence, such as `Yes.`, does not represent a chapter if there is another one
_MAX_WORDS = 60  # nor does a longer one, such as a list


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


def chapters_of(chunks: Sequence[Passage], sentence_vectors: Mapping[str, Embeddings]) -> list[Chapter]:
    """Return the chapters of a book in reading order.

    Args:
        chunks: the book's chunks, in order.
        sentence_vectors: (n_sentences, dim) for each chunk that has any stored, by the chunk's id. A chapter
            without any is represented by its first sentence.
    """
    chunks_of_chapters = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.section)]
    texts = ("\n".join(chunk.text for chunk in group) for group in chunks_of_chapters)
    topics = topics_of(texts, chunks[0].language if chunks else None)
    return [
        _make_chapter(group, sentence_vectors, topic)
        for group, topic in zip(chunks_of_chapters, topics, strict=True)
    ]


def _make_chapter(
    chunks: Sequence[Passage], sentence_vectors: Mapping[str, Embeddings], topic: tuple[str, ...]
) -> Chapter:
    """Return the chapter that consists of these chunks."""
    first, last = chunks[0], chunks[-1]
    return Chapter(
        headings=first.section,
        first_chunk=first.chunk_id,
        last_chunk=last.chunk_id,
        n_words=sum(chunk.word_count for chunk in chunks),
        page=next((page.label or str(page.page) for page in first.pages), None),
        sentence=_sentence_nearest_mean(chunks, sentence_vectors),
        topic=topic,
    )


def _sentence_nearest_mean(chunks: Sequence[Passage], sentence_vectors: Mapping[str, Embeddings]) -> str:
    """Return the sentence whose vector is nearest the mean of the vectors of all sentences."""
    # Sentences of ordinary length come before longer and shorter ones. If a chunk has no stored vectors,
    # return the first sentence.
    texts = (sentence_texts(chunk.text, chunk.start, chunk.sentence_starts) for chunk in chunks)
    sentences = list(chain.from_iterable(texts))
    stored = [sentence_vectors[chunk.id] for chunk in chunks if chunk.id in sentence_vectors]
    if sum(map(len, stored)) != len(sentences):
        return sentences[0]
    import numpy as np  # a list of chapters without their sentences needs none

    vectors = np.concatenate(stored)  # (n_sentences, dim)
    # (n_sentences,); all vectors have length 1, so their dot products rank like cosines
    nearness = vectors @ vectors.mean(axis=0)
    is_ordinary = [_MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS for sentence in sentences]
    if any(is_ordinary):
        nearness = np.where(is_ordinary, nearness, -np.inf)
    return sentences[int(nearness.argmax())]
