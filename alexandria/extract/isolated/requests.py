"""Requests to the isolated process: to read a file, to draw a page, or to recognise one.

They are not defined in `worker`, which runs as `__main__`: classes of its own would differ from those in the
pickles that it is sent.
"""

from dataclasses import dataclass, field
from pathlib import Path

from alexandria.extract.isolated.limits import Limits
from alexandria.extract.options import ReadOptions


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
    page: int  # the number of the page in the file, from 1
    width: int  # pixels
    password: str | None = field(repr=False)
    limits: Limits
    n_bytes: int


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page to recognise, and what it may cost."""

    path: Path
    key: str  # the key of the page's picture; see `Scan`
    languages: str  # the languages as tesseract names them; empty for those of the script on the picture
    password: str | None = field(repr=False)
    limits: Limits
    n_bytes: int


Request = ReadRequest | PictureRequest | PageRequest
