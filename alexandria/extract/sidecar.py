"""Metadata in `metadata.opf` beside a book, as Calibre writes it: it takes precedence over the book's own."""

from dataclasses import fields, replace
from pathlib import Path

from alexandria.book import Metadata
from alexandria.extract.draft import Draft
from alexandria.extract.formats import folder_suffixes

NAME = "metadata.opf"
_NAMES = tuple(field.name for field in fields(Metadata))
_LARGEST = 4 << 20
"""Bytes; a description with a picture in it may have half a megabyte."""


def with_sidecar(draft: Draft, path: Path) -> Draft:
    """Return the draft with the metadata beside its file, if there is any that is about this book."""
    file = sidecar_of(path)
    if file is None:
        return draft
    stated = _read(file)
    values = {name: getattr(stated, name) for name in _NAMES}
    return replace(
        draft, metadata=replace(draft.metadata, **{name: value for name, value in values.items() if value})
    )


def sidecar_of(path: Path) -> Path | None:
    """Return the `metadata.opf` beside a file; None if there is none, or if other books are beside it."""
    file = path.with_name(NAME)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        books = {other.stem for other in path.parent.iterdir() if other.suffix.lower() in folder_suffixes()}
    except OSError:
        return None
    return file if books <= {path.stem} else None


def _read(file: Path) -> Metadata:
    from alexandria.extract.epub.package import opf_metadata
    from alexandria.extract.markup.tree import parse_xml

    root = parse_xml(file.read_bytes(), recover=True)
    return Metadata() if root is None else opf_metadata(root)
