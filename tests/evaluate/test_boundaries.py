"""Tasks made from books, and the scores of strategies on them."""

import numpy as np
import pytest

from alexandria.chunking import STRATEGIES
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.embed import load_encoder
from alexandria.evaluate import boundaries
from alexandria.evaluate.boundaries import (
    METRICS,
    agreements,
    concatenated,
    score_strategy,
    strip_headings,
    tasks,
)
from alexandria.evaluate.variants import registered_variants
from tests.evaluate.made import TOPICS, book

ENCODER = load_encoder("hashing")


def test_headings_are_gone_and_chapters_begin_where_they_stood() -> None:
    made = book()
    body = strip_headings(made, ENCODER)
    # Two paragraphs of eight sentences a chapter; the heading is a sentence of its own, and taken out.
    assert len(body.rows) == 4 * 16
    assert body.sections == body.chapters == {16, 32, 48}
    assert [i for i, starts in enumerate(body.starts_block) if starts] == list(range(0, 64, 8))


def test_a_strategy_that_sees_topics_finds_what_random_order_does_not() -> None:
    lengths = [6, 20, 9, 29, 12]  # unequal: in random order the same chunks end elsewhere
    n, starts = sum(lengths), np.cumsum(lengths)[:-1]
    rows = np.repeat(np.eye(5, dtype=np.float32), lengths, axis=0)
    topics = frozenset(int(start) for start in starts)
    body = boundaries.Body(rows, [20] * n, [100] * n, [True] * n, topics, topics)
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
    documents = concatenated(bodies, 20, seed=5)
    assert len(documents) == 20
    for document in documents:
        edges = [0, *sorted(document.topics), len(document.rows)]
        lengths = np.diff(edges)
        assert len(lengths) == boundaries.N_PASSAGES
        assert all(boundaries.SHORTEST <= n <= boundaries.LONGEST for n in lengths)
        assert len(document.sizes.words) == len(document.rows)


def test_the_same_seed_puts_the_same_documents_together() -> None:
    bodies = [strip_headings(book(f"Book {i}"), ENCODER) for i in range(2)]
    first, again, other = (concatenated(bodies, 5, seed) for seed in (1, 1, 2))
    assert [sorted(one.topics) for one in first] == [sorted(one.topics) for one in again]
    assert [sorted(one.topics) for one in first] != [sorted(one.topics) for one in other]


def test_a_book_of_one_section_offers_nothing() -> None:
    bodies = [strip_headings(book(topics=("Ships",)), ENCODER)]
    assert tasks(bodies, n_documents=3, seed=0) == {}


@pytest.mark.parametrize(
    ("n_topics", "expected"),
    [
        pytest.param(2, [(0, 20)], id="two topics"),
        pytest.param(10, [(0, 100)], id="ten"),
        pytest.param(14, [(0, 140)], id="four more join"),
        pytest.param(15, [(0, 100), (100, 150)], id="five more stand alone"),
    ],
)
def test_a_book_is_scored_in_stretches_of_ten_topics(n_topics: int, expected: list[tuple[int, int]]) -> None:
    topics = frozenset(range(10, 10 * n_topics, 10))
    assert list(boundaries._stretches(topics, 10 * n_topics)) == expected


def test_a_stretch_is_scored_by_its_own_boundaries() -> None:
    n = 200
    body = strip_headings(book(), ENCODER)
    rows = np.repeat(body.rows, 4, axis=0)[:n]
    big = boundaries.Body(rows, [6] * n, [40] * n, [True] * n, frozenset(range(10, n, 10)), frozenset())
    document = big.document(big.sections)
    first, second = agreements(document, [*range(10, 100, 10)], tolerance=0)
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
