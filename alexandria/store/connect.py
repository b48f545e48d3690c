"""Opening and creating collections through qdrant-client."""

import shutil
import ssl
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

from qdrant_client import QdrantClient, models

from alexandria.errors import ConfigError, StoreError, io_reason
from alexandria.modes import Quantization
from alexandria.store import LOCAL, MEMORY, Binding, Server
from alexandria.store.client import BINDING, ClientStore, catalog_name
from alexandria.store.compat import added_vectors, added_word_vectors
from alexandria.store.marker import (
    LOCAL_MODE,
    absent,
    check_binding,
    claim,
    half_made,
    in_use,
    no_library,
    read_marker,
    refuse_nested,
    release,
    write_marker,
)
from alexandria.store.plan import By
from alexandria.store.points import DATETIMES, INTEGERS, KEYWORDS
from alexandria.store.retry import patiently

Answer = TypeVar("Answer")


def open_server(url: str, collection: str, binding: Binding | None, server: Server) -> ClientStore:
    """Open a collection of a server or cluster, creating it for `binding` where it is not there."""
    address = urlsplit(url)
    try:
        if not address.hostname:
            raise ValueError("it names no host")
        client = QdrantClient(
            host=address.hostname,
            prefix=address.path.strip("/") or None,
            https=address.scheme.endswith("s"),
            api_key=server.api_key,
            timeout=max(1, round(server.timeout)),
            check_compatibility=False,  # it would ask from a thread of its own and print what it finds
            **_ports(address),
            **_trust(server),
        )
    except ValueError as error:  # a port that is no number, a host that is none
        raise ConfigError(
            f"cannot use the address {url}", why=str(error), fix="--store http://HOST:6333"
        ) from error
    return _opened(client, collection, binding, place=url, server=server, shared=True)


def open_local(where: str, collection: str, binding: Binding | None, server: Server) -> ClientStore:
    """Open a collection of qdrant-client's local mode, creating folder and collection for `binding`.

    Opening such a folder runs pickles that are in it: without our marker it is refused unread.
    """
    if where == MEMORY:
        client = QdrantClient(location=MEMORY)
        return _opened(client, collection, binding, place=MEMORY, server=server, shared=False)
    folder = Path(where.removeprefix(LOCAL)).expanduser()
    refuse_nested(folder)
    if absent(folder):
        if binding is None:
            raise no_library(folder)
        _create_folder(folder, collection, binding, server)
    read_marker(folder, LOCAL_MODE)
    client = _local_client(folder)
    claim(folder)
    return _opened(
        client,
        collection,
        binding,
        place=str(folder),
        server=server,
        shared=False,
        closed=lambda: release(folder),
    )


