"""What an ingest would cost: all of it is read, a little of it is embedded and cut."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from alexandria.book import Book, count_words
from alexandria.chunking import Sizes, segment_sentences
from alexandria.chunking.sections import measure_sentences
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import BookError
from alexandria.extract.options import ReadOptions
from alexandria.reading.ahead import read_ahead
from alexandria.reading.limits import limits_from
from alexandria.sentences import split

CALIBRATION_SECONDS = 2.0
"""Enough for a thousand sentences and more. The first part, slow as all first batches are, does not count."""
PART = 800
"""Sentences of each book that may be embedded: enough to fill batches, and less than a second."""

# What the engine writes, measured on embedded libraries of 1 and of 50 books.
_LIBRARY_BYTES = 330_000
"""An empty one."""
_CHUNK_BYTES = 1_300
"""Of a chunk's payload and indexes, beside its text."""
_TEXT_BYTES = 1.6
"""Of a character, in payload and word index."""
_WRITE_SECONDS = 0.0008
"""Of a chunk: its words counted, its point made, written and flushed."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an ingest would do, and cost."""

    n_books: int
    n_failed: int
    """Files that cannot be read: the ingest will name them."""
    n_words: int
    n_chunks: int
    seconds: float
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class _Measured:
    """A book as far as its cost goes."""

    n_words: int
    n_sentences: int
    n_characters: int
    sample: tuple[str, ...]
    """A run of its sentences, from the middle, where there are no title pages."""
    sizes: Sizes
    """Of the sample: chapters cut it as they cut the book."""


@dataclass(frozen=True, slots=True)
class _Rates:
    seconds_a_word: float
    words_a_chunk: float


def estimate(
    files: Iterable[Path], domain: Domain, encoder: Encoder, options: ReadOptions, *, workers: int = 1
) -> Estimate:
    """Return what `ingest` would cost on this machine, as busy as it is now.

    Chunks, seconds and disk are extrapolated from what is embedded in two seconds; the rest is counted.
    What the library and the cache hold already is not taken off.
    """
    began = time.perf_counter()
    books, n_failed = [], 0
    for _, reading in read_ahead(files, options, limits_from(os.environ), workers, lambda id: False):
        try:
            _, book = reading.result()
        except BookError:
            n_failed += 1
            continue
        if book is not None:
            books.append(_measure(book, domain))
    reading_seconds = time.perf_counter() - began
    if not any(one.sample for one in books):
        return Estimate(0, n_failed, 0, 0, reading_seconds, 0)
    rates = _calibrate(books, domain, encoder)
    n_words, n_sentences = sum(one.n_words for one in books), sum(one.n_sentences for one in books)
    n_chunks = sum(max(1, round(one.n_words / rates.words_a_chunk)) for one in books)
    numbers = n_sentences * encoder.dim
    return Estimate(
        n_books=len(books),
        n_failed=n_failed,
        n_words=n_words,
        n_chunks=n_chunks,
        # Reading runs beside the model, but takes the same processors.
        seconds=reading_seconds + n_words * rates.seconds_a_word + n_chunks * _WRITE_SECONDS,
        disk_bytes=int(
            _LIBRARY_BYTES
            + (numbers * 2 if domain.sentence_vectors else 0)  # float16
            + n_chunks * (encoder.dim * 4 + _CHUNK_BYTES)
            + sum(one.n_characters for one in books) * _TEXT_BYTES
        ),
    )


def _measure(book: Book, domain: Domain) -> _Measured:
    sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
    first = max(0, (len(sentences) - PART) // 2)
    run = sentences[first : first + PART]
    return _Measured(
        n_words=count_words(book.text),
        n_sentences=len(sentences),
        n_characters=len(book.text),
        sample=tuple(book.text[one.start : one.end] for one in run),
        sizes=measure_sentences(
            book, run, min_words=domain.strategy.min_words, respect_sections=domain.respect_sections
        ),
    )


def _calibrate(books: Sequence[_Measured], domain: Domain, encoder: Encoder) -> _Rates:
    """Embed and cut samples, of one book after the other, until the time is up."""
    # The largest first: their share of the whole is the largest too.
    samples = sorted((one for one in books if one.sample), key=lambda one: -one.n_words)
    encoder.encode(samples[0].sample)
    n_words = n_chunks = seconds = 0.0
    for one in cycle(samples):
        began = time.perf_counter()
        rows = encoder.encode(one.sample)
        seconds += time.perf_counter() - began
        n_words += int(one.sizes.words.sum())
        n_cuts = len(segment_sentences(domain.strategy, rows, one.sizes).boundaries)
        n_chunks += n_cuts + (1 if len(one.sample) == one.n_sentences else 0.5)  # its ends are in mid-chunk
        if seconds >= CALIBRATION_SECONDS:
            break
    return _Rates(seconds / n_words, n_words / n_chunks)
