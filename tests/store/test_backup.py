"""A library written to one file while others change it, and restored from it."""

import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch
from zipfile import ZipFile

import numpy as np
import pytest

from alexandria.book.model import Point
from alexandria.errors import AlexandriaError, ConfigError, StoreError
from alexandria.library.library import Library
from alexandria.store import backup as backups
from alexandria.store import open_store
from alexandria.store.backup import write_backup
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.restore import Backup, restore_books
from alexandria.store.verify import find_flaws
from tests.command import alexandria
from tests.store.crash import NEW, OLD, in_fork, write_books
from tests.store.examples import BINDING, Place, book, contents, store_book, without_waits
from tests.store.fake_server import FakeServer
from tests.store.test_lock import KINDS

ROUNDING = 2.0**-11
"""A folder keeps 16 bits of a number, and the engine brings what it reads back to length 1 again."""


def random_book(name: str, n: int = 3) -> list[Point]:
    """Return a book whose numbers are not round, with two sentences a chunk, and none in the last."""
    rng = np.random.default_rng(len(name))
    rows = rng.normal(size=(n, 3, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    points = [
        replace(point, dense=row[0], sentences=row[1:])
        for point, row in zip(book(name, n=n), rows, strict=True)
    ]
    points[0] = replace(points[0], payload={**points[0].payload, "text": "é, “—”, 𝑥 and \x00"})
    return points


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Catalog]:
    """A library of two books and a removed one."""
    with Catalog(open_store(str(tmp_path / "source"), "books", BINDING)) as catalog:
        for name in ("b1", "second"):
            store_book(catalog, random_book(name))
        catalog.remove(store_book(catalog, book("removed")))
        yield catalog


def id_of(point: Point) -> str:
    return point.id


def restored_into(target: Catalog, file: Path) -> Catalog:
    with Backup(file) as backup:
        restore_books(backup, target)
    return target


def assert_same(one: Catalog, other: Catalog) -> None:
    assert one.books() == other.books()
    assert one.removed_books() == other.removed_books()
    assert contents(one.store) == contents(other.store)
    assert_same_points(one.store.points({}), other.store.points({}))


def assert_same_points(
    points: Iterable[Point], twins: Iterable[Point], *, rounding: float = ROUNDING
) -> None:
    for point, twin in zip(points, twins, strict=True):
        assert (point.id, point.payload, point.bm25) == (twin.id, twin.payload, twin.bm25)
        np.testing.assert_allclose(point.dense, twin.dense, atol=rounding, rtol=0)
        assert (point.sentences is None) == (twin.sentences is None)
        if point.sentences is not None and twin.sentences is not None:
            np.testing.assert_allclose(point.sentences, twin.sentences, atol=rounding, rtol=0)


def test_a_library_is_the_same_in_and_after_every_kind_of_store(
    source: Catalog, place: Place, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    summary = write_backup(lambda: source, first)
    assert [record.book_id for record in summary.books] == ["b1", "second"]
    assert [record.book_id for record in summary.removed_books] == ["removed"]
    assert (summary.replaced, summary.gone, summary.damaged) == ((), (), ())
    assert summary.n_bytes == first.stat().st_size
    with Backup(first) as backup:
        for number, record in enumerate(source.books(), start=1):
            stored, points = backup.read(number)
            assert stored == record
            assert_same_points(sorted(points, key=id_of), source.points(record), rounding=0)
    with restored_into(Catalog(place.open(BINDING)), first) as target:
        assert_same(target, source)
        assert list(find_flaws(target.store)) == []
        write_backup(lambda: target, second)
    with Catalog(open_store(str(tmp_path / "again"), "books", BINDING)) as again:
        assert_same(restored_into(again, second), source)


def test_a_book_without_sentence_vectors_is_restored_without(tmp_path: Path) -> None:
    points = [replace(point, sentences=None) for point in book("plain")]
    with Catalog(open_store(str(tmp_path / "one"), "books", BINDING)) as catalog:
        record = store_book(catalog, points)
        catalog.update(replace(record, settings={"model": "test", "sentence_vectors": False}))
        write_backup(lambda: catalog, tmp_path / "file.zip")
    with Catalog(open_store(str(tmp_path / "two"), "books", BINDING)) as catalog:
        stored = list(restored_into(catalog, tmp_path / "file.zip").store.points({}))
    assert [point.sentences for point in stored] == [None] * 3


def test_every_damage_to_a_backup_is_found_before_a_library_is_opened(
    source: Catalog, tmp_path: Path
) -> None:
    file, damaged = tmp_path / "books.zip", tmp_path / "damaged.zip"
    write_backup(lambda: source, file)
    whole = file.read_bytes()
    places = [*range(0, len(whole), 11), *range(len(whole) - 100, len(whole))]
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        for data in (bytes(flipped), whole[:place]):
            damaged.write_bytes(data)
            with pytest.raises(AlexandriaError, match=r"cannot restore .*damaged\.zip") as caught:
                Backup(damaged)
            assert caught.value.why
            assert "another copy" in caught.value.fix
    damaged.write_bytes(whole + b"\n")
    refused = alexandria("restore", damaged, "--store", tmp_path / "new")
    assert refused.returncode == 5
    assert str(damaged) in refused.stderr
    assert "older backup" in refused.stderr
    assert not (tmp_path / "new").exists()


Change = Callable[[str, list[Path]], Library]


def force(address: str, books: list[Path]) -> Library:
    other = Library(address)
    other.ingest(books[1], options=NEW, force=True)
    return other


def rewrite(address: str, books: list[Path]) -> Library:
    books[1].write_text(books[2].read_text().replace("Book 2", "Book 1, again"))
    other = Library(address)
    other.ingest(books[1], options=OLD)
    return other


def remove(address: str, books: list[Path]) -> Library:
    other = Library(address)
    other.remove("book1")
    return other


@pytest.mark.parametrize(
    ("kind", "change", "word", "stays_open"),
    [
        pytest.param("edge", force, "replaced", True, id="edge, read through the writer"),
        pytest.param("edge", rewrite, "replaced", False, id="edge, opened again"),
        pytest.param("edge", remove, "gone", True, id="edge, removed"),
        pytest.param("local", rewrite, "replaced", True, id="local, read through the writer"),
        pytest.param("local", force, "replaced", False, id="local, opened again"),
    ],
)
def test_a_backup_during_an_ingest_holds_whole_books_only(
    tmp_path: Path, kind: str, change: Change, word: str, stays_open: bool
) -> None:
    address, file = f"{KINDS[kind]}{tmp_path / 'library'}", tmp_path / "books.zip"
    books = write_books(tmp_path, n_books=3, n_words=300)
    writers: list[Library] = []

    def write_meanwhile(record: Record) -> None:
        if not writers:  # after the first book is in the file, in the middle of the backup
            writers.append(change(address, books))
            if not stays_open:
                writers[0].close()
        else:  # after the second, which was read through the writer
            writers[0].close()

    with Library(address) as library:
        library.ingest(books, options=OLD)
    with Library(address) as library:
        summary = library.backup(file, written=write_meanwhile)
    counts = {"replaced": len(summary.replaced), "gone": len(summary.gone)}
    assert counts == {"replaced": 0, "gone": 0, word: 1}
    with Library(address) as library, Library(f"{KINDS[kind]}{tmp_path / 'new'}") as new:
        new.restore(file)
        assert new.verify().findings == ()
        assert_same_books(new, library)


def assert_same_books(one: Library, other: Library) -> None:
    assert one.books() == other.books()
    catalogs = [library._opened.for_reading() for library in (one, other)]
    for record in one.books():
        assert_same_points(*(catalog.points(record) for catalog in catalogs))


def test_a_book_replaced_on_a_server_while_it_is_read_is_taken_as_it_then_is(tmp_path: Path) -> None:
    file = tmp_path / "books.zip"
    with FakeServer() as server:

        def opened() -> Catalog:
            return Catalog(open_store(server.url, "books", BINDING, without_waits()))

        with opened() as writer, opened() as reader:
            for name in ("b1", "b2", "b3"):
                store_book(writer, book(name))
            read = reader.store.points

            def replaced_first(where: dict[str, list[str]]) -> Iterator[Point]:
                if where["generation"] == ["b2-g"]:
                    store_book(writer, book("b2", "new", n=5))
                    writer.forget(writer.book("b3"))
                return read(where)

            with patch.object(reader.store, "points", side_effect=replaced_first):
                summary = write_backup(lambda: reader, file)
        assert [record.generation for record in summary.replaced] == ["b2-new"]
        assert [record.book_id for record in summary.gone] == ["b3"]
        with opened() as writer, Catalog(open_store(":memory:", "books", BINDING)) as target:
            assert_same(restored_into(target, file), writer)


def test_an_incomplete_book_is_left_out_and_an_altered_one_taken_as_it_is(tmp_path: Path) -> None:
    library, file = tmp_path / "library", tmp_path / "books.zip"
    with Catalog(open_store(str(library), "books", BINDING)) as catalog:
        for name in ("b1", "b2"):
            store_book(catalog, book(name))
        catalog.store.delete({"generation": ["b1-g"], "chunk_id": [1]})
        catalog.update(replace(store_book(catalog, book("b3")), digests=("other",) * 3))
    done = alexandria("backup", file, "--store", library, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 5
    assert (document["books"], document["damaged"], document["altered"]) == (2, ["B1"], ["B3"])
    done = alexandria("backup", tmp_path / "other.zip", "--store", library)
    assert done.returncode == 5
    assert "alexandria verify" in done.stderr
    with Backup(file) as backup:
        assert backup.books == (("b2", "b2-g"), ("b3", "b3-g"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_restore_is_named_and_resumes(tmp_path: Path, kind: str) -> None:
    address, file = f"{KINDS[kind]}{tmp_path / 'library'}", tmp_path / "books.zip"
    target = f"{KINDS[kind]}{tmp_path / 'new'}"
    with Library(address) as library:
        library.ingest(write_books(tmp_path, n_books=3, n_words=300), options=OLD)
        library.backup(file)
        expected = library.books()

    def die(record: Record, is_new: bool) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def restore() -> None:
        Library(target).restore(file, stored=die)

    assert not in_fork(restore)
    with Library(target) as library:
        assert library.verify().findings == ()
        (sentence,) = library.verify().interrupted
        assert f"alexandria restore {file} completes it" in sentence
        assert library.status().restore == f"alexandria restore {file}"
        summary = library.restore(file)
        assert (len(summary.restored), len(summary.already_there)) == (2, 1)
        assert library.verify().findings == ()
        assert library.status().restore is None
        assert library.books() == expected


def test_a_library_with_other_books_is_not_restored_into(source: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "books.zip"
    write_backup(lambda: source, file)
    with Catalog(open_store(":memory:", "books", BINDING)) as target:
        store_book(target, book("other"))
        before = contents(target.store)
        with pytest.raises(StoreError, match="OTHER"):
            restored_into(target, file)
        assert contents(target.store) == before


def test_a_backup_never_replaces_a_file_and_says_why_it_cannot_be_written(
    source: Catalog, tmp_path: Path
) -> None:
    (tmp_path / "there.zip").write_text("mine")
    before = sorted(tmp_path.iterdir())
    for name, why in (("there.zip", "exists already"), ("no/such/folder.zip", "no such file")):
        with pytest.raises(ConfigError, match=why):
            write_backup(lambda: source, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.zip").read_text() == "mine"


def test_a_backup_of_a_newer_version_and_a_file_that_is_none_are_refused(
    source: Catalog, tmp_path: Path
) -> None:
    with patch.object(backups, "FORMAT", backups.FORMAT + 1):
        write_backup(lambda: source, tmp_path / "newer.zip")
    with pytest.raises(StoreError, match="newer version"):
        Backup(tmp_path / "newer.zip")
    with ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("chapter.html", "text")
    with pytest.raises(ConfigError, match="not a backup"):
        Backup(tmp_path / "other.zip")
    with pytest.raises(ConfigError, match="no such file"):
        Backup(tmp_path / "missing.zip")


def test_the_commands_back_up_and_restore(tmp_path: Path) -> None:
    library, new, file = tmp_path / "library", tmp_path / "new", tmp_path / "books.zip"
    books = write_books(tmp_path, n_books=2, n_words=300)
    alexandria("ingest", *books, "--store", library)
    done = alexandria("backup", file, "--store", library)
    assert done.returncode == 0
    assert f"wrote 2 books to {file}" in done.stderr
    done = alexandria("restore", file, "--store", new, "--json")
    assert json.loads(done.stdout)["restored"] == 2
    listed = [alexandria("list", "--store", folder, "--json").stdout for folder in (library, new)]
    assert listed[0] == listed[1]
    done = alexandria("restore", file, "--store", new)
    assert "0 books restored, 2 already there" in done.stderr