def _create_folder(folder: Path, collection: str, binding: Binding, server: Server) -> None:
    """Make the folder beside its place and move it there: the engine does not write its list atomically."""
    new = half_made(folder)
    try:
        new.mkdir(parents=True)
        write_marker(new, LOCAL_MODE)
        client = _local_client(new)
        _opened(client, collection, binding, place=str(folder), server=server, shared=False).close()
        new.replace(folder)
    except OSError as error:
        raise StoreError(
            f"cannot create a library at {folder}",
            why=io_reason(error),
            fix="choose another folder with --store",
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _local_client(folder: Path) -> QdrantClient:
    try:
        with warnings.catch_warnings():
            # Above 20,000 points it advises a server; `docs/stores.md` does so with figures.
            warnings.filterwarnings("ignore", message="Local mode is not recommended")
            # A batch stores in a thread of its own, which no other then disturbs.
            return QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    except RuntimeError as error:
        if "already accessed" in str(error):
            raise in_use(folder) from error
        raise


@dataclass(frozen=True, slots=True)
class _Charter:
    """What was laid down when the collection was created: the catalog's first record."""

    binding: Binding
    compat: tuple[str, ...]


def _opened(
    client: QdrantClient,
    collection: str,
    binding: Binding | None,
    *,
    place: str,
    server: Server,
    shared: bool,
    closed: Callable[[], None] = lambda: None,
) -> ClientStore:
    try:
        charter = _charter(client, collection, place, server)
        if charter is None:
            if binding is None:
                raise no_library(place)
            charter = _create(client, collection, binding, place, server, with_indexes=shared)
        check_binding(binding, charter.binding, place)
        _check_compat(server.compat, charter.compat, place)
    except BaseException:
        client.close()
        closed()
        raise
    return ClientStore(
        client,
        collection,
        charter.binding,
        place=place,
        server=server,
        shared=shared,
        compat=charter.compat,
        closed=closed,
    )


def _charter(client: QdrantClient, collection: str, place: str, server: Server) -> _Charter | None:
    """Return what the collection was made for; None where it is not there, or was never finished."""

    def ask(request: Callable[[], Answer]) -> Answer:
        return patiently(request, place, server)

    catalog = catalog_name(collection)
    if ask(lambda: client.collection_exists(catalog)):
        found = ask(lambda: client.retrieve(catalog, [BINDING], with_payload=True))
        if not found:
            return None
        payload = dict(found[0].payload or {})
        return _Charter(compat=tuple(payload.pop("compat")), binding=Binding(**payload))
    if ask(lambda: client.collection_exists(collection)):
        raise StoreError(
            f"the collection {collection} at {place} is not a library of Alexandria",
            why=f"it is there, but no {catalog} beside it",
            fix="choose another name with --collection",
        )
    return None


def _check_compat(wanted: tuple[str, ...], found: tuple[str, ...], place: str) -> None:
    if not set(wanted) <= set(found):
        raise StoreError(
            f"cannot write for {', '.join(wanted)} into the library at {place}",
            why=f"it was created for {', '.join(found) or 'no other reader'}, which fixes its vectors",
            fix="copy it: alexandria copy --to STORE --compat …, or take another --collection",
        )


def _create(
    client: QdrantClient, collection: str, binding: Binding, place: str, server: Server, *, with_indexes: bool
) -> _Charter:
    """Create both collections, the binding last: without it the next open begins anew."""

    def ask(request: Callable[[], Any]) -> Any:
        return patiently(request, place, server)

    def create(name: str, **config: Any) -> None:
        # A lost answer is no reason to fail: the second attempt finds what the first has made.
        if not client.collection_exists(name):
            client.create_collection(name, **config)

    catalog = catalog_name(collection)
    # A record has no use for a vector, but older servers want one with each point.
    one = models.VectorParams(size=1, distance=models.Distance.DOT)
    ask(lambda: create(catalog, vectors_config=one, replication_factor=server.replicas))
    ask(lambda: create(collection, **_config(binding.dim, server)))
    if with_indexes:  # local mode has none, and says so each time
        for names, schema in (
            (KEYWORDS, models.PayloadSchemaType.KEYWORD),
            (INTEGERS, models.PayloadSchemaType.INTEGER),
            (DATETIMES, models.PayloadSchemaType.DATETIME),
        ):
            for name in names:
                ask(partial(client.create_payload_index, collection, name, schema, wait=True))
    record = models.PointStruct(
        id=BINDING, vector=[1.0], payload={**asdict(binding), "compat": list(server.compat)}
    )
    ask(lambda: client.upsert(catalog, [record], wait=True))
    return _Charter(binding, server.compat)


def _config(dim: int, server: Server) -> dict[str, Any]:
    """Return how the points' collection is made: the same vectors as on Edge, and the copies for readers."""
    cosine = models.Distance.COSINE
    chunk = models.VectorParams(
        size=dim, distance=cosine, quantization_config=_quantization(server.quantization)
    )
    words = models.SparseVectorParams(modifier=models.Modifier.IDF)
    return {
        "vectors_config": {
            By.DENSE.value: chunk,
            By.SENTENCES.value: models.VectorParams(
                size=dim,
                distance=cosine,
                multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
                datatype=models.Datatype.FLOAT16,
                hnsw_config=models.HnswConfigDiff(m=0),  # candidates are rescored: a graph would serve nobody
                on_disk=True,
            ),
            **dict.fromkeys(added_vectors(server.compat), chunk),
        },
        "sparse_vectors_config": {
            By.WORDS.value: words,
            **dict.fromkeys(added_word_vectors(server.compat), words),
        },
        "shard_number": server.shards,
        "replication_factor": server.replicas,
    }


def _quantization(wanted: Quantization | None) -> Any:
    match wanted:
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


def _ports(address: SplitResult) -> dict[str, Any]:
    """Return which protocol is spoken, and on which port; Qdrant's own ports where the address names none."""
    if address.scheme.startswith("grpc"):
        return {"prefer_grpc": True, "grpc_port": address.port or 6334}
    return {"port": address.port or 6333}


def _trust(server: Server) -> dict[str, Any]:
    """Return the transport's trust in certificates: the system's, or those of a file."""
    if server.ca_file is None:
        return {}
    try:
        return {"verify": ssl.create_default_context(cafile=str(server.ca_file))}
    except OSError as error:
        raise ConfigError(
            f"cannot read the certificates of {server.ca_file}",
            why=io_reason(error),
            fix="give a file in PEM",
        ) from error
