"""What every store must do, tested on each kind."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from alexandria.book.choices import Mode
from alexandria.book.model import Sparse
from alexandria.errors import StoreError
from alexandria.store import Binding, QueryVectors, Store
from alexandria.store.payload import COMPARED_KEYS
from alexandria.store.plan import VectorName, plan_search
from alexandria.store.points import generation_of
from alexandria.store.store import Pending
from tests.store.examples import AXES, BINDING, Place, book, contents, point


def ask(store: Store, mode: Mode, *, axis: int = 0, words: tuple[int, ...] = (1,), **more: Any) -> list[int]:
    """Return the numbers of the best chunks, best first."""
    query = QueryVectors(AXES[axis], Sparse(words, (1.0,) * len(words)))
    plan = plan_search(mode, more.get("limit", 10), n_points=more.get("n_points", 10), sentences=True)
    return [hit.payload["chunk_id"] for hit in store.search(query, plan, more.get("where", {}))]


def test_points_are_read_back_exactly_as_written(store: Store) -> None:
    written = [point(i, axis=i % 4, rows=[i % 4, 3], words=(i + 1, 9)) for i in range(5)]
    store.upsert(written)
    stored = {read.id: read for read in store.points({})}
    assert store.count() == 5
    for expected in written:
        read = stored[expected.id]
        assert read.payload == expected.payload
        assert read.bm25 == expected.bm25
        np.testing.assert_array_equal(read.dense, expected.dense)
        assert expected.sentences is not None
        np.testing.assert_array_equal(read.sentences, expected.sentences)
        assert {type(value) for value in read.payload.values()} == {
            type(value) for value in expected.payload.values()
        }


def test_payloads_are_ordered_by_id(store: Store) -> None:
    store.upsert([point(i) for i in range(300)])  # more than a page
    ids = [id for id, _ in store.payloads({})]
    assert ids == sorted(ids)
    assert len(ids) == 300


def test_writing_a_expectedagain_replaces_it(store: Store) -> None:
    store.upsert([point(0, text="old")])
    store.upsert([point(0, text="new")])
    assert [payload["text"] for _, payload in store.payloads({})] == ["new"]


def test_a_filter_matches_every_key(store: Store) -> None:
    store.upsert([point(i, generation=g, section=[f"part {i}"]) for g in ("g1", "g2") for i in range(3)])
    matches = [payload for _, payload in store.payloads({"generation": ["g1"], "chunk_id": [1, 2]})]
    assert sorted(payload["chunk_id"] for payload in matches) == [1, 2]
    assert {payload["generation"] for payload in matches} == {"g1"}
    assert len(list(store.payloads({"section": ["part 0"]}))) == 2
    assert len(list(store.payloads({"generation|section": ["g1", "part 2"]}))) == 4  # either key


def test_delete_removes_what_matches_and_nothing_else(store: Store) -> None:
    store.upsert([*book("b1"), *book("b2")])
    store.delete({"generation": ["b1-g"]})
    assert store.generations() == {"b2-g": 3}


def test_generations_are_counted_under_the_names_that_were_written(store: Store) -> None:
    """Local mode rewrites strings that look like a UUID, so a generation must not."""
    name = generation_of("book", "settings")
    store.upsert([point(i, generation=name) for i in range(2)])
    assert store.generations() == {name: 2}


def test_a_generation_does_not_depend_on_the_order_of_the_settings() -> None:
    settings = {"min_words": 40, "max_words": 120}
    assert generation_of("book", settings) == generation_of("book", dict(reversed(settings.items())))


def test_an_empty_filter_deletes_nothing(store: Store) -> None:
    store.upsert(book("b1"))
    with pytest.raises(ValueError, match="empty filter"):
        store.delete({})
    assert store.count() == 3


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"dense": np.full(4, np.nan, np.float32)}, id="NaN"),
        pytest.param({"dense": np.full(4, np.inf, np.float32)}, id="infinity"),
        pytest.param({"dense": np.ones(3, np.float32)}, id="dimension"),
        pytest.param({"sentences": np.full((2, 4), np.nan, np.float32)}, id="NaN in a sentence"),
        pytest.param({"sentences": np.ones((2, 3), np.float32)}, id="dimension of a sentence"),
    ],
)
def test_an_invalid_vector_is_refused_and_nothing_of_its_batch_is_written(
    store: Store, bad: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="4 finite numbers"):
        store.upsert([point(0), replace(point(1), **bad)])
    assert store.count() == 0


@pytest.mark.parametrize("n_points", [10, 10**6], ids=["exhaustive", "candidates"])
@pytest.mark.parametrize(
    ("mode", "expected"), [(Mode.DENSE, [2, 0, 1]), (Mode.SENTENCES, [1, 2, 0]), (Mode.BM25, [0])]
)
def test_each_mode_ranks_by_its_own_vector(
    store: Store, mode: Mode, expected: list[int], n_points: int
) -> None:
    tilted = np.array([0.6, 0.8, 0, 0], np.float32)
    store.upsert(
        [
            replace(point(0, axis=1, rows=[2], words=(7,)), dense=tilted),
            point(1, axis=1, rows=[3, 0], words=(8,)),
            replace(point(2, axis=0, words=(8,)), sentences=np.array([[0.8, 0.6, 0, 0]], np.float32)),
        ]
    )
    assert ask(store, mode, words=(7,), n_points=n_points) == expected


@pytest.mark.parametrize("n_points", [10, 10**6], ids=["exhaustive", "candidates"])
def test_hybrid_finds_what_either_of_its_halves_finds(store: Store, n_points: int) -> None:
    store.upsert([point(i, axis=1, words=(50,)) for i in range(3)])
    store.upsert([point(3, axis=0, words=(50,)), point(4, axis=1, words=(7,))])
    assert set(ask(store, Mode.HYBRID, words=(7,), limit=2, n_points=n_points)) == {3, 4}


def test_a_search_obeys_its_filter_and_limit(store: Store) -> None:
    for name in ("b1", "b2"):  # chunk i has the words 0 to i, and is less near to the query the higher i is
        vectors = [np.array([1, i, 0, 0], np.float32) / np.float32(np.hypot(1, i)) for i in range(4)]
        points = [point(i, book=name, generation=f"{name}-g", words=(50, *range(i))) for i in range(4)]
        store.upsert([replace(p, dense=v, sentences=v[None]) for p, v in zip(points, vectors, strict=True)])
    where = {"generation": ["b2-g"], "chunk_id": [1, 2, 3]}
    for mode in (Mode.DENSE, Mode.SENTENCES, Mode.HYBRID):
        assert ask(store, mode, words=(50,), limit=2, where=where) == [1, 2]


def test_a_search_returns_what_hits_are_compared_by_and_all_that_is_stored_with_them_later(
    store: Store,
) -> None:
    points = book("b1", n=3)
    store.upsert(points)
    query = QueryVectors(AXES[0], Sparse((1,), (1.0,)))
    hits = store.search(query, plan_search(Mode.DENSE, 3, n_points=3, sentences=True), {})
    whole = {point.id: point.payload for point in points}
    assert len(hits) == 3
    for hit in hits:
        compared = {key: value for key, value in whole[hit.id].items() if key in COMPARED_KEYS}
        assert compared.items() <= hit.payload.items() <= whole[hit.id].items()
    assert store.whole_payloads(hits) == whole


def test_a_point_of_another_program_is_found_with_its_own_payload(store: Store) -> None:
    foreign = replace(point(9, axis=0), payload={"colour": "red"})
    store.upsert([*book("b1", n=2), foreign])
    query, plan = (
        QueryVectors(AXES[0], Sparse((), ())),
        plan_search(Mode.DENSE, 3, n_points=3, sentences=True),
    )
    found = {hit.id: hit.payload for hit in store.search(query, plan, {})}
    assert found[foreign.id] == {"colour": "red"}
    assert len(found) == 3


def test_what_ties_with_the_last_hit_is_returned_too(store: Store) -> None:
    """The caller decides which of them come first: an engine returns any."""
    store.upsert([*book("b1", n=4), *book("b2", n=4)])
    for mode in Mode:
        hits = ask(store, mode, axis=3, words=(50,), limit=1, where={"chunk_id": [0, 1, 2]})
        assert sorted(hits) == [0, 0, 1, 1, 2, 2]


def test_terms_that_no_point_has_change_no_search_however_many(store: Store) -> None:
    """As the edits of a misspelled word, most of which are no words."""
    store.upsert([point(0, words=(7,)), point(1, words=(8,))])
    assert ask(store, Mode.BM25, words=(7, *range(100, 5000))) == [0]
    store.upsert([point(2, words=(200,))])
    assert ask(store, Mode.BM25, words=tuple(range(100, 5000))) == [2]
    assert ask(store, Mode.BM25, words=tuple(range(1000, 5000))) == []


def test_the_rarity_of_a_term_is_what_it_adds_to_a_score(store: Store) -> None:
    weighted = Sparse((1, 9), (0.5, 2.0))
    store.upsert([replace(point(0), bm25=weighted), *(point(i, words=(9, 50 + i)) for i in range(1, 4))])
    rarities = store.rarities([1, 9, 77])
    assert rarities[77] is None
    assert rarities[1] == pytest.approx(np.log1p(3.5 / 1.5))  # in one of four points
    assert rarities[9] == pytest.approx(np.log1p(0.5 / 4.5))
    assert store.rarities([]) == {}


def test_an_empty_store_finds_nothing(store: Store) -> None:
    for mode in Mode:
        assert ask(store, mode) == []
    assert store.generations() == {}
    assert list(store.records.all()) == []


def test_a_point_may_have_no_sentence_vectors(store: Store) -> None:
    store.upsert([replace(point(0), sentences=None), point(1, rows=[1, 2])])
    first, second = point(0).id, point(1).id
    rows = store.sentence_vectors([first, second])
    assert list(rows) == [second]
    np.testing.assert_array_equal(rows[second], AXES[[1, 2]])
    assert ask(store, Mode.SENTENCES, axis=1) == [1]


def test_a_record_is_replaced_and_deleted_by_its_key(store: Store) -> None:
    one: dict[str, Any] = {"book_id": "a", "digests": ["1"], "nothing": None, "nested": {"f": 1.0}}
    store.records.commit(put=[{**one, "title": "old"}, {"book_id": "b", "title": "other"}])
    store.records.commit(put=[{**one, "title": "new"}], delete=["b", "never there"])
    assert list(store.records.all()) == [{**one, "title": "new"}]


def test_a_generation_is_pending_until_it_is_done(store: Store) -> None:
    first, second = (Pending(name, "Title", "2026-01-01T00:00:00+00:00") for name in ("g1", "g2"))
    store.records.commit(pending=[first, second])
    store.records.commit(
        pending=[replace(second, removed=True)], put=[{"book_id": "a"}], done=["g1", "never there"]
    )
    assert store.records.pending() == [replace(second, removed=True)]
    assert list(store.records.all()) == [{"book_id": "a"}]


def test_everything_is_still_there_when_the_store_is_reopened(place: Place) -> None:
    if not place.persistent:
        pytest.skip("nothing is kept in memory")
    store = place.open(BINDING)
    store.upsert(book("b1"))
    store.records.commit(put=[{"book_id": "b1"}])
    before = contents(store)
    store.close()
    reopened = place.open(None)
    assert contents(reopened) == before
    assert list(reopened.records.all()) == [{"book_id": "b1"}]
    assert reopened.binding == BINDING
    reopened.close()


def test_a_search_changes_no_vector_that_is_read_afterwards(place: Place) -> None:
    """In local mode, the first search scales what was read from the folder to length 1, which ours have."""
    if not place.persistent:
        pytest.skip("nothing is read from a folder")
    store = place.open(BINDING)
    rows = np.random.default_rng(7).normal(size=(40, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.upsert([replace(point(i), dense=row, sentences=rows[i : i + 2]) for i, row in enumerate(rows)])
    store.close()
    reopened = place.open(None)
    try:
        before = sorted(reopened.points({}), key=lambda read: read.id)
        for mode in (Mode.DENSE, Mode.SENTENCES, Mode.BM25):
            ask(reopened, mode)
        after = sorted(reopened.points({}), key=lambda read: read.id)
        assert len(after) == len(rows)
        for old, new in zip(before, after, strict=True):
            np.testing.assert_allclose(old.dense, new.dense, atol=1e-7)
            assert old.sentences is not None
            assert new.sentences is not None
            np.testing.assert_allclose(old.sentences, new.sentences, atol=1e-7)
    finally:
        reopened.close()


@pytest.mark.parametrize("other", [replace(BINDING, encoder="other"), replace(BINDING, dim=8)])
def test_a_collection_is_bound_to_its_encoder(place: Place, other: Binding) -> None:
    if not place.persistent:
        pytest.skip("nothing is kept in memory")
    place.open(BINDING).close()
    with pytest.raises(StoreError, match="cannot use the library") as caught:
        place.open(other)
    assert "test (4 dimensions)" in caught.value.why
    place.open(BINDING).close()  # the refusal released the lock


@pytest.mark.parametrize("wanted", [BINDING, None], ids=["to write", "to read"])
def test_a_library_of_an_older_schema_is_refused(
    place: Place, wanted: Binding | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not place.persistent:
        pytest.skip("nothing is kept in memory")
    place.open(BINDING).close()
    monkeypatch.setattr("alexandria.store.model_check.READABLE_SCHEMAS", (BINDING.schema_version + 1,))
    with pytest.raises(StoreError, match="cannot read the library") as caught:
        place.open(wanted)
    assert f"schema {BINDING.schema_version}" in caught.value.why


def test_a_missing_library_is_not_created_for_reading(place: Place) -> None:
    with pytest.raises(StoreError, match="there is no library") as caught:
        place.open(None)
    fixes = ["alexandria ingest BOOK"]
    if place.name == "live":  # which may hold other libraries
        fixes.append("name one of them with --collection")
    assert caught.value.fix in fixes


def test_points_that_lack_a_vector_are_named(store: Store) -> None:
    store.upsert([replace(point(0), sentences=None), point(1)])
    assert store.ids_without(VectorName.SENTENCES) == {point(0).id}
    assert store.ids_without(VectorName.DENSE) == set()
