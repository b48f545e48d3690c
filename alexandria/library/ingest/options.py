"""The options of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from alexandria.errors import check_at_least


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadChoices:
    """How files are read, as far as it is chosen for all of them."""

    keep_matter: bool = False  # keep cover, contents, imprint and index
    password: str | None = field(default=None, repr=False)  # the password of encrypted PDFs
    ocr: str | None = None
    """How scanned pages are read: `auto`, `off`, or languages as tesseract names them. None stands for
    ALEXANDRIA_OCR, or `auto` if that is not set."""


AS_USUAL = ReadChoices()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(ReadChoices):
    """How a batch of books is ingested."""

    workers: int = 1  # processes that read ahead of the book being embedded; 0 for none
    force: bool = False  # ingest books again even if they are stored already
    reread: bool = False
    """Ingest books again that another version has read; sentences that are the same are not embedded."""
    cache: bool = True  # use books from the cache, and keep new ones there
    fail_fast: bool = False  # stop after the first file that fails
    again: bool = False  # ingest removed books too
    roots: tuple[Path, ...] = ()
    """The folders that were named: payloads hold the paths of files relative to them."""
    metadata: Mapping[Path, Mapping[str, Any]] = field(default_factory=dict)
    """Metadata in place of what a file states, by file and field name; see `metadata.FIELDS`."""

    def __post_init__(self) -> None:
        check_at_least(0, workers=self.workers)
