"""Cuts plain text into chunks, without a library: `chunk` with any strategy, and `UniversalChunker`.

The classes and functions of the other published descriptions are in `described/`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import (
    Block,
    BlockKind,
    Book,
    Chunk,
    Embeddings,
    Location,
    Metadata,
    Section,
    Sentence,
)
from alexandria.chunking.domains import Domain, DomainRequest
from alexandria.chunking.sentences import SPLITTERS
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.embed.encoder import PlainEncoder, unit_rows
from alexandria.errors import check_text, well_formed
from alexandria.extract.language import detect_language
from alexandria.extract.ornaments import STARS, is_ornament
from alexandria.library.ingest import one_book
from alexandria.library.ingest.encoder import encoder_of


class EmbeddingFunction(Protocol):
    """A function that turns texts into rows."""

    def __call__(self, sentences: list[str], /) -> Sequence[Any] | np.ndarray[Any, Any]:
        """Return one row per text, of any length."""
        ...


class EmbeddingModel(Protocol):
    """A model that turns texts into rows: a SentenceTransformer, or an encoder of this package."""

    def encode(self, sentences: list[str], /) -> Sequence[Any] | np.ndarray[Any, Any]:
        """Return one row per text, of any length."""
        ...


def chunk(
    text: str,
    *,
    domain: str | Domain = "default",
    strategy: str | None = None,
    encoder: EmbeddingModel | EmbeddingFunction | None = None,
    language: str | None = None,
    **options: object,
) -> list[Chunk]:
    """Return the chunks of a plain text, cut by any strategy; each sentence is in exactly one of them.

    The `text` of a chunk is a slice of the one given, from `start` to `end`; its `boundary` holds the
    similarity, threshold and reason of the cut before it. A blank line ends a paragraph. A line of asterisks,
    or a paragraph of ornaments such as `---`, is the author's own break: it is not a sentence, and is part of
    the text of a chunk only if the chunk continues after it.

    Args:
        text: any text; halves of characters (lone surrogates) in it are replaced by U+FFFD.
        domain: how to cut it; `auto` guesses the domain.
        strategy: the strategy to use instead of that of the domain.
        encoder: a model of your own, or a function from a list of texts to their rows; the domain's model if
            not given. It gets all sentences in one call, or `batch_size` at a time.
        language: a BCP 47 tag, for the word cues that `optimal` reads; detected if not given.
        options: options of the domain or its strategy, such as `threshold=0.4, min_words=50`.

    Raises:
        ConfigError: an unknown domain, strategy or option, or a text that is not a string.
    """
    check_text(text=text, **({} if language is None else {"language": language}))
    text = well_formed(text)
    book = book_of(text, paragraphs(text), language=language or detect_language(text))
    if not isinstance(domain, Domain):
        if strategy is not None:
            options = {"strategy": strategy, **options}
        domain = DomainRequest(domain=domain, options=options).domain_of(book)
    model = encoder_of(domain) if encoder is None else OwnModel(encoder, domain.batch_size)
    return list(one_book.analyse(book, domain, model).chunks)


class OwnModel(PlainEncoder):
    """A caller's model or function as an `Encoder`."""

    name = "the caller's model"
    # Only used to estimate memory before anything is encoded, when the real one is not known yet: few models
    # have more.
    dim = 1024

    def __init__(self, model: EmbeddingModel | EmbeddingFunction, batch_size: int | None = None) -> None:
        """Wrap a model; it gets `batch_size` texts at a time, or all in one call."""
        self._encode: EmbeddingFunction = model if callable(model) else model.encode
        self._batch_size = batch_size

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 rows of length 1.

        Raises:
            ValueError: the model did not return one row of numbers for each text, all of the same length.
            FloatingPointError: a row is not finite, or all zeros.
        """
        if not texts:
            return np.empty((0, self.dim), np.float32)
        step = self._batch_size or len(texts)
        batches = (list(texts[i : i + step]) for i in range(0, len(texts), step))
        return unit_rows(np.concatenate(list(map(self._encode_rows, batches))))

    def _encode_rows(self, texts: list[str]) -> NDArray[np.floating]:
        """Return the model's rows for texts as an array of floats, (n_texts, dim), not normalised."""
        output = self._encode(texts)
        try:
            rows = np.asarray(output)
            if not np.issubdtype(rows.dtype, np.floating):
                rows = rows.astype(np.float64)
        except (TypeError, ValueError) as error:  # rows of different lengths, or None for a text that failed
            raise ValueError("the model gave something other than equally long rows of numbers") from error
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(f"the model gave an array of shape {rows.shape} for {len(texts)} texts")
        return rows  # (n_texts, dim)


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_STARS = re.compile(rf"^[^\S\n]*(?:{STARS})[^\S\n]*$", re.MULTILINE)


