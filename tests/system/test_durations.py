"""Durations are written in words."""

import pytest

from alexandria.system.durations import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (9.4, "9 s"), (59.6, "1 min 00 s"), (1488.8, "24 min 49 s"), (3909, "1 h 05 min")],
)
def test_a_duration_is_written_in_minutes_and_hours(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_short_duration_may_be_exact() -> None:
    assert [duration(seconds, exact=True) for seconds in (0.04, 4.84, 9.96)] == ["0.0 s", "4.8 s", "10 s"]
