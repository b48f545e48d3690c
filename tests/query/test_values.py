"""What is passed on does not change."""

from tests.values import changeable


def test_values_are_frozen() -> None:
    assert changeable("alexandria.library.search") == {"Recorder"}
