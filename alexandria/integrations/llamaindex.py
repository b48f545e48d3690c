"""A library as a retriever of LlamaIndex; needs llama-index-core (the extra `llamaindex`)."""

from collections.abc import Mapping

from alexandria.integrations.evidence import FOR_MODELS, find_hits, metadata_of, require_framework
from alexandria.library import Library
from alexandria.passage import Hit

require_framework("llama_index", "llamaindex")

from llama_index.core.retrievers import BaseRetriever  # noqa: E402  # checked above
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode  # noqa: E402


class AlexandriaRetriever(BaseRetriever):
    """Retrieves passages of a library as nodes, best first.

    A model is sent the text and the citation; the rest of the metadata stays with the program.
    """

    def __init__(
        self,
        library: Library,
        *,
        limit: int = 5,
        words: int | None = None,
        filters: Mapping[str, str] | None = None,
    ) -> None:
        """Retrieve from a library.

        Args:
            library: it embeds the queries itself.
            limit: how many nodes at most.
            words: how many words in all: nodes are then the sentences that answer, not whole chunks.
            filters: which passages are considered, by the names of `alexandria.filters.Filters`.
        """
        super().__init__()
        self._library, self._limit, self._words, self._filters = library, limit, words, filters or {}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = query_bundle.query_str
        hits = find_hits(self._library, query, limit=self._limit, words=self._words, filters=self._filters)
        return [NodeWithScore(node=_make_node(hit), score=hit.score) for hit in hits]


def _make_node(hit: Hit) -> TextNode:
    """Return a hit as a node, whose metadata is not embedded; language models are sent `FOR_MODELS` of it."""
    metadata = metadata_of(hit)
    return TextNode(
        id_=hit.short_id,
        text=hit.text,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=[key for key in metadata if key not in FOR_MODELS],
    )
