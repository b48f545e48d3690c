"""`Library`: opened once, the model loaded once, shared by threads."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import alexandria
from alexandria import Libraries, Library
from alexandria.book.choices import Mode
from alexandria.book.model import Point
from alexandria.chunking.domains import DomainRequest, load_domain
from alexandria.embed.graph.blueprint import Kind
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import ConfigError, StoreError
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Action
from alexandria.library.ingest.run import ingest
from alexandria.library.location import binding_for
from alexandria.library.search.hits import search
from alexandria.library.search.request import SearchRequest
from alexandria.store import Store, open_store
from alexandria.store.catalog import Catalog
from tests.conftest import SAMPLES
from tests.embed.tiny import write_ranker
from tests.store.fake_server import FakeServer

EPUB = SAMPLES / "the-quiet-trades.epub"
HASHING = {"model": "hashing", "min_words": 50, "max_words": 120}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with alexandria.open(tmp_path_factory.mktemp("shelf") / "library") as opened:
        opened.ingest(EPUB, options=HASHING)
        yield opened


def texts(passages: list[alexandria.Passage]) -> list[str]:
    return [one.text for one in passages]


def test_a_library_that_is_not_there_is_not_made_by_searching(tmp_path: Path) -> None:
    with alexandria.open(tmp_path / "library") as library:
        with pytest.raises(StoreError, match="there is no library") as error:
            library.search("tide")
        assert error.value.fix == f"alexandria ingest BOOK --store {tmp_path / 'library'}"
        assert not (tmp_path / "library").exists()


@pytest.mark.model
def test_a_first_ingest_makes_it_for_the_models_vectors(tmp_path: Path) -> None:
    with alexandria.open(tmp_path / "library") as library:
        (outcome,) = library.ingest([EPUB], options=HASHING)
        assert outcome.n_chunks == len(library.chunks("quiet"))
        with pytest.raises(StoreError, match="cannot use the library"):
            library.ingest([EPUB], options={"model": "all-MiniLM-L6-v2"})
        assert library.search("bees dance", limit=2).hits


def test_an_ingest_after_a_search_uses_the_same_open_store(tmp_path: Path) -> None:
    alexandria.ingest([EPUB], options=HASHING, store=str(tmp_path / "library"))
    (tmp_path / "sea.txt").write_text("The tide turns twice a day. A spring tide runs highest.")
    with alexandria.open(tmp_path / "library") as library:
        assert library.search("madder red")
        library.ingest(tmp_path / "sea.txt", options=HASHING)
        assert library.search("spring tide", limit=1)[0].title == "sea"


def test_a_request_is_answered_as_the_search_that_makes_it(library: Library) -> None:
    request = SearchRequest(query="the bees in the hive", limit=2)
    assert library.answer(request) == library.search("the bees in the hive", limit=2)


def test_read_goes_on_from_a_hit_in_both_directions(library: Library) -> None:
    chunks = texts(library.chunks("quiet"))
    hits = library.search("the bees in the hive", limit=20)
    hit = next(hit for hit in hits if 2 < hit.chunk_id < len(chunks) - 3)
    assert texts(library.read(hit, before=2, after=3)) == chunks[hit.chunk_id - 2 : hit.chunk_id + 4]
    around = library.read(hit)
    assert texts(library.read(around[-1], before=0, after=1)) == chunks[hit.chunk_id + 1 : hit.chunk_id + 3]
    assert around[1].id == hit.id


def test_the_id_of_a_point_leads_to_its_chunk(library: Library) -> None:
    hit = library.search("bees dance", limit=1)[0]
    assert [passage.id for passage in library.read(hit.id, before=0, after=0)] == [hit.id]
    with pytest.raises(ConfigError, match="no passage has the id"):
        library.read("00000000-0000-4000-8000-000000000001")


def test_read_takes_a_book_and_a_chunk_number_and_ends_with_the_book(library: Library) -> None:
    chunks = texts(library.chunks("quiet"))
    assert texts(library.read("quiet", 0, before=5, after=1)) == chunks[:2]
    assert texts(library.read("quiet", len(chunks) - 1, before=1, after=5)) == chunks[-2:]
    with pytest.raises(ConfigError, match=f"there is no chunk {len(chunks)}"):
        library.read("quiet", len(chunks))


def test_a_search_takes_a_cross_encoder_from_a_folder_and_asks_for_variety(
    library: Library, tmp_path: Path
) -> None:
    folder = write_ranker(Kind.BERT, tmp_path / "ranker")
    plain, ranked = (library.search("bees", rerank=rerank) for rerank in (None, folder))
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    assert [hit.score for hit in ranked] != [hit.score for hit in plain]
    assert len({hit.book_id for hit in library.search("the", diverse="book")}) == len(library.books())
    with pytest.raises(ConfigError, match="unknown kind of diversity 'author'"):
        library.search("bees", diverse="author")  # type: ignore[arg-type]  # what the test is about


def test_a_passage_of_a_book_that_was_removed_cannot_be_read_on(tmp_path: Path) -> None:
    with alexandria.open(tmp_path / "library") as library:
        library.ingest(EPUB, options=HASHING)
        hit = library.search("bees", limit=1)[0]
        assert library.remove("quiet").title == "The Quiet Trades"
        with pytest.raises(ConfigError, match="cannot read on"):
            library.explain(hit)
        with pytest.raises(ConfigError, match="cannot read on"):
            library.read(hit)
        assert library.books() == []


def test_books_are_listed_found_and_inspected(library: Library) -> None:
    (record,) = library.books()
    assert library.book("quiet") == library.book(record.book_id[:8]) == record
    inspection = library.inspect("quiet")
    assert len(inspection.chunks) == record.n_chunks
    with pytest.raises(ConfigError, match="no book matches"):
        library.book("loud")


@pytest.mark.parametrize(
    ("mistaken", "message"),
    [
        pytest.param(lambda library: library.search("bees", limit=0), "limit cannot be 0", id="search"),
        pytest.param(lambda library: library.search("bees", limit=1.5), "limit cannot be 1.5", id="fraction"),
        pytest.param(lambda library: library.search("bees", words=0), "words cannot be 0", id="words"),
        pytest.param(
            lambda library: library.search("bees", context=-1), "context cannot be -1", id="context"
        ),
        pytest.param(lambda library: library.find("the white butterfly", limit=0), "limit", id="find"),
        pytest.param(lambda library: library.read("trades", -1), "chunk cannot be -1", id="chunk"),
        pytest.param(lambda library: library.read("trades", context=-1), "context", id="context"),
        pytest.param(lambda library: library.read("trades", before=-1), "before", id="before"),
        pytest.param(lambda library: library.read("trades", after=-1), "after", id="after"),
        pytest.param(lambda library: library.books(limit=-1), "limit", id="books"),
        pytest.param(lambda library: library.books(start=-1), "start", id="start"),
        pytest.param(lambda library: library.ingest(EPUB, workers=-1), "workers cannot be -1", id="workers"),
        pytest.param(
            lambda library: alexandria.Server(quantization="lots"),  # type: ignore[arg-type]  # the mistake
            "unknown quantization 'lots'",
            id="quantization",
        ),
    ],
)
def test_a_number_or_a_name_that_makes_no_sense_is_refused(
    library: Library, mistaken: Callable[[Library], object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        mistaken(library)


def test_verify_export_and_copy_see_every_point(library: Library, tmp_path: Path) -> None:
    record = library.book("quiet")
    checked = library.verify()
    assert (checked.findings, checked.n_books, checked.n_points) == ((), 1, record.n_chunks)
    assert library.export(tmp_path / "books.jsonl") == record.n_chunks
    assert list(library.copy(tmp_path / "copy")) == [(record, True)]
    with alexandria.open(tmp_path / "copy") as copied:
        assert copied.books() == [record]


def test_a_file_that_failed_is_listed_until_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "sea.txt").write_bytes(b"")
    with alexandria.open(tmp_path / "library") as library:
        (outcome,) = library.ingest(tmp_path / "sea.txt", options=HASHING)
        assert outcome.error is not None
        assert [failure.source for failure in library.failures()] == [str(tmp_path / "sea.txt")]
        (tmp_path / "sea.txt").write_text("The tide turns twice a day.")
        library.ingest(tmp_path / "sea.txt", options=HASHING)
        assert library.failures() == []


def test_a_failure_that_is_ignored_stays_listed_as_such(tmp_path: Path) -> None:
    broken = tmp_path / "broken.epub"
    broken.write_bytes(b"PK\x03\x04 nothing else")
    with alexandria.open(tmp_path / "library") as library:
        library.ingest([EPUB, broken], options=HASHING)
        with pytest.raises(ConfigError):
            library.ignore_failures([broken, EPUB])
        assert [one.ignored for one in library.failures()] == [False]
        assert [one.source for one in library.ignore_failures([str(broken)])] == [str(broken)]
        assert [one.ignored for one in library.failures()] == [True]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("query", lambda library: library.search(7)),
        ("text", lambda library: library.find(["the words"])),
        ("author", lambda library: library.search("bees", author=["Plato"])),
        ("book", lambda library: library.find("before the kettle boils", book=7)),
        ("book", lambda library: library.chunks(library.books()[0])),
        ("place", lambda library: library.read(library.books()[0])),
        ("chapter", lambda library: library.read("trades", chapter=1)),
        ("place", lambda library: library.cite(7)),
    ],
    ids=["search", "find", "filter", "filter of find", "book", "place", "chapter", "citation"],
)
def test_an_argument_that_is_no_text_is_named(
    library: Library, name: str, call: Callable[[Library], object]
) -> None:
    with pytest.raises(ConfigError, match=f"{name} cannot be of the type .*: it must be a string"):
        call(library)


@pytest.mark.parametrize("kind", [str, Path])
def test_one_path_is_not_taken_for_a_list_of_letters(tmp_path: Path, kind: type[str] | type[Path]) -> None:
    shelf, attic = tmp_path / "shelf", tmp_path / "attic"
    (shelf / "empty").mkdir(parents=True)
    broken = shelf / "empty" / "broken.txt"
    broken.write_bytes(b"")
    (shelf / "sea.txt").write_text("The tide turns twice a day.")
    with alexandria.open(tmp_path / "library") as library:
        library.ingest(kind(shelf), options=HASHING)
        library.ingest(EPUB, options=HASHING)  # points of the last book without a record would be deleted
        assert [one.ignored for one in library.ignore_failures(kind(broken))] == [True]
        book_id = library.book("sea").book_id
        shelf.rename(attic)
        library._opened.for_writing().store.records.commit(delete=[book_id])
    with alexandria.open(tmp_path / "library") as library:
        assert [record.source for record in library.repair(kind(attic)).adopted] == [str(attic / "sea.txt")]


def test_what_is_stored_as_it_should_be_need_not_be_read(library: Library, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    files = [EPUB, SAMPLES / "winterapfel.txt", tmp_path / "nosuch.txt"]
    same = DomainRequest(options=HASHING)
    assert library.to_read(files, same, RunOptions()) == files[1:]
    assert library.to_read(files, same, RunOptions(force=True)) == files
    assert library.to_read(files, DomainRequest(options=HASHING | {"min_words": 60}), RunOptions()) == files
    assert Library(tmp_path / "none").to_read(files, same, RunOptions()) == files
    cut_again = DomainRequest(options=HASHING | {"min_words": 60})
    assert library.plan_ingest(files[:2], cut_again, RunOptions()) == {
        EPUB: Action.CUT_AGAIN,
        files[1]: Action.ADD,
    }


def test_what_an_ingest_would_change_is_known_before_it(library: Library) -> None:
    same = DomainRequest(options=HASHING)
    assert library.changes([EPUB, SAMPLES / "gull-rock.txt"], same) == {}
    ((change, records),) = library.changes([EPUB], DomainRequest(options=HASHING | {"min_words": 60})).items()
    assert "min_words" in change
    assert [record.title for record in records] == [library.book("trades").title]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Library, Library]]:
    """Yield a library on a server with one book, as one machine writes it, and as another has read it."""
    with FakeServer() as running, alexandria.open(running.url) as writing:
        writing.ingest(EPUB, options=HASHING)
        with monkeypatch.context() as patch, alexandria.open(running.url) as reading:
            patch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache of another machine"))
            assert len(reading.books()) == 1
            yield writing, reading


@pytest.mark.annex
def test_refresh_shows_what_another_machine_has_added_on_a_server(reading: tuple[Library, Library]) -> None:
    writing, reader = reading
    with Libraries(reader.store, ["books"]) as several:
        assert len(several.books()) == 1
        writing.ingest(SAMPLES / "gull-rock.txt", options=HASHING)
        assert len(reader.books()) == 1
        several.refresh()
        assert len(several.books()) == 2
        reader.refresh()
        assert len(reader.books()) == 2


@pytest.mark.annex
def test_what_another_machine_has_added_on_a_server_shows_after_a_while(
    reading: tuple[Library, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, reader = reading
    writing.ingest(SAMPLES / "gull-rock.txt", options=HASHING)
    assert len(reader.books()) == 1
    monkeypatch.setattr("alexandria.store.catalog.MAX_AGE", 0.0)
    assert len(reader.books()) == 2


@pytest.mark.annex
def test_a_filter_finds_a_book_that_another_machine_has_replaced_on_a_server(
    reading: tuple[Library, Library],
) -> None:
    writing, reader = reading
    writing.ingest(EPUB, options=HASHING | {"min_words": 60})
    assert {hit.title for hit in reader.search("bees", book="trades")} == {"The Quiet Trades"}


def test_a_closed_library_says_so(tmp_path: Path) -> None:
    library = alexandria.open(tmp_path / "library")
    library.ingest(EPUB, options=HASHING)
    library.close()
    with pytest.raises(StoreError, match="is closed"):
        library.search("bees")
    with alexandria.open(tmp_path / "library") as again:
        assert again.books()


def test_another_process_reads_an_open_library_and_sees_its_books(library: Library) -> None:
    titles = [record.title for record in library.books()]
    script = f"import alexandria; print([one.title for one in alexandria.open({library.store!r}).books()])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{titles}\n"


class Halfway:
    """A real store that stops in the middle of a book, once it is told to, until it is released."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.stops, self.halfway, self.released = False, Event(), Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def upsert(self, points: Sequence[Point]) -> None:
        self._store.upsert(points[:1])
        if self.stops:
            self.halfway.set()
            assert self.released.wait(60)
        self._store.upsert(points[1:])


