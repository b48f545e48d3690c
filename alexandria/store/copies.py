"""Copies of libraries that this process may only read: on a medium, or of another user.

The engines cannot open a folder without writing into it. So its copy in the cache folder is read, until the
library changes; `system.cache.clear` deletes it.
"""

import logging
import shutil
import time
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from alexandria.errors import StoreError
from alexandria.store.catalog_file import CATALOG
from alexandria.store.folder import GRANT_OR_COPY, create_folder, is_marked
from alexandria.store.lock import LOCK, OWNER, in_use_error, is_locked, shared_lock
from alexandria.store.sharing import YIELD_SECONDS
from alexandria.system.cache import MAX_BYTES, copies_folder
from alexandria.system.files import size_of_folder

log = logging.getLogger(__name__)

_BLOCK = 1 << 16
"""Bytes that are copied at a time, without the zeros at their end: most of an engine's files are holes."""


def copy_of(folder: Path, seconds: float) -> Path:
    """Return a copy of a library's folder as it is now; the last one if nothing has changed since.

    Args:
        folder: the folder, of which this process may read everything.
        seconds: how long to wait for another process that has the library open.

    Raises:
        StoreError: the library is larger than a copy may be, or in use; the cache folder cannot be written.
    """
    end = time.monotonic() + seconds
    while not is_marked(copy := copies_folder() / _state_of(folder) / folder.name):
        with shared_lock(folder) as is_free:
            if is_free:
                _make_copy(folder, copy)
            elif time.monotonic() > end:
                raise in_use_error(folder)
            else:
                time.sleep(YIELD_SECONDS)
    return copy


def _state_of(folder: Path) -> str:
    """Return a name for a library as it is: every change of it changes its catalog, or the log of that."""
    files = (file for file in sorted(folder.rglob(f"{CATALOG}*")) if not file.name.endswith("-shm"))
    changes = [(status.st_size, status.st_mtime_ns) for status in map(Path.stat, files) if status.st_size]
    return sha256(f"{folder.resolve()} {changes}".encode()).hexdigest()[:32]


def _make_copy(folder: Path, copy: Path) -> None:
    """Copy a library that no process has open; delete the copies that none has open if all are too large."""
    n_bytes = size_of_folder(folder)
    if n_bytes > MAX_BYTES:
        what = f"cannot read the library at {folder} without writing into it"
        why = f"it takes {n_bytes / 1e9:.1f} GB, and at most {MAX_BYTES / 1e9:.1f} GB are copied to the cache"
        raise StoreError(what, why=why, fix=GRANT_OR_COPY)
    log.warning("%s may only be read: its copy in %s is used", folder, copies_folder())
    with suppress(OSError):  # `create_folder` says why
        copies_folder().mkdir(mode=0o700, parents=True, exist_ok=True)  # others may not read the original
    others = [other for other in copies_folder().glob("*/[!.]*") if not is_locked(other)]
    if n_bytes + sum(map(size_of_folder, others)) > MAX_BYTES:
        for other in others:
            shutil.rmtree(other.parent, ignore_errors=True)
    with create_folder(copy, fix="name a folder that you may write in ALEXANDRIA_CACHE") as staging:
        for path in folder.rglob("*"):
            target = staging / path.relative_to(folder)
            if path.is_dir():
                target.mkdir()
            elif path.is_file() and path.name not in (LOCK, OWNER):
                _copy_file(path, target)


def _copy_file(path: Path, target: Path) -> None:
    """Copy the contents of a file, with its holes, and without its rights."""
    with path.open("rb") as source, target.open("xb") as copy:
        for block in iter(partial(source.read, _BLOCK), b""):
            copy.write(block.rstrip(b"\0"))
            copy.seek(source.tell())
        copy.truncate(source.tell())
