"""Each of these tests starts its own processes."""

import pytest

from tests.readers import Readers


@pytest.fixture(autouse=True)
def own_processes(readers: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand no process from test to test."""
    monkeypatch.setattr(readers, "paused", True)
