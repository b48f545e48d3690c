"""What is to be done with each file of a run: nothing, or how it is read and cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from alexandria.batch.options import RunOptions
from alexandria.config import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.encoders import without_model
from alexandria.extract import ReadOptions
from alexandria.extract.clean import path_text
from alexandria.modes import NO_MODEL
from alexandria.pipeline import generation, generation_with, read_options
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, configuration_of


@dataclass(frozen=True, slots=True)
class Work:
    """How a file becomes a book of the library."""

    domain: Domain
    options: ReadOptions
    generation: str
    metadata: Mapping[str, Any]
    """Given for the book, in place of what its file states."""
    edits: Mapping[str, Any]
    """What of it the user has given with `edit`."""
    changes: str
    """What differs from how its book is stored: `domain default → history`; empty if nothing does."""
    outdated: bool
    """Whether an earlier version stored the book with the same settings, in a form that is no longer made."""
    source: str
    """Its path as the payload holds it; see `relative_path`."""


class Planner:
    """Knows how each file is to be read and cut, from what the caller asks and from what is stored."""

    def __init__(
        self, domain: Domain | DomainRequest, encoder: Encoder, catalog: Catalog, run: RunOptions
    ) -> None:
        self._domain, self._encoder, self._catalog, self._run = domain, encoder, catalog, run
        self._by_source = {record.source: record for record in catalog.books()}

    def removed(self, path: Path, book_id: str) -> Record | None:
        """Return the record of the removed book in a file; None if there is none, or it may come back."""
        return None if self._run.again else self._catalog.removed_book(book_id, path_text(path.absolute()))

    def metadata_for(self, path: Path) -> Mapping[str, Any]:
        """Return the metadata that the caller gives for a file."""
        return self._run.metadata.get(path, {})

    def work_for(self, path: Path, book_id: str) -> Work | None:
        """Return how a file is to be ingested; None if its book is stored as it should be.

        Raises:
            ConfigError: the file of a folder names an unknown domain or option.
        """
        same = self._catalog.find_id(book_id)
        if same is not None and not self._run.force and self._is_left(path, same):
            return None
        stored = same or self._by_source.get(path_text(path.absolute()))
        domain = self._domain_for(path, stored)
        keep_matter = self._run.keep_matter or (stored is not None and bool(stored.keep_matter))
        options = read_options(domain, keep_matter=keep_matter, password=self._run.password)
        name = generation(book_id, domain, self._encoder, options)
        if same is not None and not self._run.force and configuration_of(same) == name:
            return None
        changes = "" if stored is None else changes_of(stored.settings, domain.settings())
        edits = {} if stored is None else stored.edits
        metadata = {**self.metadata_for(path), **edits}
        return Work(
            domain=domain,
            options=options,
            generation=name,
            metadata=metadata,
            edits=edits,
            changes=changes,
            outdated=same is not None and not changes and not self._run.force,
            source=relative_path(path, self._run.roots),
        )

    def _is_left(self, path: Path, record: Record) -> bool:
        """Return whether a book is stored as this version would store it, and nothing else is asked."""
        if isinstance(self._domain, Domain) or not self._domain.leaves(path, record.settings):
            return False
        # Old records do not say what was kept.
        known = (False, True) if record.keep_matter is None else (record.keep_matter,)
        return any(
            configuration_of(record)
            == generation_with(record.book_id, record.settings, self._encoder, keep_matter=keep_matter)
            for keep_matter in known
            if keep_matter or not self._run.keep_matter
        )

    def _domain_for(self, path: Path, stored: Record | None) -> Domain:
        domain = self._domain
        if not isinstance(domain, Domain):
            domain = domain.domain_for(path, None if stored is None else stored.settings)
        return without_model(domain) if self._encoder.name == NO_MODEL else domain


def relative_path(path: Path, roots: Iterable[Path]) -> str:
    """Return a path below the innermost of the folders that hold it, with `/`; its name if none does.

    It is what a payload says of a file: where in a collection it is, and nothing of whose machine it is on.
    """
    path = path.absolute()
    folders = [root.absolute() for root in roots if path.is_relative_to(root.absolute())]
    below = max(folders, key=lambda folder: len(folder.parts), default=path.parent)
    return path_text(PurePosixPath(*path.relative_to(below).parts))


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any], most: int = 3) -> str:
    """Return how two settings differ, in words: `domain default → history, threshold 0.55 → 0.5`."""
    changes = [
        f"{name} {before.get(name, 'unset')} → {after.get(name, 'unset')}"
        for name in dict.fromkeys((*after, *before))
        if before.get(name) != after.get(name)
    ]
    more = f" and {len(changes) - most} more" if len(changes) > most else ""
    return ", ".join(changes[:most]) + more


def planned_changes(
    records: Iterable[Record], files: Iterable[Path], request: DomainRequest
) -> dict[str, list[Record]]:
    """Return the books of these files whose settings a request would change, by what it changes.

    Raises:
        ConfigError: the `alexandria.yaml` of a folder is wrong.
    """
    by_source = {record.source: record for record in records}
    changes: dict[str, list[Record]] = {}
    for file in files:
        record = by_source.get(path_text(file.absolute()))
        if record is None:
            request.domain_for(file)  # refuses a wrong file in its folder before the work begins
        elif not request.leaves(file, record.settings):
            domain = request.domain_for(file, record.settings)
            if words := changes_of(record.settings, domain.settings()):
                changes.setdefault(words, []).append(record)
    return changes
