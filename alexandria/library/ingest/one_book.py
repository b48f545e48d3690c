"""One book, from its file to the store: read → begin → finish → store.

    options = read_options(domain)
    book = read(path, options)                               # extract/, in an isolated process
    pending = begin(book, domain, encoder)                   # chunking/sentences.py, embed/
    analysis = finish(pending, domain)                       # chunking/
    name = generation(book.id, domain, encoder, options)
    store(prepare(analysis, name), catalog)                  # store/

`begin` returns while the model is still computing, so that a caller with many books can begin the next one
before it finishes this one. A run (`run`, with `ingestor`) begins, finishes and stores its books so; but its
files are read ahead, by `extract.isolated.ahead`.
"""

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import NO_MODEL, ChunkVector, Notes, OverlapUse, Precision
from alexandria.book.edits import STATED
from alexandria.book.model import Book, Chunk, Embeddings, Point, Segmentation, Sentence
from alexandria.book.shingles import pack_sketch, sketch_of
from alexandria.chunking import Sizes, assemble, chunk_vectors, segment_book, segment_sentences
from alexandria.chunking.cues.find import Cues, DeferredCues, find_cues
from alexandria.chunking.domains import Domain
from alexandria.chunking.limits import measure_sentences
from alexandria.chunking.sentences import split
from alexandria.embed import Encoder
from alexandria.extract import EXTRACTION_VERSION, ReadOptions, content_id
from alexandria.extract.isolated.cache import Attempt, CachedBooks
from alexandria.extract.isolated.limits import check_size
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.isolated.recognition import ocr_choice
from alexandria.library.cite.title_names import names_in_title
from alexandria.library.ingest.encoder import check_cuts_without_vectors
from alexandria.library.ingest.options import AS_USUAL, ReadChoices
from alexandria.store.catalog import Catalog
from alexandria.store.payload import WORDS_VERSION, Context, digest_of
from alexandria.store.points import generation_of, make_points
from alexandria.store.record import Record
from alexandria.store.topics import topics_of
from alexandria.system.machine import check_memory

_DEFAULTS = ReadOptions()
_NONE_KNOWN: Mapping[str, Embeddings] = {}
_NO_EDITS: Mapping[str, Any] = {}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PendingAnalysis:
    """A book whose sentences are being embedded."""

    book: Book
    sentences: tuple[Sentence, ...]
    texts: tuple[str, ...]  # the text of each sentence
    encoder: Encoder
    embeddings: Callable[[], Embeddings]
    """Waits for the model, then returns (n_sentences, dim); any later call returns the same array."""
    cues: Cues  # found when a strategy first reads them; the same under every domain


@dataclass(frozen=True, slots=True)
class Analysis:
    """A book and how it is cut: everything that `inspect` shows and `ingest` stores."""

    book: Book
    domain: Domain
    sentences: tuple[Sentence, ...]
    texts: tuple[str, ...]  # the text of each sentence
    encoder: Encoder
    embeddings: Embeddings  # (n_sentences, dim)
    segmentation: Segmentation
    chunks: tuple[Chunk, ...]

    @property
    def n_words(self) -> int:
        """Words in all chunks."""
        return sum(chunk.word_count for chunk in self.chunks)

    @property
    def precision(self) -> Precision | None:
        """The number format in which the model computed the vectors, or None if it is not known."""
        return self.encoder.find_precision()

    @property
    def coverage(self) -> NDArray[np.float32]:
        """(n_sentences,), the share of each sentence that the model's window holds; computed on access."""
        return self.encoder.coverage(self.texts)


@dataclass(frozen=True, slots=True)
class PreparedBook:
    """A book in the form that the store accepts."""

    record: Record
    points: tuple[Point, ...]
    is_stored: bool = False  # whether the library has the points already


# --- read → begin → finish → store ----------------------------------------------------------------


