"""Tasks made from books, and the scores of strategies on them."""

import numpy as np
import pytest

from alexandria.book.model import BlockKind, Book, Metadata
from alexandria.chunking import STRATEGIES
from alexandria.chunking.cues.find import SENTENCE_CUES, Cue
from alexandria.chunking.domains import load_domain
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.embed import load_encoder
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from alexandria.lab import boundaries
from alexandria.lab.boundaries import (
    METRICS,
    concatenate_passages,
    evaluate_boundaries,
    make_tasks,
    measure_agreements,
    score_strategy,
    strip_headings,
)
from alexandria.lab.scores import Material, section_f1
from alexandria.lab.settings import Variant, registered_variants
from tests.chunking.builders import sizes_with
from tests.evaluate.made import TOPICS, book

pytestmark = pytest.mark.annex
ENCODER = load_encoder("hashing")


def test_headings_are_gone_and_chapters_begin_where_they_stood() -> None:
    made = book()
    body = strip_headings(made, ENCODER)
    # Two paragraphs of eight sentences a chapter; the heading is a sentence of its own, and taken out.
    assert len(body.sentence_vectors) == 4 * 16
    assert body.sections == body.chapters == {16, 32, 48}
    assert np.flatnonzero(body.sizes.starts_block).tolist() == list(range(0, 64, 8))


def test_a_strategy_that_sees_topics_finds_what_random_order_does_not() -> None:
    lengths = [6, 20, 9, 29, 12]  # unequal: in random order the same chunks end elsewhere
    n, starts = sum(lengths), np.cumsum(lengths)[:-1]
    rows = np.repeat(np.eye(5, dtype=np.float32), lengths, axis=0)
    topics = frozenset(int(start) for start in starts)
    body = boundaries.BodyText(rows, sizes_with([20] * n), topics, topics)
    result = score_strategy(
        "sections", "optimal", Optimal(min_words=0, chunk_cost=1.0), [body.document(topics)], tolerance=0
    )
    assert (result.scores["pk"].mean(), result.scores["f1"].mean()) == (0, 1)
    assert result.chance["pk"].mean() > 0.2
    assert result.chance["f1"].mean() < 0.6


@pytest.mark.parametrize("n_books", [1, 3])
def test_passages_put_together_come_from_another_source_each_time(n_books: int) -> None:
    names = list(TOPICS)
    made = [book(f"Book {i}", (names[i], names[3])) for i in range(n_books)]
    bodies = [strip_headings(one, ENCODER) for one in made]
    documents = concatenate_passages(bodies, 20, seed=5)
    assert len(documents) == 20
    for document in documents:
        edges = [0, *sorted(document.topics), len(document.sentence_vectors)]
        lengths = np.diff(edges)
        assert len(lengths) == boundaries.N_PASSAGES
        assert all(boundaries.MIN_LENGTH <= n <= boundaries.MAX_LENGTH for n in lengths)
        assert len(document.sizes.words) == len(document.sentence_vectors)


def test_the_same_seed_puts_the_same_documents_together() -> None:
    bodies = [strip_headings(book(f"Book {i}"), ENCODER) for i in range(2)]
    first, again, other = (concatenate_passages(bodies, 5, seed) for seed in (1, 1, 2))
    assert [sorted(one.topics) for one in first] == [sorted(one.topics) for one in again]
    assert [sorted(one.topics) for one in first] != [sorted(one.topics) for one in other]


def test_a_book_of_one_section_offers_nothing() -> None:
    bodies = [strip_headings(book(topics=("Ships",)), ENCODER)]
    assert make_tasks(bodies, n_documents=3, seed=0) == {}


def test_a_book_is_scored_in_stretches_of_ten_topics() -> None:
    cases: dict[str, tuple[int, list[tuple[int, int]]]] = {
        "two topics": (2, [(0, 20)]),
        "ten": (10, [(0, 100)]),
        "four more join": (14, [(0, 140)]),
        "five more stand alone": (15, [(0, 100), (100, 150)]),
    }
    for n_topics, expected in cases.values():
        topics = frozenset(range(10, 10 * n_topics, 10))
        assert list(boundaries._group_topics(topics, 10 * n_topics)) == expected


