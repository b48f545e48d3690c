"""What `verify` finds: each kind of damage, planted in a sound library, and nothing in a sound one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge

from alexandria.store import Store
from alexandria.store.catalog import Catalog
from alexandria.store.edge import EdgeStore
from alexandria.store.verify import Flaw, find_flaws
from tests.store.made import AXES, BINDING, Place, book, point, put


def flaws(store: Store) -> list[tuple[Flaw, str]]:
    return [(one.flaw, one.book) for one in find_flaws(store)]


def test_a_sound_library_has_none(store: Store) -> None:
    library = Catalog(store)
    put(library, book("b1"))
    put(library, book("b2", n=70))
    assert flaws(store) == []


def delete_a_point(store: Store) -> None:
    store.delete({"chunk_id": [1]})


def edit_a_payload(store: Store) -> None:
    one = book("b1")[1]
    store.upsert([replace(one, payload={**one.payload, "text": "Forged."})])


def edit_a_time(store: Store) -> None:
    one = book("b1")[1]
    store.upsert([replace(one, payload={**one.payload, "ingested_at": "1999-01-01T00:00:00+00:00"})])


def add_a_foreign_point(store: Store) -> None:
    store.upsert([replace(point(0), id="00000000-0000-4000-8000-000000000001", payload={"book_title": "X"})])


def drop_a_record(store: Store) -> None:
    store.delete_record("b1")


def drop_sentence_vectors(store: Store) -> None:
    store.upsert([replace(book("b1")[1], sentences=None)])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        pytest.param(delete_a_point, (Flaw.MISSING, "B1"), id="one point deleted"),
        pytest.param(edit_a_payload, (Flaw.ALTERED, "B1"), id="one payload edited"),
        pytest.param(edit_a_time, (Flaw.ALTERED, "B1"), id="one time edited"),
        pytest.param(add_a_foreign_point, (Flaw.FOREIGN, "X"), id="one foreign point"),
        pytest.param(drop_a_record, (Flaw.UNRECORDED, "B1"), id="one catalog record missing"),
        pytest.param(drop_sentence_vectors, (Flaw.VECTOR, "B1"), id="one point without its sentences"),
    ],
)
def test_each_damage_is_found_and_named_once(
    store: Store, damage: Callable[[Store], None], expected: tuple[Flaw, str]
) -> None:
    put(Catalog(store), book("b1"))
    damage(store)
    assert flaws(store) == [expected]


@pytest.mark.parametrize("name", ["", "sentences"])
def test_a_nan_is_found(tmp_path: Path, name: str) -> None:
    """The engine takes what our own writing refuses: another program may have put it there."""
    store = EdgeStore.open(tmp_path / "books", BINDING)
    one = book("b1")[1]
    put(Catalog(store), book("b1"))
    vectors = {"": AXES[0].tolist(), "sentences": AXES[[0]].tolist()}
    nan = np.full(4, np.nan).tolist()
    damaged = qdrant_edge.PointVectors(one.id, {**vectors, name: nan if name == "" else [nan]})
    store._points.update(qdrant_edge.UpdateOperation.update_vectors([damaged]))
    assert flaws(store) == [(Flaw.VECTOR, "B1")]
    store.close()


def test_verify_finds_what_opening_would_have_swept(place: Place) -> None:
    store = place.open(BINDING)
    put(Catalog(store), book("b1"))
    store.upsert(book("lost"))
    store.flush()
    assert flaws(store) == [(Flaw.UNRECORDED, "LOST")]
    store.close()