def read(
    path: Path,
    options: ReadOptions = _DEFAULTS,
    *,
    cache: bool = False,
    keep_pages: bool = True,
    reader: IsolatedReader | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Book:
    """Read a file into a book, in an isolated process, since no file is trusted.

    Args:
        options: how to read it; see `read_options`.
        cache: use the cached book if the file was read before with these options; otherwise cache it.
        keep_pages: use cached scanned pages, and cache new ones: each takes seconds to read.
        reader: the process to use, for a caller with several files; by default a new one, ended at the end.
        meanwhile: called while that process starts, so that imports can run at the same time; not called if
            the book comes from the cache.

    Raises:
        BookError: the file cannot be read as a book; `code` says why.
    """
    with IsolatedReader() if reader is None else nullcontext(reader) as process:

        def read_isolated() -> Attempt:
            """Read the file in the isolated process, while `meanwhile` runs during its start."""
            process.start()
            meanwhile()
            _LOG.debug("reading %s", path.name)
            return process.attempt(path, options, keep_pages=keep_pages)

        if not cache:
            return read_isolated().book
        check_size(path, process.limits)
        return CachedBooks(options).read(path, content_id(path), read_isolated)


def begin(
    book: Book,
    domain: Domain,
    encoder: Encoder,
    *,
    before: PendingAnalysis | None = None,
    known: Mapping[str, Embeddings] = _NONE_KNOWN,
    embedded: Callable[[float], None] = lambda share: None,
) -> PendingAnalysis:
    """Split a book into sentences and start to embed them: the only pass of the model over the sentences.

    Args:
        before: the same book, begun under another domain; returned if the sentences are the same.
        known: vectors by the texts of sentences, which are then not embedded.
        embedded: told, from any thread, which further share of the sentences has been embedded.

    Raises:
        BookError: the book does not fit into free memory (`too_large`).
        ConfigError: there is no model, and the strategy needs one; or the splitter is missing.
    """
    if encoder.name == NO_MODEL:
        check_cuts_without_vectors(domain)
    sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
    if before is not None and before.sentences == sentences:
        return before
    return begin_sentences(book, sentences, encoder, known=known, embedded=embedded)


def begin_sentences(
    book: Book,
    sentences: tuple[Sentence, ...],
    encoder: Encoder,
    *,
    known: Mapping[str, Embeddings] = _NONE_KNOWN,
    embedded: Callable[[float], None] = lambda share: None,
) -> PendingAnalysis:
    """Start to embed a book that is already split into sentences; see `begin`.

    Raises:
        BookError: the book does not fit into free memory (`too_large`).
    """
    check_memory(book, sentences, encoder.dim)
    texts = _sentence_texts(book, sentences)
    unknown = [text for text in texts if text not in known]
    _LOG.debug("%d sentences of “%s” to embed, or to take from the cache", len(unknown), book.title)
    n_characters = max(sum(map(len, texts)), 1)  # sentences of one book differ in length from part to part
    wait = encoder.begin(unknown, encoded=lambda n: embedded(n / n_characters))

    def wait_for_all() -> Embeddings:
        """Wait for the model, and return its rows among those that are known."""
        rows = iter(wait())
        all_rows = [known[text] if text in known else next(rows) for text in texts]
        return np.asarray(all_rows, np.float32).reshape(len(texts), encoder.dim)

    return PendingAnalysis(
        book=book,
        sentences=sentences,
        texts=texts,
        encoder=encoder,
        embeddings=functools.cache(wait_for_all if known else wait),  # waits in the first call only
        cues=DeferredCues(lambda: find_cues(book, sentences)),
    )


def finish(pending: PendingAnalysis, domain: Domain, *, topics: bool = True) -> Analysis:
    """Wait for the vectors of a book and cut it; one book may be finished under several domains.

    Args:
        topics: False leaves out the topics of the chunks, for a caller that only compares cuts.
    """
    book, sentences, embeddings = pending.book, pending.sentences, pending.embeddings()
    _LOG.debug("“%s” has its vectors; cutting it by %s", book.title, domain.strategy.name)
    has_vectors = embeddings.shape[1] > 0  # without a model, rows have no dimensions
    segmentation = segment_book(
        domain.strategy,
        embeddings if has_vectors else None,
        sentences,
        book,
        respect_sections=domain.respect_sections,
        cues=pending.cues,
        overlap_words=domain.overlap_words,
    )
    chunks = assemble(book, sentences, segmentation)
    return Analysis(
        book=book,
        domain=domain,
        sentences=sentences,
        texts=pending.texts,
        encoder=pending.encoder,
        embeddings=embeddings,
        segmentation=segmentation,
        chunks=_with_topics(chunks, domain.bm25_language or book.language) if topics else chunks,
    )


def _with_topics(chunks: Sequence[Chunk], language: str | None) -> tuple[Chunk, ...]:
    """Return the chunks with the words that distinguish each from the others of the book."""
    topics = topics_of((chunk.text for chunk in chunks), language)
    return tuple(replace(chunk, topic=topic) for chunk, topic in zip(chunks, topics, strict=True))


def prepare(
    analysis: Analysis,
    generation: str,
    *,
    keep_matter: bool = False,
    source: str | None = None,
    edits: Mapping[str, Any] = _NO_EDITS,
) -> PreparedBook:
    """Return the record and the points of an analysed book, as the store keeps them.

    Args:
        generation: the name of the book under this configuration, as `generation` returns it.
        keep_matter: whether the book was read with its cover, contents, imprint and index; recorded.
        source: the path of the file, as the payloads state it; by default only its name.
        edits: the metadata that the user has changed, as the book has it; recorded.
    """
    domain = analysis.domain
    context = Context(
        domain=domain.name,
        strategy=domain.strategy.name,
        source=source or Path(analysis.book.source).name,
        generation=generation,
        n_chunks=len(analysis.chunks),
        ingested_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        bm25_language=domain.bm25_language,
        sentence_vectors=domain.sentence_vectors,
        notes=domain.notes is Notes.ATTACH,
        overlap_in_words=domain.overlap_for in (OverlapUse.WORDS, OverlapUse.BOTH),
    )
    vectors, coverage = _vectors_and_coverage(analysis)
    points = make_points(analysis.book, analysis.chunks, vectors, analysis.embeddings, coverage, context)
    record = _make_record(analysis, context, points, keep_matter=keep_matter, edits=edits)
    return PreparedBook(record, tuple(points))


def _vectors_and_coverage(analysis: Analysis) -> tuple[Embeddings, NDArray[np.float32]]:
    """Return the vectors of the chunks, (n_chunks, dim), and how much of each sentence they cover."""
    # The latter is (n_sentences,), in [0, 1]: text beyond the model's window is not in the vector.
    chunks, encoder = analysis.chunks, analysis.encoder
    with_overlap = analysis.domain.overlap_for in (OverlapUse.VECTOR, OverlapUse.BOTH)
    if not analysis.embeddings.shape[1]:  # without a model, rows have no dimensions and cover nothing
        return analysis.embeddings[: len(chunks)], np.zeros(len(analysis.texts), np.float32)
    if analysis.domain.chunk_vector is ChunkVector.SENTENCES:
        return chunk_vectors(analysis.embeddings, chunks, with_overlap=with_overlap), analysis.coverage
    texts = [chunk.text_with_overlap if with_overlap else chunk.text for chunk in chunks]
    coverage = encoder.coverage(texts)
    if n_long := int((coverage < 1).sum()):
        _LOG.warning(
            "“%s”: %d of %d chunks are longer than the model reads, and their vectors cover the beginning"
            " alone; with chunk_vector=sentences they cover all of it",
            analysis.book.title,
            n_long,
            len(chunks),
        )
    return encoder.encode(texts), np.repeat(coverage, [chunk.n_sentences for chunk in chunks])


def _make_record(
    analysis: Analysis,
    context: Context,
    points: Sequence[Point],
    *,
    keep_matter: bool,
    edits: Mapping[str, Any],
) -> Record:
    book, chunks = analysis.book, analysis.chunks
    return Record(
        book_id=book.id,
        generation=context.generation,
        author=book.author,
        language=book.language,
        format=book.format,
        source=str(Path(book.source).absolute()),
        domain=context.domain,
        strategy=context.strategy,
        settings=analysis.domain.settings(),
        n_chunks=len(chunks),
        n_words=analysis.n_words,
        warnings=book.warnings,
        ingested_at=context.ingested_at,
        # dict.fromkeys: each heading once, in the order of the book
        sections=tuple(dict.fromkeys(heading for chunk in chunks for heading in chunk.headings)),
        digests=tuple(digest_of(point.payload) for point in points),
        n_pages=book.n_pages,
        left_out=book.left_out,
        **{name: getattr(book.metadata, name) for name in STATED},
        text_layer=any(chunk.text_layer for chunk in chunks) or None,
        chapter_authors=tuple(
            dict.fromkeys(chunk.contribution.chapter_author for chunk in chunks if chunk.contribution)
        ),
        title_names=names_in_title(book),
        sketch=pack_sketch(sketch_of(chunk.text for chunk in chunks)),
        keep_matter=keep_matter,
        edits=dict(edits),
        precision=analysis.precision,
        words_version=WORDS_VERSION,
        guessed_title=book.metadata.guessed_title,
    )


def store(prepared: PreparedBook, catalog: Catalog) -> Record:
    """Store a book in place of any earlier generation of it, and return its record as stored."""
    if prepared.is_stored:
        catalog.update(prepared.record)
        return prepared.record
    _LOG.debug("storing %d chunks of “%s”", len(prepared.points), prepared.record.title)
    record = catalog.replace(prepared.record, prepared.points)
    _LOG.debug("stored “%s”", record.title)
    return record


# --- the options of a read, and the name of a generation -------------------------------------------


def read_options(domain: Domain, chosen: ReadChoices = AS_USUAL) -> ReadOptions:
    """Return how to read files: notes as the domain says, the rest as chosen.

    Raises:
        ConfigError: scans cannot be read as `ocr` says; see `ocr_choice`.
    """
    return ReadOptions(
        keep_matter=chosen.keep_matter,
        password=chosen.password,
        inline_notes=domain.notes is Notes.INLINE,
        ocr=ocr_choice(chosen.ocr),
    )


def generation(book_id: str, domain: Domain, encoder: Encoder, options: ReadOptions) -> str:
    """Return the generation of a book: its name under this configuration. The same name, the same chunks."""
    return generation_with(book_id, domain.settings(), encoder, keep_matter=options.keep_matter)


def generation_with(
    book_id: str, settings: Mapping[str, Any], encoder: Encoder, *, keep_matter: bool = False
) -> str:
    """Return the generation of a book: the hash of its id with everything that its chunks depend on.

    Args:
        settings: those of a domain, as a record holds them.
        keep_matter: the only option of reading that changes what is read; a password merely opens the file.
    """
    return generation_of(book_id, EXTRACTION_VERSION, settings, encoder.name, {"keep_matter": keep_matter})


# --- for callers that do not store ----------------------------------------------------------------


def analyse(book: Book, domain: Domain, encoder: Encoder) -> Analysis:
    """Split, embed and cut a book: `begin`, then `finish`."""
    return finish(begin(book, domain, encoder), domain)


@dataclass(frozen=True, slots=True)
class Sample:
    """Neighbouring sentences of a book, which can be embedded and cut without the book."""

    texts: tuple[str, ...]
    sizes: Sizes
    n_sentences: int  # the number of sentences of the whole book


def take_sample(book: Book, domain: Domain, max_sentences: int) -> Sample:
    """Return at most `max_sentences` from the middle of a book, where there are no title pages."""
    sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
    first = max(0, (len(sentences) - max_sentences) // 2)
    middle = sentences[first : first + max_sentences]
    sizes = measure_sentences(
        book,
        middle,
        min_words=domain.strategy.min_words,
        respect_sections=domain.respect_sections,
        # Found now: deferred cues would keep the whole book in memory as long as the sample.
        cues=find_cues(book, middle),
    )
    return Sample(_sentence_texts(book, middle), sizes, n_sentences=len(sentences))


def cut_sample(sample: Sample, embeddings: Embeddings, domain: Domain) -> Segmentation:
    """Return where a sample is cut."""
    return segment_sentences(domain.strategy, embeddings, sample.sizes)


def measure(book: Book, sentences: Sequence[Sentence]) -> Sizes:
    """Return the sizes of some sentences of a book, as if they were one section."""
    return measure_sentences(book, sentences, min_words=0, respect_sections=False)


def _sentence_texts(book: Book, sentences: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(book.text[sentence.start : sentence.end] for sentence in sentences)
