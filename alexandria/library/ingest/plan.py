"""Decides what is to be done with each file of a run: nothing, or how it is read and cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from alexandria.book.choices import NO_MODEL
from alexandria.book.model import Book
from alexandria.chunking.domains import Domain, DomainRequest, guess_field
from alexandria.embed import Encoder
from alexandria.extract import EXTRACTION_VERSION, ReadOptions
from alexandria.extract.clean import path_text
from alexandria.library.ingest.encoder import without_model
from alexandria.library.ingest.one_book import (
    Analysis,
    PreparedBook,
    generation,
    prepare,
    read,
    read_options,
)
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Action
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, is_outdated


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """How a file is read and cut to become a book of the library."""

    domain: Domain
    options: ReadOptions
    generation: str
    metadata: Mapping[str, Any]  # given for the book, in place of what its file states; `edits` are included
    edits: Mapping[str, Any]  # the metadata that the user has changed with `edit`
    stored: Record | None  # the book as it is stored, or None if it is not
    is_update: bool
    """Whether the same bytes are stored already and the run is not forced. The book is then stored again
    because its settings have changed, or because an earlier version stored it differently."""
    source: str  # the file's path as the payload holds it; see `relative_path`
    candidates: Mapping[str, Domain] = field(default_factory=dict)
    """The domains that may be guessed for the book; empty if its domain is known, or has been guessed."""

    @property
    def changes(self) -> str:
        """The settings that change, as `domain default → history`; empty if none does or the book is new."""
        return "" if self.stored is None else changes_of(self.stored.settings, self.domain.settings())

    @property
    def action(self) -> Action:
        """What becomes of the book that is stored, if one is."""
        if self.stored is None:
            return Action.ADD
        return Action.CUT_AGAIN if self.is_update else Action.REPLACE

    def prepare(self, analysis: Analysis) -> PreparedBook:
        """Return a book that was cut by the plan's domain, as the store accepts it."""
        return prepare(
            analysis,
            self.generation,
            keep_matter=self.options.keep_matter,
            source=self.source,
            edits=self.edits,
        )

    def for_book(self, book: Book, encoder: Encoder) -> "IngestPlan":
        """Return the plan with the domain guessed for its book; unchanged if its domain is known."""
        if not self.candidates:
            return self
        guess = guess_field(book)
        domain = replace(self.candidates[guess.domain], guess=guess)
        options = replace(self.options, inline_notes=read_options(domain).inline_notes)
        new_generation = generation(book.id, domain, encoder, options)
        return replace(self, domain=domain, options=options, generation=new_generation, candidates={})


