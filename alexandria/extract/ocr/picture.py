"""A picture of a page, as the recognition program gets it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file with the picture of a page."""

    data: bytes
    dpi: float | None
    """Pixels per inch of the page; None if the file does not say."""
