"""The work of `Library.verify` and `Library.repair`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError, DamagedError
from alexandria.extract import EXTRACTION_VERSION
from alexandria.library.location import library_folder, restoring_path
from alexandria.library.opened import OpenLibrary
from alexandria.store import LOCAL, Binding
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, is_outdated
from alexandria.store.sharing import retry_after_reopening
from alexandria.store.verify import Finding, Flaw, find_flaws, interruptions

if TYPE_CHECKING:
    from alexandria.embed import Encoder

Tried = Callable[[Record, AlexandriaError | None], None]
"""Called with each damaged book, and with the error if it could not be mended."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Library.verify` checked, and what it found wrong."""

    library: str  # its address
    findings: tuple[Finding, ...]
    n_books: int
    n_points: int
    interrupted: tuple[str, ...] = ()
    """A sentence for each change that was interrupted, with what completes it or removes what it left."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    @property
    def is_indexed(self) -> bool:
        """Whether the catalog finds each book by its id."""
        return all(finding.flaw is not Flaw.UNLISTED for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Repair:
    """What `Library.repair` has mended."""

    binding: Binding | None  # what the library is bound to, if its marker was lost and has been written again
    mended: tuple[Record, ...]  # books whose points were rebuilt from their files
    adopted: tuple[Record, ...]  # books whose records were rebuilt from their points
    deleted: tuple[str, ...]
    """Titles of books without a record of which only some points were left: these points were deleted."""
    failed: tuple[tuple[Record, AlexandriaError], ...]
    """Books whose points could not be rebuilt, each with the error."""
    is_rebuilt: bool  # whether files of the library could not be read, and were replaced
    kept: Path | None  # where the damaged files are, if some of their contents could not be brought back
    checked: Verification  # the verification after the repair


@retry_after_reopening
def verify(opened: OpenLibrary) -> Verification:
    """Check every book of a library: see `Library.verify`."""
    from alexandria.store.restore import interrupted_restore

    catalog = opened.for_reading(sweep=False)
    with catalog.read_lock():
        restore = interrupted_restore(restoring_path(opened.store, opened.collection))
        missing = [f"a restore was interrupted, some books may be missing; {restore} completes it"]
        return Verification(
            library=opened.store,
            findings=(*find_flaws(catalog.store), *_letter_flaws(catalog)),
            n_books=len(catalog.books()),
            n_points=catalog.store.count(),
            interrupted=(*(missing if restore else ()), *interruptions(catalog.store)),
        )


def _letter_flaws(catalog: Catalog) -> Iterator[Finding]:
    """Yield the books whose letters, which are made of their chunks, are damaged."""
    titles = {record.generation: record.title for record in catalog.books()}
    for generation in catalog.letter_files.damaged():
        if title := titles.get(generation):
            detail = "the letters in which quotations are looked up were changed"
            yield Finding(Flaw.ALTERED, title, detail, "alexandria repair")


def repair(opened: OpenLibrary, books: Sequence[Path], *, password: str | None, tried: Tried) -> Repair:
    """Mend a library: see `Library.repair`.

    The order matters: first the marker, without which a folder cannot be opened; then files that cannot be
    read, without which no book can be checked; then lost records, and last the points that they list.
    """
    from alexandria.library.care.mending import Adoption, adopt_books, mend_books
    from alexandria.store.folder import is_marked
    from alexandria.store.repair import damaged_files, delete_damaged, may_lack_books, rewrite_marker

    folder = library_folder(opened.store, opened.collection)
    failed: list[tuple[Record, AlexandriaError]] = []

    def note_attempt(record: Record, error: AlexandriaError | None) -> None:
        if error is not None:
            failed.append((record, error))
        tried(record, error)

    is_marker_lost = folder is not None and not is_marked(folder)
    if folder is not None and is_marker_lost:
        rewrite_marker(folder, partial(_encoder_of, opened))
    is_rebuilt = _make_readable(opened, folder, note_attempt)
    adoption, mended = Adoption((), ()), tuple[Record, ...]()
    if verify(opened).findings:
        catalog, encoder = opened.for_writing(), partial(opened.encoder, cache=True)
        adoption = adopt_books(catalog, encoder, books)
        mended = mend_books(catalog, encoder, password=password, tried=note_attempt)
        catalog.letter_files.delete(list(catalog.letter_files.damaged()))
    checked = verify(opened)
    if folder is not None and not checked.findings and not (is_rebuilt and may_lack_books(folder)):
        delete_damaged(folder)
    return Repair(
        binding=opened.for_reading().binding if is_marker_lost else None,
        mended=mended,
        adopted=adoption.adopted,
        deleted=adoption.deleted,
        failed=tuple(failed),
        is_rebuilt=is_rebuilt,
        kept=damaged_files(folder) if folder is not None else None,
        checked=checked,
    )


def _make_readable(opened: OpenLibrary, folder: Path | None, tried: Tried) -> bool:
    """Make files of a library again that cannot be read; return whether there were any.

    Each step is taken if those before it were not enough: the indexes of the points are made again, then the
    catalog, and last the points are put aside. That is not done where they can still be read in part, and the
    file of a book is gone, which could then not be read at all.

    Raises:
        DamagedError: the library is on a server, which alone can repair its files, or its catalog is damaged
            in local mode.
    """
    from alexandria.library.care.mending import require_files
    from alexandria.store.repair import local_points_aside, renew_catalog, renew_indexes, renew_points

    for n_steps, renew in enumerate((renew_indexes, renew_catalog, renew_points)):
        try:
            if verify(opened).is_indexed or folder is None:
                return n_steps > 0
            is_readable = True
        except DamagedError:
            if folder is None:
                raise
            is_readable = False
        if opened.store.startswith(LOCAL):
            opened.release()
            with local_points_aside(folder, opened.collection):
                verify(opened)  # it raises if the library is damaged even so
            break
        if renew is renew_points and is_readable and not require_files(opened.for_reading(), tried):
            break
        opened.release()
        renew(folder)
    return True


def _encoder_of(opened: OpenLibrary, model: str, size: int | None, records: Sequence[Record]) -> "Encoder":
    """Return the encoder of a model, applied as in the library that holds these records."""
    # The generation of a book is a hash that the name of its encoder is part of: of the names that the
    # encoder may have had, the one that gives the hash is right. If none does, it is applied as in a new
    # library.
    # `size`: the length of its vectors, if known.
    encoder = opened.installed_encoder(model)
    bare, versions = encoder.name.partition("+")[0], range(1, EXTRACTION_VERSION + 1)
    marks = product(("", "+prompts"), ("", f"+{size}"), ("", "+scaled"))
    for name in (encoder.name, *(bare + "".join(chosen) for chosen in marks)):
        if any(not is_outdated(record, version, name) for record in records for version in versions):
            return opened.installed_encoder(model, name)
    return encoder
