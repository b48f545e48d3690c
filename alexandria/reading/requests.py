"""What the isolated process is asked: to read a file, or to draw a page.

Not in `worker`, which is run as a program: its classes would then differ from those that it is sent.
"""

from dataclasses import dataclass
from pathlib import Path

from alexandria.extract.options import ReadOptions
from alexandria.reading.limits import Limits


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A file to read, and what it may cost."""

    path: Path
    options: ReadOptions
    limits: Limits
    n_bytes: int


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A page to draw, and what it may cost."""

    path: Path
    page: int
    """Its number in the file, from 1."""
    width: int
    """Pixels."""
    password: str | None
    limits: Limits
    n_bytes: int
