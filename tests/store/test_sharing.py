"""One process writes a library and any number read it; each sees whole books, and none disturbs the other."""

import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytest

from alexandria.errors import Code, DamagedError, DisconnectedError, FullDiskError, NoMatchError, StoreError
from alexandria.library.library import Library
from alexandria.store import Server, open_store, prepare_folder, service, sharing, through_owner
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import WAL_FILES, CatalogFile
from alexandria.store.edge import EdgeStore
from alexandria.store.lock import Owner, is_locked, read_owner, require_lock
from alexandria.store.payload import digest_of
from alexandria.store.plan import VectorName
from alexandria.store.service import PROTOCOL, SOCKET, TOKEN_BYTES, read_bytes, receive, send
from alexandria.store.sharing import Access, open_shared
from alexandria.store.store import Pending
from alexandria.store.through_owner import OwnerConnection
from tests.forks import Forked
from tests.pickles import as_python_3_11_0
from tests.store.crash import (
    NEW,
    OLD,
    check_complete,
    contents,
    end_fork,
    in_fork,
    ingest,
    start_fork,
    write_books,
)
from tests.store.test_lock import FOLDERS, KINDS, start_ingest, wait_for_owner

BY_KIND = pytest.mark.parametrize("kind", KINDS)


@contextmanager
def owned(kind: str, folder: Path, *, n_books: int = 2) -> Iterator[tuple[str, Library]]:
    """Yield the address of a library with books, and this process's Library, which has it open."""
    address = f"{KINDS[kind]}{folder / 'library'}"
    with Library(address) as library:
        library.ingest(write_books(folder, n_books=n_books, n_words=600), options=NEW)
    with Library(address) as library:
        library.books()
        yield address, library


def connect(folder: Path, *, wait: float) -> OwnerConnection:
    """Return a reader's connection to the process that has the library of `owned` open."""
    library = folder / "library" / "books"
    owner = read_owner(library)
    assert owner is not None
    return OwnerConnection(library, owner, wait=wait)


def forever(peer: socket.socket) -> None:
    """Wait for an answer without limit."""


def check_whole(library: Library) -> int:
    """Raise if a book that is listed lacks a chunk; return how many there are."""
    records = library.books()
    for record in records:
        # Between the two calls the ingest goes on, but it replaces no book here.
        # The record knows the absolute path of the file; what is stored, and hashed, is its name.
        stored = [
            {**chunk.payload, "source": Path(record.source).name} for chunk in library.chunks(record.book_id)
        ]
        assert tuple(map(digest_of, stored)) == record.digests
    return len(records)


def check_refused(library: Library, book: Path, writer: Forked) -> None:
    """Raise unless a second writer is refused, or the first has ended."""
    if writer.poll() is None:
        with suppress(StoreError):
            library.ingest([book], options=NEW)
            assert writer.wait() == 0, "two processes wrote at once"


@BY_KIND
def test_many_opens_during_an_ingest_leave_it_alone_and_see_whole_books(tmp_path: Path, kind: str) -> None:
    books = write_books(tmp_path, n_books=16, n_words=500)
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    alone = f"{KINDS[kind]}{tmp_path / 'alone' / 'library'}"
    process = start_ingest(books, address)
    wait_for_owner(tmp_path / FOLDERS[kind], process.pid)
    seen, n_during, n_after = [], 0, 0
    for number in range(100):
        if n_after == 4:  # one of each kind: all others would find the same library
            break
        with Library(address) as library:
            match number % 4:
                case 0:
                    seen.append(check_whole(library))
                case 1:
                    with suppress(StoreError):  # as long as it is empty
                        assert library.search("bana cena", limit=3, mode="bm25") is not None
                case 2:
                    assert library.verify().findings == ()
                case 3:
                    check_refused(library, books[0], process)
        if process.poll() is None:
            n_during += 1
        else:
            n_after += 1
    assert process.wait() == 0
    assert n_during >= 4, "the ingest ended before the opens began"
    assert seen == sorted(seen)
    in_fork(lambda: ingest(books, alone, NEW))
    disturbed, undisturbed = (open_store(place, "books", None) for place in (address, alone))
    check_complete(disturbed, swept=False)
    assert contents(disturbed) == contents(undisturbed) != []