def test_a_search_waits_while_a_book_is_half_written(tmp_path: Path) -> None:
    encoder, domain = HashingEncoder(), load_domain(options=HASHING)
    store = Halfway(open_store(str(tmp_path / "library"), "books", binding_for(encoder)))
    files = [EPUB, SAMPLES / "gull-rock.txt"]
    with Catalog(store) as catalog, ThreadPoolExecutor(2) as threads:  # type: ignore[arg-type]  # it delegates
        list(ingest(files[:1], domain, encoder, catalog))
        store.stops = True
        ingesting = threads.submit(lambda: list(ingest(files[1:], domain, encoder, catalog)))
        try:
            assert store.halfway.wait(60)
            request = SearchRequest(query="the sea", limit=1000, mode=Mode.DENSE)
            searching = threads.submit(search, request, catalog, encoder)
            with pytest.raises(TimeoutError):
                searching.result(timeout=0.2)
        finally:
            store.released.set()
        assert ingesting.result()[0].error is None
        sizes = {record.title: record.n_chunks for record in catalog.books()}
        assert Counter(hit.title for hit in searching.result()) == sizes


@pytest.mark.model
def test_threads_search_while_one_ingests(tmp_path: Path) -> None:
    """Each search sees each book whole or not at all, and the model is loaded once."""
    lines = [
        f"The harbour pilot of berth {n} watches the tide. He writes the hour of high water."
        for n in range(40)
    ]
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.txt").write_text(f"Book {name}.\n\n" + "\n\n".join(lines))
    done = Event()

    def search_on(library: Library) -> set[int]:
        seen = set()
        while not done.is_set():
            hits = library.search(
                "the pilot and high water", limit=1000, mode="dense", context=1, all_editions=True
            )
            by_book: dict[str, int] = {}
            for hit in hits:
                by_book[hit.title] = by_book.get(hit.title, 0) + 1
                assert hit.sentence
            sizes = {record.title: record.n_chunks for record in library.books()}
            assert all(sizes[title] == n for title, n in by_book.items())
            seen.add(len(by_book))
        return seen

    options = {"min_words": 20, "max_words": 40}
    with alexandria.open(tmp_path / "library") as library, ThreadPoolExecutor(3) as threads:
        library.ingest(tmp_path / "one.txt", options=options)
        searches = [threads.submit(search_on, library) for _ in range(3)]
        try:
            for force in (False, True):
                named = [tmp_path / "two.txt", tmp_path / "three.txt"]
                outcomes = library.ingest(named, options=options, force=force)
                assert [str(one.status) for one in outcomes] == ["ingested", "ingested"]
        finally:
            done.set()
        assert {n for one in searches for n in one.result()} <= {1, 2, 3}
        assert len(library._opened.models.encoders) == 1
        assert not library.verify().findings
