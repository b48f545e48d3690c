"""A picture of a page as it is handed to the recognition program."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A file with the picture of a page."""

    data: bytes
    dpi: float
    """Pixels in an inch of the page."""
