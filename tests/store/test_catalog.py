"""How a book gets into a library, is replaced and leaves it, over every store."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria.book import Sparse
from alexandria.errors import ConfigError, StoreError
from alexandria.modes import Mode
from alexandria.store import QueryVectors, Store, open_store
from alexandria.store.catalog import Catalog
from tests.store.made import AXES, BINDING, Place, book, contents, point, put, record


def generations(library: Catalog) -> dict[str, str]:
    return {one.book_id: one.generation for one in library.books()}


def test_a_new_generation_replaces_the_old_one(store: Store) -> None:
    library = Catalog(store)
    put(library, book("b1", "old", n=5))
    put(library, book("b1", "new", n=2))
    assert generations(library) == {"b1": "b1-new"}
    assert store.generations() == {"b1-new": 2}
    assert len(store.records()) == 1


def test_a_changed_file_at_the_same_path_replaces_the_book(store: Store) -> None:
    library = Catalog(store)
    put(library, book("before"), source="/shelf/a.txt")
    put(library, book("other"), source="/shelf/b.txt")
    put(library, book("after"), source="/shelf/a.txt")
    assert set(generations(library)) == {"after", "other"}
    assert store.generations() == {"after-g": 3, "other-g": 3}


def test_the_same_book_twice_is_there_once(store: Store) -> None:
    library = Catalog(store)
    put(library, book("b1"))
    before = contents(store)
    assert library.holds("b1", "b1-g")
    put(library, book("b1"))
    assert contents(store) == before


def test_a_book_made_anew_under_the_same_settings_with_fewer_chunks_keeps_none_of_the_old(
    store: Store,
) -> None:
    library = Catalog(store)
    put(library, book("b1", n=5))
    put(library, book("b1", n=3))
    assert store.generations() == {"b1-g": 3}


def test_a_removed_book_leaves_nothing(store: Store) -> None:
    library = Catalog(store)
    put(library, book("b1"))
    library.remove(put(library, book("b2")))
    assert set(generations(library)) == {"b1"}
    assert store.generations() == {"b1-g": 3}
    assert len(store.records()) == 1


def test_opening_sweeps_what_no_record_knows(store: Store) -> None:
    put(Catalog(store), book("b1"))
    store.upsert(book("stray"))
    store.flush()
    Catalog(store, sweep=False)
    assert "stray-g" in store.generations()
    Catalog(store)
    assert store.generations() == {"b1-g": 3}


def test_opening_ends_a_replacement_that_was_cut_short_behind_the_commit(store: Store) -> None:
    put(Catalog(store), book("before"), source="/shelf/a.txt", at="2026-01-01")
    after = book("after")
    store.upsert(after)
    made = record(after, source="/shelf/a.txt", at="2026-01-02")
    store.put_record("after", asdict(made))
    assert set(generations(Catalog(store, sweep=False))) == {"after"}
    assert set(generations(Catalog(store))) == {"after"}
    assert store.generations() == {"after-g": 3}
    assert len(store.records()) == 1


def test_where_others_write_too_fresh_strays_are_left_alone(place: Place) -> None:
    store = place.open(BINDING)
    now = datetime.now(UTC).isoformat()
    store.upsert([point(0, book="theirs", generation="fresh", at=now), point(0, book="x", generation="old")])
    Catalog(store)
    assert set(store.generations()) == ({"fresh"} if store.shared else set())
    store.close()


def test_a_search_does_not_see_a_book_that_is_still_coming_in(store: Store) -> None:
    library = Catalog(store)
    put(library, book("b1"))
    if not store.shared:
        pytest.skip("a lock keeps others out")
    store.upsert(book("b2"))
    hits = library.search(QueryVectors(AXES[0], Sparse((50,), (1.0,))), Mode.HYBRID, library.books(), 10)
    assert {hit.payload["book_id"] for hit in hits} == {"b1"}


def test_a_book_is_found_by_title_or_id(tmp_path: Path) -> None:
    library = Catalog(open_store(str(tmp_path), "books", BINDING))
    for name in ("alpha", "alphabet", "beta"):
        put(library, book(name))
    assert library.find("BETA").book_id == "beta"
    assert library.find("alpha").book_id == "alpha"  # exact before partial
    with pytest.raises(ConfigError, match="several books match"):
        library.find("a")
    with pytest.raises(ConfigError, match="no book matches"):
        library.find("gamma")


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
def test_after_any_run_of_steps_the_library_holds_what_a_plain_dictionary_would(
    steps: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    where = str(tmp_path_factory.mktemp("any"))
    library = Catalog(store := open_store(where, "books", BINDING))
    expected: dict[str, int] = {}
    for step, name, n in steps:
        match step:
            case "put":
                put(library, book(name, f"v{n}", n=n))
                expected[name] = n
            case "remove" if name in expected:
                library.remove(library.book(name))
                del expected[name]
            case "stray":
                store.upsert(book(name, "stray", n=n))
                store.flush()
            case "reopen":
                store.close()
                library = Catalog(store := open_store(where, "books", None))
    store.close()
    library = Catalog(store := open_store(where, "books", None))
    assert store.generations() == {f"{name}-v{n}": n for name, n in expected.items()}
    assert generations(library) == {name: f"{name}-v{n}" for name, n in expected.items()}
    store.close()


def test_two_stores_filled_in_another_order_hold_the_same(tmp_path: Path) -> None:
    def filled(order: str) -> list[tuple[str, str]]:
        library = Catalog(store := open_store(str(tmp_path / order), "books", BINDING))
        for name in order:
            put(library, book(name))
        found = contents(store)
        store.close()
        return found

    assert filled("abc") == filled("cab") == filled("bcab")
