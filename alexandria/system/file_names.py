"""Checks names that a user chooses for files or folders: they must be possible on every system.

A library may be moved to another machine, and on Windows a name of a device, such as `con` or `nul.yaml`,
cannot be opened as a file.
"""

import re

MAX_NAME_LENGTH = 100
"""In characters: Windows limits a whole path to 260 by default."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])(?:\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


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
