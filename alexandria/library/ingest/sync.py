"""Keeps a library in sync with folders: removes books whose files are gone, and follows renamed files."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.errors import BookError, ConfigError
from alexandria.extract import content_id
from alexandria.extract.clean import path_text
from alexandria.library.ingest.plan import relative_path
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, with_payload_changes


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with a book whose file is gone: remove it, or note its new path."""

    record: Record
    moved_to: Path | None
    """The path of a file with the same content; None if there is none, and the book is to be removed."""
    source: str = ""  # the new path as the payload holds it; see `relative_path`


def plan_sync(records: Iterable[Record], folders: Sequence[Path], files: Sequence[Path]) -> list[Step]:
    """Return a step for each book whose file is gone from these folders.

    The book moves if a new file has the same content, and is removed otherwise. New books get no step: they
    are ingested.

    Args:
        records: the books of the library; books from elsewhere are ignored.
        folders: the folders that the library is kept in sync with.

    Raises:
        ConfigError: one of `folders` is not a folder, or no book is left in one that had some.
    """
    for folder in folders:
        if not folder.is_dir():
            why = "it is not a folder" if folder.exists() else "there is no such folder"
            fix = "name folders with --sync" if folder.exists() else "check whether the drive is connected"
            raise ConfigError(f"cannot sync with {folder}", why=why, fix=fix)
    records = list(records)
    present = {path_text(file.absolute()): file for file in files}  # by path in UTF-8, as in records
    gone: dict[str, Record] = {}  # by path
    for folder in folders:
        gone |= _gone_books(folder, records, present)
    if not gone:
        return []  # without hashing the new files, which may take long
    sources = {record.source for record in records}
    new_files = _first_file_by_id(file for path, file in present.items() if path not in sources)
    steps = []
    for record in gone.values():
        moved_to = new_files.get(record.book_id)
        source = "" if moved_to is None else relative_path(moved_to, folders)
        steps.append(Step(record, moved_to, source))
    return steps


def _gone_books(folder: Path, records: Sequence[Record], present: Mapping[str, Path]) -> dict[str, Record]:
    """Return the records of the books that were read from a folder and whose files are gone, by path.

    A book stays as long as its file exists, even if the file no longer counts as a book.

    Raises:
        ConfigError: no book is left in the folder, as if its drive were not connected.
    """
    root = path_text(folder.absolute()).rstrip(os.sep) + os.sep
    gone = {
        record.source: record
        for record in records
        if record.source.startswith(root) and record.source not in present and _is_gone(record.source)
    }
    if gone and not any(path.startswith(root) for path in present):
        raise ConfigError(
            f"cannot sync with {folder}",
            why=f"no book is left in it, and {len(gone)} in the library were read from there",
            fix="check whether the drive is connected; alexandria remove BOOK removes one on purpose",
        )
    return gone


def _is_gone(path: str) -> bool:
    """Return whether a file certainly does not exist, or False if it cannot be reached."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def _first_file_by_id(files: Iterable[Path]) -> dict[str, Path]:
    """Return the first file of each content, by the id of its book; unreadable files are left out."""
    file_by_id: dict[str, Path] = {}
    for file in files:
        try:
            file_by_id.setdefault(content_id(file), file)
        except BookError:  # its ingest will say why
            continue
    return file_by_id


def take_step(step: Step, catalog: Catalog) -> None:
    """Remove the book of a step, or note its new path in its record and its points."""
    with catalog.write_lock():
        if step.moved_to is None:
            catalog.forget(step.record)
            return
        source = path_text(step.moved_to.absolute())
        moved = replace(step.record, source=source)
        if catalog.stored_source(step.record) == step.source:  # as if the whole folder has moved
            catalog.update(moved)
            return
        catalog.replace(*with_payload_changes(moved, catalog.points(step.record), {"source": step.source}))


_DISKS = ("/media", "/mnt", "/run/media", "/Volumes")
"""Where disks that can be unplugged appear, each in a folder or in one of its user's."""


def has_moved(old: Path, new: Path, sources: Callable[[], Iterable[str]]) -> bool:
    """Return whether a file that is at a new path was moved there, and not copied from a disk that is away.

    Its old folder is there, with other files, or it is gone and the new folder holds most of its books. An
    empty folder, or one below a place for disks, may be that of a disk that is not connected.

    Args:
        old: where the file was.
        new: where a file with the same content is.
        sources: returns the paths of the library's books.
    """
    if not _is_gone(str(old)):
        return False
    there = next((folder for folder in old.parents if folder.is_dir()), None)
    if there is None or not any(there.iterdir()):
        return False
    if there == old.parent:
        return True
    if any(there == Path(disks) or there.parent == Path(disks) for disks in _DISKS):
        return False
    names = [source.name for source in map(Path, sources()) if source.parent == old.parent]
    return 2 * sum((new.parent / name).is_file() for name in names) > len(names)
