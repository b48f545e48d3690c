"""Caches vectors, so that a book is not embedded again to be cut with another threshold.

The key of an entry is a hash of a list of texts and of what embeds them: a changed sentence, another model or
another precision has another entry, so no entry is ever out of date. Each entry begins with a hash of its
rows; a damaged entry counts as missing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings
from alexandria.embed.encoder import Counter, Encoder, ForwardingEncoder, uncounted
from alexandria.system.cache import books_folder, mark_used, write_entry

_VERSION = b"5"  # raised when the same texts and key give other rows, or an entry has another layout
_SUFFIX = ".rows"
_DIGEST_BYTES = sha256().digest_size

_Rows = Callable[[], NDArray[np.float32]]  # a function that waits for rows, and returns one per text


class CachedEncoder(ForwardingEncoder):
    """An encoder that uses another one only for texts that are not cached; questions are not cached."""

    def __init__(self, encoder: Encoder, cache_key: Callable[[], str], folder: Path | None = None) -> None:
        """Cache the rows of `encoder` in `folder`; encoders of equal `cache_key()` share them.

        The key is computed with the first texts: it may take as long as making the model's graph.
        """
        self.name = encoder.name
        self._encoder, self._cache_key = encoder, cache_key
        self._folder = folder or books_folder()

    @property
    def inner(self) -> Encoder:
        """The encoder of what is not cached."""
        return self._encoder

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts unless they are cached; return a function that waits for their vectors."""
        start = partial(self._encoder.begin, encoded=encoded)
        return self._get_or_start("encode", start, texts)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits into the model's window."""

        def start(uncached: Sequence[str]) -> _Rows:
            return partial(self._encoder.coverage, uncached)  # computed once it is waited for

        return self._get_or_start("coverage", start, texts)()

    def _get_or_start(
        self, what: str, start: Callable[[Sequence[str]], _Rows], texts: Sequence[str]
    ) -> _Rows:
        """Return a function that returns one row per text, from the cache or computed and then cached."""
        # `what`: the kind of row, as part of the key: the vector of a text, or its coverage.
        # `start`: starts to compute the rows of texts, if they are not cached.
        if not texts:
            return start(texts)
        path = self._folder / (_entry_name(what, self._cache_key(), texts) + _SUFFIX)
        rows = _read(path)
        if rows is not None and len(rows) == len(texts):
            return lambda: rows
        wait = start(texts)

        def wait_and_cache() -> NDArray[np.float32]:
            computed = wait()
            write_entry(path, partial(_write, computed))
            return computed

        return wait_and_cache


def _write(rows: NDArray[np.float32], file: IO[bytes]) -> None:
    file.write(_hash_rows(rows))
    np.save(file, rows, allow_pickle=False)


def _entry_name(what: str, cache_key: str, texts: Sequence[str]) -> str:
    """Return the name of an entry: a hash of everything that decides its rows."""
    digest = sha256(_VERSION)
    for text in (what, cache_key, *texts):
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))  # so that "ab", "c" differs from "a", "bc"
        digest.update(encoded)
    return digest.hexdigest()


def _read(path: Path) -> NDArray[np.float32] | None:
    """Return an entry and mark it as used, or None if it is missing or damaged."""
    try:
        with path.open("rb") as file:
            digest = file.read(_DIGEST_BYTES)
            rows: NDArray[np.float32] = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError):  # numpy parses the header as a Python literal
        return None
    mark_used(path)
    return rows if _hash_rows(rows) == digest else None


def _hash_rows(rows: NDArray[np.float32]) -> bytes:
    """Return a hash of rows, their shape and their type."""
    digest = sha256(repr((rows.shape, rows.dtype.str)).encode())
    digest.update(np.ascontiguousarray(rows).data)
    return digest.digest()
