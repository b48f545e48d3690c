"""A library as a retriever of LlamaIndex; needs llama-index-core (the extra `llamaindex`)."""

from collections.abc import Mapping
from pathlib import Path

from alexandria.integrations.evidence import (
    FOR_MODELS,
    as_library,
    find_hits,
    in_background,
    metadata_of,
    require_framework,
)
from alexandria.library.libraries import AnyLibrary
from alexandria.store.passage import Hit

require_framework("llama_index", "llamaindex")

from llama_index.core.callbacks import CallbackManager  # noqa: E402  # checked above
from llama_index.core.retrievers import BaseRetriever  # noqa: E402
from llama_index.core.schema import (  # noqa: E402
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)


class AlexandriaRetriever(BaseRetriever):
    """Retrieves passages of a library as nodes, best first.

    A model is sent the text and the citation; the rest of the metadata stays with the program.
    """

    def __init__(
        self,
        library: "AnyLibrary | str | Path",
        *,
        limit: int = 5,
        words: int | None = None,
        filters: Mapping[str, str] | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """Retrieve from a library.

        Args:
            library: a library, or where one is; it embeds the queries itself.
            limit: how many nodes at most.
            words: how many words in all: nodes are then the sentences that answer, not whole chunks.
            filters: which passages are considered, by the names of `alexandria.Filters`.
            callback_manager: as for every retriever of LlamaIndex.
        """
        super().__init__(callback_manager=callback_manager)
        self._library = as_library(library)
        self._limit, self._words, self._filters = limit, words, filters or {}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = query_bundle.query_str
        hits = find_hits(self._library, query, limit=self._limit, words=self._words, filters=self._filters)
        return [NodeWithScore(node=_make_node(hit), score=hit.relevance) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await in_background(lambda: self._retrieve(query_bundle))


def _make_node(hit: Hit) -> TextNode:
    """Return a hit as a node of its book, with its offsets in the text of the book."""
    # Its metadata is not embedded; language models are sent `FOR_MODELS` of it.
    metadata = metadata_of(hit)
    return TextNode(
        id_=hit.short_id,
        text=hit.text,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.book_id)},
        start_char_idx=hit.start,
        end_char_idx=hit.end,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=[key for key in metadata if key not in FOR_MODELS],
    )
