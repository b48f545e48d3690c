"""Libraries copied into other libraries, and exported to files."""

import csv
import gc
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from alexandria.book.model import Point
from alexandria.errors import ConfigError, StoreError
from alexandria.library.library import Library
from alexandria.store import Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.transfer import PARQUET_BATCH, WRITERS, copy_books, export_books
from alexandria.store.verify import find_flaws
from tests.command import alexandria
from tests.conftest import SAMPLES
from tests.store.crash import NEW, OLD, write_books
from tests.store.examples import BINDING, Place, book, contents, store_book, without_waits
from tests.store.fake_server import FakeServer, Fault
from tests.store.test_lock import KINDS


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Catalog]:
    with Catalog(open_store(str(tmp_path / "source"), "books", BINDING)) as catalog:
        for name in ("b1", "b2", "b3"):
            store_book(catalog, book(name, n=70))
        yield catalog


def test_a_copy_has_the_same_points(source: Catalog, place: Place) -> None:
    target = Catalog(place.open(source.binding))
    assert [copied for _, copied in copy_books(lambda: source, target)] == [True] * 3
    assert contents(target.store) == contents(source.store)
    assert target.books() == source.books()
    assert list(find_flaws(target.store)) == []
    for point, copied in zip(source.store.points({}), target.store.points({}), strict=True):
        np.testing.assert_allclose(point.dense, copied.dense, atol=1e-6)
        assert point.bm25 == copied.bm25
    target.close()


def test_an_interrupted_copy_resumes_where_it_stopped(source: Catalog) -> None:
    def opened() -> Store:
        return open_store(server.url, "books", BINDING, without_waits(attempts=2))

    with FakeServer() as server:
        target = Catalog(opened())
        server.misbehave(Fault.DEATH, after=3)  # two requests per book: it dies during the second
        with pytest.raises(StoreError, match="does not answer"):
            list(copy_books(lambda: source, target))
        server.restart()
        resumed = Catalog(opened())
        assert [record.book_id for record in resumed.books()] == ["b1"]
        assert [copied for _, copied in copy_books(lambda: source, resumed)] == [False, True, True]
        assert contents(opened()) == contents(source.store)


@contextmanager
def replaced_meanwhile() -> Iterator[Catalog]:
    """Yield a library on a server in which b2 is replaced, and b3 removed, when b2 is first read."""
    with FakeServer() as server, ExitStack() as stack:

        def opened() -> Catalog:
            store = open_store(server.url, "books", BINDING, without_waits())
            return stack.enter_context(Catalog(store))

        writer = opened()
        for name in ("b1", "b2", "b3"):
            store_book(writer, book(name))
        reader = opened()
        read = reader.store.points

        def replaced_first(where: Mapping[str, Sequence[str]]) -> Iterator[Point]:
            if where["generation"] == ["b2-g"]:
                store_book(writer, book("b2", "new", n=5))
                writer.forget(writer.book("b3"))
            return read(where)

        with patch.object(reader.store, "points", side_effect=replaced_first):
            yield reader


def test_a_book_replaced_while_it_is_copied_is_copied_whole_in_its_new_version() -> None:
    with replaced_meanwhile() as source, Catalog(open_store(":memory:", "books", BINDING)) as target:
        copied = [record.generation for record, _ in copy_books(lambda: source, target)]
        assert copied == ["b1-g", "b2-new"]
        assert list(find_flaws(target.store)) == []
        assert len(contents(target.store)) == 3 + 5


def test_a_book_replaced_while_it_is_exported_is_exported_whole_in_its_new_version(tmp_path: Path) -> None:
    with replaced_meanwhile() as source:
        export_books(lambda: source, tmp_path / "books.jsonl")
    payloads = [json.loads(line)["payload"] for line in (tmp_path / "books.jsonl").read_text().splitlines()]
    assert Counter(payload["generation"] for payload in payloads) == {"b1-g": 3, "b2-new": 5}


