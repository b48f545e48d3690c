"""knowledgebase's centroid matching (docs/descriptions.md): chunks of plain text, each with its vector."""

from alexandria.book.model import Block, BlockKind, Location, Sentence
from alexandria.chunking import chunk_vectors
from alexandria.chunking.domains import Domain
from alexandria.chunking.sentences import SPLITTERS
from alexandria.chunking.strategies.centroid import Centroid
from alexandria.described.universal import get_model
from alexandria.library.chunk_text import EmbeddingFunction, EmbeddingModel, OwnModel, book_of
from alexandria.library.ingest import one_book


def semantic_chunk_text(
    text: str,
    max_chunk_size: int = 1000,
    similarity_threshold: float = 0.5,
    *,
    embed: EmbeddingModel | EmbeddingFunction | None = None,
) -> list[tuple[str, list[float]]]:
    """Return chunks of a text with their vectors; a sentence unlike the mean of its chunk begins a new one.

    Args:
        text: any text; without words, there are no chunks.
        max_chunk_size: characters of a chunk, not counting the spaces between its sentences; only a longer
            sentence exceeds it.
        similarity_threshold: cut below this similarity to the mean, in [-1, 1].
        embed: a model of your own, or a function from texts to vectors; the shared model if not given.

    Returns:
        Each slice of the text with the mean of its sentences' vectors, of length 1.

    Raises:
        ValueError: a number is out of its range, or the function did not give a vector for each sentence.
        FloatingPointError: a vector is not finite, or all zeros; no zero vector takes its place.
    """
    # A word has at least one character: the cap in words never cuts before the cap in characters.
    strategy = Centroid(threshold=similarity_threshold, max_chars=max_chunk_size, max_words=max_chunk_size)
    sentences = tuple(Sentence(start, end, section=0, block=0) for start, end in SPLITTERS["regex"](text))
    if not sentences:
        return []
    book = book_of(text, [Block(BlockKind.PARAGRAPH, text, 0, Location())])
    pending = one_book.begin_sentences(book, sentences, OwnModel(get_model() if embed is None else embed))
    analysis = one_book.finish(pending, Domain(name="plain text", strategy=strategy))
    vectors = chunk_vectors(analysis.embeddings, analysis.chunks)
    return [(chunk.text, vector.tolist()) for chunk, vector in zip(analysis.chunks, vectors, strict=True)]