@BY_KIND
def test_a_reader_in_another_process_finds_the_same(tmp_path: Path, kind: str) -> None:
    with owned(kind, tmp_path) as (address, library), Library(address) as reader:
        assert reader.books() == library.books() != []
        title = library.books()[0].title
        query = library.chunks(title)[3].text  # of equal scores, any may come first
        hits = library.search(query, limit=1, context=1)
        assert list(reader.search(query, limit=1, context=1)) == list(hits) != []
        assert reader.chunks(title) == library.chunks(title)
        assert reader.read(hits[0]) == library.read(hits[0])
        assert reader.verify() == library.verify()
        for name, one in (("own", library), ("remote", reader)):
            one.export(tmp_path / f"{name}.jsonl")
        assert (tmp_path / "own.jsonl").read_bytes() == (tmp_path / "remote.jsonl").read_bytes()
        assert [copied for _, copied in reader.copy(tmp_path / "copy")] == [True, True]
        with Library(tmp_path / "copy") as copy:
            assert copy.books() == library.books()


@BY_KIND
def test_a_reader_hands_the_library_to_a_writer_and_reads_on(tmp_path: Path, kind: str) -> None:
    more = tmp_path / "more.txt"
    more.write_text("A third book\n\nIt has one sentence about a lighthouse.\n")
    with owned(kind, tmp_path) as (address, reader), Library(address) as writer:
        assert len(reader.books()) == 2
        writer.ingest(more, options=NEW)
        assert len(reader.books()) == 3  # through the writer
        found = reader.search("lighthouse", limit=1, mode="bm25")[0]
        assert "lighthouse" in found.text
        writer.remove(found.book_id)
        assert [record.title for record in reader.books()] == [record.title for record in writer.books()]
        writer.close()
        assert len(reader.books()) == 2  # by itself again
        reader.ingest(more, options=NEW, again=True)
        assert len(reader.books()) == 3


@BY_KIND
@pytest.mark.parametrize("n_readers", [1, 3])
def test_readers_that_never_pause_let_a_writer_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, n_readers: int
) -> None:
    address, done = f"{KINDS[kind]}{tmp_path / 'library'}", tmp_path / "done"
    in_fork(lambda: ingest(write_books(tmp_path, n_words=600), address, NEW))

    def read() -> None:
        with Library(address) as library:
            while not done.exists():
                library.search("bana cena", mode="bm25")

    readers = [start_fork(read) for _ in range(n_readers)]
    try:
        while not is_locked(tmp_path / FOLDERS[kind]):
            time.sleep(0.01)
        monkeypatch.setattr(sharing, "READER_SECONDS", 5.0)
        with Library(address) as writer:
            writer.remove(writer.books()[0].book_id)
    finally:
        done.touch()
        ended = [end_fork(reader) for reader in readers]
    assert all(ended)


def test_a_reader_that_waits_lets_others_open_a_library_that_becomes_free_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "YIELD_SECONDS", 2.0)
    address, folder = str(tmp_path / "library"), tmp_path / "library" / "books"
    in_fork(lambda: ingest(write_books(tmp_path, n_words=600), address, NEW))
    has_asked = threading.Event()

    def no_owner(folder: Path) -> None:
        has_asked.set()

    monkeypatch.setattr(sharing, "read_owner", no_owner)
    first = require_lock(folder)
    with Library(address) as reader, ThreadPoolExecutor(1) as threads:
        reading = threads.submit(reader.books)
        assert has_asked.wait(60)
        first.release()
        time.sleep(0.2)  # ten times as long as the reader pauses between two attempts
        second = require_lock(folder)
        second.release()
        assert len(reading.result()) == 2


