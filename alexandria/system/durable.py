"""Files that are whole or absent after a power cut: written beside their place, synced, and moved into it.

A rename alone is not enough: what was written may reach the disk after the name does.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write, which takes the place of `path` afterwards, whole or not at all.

    Raises:
        OSError: it cannot be written; nothing of it is left.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        with new.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def write_durably(path: Path, text: str) -> None:
    """Write a text file in UTF-8 in place of `path`, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Return once the names in a folder are on disk; Windows writes them with the files."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Return once what a file holds is on disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_tree(folder: Path) -> None:
    """Return once all files and folders below a folder are on disk, and their names in it."""
    for path in sorted(folder.rglob("*"), reverse=True):  # what a folder holds before the folder
        if path.is_dir():
            sync_folder(path)
        elif path.is_file():
            sync_file(path)
    sync_folder(folder)
