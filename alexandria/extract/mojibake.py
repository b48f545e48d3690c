"""Mojibake: UTF-8 that somebody read as Windows-1252 and saved again, so that é became Ã©; even twice.

It is mended where it is certain: all characters beyond ASCII of a text are then pieces of valid UTF-8. What
only looks like it in some places (a book on encodings may print Ã©) is left as it is, and counted.
"""

import codecs
import re
from dataclasses import dataclass

_MOST_TIMES = 3
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
# How the bytes 0x80 to 0xff read: in Windows-1252 and, where it defines nothing, as controls.
_READ_AS = {
    (bytes([byte]).decode("cp1252") if byte not in _UNDEFINED else chr(byte)): byte
    for byte in range(0x80, 0x100)
}
_TO_BYTE = {ord(character): byte for character, byte in _READ_AS.items()} | {c: c for c in range(0x80, 0xA0)}
_TRAILING = "".join(map(re.escape, (c for c, byte in _READ_AS.items() if byte < 0xC0)))
# The set of all first characters comes first: the engine skips to one of them, a quarter of the time.
_SEQUENCE = re.compile(
    f"[Â-ô](?:(?<=[Â-ß])[{_TRAILING}]|(?<=[à-ï])[{_TRAILING}]{{2}}|(?<=[ð-ô])[{_TRAILING}]{{3}})"
)
# A capital with tilde or circumflex before a sign, an a with circumflex before € : no language writes these.
_TELLING = re.compile(f"(?<=[A-Za-z])Ã[{_TRAILING}](?=[a-z])|Ãƒ[ƒÂÃ]|Ã‚Â|â€[™œ“”˜\x9d]|Â[\xa0«»°§]")
_FEW = 3
_MANY = 20
"""Sequences, and sequences per other character, that make a text with exceptions certain."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text, and how much of it still looks like mojibake."""

    text: str
    n_doubtful: int = 0
    """Places that look like mojibake, and that were not changed."""


def mended(text: str) -> Mended:
    """Return the text as it was before its UTF-8 was read as Windows-1252, if that is certain."""
    if text.isascii() or not _SEQUENCE.search(text):
        return Mended(text)
    for _ in range(_MOST_TIMES):
        before = _before(text) or _almost_before(text)
        if before is None:
            break
        text = before
    n_doubtful = len(_TELLING.findall(text))
    return Mended(text, n_doubtful if n_doubtful >= _FEW else 0)


def _before(text: str) -> str | None:
    """Return the text one reading earlier, or None if it is not certain to be mojibake."""
    if text.isascii():
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    try:
        data = codecs.charmap_encode(text.removeprefix("\ufeff"), "strict", _MAP)[0]
        before = data.decode("utf-8")
    except UnicodeError:
        return None
    n = len(_SEQUENCE.findall(text))
    # "É»" is valid UTF-8 by chance: once, not three times without exception.
    return mark + before if n >= _FEW or (n and _TELLING.search(text)) else None


def _almost_before(text: str) -> str | None:
    """Return a text with its sequences read as UTF-8, if nearly all that is beyond ASCII is in sequences."""
    if text.isascii() or not _TELLING.search(text):
        return None
    sequences = _SEQUENCE.findall(text)
    n_others = sum(not c.isascii() for c in text) - sum(map(len, sequences))
    if len(sequences) < _MANY or _MANY * n_others > len(sequences):
        return None
    return _SEQUENCE.sub(_as_utf8, text)


def _as_utf8(match: re.Match[str]) -> str:
    return codecs.charmap_encode(match[0], "strict", _MAP)[0].decode("utf-8", "replace")


def warnings_of(n_doubtful: int) -> tuple[str, ...]:
    """Return what to tell of places that look like mojibake, for a book's warnings."""
    if not n_doubtful:
        return ()
    return (
        f"{n_doubtful} places look like UTF-8 read as Windows-1252 (Ã© for é); they were left as they are",
    )


_MAP = {c: c for c in range(0x80)} | _TO_BYTE
