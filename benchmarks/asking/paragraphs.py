"""Paragraphs with questions, one file per language: does a search find the right paragraph first?

The format is that of SQuAD and XQuAD, one paragraph per line of JSON:

    {"article": …, "context": the paragraph, "questions": [{"question": …}, …]}

Each file becomes a library of its own, on disk, with an article as a book and a paragraph as a chapter. The
questions go through `query.search`, like a user's. With a model that connects languages, each library is also
asked the questions of the other files that have the same paragraphs in another language.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.embed.models.languages import connects
from alexandria.errors import ConfigError, io_reason
from alexandria.extract.clean import clean
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.lab import bootstrap
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.library.ingest.one_book import analyse, generation, prepare, read_options, store
from alexandria.library.location import open_catalog
from alexandria.library.search.hits import search
from alexandria.library.search.request import SearchRequest
from alexandria.store.catalog import Catalog
from benchmarks.asking.plain import reciprocal_rank

SUFFIXES = (".jsonl", ".jsonl.gz")
MODES = (Mode.DENSE, Mode.BM25, Mode.HYBRID)
N_QUESTIONS = 300
"""Questions per file at most, evenly spread: enough for intervals of a few per cent."""
_FORM = "see the beginning of benchmarks/asking/paragraphs.py for the form"
_DEPTH = 10
"""Hits per question."""


class ParagraphQuestion(NamedTuple):
    """A question about a paragraph."""

    question: str
    book_id: str
    number: int
    """The paragraph's number in the book, from 0."""


@dataclass(frozen=True, slots=True)
class ParagraphSet:
    """The paragraphs of a file, as books, and questions about them."""

    name: str
    """The file's name without suffixes; where it is a language's tag, the books are in that language."""
    books: tuple[Book, ...]
    questions: tuple[ParagraphQuestion, ...]

    @property
    def outline(self) -> tuple[tuple[str, int], ...]:
        """The title of each book and its number of paragraphs: the same in every language."""
        return tuple((book.title, len(book.sections)) for book in self.books)


@dataclass(frozen=True, slots=True)
class ParagraphScores:
    """The scores of one set of paragraphs."""

    name: str
    n_paragraphs: int
    scores: Mapping[Mode, NDArray[np.float64]]
    """(n_questions,) by mode: 1 / the rank of the right paragraph; 0 where it is not among the best ten."""
    across: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """The same by `hybrid`, for the questions of each file that has these paragraphs in another language."""

    @property
    def n_questions(self) -> int:
        """How many questions were asked."""
        return len(next(iter(self.scores.values())))

    def first(self, mode: Mode) -> ScoreEstimate:
        """Return the share of questions that find the right paragraph first."""
        return _share_first(self.scores[mode])

    def first_across(self, name: str) -> ScoreEstimate:
        """Return the share of the questions of another file that find the right paragraph here first."""
        return _share_first(self.across[name])

    def mrr(self, mode: Mode) -> ScoreEstimate:
        """Return the mean reciprocal rank of the right paragraph."""
        return bootstrap.mean(self.scores[mode])


def mean_across(sets: Sequence[ParagraphScores]) -> ScoreEstimate | None:
    """Return how often a question in another language than the library's finds the right paragraph first.

    None if no library was asked such a question. All files hold the same questions: a question and its
    translations are resampled together.
    """
    is_first = [scores == 1 for paragraphs in sets for scores in paragraphs.across.values()]
    if not is_first:
        return None
    # For each question, the share of the libraries that find its paragraph first.
    return bootstrap.mean(np.mean(is_first, axis=0, dtype=np.float64))


def _share_first(scores: NDArray[np.float64]) -> ScoreEstimate:
    return bootstrap.mean((scores == 1).astype(np.float64))


