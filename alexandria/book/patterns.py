"""Regular expressions that are compiled when they are first used: most commands use few of the program's."""

import re
from typing import Any, cast


class _Pattern:
    """What behaves as a compiled pattern, and is one from its first use on."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source, flags

    def __getattr__(self, name: str) -> Any:
        """Return what the compiled pattern has under this name, and keep it here."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(*self._source), name)  # `re` keeps the last 512 patterns
        setattr(self, name, value)
        return value


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when its first method is called, for one that takes a millisecond."""
    return cast("re.Pattern[str]", _Pattern(source, flags))