def paragraphs(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a plain text; an ornament between two is the author's own break."""
    # A line of asterisks is a paragraph of its own, even without blank lines around it.
    star_edges = (edge for line in _STARS.finditer(text) for edge in line.span())
    blank_edges = (gap.end() for gap in _BLANK_LINE.finditer(text))
    edges = sorted({0, *blank_edges, *star_edges, len(text)})
    has_begun = after_ornament = False
    for start, end in pairwise(edges):
        paragraph = text[start:end].lstrip()
        start = end - len(paragraph)
        paragraph = paragraph.rstrip()
        if is_ornament(paragraph):
            after_ornament = has_begun  # an ornament before the first paragraph is not a break
        elif paragraph:
            yield Block(BlockKind.PARAGRAPH, paragraph, start, Location(), break_before=after_ornament)
            has_begun, after_ornament = True, False


def book_of(text: str, blocks: Iterable[Block], *, language: str | None = None) -> Book:
    """Return a text as a book of one section."""
    return Book(
        id="",
        source="the text",
        format="txt",
        metadata=Metadata(language=language),
        sections=(Section(headings=(), level=0, chapter=False, href=None, blocks=tuple(blocks)),),
        notes=(),
        page_starts=(),
        left_out=(),
        warnings=(),
        n_pages=None,
        text=text,
    )


class UniversalChunker:
    """Universal Semantic Chunking of plain text.

    Args:
        embedding_model: a model, or a function from texts to rows; `chunk` calls it once, with all sentences.
        threshold: cut where the similarity of neighbouring sentences is below this, in [-1, 1].
        min_chunk_size: words that a chunk must hold before a change of topic cuts it.
        max_chunk_size: words that a chunk never exceeds, unless it is one longer sentence.

    Raises:
        ValueError: a number is out of its range.
    """

    def __init__(
        self,
        embedding_model: EmbeddingModel | EmbeddingFunction,
        threshold: float = 0.5,
        min_chunk_size: int = 200,
        max_chunk_size: int = 1500,
    ) -> None:
        strategy = UniversalSemantic(threshold=threshold, min_words=min_chunk_size, max_words=max_chunk_size)
        self._domain = Domain(name="plain text", strategy=strategy)
        self._encoder = OwnModel(embedding_model)

    def chunk(self, text: str, metadata: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the chunks in order: dictionaries of `text`, `chunk_id`, `word_count`, `strategy`.

        The metadata is added to each chunk and never replaces those four. Each `text` is a slice of the text
        given.
        """
        check_text(text=text)
        text = well_formed(text)
        book = book_of(text, [Block(BlockKind.PARAGRAPH, text, 0, Location())])
        # Split as in the specification, where a sentence may be longer than the cap.
        sentences = tuple(Sentence(start, end, section=0, block=0) for start, end in SPLITTERS["regex"](text))
        if not sentences:
            return []
        analysis = one_book.finish(one_book.begin_sentences(book, sentences, self._encoder), self._domain)
        return [
            {
                **(metadata or {}),
                "text": chunk.text,
                "chunk_id": chunk.index,
                "word_count": chunk.word_count,
                "strategy": self._domain.strategy.name,
            }
            for chunk in analysis.chunks
        ]
