"""A book and its cuts, from its file or from a library: the value that every inspect view reads."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate, chain, groupby
from typing import Self

from alexandria.book.model import Boundary, Chunk, LeftOut, count_words
from alexandria.chunking import STRATEGIES, restore_strategy
from alexandria.chunking.domains import Domain
from alexandria.errors import ConfigError
from alexandria.library.ingest.one_book import Analysis
from alexandria.library.inspect.figures import Figures, figures_of
from alexandria.library.inspect.quality import Quality, quality_of, quality_of_chunks
from alexandria.library.inspect.reasons import reasons_of
from alexandria.library.inspect.settings import ShownSetting, domain_settings, strategy_options
from alexandria.store.passage import Passage
from alexandria.store.payload import is_all_read, unpack
from alexandria.store.record import Record

_OF_BOOK = ("title", "author", "language", "source", "format", "n_pages", "left_out", "warnings")
"""The fields that a book, its record and its inspection have under the same names."""


@dataclass(frozen=True, slots=True)
class ChapterChunks:
    """Neighbouring chunks under one heading path."""

    headings: tuple[str, ...]
    chunks: tuple[Chunk, ...]

    @property
    def n_words(self) -> int:
        """Words in its chunks."""
        return sum(chunk.word_count for chunk in self.chunks)


@dataclass(frozen=True)  # without slots, for what is computed once
class Inspection:
    """A book and its cuts, and what views say of them: they only arrange it.

    Numbers are rounded as in the JSON, so that every view shows the same.
    """

    book_id: str
    title: str
    author: str
    language: str | None
    source: str
    format: str
    n_pages: int | None
    n_notes: int
    domain: Domain
    precision: str | None
    """The number format in which the model computed the vectors, such as `f32`; None if it is not known."""
    chunks: tuple[Chunk, ...]
    similarities: tuple[float, ...]  # (n_sentences - 1,), the similarity across each gap
    quality: Quality
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    costs: tuple[float | None, ...] = ()  # of a cut at each gap; None where none may be; empty if not known

    @classmethod
    def of_analysis(cls, analysis: Analysis) -> Self:
        """Return the inspection of a book that has just been cut."""
        book = analysis.book
        return cls(
            **{name: getattr(book, name) for name in _OF_BOOK},
            book_id=book.id,
            n_notes=len(book.notes),
            domain=analysis.domain,
            precision=analysis.precision,
            chunks=tuple(
                replace(chunk, boundary=_round_boundary(chunk.boundary)) for chunk in analysis.chunks
            ),
            similarities=tuple(round(float(value), 6) for value in analysis.segmentation.similarities),
            quality=quality_of(analysis),
            costs=analysis.segmentation.costs,
        )

    @classmethod
    def of_library(cls, record: Record, passages: Sequence[Passage]) -> Self:
        """Return a book as it was cut when it was stored.

        Args:
            passages: its chunks, in reading order.
        """
        chunks = tuple(unpack(passage.payload) for passage in passages)
        similarities = tuple(value for chunk in chunks for value in chunk.similarities)
        # How many words were not read is not stored, only whether all of them were.
        all_read = all(is_all_read(passage.payload) for passage in passages)
        return cls(
            **{name: getattr(record, name) for name in ("book_id", "precision", *_OF_BOOK)},
            n_notes=sum(len(chunk.notes) for chunk in chunks),
            domain=_restore_domain(record),
            chunks=chunks,
            similarities=similarities,
            quality=replace(
                quality_of_chunks(chunks, similarities, record.language),
                n_beyond_window=0 if all_read else None,
            ),
        )

    @cached_property
    def figures(self) -> Figures:
        """The summary of the cuts."""
        return figures_of(self.chunks, self.similarities, self.domain.strategy, self.quality)

    @cached_property
    def reasons(self) -> dict[int, str]:
        """Why each chunk begins where it does, by its number; the first of the book has no reason."""
        return reasons_of(self.chunks, self.similarities, self.language, self.domain.strategy)

    @property
    def strategy_options(self) -> list[ShownSetting]:
        """The strategy and each of its options that is set."""
        return strategy_options(self.domain)

    @property
    def domain_settings(self) -> list[ShownSetting]:
        """Every setting of the domain that is set."""
        return domain_settings(self.domain, self.precision)

    @property
    def has_similarities(self) -> bool:
        """Whether a model compared the sentences; False if the book was cut by size alone, without one.

        True for a book of one sentence, in which there is nothing to compare.
        """
        return not self.similarities or any(self.similarities)

    @property
    def n_words(self) -> int:
        """Words in all chunks."""
        return sum(chunk.word_count for chunk in self.chunks)

    @property
    def n_sentences(self) -> int:
        """Sentences in all chunks."""
        return sum(chunk.n_sentences for chunk in self.chunks)

    @property
    def words_so_far(self) -> list[int]:
        """Words from the start of its chunk to the end of each sentence, (n_sentences,)."""
        counts = (accumulate(map(count_words, chunk.sentences)) for chunk in self.chunks)
        return list(chain.from_iterable(counts))

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The cuts, ascending."""
        return tuple(chunk.boundary for chunk in self.chunks if chunk.boundary is not None)

    @property
    def chapters(self) -> tuple[ChapterChunks, ...]:
        """The chunks, grouped by heading path."""
        groups = groupby(self.chunks, key=lambda chunk: chunk.headings)
        return tuple(ChapterChunks(headings, tuple(chunks)) for headings, chunks in groups)

    def chunk_of(self, sentence: int) -> Chunk:
        """Return the chunk that holds a sentence.

        Raises:
            ConfigError: there is no such sentence.
        """
        for chunk in self.chunks:
            if chunk.first_sentence <= sentence < chunk.first_sentence + chunk.n_sentences:
                return chunk
        raise ConfigError(
            f"there is no sentence {sentence}",
            why=f"the book has {self.n_sentences:,}, counted from 0",
            fix="choose a smaller number",
        )

    def sentence(self, index: int) -> str:
        """Return the text of a sentence, in the book's order from 0."""
        chunk = self.chunk_of(index)
        return chunk.sentences[index - chunk.first_sentence]


def _round_boundary(boundary: Boundary | None) -> Boundary | None:
    if boundary is None:
        return None
    threshold = None if boundary.threshold is None else round(boundary.threshold, 6)
    return replace(boundary, similarity=round(boundary.similarity, 6), threshold=threshold)


def _restore_domain(record: Record) -> Domain:
    """Return the domain under which a book was stored, from its settings."""
    # The settings have the options of the domain and of its strategy side by side. The options of a strategy
    # that is not installed are unknown: every setting that is not an option of the domain counts as one.
    settings = record.settings
    strategy = STRATEGIES.get(record.strategy)
    strategy_options = set() if strategy is None else {option.name for option in fields(strategy)}
    not_options = {"name", "strategy", "origins", "comments"}
    domain_options = {option.name for option in fields(Domain)} - not_options - strategy_options
    not_of_strategy = {*domain_options, "domain", "strategy"}
    domain_settings = {key: value for key, value in settings.items() if key in domain_options}
    strategy_settings = {key: value for key, value in settings.items() if key not in not_of_strategy}
    return Domain(
        name=record.domain,
        strategy=restore_strategy(record.strategy, strategy_settings),
        **domain_settings,
        origins=dict.fromkeys(settings, f"the library, {record.ingested_at[:10]}"),
    )
