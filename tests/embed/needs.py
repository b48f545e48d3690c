"""Marks of tests that need what not every environment has."""

from importlib.util import find_spec

import pytest

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="torch and sentence-transformers (the extra `models`) are not installed",
)