@BY_KIND
def test_a_second_writer_is_told_who_writes_or_waits(tmp_path: Path, kind: str) -> None:
    books = write_books(tmp_path, n_words=600)
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    waited_for: list[Owner] = []
    with ThreadPoolExecutor(1) as threads:
        with Library(address) as writer:
            writer.ingest(books[:1], options=NEW)
            with Library(address) as other, pytest.raises(StoreError, match="is in use") as caught:
                other.ingest(books[1:], options=NEW)
            assert f"(pid {os.getpid()}) has had it open since" in caught.value.why
            assert "--wait SECONDS" in caught.value.fix
            patient = Library(address, wait=60, waiting=waited_for.append)
            second = threads.submit(patient.ingest, books[1:], options=NEW)
            while not waited_for:
                assert not second.done()
                time.sleep(0.01)
        assert [outcome.status for outcome in second.result()] == ["ingested"]
    assert [owner.pid for owner in waited_for] == [os.getpid()]
    assert len(patient.books()) == 2
    patient.close()


@BY_KIND
def test_a_reader_goes_on_when_the_process_it_reads_through_is_killed(tmp_path: Path, kind: str) -> None:
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    books = write_books(tmp_path, n_books=40, n_words=500)
    process = start_ingest(books, address)
    wait_for_owner(tmp_path / FOLDERS[kind], process.pid)
    with Library(address) as reader:
        while len(reader.books()) < 3:
            time.sleep(0.02)  # to ask without a pause would take the processor from the one that is asked
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert check_whole(reader) >= 3
        assert reader.verify().findings == ()
        owner = read_owner(tmp_path / FOLDERS[kind])
        assert owner is not None
        assert owner.pid == os.getpid()


@BY_KIND
def test_a_book_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    read = through_owner.OwnerStore.payloads
    with owned(kind, tmp_path) as (address, owner), Library(address) as reader:
        old = reader.book("book1")

        def replace_before(*arguments: Any) -> Iterator[Any]:
            monkeypatch.setattr(through_owner.OwnerStore, "payloads", read)
            owner.ingest(old.source, options=OLD)
            return read(*arguments)

        monkeypatch.setattr(through_owner.OwnerStore, "payloads", replace_before)
        chunks = reader.chunks("book1")
        assert reader.book("book1").generation != old.generation
        assert {chunk.payload["generation"] for chunk in chunks} == {reader.book("book1").generation}
        assert len(chunks) == reader.book("book1").n_chunks


def test_threads_of_a_reader_search_at_once(tmp_path: Path) -> None:
    with owned("edge", tmp_path) as (address, library), Library(address) as reader:
        query = library.chunks("book1")[3].text
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: reader.search(query, limit=1)[0].chunk_id, range(40)))
    assert found == [3] * 40


def test_a_path_too_long_for_a_socket_is_served_by_a_port(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with owned("edge", folder) as (address, library), Library(address) as reader:
        owner = read_owner(folder / "library" / "books")
        assert owner is not None
        assert owner.port
        assert reader.books() == library.books() != []


def test_only_the_user_can_connect_and_only_with_the_token(tmp_path: Path) -> None:
    with owned("edge", tmp_path):
        folder = tmp_path / "library" / "books"
        assert (folder / SOCKET).stat().st_mode & 0o777 == 0o600
        owner = read_owner(folder)
        assert owner is not None
        with pytest.raises(OSError, match=r".*"):
            OwnerConnection(folder, replace(owner, token="0" * 32), wait=1)
        OwnerConnection(folder, owner, wait=1).close()
    assert not (folder / SOCKET).exists()


@contextmanager
def false_owner(folder: Path, greeting: object) -> Iterator[Owner]:
    """Yield an owner of a folder that answers the first reader with this greeting, whatever its token."""
    listener, port = service._listen(folder)

    def greet() -> None:
        peer, _ = listener.accept()
        with peer:
            read_bytes(peer, TOKEN_BYTES)
            send(peer, greeting)

    with listener, ThreadPoolExecutor(1) as threads:
        greeted = threads.submit(greet)
        yield replace(Owner.this_process(), port=port, token="0" * TOKEN_BYTES)
        greeted.result()


@pytest.mark.parametrize("greeting", [5, (), (PROTOCOL,), (PROTOCOL, "books", None)], ids=str)
def test_a_process_that_is_no_owner_counts_as_one_that_does_not_answer(
    tmp_path: Path, greeting: object
) -> None:
    with (
        false_owner(tmp_path, greeting) as owner,
        pytest.raises(ConnectionRefusedError, match="another program answers"),
    ):
        OwnerConnection(tmp_path, owner, wait=1)


@pytest.mark.parametrize("writes", [False, True], ids=["reader", "writer"])
def test_a_library_that_another_version_has_open_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: bool
) -> None:
    monkeypatch.setattr(service, "PROTOCOL", PROTOCOL + 1)
    began = time.monotonic()
    with (
        owned("edge", tmp_path) as (address, _),
        Library(address, wait=0.1) as other,
        pytest.raises(StoreError, match="it is another version of Alexandria") as caught,
    ):
        other.remove("book1") if writes else other.books()
    assert f"(pid {os.getpid()}) has had it open since" in caught.value.why
    assert caught.value.fix == "stop it, or wait for it: --wait SECONDS"
    assert time.monotonic() - began < sharing.READER_SECONDS


