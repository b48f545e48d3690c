"""Estimates what an ingest would cost.

Every book is read, though only a few pages of a scan are recognised; a sample of the text is embedded and
cut.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from alexandria.book.model import count_words
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.errors import BookError
from alexandria.extract.isolated.ahead import sample_ahead
from alexandria.extract.isolated.limits import limits_from
from alexandria.extract.isolated.process import BookSample
from alexandria.extract.options import ReadOptions
from alexandria.library.ingest.one_book import Sample, cut_sample, take_sample
from alexandria.library.ingest.outcome import Outcome, Status

CALIBRATION_SECONDS = 2.0
"""Longest time to embed samples, enough for a thousand sentences or more. The first batch, which is always
slow, does not count."""
CALIBRATION_SENTENCES = 2_000  # enough sentences to stop before that, if a sample of every book is among them
SAMPLE_SENTENCES = 800
"""Most sentences of one book to embed: they fill several batches, and take less than a second."""

# What the storage engine writes, measured on libraries of 1 and of 50 books in a folder.
_LIBRARY_BYTES = 330_000  # an empty library
_CHUNK_BYTES = 1_300  # payload and indexes of a chunk, without its text
_TEXT_BYTES = 1.6  # per character, in payload and word index
_WRITE_SECONDS = 0.0008  # time per chunk to count its words, and to make, write and flush its point


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an ingest would do, and cost."""

    n_books: int
    failed: tuple[Outcome, ...]  # the files that cannot be read, each with its error
    n_words: int
    n_chunks: int
    seconds: float
    disk_bytes: int
    n_scanned_pages: int = 0  # pages that an ingest would have to recognise
    recognition_seconds: float = 0.0  # time to recognise these pages; included in `seconds`


@dataclass(frozen=True, slots=True)
class _MeasuredBook:
    """The size of a book, scanned pages included, and a sample of its text."""

    n_words: int
    n_sentences: int
    n_characters: int
    sample: Sample


@dataclass(frozen=True, slots=True)
class _Rates:
    """How fast text is embedded, and how long chunks are, as the samples show."""

    seconds_per_word: float
    words_per_chunk: float


def estimate(
    files: Iterable[Path],
    domain: Domain,
    encoder: Encoder,
    options: ReadOptions,
    *,
    workers: int = 1,
    cache: bool = False,
    read: Callable[[], None] = lambda: None,
) -> Estimate:
    """Return what `ingest` would cost on this machine under its present load.

    Words are counted; chunks, seconds and disk space are extrapolated from two seconds of embedding. Books
    that the library or the cache already holds are included.

    Args:
        domain: how they would be cut.
        encoder: how they would be embedded.
        cache: take recognised pages from the cache, where they cost nothing, and add new ones to it.
        read: called after each file.
    """
    began = time.perf_counter()
    books: list[_MeasuredBook] = []
    failed: list[Outcome] = []
    n_scanned_pages, sampling_seconds = 0, 0.0
    seconds_by_book = [0.0]  # to recognise its scanned pages; 0.0 in case there is no book
    with closing(sample_ahead(files, options, limits_from(os.environ), workers, cache=cache)) as ahead:
        for path, reading in ahead:
            try:
                book = reading.result()
            except BookError as error:
                failed.append(Outcome(path, Status.FAILED, error=error))
                continue
            finally:
                read()
            books.append(_measure(book, domain))
            n_scanned_pages += book.n_scanned_pages
            seconds_by_book.append(book.seconds)
            sampling_seconds += book.sampling_seconds
    # Without the time for the sampled pages: they are either cached, or included in `recognition_seconds`.
    reading_seconds = max(time.perf_counter() - began - sampling_seconds / workers, 0.0)
    if not any(book.sample.texts for book in books):
        return Estimate(
            n_books=0, failed=tuple(failed), n_words=0, n_chunks=0, seconds=reading_seconds, disk_bytes=0
        )
    rates = _calibrate(books, domain, encoder)
    n_words = sum(book.n_words for book in books)
    n_sentences = sum(book.n_sentences for book in books)
    # Books are shared among the workers, but one book is not: the longest takes at least its own time.
    recognition_seconds = max(*seconds_by_book, sum(seconds_by_book) / workers)
    n_chunks = sum(max(1, round(book.n_words / rates.words_per_chunk)) for book in books)
    n_components = n_sentences * encoder.dim  # of all sentence vectors
    return Estimate(
        n_books=len(books),
        failed=tuple(failed),
        n_words=n_words,
        n_chunks=n_chunks,
        # Reading runs in parallel with the model, but on the same processors.
        seconds=reading_seconds
        + recognition_seconds
        + n_words * rates.seconds_per_word
        + n_chunks * _WRITE_SECONDS,
        disk_bytes=int(
            _LIBRARY_BYTES
            + (n_components * 2 if domain.sentence_vectors else 0)  # float16
            + n_chunks * (encoder.dim * 4 + _CHUNK_BYTES)
            + sum(book.n_characters for book in books) * _TEXT_BYTES
        ),
        n_scanned_pages=n_scanned_pages,
        recognition_seconds=recognition_seconds,
    )


def _measure(book: BookSample, domain: Domain) -> _MeasuredBook:
    """Return the size of a book, and a sample of its text to embed."""
    # If only some pages of a scan were recognised, the size is extrapolated to all of them.
    sample = take_sample(book.book, domain, SAMPLE_SENTENCES)
    scale = book.n_words / max(count_words(book.book.text), 1)  # 1 unless the book is a scan
    return _MeasuredBook(
        n_words=book.n_words,
        n_sentences=round(sample.n_sentences * scale),
        n_characters=round(len(book.book.text) * scale),
        sample=sample,
    )


def _calibrate(books: Sequence[_MeasuredBook], domain: Domain, encoder: Encoder) -> _Rates:
    """Return how fast text is embedded and how long chunks are, measured on the samples."""
    # Samples are embedded, again and again if there are few, until `CALIBRATION_SECONDS` are up, or until
    # every sample has been embedded and together they have `CALIBRATION_SENTENCES`.
    # The largest book first, because it counts most in the total.
    samples = [book.sample for book in sorted(books, key=lambda book: -book.n_words) if book.sample.texts]
    encoder.encode(samples[0].texts)  # not measured: the first batch is always slow
    n_words = n_chunks = seconds = 0.0
    n_sentences = 0
    for n_done, sample in enumerate(cycle(samples), start=1):
        began = time.perf_counter()
        embeddings = encoder.encode(sample.texts)
        seconds += time.perf_counter() - began
        n_words += int(sample.sizes.words.sum())
        is_whole = len(sample.texts) == sample.n_sentences
        n_cuts = len(cut_sample(sample, embeddings, domain).boundaries)
        n_chunks += n_cuts + (1 if is_whole else 0.5)  # a sample begins and ends inside a chunk
        n_sentences += len(sample.texts)
        is_every_sample_done = n_done >= len(samples)
        if seconds >= CALIBRATION_SECONDS or (is_every_sample_done and n_sentences >= CALIBRATION_SENTENCES):
            break
    return _Rates(seconds_per_word=seconds / n_words, words_per_chunk=n_words / n_chunks)
