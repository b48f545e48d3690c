"""The note of a library in a folder: which books a writer is changing, for the sweep after a crash."""

import json
from dataclasses import asdict
from pathlib import Path

from alexandria.store.damage import full_disk_error, is_full_disk
from alexandria.store.store import Change
from alexandria.system.durable import write_durably


def write_change(path: Path, change: Change) -> None:
    """Write the note, durably, before the books change.

    Raises:
        FullDiskError: the disk has no room for it.
    """
    try:
        write_durably(path, json.dumps(asdict(change)))
    except OSError as error:
        if not is_full_disk(error):
            raise
        raise full_disk_error(f"cannot write into the library at {path.parent}") from error


def read_change(path: Path) -> Change | None:
    """Return the change in the note, or None if there is no note, or it is damaged."""
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        return Change(tuple(map(str, note["books"])), tuple(map(str, note["generations"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
