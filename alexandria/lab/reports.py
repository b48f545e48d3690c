"""One function per measuring command: files and options in, a report out.

`notify` receives a line for every file or question that is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Book, Embeddings
from alexandria.chunking.domains import Domain, load_domain
from alexandria.embed import Encoder, load_encoder
from alexandria.embed.encoder import Counter, ForwardingEncoder, uncounted
from alexandria.lab.books_and_questions import Notify, read_books, read_inputs
from alexandria.lab.boundaries import BoundaryReport, evaluate_boundaries
from alexandria.lab.retrieval import RetrievalReport, evaluate_retrieval
from alexandria.lab.settings import Cutter, Variant, refuse_differences, refuse_sentences
from alexandria.lab.tuning import TuningReport, check_objective, tune_domain
from alexandria.library.inspect.quality import Quality, quality_of


class MemoizedEncoder(ForwardingEncoder):
    """Wraps an encoder, and remembers the vectors that it has computed: many settings cut the same books."""

    def __init__(self, encoder: Encoder) -> None:
        """Wrap an encoder; its vectors are remembered by text as long as this object exists."""
        self._encoder = encoder
        self.name = encoder.name
        self._position_of: dict[str, int] = {}
        self._vectors: Embeddings | None = None
        self._queries: dict[str, NDArray[np.float32]] = {}

    @property
    def inner(self) -> Encoder:
        """The encoder of what is not remembered."""
        return self._encoder

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Encode texts, and return a function that returns their vectors."""
        vectors = self.encode(texts)
        return lambda: vectors

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) vectors of length 1, in the order of the texts; a text is embedded once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._position_of]
        # If most are missing, encode the whole list: the cache on disk is keyed by whole lists.
        most_are_missing = self._vectors is None or len(missing) > len(texts) / 2
        to_encode = list(texts) if most_are_missing else missing
        if to_encode:
            self._remember(to_encode, self._encoder.encode(to_encode))
        if self._vectors is None:  # nothing has been encoded yet, so there are no texts
            return np.empty((0, self.dim), np.float32)
        return self._vectors[[self._position_of[text] for text in texts]]

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) vectors of length 1 of questions, in the order of the texts."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._queries]
        if missing:
            self._queries.update(zip(missing, self._encoder.encode_queries(missing), strict=True))
        vectors = [self._queries[text] for text in texts]
        # The shape is given because an array of no vectors is (0,), not (0, dim).
        return np.array(vectors, np.float32).reshape(len(texts), self.dim)

    def _remember(self, texts: Sequence[str], vectors: Embeddings) -> None:
        """Remember the vectors of texts, (n_texts, dim), besides the vectors that are remembered already."""
        first = 0 if self._vectors is None else len(self._vectors)
        self._vectors = vectors if self._vectors is None else np.concatenate((self._vectors, vectors))
        for i, text in enumerate(texts):
            # The first vector wins: a text must keep its vector whatever else is encoded.
            self._position_of.setdefault(text, first + i)


def memoized_encoder(domain: Domain) -> MemoizedEncoder:
    """Return the domain's encoder; no sentence is embedded twice, in this run (memory) or the next (disk)."""
    return MemoizedEncoder(
        load_encoder(
            domain.model,
            backend=domain.backend,
            precision=domain.precision,
            batch_size=domain.batch_size,
            cache=True,
        )
    )


@dataclass(frozen=True, slots=True)
class QualityResult:
    """The chunks of one book under one variant."""

    book: str  # the title of the book
    setting: str
    quality: Quality


def boundary_report(
    paths: Sequence[Path],
    variants: Sequence[Variant],
    notify: Notify,
    *,
    n_documents: int,
    tolerance: int,
    seed: int,
) -> BoundaryReport:
    """Return how well each variant finds the boundaries of the books (`evaluate_boundaries`).

    Raises:
        BookError: the only file cannot be read.
        ConfigError: there is no book or no boundary, or the variants split books into different sentences.
    """
    refuse_differences(variants, ["sentences"])
    domain = variants[0].domain
    books = read_books(paths, domain, notify)
    return evaluate_boundaries(
        books, variants, memoized_encoder(domain), n_documents=n_documents, tolerance=tolerance, seed=seed
    )


def retrieval_report(
    paths: Sequence[Path],
    questions: Path | None,
    variants: Sequence[Variant],
    notify: Notify,
    *,
    modes: Sequence[str],
    k: int,
    budget: int,
) -> RetrievalReport:
    """Return how well each variant answers the questions, in each mode (`evaluate_retrieval`).

    Raises:
        BookError: the only file cannot be read.
        ConfigError: as `read_inputs` raises, or no variant can be searched in any of the modes.
    """
    domain = variants[0].domain
    if set(modes) == {Mode.SENTENCES} and not any(variant.domain.sentence_vectors for variant in variants):
        refuse_sentences("measure", domain)
    inputs = read_inputs(paths, questions, domain, notify)
    return evaluate_retrieval(
        variants,
        inputs.books,
        inputs.questions,
        memoized_encoder(domain),
        modes=modes,
        hidden=inputs.hidden,
        unplaced=inputs.unplaced,
        k=k,
        budget=budget,
    )


def quality_report(
    paths: Sequence[Path], variants: Sequence[Variant], notify: Notify
) -> tuple[QualityResult, ...]:
    """Return the quality of each book's chunks under each variant (`evaluate_quality`)."""
    domain = variants[0].domain
    return evaluate_quality(read_books(paths, domain, notify), variants, memoized_encoder(domain))


def tuning_report(
    paths: Sequence[Path],
    questions: Path | None,
    domain: str | None,
    config: Path | None,
    notify: Notify,
    *,
    objective: str,
    mode: str,
    n_settings: int,
    seed: int,
) -> TuningReport:
    """Return the best of `n_settings` settings for the books (`tune_domain`).

    Args:
        questions: a file of questions; without it, questions are made from the books.
        config: the file that overrides this domain, if any.
        notify: receives a line for each file or question that is left out.
        objective: a name in `OBJECTIVES`.
        mode: the search mode, for the objective `recall`.
        n_settings: how many to try, the present one included.
        seed: the same seed gives the same result.
    """
    present = load_domain(domain, file=config)
    check_objective(objective, mode, present)
    inputs = read_inputs(paths, questions, present, notify)
    return tune_domain(
        present,
        inputs,
        memoized_encoder(present),
        objective=objective,
        mode=mode,
        n_settings=n_settings,
        seed=seed,
        domain=domain,
        config=config,
        self_made=questions is None,
    )


def evaluate_quality(
    books: Sequence[Book], variants: Sequence[Variant], encoder: Encoder
) -> tuple[QualityResult, ...]:
    """Return the quality of each book's chunks under each variant, book by book."""
    cut = Cutter()
    return tuple(
        QualityResult(book.title, variant.label, quality_of(cut(book, variant.domain, encoder)))
        for book in books
        for variant in variants
    )
