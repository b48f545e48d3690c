"""What a reader may wish otherwise."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of extraction, the same for every format."""

    keep_matter: bool = False
    """Keep cover, contents, imprint, index… in the text instead of leaving them out."""
    password: str | None = None
    """For encrypted PDFs."""
    inline_notes: bool = False
    """Put each note behind the block that cites it, instead of apart."""
