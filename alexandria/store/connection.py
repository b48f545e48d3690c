"""An open client of qdrant-client, with what all requests need: retries, translated errors, scrolling."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid5

from qdrant_client import QdrantClient, models

from alexandria.errors import DamagedError
from alexandria.store.damage import REMEDY
from alexandria.store.points import NAMESPACE
from alexandria.store.refusals import LargeResponseError
from alexandria.store.retry import with_retries
from alexandria.store.store import Server
from alexandria.system.durable import sync_folder

PAGE = 256
"""Points read per request of a scroll without vectors."""
BINDING = str(uuid5(NAMESPACE, "binding"))
"""The id of the point in the catalog that holds what the collection is bound to."""

Answer = TypeVar("Answer")


def catalog_name(collection: str) -> str:
    """Return the name of the collection that holds the records of a collection of points."""
    return f"{collection}.catalog"


@dataclass(frozen=True, slots=True)
class Connection:
    """An open client of qdrant-client, and how its requests are made."""

    client: QdrantClient
    address: str
    """The URL of the server, or the folder; for messages."""
    server: Server
    on_server: bool
    """Whether other processes may be writing meanwhile."""
    on_close: Callable[[], None] = lambda: None
    folder: Path | None = None
    """The folder of local mode; None for a server, and in memory."""

    def call(self, request: Callable[[], Answer], *, first: bool = False) -> Answer:
        """Return the response to a request, repeated while the server is busy or restarting.

        Args:
            request: the request.
            first: whether it is the first one: if nobody listens at the address, it is not repeated.
        """
        try:
            return with_retries(request, self.address, self.server, first=first)
        except (LookupError, TypeError, ValueError) as error:
            if self.folder is None:
                raise
            raise DamagedError(  # local mode reads its files as it is opened, and checks little of them
                f"cannot use the library at {self.address}",
                why=f"its files are damaged: {type(error).__name__} in qdrant-client: {error}",
                fix=REMEDY,
            ) from error

    def sync(self, collection: str) -> None:
        """Return once what was written into a collection survives a power cut.

        Local mode writes with SQLite, which commits by deleting its journal, but does not sync the folder.
        After a power cut the journal may be there again, and the next open would roll the commit back. A
        server syncs its own log.
        """
        if self.folder is not None:
            folder = self.folder / "collection" / collection
            self.call(lambda: sync_folder(folder))

    def close(self) -> None:
        """Close the client."""
        self.client.close()
        self.on_close()

    def scroll(
        self,
        name: str,
        filter: models.Filter | None,
        page: int = PAGE,
        *,
        start: str | None = None,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
    ) -> Iterator[models.Record]:
        """Yield the points of a collection that match, ordered by id, `page` of them per request.

        They begin with the one with the id `start`.
        """
        offset: Any = start
        while True:
            request = partial(
                self.client.scroll,
                name,
                scroll_filter=filter,
                limit=page,
                offset=offset,
                with_payload=with_payload,
                with_vectors=with_vectors,
            )
            try:
                records, offset = self.call(request)
            except LargeResponseError:  # repeat the request for fewer points
                if page == 1:
                    raise
                page //= 2
                continue
            yield from records
            if offset is None:
                return
