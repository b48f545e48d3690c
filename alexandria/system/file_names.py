"""Names that a user chooses and that become files or folders: possible on every system, or refused.

A library may be moved to another machine, and a name that Windows gives to a device, such as `con` or
`nul.yaml`, cannot be opened there.
"""

import re

LONGEST = 100
"""Characters: Windows limits a whole path to 260, unless its user raised that."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])(?:\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


def name_fault(name: str) -> str | None:
    """Return why a name cannot be that of a file on every system, or None if it can."""
    if not name.strip():
        return "it is empty"
    if len(name) > LONGEST:
        return f"it has {len(name)} characters, and a path that is too long cannot be opened on Windows"
    if forbidden := _FORBIDDEN.search(name):
        return f"it holds {forbidden[0]!r}, which cannot be part of a file name on every system"
    if name.endswith((".", " ")):
        return "Windows drops the dot or space at its end"
    if _DEVICE.fullmatch(name):
        return "Windows gives this name to a device"
    return None
