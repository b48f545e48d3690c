"""Placeholder: being written."""

from pathlib import Path

from alexandria.extract.draft import Draft
from alexandria.extract.options import ReadOptions


def extract(path: Path, options: ReadOptions) -> Draft:
    """Not there yet."""
    raise NotImplementedError
