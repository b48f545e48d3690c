"""A library in a folder, and everything in it except the times."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from alexandria.embed import Encoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.store import Binding, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION

ENCODER = HashingEncoder()


def open_at(folder: Path | str, encoder: Encoder = ENCODER) -> Catalog:
    return Catalog(open_store(str(folder), "books", Binding(encoder.name, encoder.dim, SCHEMA_VERSION)))


def stored(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the payload of every point, without its time, by id."""
    store = open_store(str(folder), "books", None)
    try:
        return {id: {**payload, "ingested_at": None} for id, payload in store.payloads({})}
    finally:
        store.close()


def digest(folder: Path) -> str:
    """Return a hash of the id and the payload, without its time, of every point."""
    points = sorted(stored(folder).items())
    return sha256(json.dumps(points, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
