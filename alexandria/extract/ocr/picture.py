"""A picture of a page as it is handed to the recognition program."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A file with the picture of a page."""

    data: bytes
    dpi: float | None
    """Pixels in an inch of the page; None if the file does not say."""
