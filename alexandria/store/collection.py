"""A collection of qdrant-client: checked when it is opened, and created if it is missing."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from qdrant_client import models

from alexandria.errors import AlexandriaError, StoreError
from alexandria.modes import Quantization
from alexandria.store.binding import check_binding, no_library
from alexandria.store.catalog_collection import (
    CATALOG_INDEXES,
    FORM,
    complete_records,
    create_indexes,
    lacks_lookups,
)
from alexandria.store.client import ClientStore
from alexandria.store.compat import extra_dense_vectors, extra_sparse_vectors
from alexandria.store.connection import BINDING, Connection, catalog_name
from alexandria.store.points import DATETIMES, INTEGERS, KEYWORDS
from alexandria.store.store import Binding, Server
from alexandria.store.vectors import VectorName

_OF_POINTS = {
    **dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD),
    **dict.fromkeys(INTEGERS, models.PayloadSchemaType.INTEGER),
    **dict.fromkeys(DATETIMES, models.PayloadSchemaType.DATETIME),
}
"""The indexes of the points, by key of the payload."""


@dataclass(frozen=True, slots=True)
class _Created:
    """What was fixed when the collection was created: the catalog's first record."""

    binding: Binding
    compat: tuple[str, ...]
    form: int | None
    """Of what records are looked up by; None where an earlier version wrote them without."""


def open_collection(connection: Connection, collection: str, binding: Binding | None) -> ClientStore:
    """Open a collection, or create it for `binding`; the connection is closed if that fails."""
    try:
        created = _read(connection, collection)
        if created is None:
            if binding is None:
                raise no_library(connection.address, collection, _collections(connection))
            created = _create(connection, collection, binding)
        check_binding(binding, created.binding, connection.address)
        _check_compat(connection, created.compat)
        asks = _can_ask(connection, collection, created, writes=binding is not None)
    except BaseException:
        connection.close()
        raise
    return ClientStore(connection, collection, created.binding, created.compat, asks=asks)


def _can_ask(connection: Connection, collection: str, created: _Created, *, writes: bool) -> bool:
    """Return whether each record of the catalog has what it is looked up by; a writer sees to it."""
    if not connection.shared:  # local mode has no indexes
        return False
    if created.form == FORM and not lacks_lookups(connection, collection):
        return True
    if writes:
        complete_records(connection, collection)
    return writes


def _read(connection: Connection, collection: str) -> _Created | None:
    """Return what the collection was created for; None if it does not exist, or was never finished."""
    client, catalog = connection.client, catalog_name(collection)
    if connection.call(lambda: client.collection_exists(catalog)):
        records = connection.call(lambda: client.retrieve(catalog, [BINDING], with_payload=True))
        if not records:
            _refuse_lost_binding(connection, collection)
            return None
        payload = dict(records[0].payload or {})
        try:
            compat, form = tuple(payload.pop("compat")), payload.pop("form", None)
            created = _Created(compat=compat, form=form, binding=Binding(**payload))
        except (KeyError, TypeError) as error:
            raise StoreError(
                f"the collection {collection} at {connection.address} is not a library of Alexandria",
                why=f"the first record of its catalog, the collection {catalog}, has another form",
                fix="alexandria restore BACKUP --collection NEW_NAME, or use another name",
            ) from error
        if form is not None and form > FORM:
            raise StoreError(
                f"cannot read the library at {connection.address}",
                why="a newer version of Alexandria wrote its catalog",
                fix="update Alexandria",
            )
        return created
    if connection.call(lambda: client.collection_exists(collection)):
        raise StoreError(
            f"the collection {collection} at {connection.address} is not a library of Alexandria",
            why=f"it exists, but its catalog, the collection {catalog}, does not",
            fix="choose another name with --collection; if it was a library, use alexandria restore BACKUP",
        )
    return None


