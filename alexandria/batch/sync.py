"""A library in step with folders: books whose files are gone are removed, renamed files are followed."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.batch.work import relative_path
from alexandria.errors import BookError, ConfigError
from alexandria.extract import content_id
from alexandria.extract.clean import path_text
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.rewrite import rewritten


@dataclass(frozen=True, slots=True)
class Step:
    """What is done with a book whose file is gone."""

    record: Record
    moved_to: Path | None
    """Where a file with the same content is now; None if there is none, and the book is removed."""
    source: str = ""
    """That path as the payload holds it; see `relative_path`."""


def plan_sync(records: Iterable[Record], folders: Sequence[Path], files: Sequence[Path]) -> list[Step]:
    """Return what is to be done so that a library has exactly the books of these folders.

    Args:
        records: the books of the library; those of other places do not matter.
        folders: that the library keeps in step with.
        files: the books found in them.

    Raises:
        ConfigError: one of the folders is none, or no book is left in them.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(
                f"cannot keep in step with {folder}", why="it is not a folder", fix="name folders with --sync"
            )
    roots = tuple(path_text(folder.absolute()).rstrip(os.sep) + os.sep for folder in folders)
    present = {path_text(file.absolute()) for file in files}  # also the names that are not UTF-8
    records = list(records)
    gone = [
        record
        for record in records
        if record.source.startswith(roots)
        and record.source not in present
        and not os.path.lexists(record.source)
    ]
    if gone and not files:
        raise ConfigError(
            f"cannot keep in step with {', '.join(map(str, folders))}",
            why=f"there is no book left, and {len(gone)} in the library were read from there",
            fix="check whether the drive is connected; alexandria remove BOOK removes one on purpose",
        )
    known = {record.source for record in records}
    new = _by_content([file for file in files if path_text(file.absolute()) not in known] if gone else [])
    moved = [(record, new.get(record.book_id)) for record in gone]
    return [Step(record, to, relative_path(to, folders) if to else "") for record, to in moved]


def _by_content(files: Iterable[Path]) -> dict[str, Path]:
    ids: dict[str, Path] = {}
    for file in files:
        try:
            ids.setdefault(content_id(file), file)
        except BookError:  # its ingest will say why
            continue
    return ids


def take_step(step: Step, catalog: Catalog) -> None:
    """Do what a step says."""
    with catalog.changing():
        if step.moved_to is None:
            catalog.remove(step.record)
            return
        source = path_text(step.moved_to.absolute())
        moved = replace(step.record, source=source)
        catalog.replace(*rewritten(moved, catalog.points(step.record), {"source": step.source}))
