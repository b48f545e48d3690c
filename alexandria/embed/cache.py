"""Vectors that were computed once are kept: another threshold costs no pass of the model.

What is kept belongs to a list of texts and to what embeds it: a changed sentence, another model or precision
ask for another entry, so nothing is ever out of date. Each entry carries a hash of itself; a damaged one
counts as missing.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import Encoder
from alexandria.embed.folder import cache_folder

MOST_BYTES = 2 << 30
"""Of all vectors kept, 2 GB: some 400 books of 75,000 words at 384 dimensions."""

_VERSION = b"3"  # raised when what is kept changes its meaning
_SUFFIX = ".rows"
_DIGEST_BYTES = sha256().digest_size


class CachedEncoder:
    """An encoder that asks the one inside only for what it was not asked before."""

    def __init__(self, encoder: Encoder, variant: str, folder: Path | None = None) -> None:
        """Keep the rows of `encoder` in `folder`, under `variant`: where that is the same, so are they."""
        self.name = encoder.name
        self._encoder, self._variant = encoder, variant
        self._folder = folder or vectors_folder()

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 rows of length 1, in the order of the texts."""
        return self._kept("encode", self._encoder.encode, texts)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that the model's window holds."""
        return self._kept("coverage", self._encoder.coverage, texts)

    def _kept(
        self, what: str, compute: Callable[[Sequence[str]], NDArray[np.float32]], texts: Sequence[str]
    ) -> NDArray[np.float32]:
        if not texts:
            return compute(texts)
        path = self._folder / (_key(what, self._variant, texts) + _SUFFIX)
        rows = _read(path)
        if rows is None or len(rows) != len(texts):
            rows = compute(texts)
            _write(path, rows)
        return rows


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache folder holds."""

    folder: Path
    n_entries: int
    """Lists of texts whose vectors are kept."""
    vector_bytes: int
    graph_bytes: int
    """Of the converted models."""
    most_vector_bytes: int = MOST_BYTES


def vectors_folder() -> Path:
    """Return where vectors are kept; it need not exist."""
    return cache_folder() / "vectors"


def usage() -> Usage:
    """Return what the cache folder holds."""
    entries = list(_entries(vectors_folder()))
    graphs = [path for path in (cache_folder() / "graphs").rglob("*") if path.is_file()]
    return Usage(
        cache_folder(),
        len(entries),
        sum(size for _, size, _ in entries),
        sum(path.stat().st_size for path in graphs),
    )


def clear() -> Usage:
    """Delete all that is kept, converted models too, and return what there was."""
    import shutil

    before = usage()
    for part in (vectors_folder(), cache_folder() / "graphs"):
        shutil.rmtree(part, ignore_errors=True)
    return before


def _key(what: str, variant: str, texts: Sequence[str]) -> str:
    digest = sha256(_VERSION)
    for text in (what, variant, *texts):
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))  # "ab" + "c" is not "a" + "bc"
        digest.update(encoded)
    return digest.hexdigest()


def _read(path: Path) -> NDArray[np.float32] | None:
    """Return an entry and mark it as used, or None where it is missing or damaged."""
    try:
        with path.open("rb") as file:
            digest = file.read(_DIGEST_BYTES)
            rows: NDArray[np.float32] = np.load(file, allow_pickle=False)
        os.utime(path)
    except (OSError, ValueError, EOFError, SyntaxError):  # what numpy raises at a damaged header
        return None
    return rows if _digest(rows) == digest else None


def _write(path: Path, rows: NDArray[np.float32]) -> None:
    """Keep an entry, whole or not at all; where the folder cannot be written, nothing is kept."""
    new = path.with_suffix(f".{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            file.write(_digest(rows))
            np.save(file, rows, allow_pickle=False)
        new.replace(path)
        _evict(path.parent)
    except OSError:
        with suppress(OSError):
            new.unlink()


def _digest(rows: NDArray[np.float32]) -> bytes:
    digest = sha256(repr((rows.shape, rows.dtype.str)).encode())
    digest.update(np.ascontiguousarray(rows).data)
    return digest.digest()


def _evict(folder: Path) -> None:
    """Delete the entries that were not used for the longest time, until the rest is within the limit."""
    entries = sorted(_entries(folder), reverse=True)
    total = 0
    for _, size, path in entries:
        total += size
        if total > MOST_BYTES:
            path.unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield when each entry was last used, its bytes, and its path; also what an interrupted run has left."""
    for path in folder.glob("*") if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process may evict as well
            found = path.stat()
            yield found.st_mtime_ns, found.st_size, path
