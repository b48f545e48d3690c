"""The note of a library in a folder: which books a writer was changing last, for the next sweep."""

import json
from dataclasses import asdict
from errno import EDQUOT, ENOSPC
from pathlib import Path

from alexandria.store.damage import full_disk
from alexandria.store.store import Change
from alexandria.system.durable import write_durably


def write_change(path: Path, change: Change) -> None:
    """Write down, durably, which books are about to change.

    Raises:
        FullDiskError: there is no room for it.
    """
    try:
        write_durably(path, json.dumps(asdict(change)))
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT):
            raise
        raise full_disk(f"cannot write into the library at {path.parent}") from error


def read_change(path: Path) -> Change | None:
    """Return the last change that was noted; None if none was, or the note is damaged."""
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        return Change(tuple(map(str, noted["books"])), tuple(map(str, noted["generations"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
