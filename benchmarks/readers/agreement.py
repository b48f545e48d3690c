"""How well cuts agree with the cuts of a reader, inside chapters and sections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from alexandria.book.model import BlockKind, Book, Sentence
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.lab import bootstrap
from alexandria.lab.agreement import N_SHUFFLES, count_matches, shuffle_cuts
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.settings import Cutter, Variant, refuse_differences
from alexandria.library.ingest.one_book import Analysis
from benchmarks.readers.cuts import PlacedCuts, UnplacedCut


@dataclass(frozen=True, slots=True)
class ReaderCounts:
    """Cuts of a strategy compared with the cuts of a reader; the counts of several books can be added."""

    n_wanted: int = 0
    """The reader's cuts."""
    n_cuts: int = 0
    """The strategy's cuts."""
    n_found: int = 0
    """Places where both the reader and the strategy cut."""
    n_near: int = 0
    """The reader's cuts that pair up with one of the strategy's within the tolerance, each used once."""
    n_acceptable: int = 0
    """The strategy's cuts where the reader would accept one."""

    def __add__(self, other: "ReaderCounts") -> "ReaderCounts":
        """Return the sums."""
        return ReaderCounts(
            n_wanted=self.n_wanted + other.n_wanted,
            n_cuts=self.n_cuts + other.n_cuts,
            n_found=self.n_found + other.n_found,
            n_near=self.n_near + other.n_near,
            n_acceptable=self.n_acceptable + other.n_acceptable,
        )

    @property
    def found(self) -> float:
        """The share of the reader's cuts that were made."""
        return self.n_found / self.n_wanted if self.n_wanted else 0.0

    @property
    def near(self) -> float:
        """The share of the reader's cuts that were made within the tolerance."""
        return self.n_near / self.n_wanted if self.n_wanted else 0.0

    @property
    def right(self) -> float | None:
        """The share of the strategy's cuts that the reader makes or accepts, or None without cuts."""
        return (self.n_found + self.n_acceptable) / self.n_cuts if self.n_cuts else None

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision, where acceptable cuts do not count."""
        counted = self.n_wanted + self.n_cuts - self.n_acceptable
        return 2 * self.n_found / counted if counted else 1.0


@dataclass(frozen=True, slots=True)
class ReaderScore:
    """One variant on one book, or on all books."""

    book: str
    """Its title; empty for all books."""
    setting: str
    n_chunks: int
    n_words: int
    counts: ReaderCounts
    chance: ReaderCounts
    """The counts of each section's chunks in random order, summed over `N_SHUFFLES` orders: only the shares
    can be compared with those of `counts`."""

    @property
    def found(self) -> ScoreEstimate:
        """The share of the reader's cuts that were made, with its interval over these cuts."""
        values = np.zeros(self.counts.n_wanted)  # 1 for each of the reader's cuts that was made
        values[: self.counts.n_found] = 1
        return bootstrap.mean(values)

    @property
    def mean_words(self) -> float:
        """Words per chunk."""
        return self.n_words / max(1, self.n_chunks)


@dataclass(frozen=True, slots=True)
class ReaderReport:
    """Every variant on every book."""

    scores: tuple[ReaderScore, ...]
    """Book by book."""
    unplaced: tuple[UnplacedCut, ...]
    tolerance: int
    seed: int

    @property
    def books(self) -> tuple[str, ...]:
        """The titles, in the order of the file."""
        return tuple(dict.fromkeys(score.book for score in self.scores))

    @property
    def totals(self) -> tuple[ReaderScore, ...]:
        """Each variant on all books."""
        settings = dict.fromkeys(score.setting for score in self.scores)
        return tuple(
            _sum_scores([score for score in self.scores if score.setting == setting]) for setting in settings
        )


