"""`percentile` on similarities given by hand; limits count sentences."""

from dataclasses import replace

import pytest

from alexandria.book.model import Reason
from alexandria.chunking.strategies.percentile import PRESETS, Percentile, Preset, PresetLimits
from tests.chunking.builders import rows_with, sizes_with, topics

T, M = Reason.TOPIC, Reason.MAX_SIZE
UNEVEN = [0.9, 0.8, 0.3, 0.7, 0.6]  # the median is 0.7
ANY = Percentile(threshold=0.95, min_sentences=1, max_sentences=30, percentile=0.5)


def cuts(strategy: Percentile, similarities: list[float]) -> list[tuple[int, Reason]]:
    sizes = sizes_with([10] * (len(similarities) + 1))
    return [(b.gap, b.reason) for b in strategy.segment(rows_with(similarities), sizes)]


def test_decisions() -> None:
    cases: dict[str, tuple[Percentile, list[float], list[tuple[int, Reason]]]] = {
        "below the book's own median": (ANY, UNEVEN, [(2, T), (4, T)]),
        "the lower of the two thresholds holds": (replace(ANY, threshold=0.5), UNEVEN, [(2, T)]),
        "nothing is below the lowest": (replace(ANY, percentile=0), UNEVEN, []),
        "a short chunk is not cut off": (replace(ANY, min_sentences=3), UNEVEN, [(2, T)]),
        "a short remainder joins the last chunk": (replace(ANY, min_sentences=4), UNEVEN, []),
        "not beyond the cap": (replace(ANY, min_sentences=4, max_sentences=6), [*UNEVEN, 0.9], [(3, T)]),
        "a long chunk is split": (
            replace(ANY, max_sentences=3, percentile=0),
            UNEVEN + [0.9] * 2,
            [(2, M), (5, M)],
        ),
        "the limit wins over the topic": (replace(ANY, max_sentences=3), [0.9, 0.9, 0.1, 0.9], [(2, M)]),
    }
    for strategy, similarities, expected in cases.values():
        assert cuts(strategy, similarities) == expected


def test_a_boundary_records_the_threshold_in_force() -> None:
    boundaries = ANY.segment(rows_with(UNEVEN), sizes_with([10] * 6))
    assert [b.threshold for b in boundaries] == pytest.approx([0.7, 0.7], abs=1e-6)


def test_each_section_counts_its_own_sentences() -> None:
    sizes = sizes_with([10] * 12, breaks=(6,))
    assert [b.gap for b in Percentile().segment(topics(3, 9), sizes)] == [2]
    narrow = Percentile(max_sentences=4).segment(topics(3, 9), sizes)
    assert [b.gap for b in narrow] == [2, 9]


def test_the_presets_and_what_overrides_them() -> None:
    assert Percentile().effective_limits == PresetLimits(0.7, 3, 30, 0.5)
    assert Percentile(Preset.TECHNICAL).effective_limits == PresetLimits(0.75, 3, 40, 0.5)
    assert Percentile(Preset.NARRATIVE).effective_limits == PresetLimits(0.65, 3, 20, 0.4)
    assert Percentile(Preset.NARRATIVE, max_sentences=25).effective_limits == PresetLimits(0.65, 3, 25, 0.4)
    assert set(PRESETS) == set(Preset)


def test_an_option_out_of_range_is_named() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"preset": "poetry"}, "preset must be one of default, technical, narrative"),
        ({"percentile": 50}, "percentile must be a number from 0 to 1, not 50"),
        ({"min_sentences": 0}, "min_sentences must be"),
        ({"max_sentences": 2}, r"max_sentences must be at least min_sentences \(3\), not 2"),
    ]
    for options, message in cases:
        with pytest.raises(ValueError, match=message):
            Percentile(**options)  # type: ignore[arg-type]  # wrong values are the point
