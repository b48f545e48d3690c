"""Every kind of damage is reported, and none in an intact library."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge

from alexandria.book.model import Point, Sparse
from alexandria.store import Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.edge import EdgeStore
from alexandria.store.verify import Flaw, find_flaws
from tests.store.examples import AXES, BINDING, Place, book, point, store_book
from tests.store.fake_server import FakeServer


def flaws(store: Store) -> list[tuple[Flaw, str]]:
    return [(finding.flaw, finding.book) for finding in find_flaws(store)]


def test_an_intact_library_has_no_flaws(store: Store) -> None:
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    store_book(catalog, book("b2", n=70))
    assert flaws(store) == []


def test_a_section_may_be_called_as_the_one_around_it(store: Store) -> None:
    points = [replace(one, payload={**one.payload, "section": ["Debris", "Debris"]}) for one in book("b1")]
    store_book(Catalog(store), points)
    assert flaws(store) == []


def delete_a_point(store: Store) -> None:
    store.delete({"chunk_id": [1]})


def edit_a_payload(store: Store) -> None:
    one = book("b1")[1]
    store.upsert([replace(one, payload={**one.payload, "text": "Forged."})])


def lose_a_payload(store: Store) -> None:
    one = book("b1")[1]
    store.upsert([replace(one, payload={"generation": one.payload["generation"]})])


def edit_a_time(store: Store) -> None:
    one = book("b1")[1]
    store.upsert([replace(one, payload={**one.payload, "ingested_at": "1999-01-01T00:00:00+00:00"})])


def add_a_foreign_point(store: Store) -> None:
    store.upsert([replace(point(0), id="00000000-0000-4000-8000-000000000001", payload={"book_title": "X"})])


def drop_a_record(store: Store) -> None:
    store.records.commit(delete=["b1"])


def drop_sentence_vectors(store: Store) -> None:
    store.upsert([replace(book("b1")[1], sentences=None)])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        pytest.param(delete_a_point, (Flaw.MISSING, "B1"), id="one point deleted"),
        pytest.param(edit_a_payload, (Flaw.ALTERED, "B1"), id="one payload edited"),
        pytest.param(lose_a_payload, (Flaw.MISSING, "B1"), id="one payload lost"),
        pytest.param(edit_a_time, (Flaw.ALTERED, "B1"), id="one time edited"),
        pytest.param(add_a_foreign_point, (Flaw.FOREIGN, "X"), id="one foreign point"),
        pytest.param(drop_a_record, (Flaw.UNRECORDED, "B1"), id="one catalog record missing"),
        pytest.param(drop_sentence_vectors, (Flaw.VECTOR, "B1"), id="one point without its sentence vectors"),
    ],
)
def test_each_kind_of_damage_is_reported_once(
    store: Store, damage: Callable[[Store], None], expected: tuple[Flaw, str]
) -> None:
    store_book(Catalog(store), book("b1"))
    damage(store)
    assert flaws(store) == [expected]


def exchange_sentences(point: Point) -> Point:
    assert point.sentences is not None
    return replace(point, sentences=point.sentences[::-1])


def change_a_vector(point: Point) -> Point:
    return replace(point, dense=np.array([0.6, 0.8, 0, 0], np.float32))


def drop_a_word(point: Point) -> Point:
    return replace(point, bm25=Sparse(point.bm25.indices[1:], point.bm25.values[1:]))


@pytest.mark.parametrize("change", [exchange_sentences, change_a_vector, drop_a_word])
def test_vectors_that_were_changed_in_a_folder_are_reported(
    place: Place, change: Callable[[Point], Point]
) -> None:
    store = place.open(BINDING)
    points = [replace(one, sentences=AXES[[0, 1]]) for one in book("b1")]
    store_book(Catalog(store), points)
    store.upsert([change(points[1])])
    assert flaws(store) == ([] if store.on_server else [(Flaw.ALTERED, "B1")])
    store.close()


def test_a_point_that_is_found_by_another_id_is_reported(place: Place) -> None:
    store = place.open(BINDING)
    one = book("b1")[1]
    store_book(Catalog(store), book("b1"))
    store.delete({"chunk_id": [1]})
    store.upsert([replace(one, id="00000000-0000-4000-8000-000000000001")])
    expected = Flaw.FOREIGN if store.on_server else Flaw.UNLISTED
    assert sorted(flaws(store)) == sorted([(expected, one.payload["book_title"]), (Flaw.MISSING, "B1")])
    store.close()


@pytest.mark.parametrize("name", ["", "sentences"])
def test_a_nan_is_reported(tmp_path: Path, name: str) -> None:
    """Our own writes refuse NaN, but the engine accepts it: another program may have written it."""
    store = open_store(str(tmp_path), "books", BINDING)
    assert isinstance(store, EdgeStore)
    one = book("b1")[1]
    store_book(Catalog(store), book("b1"))
    vectors = {"": AXES[0].tolist(), "sentences": AXES[[0]].tolist()}
    nan = np.full(4, np.nan).tolist()
    damaged = qdrant_edge.PointVectors(one.id, {**vectors, name: nan if name == "" else [nan]})
    store._points.update(qdrant_edge.UpdateOperation.update_vectors([damaged]))
    assert flaws(store) == [(Flaw.VECTOR, "B1")]
    store.close()


def test_points_that_a_sweep_would_delete_are_reported(place: Place) -> None:
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    store.upsert(book("lost"))
    assert flaws(store) == [(Flaw.UNRECORDED, "LOST")]
    store.close()


def test_the_vectors_of_a_server_are_not_read() -> None:
    with FakeServer() as server:
        store = open_store(server.url, "books", BINDING)
        store_book(Catalog(store), book("b1"))
        server.requests.clear()
        assert flaws(store) == []
        assert len(server.requests) <= 10
        assert not [body for _, _, body in server.requests if body.get("with_vector")]


def test_a_vector_that_a_server_has_lost_is_reported() -> None:
    with FakeServer() as server:
        store = open_store(server.url, "books", BINDING)
        store_book(Catalog(store), book("b1"))
        server.engine.delete_vectors("books", [""], [book("b1")[1].id])
        assert flaws(store) == [(Flaw.VECTOR, "B1")]
