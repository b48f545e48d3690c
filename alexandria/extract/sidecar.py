"""Reads the `metadata.opf` that Calibre writes next to a book, and that wins over the book's own metadata."""

from dataclasses import fields, replace
from pathlib import Path

from alexandria.book.model import Metadata
from alexandria.extract.draft import Draft
from alexandria.extract.formats import folder_suffixes

SIDECAR = "metadata.opf"
_METADATA_FIELDS = tuple(field.name for field in fields(Metadata))
_MAX_BYTES = 4 << 20  # largest file that is read; a description with a picture in it may have half a megabyte


def with_sidecar(draft: Draft, path: Path) -> Draft:
    """Return the draft with the metadata that the `metadata.opf` next to its book states.

    Fields that it does not state stay as the book states them. Without such a file, the draft is unchanged.
    """
    file = sidecar_of(path)
    if file is None:
        return draft
    sidecar = _read_opf(file)
    values = {name: getattr(sidecar, name) for name in _METADATA_FIELDS}
    stated = {name: value for name, value in values.items() if value}
    return replace(draft, metadata=replace(draft.metadata, **stated))


def sidecar_of(path: Path) -> Path | None:
    """Return the `metadata.opf` next to a book, or None without one, or if other books are in the folder."""
    file = path.with_name(SIDECAR)
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return None
        books = {other.stem for other in path.parent.iterdir() if other.suffix.lower() in folder_suffixes()}
    except OSError:
        return None
    return file if books <= {path.stem} else None


def _read_opf(file: Path) -> Metadata:
    """Return the metadata in an OPF file; empty if it is not XML."""
    from alexandria.extract.epub.package import opf_metadata
    from alexandria.extract.markup.tree import parse_xml

    root = parse_xml(file.read_bytes(), recover=True)
    return Metadata() if root is None else opf_metadata(root)
