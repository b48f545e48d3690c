"""Paragraphs with questions, one file per language: does a search find the right paragraph first?

The form is that of SQuAD and XQuAD, one paragraph per line of JSON:

    {"article": …, "context": the paragraph, "questions": [{"question": …}, …]}

Each file becomes a library of its own, on disk, one article a book, one paragraph a chapter; the questions
go through `query.search`, as those of a user do. With a model that connects languages, each library is also
asked the questions of those other files that have the same paragraphs in another language.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import BlockKind, Book, Metadata
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.embed.languages import connects
from alexandria.errors import ConfigError, io_reason
from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.plain import reciprocal_rank
from alexandria.extract.clean import clean
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.library.location import open_catalog
from alexandria.modes import Mode
from alexandria.pipeline import analyse, generation, prepare, read_options, store
from alexandria.query.hits import search
from alexandria.store.catalog import Catalog

SUFFIXES = (".jsonl", ".jsonl.gz")
MODES = (Mode.DENSE, Mode.BM25, Mode.HYBRID)
N_QUESTIONS = 300
"""Questions per file at most, evenly spread: enough for intervals of a few per cent."""
_DEPTH = 10
"""Hits per question."""


@dataclass(frozen=True, slots=True)
class ParagraphSet:
    """The paragraphs of a file, as books, and questions about them."""

    name: str
    """The file's name without suffixes; where it is a language's tag, the books are in that language."""
    books: tuple[Book, ...]
    questions: tuple[tuple[str, str, int], ...]
    """Each question with the id of its book, and the number of its paragraph there."""

    @property
    def outline(self) -> tuple[tuple[str, int], ...]:
        """The title of each book with the number of its paragraphs: alike in every language."""
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
        return _first(self.scores[mode])

    def first_across(self, name: str) -> ScoreEstimate:
        """Return the share of the questions of another file that find the right paragraph here first."""
        return _first(self.across[name])

    def mrr(self, mode: Mode) -> ScoreEstimate:
        """Return the mean reciprocal rank of the right paragraph."""
        return bootstrap.mean(self.scores[mode])


def mean_across(sets: Sequence[ParagraphScores]) -> ScoreEstimate | None:
    """Return how often a question in another language than the library's finds the right paragraph first.

    None where no library was asked one. The files hold the same questions, so these are drawn together.
    """
    found = [scores == 1 for one in sets for scores in one.across.values()]
    return bootstrap.mean(np.mean(found, axis=0, dtype=np.float64)) if found else None


def _first(scores: NDArray[np.float64]) -> ScoreEstimate:
    return bootstrap.mean((scores == 1).astype(np.float64))


def find_paragraph_sets(paths: Sequence[Path]) -> list[Path]:
    """Return the files of paragraphs with questions, among these files and directly in these folders."""
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return [file for file in files if file.name.endswith(SUFFIXES) and file.is_file()]


def evaluate_paragraphs(
    files: Sequence[Path], domain: Domain, encoder: Encoder, *, modes: Sequence[Mode] = MODES
) -> Iterator[ParagraphScores]:
    """Yield the scores of each file, in order.

    Args:
        files: in the form that the module describes.
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
                name = generation(book.id, domain, encoder, read_options(domain))
                store(prepare(analyse(book, domain, encoder), name), library)
            scores = {mode: _asked(paragraphs, paragraphs, library, encoder, mode) for mode in modes}
            across = {
                other.name: _asked(other, paragraphs, library, encoder, Mode.HYBRID)
                for other in sets
                if _translated(other, paragraphs, encoder) and Mode.HYBRID in modes
            }
        n_paragraphs = sum(len(book.sections) for book in paragraphs.books)
        yield ParagraphScores(paragraphs.name, n_paragraphs, scores, across)


def _translated(asked: ParagraphSet, stored: ParagraphSet, encoder: Encoder) -> bool:
    """Return whether two sets are the same in two languages, and the model connects both."""
    languages = [asked.books[0].language, stored.books[0].language]
    return (
        languages[0] != languages[1]
        and asked.outline == stored.outline
        and all(language is not None and connects(encoder, language) for language in languages)
    )


def _asked(
    asked: ParagraphSet, stored: ParagraphSet, library: Catalog, encoder: Encoder, mode: Mode
) -> NDArray[np.float64]:
    """Return 1 / the rank of the right paragraph of a stored set for each question of a set."""
    places = {book.id: place for place, book in enumerate(asked.books)}
    scores = []
    for question, book_id, number in asked.questions:
        book = stored.books[places[book_id]]
        blocks = book.sections[number].blocks
        start, end = blocks[0].start, blocks[-1].end
        hits = search(question, library, encoder, mode=mode, limit=_DEPTH)
        scores.append(reciprocal_rank([hit.book_id == book.id and start <= hit.start < end for hit in hits]))
    return np.array(scores)


def read_paragraphs(file: Path) -> ParagraphSet:
    """Return the books and questions of a file.

    Raises:
        ConfigError: the file cannot be read, or has another form.
    """
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        rows = [json.loads(line) for line in raw.decode("utf-8").splitlines() if line.strip()]
        articles: dict[str, list[Any]] = {}
        for row in rows:
            articles.setdefault(str(row["article"]), []).append(row)
        name = file.name.removesuffix(".gz").removesuffix(".jsonl")
        books = {title: _book(file, title, name, own) for title, own in articles.items()}
        asked = [
            (str(entry["question"]), books[title].id, number)
            for title, own in articles.items()
            for number, row in enumerate(own)
            for entry in row["questions"]
        ]
    except OSError as error:  # gzip's own is one of them
        raise ConfigError(f"cannot read {file}", why=io_reason(error), fix="check the file") from error
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise ConfigError(
            f"cannot read {file} as paragraphs with questions",
            why=f"{type(error).__name__}: {error}",
            fix="see docs/quality.md for the form; for questions about books, use --questions FILE",
        ) from error
    if not asked:
        raise ConfigError(f"there are no questions in {file}", fix="see docs/quality.md for the form")
    step = -(-len(asked) // N_QUESTIONS)
    return ParagraphSet(name, tuple(books.values()), tuple(asked[step - 1 :: step]))


def _book(file: Path, title: str, language: str, rows: Sequence[Mapping[str, Any]]) -> Book:
    """Return an article as a book; chapters are never put together into one chunk."""
    sections = tuple(
        DraftSection((f"{number}",), 1, None, (DraftBlock(BlockKind.PARAGRAPH, clean(str(row["context"]))),))
        for number, row in enumerate(rows, 1)
    )
    known = language if 2 <= len(language) <= 3 and language.isalpha() else None
    metadata = Metadata(
        title.replace("_", " "), language=known, language_source="metadata" if known else None
    )
    text = "\n".join(str(row["context"]) for row in rows)
    id = sha256(f"{language}\n{title}\n{text}".encode()).hexdigest()
    return bind(Draft(metadata, sections, chapter_level=1), id=id, source=str(file / title), format="jsonl")
