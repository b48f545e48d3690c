"""Remnic's semantic chunking (docs/descriptions.md): cuts at valleys of the smoothed similarity.

Without sentence vectors, the text is cut by size.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from alexandria.chunking.domains import Domain
from alexandria.chunking.domains.names import snake_case
from alexandria.chunking.strategies.recursive import Recursive
from alexandria.chunking.strategies.smoothed import Smoothed
from alexandria.described.passages import SemanticChunk, semantic_chunks
from alexandria.embed import Encoder, NoEncoder
from alexandria.errors import AlexandriaError, ConfigError
from alexandria.extract.language import detect_language
from alexandria.library.chunk_text import EmbeddingFunction, EmbeddingModel, OwnModel, book_of, paragraphs
from alexandria.library.ingest import one_book

_LOG = logging.getLogger(__name__)
_DEFAULT = Smoothed()


@dataclass(frozen=True, slots=True)
class SemanticChunkingConfig:
    """How `semantic_chunk_content` cuts; a token is estimated as four characters."""

    target_tokens: int = _DEFAULT.target_tokens
    """The size of the pieces into which a long segment is split."""
    min_tokens: int = _DEFAULT.min_tokens
    """A shorter segment joins the more similar neighbour."""
    max_tokens: int = _DEFAULT.max_tokens
    """A longer segment is split."""
    smoothing_window_size: int = _DEFAULT.window
    """Gaps in the moving average; odd, because the average is centred on a gap."""
    boundary_threshold_std_devs: float = _DEFAULT.std_devs
    """How many standard deviations below the mean a valley must be to become a boundary."""
    embedding_batch_size: int = 32
    """Sentences that the function gets at a time."""
    fallback_to_recursive: bool = _DEFAULT.fallback_to_recursive
    """Cut by size where there are no vectors, instead of failing."""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Return the configuration with some settings, named as here or in camel case (`minTokens`).

        Raises:
            ConfigError: a setting is unknown, or is given twice.
        """
        names = [setting.name for setting in fields(cls)]
        values: dict[str, Any] = {}
        for written_name, value in settings.items():
            name = snake_case(written_name)
            is_given = name in values
            if is_given or name not in names:
                raise ConfigError(
                    f"cannot chunk with {written_name}",
                    why=f"{name} is given twice" if is_given else "there is no such setting",
                    fix=f"the settings are {', '.join(names)}, each once",
                )
            values[name] = value
        return cls(**values)

    def strategy(self) -> Smoothed:
        """Return the strategy, as configured."""
        return Smoothed(
            window=self.smoothing_window_size,
            std_devs=self.boundary_threshold_std_devs,
            min_tokens=self.min_tokens,
            target_tokens=self.target_tokens,
            max_tokens=self.max_tokens,
            fallback_to_recursive=self.fallback_to_recursive,
        )


DEFAULT_SEMANTIC_CHUNKING_CONFIG = SemanticChunkingConfig()


@dataclass(frozen=True, slots=True)
class SemanticChunkResult:
    """The chunks of a text, and how they were found."""

    chunks: tuple[SemanticChunk, ...]
    method: str
    """`semantic`, or `recursive` where there were no vectors."""
    why: str
    """Why there were no vectors; empty if there were any."""


def semantic_chunk_content(
    content: str,
    embed_fn: EmbeddingModel | EmbeddingFunction | None,
    config: SemanticChunkingConfig | Mapping[str, Any] = DEFAULT_SEMANTIC_CHUNKING_CONFIG,
    *,
    metadata: Mapping[str, Any] | None = None,
) -> SemanticChunkResult:
    """Return chunks that end at the valleys of the smoothed similarity of neighbouring sentences.

    Args:
        content: any text; without words, there are no chunks.
        embed_fn: a function from texts to vectors, or a model: `get_model()` is the shared one. If it is
            None or fails, the text is cut by size, and the result and a warning in the log say so.
        config: how to cut, or some settings by their names, which may be in camel case (`{"minTokens": 50}`).
        metadata: given back with each chunk; its `source` is `unknown` if none is given.

    Raises:
        ConfigError: a name is unknown, or there are no vectors and the configuration has no fallback.
        ValueError: a number is out of its range.
    """
    if not isinstance(config, SemanticChunkingConfig):
        config = SemanticChunkingConfig.of(config)
    strategy = config.strategy()
    why = "no function was given"
    failure: Exception | None = None
    if embed_fn is not None:
        try:
            encoder = OwnModel(embed_fn, config.embedding_batch_size)
            return SemanticChunkResult(_cut(content, strategy, encoder, metadata), "semantic", "")
        except AlexandriaError:  # it says why itself, such as a model that is not installed
            raise
        except Exception as error:  # a caller's function may raise anything
            why = f"the function failed: {type(error).__name__}: {error}"
            failure = error
    if not config.fallback_to_recursive:
        raise ConfigError(
            "cannot chunk by meaning", why=why, fix="give another function, or set fallback_to_recursive"
        ) from failure
    _LOG.warning("the text is cut by size, without vectors: %s", why)
    return SemanticChunkResult(_cut(content, strategy, NoEncoder(), metadata), "recursive", why)


def chunk_content(
    content: str, max_words: int = 500, *, overlap_words: int = 0, metadata: Mapping[str, Any] | None = None
) -> list[SemanticChunk]:
    """Return chunks of whole paragraphs, or of whole sentences of a longer paragraph; no model is used."""
    strategy = Recursive(max_words=max_words, overlap_words=overlap_words)
    return list(_cut(content, strategy, NoEncoder(), metadata))


def _cut(
    content: str, strategy: Smoothed | Recursive, encoder: Encoder, metadata: Mapping[str, Any] | None
) -> tuple[SemanticChunk, ...]:
    book = book_of(content, paragraphs(content), language=detect_language(content))
    analysis = one_book.analyse(book, Domain(name="plain text", strategy=strategy), encoder)
    return tuple(semantic_chunks(analysis, metadata or {}))
