"""What an ingest would cost: counted where it can be, extrapolated from a sample elsewhere."""

import itertools
from concurrent.futures import Future
from pathlib import Path

import pytest

from alexandria.book.model import count_words
from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import ReadOptions, extract
from alexandria.extract.isolated.process import BookSample
from alexandria.library.ingest import estimate as estimates
from alexandria.library.ingest.estimate import SAMPLE_SENTENCES, estimate
from alexandria.library.ingest.one_book import analyse
from tests.conftest import SAMPLES

BOOKS = [SAMPLES / name for name in ("gull-rock.txt", "the-quiet-trades.epub")]
DOMAIN = load_domain(options={"model": "hashing", "max_words": 120, "min_words": 30}, environ={})
ENCODER = HashingEncoder()


def test_words_are_counted_and_chunks_estimated_from_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "CALIBRATION_SECONDS", 0.0)  # one sample, that of the longest book
    result = estimate([*BOOKS, tmp_path / "gone.txt"], DOMAIN, ENCODER, ReadOptions())
    analyses = [analyse(extract(path), DOMAIN, ENCODER) for path in BOOKS]
    assert max(len(analysis.sentences) for analysis in analyses) <= SAMPLE_SENTENCES  # the whole book
    assert (result.n_books, len(result.failed)) == (2, 1)
    assert result.n_words == sum(count_words(analysis.book.text) for analysis in analyses)
    n_chunks = sum(len(analysis.chunks) for analysis in analyses)
    assert result.n_chunks == pytest.approx(n_chunks, rel=0.3)
    assert result.seconds > 0
    assert result.disk_bytes > sum(analysis.embeddings.size for analysis in analyses) * 2


def test_the_time_that_sampling_a_scan_took_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(sampling_seconds: float) -> float:
        clock = itertools.count(0, 100)
        sample: Future[BookSample] = Future()
        sample.set_result(BookSample(extract(BOOKS[0]), 1000, 7, 300.0, sampling_seconds))
        monkeypatch.setattr(
            estimates, "sample_ahead", lambda *_, **__: (pair for pair in [(BOOKS[0], sample)])
        )
        monkeypatch.setattr("time.perf_counter", lambda: next(clock))
        return estimate(BOOKS[:1], DOMAIN, ENCODER, ReadOptions(), workers=2).seconds

    assert seconds(0.0) - seconds(60.0) == pytest.approx(30)


def test_without_a_readable_book_there_is_nothing_to_estimate(tmp_path: Path) -> None:
    result = estimate([tmp_path / "gone.txt"], DOMAIN, ENCODER, ReadOptions())
    assert (result.n_books, len(result.failed), result.n_chunks, result.disk_bytes) == (0, 1, 0, 0)
