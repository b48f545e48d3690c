"""Opens a collection with qdrant-client: checks it, or creates it if it does not exist.

On a server, the catalog is a second collection. In local mode it is an SQLite file in the folder of the
collection, or in memory.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from qdrant_client import models

from alexandria.book.choices import Quantization
from alexandria.errors import AlexandriaError, StoreError
from alexandria.store.catalog_file import CATALOG, CatalogFile, create_catalog
from alexandria.store.model_check import check_binding, no_library_error
from alexandria.store.payload import DATETIMES, INTEGERS, KEYWORDS
from alexandria.store.plan import VectorName
from alexandria.store.server.client import ClientStore
from alexandria.store.server.compat import extra_dense_vectors, extra_sparse_vectors
from alexandria.store.server.connection import BINDING, Connection, catalog_name
from alexandria.store.server.mirror import CATALOG_INDEXES, CATALOG_VERSION, Mirror
from alexandria.store.store import MEMORY, Binding, Server

_POINT_INDEXES = {
    **dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD),
    **dict.fromkeys(INTEGERS, models.PayloadSchemaType.INTEGER),
    **dict.fromkeys(DATETIMES, models.PayloadSchemaType.DATETIME),
}  # the type of index of each payload key of the points


@dataclass(frozen=True, slots=True)
class _Creation:
    """What was fixed when the collection was created.

    It is stored in the catalog: on a server as the point `BINDING`, in a folder as the settings of the file.
    """

    binding: Binding
    compat: tuple[str, ...]
    """The other programs for which copies of text and vectors are stored (`compat.READERS`)."""

    library: str = field(default_factory=lambda: uuid4().hex)
    """What tells it from another library that is created under this name later."""

    def as_payload(self) -> dict[str, Any]:
        """Return the values to store."""
        return {**asdict(self.binding), "compat": list(self.compat), "library": self.library}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Return what was stored.

        Raises:
            KeyError, TypeError: it has other keys.
        """
        values = dict(payload)
        compat, library = tuple(values.pop("compat")), str(values.pop("library"))
        return cls(binding=Binding(**values), compat=compat, library=library)


def open_collection(connection: Connection, collection: str, binding: Binding | None) -> ClientStore:
    """Open a collection on a server; if it does not exist, create it for `binding`, which names the encoder.

    If this fails, the connection is closed.

    Args:
        binding: what the collection must be bound to; None only reads an existing one, whatever its encoder.
    """
    try:
        creation = _read_creation(connection, collection)
        if creation is None:
            if binding is None:
                raise no_library_error(connection.address, collection, _library_names(connection))
            creation = _create(connection, collection, binding)
        check_binding(binding, creation.binding, connection.address)
        _check_compat(connection, creation.compat)
        records = Mirror(connection, collection, creation.library)
        records.refresh(check=True)
    except BaseException:
        connection.close()
        raise
    return ClientStore(connection, collection, records, creation.binding, creation.compat)


def open_local_collection(connection: Connection, collection: str, binding: Binding | None) -> ClientStore:
    """Open a collection of local mode; arguments and errors are those of `open_collection`."""
    with ExitStack() as undo:
        undo.callback(connection.close)
        folder = None if connection.folder is None else local_catalog_folder(connection.folder, collection)
        if folder is None or not (folder / CATALOG).is_file():
            _refuse_lost_catalog(connection, collection)
            if binding is None:
                raise no_library_error(connection.address, collection, _local_names(connection))
            creation = _Creation(binding, connection.server.compat)
            _create_local(connection, collection, creation, folder)
        if folder is None:
            records = CatalogFile.open_or_create(MEMORY, MEMORY)
        else:
            records = CatalogFile(folder, connection.folder)
            creation = _Creation.from_payload(records.settings())
        undo.callback(records.close)
        check_binding(binding, creation.binding, connection.address)
        _check_compat(connection, creation.compat)
        undo.pop_all()
    return ClientStore(connection, collection, records, creation.binding, creation.compat)


def local_catalog_folder(folder: Path, collection: str) -> Path:
    """Return where a collection of local mode has its catalog: next to its points."""
    return folder / "collection" / collection  # as qdrant-client names it


