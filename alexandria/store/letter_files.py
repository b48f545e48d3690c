"""Where the letters of all books are kept: a file per book, as `letters` makes it."""

import mmap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.store.passage import Passage
from alexandria.system.files import atomic_write

if TYPE_CHECKING:  # numpy takes a third of the time of a command that needs the catalog alone
    from alexandria.store.letters import BookLetters

_SUFFIX = ".letters"


class LetterFiles:
    """The letters of the books of a catalog, by generation: in a folder, or in memory where there is none."""

    def __init__(self, folder: Path | None) -> None:
        """Keep them in a folder, which need not exist."""
        self._folder = folder
        self._open: dict[str, BookLetters] = {}

    def get(self, generation: str, chunks: Callable[[], Sequence[Passage]], *, write: bool) -> "BookLetters":
        """Return the letters of a book; they are made of its chunks if they are not there.

        Args:
            chunks: returns all its chunks, in reading order.
            write: whether made ones are written into the folder, which may have no room for them.
        """
        if generation not in self._open:
            book = self.read(generation)
            if book is None:
                from alexandria.store.letters import made_letters

                book = made_letters(chunks(), generation)
                if write:
                    with suppress(OSError):
                        self._write(generation, bytes(book.data))
            self._open[generation] = book
        return self._open[generation]

    def has(self, generation: str) -> bool:
        """Return whether the letters of a book are there, of this version or another."""
        in_folder = self._folder is not None and self._path(generation).exists()
        return in_folder or generation in self._open

    def write(self, generation: str, chunks: Sequence[Passage]) -> None:
        """Write the letters of a book, durably, before the record that commits it.

        Raises:
            OSError: they cannot be written, on a full disk for instance.
        """
        if self._folder is not None:
            from alexandria.store.letters import letters_of_book

            self._write(generation, letters_of_book(chunks, generation))

    def damaged(self) -> Iterator[str]:
        """Yield the generations whose files are not as they were written; files of other versions may be."""
        from alexandria.store.letters import VERSION, parse_letters

        files = self._folder.glob(f"*{_SUFFIX}") if self._folder is not None else ()
        for file in files:
            with suppress(OSError):
                data = file.read_bytes()
                if b'"version": %d,' % VERSION in data[:100] and parse_letters(data, check=True) is None:
                    yield file.stem

    def keep_only(self, generations: Collection[str]) -> None:
        """Delete the letters of books that are not there: another version does not know of them."""
        self._delete_files(lambda generation: generation not in generations)

    def delete(self, generations: Iterable[str]) -> None:
        """Delete the letters of books that were removed."""
        self._delete_files({*generations}.__contains__)

    def _delete_files(self, is_gone: Callable[[str], bool]) -> None:
        """Delete the letters of the generations that are gone, and what a killed process began to write."""
        self._open = {name: book for name, book in self._open.items() if not is_gone(name)}
        for file in self._folder.glob(f"*{_SUFFIX}*") if self._folder is not None else ():
            if is_gone(file.name.partition(".")[0]):
                with suppress(OSError):
                    file.unlink()

    def _path(self, generation: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{generation}{_SUFFIX}"

    def _write(self, generation: str, data: bytes) -> None:
        if self._folder is not None:
            self._folder.mkdir(exist_ok=True)
            with atomic_write(self._path(generation)) as file:
                file.write(data)

    def read(self, generation: str) -> "BookLetters | None":
        """Return the letters in the file of a book; None if there is none, or one of another version."""
        if self._folder is None:
            return None
        from alexandria.store.letters import parse_letters

        try:
            with self._path(generation).open("rb") as file:
                book = parse_letters(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError):  # an empty file cannot be mapped
            return None
        return book if book and book.head.get("generation") == generation else None