def test_a_stretch_is_scored_by_its_own_boundaries() -> None:
    n = 200
    body = strip_headings(book(), ENCODER)
    rows = np.repeat(body.sentence_vectors, 4, axis=0)[:n]
    big = boundaries.BodyText(rows, sizes_with([6] * n), frozenset(range(10, n, 10)), frozenset())
    document = big.document(big.sections)
    first, second = measure_agreements(document, [*range(10, 100, 10)], tolerance=0)
    assert (first.pk, first.f1) == (0, 1)
    assert (second.recall, second.f1) == (0, 0)


def test_every_registered_strategy_is_scored() -> None:
    body = strip_headings(book(), ENCODER)
    document = body.document(body.sections)
    labels = []
    for setting in registered_variants():
        result = score_strategy("sections", setting.label, setting.domain.strategy, [document])
        assert set(result.scores) == set(result.chance) == set(METRICS)
        labels.append(result.setting)
    assert labels == list(STRATEGIES)


def test_books_are_split_into_the_sentences_of_the_domain() -> None:
    """One sentence per chunk: the number of chunks is that of the sentences."""
    blocks = (DraftBlock(BlockKind.PARAGRAPH, "Dr. Brown sailed out. It rained all day."),)
    sections = tuple(DraftSection((title,), 1, None, blocks) for title in ("One", "Two"))
    made = bind(Draft(Metadata("Made"), sections), id="made", source="made.txt", format="txt")
    one_each = {"strategy": "percentile", "min_sentences": 1, "max_sentences": 1}
    for splitter, n_sentences in (("default", 4), ("regex", 6)):
        domain = load_domain(options={**one_each, "sentences": splitter})
        report = evaluate_boundaries([made], [Variant("each", domain)], ENCODER, n_documents=1)
        assert report.results[0].n_chunks == n_sentences
        material = Material([made], [], {}, ENCODER, "hybrid", splitter=splitter)
        (f1,) = section_f1(material, [0])(domain)
        assert f1 == pytest.approx(2 / n_sentences)  # one of the n − 1 cuts is the beginning of section two


def test_strategies_are_scored_with_the_cues_and_breaks_of_the_book() -> None:
    """Breaks inside sections are there; those at their beginnings would give the sections away."""
    made = _book_with_breaks()
    sizes = strip_headings(made, ENCODER).document(frozenset({4})).sizes
    assert np.flatnonzero(sizes.break_before).tolist() == [2]
    assert np.flatnonzero(sizes.cues[Cue.POINTS_BACK]).tolist() == [1]
    assert np.flatnonzero(sizes.cues[Cue.QUESTION]).tolist() == [3]


def test_passages_have_only_the_cues_that_a_sentence_holds_by_itself() -> None:
    """A cue of layout would tell where the paragraphs of a passage begin."""
    paragraph = DraftBlock(BlockKind.PARAGRAPH, "Oslo was built on rock. He saw it? " * 10)
    sections = tuple(DraftSection((name,), 1, None, (paragraph,) * 2) for name in ("One", "Two"))
    made = bind(Draft(Metadata("T", language="en"), sections), id="0" * 64, source="t.txt", format="txt")
    body = strip_headings(made, ENCODER)
    assert Cue.QUESTION in body.sizes.cues
    [document] = concatenate_passages([body], 1, seed=0)
    assert set(document.sizes.cues) == SENTENCE_CUES
    points_back = document.sizes.cues[Cue.POINTS_BACK]
    oslo = [not np.allclose(row, body.sentence_vectors[0]) for row in document.sentence_vectors]
    assert points_back.tolist() == oslo  # every second sentence, whatever passage it comes from


def _book_with_breaks() -> Book:
    def paragraph(text: str, *, after_break: bool = False) -> DraftBlock:
        return DraftBlock(BlockKind.PARAGRAPH, text, break_before=after_break)

    first = (paragraph("Rain fell on Oslo."), paragraph("He left."), paragraph("Who?", after_break=True))
    sections = (
        DraftSection(("One",), 1, None, (*first, paragraph("Ships sailed."))),
        DraftSection(
            ("Two",),
            1,
            None,
            (DraftBlock(BlockKind.HEADING, "Two"), paragraph("Bread rose.", after_break=True)),
        ),
    )
    return bind(Draft(Metadata("T", language="en"), sections), id="0" * 64, source="t.txt", format="txt")