def _local_names(connection: Connection) -> list[str]:
    """Return the names of the libraries in a folder of local mode."""
    names = [collection.name for collection in connection.call(connection.client.get_collections).collections]
    folder = connection.folder
    return sorted(
        name for name in names if folder and (local_catalog_folder(folder, name) / CATALOG).is_file()
    )


def _refuse_lost_catalog(connection: Connection, collection: str) -> None:
    """Refuse a collection of local mode that has points, but no catalog."""
    # A collection without points is accepted: its creation was interrupted before the catalog was written.
    client, call = connection.client, connection.call
    if call(lambda: client.collection_exists(collection)) and call(lambda: client.count(collection)).count:
        raise StoreError(
            f"cannot open the library at {connection.address}",
            why=f"{CATALOG} of the collection {collection} is missing",
            fix="alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store",
        )


def _create_local(connection: Connection, collection: str, creation: _Creation, folder: Path | None) -> None:
    """Create the collection of the points, also in place of an unfinished one, and then the catalog."""
    connection.call(lambda: connection.client.delete_collection(collection))
    settings = _make_settings(creation.binding.dim, connection.server)
    _create_if_missing(connection, collection, **settings)
    if folder is not None:
        create_catalog(folder, settings=creation.as_payload())


def _read_creation(connection: Connection, collection: str) -> _Creation | None:
    """Return what was fixed at creation, or None if the collection does not exist, or is not yet complete.

    Raises:
        StoreError: the collection is not a library, is damaged, or was written by another version.
    """
    client, catalog = connection.client, catalog_name(collection)
    if connection.call(lambda: client.collection_exists(catalog)):
        points = connection.call(lambda: client.retrieve(catalog, [BINDING], with_payload=True))
        if points:
            return _parse_creation(points[0].payload or {}, connection, collection)
        _refuse_lost_binding(connection, collection)
    elif connection.call(lambda: client.collection_exists(collection)):
        raise StoreError(
            f"the collection {collection} at {connection.address} is not a library of Alexandria",
            why=f"it exists, but its catalog, the collection {catalog}, does not",
            fix="choose another name with --collection; if it was a library, use alexandria restore BACKUP",
        )
    return None


def _parse_creation(payload: Mapping[str, Any], connection: Connection, collection: str) -> _Creation:
    """Return what was fixed at creation, from the payload of the point `BINDING`.

    Raises:
        StoreError: the payload has other keys, or was written by another version.
    """
    values = dict(payload)
    version = values.pop("form", None)
    try:
        creation = _Creation.from_payload(values)
    except (KeyError, TypeError) as error:
        catalog = catalog_name(collection)
        raise StoreError(
            f"the collection {collection} at {connection.address} is not a library of Alexandria",
            why=f"the first record of its catalog, the collection {catalog}, has other fields",
            fix="alexandria restore BACKUP --collection NEW_NAME, or use another name",
        ) from error
    if version != CATALOG_VERSION:
        raise _other_version_error(connection, collection, version)
    return creation


def _other_version_error(connection: Connection, collection: str, version: object) -> StoreError:
    if isinstance(version, int) and version > CATALOG_VERSION:
        why, fix = "a newer version of Alexandria wrote its catalog", "update Alexandria"
    else:
        why = "it was made by a development version of Alexandria"
        names = f"{collection} and {catalog_name(collection)}"
        fix = f"use another --collection, or delete {names} on the server; then ingest the books again"
    return StoreError(f"cannot open the library {collection} at {connection.address}", why=why, fix=fix)


def _library_names(connection: Connection) -> list[str]:
    """Return the names of the libraries on a server; empty if the API key has no permission to list them."""
    with suppress(AlexandriaError):
        collections = connection.call(connection.client.get_collections).collections
        names = {collection.name for collection in collections}
        return sorted(name for name in names if catalog_name(name) in names)
    return []


def _refuse_lost_binding(connection: Connection, collection: str) -> None:
    """Refuse a collection that has points, but whose catalog has lost the binding, which names their model.

    A collection without points is accepted: its creation was interrupted before the binding was written.
    """
    client, call = connection.client, connection.call
    if not call(lambda: client.collection_exists(collection)):
        return
    if call(lambda: client.count(collection)).count:
        raise StoreError(
            f"cannot open the library at {connection.address}",
            why=f"the catalog of the collection {collection} is damaged: it no longer names the model",
            fix="alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store",
        )