class Planner:
    """Decides how each file is read and cut, from what the caller requests and from what is stored."""

    def __init__(
        self, domain: Domain | DomainRequest, encoder: Encoder, catalog: Catalog, run: RunOptions
    ) -> None:
        self._request, self._encoder, self._catalog, self._run = domain, encoder, catalog, run

    def relative_path(self, path: Path) -> str:
        """Return the path of a file as payloads hold it."""
        return relative_path(path, self._run.roots)

    def find_removed_record(self, path: Path, book_id: str) -> Record | None:
        """Return the record of a file's book if it was removed and may not come back; otherwise None."""
        return None if self._run.again else self._catalog.removed_book(book_id, path_text(path.absolute()))

    def metadata_for(self, path: Path) -> Mapping[str, Any]:
        """Return the metadata that the caller states for a file."""
        return self._run.metadata.get(path, {})

    def plan_for(self, path: Path, book_id: str) -> IngestPlan | None:
        """Return how a file is to be ingested, or None if its book is stored as it should be.

        Raises:
            ConfigError: the file of a folder names an unknown domain or option.
        """
        same_bytes = self._catalog.find_id(book_id)
        is_update = same_bytes is not None and not self._run.force
        # What another version has read stays as it is: reading a library again can take hours.
        kept = None if same_bytes is None or not is_update or self._is_reread(same_bytes) else same_bytes
        if kept is not None and self._is_up_to_date(path, kept):
            return None
        stored = same_bytes or self._catalog.book_at(path_text(path.absolute()))
        guesses_domain = self._guesses_domain(path, stored)
        stored_settings = None if stored is None or guesses_domain else stored.settings
        domain = self._domain_for(path, stored_settings)
        keep_matter = self._run.keep_matter or (stored is not None and stored.keep_matter)
        options = read_options(domain, replace(self._run, keep_matter=keep_matter))
        if kept is not None and kept.keep_matter == keep_matter and domain.settings() == kept.settings:
            return None
        edits = {} if stored is None else stored.edits
        metadata = {**self.metadata_for(path), **edits}
        return IngestPlan(
            domain=domain,
            options=options,
            generation=generation(book_id, domain, self._encoder, options),
            metadata=metadata,
            edits=edits,
            stored=stored,
            is_update=is_update,
            source=self._stored_source(stored) or self.relative_path(path),
            candidates=self._candidate_domains(path) if guesses_domain else {},
        )

    def _is_up_to_date(self, path: Path, record: Record) -> bool:
        """Return whether nothing about a book would change: neither its settings nor how it is stored."""
        if isinstance(self._request, Domain) or not self._request.keeps_settings(path, record.settings):
            return False
        return record.keep_matter or not self._run.keep_matter

    def _is_reread(self, record: Record) -> bool:
        return self._run.reread and is_outdated(record, EXTRACTION_VERSION, self._encoder.name)

    def _stored_source(self, stored: Record | None) -> str:
        """Return the path that the chunks of a book hold, if the run reads it again without its folder."""
        if stored is None or not self._run.reread or self._run.roots:
            return ""
        return self._catalog.stored_source(stored)

    def _guesses_domain(self, path: Path, stored: Record | None) -> bool:
        """Return whether to guess the domain of a book: of a new one, or of one that is forced to `auto`."""
        if not isinstance(self._request, DomainRequest) or (stored is not None and not self._run.force):
            return False
        return self._request.is_guessed(path, again=stored is not None)

    def _domain_for(self, path: Path, stored_settings: Mapping[str, Any] | None) -> Domain:
        """Return the domain of a file, without its model if this run has none."""
        # A ready-made Domain is used as it is; a request keeps the stored settings that it does not override.
        request = self._request
        domain = request if isinstance(request, Domain) else request.domain_for(path, stored_settings)
        return self._with_usable_model(domain)

    def _candidate_domains(self, path: Path) -> dict[str, Domain]:
        """Return the domains that may be guessed for a file's book, by name, each with a usable model."""
        if isinstance(self._request, Domain):
            return {}
        return {
            name: self._with_usable_model(domain) for name, domain in self._request.candidates(path).items()
        }

    def _with_usable_model(self, domain: Domain) -> Domain:
        return without_model(domain) if self._encoder.name == NO_MODEL else domain


def with_guessed_domain(
    path: Path, book: Book, plan: IngestPlan, encoder: Encoder
) -> tuple[Book, IngestPlan]:
    """Return a book and its plan, with the domain guessed for the book unless its domain is known.

    The file is read again if the guessed domain treats footnotes differently.

    Raises:
        BookError: the file cannot be read again.
    """
    final = plan.for_book(book, encoder)
    return (book if final.options == plan.options else read(path, final.options)), final


def relative_path(path: Path, roots: Iterable[Path]) -> str:
    """Return a path relative to the innermost of `roots` that contains it, with `/`; its name if none does.

    Payloads hold this path: it says where a book is in a collection of files, and nothing about the machine.
    """
    path = path.absolute()
    folders = [root.absolute() for root in roots if path.is_relative_to(root.absolute())]
    innermost = max(folders, key=lambda folder: len(folder.parts), default=path.parent)
    return path_text(PurePosixPath(*path.relative_to(innermost).parts))


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any], most: int = 3) -> str:
    """Return at most `most` differences of two settings: `domain default → history, threshold 0.55 → 0.5`."""
    changes = [
        f"{name} {before.get(name, 'unset')} → {after.get(name, 'unset')}"
        for name in dict.fromkeys((*after, *before))
        if before.get(name) != after.get(name)
    ]
    more = f" and {len(changes) - most} more" if len(changes) > most else ""
    return ", ".join(changes[:most]) + more


def plan_changes(
    records: Iterable[Record], files: Iterable[Path], request: DomainRequest
) -> dict[str, list[Record]]:
    """Return the books of these files whose settings a request would change, by the changes in words.

    Raises:
        ConfigError: the `alexandria.yaml` of a folder is wrong.
    """
    by_source = {record.source: record for record in records}
    changes: dict[str, list[Record]] = {}
    for file in files:
        record = by_source.get(path_text(file.absolute()))
        if record is None:
            request.domain_for(file)  # raises the error of a folder's file before the work begins
        elif not request.keeps_settings(file, record.settings):
            domain = request.domain_for(file, record.settings)
            if description := changes_of(record.settings, domain.settings()):
                changes.setdefault(description, []).append(record)
    return changes
