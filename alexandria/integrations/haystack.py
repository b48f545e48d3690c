"""A library as a component of Haystack pipelines; needs haystack-ai (the extra `haystack`)."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from alexandria.integrations.evidence import find_hits, in_background, metadata_of, require_framework
from alexandria.library.library import Library

require_framework("haystack", "haystack")

from haystack import Document, component, default_from_dict, default_to_dict  # noqa: E402  # checked above

_opening = Lock()  # held while a component opens its library: several calls may run at once


@component
class AlexandriaRetriever:
    """Retrieves passages of a library as documents, best first, with citations in their metadata."""

    def __init__(
        self,
        store: str | Path,
        collection: str = "books",
        limit: int = 5,
        words: int | None = None,
        filters: dict[str, str] | None = None,
        library: Library | None = None,
    ) -> None:
        """Retrieve from a library, which embeds the queries itself.

        Args:
            store: where the library is, as for `Library`; a pipeline is saved with this.
            limit: how many documents at most.
            words: how many words in all: documents are then the sentences that answer, not whole chunks.
            filters: which passages are considered, by the names of `alexandria.Filters`.
            library: an open one, to be used instead of opening `store`.
        """
        self.store, self.collection, self.limit, self.words = str(store), collection, limit, words
        self.filters = filters or {}
        self._library, self._owns_library = library, library is None

    def warm_up(self) -> None:
        """Open the library and load its model; a pipeline calls this before it first runs."""
        with _opening:
            if self._library is None:
                self._library = Library(self.store, self.collection)
                self._library.prepare()

    def close(self) -> None:
        """Close the library, unless it was opened elsewhere; `Pipeline.close` calls this."""
        if self._owns_library and self._library is not None:
            self._library.close()
            self._library = None

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, limit: int | None = None, filters: dict[str, str] | None = None
    ) -> dict[str, list[Document]]:
        """Return the documents that answer a query.

        Args:
            query: a question, or some words.
            limit: the number of hits, in place of the component's own.
            filters: the filters, in place of the component's own.
        """
        self.warm_up()
        chosen: Mapping[str, str] = self.filters if filters is None else filters
        library: Any = self._library  # opened by now
        chosen_limit = self.limit if limit is None else limit
        hits = find_hits(library, query, limit=chosen_limit, words=self.words, filters=chosen)
        return {
            "documents": [
                Document(id=hit.short_id, content=hit.text, meta=metadata_of(hit), score=hit.relevance)
                for hit in hits
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, limit: int | None = None, filters: dict[str, str] | None = None
    ) -> dict[str, list[Document]]:
        """Return what `run` does, without holding up the event loop."""
        return await in_background(lambda: self.run(query, limit, filters))

    def to_dict(self) -> dict[str, Any]:
        """Return what a saved pipeline stores about the component; an open library is not stored."""
        saved: dict[str, Any] = default_to_dict(
            self,
            store=self.store,
            collection=self.collection,
            limit=self.limit,
            words=self.words,
            filters=self.filters,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "AlexandriaRetriever":
        """Return the component of a saved pipeline."""
        loaded: AlexandriaRetriever = default_from_dict(cls, data)
        return loaded
