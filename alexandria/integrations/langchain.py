"""A library as a retriever of LangChain; needs langchain-core (the extra `langchain`)."""

from collections.abc import Mapping
from typing import Any

from alexandria.integrations.evidence import find_hits, metadata_of, require_framework

require_framework("langchain_core", "langchain")

from langchain_core.callbacks import CallbackManagerForRetrieverRun  # noqa: E402  # checked above
from langchain_core.documents import Document  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402


class AlexandriaRetriever(BaseRetriever):
    """Retrieves passages of a library as documents, best first, with citations in their metadata."""

    library: Any
    """A `Library`; it embeds the queries itself."""
    limit: int = 5
    """How many documents at most."""
    words: int | None = None
    """How many words in all: documents are then the sentences that answer, not whole chunks."""
    filters: Mapping[str, str] = {}
    """Which passages are considered, by the names of `alexandria.filters.Filters`: `{"author": "Plato"}`."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        hits = find_hits(self.library, query, limit=self.limit, words=self.words, filters=self.filters)
        return [Document(id=hit.short_id, page_content=hit.text, metadata=metadata_of(hit)) for hit in hits]
