"""Options of extraction."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is read; the same for every format."""

    keep_matter: bool = False
    """Keep the cover, contents, imprint, index… in the text instead of leaving them out."""
    password: str | None = None
    """For encrypted PDFs."""
    inline_notes: bool = False
    """Put each note after the block that cites it instead of apart from the text."""