def find_paragraph_sets(paths: Sequence[Path]) -> list[Path]:
    """Return the files of paragraphs with questions, among these files and directly in these folders."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in files if file.name.endswith(SUFFIXES) and file.is_file()]


def evaluate_paragraphs(
    files: Sequence[Path], domain: Domain, encoder: Encoder, *, modes: Sequence[Mode] = MODES
) -> Iterator[ParagraphScores]:
    """Yield the scores of each file, in order; its paragraphs are stored in a library that is then deleted.

    Args:
        files: the test sets, in the format that the module describes.
        domain: how the paragraphs are ingested.
        encoder: the model.
        modes: the modes of search to compare.

    Raises:
        ConfigError: a file cannot be read, or has another form.
    """
    sets = [read_paragraphs(file) for file in files]
    for paragraphs in sets:
        with (
            TemporaryDirectory() as folder,
            open_catalog(str(Path(folder) / "library"), "books", encoder) as library,
        ):
            for book in paragraphs.books:
                # The generation names a book as cut and embedded with these settings; a store asks for it.
                generation_name = generation(book.id, domain, encoder, read_options(domain))
                store(prepare(analyse(book, domain, encoder), generation_name), library)
            scores = {
                mode: _reciprocal_ranks(paragraphs, paragraphs, library, encoder, mode) for mode in modes
            }
            translations = [other for other in sets if _are_translations(other, paragraphs, encoder)]
            across = {
                other.name: _reciprocal_ranks(other, paragraphs, library, encoder, Mode.HYBRID)
                for other in (translations if Mode.HYBRID in modes else ())
            }
        n_paragraphs = sum(len(book.sections) for book in paragraphs.books)  # one per section
        yield ParagraphScores(paragraphs.name, n_paragraphs, scores, across)


def _are_translations(asked: ParagraphSet, stored: ParagraphSet, encoder: Encoder) -> bool:
    """Return whether two sets hold the same paragraphs in two languages that the model connects."""
    languages = {asked.books[0].language, stored.books[0].language}
    if len(languages) < 2 or asked.outline != stored.outline:
        return False
    return all(language is not None and connects(encoder, language) for language in languages)


def _reciprocal_ranks(
    asked: ParagraphSet, stored: ParagraphSet, library: Catalog, encoder: Encoder, mode: Mode
) -> NDArray[np.float64]:
    """Return 1 / the rank of the right stored paragraph for each question asked, or 0 if it is not found.

    Args:
        asked: the set whose questions are asked.
        stored: the set in the library: the same one, or its translation, with its books in the same order.
        library: holds the stored set.
        encoder: the model.
        mode: the mode of the search.
    """
    position_of = {book.id: position for position, book in enumerate(asked.books)}
    scores = []
    for question, book_id, number in asked.questions:
        book = stored.books[position_of[book_id]]
        paragraph = book.sections[number].blocks
        start, end = paragraph[0].start, paragraph[-1].end
        hits = search(SearchRequest(query=question, mode=mode, limit=_DEPTH), library, encoder)
        is_right = [hit.book_id == book.id and start <= hit.start < end for hit in hits]
        scores.append(reciprocal_rank(is_right))
    return np.array(scores)


def read_paragraphs(file: Path) -> ParagraphSet:
    """Return the books and questions of a file.

    Raises:
        ConfigError: the file cannot be read, or has another form.
    """
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        articles: dict[str, list[Any]] = {}  # the rows of each article, by its title
        # Not splitlines: texts may contain line and paragraph separators (U+2028, U+0085), which JSON allows.
        for line in raw.decode("utf-8").split("\n"):
            if line.strip():
                row = json.loads(line)
                articles.setdefault(str(row["article"]), []).append(row)
        name = file.name.removesuffix(".gz").removesuffix(".jsonl")
        books = {title: _to_book(file, name, title, rows) for title, rows in articles.items()}
        questions = [
            ParagraphQuestion(str(entry["question"]), books[title].id, number)
            for title, rows in articles.items()
            for number, row in enumerate(rows)
            for entry in row["questions"]
        ]
    except OSError as error:  # includes gzip.BadGzipFile
        raise ConfigError(f"cannot read {file}", why=io_reason(error), fix="check the file") from error
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise ConfigError(
            f"cannot read {file} as paragraphs with questions",
            why=f"{type(error).__name__}: {error}",
            fix=_FORM,
        ) from error
    if not questions:
        raise ConfigError(
            f"there are no questions in {file}",
            fix=_FORM,
        )
    step = ceil(len(questions) / N_QUESTIONS)
    every_nth = questions[step - 1 :: step]  # at most N_QUESTIONS, evenly spread
    return ParagraphSet(name, tuple(books.values()), tuple(every_nth))


def _to_book(file: Path, name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> Book:
    """Return an article as a book, each paragraph as a chapter: no chunk then holds two paragraphs.

    Args:
        file: holds the article among others.
        name: the file's name without suffixes; if it is a language's tag, such as `en`, that is the book's
            language.
        title: the title of the article.
        rows: the article's lines, one per paragraph.
    """
    sections = tuple(
        DraftSection(
            headings=(str(number),),
            level=1,
            href=None,
            blocks=(DraftBlock(BlockKind.PARAGRAPH, clean(str(row["context"]))),),
        )
        for number, row in enumerate(rows, 1)
    )
    language = name if name.isalpha() and 2 <= len(name) <= 3 else None
    metadata = Metadata(
        title=title.replace("_", " "),
        language=language,
        language_source="metadata" if language else None,
    )
    text = "\n".join(str(row["context"]) for row in rows)
    return bind(
        Draft(metadata, sections, chapter_level=1),
        id=sha256(f"{name}\n{title}\n{text}".encode()).hexdigest(),
        # No such file exists: the path only tells the articles of a file apart.
        source=str(file / title),
        format="jsonl",
    )