def compare_with_reader(
    placed: Sequence[PlacedCuts],
    variants_for: Callable[[str | None], Sequence[Variant]],
    encoder_for: Callable[[Domain], Encoder],
    *,
    unplaced: Sequence[UnplacedCut] = (),
    tolerance: int,
    seed: int = 0,
) -> ReaderReport:
    """Return how well each variant agrees with the reader on each book.

    Args:
        placed: the reader's cuts of each book.
        variants_for: returns what is compared, for the domain of a book; all of one model.
        encoder_for: returns the encoder of a domain.
        unplaced: cuts that could not be used, for the report.
        tolerance: sentences by which a cut may be off and still be near.
        seed: the same seed gives the same result.

    Raises:
        ConfigError: the variants for a book split it into different sentences.
    """
    scores: list[ReaderScore] = []
    for reader in placed:
        variants = variants_for(reader.domain)
        refuse_differences(variants, ["sentences"])
        encoder = encoder_for(variants[0].domain)
        cutter = Cutter()  # splits and embeds the book once for all variants
        for variant in variants:
            analysis = cutter(reader.book, variant.domain, encoder)
            scores.append(_score(variant.label, analysis, reader, tolerance=tolerance, seed=seed))
    return ReaderReport(tuple(scores), tuple(unplaced), tolerance, seed)


@dataclass(frozen=True, slots=True)
class _SectionCuts:
    """The cuts in a section, by the sentence after each, counted from the section's first.

    The section's first sentence is no cut: every strategy cuts before it.
    """

    n_sentences: int
    wanted: tuple[int, ...]
    """Where the reader cuts."""
    acceptable: frozenset[int]
    """Where the reader would accept a cut."""
    cuts: tuple[int, ...]
    """Where the strategy cuts."""

    def count(self, cuts: Sequence[int], tolerance: int) -> ReaderCounts:
        """Return how cuts in this section, the strategy's or shuffled ones, compare with the reader's."""
        return ReaderCounts(
            n_wanted=len(self.wanted),
            n_cuts=len(cuts),
            n_found=len(set(self.wanted) & set(cuts)),
            n_near=count_matches(self.wanted, cuts, tolerance),
            n_acceptable=len(self.acceptable & set(cuts)),
        )


def _score(label: str, analysis: Analysis, reader: PlacedCuts, *, tolerance: int, seed: int) -> ReaderScore:
    """Return how a variant's cuts of a book, and its chunks in random order, compare with a reader's."""
    generator = np.random.default_rng(seed)
    counts = chance = ReaderCounts()
    for section in _cuts_by_section(analysis, reader):
        counts += section.count(section.cuts, tolerance)
        for _ in range(N_SHUFFLES):
            control = shuffle_cuts(section.cuts, section.n_sentences, generator)
            chance += section.count(control, tolerance)
    return ReaderScore(
        book=reader.book.title,
        setting=label,
        n_chunks=len(analysis.chunks),
        n_words=analysis.n_words,
        counts=counts,
        chance=chance,
    )


def _cuts_by_section(analysis: Analysis, reader: PlacedCuts) -> Iterator[_SectionCuts]:
    """Yield the strategy's and the reader's cuts section by section; headings are left out."""
    cut_numbers = {boundary.gap + 1 for boundary in analysis.segmentation.boundaries}
    sentences = _numbered_prose(analysis.book, analysis.sentences)
    for _, group in groupby(sentences, key=lambda numbered: numbered[1].section):
        members = list(group)
        # Sentences are counted in two ways: i in the section, and `number` in the book, headings included.
        inner = list(enumerate(members))[1:]  # without the first: every strategy cuts before it
        yield _SectionCuts(
            n_sentences=len(members),
            wanted=tuple(i for i, (_, sentence) in inner if sentence.start in reader.cuts),
            acceptable=frozenset(i for i, (_, sentence) in inner if sentence.start in reader.acceptable),
            cuts=tuple(i for i, (number, _) in inner if number in cut_numbers),
        )


def _numbered_prose(book: Book, sentences: Sequence[Sentence]) -> list[tuple[int, Sentence]]:
    """Return the sentences that are not headings, each with its number among all sentences."""
    kinds = [block.kind for block in book.blocks]
    return [
        (number, sentence)
        for number, sentence in enumerate(sentences)
        if kinds[sentence.block] is not BlockKind.HEADING
    ]


def _sum_scores(scores: Sequence[ReaderScore]) -> ReaderScore:
    """Return the score on all books of one variant, from its scores on each book."""
    return ReaderScore(
        book="",
        setting=scores[0].setting,
        n_chunks=sum(score.n_chunks for score in scores),
        n_words=sum(score.n_words for score in scores),
        counts=sum((score.counts for score in scores), ReaderCounts()),
        chance=sum((score.chance for score in scores), ReaderCounts()),
    )
