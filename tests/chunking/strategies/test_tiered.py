"""`tiered` by hand: a token is four characters."""

import pytest

from alexandria.book.model import Reason
from alexandria.chunking.strategies.tiered import Extent, Tiered
from tests.chunking.builders import rows_with, sizes_with, topics

T, M = Reason.TOPIC, Reason.MAX_SIZE


def cuts(strategy: Tiered, rows: object, tokens: list[int], breaks: tuple[int, ...] = ()) -> list[object]:
    sizes = sizes_with([1] * len(tokens), characters=[4 * n for n in tokens], breaks=breaks)
    return [(b.gap, b.reason, b.overlap) for b in strategy.segment(rows, sizes)]  # type: ignore[arg-type]


def test_the_tiers() -> None:
    cases: dict[str, tuple[tuple[int, ...], list[int], list[object]]] = {
        "under 200 tokens all is one chunk": ((2, 2), [50, 50, 50, 49], []),
        "from 200 on the deepest drop cuts": ((2, 2), [50, 50, 50, 50], [(1, T, 0)]),
        "without a drop 500 tokens stay whole": ((4,), [125] * 4, []),
        "above 500 a window cuts what has no drop": ((5,), [101] * 5, [(3, M, 1)]),
        "first the drops, then windows in the rest": ((3, 9), [100] * 12, [(2, T, 0), (7, M, 1)]),
        "a new window begins after a drop": ((9, 3), [100] * 12, [(4, M, 1), (8, T, 0)]),
        "a sentence longer than a window is left to the cap": ((1, 2), [600, 100, 100], [(0, T, 0)]),
    }
    for lengths, tokens, expected in cases.values():
        assert cuts(Tiered(), topics(*lengths), tokens) == expected


def test_a_drop_cuts_above_the_85th_percentile_of_drops() -> None:
    similarities = [0.9, 0.1, 0.8, 0.7]  # the 85th percentile of .1 .2 .3 .9 is .3 + .55 · .6 = .63
    sizes = sizes_with([1] * 5, characters=[200] * 5)
    (boundary,) = Tiered().segment(rows_with(similarities), sizes)
    assert boundary.gap == 1
    assert boundary.threshold == pytest.approx(1 - 0.63, abs=1e-6)


def test_each_section_has_its_own_tier() -> None:
    tokens = [60] * 2 + [20] * 8 + [40] * 2  # a section of 280 tokens, and one of 80
    assert cuts(Tiered(), topics(2, 9, 1), tokens) == [(1, T, 0), (10, T, 0)]
    assert cuts(Tiered(), topics(2, 9, 1), tokens, breaks=(10,)) == [(1, T, 0)]


def test_a_window_with_what_it_repeats_keeps_to_its_size() -> None:
    assert cuts(Tiered(overlap_sentences=2), topics(12), [100] * 12) == [(4, M, 2), (7, M, 2), (10, M, 2)]


def test_a_section_of_500_tokens_gets_no_windows_however_small() -> None:
    assert cuts(Tiered(window_tokens=200), topics(5), [100] * 5) == []


def test_without_overlap_nothing_is_repeated() -> None:
    assert cuts(Tiered(overlap_sentences=0), topics(12), [100] * 12) == [(4, M, 0), (9, M, 0)]


def test_tiers_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"long_tokens must be at least short_tokens \(600\), not 500"):
        Tiered(short_tokens=600)


def test_a_section_may_have_a_percentile_of_its_own() -> None:
    close, loose = [0.9, 0.85, 0.9, 0.9], [0.2, 0.3, 0.25, 0.3]  # gap 4, between the sections, is neither's
    sizes = sizes_with([1] * 10, characters=[200] * 10, breaks=(5,))
    rows = rows_with([*close, 0.5, *loose])
    of_book = Tiered().segment(rows, sizes)
    assert [boundary.gap for boundary in of_book] == [5, 7]
    of_section = Tiered(percentile_of=Extent.SECTION).segment(rows, sizes)
    assert [boundary.gap for boundary in of_section] == [1, 5]
    # Of the drops .1 .15 .1 .1 it is .1 + .55 · .05, and of .8 .7 .75 .7 it is .75 + .55 · .05.
    assert [boundary.threshold for boundary in of_section] == pytest.approx([0.8725, 0.2225], abs=1e-6)


def test_whose_drops_count_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="percentile_of must be one of book, section"):
        Tiered(percentile_of="chapter")  # type: ignore[arg-type]  # the mistake itself
