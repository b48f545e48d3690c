"""Mends mojibake: UTF-8 that was read as Windows-1252 and saved again, so that é became Ã©; even twice.

A text is mended if it is certain to be mojibake: all or nearly all of its characters beyond ASCII are then
pieces of valid UTF-8. Places that only look like mojibake (a book on encodings may print Ã©) are left as they
are, and counted.
"""

import codecs
import re
from dataclasses import dataclass

_MAX_TIMES = 3  # how many times in succession a text may have been read as Windows-1252 and saved again
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
"""Bytes that are undefined in Windows-1252: programs read each as the control character of its number."""
_BYTE_OF_CHARACTER = {
    (chr(byte) if byte in _UNDEFINED else bytes([byte]).decode("cp1252")): byte for byte in range(0x80, 0x100)
}  # the byte from 0x80 to 0xff that Windows-1252 reads as each character
_BYTE_OF_CODE_POINT = (
    {code_point: code_point for code_point in range(0xA0)}  # ASCII, and bytes that were read as controls
    | {ord(character): byte for character, byte in _BYTE_OF_CHARACTER.items()}
)  # the same by code point and with ASCII, as `codecs.charmap_encode` takes it
_TRAILING = "".join(re.escape(c) for c, byte in _BYTE_OF_CHARACTER.items() if byte < 0xC0)
"""The characters as which Windows-1252 reads the bytes after the first of a sequence of UTF-8."""
# A sequence of UTF-8 read as Windows-1252. The pattern begins with the set of all first characters, to which
# `re` can skip: the search takes a quarter of the time.
_SEQUENCE = re.compile(
    f"[Â-ô](?:(?<=[Â-ß])[{_TRAILING}]|(?<=[à-ï])[{_TRAILING}]{{2}}|(?<=[ð-ô])[{_TRAILING}]{{3}})"
)
# Sequences that no language writes, such as a capital with tilde before a sign, or â before €.
_TYPICAL = re.compile(f"(?<=[A-Za-z])Ã[{_TRAILING}](?=[a-z])|Ãƒ[ƒÂÃ]|Ã‚Â|â€[™œ“”˜\x9d]|Â[\xa0«»°§]")
_MIN_SEQUENCES = 3  # fewest sequences that are certain if nothing else is beyond ASCII; "É»" may be chance
_MIN_MIXED_SEQUENCES = 20  # fewest sequences that make a text with other characters beyond ASCII certain
_MIN_PER_OTHER = 20  # fewest sequences per other character beyond ASCII in such a text


@dataclass(frozen=True, slots=True)
class Mended:
    """A text, and how much of it still looks like mojibake."""

    text: str
    n_doubtful: int = 0  # places that look like mojibake, and that were not changed


def mend_mojibake(text: str) -> Mended:
    """Return the text as it was before its UTF-8 was read as Windows-1252, if that is certain."""
    if text.isascii() or not _SEQUENCE.search(text):
        return Mended(text)
    for _ in range(_MAX_TIMES):
        original = _undo_whole(text) or _undo_sequences(text)
        if original is None:
            break
        text = original
    n_doubtful = len(_TYPICAL.findall(text))
    return Mended(text, n_doubtful if n_doubtful >= _MIN_SEQUENCES else 0)


def _undo_whole(text: str) -> str | None:
    """Return the text with all of its bytes read as UTF-8."""
    # None if they are not valid UTF-8, or if too few sequences of UTF-8 make that certain.
    if text.isascii():
        return None
    byte_order_mark = "\ufeff" if text.startswith("\ufeff") else ""
    try:
        original = _as_utf8(text.removeprefix(byte_order_mark), "strict")
    except UnicodeError:
        return None
    n_sequences = len(_SEQUENCE.findall(text))
    is_certain = n_sequences >= _MIN_SEQUENCES or (n_sequences > 0 and _TYPICAL.search(text))
    return byte_order_mark + original if is_certain else None


def _undo_sequences(text: str) -> str | None:
    """Return a text with its sequences of UTF-8 read as such, and all else unchanged, or None if not certain.

    That is certain if one sequence is typical, the sequences are many, and other characters beyond ASCII few.
    """
    if text.isascii() or not _TYPICAL.search(text):
        return None
    sequences = _SEQUENCE.findall(text)
    n_others = sum(not c.isascii() for c in text) - sum(map(len, sequences))
    if len(sequences) < _MIN_MIXED_SEQUENCES or _MIN_PER_OTHER * n_others > len(sequences):
        return None
    return _SEQUENCE.sub(lambda match: _as_utf8(match[0], "replace"), text)


def _as_utf8(text: str, errors: str) -> str:
    """Return the bytes that were read as this text in Windows-1252, read as UTF-8.

    Raises:
        UnicodeError: a character is not in Windows-1252; or the bytes are invalid and `errors` is `strict`.
    """
    data, _ = codecs.charmap_encode(text, "strict", _BYTE_OF_CODE_POINT)
    return data.decode("utf-8", errors)


def mojibake_warnings(n_doubtful: int) -> tuple[str, ...]:
    """Return the warning of places in a book that look like mojibake; none if there are no such places."""
    if not n_doubtful:
        return ()
    return (
        f"{n_doubtful} places look like UTF-8 read as Windows-1252 (Ã© for é); they were left as they are",
    )
