"""Files that are complete or absent after a power cut, and names that are possible on every system.

A rename alone is not enough: the new name may reach the disk before the contents do. A library may be moved
to another machine, and Windows cannot open a file with the name of a device, such as `con` or `nul.yaml`.
"""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PACKAGE_FOLDER = Path(__file__).parents[1]
"""The code of this program."""
MAX_NAME_LENGTH = 100  # in characters: Windows limits a whole path to 260 by default

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])(?:\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


def file_size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it cannot be read: opening it will give the precise error."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write, which afterwards replaces `path` completely or not at all.

    Raises:
        OSError: the file cannot be written; nothing of it is left.
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
    """Replace a file by a text in UTF-8, completely or not at all."""
    with atomic_write(path) as file:
        file.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk; Windows writes them together with the files."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Wait until the contents of a file are on disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_tree(folder: Path) -> None:
    """Wait until all files and folders below a folder are on disk, with their names."""
    for path in sorted(folder.rglob("*"), reverse=True):  # the contents of a folder before the folder
        if path.is_dir():
            sync_folder(path)
        elif path.is_file():
            sync_file(path)
    sync_folder(folder)


def size_of_folder(folder: Path) -> int:
    """Return how many bytes the files below a folder have; files that vanish meanwhile do not count."""
    n_bytes = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                n_bytes += _allocated(Path(parent, name))
    return n_bytes


def _allocated(file: Path) -> int:
    """Return the bytes that a file takes on the disk: fewer than its length if it has holes."""
    status = file.stat()
    return int(getattr(status, "st_blocks", status.st_size / 512) * 512)  # Windows counts no blocks


def name_fault(name: str) -> str | None:
    """Return why a name cannot be that of a file on every system, or None if it can."""
    if not name.strip():
        return "it is empty"
    if len(name) > MAX_NAME_LENGTH:
        return f"it has {len(name)} characters, and a path that is too long cannot be opened on Windows"
    if forbidden := _FORBIDDEN.search(name):
        return f"it holds {forbidden[0]!r}, which cannot be part of a file name on every system"
    if name.endswith((".", " ")):
        return "Windows drops the dot or space at its end"
    if _DEVICE.fullmatch(name):
        return "Windows gives this name to a device"
    return None