def test_an_answer_is_awaited_longer_than_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(through_owner, "CONNECT_SECONDS", 0.1)
    with owned("edge", tmp_path) as (_, library), ThreadPoolExecutor(1) as threads:
        connection = connect(tmp_path, wait=0)
        with library._opened.for_reading().write_lock():
            answer = threads.submit(connection.ask, "count", wait=forever)
            with pytest.raises(TimeoutError):
                answer.result(timeout=0.5)
        assert answer.result()
        connection.close()


def test_a_busy_owner_is_awaited_for_a_moment_by_a_reader_that_does_not_wait(tmp_path: Path) -> None:
    with (
        owned("edge", tmp_path) as (address, library),
        Library(address, wait=0) as reader,
        ThreadPoolExecutor(1) as threads,
    ):
        books = reader.books()
        with library._opened.for_reading().write_lock():
            answer = threads.submit(reader.books)
            time.sleep(0.1)
        assert answer.result() == books


def test_an_owner_that_does_not_answer_is_not_awaited_by_a_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "CONNECT_SECONDS", 0.1)
    monkeypatch.setattr(sharing, "READER_SECONDS", 0.1)
    with (
        owned("edge", tmp_path) as (address, library),
        library._opened.for_reading().read_lock(),  # it can hand the library over only after this block
        Library(address) as writer,
        pytest.raises(StoreError, match="is in use"),
    ):
        writer.remove("book1")


