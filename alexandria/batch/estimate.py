"""What an ingest would cost: every book is read, of scans a few pages, and a sample is embedded and cut."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from alexandria.batch.outcome import Outcome, Status
from alexandria.book import count_words
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import BookError
from alexandria.extract.options import ReadOptions
from alexandria.pipeline import Sample, cut_sample, take_sample
from alexandria.reading.ahead import sample_ahead
from alexandria.reading.limits import limits_from
from alexandria.reading.process import BookSample

CALIBRATION_SECONDS = 2.0
"""At most: enough for a thousand sentences or more. The first batch, which is always slow, does not count."""
CALIBRATION_SENTENCES = 2_000
"""With a sample of every book among them, they are enough in less time, too."""
SAMPLE_SENTENCES = 800
"""Most sentences of a book to embed: enough to fill batches, and less than a second."""

# What the engine writes, measured on embedded libraries of 1 and of 50 books.
_LIBRARY_BYTES = 330_000
"""An empty library."""
_CHUNK_BYTES = 1_300
"""Payload and indexes of a chunk, without its text."""
_TEXT_BYTES = 1.6
"""Per character, in payload and word index."""
_WRITE_SECONDS = 0.0008
"""Per chunk: to count its words, make its point, write and flush it."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an ingest would do, and cost."""

    n_books: int
    failed: tuple[Outcome, ...]
    """The files that cannot be read, each with its error."""
    n_words: int
    n_chunks: int
    seconds: float
    disk_bytes: int
    n_scanned_pages: int = 0
    """To be recognised."""
    recognition_seconds: float = 0.0
    """That they take; part of `seconds`."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """The size of a book, and a sample of it."""

    n_words: int
    n_sentences: int
    n_characters: int
    sample: Sample


@dataclass(frozen=True, slots=True)
class _Rates:
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

    Chunks, seconds and disk space are extrapolated from what two seconds of embedding yield; the rest is
    counted. Of a scan, a few pages are recognised; with `cache`, these are kept, and those kept from before
    cost nothing. Books that the library or the cache already holds are included. `read` is called after each
    file.
    """
    began = time.perf_counter()
    books: list[_Measured] = []
    failed: list[Outcome] = []
    n_scanned_pages, recognition, sampling_seconds = 0, [0.0], 0.0
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
            recognition.append(book.seconds)
            sampling_seconds += book.sampling_seconds
    # The pages that were recognised now are kept, or counted with the others.
    reading_seconds = max(time.perf_counter() - began - sampling_seconds / workers, 0.0)
    if not any(book.sample.texts for book in books):
        return Estimate(0, tuple(failed), 0, 0, reading_seconds, 0)
    rates = _calibrate(books, domain, encoder)
    n_words, n_sentences = sum(book.n_words for book in books), sum(book.n_sentences for book in books)
    # Each worker recognises the pages of one book after another.
    recognition_seconds = max(*recognition, sum(recognition) / workers)
    n_chunks = sum(max(1, round(book.n_words / rates.words_per_chunk)) for book in books)
    numbers = n_sentences * encoder.dim
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
            + (numbers * 2 if domain.sentence_vectors else 0)  # float16
            + n_chunks * (encoder.dim * 4 + _CHUNK_BYTES)
            + sum(book.n_characters for book in books) * _TEXT_BYTES
        ),
        n_scanned_pages=n_scanned_pages,
        recognition_seconds=recognition_seconds,
    )


def _measure(read: BookSample, domain: Domain) -> _Measured:
    sample = take_sample(read.book, domain, SAMPLE_SENTENCES)
    share = read.n_words / max(count_words(read.book.text), 1)
    n_characters = round(len(read.book.text) * share)
    return _Measured(read.n_words, round(sample.n_sentences * share), n_characters, sample)


def _calibrate(books: Sequence[_Measured], domain: Domain, encoder: Encoder) -> _Rates:
    """Embed and cut one sample after another until the time is up, or enough are done."""
    # The largest book first: its share of the total is the largest, too.
    samples = [book.sample for book in sorted(books, key=lambda book: -book.n_words) if book.sample.texts]
    encoder.encode(samples[0].texts)
    n_words = n_chunks = seconds = 0.0
    n_sentences = 0
    for n_before, sample in enumerate(cycle(samples)):
        began = time.perf_counter()
        embeddings = encoder.encode(sample.texts)
        seconds += time.perf_counter() - began
        n_words += int(sample.sizes.words.sum())
        is_whole = len(sample.texts) == sample.n_sentences
        n_cuts = len(cut_sample(sample, embeddings, domain).boundaries)
        n_chunks += n_cuts + (1 if is_whole else 0.5)  # a sample begins and ends inside a chunk
        n_sentences += len(sample.texts)
        has_all = n_before + 1 >= len(samples)
        if seconds >= CALIBRATION_SECONDS or (has_all and n_sentences >= CALIBRATION_SENTENCES):
            break
    return _Rates(seconds / n_words, n_words / n_chunks)