def test_a_bibliography_is_another_command(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        export_books(lambda: pytest.fail("nothing is read"), tmp_path / "books.bib")
    assert error.value.fix == f"alexandria list --format bibtex > {tmp_path / 'books.bib'}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_goes_on_while_another_process_takes_the_library_over(tmp_path: Path, kind: str) -> None:
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    books = write_books(tmp_path, n_books=3, n_words=300)
    with Library(address) as library:
        library.ingest(books, options=OLD)
    with Library(address) as library:
        copy = library.copy(f"{KINDS[kind]}{tmp_path / 'copy'}")
        assert next(copy)[0].title == "book0"
        with Library(address) as other:
            other.ingest(books[1], options=NEW, force=True)
            assert next(copy)[0].title == "book1"
        assert [record.title for record, _ in copy] == ["book2"]
        expected = library.books()
    with Library(f"{KINDS[kind]}{tmp_path / 'copy'}") as library:
        assert library.books() == expected
        assert library.verify().findings == ()


def test_an_incomplete_book_is_neither_copied_nor_exported_and_named(source: Catalog, tmp_path: Path) -> None:
    source.store.delete({"generation": ["b2-g"], "chunk_id": [1]})
    file = tmp_path / "books.jsonl"
    with Catalog(open_store(":memory:", "books", BINDING)) as target:
        with pytest.raises(StoreError, match="B2"):
            list(copy_books(lambda: source, target))
        assert [record.book_id for record in target.books()] == ["b1", "b3"]
    with pytest.raises(StoreError, match="B2"):
        export_books(lambda: source, file)
    assert len(file.read_text().splitlines()) == 140


def test_a_copy_into_a_library_of_another_encoder_is_refused(source: Catalog, tmp_path: Path) -> None:
    open_store(str(tmp_path / "other"), "books", replace(BINDING, encoder="other")).close()
    with pytest.raises(StoreError, match="cannot use the library"):
        open_store(str(tmp_path / "other"), "books", source.binding)


def test_an_export_contains_payloads_and_vectors(source: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "books.jsonl"
    assert export_books(lambda: source, file) == 210
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    stored = {point.id: point for point in source.store.points({})}
    assert len(lines) == len(stored)
    for line in lines:
        point = stored[line["id"]]
        assert line["payload"] == point.payload
        assert line["vectors"][""] == point.dense.tolist()
        assert line["vectors"]["bm25"]["indices"] == list(point.bm25.indices)
        assert point.sentences is not None
        assert line["vectors"]["sentences"] == point.sentences.tolist()
    assert [line["payload"]["chunk_id"] for line in lines[:70]] == list(range(70))


def test_lists_of_numbers_are_lists_in_every_format(tmp_path: Path) -> None:
    with Library(tmp_path / "lib") as library:
        library.ingest(SAMPLES / "gull-rock.txt", options={"model": "hashing"})
        chunks = library.chunks("gull")
        chunk = chunks[1].payload
        for name in ("books.jsonl", "books.csv"):
            assert library.export(tmp_path / name, vectors=False) == len(chunks)
    line = json.loads((tmp_path / "books.jsonl").read_text().splitlines()[1])
    assert "vectors" not in line
    with (tmp_path / "books.csv").open(newline="") as file:
        row = list(csv.DictReader(file))[1]
    assert row["text"] == line["payload"]["text"] == chunk["text"]
    for key, number in (("sentence_starts", int), ("similarities", float)):
        numbers = [number(each) for each in chunk[key].split()]
        assert line["payload"][key] == json.loads(row[key]) == numbers
        assert numbers


def test_an_export_can_be_filtered_and_written_to_standard_output(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        library.ingest(SAMPLES, options={"model": "hashing"})
    everything = alexandria("export", "-", "--store", tmp_path, "--no-vectors").stdout.splitlines()
    some = alexandria("export", "-", "--store", tmp_path, "--no-vectors", "-a", "penhale").stdout.splitlines()
    assert 0 < len(some) < len(everything)
    assert {json.loads(line)["payload"]["book_title"] for line in some} == {"Gull Rock"}
    rows = alexandria("export", "-", "--store", tmp_path, "--format", "csv", "--chapter", "falling").stdout
    assert {row["section"] for row in csv.DictReader(rows.splitlines(keepends=True))} == {
        '["CHAPTER IV Glass Falling"]'
    }
    assert alexandria("export", "-", "--store", tmp_path, "-a", "nobody").returncode == 2


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_reader_that_has_enough_does_not_close_standard_output(format: str) -> None:
    """As `head` does; the command writes what is left of its output when it ends."""

    reading, writing = os.pipe()
    os.close(reading)
    out = os.fdopen(writing, "wb")
    with suppress(BrokenPipeError), WRITERS[format](out, False) as write:
        while True:  # until the buffer is full
            write(book("a")[0])
    del write
    gc.collect()
    assert not out.closed
    with suppress(BrokenPipeError):
        out.close()


@pytest.mark.parametrize("name", ["books.xlsx", "books", "there.jsonl", "no/such/folder.jsonl"])
def test_an_impossible_export_is_refused_and_leaves_nothing_behind(
    source: Catalog, tmp_path: Path, name: str
) -> None:
    (tmp_path / "there.jsonl").write_text("mine")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError, match="cannot export"):
        export_books(lambda: source, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.jsonl").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "format", "why"),
    [
        ("books.xlsx", None, "its name does not end in .jsonl or .csv or .parquet"),
        ("books.jsonl", "xlsx", "there is no format 'xlsx'; the formats are jsonl, csv, parquet"),
        ("-", "xlsx", "there is no format 'xlsx'; the formats are jsonl, csv, parquet"),
        ("-", "parquet", "Parquet is not written to standard output"),
    ],
)
def test_an_unknown_format_of_an_export_is_named(
    source: Catalog, name: str, format: str | None, why: str
) -> None:
    with pytest.raises(ConfigError, match="cannot export") as caught:
        export_books(lambda: source, Path(name), format=format)
    assert caught.value.why == why


def test_an_export_to_parquet_contains_payloads_and_vectors(source: Catalog, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'alexandria-books[parquet]'")
    plain = store_book(source, [replace(point, sentences=None) for point in book("plain", n=PARQUET_BATCH)])
    source.update(replace(plain, settings={**plain.settings, "sentence_vectors": False}))
    file = tmp_path / "books.parquet"
    n_points = 3 * 70 + PARQUET_BATCH
    assert export_books(lambda: source, file) == n_points
    written = parquet.ParquetFile(file)
    assert written.num_row_groups == 2  # a full one, and the rest
    rows = written.read().to_pylist()
    assert len(rows) == n_points
    stored = {point.id: point for point in source.store.points({})}
    for row in rows:
        point = stored.pop(row["id"])
        assert json.loads(row["payload"]) == point.payload
        assert [row[key] for key in ("text", "book_title", "chunk_id")] == [
            point.payload[key] for key in ("text", "book_title", "chunk_id")
        ]
        assert row["dense"] == point.dense.tolist()
        assert row["sentences"] == (None if point.sentences is None else point.sentences.tolist())
        assert tuple(row["bm25_indices"]) == point.bm25.indices
        assert tuple(row["bm25_values"]) == point.bm25.values
    assert not stored


def test_without_pyarrow_an_export_to_parquet_names_the_missing_package(
    source: Catalog, tmp_path: Path
) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match="cannot export") as caught:
            export_books(lambda: source, tmp_path / "books.parquet")
        assert "alexandria-books[parquet]" in caught.value.fix
        assert not list(tmp_path.glob("*.part"))
