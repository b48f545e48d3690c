"""A library as a retriever of LangChain; needs langchain-core (the extra `langchain`)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from alexandria.integrations.evidence import (
    as_library,
    find_hits,
    in_background,
    metadata_of,
    require_framework,
)
from alexandria.library.library import Library

require_framework("langchain_core", "langchain")

from langchain_core.callbacks import CallbackManagerForRetrieverRun  # noqa: E402  # checked above
from langchain_core.documents import Document  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from pydantic import ConfigDict, field_serializer, field_validator  # noqa: E402  # langchain-core needs it


class AlexandriaRetriever(BaseRetriever):
    """Retrieves passages of a library as documents, best first, with citations in their metadata."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    library: Any
    """A `Library`, or where one is: a folder or the address of a server. It embeds the queries itself."""
    k: int = 5  # how many documents at most
    words: int | None = None
    """How many words in all: documents are then the sentences that answer, not whole chunks."""
    filters: Mapping[str, str] = {}
    """Which passages are considered, by the names of `alexandria.Filters`: `{"author": "Plato"}`."""

    @field_validator("library")
    @classmethod
    def _open(cls, library: object) -> object:
        if isinstance(library, Mapping):  # as `_address` writes it
            return as_library(library["store"], library["collection"])
        return as_library(library)

    @field_serializer("library")
    def _address(self, library: Any) -> dict[str, Any]:
        collection = library.collection if isinstance(library, Library) else library.collections
        return {"store": library.store, "collection": collection}

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        words: int | None = None,
        filters: Mapping[str, str] | None = None,
    ) -> list[Document]:
        """Return the documents; `k`, `words` and `filters` take the place of the retriever's own."""
        hits = find_hits(
            self.library,
            query,
            limit=self.k if k is None else k,
            words=self.words if words is None else words,
            filters=self.filters if filters is None else filters,
        )
        return [Document(id=hit.short_id, page_content=hit.text, metadata=metadata_of(hit)) for hit in hits]

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any, **own: Any) -> list[Document]:
        """Return the documents without holding up the event loop."""
        search = partial(self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **own)
        return await in_background(search)
