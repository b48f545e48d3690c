"""The rights that a process needs on the files of a library: to read and to write all of them.

The engines and SQLite change files even to read a library. Without the right to do so, they report what looks
like damage, and a repair would not help.
"""

import os
import stat
from itertools import chain
from pathlib import Path

from alexandria.errors import StoreError

GRANT_OR_COPY = (
    "get the right to write the folder and all that is in it, since reading a library changes its files too;"
    " or copy the folder while nobody uses it, and name the copy with --store"
)
"""The remedy for a library that this process may not read and write."""


def denied_error(what: str, folder: Path) -> StoreError | None:
    """Return the error if this process may not read and write a folder and all that is in it, else None.

    Args:
        what: what could not be done.
        folder: the folder, which may also be missing.
    """
    path = next(filter(_is_denied, chain([folder], folder.rglob("*"))), None)
    if path is None:
        return None
    return StoreError(what, why=f"{path}: no right to read and write it", fix=GRANT_OR_COPY)


def _is_denied(path: Path) -> bool:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:  # it is missing
        return False
    return not os.access(path, os.R_OK | os.W_OK | (os.X_OK if is_folder else 0))
