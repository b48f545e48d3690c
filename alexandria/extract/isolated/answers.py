"""Unpickles the answers of a worker without trusting them: a file may have taken over the process."""

import pickle
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np

from alexandria import errors
from alexandria.book import model, people
from alexandria.book.model import Book, PagePicture
from alexandria.errors import AlexandriaError
from alexandria.extract import scans
from alexandria.extract.isolated.worker import Answer
from alexandria.extract.scans import Scan, ScannedPage, is_finite
from alexandria.system.cache import mark_used
from alexandria.system.enum_members import AS_GETATTR, enum_member

_T = TypeVar("_T")
_DIGEST_BYTES = sha256().digest_size
_MODULES = {module.__name__: module for module in (errors, model, people, scans)}


class ForeignAnswerError(pickle.UnpicklingError):
    """The process sent a complete value that is not an answer."""


def load_answer(stream: IO[bytes]) -> Answer:
    """Return the next answer that a reading process has written into its stream.

    Raises:
        EOFError: the process ended before its answer did.
        ForeignAnswerError: the process sent a complete value that is not an answer, and may still be running.
        UnpicklingError: the process sent noise, or an incomplete answer.
    """
    try:
        answer = _AnswerUnpickler(stream).load()
    except (pickle.UnpicklingError, EOFError):
        raise
    except Exception as error:  # on a broken stream, pickle may raise any exception
        raise pickle.UnpicklingError("not a valid pickle") from error
    if isinstance(answer, PagePicture):
        _check_picture(answer)
    elif isinstance(answer, ScannedPage):
        _check_page(answer)
    elif isinstance(answer, Scan):
        _check_scan(answer)
    elif not isinstance(answer, Book | AlexandriaError):
        raise ForeignAnswerError("neither a book, nor a picture, nor a page, nor an error")
    return cast(Answer, answer)


def sealed(answer: Book | ScannedPage) -> bytes:
    """Return an answer as a cache keeps it: the hash of what follows, then the answer pickled."""
    pickled = pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
    return sha256(pickled).digest() + pickled


def load_sealed(entry: Path, kind: type[_T]) -> _T | None:
    """Return the answer in an entry of a cache, and mark the entry as used.

    Return None if the entry is missing or damaged, or if its answer is not of this kind.
    """
    try:
        data = entry.read_bytes()
    except OSError:
        return None
    digest, pickled = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if sha256(pickled).digest() != digest:
        return None
    try:
        answer = load_answer(BytesIO(pickled))
    except (EOFError, pickle.UnpicklingError):
        return None
    mark_used(entry)
    return answer if isinstance(answer, kind) else None


def _check_picture(picture: PagePicture) -> None:
    """Refuse a picture whose parts do not fit together: the code that writes it to a file relies on them."""
    sizes = picture.width, picture.height
    if not all(type(size) is int and size > 0 for size in sizes) or type(picture.pixels) is not bytes:
        raise pickle.UnpicklingError("a picture without sizes or pixels")
    if len(picture.pixels) != 3 * picture.width * picture.height:
        raise pickle.UnpicklingError("a picture of another size than it says")
    transform = picture.transform
    if type(transform) is not tuple or len(transform) != 6 or not all(map(is_finite, transform)):
        raise pickle.UnpicklingError("a picture without a transform")
    if type(picture.letters) is not str or type(picture.boxes) is not bytes:
        raise pickle.UnpicklingError("a picture without letters or boxes")
    boxes = np.frombuffer(picture.boxes, np.float32) if len(picture.boxes) % 4 == 0 else np.empty(0)
    if len(boxes) != 4 * len(picture.letters) or not np.isfinite(boxes).all():
        raise pickle.UnpicklingError("a picture without a box per letter")


def _check_page(page: ScannedPage) -> None:
    """Refuse a page not made of words: pages are cached, and sent to the process that reads the file."""
    if type(page.words) is not tuple or not page.is_sound:
        raise ForeignAnswerError("a page with something other than words")


def _check_scan(scan: Scan) -> None:
    """Refuse a scan whose pages are not named by strings."""
    has_tuple = type(scan.pages) is tuple
    if not has_tuple or not all(type(text) is str for text in (*scan.pages, scan.language or "")):
        raise ForeignAnswerError("a scan without pages")
    if type(scan.n_pages) is not int:
        raise ForeignAnswerError("a scan without pages")


class _AnswerUnpickler(pickle.Unpickler):
    """Allows only the classes of a book or an error: any other name in a pickle could run any code."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that an answer may contain; refuse every other name."""
        if (module, name) == AS_GETATTR:
            return enum_member
        value = getattr(_MODULES.get(module), name, None)
        is_function = module == people.__name__ and not isinstance(value, type)  # it would run
        # Absent, or only imported by that module.
        if is_function or getattr(value, "__module__", None) != module:
            raise ForeignAnswerError(f"{module}.{name} is not part of an answer")
        return value
