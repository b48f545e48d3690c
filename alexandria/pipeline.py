"""One book, start to end: read → sentences → embeddings → segmentation → chunks → points."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from alexandria.book import Book, Chunk, Embeddings, Point, Segmentation, Sentence
from alexandria.chunking import assemble, chunk_vectors, segment_book
from alexandria.config import Domain
from alexandria.embed import Encoder, begin_encoding
from alexandria.extract import EXTRACTION_VERSION, ReadOptions, content_id
from alexandria.memory import check_room
from alexandria.modes import Notes
from alexandria.reading.cache import CachedBooks
from alexandria.reading.limits import check_size
from alexandria.reading.process import IsolatedReader
from alexandria.sentences import split
from alexandria.store.catalog import Catalog, Record
from alexandria.store.points import Context, digest_of, generation_of, make_points

_DEFAULTS = ReadOptions()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A book with the vectors of its sentences."""

    book: Book
    sentences: tuple[Sentence, ...]
    embeddings: Embeddings  # (n_sentences, dim)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A book and how it is cut: all that `inspect` shows and `index` stores."""

    book: Book
    domain: Domain
    sentences: tuple[Sentence, ...]
    embeddings: Embeddings  # (n_sentences, dim)
    segmentation: Segmentation
    chunks: tuple[Chunk, ...]

    @property
    def n_words(self) -> int:
        """Words in all chunks."""
        return sum(chunk.word_count for chunk in self.chunks)


def read_options(domain: Domain, *, keep_matter: bool = False, password: str | None = None) -> ReadOptions:
    """Return how files are read: what the domain says of notes, and what else is wished."""
    return ReadOptions(keep_matter=keep_matter, password=password, inline_notes=domain.notes is Notes.INLINE)


def read(
    path: Path,
    options: ReadOptions = _DEFAULTS,
    *,
    cache: bool = False,
    reader: IsolatedReader | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Book:
    """Read a file into a book, in a process of its own: no file is trusted.

    Args:
        path: the file.
        options: how to read it; see `read_options`.
        cache: use the book from the cache if this file has been read in this way before, and keep it there.
        reader: the process to use, for a caller with several files; by default one is started and ended here.
        meanwhile: called while that process starts, for imports that would otherwise wait for it; not called
            if the book comes from the cache.

    Raises:
        BookError: the file cannot be read as a book; `code` says why.
    """
    with IsolatedReader() if reader is None else nullcontext(reader) as process:

        def read_isolated() -> Book:
            process.start()
            meanwhile()
            return process.read(path, options)

        if not cache:
            return read_isolated()
        check_size(path, process.limits)
        return CachedBooks(options).read(path, content_id(path), read_isolated)


def segment(book: Book, domain: Domain, encoder: Encoder, *, before: Analysis | None = None) -> Analysis:
    """Split, embed and cut a book.

    Args:
        book: as extracted.
        domain: how to cut it.
        encoder: makes the vectors.
        before: the same book cut in another way, whose vectors serve again where the sentences are the same.

    Raises:
        BookError: it is larger than the memory that is free (`too_large`).
    """
    return analyse(begin(book, domain, encoder, before=before)(), domain)


def begin(
    book: Book, domain: Domain, encoder: Encoder, *, before: Analysis | None = None
) -> Callable[[], Embedded]:
    """Split a book and begin to embed it: the one pass of the model over it.

    Arguments and errors are those of `segment`. What is returned waits for the end; until then the next book
    can be begun.
    """
    sentences = split(book, splitter=domain.sentences, max_words=domain.strategy.max_words)
    if before is not None and before.sentences == sentences:
        return partial(Embedded, book, sentences, before.embeddings)
    check_room(book, sentences, encoder.dim)
    texts = [book.text[one.start : one.end] for one in sentences]
    rows = begin_encoding(encoder, texts)
    return lambda: Embedded(book, sentences, rows())


def analyse(embedded: Embedded, domain: Domain) -> Analysis:
    """Cut an embedded book: all that is left to do, and nothing for the model."""
    book, sentences, rows = embedded.book, embedded.sentences, embedded.embeddings
    segmentation = segment_book(
        domain.strategy, rows, sentences, book, respect_sections=domain.respect_sections
    )
    return Analysis(book, domain, sentences, rows, segmentation, assemble(book, sentences, segmentation))


def generation(book_id: str, domain: Domain, encoder: Encoder, options: ReadOptions) -> str:
    """Return the name of a book under this configuration; the same name means the same chunks."""
    reading = {"keep_matter": options.keep_matter}  # the password opens a file, it does not change it
    return generation_of(book_id, EXTRACTION_VERSION, domain.settings(), encoder.name, reading)


def index(analysis: Analysis, generation: str, encoder: Encoder, library: Catalog) -> Record:
    """Put an analysed book into the library, replacing what was there of it, and return its record."""
    record, points = prepare(analysis, generation, encoder)
    library.replace(record, points)
    return record


def prepare(analysis: Analysis, generation: str, encoder: Encoder) -> tuple[Record, list[Point]]:
    """Return what a library takes of an analysed book: its record and its points."""
    book, domain = analysis.book, analysis.domain
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    context = Context(
        domain=domain.name,
        strategy=domain.strategy.name,
        generation=generation,
        ingested_at=now,
        bm25_language=domain.bm25_language,
        sentence_vectors=domain.sentence_vectors,
        notes=domain.notes is Notes.ATTACH,
    )
    texts = [book.text[one.start : one.end] for one in analysis.sentences]
    points = make_points(
        book,
        analysis.chunks,
        chunk_vectors(analysis.embeddings, analysis.chunks),
        analysis.embeddings,
        encoder.coverage(texts),
        context,
    )
    record = Record(
        book_id=book.id,
        generation=generation,
        title=book.title,
        author=book.author,
        language=book.language,
        format=book.format,
        source=str(Path(book.source).absolute()),
        domain=domain.name,
        strategy=domain.strategy.name,
        settings=domain.settings(),
        n_chunks=len(analysis.chunks),
        n_words=analysis.n_words,
        warnings=book.warnings,
        ingested_at=now,
        sections=tuple(dict.fromkeys(heading for chunk in analysis.chunks for heading in chunk.headings)),
        digests=tuple(digest_of(point.payload) for point in points),
        n_pages=book.n_pages,
        left_out=book.left_out,
    )
    return record, points
