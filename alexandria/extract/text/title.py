"""Title and author as a text prints them in its first lines: `Gull Rock`, then `by Ruth Penhale`."""

import re
from collections.abc import Sequence

_BY = re.compile(r"(?:written )?(?:by|von|par|di|de|por|van|door|av|af)[ :]\s*(?P<name>\S.*)", re.IGNORECASE)
_STATED = re.compile(r"^(?P<key>title|author|titel|autor|titre|auteur)\s*:\s*(?P<value>\S.*)$", re.I | re.M)
_LONGEST = 120
"""Characters of a title, and of an author's name."""


def printed_title(groups: Sequence[str]) -> tuple[str, str]:
    """Return title and author; both are empty unless the text names both.

    Args:
        groups: the first runs of lines of a text, between which it has empty lines.
    """
    stated = {
        match["key"].lower(): match["value"].strip() for match in _STATED.finditer("\n".join(groups[:3]))
    }
    title = next((stated[key] for key in ("title", "titel", "titre") if key in stated), "")
    author = next((stated[key] for key in ("author", "autor", "auteur") if key in stated), "")
    if title and author:
        return title, author
    lines = [line.strip() for group in groups[:4] for line in group.splitlines() if line.strip()]
    for i, line in enumerate(lines[1:5], 1):
        name = _BY.fullmatch(line)
        if line.casefold() in ("by", "von", "par") and i + 1 < len(lines):
            name = _BY.fullmatch(f"{line} {lines[i + 1]}")
        if name and _is_name(name["name"]):
            title = " ".join(lines[:i])
            return (_cased(title), _cased(name["name"].rstrip(" .,"))) if _is_title(title) else ("", "")
    return "", ""


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST and not text.endswith((".", ",", ";")) and any(map(str.isalpha, text))


def _is_name(text: str) -> bool:
    """Return whether each word but the small ones (`de la`) begins with a capital."""
    words = re.findall(r"[^\W\d_]+", text)
    large = [word for word in words if len(word) > 3]
    return 0 < len(words) <= 8 and words[-1][0].isupper() and all(word[0].isupper() for word in large)


def _cased(text: str) -> str:
    """Return a text in capitals with capitals only at the beginning of words."""
    return re.sub(r"[^\W\d_]['’\w]*", lambda word: word[0].capitalize(), text) if text.isupper() else text
