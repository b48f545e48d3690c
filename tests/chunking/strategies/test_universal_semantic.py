"""The worked examples of the specification, with the similarities it prints."""

import pytest

from alexandria.book.model import Reason
from alexandria.chunking import explain_boundary, segment_sentences
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from tests.chunking.builders import rows_with, sizes_with

TOPIC, FORCED = Reason.TOPIC, Reason.MAX_SIZE


def test_the_worked_example_gives_three_chunks_with_the_printed_word_counts() -> None:
    strategy = UniversalSemantic(threshold=0.5, min_words=15, max_words=100)
    counts = [20, 8, 18, 10, 13, 10]
    segmentation = segment_sentences(strategy, rows_with([0.78, 0.22, 0.81, 0.18, 0.72]), sizes_with(counts))
    assert [(b.gap, b.reason) for b in segmentation.boundaries] == [(1, TOPIC), (3, TOPIC)]
    assert [b.similarity for b in segmentation.boundaries] == pytest.approx([0.22, 0.18], abs=1e-6)
    assert [sum(counts[a:b]) for a, b in ((0, 2), (2, 4), (4, 6))] == [28, 28, 23]
    assert [b.margin for b in segmentation.boundaries] == pytest.approx([0.28, 0.32], abs=1e-6)


def test_the_four_decision_examples() -> None:
    cases: dict[str, tuple[list[int], float, Reason | None]] = {
        "example 1: a topic ends": ([250, 18], 0.22, TOPIC),
        "example 2: the cap forces a cut": ([1480, 30], 0.85, FORCED),
        "example 3: the same topic goes on": ([220, 7], 0.78, None),
        "example 4: too few words to cut": ([50, 5], 0.15, None),
    }
    for words, similarity, reason in cases.values():
        strategy = UniversalSemantic(threshold=0.5, min_words=200, max_words=1500)
        boundaries = strategy.segment(rows_with([similarity]), sizes_with(words))
        assert [b.reason for b in boundaries] == ([reason] if reason else [])


def test_the_scan_decides_as_described() -> None:
    cases: dict[str, tuple[list[float], list[int], list[tuple[int, Reason]]]] = {
        "a similarity at the threshold does not cut": ([0.5], [20, 20], []),
        "a buffer of exactly min_words may be cut": ([0.1], [10, 20], [(0, TOPIC)]),
        "one word short of min_words may not": ([0.1], [9, 20], []),
        "a chunk of exactly max_words fits": ([0.9], [10, 30], []),
        "one word above max_words does not": ([0.9], [11, 30], [(0, FORCED)]),
        "the cap wins over the topic": ([0.1], [11, 30], [(0, FORCED)]),
        "a sentence above the cap is alone": ([0.9, 0.9], [5, 90, 12], [(0, FORCED), (1, FORCED)]),
        "a new buffer begins after a cut": ([0.9, 0.1, 0.1], [8, 8, 8, 8], [(1, TOPIC)]),
    }
    for similarities, words, cuts in cases.values():
        strategy = UniversalSemantic(threshold=0.5, min_words=10, max_words=40)
        boundaries = strategy.segment(rows_with(similarities), sizes_with(words))
        assert [(b.gap, b.reason) for b in boundaries] == cuts


def test_a_low_similarity_after_a_heading_does_not_separate_it_from_its_text() -> None:
    strategy = UniversalSemantic(threshold=0.5, min_words=10, max_words=40)
    words = [12, 12, 12]
    assert [b.gap for b in strategy.segment(rows_with([0.9, 0.1]), sizes_with(words))] == [1]
    assert strategy.segment(rows_with([0.9, 0.1]), sizes_with(words, after_heading=[2])) == ()


def test_a_forced_cut_moves_before_the_heading_it_would_part_from_its_text() -> None:
    strategy = UniversalSemantic(threshold=0.5, min_words=10, max_words=40)
    sizes = sizes_with([30, 5, 20], after_heading=[2])
    assert [(b.gap, b.reason) for b in strategy.segment(rows_with([0.9, 0.9]), sizes)] == [(0, FORCED)]


def test_the_balance_says_that_a_cut_was_the_first_chance_and_how_deep_the_others_were() -> None:
    strategy = UniversalSemantic(threshold=0.5, min_words=20, max_words=50)
    rows = rows_with([0.9, 0.4, 0.3, 0.2, 0.9, 0.9])
    boundary, *_ = segment_sentences(strategy, rows, sizes_with([10] * 7)).boundaries
    assert (boundary.gap, boundary.rank, boundary.n_candidates) == (1, 3, 4)
    assert explain_boundary(boundary, strategy) == (
        "New topic. Similarity 0.40, below 0.50: first chance after 20 words (rank 3 of 4)."
    )


def test_an_option_out_of_range_is_named() -> None:
    cases: list[tuple[dict[str, float], str]] = [
        ({"threshold": 1.5}, "threshold must be a number from -1 to 1, not 1.5"),
        ({"threshold": float("nan")}, "threshold must be"),
        ({"min_words": -1}, "min_words must be a whole number of at least 0, not -1"),
        ({"max_words": 0, "min_words": 0}, "max_words must be a whole number of at least 1, not 0"),
        ({"min_words": 300, "max_words": 200}, r"max_words must be at least min_words \(300\), not 200"),
    ]
    for options, message in cases:
        with pytest.raises(ValueError, match=message):
            UniversalSemantic(**options)  # type: ignore[arg-type]  # wrong values are the point


@pytest.mark.parametrize(("threshold", "gaps"), [(1.0, [0, 1]), (0.999, [1])])
def test_at_threshold_1_every_gap_is_cut_even_where_the_model_sees_no_difference(
    threshold: float, gaps: list[int]
) -> None:
    strategy = UniversalSemantic(threshold=threshold, min_words=1, max_words=40)
    boundaries = strategy.segment(rows_with([1.0, 0.5]), sizes_with([8, 8, 8]))
    assert [boundary.gap for boundary in boundaries] == gaps
