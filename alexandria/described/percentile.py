"""XZe's semantic chunker (docs/descriptions.md): the threshold adapts to the text; limits in sentences."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from alexandria.book.model import Block, BlockKind, Location, Sentence
from alexandria.chunking.domains import Domain
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.percentile import PRESETS, Percentile, Preset
from alexandria.chunking.strategy import OptionError, check_between, check_count
from alexandria.described.passages import SemanticChunk, semantic_chunks
from alexandria.described.universal import get_model
from alexandria.embed import DEFAULT_MODEL
from alexandria.errors import BookError, Code, ConfigError
from alexandria.extract.language import detect_language
from alexandria.library.chunk_text import EmbeddingFunction, EmbeddingModel, OwnModel, book_of, paragraphs
from alexandria.library.ingest import one_book

_DEFAULT = PRESETS[Preset.DEFAULT]


@dataclass(frozen=True, slots=True)
class ChunkerConfig:
    """How `SemanticChunker` cuts."""

    similarity_threshold: float = _DEFAULT.threshold
    """A cut needs a similarity below this, in [0, 1], and below the text's own percentile."""
    min_chunk_sentences: int = _DEFAULT.min_sentences
    """A shorter chunk joins the one before."""
    max_chunk_sentences: int = _DEFAULT.max_sentences
    similarity_percentile: float = _DEFAULT.percentile
    """Percentile of the text's similarities that caps the threshold, in [0, 1]; 0.5 is the median."""
    min_sentence_length: int = 1
    """In characters: pieces shorter than this do not count as sentences, and join the one before."""
    embedding_batch_size: int | None = None
    """Sentences that the model gets at a time; all at once if None."""
    model_name: str = DEFAULT_MODEL

    @classmethod
    def technical_docs(cls) -> Self:
        """Return the settings for technical documents."""
        return cls._from_preset(Preset.TECHNICAL)

    @classmethod
    def narrative(cls) -> Self:
        """Return the settings for stories and prose."""
        return cls._from_preset(Preset.NARRATIVE)

    @classmethod
    def _from_preset(cls, preset: Preset) -> Self:
        """Return the settings of a preset; a setting that the preset does not have is the default."""
        limits = PRESETS[preset]
        return cls(
            similarity_threshold=limits.threshold,
            min_chunk_sentences=limits.min_sentences,
            max_chunk_sentences=limits.max_sentences,
            similarity_percentile=limits.percentile,
        )

    def validate(self) -> None:
        """Check that all settings are within their ranges.

        Raises:
            ConfigError: a setting is out of its range; the message names it.
        """
        try:
            self._check_ranges()
        except OptionError as error:
            raise ConfigError(
                f"cannot chunk with {error.option}", why=str(error), fix="change the value"
            ) from error

    def _check_ranges(self) -> None:
        check_between("similarity_threshold", self.similarity_threshold, 0, 1)
        check_between("similarity_percentile", self.similarity_percentile, 0, 1)
        check_count("min_chunk_sentences", self.min_chunk_sentences, minimum=1)
        check_count("max_chunk_sentences", self.max_chunk_sentences, minimum=self.min_chunk_sentences)
        check_count("min_sentence_length", self.min_sentence_length, minimum=1)
        if self.embedding_batch_size is not None:
            check_count("embedding_batch_size", self.embedding_batch_size, minimum=1)
        if not self.model_name:
            raise OptionError("model_name", "must not be empty")

    def strategy(self) -> Percentile:
        """Return the strategy with these settings."""
        return Percentile(
            threshold=self.similarity_threshold,
            min_sentences=self.min_chunk_sentences,
            max_sentences=self.max_chunk_sentences,
            percentile=self.similarity_percentile,
        )


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """Where a text comes from."""

    source: str = "unknown"
    text: str = field(default="", repr=False)
    """The whole text, if it is to be kept with its chunks."""


class SemanticChunker:
    """Cuts plain text where neighbouring sentences are less similar than usual for that text.

    Args:
        config: how to cut; the default preset if not given.
        embed: a model of your own, or a function from texts to vectors. If not given, the model that `config`
            names, which all chunkers share in memory.

    Raises:
        ConfigError: a number is out of its range, or the model is not on this machine.
    """

    def __init__(
        self, config: ChunkerConfig | None = None, embed: EmbeddingModel | EmbeddingFunction | None = None
    ) -> None:
        self.config = config or ChunkerConfig()
        self.config.validate()
        model = get_model(self.config.model_name) if embed is None else embed
        self._encoder = OwnModel(model, self.config.embedding_batch_size)

    def chunk_document(
        self, text: str, metadata: ChunkMetadata | Mapping[str, Any] | None = None
    ) -> list[SemanticChunk]:
        """Return the chunks of a text in order; code between lines of ``` is never cut.

        Args:
            text: at least one word.
            metadata: given back with each chunk; its `source` is `unknown` if none is given.

        Raises:
            BookError: there is no word in the text (`empty`).
        """
        book = book_of(text, _split_blocks(text), language=detect_language(text))
        strategy = self.config.strategy()
        sentences = _join_short_sentences(
            split(book, max_words=strategy.max_words), self.config.min_sentence_length
        )
        if not sentences:
            raise BookError(
                "cannot chunk the text", why="there is no word in it", fix="give a text", code=Code.EMPTY
            )
        pending = one_book.begin_sentences(book, sentences, self._encoder)
        analysis = one_book.finish(pending, Domain(name="plain text", strategy=strategy))
        return semantic_chunks(analysis, _as_mapping(metadata))


def chunk_document(
    text: str,
    metadata: ChunkMetadata | Mapping[str, Any] | None = None,
    *,
    config: ChunkerConfig | None = None,
    embed: EmbeddingModel | EmbeddingFunction | None = None,
) -> list[SemanticChunk]:
    """Return what `SemanticChunker(config, embed).chunk_document(text, metadata)` does."""
    return SemanticChunker(config, embed).chunk_document(text, metadata)


def _as_mapping(metadata: ChunkMetadata | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the metadata as a mapping; of `ChunkMetadata`, the text only if there is one."""
    if not isinstance(metadata, ChunkMetadata):
        return metadata or {}
    if not metadata.text:
        return {"source": metadata.source}
    return {"source": metadata.source, "text": metadata.text}


# Code between two lines of three or more ` or ~, the second at least as long as the first.
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*[^\S\n]*$", re.MULTILINE | re.DOTALL)


def _split_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a text; fenced code is a block of its own."""
    begin = 0
    for code in _FENCED.finditer(text):
        yield from _paragraphs_at(begin, text[begin : code.start()])
        yield Block(BlockKind.CODE, code[0], code.start(), Location())
        begin = code.end()
    yield from _paragraphs_at(begin, text[begin:])


def _paragraphs_at(start: int, text: str) -> Iterator[Block]:
    """Return the paragraphs of a part of a text, which begins at `start` in the whole text."""
    return (replace(block, start=block.start + start) for block in paragraphs(text))


def _join_short_sentences(sentences: tuple[Sentence, ...], min_length: int) -> tuple[Sentence, ...]:
    """Return the sentences, each short one joined to the one before it in its paragraph."""
    # The first sentence of a paragraph is joined to the next one instead.
    joined: list[Sentence] = []
    for sentence in sentences:
        if not joined or joined[-1].block != sentence.block:
            joined.append(sentence)
            continue
        previous = joined[-1]
        if min(_length(previous), _length(sentence)) < min_length:
            joined[-1] = replace(previous, end=sentence.end)
        else:
            joined.append(sentence)
    return tuple(joined)


def _length(sentence: Sentence) -> int:
    return sentence.end - sentence.start
