"""How many processors this process may use, and which books fit into its memory."""

import os
from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.chunking.sentences import split
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.system.machine import check_memory, estimate_bytes, n_cpus
from tests.conftest import SAMPLES

HERE = n_cpus(Path("/no/control/groups"))


def test_a_container_has_as_many_processors_as_its_quota(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({}, HERE),
        ({"cpu.max": "max 100000\n"}, HERE),
        ({"cpu.max": "100000 100000\n"}, 1),
        ({"cpu.max": "20000 100000\n"}, 1),
        ({"cpu.max": "99900000 100000\n"}, HERE),
        ({"cpu.max": "?"}, HERE),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, HERE),
        ({"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 1),
    ]
    for files, expected in cases:
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content)
        assert n_cpus(tmp_path) == expected


def test_a_process_has_as_many_processors_as_it_is_allowed() -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system has no affinity")
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert n_cpus() == 1
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.fixture
def book() -> Book:
    return extract(SAMPLES / "gull-rock.txt")


def test_a_book_that_fits_is_accepted(book: Book) -> None:
    sentences = split(book)
    check_memory(book, sentences, 384)
    check_memory(book, sentences, 384, free=estimate_bytes(book, len(sentences), 384))


def test_a_book_that_does_not_fit_is_refused_with_the_numbers(book: Book) -> None:
    sentences = split(book)
    why = r"sentences take about 0\.5 GB of memory, and 0\.1 GB are free"
    with pytest.raises(BookError, match=why) as refused:
        check_memory(book, sentences, 384, free=100_000_000)
    assert refused.value.code is Code.TOO_LARGE
