"""Draws pages of stored PDFs from their files, in the isolated process."""

import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from alexandria.book.model import PagePicture
from alexandria.errors import ConfigError
from alexandria.store.record import Record

if TYPE_CHECKING:
    from alexandria.extract.isolated.process import IsolatedReader

PICTURE_WIDTH = 1000  # width in pixels: readable on a large screen, and drawn in a tenth of a second
_MAX_CACHED = 8  # most pictures to keep in memory


class PageDrawer:
    """Draws pages, and keeps the latest pictures; several threads may use it.

    Its process starts with the first page.
    """

    def __init__(self) -> None:
        """Prepare to draw; the process starts with the first picture."""
        self._reader: IsolatedReader | None = None
        self._pictures: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._ids: dict[Path, tuple[int, int, str]] = {}  # size, modification time and book id of a file
        self._lock, self._process = Lock(), os.getpid()

    def draw(self, record: Record, page: int, password: str | None = None) -> PagePicture:
        """Return the picture of a page of a stored book, `PICTURE_WIDTH` pixels wide.

        Args:
            record: the record of the book, whose file must be where it was, and unchanged.
            page: its number in the file, from 1.

        Raises:
            ConfigError: the book is not a PDF, or its file has been moved or changed.
            BookError: the page cannot be drawn.
        """
        from alexandria.extract.isolated.process import IsolatedReader  # slow to import, and seldom needed

        key = record.book_id, page
        if self._process != os.getpid():  # after a fork: the process that draws answers the parent
            self._lock, self._process, self._reader = Lock(), os.getpid(), None
        with self._lock:
            if key not in self._pictures:
                file = self._file_of(record)
                if self._reader is None:
                    self._reader = IsolatedReader()
                picture = self._reader.draw(file, page, width=PICTURE_WIDTH, password=password)
                self._pictures[key] = picture
                if len(self._pictures) > _MAX_CACHED:
                    self._pictures.popitem(last=False)
            self._pictures.move_to_end(key)
            return self._pictures[key]

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._reader is not None:
                self._reader.__exit__(None, None, None)
            self._reader = None

    def _file_of(self, record: Record) -> Path:
        """Return the file of a book; its bytes are hashed only if its size or time has changed since.

        Raises:
            ConfigError: the book is not a PDF, or its file has been moved or changed.
        """
        if record.format != "pdf":
            raise ConfigError(
                f"“{record.title}” has no pages to draw",
                why=f"it is {record.format}, not PDF",
                fix="read its text",
            )
        file = Path(record.source)
        if not file.is_file():
            raise ConfigError(
                f"cannot draw pages of “{record.title}”",
                why=f"its file is no longer at {record.source}",
                fix="put it back, or ingest it from where it is now",
            )
        state = file.stat()
        size, modified, id = self._ids.get(file, (-1, -1, ""))  # no file has a size of -1
        if (size, modified) != (state.st_size, state.st_mtime_ns):
            from alexandria.extract import content_id

            id = content_id(file)
            self._ids[file] = state.st_size, state.st_mtime_ns, id
        if id != record.book_id:
            raise ConfigError(
                f"cannot draw pages of “{record.title}”",
                why="its file has changed since it was ingested",
                fix="ingest it again",
            )
        return file
