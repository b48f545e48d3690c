"""The page."""

from alexandria.report.comparison import Comparison


def render(comparison: Comparison) -> str:
    """Return the page."""
    raise NotImplementedError