def _check_compat(connection: Connection, stored: Sequence[str]) -> None:
    """Refuse to write copies for programs other than the `stored` ones, which were named at creation."""
    wanted = connection.server.compat
    if not set(wanted) <= set(stored):
        raise StoreError(
            f"cannot write for {', '.join(wanted)} into the library at {connection.address}",
            why=f"it was created for {', '.join(stored) or 'no other program'}, and that is fixed",
            fix="copy it: alexandria copy --to STORE --compat …, or use another --collection",
        )


def _create(connection: Connection, collection: str, binding: Binding) -> _Creation:
    """Create the collection of the points and the collection of the catalog, unless they exist.

    The point `BINDING`, which names the encoder, is written last: as long as it is missing, the creation is
    not finished, and the next open resumes it.

    Raises:
        StoreError: an interrupted creation has left a collection for vectors of another kind.
    """
    client, server, call = connection.client, connection.server, connection.call
    catalog = catalog_name(collection)
    settings = _make_settings(binding.dim, server)
    if call(lambda: client.collection_exists(collection)):
        _refuse_other_vectors(connection, collection, settings)
    # A record needs no vector, but older servers require one with each point.
    placeholder = models.VectorParams(size=1, distance=models.Distance.DOT)
    _create_if_missing(connection, catalog, vectors_config=placeholder, replication_factor=server.replicas)
    _create_if_missing(connection, collection, **settings)
    for name, indexes in ((collection, _POINT_INDEXES), (catalog, CATALOG_INDEXES)):
        for key, kind in indexes.items():
            call(partial(client.create_payload_index, name, key, kind, wait=True))
    creation = _Creation(binding=binding, compat=server.compat)
    payload = {**creation.as_payload(), "form": CATALOG_VERSION}
    point = models.PointStruct(id=BINDING, vector=[1.0], payload=payload)
    call(lambda: client.upsert(catalog, [point], wait=True))
    return creation


def _create_if_missing(connection: Connection, name: str, **settings: Any) -> None:
    """Create a collection unless it exists."""

    def create() -> None:
        # In the request itself: if it is sent again because its response was lost, the collection exists.
        if not connection.client.collection_exists(name):
            connection.client.create_collection(name, **settings)

    connection.call(create)


def _refuse_other_vectors(connection: Connection, collection: str, settings: Mapping[str, Any]) -> None:
    """Refuse an empty collection that was created for vectors of another kind than these settings name."""
    # It is not replaced: another process may be creating it at this moment.
    stored = connection.call(lambda: connection.client.get_collection(collection)).config.params
    stored_kinds = _kinds_of_vectors(stored.vectors, stored.sparse_vectors)
    if stored_kinds != _kinds_of_vectors(settings["vectors_config"], settings["sparse_vectors_config"]):
        raise StoreError(
            f"cannot create the library {collection} at {connection.address}",
            why="an interrupted attempt with another model or other options has left an empty collection",
            fix=f"repeat that attempt, or delete {collection} and {catalog_name(collection)} on the server,"
            " or use another --collection",
        )


def _kinds_of_vectors(
    vectors: Any, sparse_vectors: Mapping[str, models.SparseVectorParams] | None
) -> dict[str, tuple[int | None, type | None]]:
    """Return what cannot be changed in the vectors of a collection: size and type of quantization, by name.

    Sparse vectors have neither.

    Args:
        vectors: the parameters of each dense vector, by name; of the only one, if it has no name.
        sparse_vectors: the parameters of each sparse vector, by name; None if there are none.
    """
    named = vectors if isinstance(vectors, Mapping) else {VectorName.DENSE.value: vectors}
    dense_kinds = {
        name: (parameters.size, type(parameters.quantization_config)) for name, parameters in named.items()
    }
    return {**dense_kinds, **dict.fromkeys(sparse_vectors or (), (None, None))}


def _make_settings(dim: int, server: Server) -> dict[str, Any]:
    """Return the settings of the collection of points: its vectors, those for other programs, and shards."""
    cosine = models.Distance.COSINE
    dense = models.VectorParams(
        size=dim, distance=cosine, quantization_config=_to_quantization(server.quantization)
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
                hnsw_config=models.HnswConfigDiff(m=0),  # no graph: MaxSim only rescores candidates
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


def _to_quantization(quantization: Quantization | None) -> Any:
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
