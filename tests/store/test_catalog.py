"""Books are added, replaced and removed, in every kind of store."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria.book.choices import Mode
from alexandria.book.filters import Filter, Filters
from alexandria.book.model import Point, Sparse
from alexandria.errors import ConfigError, StoreError
from alexandria.store import QueryVectors, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit
from alexandria.store.record import configuration_of, scope_of, work_of
from alexandria.store.store import Pending
from alexandria.store.verify import find_flaws, interruptions
from tests.store.examples import AXES, BINDING, Place, book, contents, interrupt, point, record, store_book


def made_old(store: Store) -> None:
    """Let what is pending be so old that on a server, too, nobody can be writing it."""
    store.records.commit(
        pending=[replace(one, since="2020-01-01T00:00:00+00:00") for one in store.records.pending()]
    )


def generations(catalog: Catalog) -> dict[str, str]:
    return {record.book_id: record.generation for record in catalog.books()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreFilters(Filters):
    """With a filter of which no store knows."""

    source: str | None = field(
        default=None,
        metadata={
            "filter": Filter(
                help="Only this file.",
                options=("--file",),
                admits=lambda book, path: book.book_id == Path(path).stem,
            )
        },
    )


def test_a_filter_that_no_store_looks_books_up_by_counts_all_the_same(store: Store) -> None:
    catalog = Catalog(store)
    for name in "abc":
        store_book(catalog, book(name))
    only = MoreFilters(source="b.txt", domain="default")
    assert [one.book_id for one in catalog.matching(only)] == ["b"]
    assert [one.book_id for one in catalog.page(only, start=0, limit=5)] == ["b"]
    scope = catalog.scope(only)
    assert (scope.n_books, scope.where) == (1, {"generation": ["b-g"]})
    assert MoreFilters(domain="default").looked_up


def test_a_block_that_reads_asks_once_whether_books_have_changed(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("a"))
    with patch.object(store.records, "version", wraps=store.records.version) as asked:
        with catalog.read_lock():
            with catalog.read_lock():
                assert catalog.n_books == len(catalog.books()) == 1
            assert catalog.n_chunks() == catalog.books()[0].n_chunks
        assert asked.call_count == 1
        store_book(catalog, book("b"))
        assert catalog.n_books == len(catalog.books()) == 2  # outside, at each question
    with catalog.read_lock():
        assert catalog.n_books == 2


def test_a_new_generation_replaces_the_old_one(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1", "old", n=5))
    store_book(catalog, book("b1", "new", n=2))
    assert generations(catalog) == {"b1": "b1-new"}
    assert store.generations() == {"b1-new": 2}
    assert len(list(store.records.all())) == 1


def test_a_changed_file_at_the_same_path_replaces_the_book(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("before"), source="/shelf/a.txt")
    store_book(catalog, book("other"), source="/shelf/b.txt")
    store_book(catalog, book("after"), source="/shelf/a.txt")
    assert set(generations(catalog)) == {"after", "other"}
    assert store.generations() == {"after-g": 3, "other-g": 3}


def test_storing_a_book_twice_keeps_one_copy(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    before = contents(store)
    assert catalog.holds("b1", "b1-g")
    store_book(catalog, book("b1"))
    assert contents(store) == before


def test_a_book_stored_again_under_the_same_settings_with_fewer_chunks_keeps_none_of_the_old_ones(
    store: Store,
) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1", n=5))
    store_book(catalog, book("b1", n=3))
    assert list(store.generations().values()) == [3]
    assert not list(find_flaws(store))


def changed(points: list[Point]) -> list[Point]:
    return [replace(point, payload={**point.payload, "text": "Cut otherwise."}) for point in points]


def later(points: list[Point]) -> list[Point]:
    return [replace(point, payload={**point.payload, "ingested_at": "2026-07-07"}) for point in points]


AGAIN = pytest.mark.parametrize(
    "again",
    [later(book("b1", n=5)), changed(book("b1", n=5)), changed(book("b1"))],
    ids=["same", "other", "fewer"],
)


@AGAIN
@pytest.mark.parametrize("n_written", [0, 2, 3])
def test_a_book_stored_again_under_its_generation_is_whole_whenever_that_is_interrupted(
    store: Store, monkeypatch: pytest.MonkeyPatch, again: list[Point], n_written: int
) -> None:
    catalog = Catalog(store)
    old = store_book(catalog, book("b1", n=5))

    def upsert_some(points: Sequence[Point]) -> None:
        write(points[:n_written])
        raise KeyboardInterrupt

    write = store.upsert
    with monkeypatch.context() as patch:
        patch.setattr(store, "upsert", upsert_some)
        with pytest.raises(KeyboardInterrupt):
            store_book(catalog, again)
    assert list(find_flaws(store)) == []
    assert Catalog(store, sweep=False).books() == [old]


@AGAIN
def test_a_book_stored_again_under_its_generation_replaces_the_old_one(
    store: Store, again: list[Point]
) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1", n=5))
    for _ in range(2):  # and back to its first generation
        stored = catalog.replace(record(again), again)
        assert catalog.books() == [stored]
        assert configuration_of(stored) == "b1-g"
        texts = [chunk.text for chunk in catalog.chunks(stored)]
        assert texts == [point.payload["text"] for point in again]
        assert store.count() == len(again)
        assert not list(find_flaws(store))


def test_a_removed_book_leaves_only_its_record_until_it_comes_back(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    catalog.remove(store_book(catalog, book("b2"), source="/shelf/b2"))
    assert set(generations(catalog)) == {"b1"}
    assert store.generations() == {"b1-g": 3}
    again = Catalog(store)
    assert [record.book_id for record in again.removed_books()] == ["b2"]
    assert again.removed_book("b2", "elsewhere") == again.removed_book("other", "/shelf/b2") is not None
    assert again.removed_book("b1", "/shelf/b1") is None
    store_book(again, book("b3"), source="/shelf/b2")
    assert again.removed_books() == []
    assert len(list(store.records.all())) == 2


def test_a_removed_book_leaves_nothing(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    catalog.forget(store_book(catalog, book("b2")))
    assert set(generations(catalog)) == {"b1"}
    assert store.generations() == {"b1-g": 3}
    assert len(list(store.records.all())) == 1


@pytest.mark.parametrize("replaces", [True, False], ids=["replaced", "new"])
def test_an_interrupted_ingest_is_named_and_the_next_opening_deletes_what_it_left(
    store: Store, replaces: bool
) -> None:
    store_book(Catalog(store), book("b1"))
    name = "b1" if replaces else "b2"
    interrupt(Catalog(store), "commit", book(name, "stray"))
    assert f"{name}-stray" in store.generations()
    assert list(find_flaws(store)) == []
    state = "is running, or was interrupted" if store.on_server else "was interrupted"
    assert interruptions(store) == [
        f"an ingest of “{name.upper()}” {state}; the next one removes what it left"
    ]
    made_old(store)
    Catalog(store)
    assert interruptions(store) == []
    assert store.generations() == {"b1-g": 3}


def test_opening_deletes_the_points_of_a_replaced_book_that_were_left(store: Store) -> None:
    store_book(Catalog(store), book("before"), source="/shelf/a.txt", at="2026-01-01")
    interrupt(Catalog(store), "delete", book("after"), source="/shelf/a.txt", at="2026-01-02")
    assert set(generations(Catalog(store, sweep=False))) == {"after"}
    assert set(store.generations()) == {"before-g", "after-g"}
    made_old(store)
    assert set(generations(Catalog(store))) == {"after"}
    assert store.generations() == {"after-g": 3}
    assert [record["book_id"] for record in list(store.records.all())] == ["after"]
    assert store.records.pending() == []


def test_opening_deletes_a_record_that_a_server_was_killed_before_deleting(store: Store) -> None:
    old, new = book("before"), book("after")
    store.upsert([*old, *new])
    records = [record(old, source="/a", at="2026-01-01"), record(new, source="/a", at="2026-01-02")]
    pending = Pending("before-g", "Before", "2026-01-02T00:00:00+00:00")
    store.records.commit(put=list(map(asdict, records)), pending=[pending])
    assert set(generations(Catalog(store))) == {"after"}
    assert [record["book_id"] for record in list(store.records.all())] == ["after"]
    assert store.generations() == {"after-g": 3}


def test_an_interrupted_removal_is_named(store: Store) -> None:
    catalog = Catalog(store)
    for name, remove in (("b1", catalog.remove), ("b2", catalog.forget)):
        stored = store_book(catalog, book(name))
        with patch.object(store, "delete", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
            remove(stored)
    assert list(find_flaws(store)) == []
    assert [sentence.split(";")[0].split(" is ")[0] for sentence in interruptions(store)] == [
        f"the removal of “{title}”" + ("" if store.on_server else " was interrupted")
        for title in ("B1", "B2")
    ]
    made_old(store)
    assert generations(Catalog(store)) == {}
    assert store.generations() == {}


def test_what_several_failed_steps_left_is_deleted(store: Store) -> None:
    catalog = Catalog(store)
    interrupt(catalog, "commit", book("b1"))
    interrupt(catalog, "commit", book("b2"))
    store_book(catalog, book("b3"))
    made_old(store)
    Catalog(store)
    assert store.generations() == {"b3-g": 3}


def test_on_a_server_recent_points_without_a_record_are_kept(place: Place) -> None:
    store = place.open(BINDING)
    now = datetime.now(UTC).isoformat()
    store.upsert([point(0, book="theirs", generation="fresh", at=now), point(0, book="x", generation="old")])
    store.records.commit(
        pending=[Pending("fresh", "Theirs", now), Pending("old", "X", "2026-01-01T00:00:00+00:00")]
    )
    Catalog(store)
    assert set(store.generations()) == ({"fresh"} if store.on_server else set())
    assert [one.generation for one in store.records.pending()] == (["fresh"] if store.on_server else [])
    store.close()


def test_a_search_ignores_a_book_that_is_still_being_written(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    if not store.on_server:
        pytest.skip("a lock keeps other writers out")
    store.upsert(book("b2"))
    hits = catalog.search(QueryVectors(AXES[0], Sparse((50,), (1.0,))), Mode.HYBRID, catalog.everything(), 10)
    assert {hit.payload["book_id"] for hit in hits} == {"b1"}


def test_a_book_completed_during_a_search_is_found_whole_or_not_at_all(place: Place) -> None:
    writer = Catalog(place.open(BINDING))
    if not writer.store.on_server:
        pytest.skip("a lock keeps other writers out")
    reader = Catalog(store := place.open(None))
    now, points = datetime.now(UTC).isoformat(), book("b1", n=4)
    writer.store.upsert(points[:2])
    query = QueryVectors(AXES[0], Sparse((50,), (1.0,)))

    def complete_afterwards(*arguments: Any) -> list[Hit]:
        store.search = search  # type: ignore[method-assign]  # once
        hits = search(*arguments)
        store_book(writer, points, at=now)
        return hits

    search, store.search = store.search, complete_afterwards  # type: ignore[method-assign,assignment]
    hits = reader.search(query, Mode.HYBRID, reader.everything(), 10)
    assert sorted(hit.chunk_id for hit in hits) == [0, 1, 2, 3]


@pytest.mark.parametrize("filters", [Filters(), Filters(author="ada", language="en")], ids=str)
def test_readers_see_whole_books_while_another_process_replaces_and_removes_them(
    place: Place, filters: Filters
) -> None:
    writer = Catalog(place.open(BINDING))
    if not writer.store.on_server:
        pytest.skip("a lock keeps other writers out")
    reader = Catalog(place.open(None))
    query, seen = QueryVectors(AXES[0], Sparse((50,), (1.0,))), set()

    def write() -> None:
        now = datetime.now(UTC).isoformat()
        for generation in range(6):
            for name in "ab":
                points = book(name, f"v{generation}", n=6)
                for half in (points[:3], points[3:]):
                    writer.store.upsert(half)
                stored = store_book(writer, points, at=now)
        writer.forget(stored)

    with ThreadPoolExecutor(1) as pool:
        writing, ended = pool.submit(write), False
        while not ended:
            ended = writing.done()
            hits = reader.search(query, Mode.DENSE, reader.scope(filters), 50)
            books = Counter((hit.book_id, hit.payload["generation"]) for hit in hits)
            assert set(books.values()) <= {6}
            assert len({book_id for book_id, _ in books}) == len(books)
            seen |= set(books)
        writing.result()
    assert set(books) == {("a", "a-v5")}
    assert len(seen) > 2


@pytest.mark.parametrize("step", ["put", "edit", "remove", "exclude"])
def test_a_search_in_all_books_knows_what_the_records_say(tmp_path: Path, step: str) -> None:
    store = open_store(str(tmp_path), "books", BINDING)
    catalog = Catalog(store)
    for name, language, work in (("a", "en", ""), ("b", "hr", "a"), ("c", None, ""), ("d", "de", "gone")):
        stored = record(points := book(name))
        catalog.replace(replace(stored, language=language, work=work), points)
    match step:
        case "edit":
            catalog.update(replace(catalog.book("d"), work="a", settings={"sentence_vectors": False}))
        case "remove":
            catalog.forget(catalog.book("c"))
        case "exclude":
            catalog.remove(catalog.book("b"))
    store.close()
    catalog = Catalog(open_store(str(tmp_path), "books", None), sweep=False)
    scope, n_books, editions = catalog.everything(), catalog.n_books, catalog.editions()
    records = catalog.books()
    assert (n_books, scope) == (len(records), replace(scope_of(records), where={}))
    works = Counter(map(work_of, records))
    assert editions == [record for record in records if works[work_of(record)] > 1]
    catalog.close()


def test_a_book_is_found_by_title_or_id(tmp_path: Path) -> None:
    catalog = Catalog(open_store(str(tmp_path), "books", BINDING))
    for name in ("alpha", "alphabet", "beta"):
        store_book(catalog, book(name))
    assert catalog.find("BETA").book_id == "beta"
    assert catalog.find("alpha").book_id == "alpha"  # exact before partial
    with pytest.raises(ConfigError, match="several books match"):
        catalog.find("a")
    for text in ("gamma", " "):
        with pytest.raises(ConfigError, match="no book matches"):
            catalog.find(text)


def test_an_empty_name_is_not_that_of_the_only_book(tmp_path: Path) -> None:
    catalog = Catalog(open_store(str(tmp_path), "books", BINDING))
    store_book(catalog, book("alpha"))
    with pytest.raises(ConfigError, match="no book matches ''"):
        catalog.find("")


def test_an_empty_library_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the library is empty"):
        Catalog(open_store(str(tmp_path), "books", BINDING)).model()


_steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "reopen", "stray"]), st.sampled_from("abc"), st.integers(1, 4)
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(steps=_steps)
def test_after_any_sequence_of_steps_the_catalog_holds_what_a_plain_dictionary_would(
    steps: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    address = str(tmp_path_factory.mktemp("any"))
    catalog = Catalog(store := open_store(address, "books", BINDING))
    expected: dict[str, int] = {}
    for step, name, n in steps:
        match step:
            case "put":
                store_book(catalog, book(name, f"v{n}", n=n))
                expected[name] = n
            case "remove" if name in expected:
                catalog.forget(catalog.book(name))
                del expected[name]
            case "stray":
                interrupt(catalog, "commit", book(name, "stray", n=n))
            case "reopen":
                store.close()
                catalog = Catalog(store := open_store(address, "books", None))
    store.close()
    catalog = Catalog(store := open_store(address, "books", None))
    assert store.generations() == {f"{name}-v{n}": n for name, n in expected.items()}
    assert generations(catalog) == {name: f"{name}-v{n}" for name, n in expected.items()}
    store.close()


def test_the_order_of_ingestion_does_not_change_the_points(tmp_path: Path) -> None:
    def filled(order: str) -> list[tuple[str, str]]:
        catalog = Catalog(store := open_store(str(tmp_path / order), "books", BINDING))
        for name in order:
            store_book(catalog, book(name))
        points = contents(store)
        store.close()
        return points

    assert filled("abc") == filled("cab") == filled("bcab")


def test_a_listed_book_that_is_noted_as_pending_is_not_deleted(store: Store) -> None:
    """A book that was being written again, with the same points, when the process was killed."""
    store_book(Catalog(store), book("b1"))
    expected = contents(store)
    store.records.commit(pending=[Pending("b1-g", "B1", "2026-01-01T00:00:00+00:00")])
    assert interruptions(store) == []
    Catalog(store)
    assert contents(store) == expected
    assert store.records.pending() == []


def test_books_are_listed_a_page_at_a_time(store: Store) -> None:
    catalog = Catalog(store)
    for name, language in (("c", "hr"), ("a", "en"), ("d", "en"), ("b", "en")):
        stored = replace(record(points := book(name)), language=language, sections=(f"On {name}",))
        catalog.replace(stored, points)
    catalog.remove(catalog.book("d"))

    def listed(start: int = 0, limit: int | None = None, **filters: str) -> str:
        again = Catalog(store)  # which has read nothing
        return "".join(one.book_id for one in again.page(Filters(**filters), start=start, limit=limit))

    assert listed() == "abc"
    assert [listed(start=start, limit=2) for start in range(0, 5, 2)] == ["ab", "c", ""]
    assert listed(language="en", start=1) == "b"
    assert listed(chapter="ON C", limit=5) == "c"


def test_a_book_is_found_by_the_path_it_was_read_from(store: Store) -> None:
    catalog = Catalog(store)
    stored = store_book(catalog, book("b1"), source="/shelf/x")
    catalog.remove(store_book(catalog, book("b2"), source="/shelf/y"))
    for opened in (catalog, Catalog(store)):
        assert opened.book_at("/shelf/x") == stored
        assert opened.book_at("/shelf/y") is None
