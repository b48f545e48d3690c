"""What is to be done with each file of a run: nothing, or how it is read and cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from alexandria.batch.options import RunOptions
from alexandria.book import Book
from alexandria.config import Domain, DomainRequest, guess_field
from alexandria.embed import Encoder
from alexandria.encoders import without_model
from alexandria.extract import ReadOptions
from alexandria.extract.clean import path_text
from alexandria.modes import NO_MODEL
from alexandria.pipeline import generation, generation_with, read, read_options
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
    before: Mapping[str, Any] | None
    """The settings its book is stored with; None if it is not stored."""
    is_due: bool
    """Whether these bytes are stored, and not asked for again: only another form makes them new."""
    source: str
    """Its path as the payload holds it; see `relative_path`."""
    candidates: Mapping[str, Domain] = field(default_factory=dict)
    """The domains that may be guessed for its book; empty if its domain is known, or has been guessed."""

    @property
    def changes(self) -> str:
        """What differs from how its book is stored: `domain default → history`; empty if nothing does."""
        return "" if self.before is None else changes_of(self.before, self.domain.settings())

    @property
    def outdated(self) -> bool:
        """Whether an earlier version stored the book with the same settings, in a form no longer made."""
        return self.is_due and not self.changes

    def for_book(self, book: Book, encoder: Encoder) -> "Work":
        """Return the work with the domain that is guessed for its book, if one is to be guessed."""
        if not self.candidates:
            return self
        guess = guess_field(book)
        domain = replace(self.candidates[guess.domain], guess=guess)
        options = replace(self.options, inline_notes=read_options(domain).inline_notes)
        name = generation(book.id, domain, encoder, options)
        return replace(self, domain=domain, options=options, generation=name, candidates={})


class Planner:
    """Knows how each file is to be read and cut, from what the caller asks and from what is stored."""

    def __init__(
        self, domain: Domain | DomainRequest, encoder: Encoder, catalog: Catalog, run: RunOptions
    ) -> None:
        self._domain, self._encoder, self._catalog, self._run = domain, encoder, catalog, run

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
        stored = same or self._catalog.book_at(path_text(path.absolute()))
        guesses = self._guesses(path, stored)
        settings = None if stored is None or guesses else stored.settings
        domain = self._domain_for(path, settings)
        keep_matter = self._run.keep_matter or (stored is not None and bool(stored.keep_matter))
        options = read_options(
            domain, keep_matter=keep_matter, password=self._run.password, ocr=self._run.ocr
        )
        name = generation(book_id, domain, self._encoder, options)
        if same is not None and not self._run.force and configuration_of(same) == name:
            return None
        edits = {} if stored is None else stored.edits
        metadata = {**self.metadata_for(path), **edits}
        return Work(
            domain=domain,
            options=options,
            generation=name,
            metadata=metadata,
            edits=edits,
            before=None if stored is None else stored.settings,
            is_due=same is not None and not self._run.force,
            source=relative_path(path, self._run.roots),
            candidates=self._candidates(path) if guesses else {},
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

    def _guesses(self, path: Path, stored: Record | None) -> bool:
        """Return whether the domain of a book is to be guessed: a stored one keeps its own, if not forced."""
        asked = isinstance(self._domain, DomainRequest) and self._domain.is_guessed(path)
        return asked and (stored is None or self._run.force)

    def _domain_for(self, path: Path, stored: Mapping[str, Any] | None) -> Domain:
        domain = self._domain
        return self._usable(domain if isinstance(domain, Domain) else domain.domain_for(path, stored))

    def _candidates(self, path: Path) -> dict[str, Domain]:
        if isinstance(self._domain, Domain):
            return {}
        return {name: self._usable(one) for name, one in self._domain.candidates(path).items()}

    def _usable(self, domain: Domain) -> Domain:
        return without_model(domain) if self._encoder.name == NO_MODEL else domain


def with_guessed_domain(path: Path, book: Book, work: Work, encoder: Encoder) -> tuple[Book, Work]:
    """Return a book and its work, with the domain that is guessed for it if one is to be guessed.

    The file is read again if that domain treats footnotes in another way.

    Raises:
        BookError: the file cannot be read again.
    """
    final = work.for_book(book, encoder)
    return (book if final.options == work.options else read(path, final.options)), final


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