def _collections(connection: Connection) -> list[str]:
    """Return the names of the libraries there; none where the key of a server may not list them."""
    with suppress(AlexandriaError):
        every = connection.call(connection.client.get_collections).collections
        names = {collection.name for collection in every}
        return sorted(name for name in names if catalog_name(name) in names)
    return []


def _refuse_lost_binding(connection: Connection, collection: str) -> None:
    """Refuse a collection that has points, but has lost the record that names their model.

    A creation that was interrupted has left neither.
    """
    client, call = connection.client, connection.call
    if call(lambda: client.collection_exists(collection)) and call(lambda: client.count(collection)).count:
        raise StoreError(
            f"cannot open the library at {connection.address}",
            why=f"the catalog of the collection {collection} is damaged: it no longer names the model",
            fix="alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store",
        )


def _check_compat(connection: Connection, stored: Sequence[str]) -> None:
    wanted = connection.server.compat
    if not set(wanted) <= set(stored):
        raise StoreError(
            f"cannot write for {', '.join(wanted)} into the library at {connection.address}",
            why=f"it was created for {', '.join(stored) or 'no other program'}, and that is fixed",
            fix="copy it: alexandria copy --to STORE --compat …, or use another --collection",
        )


def _create(connection: Connection, collection: str, binding: Binding) -> _Created:
    """Create both collections, the binding last: without it, the next open starts over."""
    client, server, call = connection.client, connection.server, connection.call

    def create(name: str, **config: Any) -> None:
        # If the response to the first attempt was lost, the second finds the collection.
        if not client.collection_exists(name):
            client.create_collection(name, **config)

    catalog = catalog_name(collection)
    # A record needs no vector, but older servers require one with each point.
    placeholder = models.VectorParams(size=1, distance=models.Distance.DOT)
    call(lambda: create(catalog, vectors_config=placeholder, replication_factor=server.replicas))
    call(lambda: create(collection, **_config(binding.dim, server)))
    if connection.shared:  # local mode has no indexes, and warns each time
        create_indexes(connection, collection, _OF_POINTS)
        create_indexes(connection, catalog, CATALOG_INDEXES)
    form = FORM if connection.shared else None
    payload = {**asdict(binding), "compat": list(server.compat)} | ({} if form is None else {"form": form})
    record = models.PointStruct(id=BINDING, vector=[1.0], payload=payload)
    call(lambda: client.upsert(catalog, [record], wait=True))
    return _Created(binding, server.compat, form)


def _config(dim: int, server: Server) -> dict[str, Any]:
    """Return how the collection of points is created: the vectors of Edge, and copies for other programs."""
    cosine = models.Distance.COSINE
    dense = models.VectorParams(
        size=dim, distance=cosine, quantization_config=_quantization(server.quantization)
    )
    bm25 = models.SparseVectorParams(modifier=models.Modifier.IDF)
    return {
        "vectors_config": {
            VectorName.DENSE.value: dense,
            VectorName.SENTENCES.value: models.VectorParams(
                size=dim,
                distance=cosine,
                multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
                datatype=models.Datatype.FLOAT16,
                hnsw_config=models.HnswConfigDiff(m=0),  # no graph: only candidates are rescored
                on_disk=True,
            ),
            **dict.fromkeys(extra_dense_vectors(server.compat), dense),
        },
        "sparse_vectors_config": {
            VectorName.BM25.value: bm25,
            **dict.fromkeys(extra_sparse_vectors(server.compat), bm25),
        },
        "shard_number": server.shards,
        "replication_factor": server.replicas,
    }


def _quantization(quantization: Quantization | None) -> Any:
    match quantization:
        case Quantization.SCALAR:
            return models.ScalarQuantization(
                scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            )
        case Quantization.BINARY:
            return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
        case Quantization.PRODUCT:
            return models.ProductQuantization(
                product=models.ProductQuantizationConfig(
                    compression=models.CompressionRatio.X16, always_ram=True
                )
            )
        case None:
            return None
