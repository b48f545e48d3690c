"""A run: the same library with any number of workers, remarks on duplicates, and a stop on request."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import Popen

import pytest

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings, Point
from alexandria.chunking.domains import load_domain
from alexandria.embed import DEFAULT_MODEL
from alexandria.embed.encoder import Counter, PlainEncoder, uncounted
from alexandria.embed.hashing import HashingEncoder
from alexandria.embed.models.locate import locate
from alexandria.errors import StoreError
from alexandria.extract.isolated import process
from alexandria.extract.isolated.process import end_worker
from alexandria.library.ingest.discovery import find_books
from alexandria.library.ingest.events import Events
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.run import ingest
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from tests.batch.library import ENCODER, digest, open_at
from tests.conftest import CORE_BOOKS
from tests.store.fake_server import FakeServer

BOOKS = list(find_books(CORE_BOOKS).files)
UNCACHED = RunOptions(cache=False)
IN_TURN = RunOptions(workers=0, cache=False)
DOMAIN = load_domain(options={"model": "hashing"}, environ={})


def run(
    files: list[Path],
    folder: Path,
    *,
    workers: int = 1,
    force: bool = False,
    fail_fast: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Outcome]:
    with open_at(folder) as library:
        return list(
            ingest(
                files,
                DOMAIN,
                ENCODER,
                library,
                RunOptions(workers=workers, force=force, fail_fast=fail_fast, cache=False),
                stopped=stopped,
            )
        )


@pytest.mark.annex
def test_a_book_that_is_too_large_for_the_server_does_not_stop_the_others(tmp_path: Path) -> None:
    long, short = tmp_path / "long.txt", tmp_path / "short.txt"
    long.write_text("A paragraph of one very long chunk. " * 150)
    short.write_text("A short book of one paragraph. It ends here.")
    domain = load_domain(options={"model": "hashing", "strategy": "fixed", "max_words": 3000}, environ={})
    # A chunk of the long book is more than a request may be, one of the short book is not.
    with FakeServer(most_bytes=40_000) as server, open_at(server.url) as library:
        outcomes = list(ingest([long, short], domain, ENCODER, library, IN_TURN))
        assert [outcome.status for outcome in outcomes] == [Status.FAILED, Status.INGESTED]
        assert outcomes[0].error is not None
        assert "too large for the server" in outcomes[0].error.what
        assert library.n_books == 1


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    files = [*BOOKS[:2], tmp_path / "empty.txt", *BOOKS[1:]]
    runs = {n: run(files, tmp_path / str(n), workers=n) for n in (0, 1, 3)}
    assert len({digest(tmp_path / str(n)) for n in runs}) == 1
    summaries = {
        n: [(outcome.source, outcome.status, outcome.remarks) for outcome in outcomes]
        for n, outcomes in runs.items()
    }
    assert all(summaries[n] == summaries[0] for n in runs)


class Ahead(PlainEncoder):
    """An encoder that records when books are begun, and when their vectors are waited for."""

    name, dim = ENCODER.name, ENCODER.dim

    def __init__(self, most: int) -> None:
        """Return no vectors until `most` books have been begun."""
        self.notes: list[str] = []
        self._left, self._begun = most, threading.Event()

    def encode(self, texts: Sequence[str]) -> Embeddings:
        return ENCODER.encode(texts)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        self.notes.append("begin")
        self._left -= 1
        if not self._left:
            self._begun.set()
        return lambda: self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Embeddings:
        assert self._begun.wait(30)
        self.notes.append("wait")
        return ENCODER.encode(texts)


def test_the_next_book_is_begun_before_the_previous_one_is_embedded(tmp_path: Path) -> None:
    with open_at(tmp_path) as library:
        outcomes = list(ingest(BOOKS[:2], DOMAIN, Ahead(2), library, UNCACHED))
    assert [outcome.status for outcome in outcomes] == [Status.INGESTED] * 2


class Patient(HashingEncoder):
    """An encoder that embeds the second book only once the first one has been reported."""

    def __init__(self) -> None:
        super().__init__()
        self.n_begun, self.reported = 0, threading.Event()

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        self.n_begun += 1
        if self.n_begun == 2:
            assert self.reported.wait(30)
        for text in texts:
            encoded(len(text))
        return lambda: self.encode(texts)


def test_a_book_is_reported_at_once_and_its_sentences_as_they_are_embedded(tmp_path: Path) -> None:
    encoder, told = Patient(), list[object]()

    def finished(outcome: Outcome) -> None:
        told.append(outcome.title)
        encoder.reported.set()

    shares = dict.fromkeys(BOOKS[:2], 0.0)

    def embedded(path: Path, share: float) -> None:
        shares[path] += share

    read: list[tuple[str, int]] = []
    events = Events(
        read=lambda path, title, n_words: read.append((title, n_words)), embedded=embedded, finished=finished
    )
    with open_at(tmp_path) as library:
        outcomes = list(ingest(BOOKS[:2], DOMAIN, encoder, library, UNCACHED, events=events))
    assert told == [outcome.title for outcome in outcomes] == [title for title, _ in read]
    assert [n_words for _, n_words in read] == pytest.approx([o.n_words for o in outcomes], rel=0.1)
    assert list(shares.values()) == pytest.approx([1, 1])


def test_without_workers_a_book_is_stored_before_the_next_is_begun(tmp_path: Path) -> None:
    encoder = Ahead(1)
    with open_at(tmp_path) as library:
        list(ingest(BOOKS[:3], DOMAIN, encoder, library, IN_TURN))
    assert encoder.notes == ["begin", "wait"] * 3


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("force", [False, True])
def test_the_same_bytes_under_several_names_are_stored_once_with_a_remark(
    tmp_path: Path, workers: int, force: bool
) -> None:
    for name in ("one.txt", "two.txt", "three.txt"):
        (tmp_path / name).write_text("A sentence. Another one.")
    files = [tmp_path / name for name in ("one.txt", "two.txt", "three.txt")]
    outcomes = run(files, tmp_path / "library", workers=workers, force=force)
    assert [outcome.status for outcome in outcomes] == [Status.INGESTED, Status.UNCHANGED, Status.UNCHANGED]
    remark = (f"the same file is in the library as {files[0]}",)
    assert [outcome.remarks for outcome in outcomes] == [(), remark, remark]
    assert run(files[:1], tmp_path / "library")[0].remarks == ()


class InNumbers(HashingEncoder):
    """Hashes words, and says that it computes in some numbers."""

    def __init__(self, precision: Precision | None, name: str = "") -> None:
        super().__init__(ENCODER.dim)
        self._precision, self.name = precision, name or self.name

    def find_precision(self) -> Precision | None:
        return self._precision


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (Precision.F32, Precision.INT8, True),
        (Precision.INT8, Precision.BF16, True),
        (Precision.F32, Precision.BF16, False),
        (Precision.INT8, Precision.INT8, False),
        (None, Precision.INT8, False),
    ],
)
def test_a_library_in_int8_and_other_numbers_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, before: Precision | None, now: Precision, said: bool
) -> None:
    with open_at(tmp_path) as library:
        list(ingest(BOOKS[:1], DOMAIN, InNumbers(before), library, IN_TURN))
        list(ingest(BOOKS[1:3], DOMAIN, InNumbers(now), library, IN_TURN))
        assert [record.precision for record in library.books()].count(now) >= 2
    messages = [message for message in caplog.messages if "computed in" in message]
    assert len(messages) == said
    assert all(f"computed in {now}, and others of this library in {before}" in one for one in messages)


def test_of_a_mixture_that_was_measured_to_be_harmless_nothing_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = locate(DEFAULT_MODEL).name
    with open_at(tmp_path, InNumbers(None, name)) as library:
        list(ingest(BOOKS[:1], DOMAIN, InNumbers(Precision.F32, name), library, IN_TURN))
        list(ingest(BOOKS[1:2], DOMAIN, InNumbers(Precision.INT8, name), library, IN_TURN))
        assert library.precisions() == {"f32", "int8"}
    assert not [message for message in caplog.messages if "computed in" in message]


def test_the_same_book_in_other_numbers_alone_is_not_a_mixture(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    again = RunOptions(workers=0, cache=False, force=True)
    with open_at(tmp_path) as library:
        list(ingest(BOOKS[:1], DOMAIN, InNumbers(Precision.F32), library, IN_TURN))
        list(ingest(BOOKS[:1], DOMAIN, InNumbers(Precision.INT8), library, again))
    assert not caplog.messages


class LatinOnly(HashingEncoder):
    """Reads a text in Latin letters, and sees of any other only that it is one."""

    name = "latin-only"

    def __init__(self) -> None:
        self.dim = 384

    def encode(self, texts: Sequence[str]) -> Embeddings:
        return super().encode(["?" if any(letter > "\u0250" for letter in text) else text for text in texts])


def test_a_language_that_the_model_does_not_read_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    for number in range(2):
        (folder / f"russian-{number}.txt").write_text(f"Пчёлы танцуют, и книга {number} об этом. " * 40)
    (folder / "english.txt").write_text(
        "The bees dance, and they tell each other where the flowers are. " * 40
    )
    encoder = LatinOnly()
    with open_at(tmp_path / "library", encoder) as catalog:
        outcomes = list(ingest(find_books([folder]).files, DOMAIN, encoder, catalog, IN_TURN))
    assert len(outcomes) == 3
    (said,) = [message for message in caplog.messages if "does not know" in message]
    assert said.startswith("This model does not know Russian, so Russian books are searched by keyword.")
    assert said.endswith("alexandria copy --model multilingual --to FOLDER")
    assert "--model multilingual" in said


def test_a_book_in_two_formats_is_stored_twice_with_a_remark(tmp_path: Path) -> None:
    words = " ".join(f"Sentence number {n} speaks of {n * n} things." for n in range(300))
    (tmp_path / "a-long-tale.txt").write_text(words)
    (tmp_path / "other.txt").write_text(words.replace("speaks", "tells").replace("things", "matters"))
    (tmp_path / "tale.html").write_text(f"<html><title>A Long Tale</title><body><p>{words}</p></body></html>")
    (tmp_path / "b.html").write_text(
        "<html><title>A Long Tale</title><body><p>Quite another.</p></body></html>"
    )
    outcomes = run(
        [tmp_path / name for name in ("a-long-tale.txt", "other.txt", "tale.html", "b.html")],
        tmp_path / "lib",
    )
    assert {outcome.status for outcome in outcomes} == {Status.INGESTED}
    remark = f"seems to be the same book as “a-long-tale” (txt), {tmp_path / 'a-long-tale.txt'}"
    assert [outcome.remarks for outcome in outcomes] == [(), (), (remark,), ()]


def test_a_changed_file_is_no_other_edition_of_itself(tmp_path: Path) -> None:
    words = " ".join(f"Sentence number {n} speaks of {n * n} things." for n in range(300))
    tale, copy = tmp_path / "tale.txt", tmp_path / "copy.txt"
    tale.write_text(words)
    run([tale], tmp_path / "lib")
    tale.write_text(f"{words} It has an end.")
    assert [outcome.remarks for outcome in run([tale], tmp_path / "lib")] == [()]
    copy.write_text(f"{words} It has another end.")
    run([copy], tmp_path / "lib")
    tale.write_text(words)
    (outcome,) = run([tale], tmp_path / "lib")
    assert outcome.remarks == (f"seems to be the same book as “copy” (txt), {copy}",)


@pytest.mark.parametrize("workers", [0, 2])
def test_on_request_it_stops_after_the_books_in_progress(tmp_path: Path, workers: int) -> None:
    begun: list[Path] = []
    with open_at(tmp_path) as library:
        done = list(
            ingest(
                BOOKS,
                DOMAIN,
                ENCODER,
                library,
                RunOptions(workers=workers, cache=False),
                events=Events(started=begun.append),
                stopped=lambda: len(begun) == 2,
            )
        )
    assert [outcome.source for outcome in done] == begun == BOOKS[:2]
    outcomes = run(BOOKS, tmp_path)
    n_left = len(BOOKS) - 2
    assert [outcome.status for outcome in outcomes] == [Status.UNCHANGED] * 2 + [Status.INGESTED] * n_left
    run(BOOKS, tmp_path / "whole")
    assert digest(tmp_path) == digest(tmp_path / "whole")


@pytest.mark.parametrize("workers", [0, 2])
def test_the_next_book_is_embedded_while_one_is_stored(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding = threading.Event()
    overlapped: list[bool] = []
    replace = Catalog.replace

    def slow(library: Catalog, record: Record, points: Sequence[Point]) -> Record:
        overlapped.append(embedding.wait(timeout=10 if workers and not overlapped else 0))
        return replace(library, record, points)

    class Watched(PlainEncoder):
        name, dim = ENCODER.name, ENCODER.dim

        def encode(self, texts: Sequence[str]) -> Embeddings:
            n_books.extend([1] * bool(texts))  # a call without texts only loads the model
            if len(n_books) == 2:
                embedding.set()
            return ENCODER.encode(texts)

    n_books: list[int] = []
    monkeypatch.setattr(Catalog, "replace", slow)
    with open_at(tmp_path) as library:
        list(ingest(BOOKS[:3], DOMAIN, Watched(), library, RunOptions(workers=workers, cache=False)))
    assert overlapped[0] is (workers > 0)


def test_a_failure_of_the_store_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Outcome] = []
    replace = Catalog.replace

    def full(library: Catalog, record: Record, points: Sequence[Point]) -> Record:
        if done:
            raise StoreError("cannot write", why="the disk is full", fix="free some space")
        return replace(library, record, points)

    monkeypatch.setattr(Catalog, "replace", full)
    with open_at(tmp_path) as library:
        batch = ingest(BOOKS, DOMAIN, ENCODER, library, IN_TURN)
        done.append(next(batch))
        with pytest.raises(StoreError, match="cannot write"):
            next(batch)


@pytest.mark.parametrize("workers", [0, 2])
def test_no_reader_outlives_a_run_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    started: list[Popen[bytes]] = []
    start = process.start_worker

    def noted() -> Popen[bytes]:
        started.append(start())
        return started[-1]

    def full(library: Catalog, record: Record, points: Sequence[Point]) -> Record:
        raise StoreError("cannot write", why="the disk is full", fix="free some space")

    ended: list[Popen[bytes]] = []
    monkeypatch.setattr(process, "start_worker", noted)
    monkeypatch.setattr(process, "end_worker", ended.append)
    monkeypatch.setattr(Catalog, "replace", full)
    with open_at(tmp_path) as library:
        batch = ingest(BOOKS, DOMAIN, ENCODER, library, RunOptions(workers=workers, cache=False))
        with pytest.raises(StoreError) as error:  # whose traceback holds the frames of the run
            list(batch)
        assert started
        assert sorted(worker.pid for worker in ended) == sorted(worker.pid for worker in started)
    for worker in started:
        end_worker(worker)
    assert error.value.what == "cannot write"


def test_fail_fast_stops_after_the_first_failure(tmp_path: Path) -> None:
    outcomes = run([BOOKS[0], tmp_path / "gone.txt", BOOKS[1]], tmp_path / "lib", fail_fast=True)
    assert [outcome.status for outcome in outcomes] == [Status.INGESTED, Status.FAILED]
