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
    """Return a step for each book whose file is gone from these folders.

    It is moved if a new file has the same content, and removed otherwise. New books are ingested elsewhere.

    Args:
        records: the books of the library; those of other places do not matter.
        folders: the folders that the library is kept in step with.
        files: the books found in them.

    Raises:
        ConfigError: a folder is not a folder, or no book is left in one that had some.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(
                f"cannot keep in step with {folder}", why="it is not a folder", fix="name folders with --sync"
            )
    records = list(records)
    present = {path_text(file.absolute()): file for file in files}  # as records have them, in UTF-8
    gone: dict[str, Record] = {}
    for folder in folders:
        root = path_text(folder.absolute()).rstrip(os.sep) + os.sep
        from_here = [record for record in records if record.source.startswith(root)]
        # A file that is there, but is not read as a book any more, keeps its book.
        missing = {
            record.source: record
            for record in from_here
            if record.source not in present and _is_gone(record.source)
        }
        if missing and not any(path.startswith(root) for path in present):
            raise ConfigError(
                f"cannot keep in step with {folder}",
                why=f"no book is left in it, and {len(missing)} in the library were read from there",
                fix="check whether the drive is connected; alexandria remove BOOK removes one on purpose",
            )
        gone |= missing
    known = {record.source for record in records}
    new = _by_content(file for path, file in present.items() if gone and path not in known)
    moved = [(record, new.get(record.book_id)) for record in gone.values()]  # an id is a hash of the content
    return [Step(record, to, relative_path(to, folders) if to else "") for record, to in moved]


def _is_gone(path: str) -> bool:
    """Return whether a file is known not to be there: of one that cannot be reached, nothing is known."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


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