@pytest.mark.parametrize(
    ("owner_of_step", "step"),
    [(CatalogFile, "__init__"), (Catalog, "claim_for_writing"), (service.Service, "serve")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_library_that_cannot_be_opened_is_left_closed_and_unlocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner_of_step: type, step: str
) -> None:
    with owned("edge", tmp_path) as (address, library):
        library.close()

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "library" / "books"
    library_folder = prepare_folder(address, "books", None, Server())
    monkeypatch.setattr(owner_of_step, step, fail)
    with pytest.raises(KeyboardInterrupt) as caught:
        open_shared(library_folder, "books", Access(write=True))
    assert not (folder / SOCKET).exists()
    assert not is_locked(folder)
    assert not any((folder / name).exists() for name in WAL_FILES)  # SQLite deletes them as it closes
    assert caught.traceback  # until here, it keeps alive what is still open


def test_a_stopped_reader_does_not_hold_up_a_writer(tmp_path: Path) -> None:
    with owned("edge", tmp_path) as (_, library):
        stopped = connect(tmp_path, wait=5)
        for _ in range(100):  # answers that nobody reads
            send(stopped._peer, ("points", ({},)))
        assert library.remove("book1").title == "book1"
        stopped.close()


def test_a_request_that_writes_is_refused(tmp_path: Path) -> None:
    with owned("edge", tmp_path) as (_, library):
        connection = connect(tmp_path, wait=5)
        for method in ("delete", "upsert", "commit", "close", "__class__"):
            with pytest.raises(StoreError, match="could not answer"):
                connection.ask(method, {"chunk_id": [0]}, wait=forever)
        connection.close()
        assert library.verify().findings == ()


@pytest.mark.parametrize("message", [5, ("count",), ("count", None)], ids=str)
def test_a_message_that_is_no_request_ends_only_its_own_connection(tmp_path: Path, message: object) -> None:
    with owned("edge", tmp_path) as (address, _):
        connection = connect(tmp_path, wait=5)
        send(connection._peer, message)
        with pytest.raises(DisconnectedError):
            connection.ask("count", wait=forever)
        connection.close()
        with Library(address) as reader:
            assert len(reader.books()) == 2


def test_a_pickle_that_would_run_code_is_not_loaded(tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, (f"touch {tmp_path / 'run'}",)

    with owned("edge", tmp_path):
        connection = connect(tmp_path, wait=5)
        with pytest.raises(DisconnectedError):
            connection.ask("count", Hostile(), wait=forever)
        connection.close()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", [DamagedError, FullDiskError, NoMatchError], ids=lambda kind: kind.__name__)
def test_an_error_of_the_owner_reaches_the_reader_with_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[StoreError]
) -> None:
    def fail(*arguments: object) -> None:
        raise kind("cannot read the library", why="a test", fix="none")

    with owned("edge", tmp_path) as (address, _), Library(address) as reader:
        assert len(reader.books()) == 2
        monkeypatch.setattr(EdgeStore, "search", fail)
        with pytest.raises(kind, match="cannot read the library: a test"):
            reader.search("bana", limit=1)


def test_bytes_that_are_no_pickle_are_an_unpickling_error() -> None:
    cases: dict[str, bytes] = {"empty": b"", "text": b"no pickle", "call": b"\x80\x05K\x01}R."}
    for noise in cases.values():
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(struct.pack(">Q", len(noise)) + noise)
            with pytest.raises(UnpicklingError):
                receive(theirs)


def test_members_of_enums_come_through_from_every_version_of_python() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        packed = as_python_3_11_0({VectorName.DENSE: Code.STORE})
        ours.sendall(struct.pack(">Q", len(packed)) + packed)
        assert receive(theirs) == {VectorName.DENSE: Code.STORE}


def test_a_library_that_its_program_drops_is_closed(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    library.ingest(write_books(tmp_path, n_words=300), options=NEW)
    del library
    store = open_store(str(tmp_path / "library"), "books", None)
    assert store.count()
    store.close()


def test_what_verify_names_as_interrupted_is_kept_until_another_reader_comes(tmp_path: Path) -> None:
    with owned("edge", tmp_path) as (address, library):
        library.close()
        store = open_store(address, "books", None)
        record = Catalog(store, sweep=False).books()[0]
        store.records.commit(
            delete=[record.book_id], pending=[Pending(record.generation, "A", record.ingested_at)]
        )
        store.close()
        with Library(address) as checked, Library(address) as reader:
            assert len(checked.verify().interrupted) == 1
            assert reader.chunks(reader.books()[0].book_id)
            assert checked.verify().interrupted == ()


@BY_KIND
def test_a_search_sees_the_old_or_the_new_book_while_it_is_replaced(tmp_path: Path, kind: str) -> None:
    books = write_books(tmp_path, n_books=3, n_words=600)
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    with Library(address) as writer:
        writer.ingest(books, options=OLD)
        done = threading.Event()

        def read() -> int:
            n_reads = 0
            with Library(address) as reader:
                while not done.is_set() or not n_reads:
                    hits = reader.search("bana", limit=1000, mode="dense")
                    by_book = {hit.book_id: hit.payload["total_chunks"] for hit in hits}
                    for book_id, n_chunks in by_book.items():
                        assert sum(hit.book_id == book_id for hit in hits) == n_chunks
                    assert len(by_book) == 3
                    n_reads += 1
            return n_reads

        with ThreadPoolExecutor(2) as threads:
            readers = [threads.submit(read) for _ in range(2)]
            writer.ingest(books, options=NEW)
            done.set()
            assert all(reader.result() > 0 for reader in readers)
