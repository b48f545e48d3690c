"""Bytes become text: which encoding, told from the bytes alone."""

import codecs
from dataclasses import dataclass

# The 32-bit marks first: that of UTF-32 LE begins with that of UTF-16 LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What files called Latin-1 hold in practice: the same letters, and quotes where it has controls.
_SUPERSETS = {"iso-8859-1": "cp1252", "ascii": "cp1252", "iso-8859-9": "cp1254", "iso-8859-11": "cp874"}
_CONTROLS = bytes(sorted({*range(0x20)} - {*b"\t\n\v\f\r\x1a\x1b"}))  # ^Z ends old DOS files
_SAMPLE_BYTES = 200_000  # where chardet's guesses on books no longer change


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, and what was lost on the way."""

    text: str
    encoding: str
    n_invalid: int = 0
    """How many times bytes were not of the encoding and became U+FFFD."""


def decode(data: bytes) -> Decoded:
    """Return the text of a file's bytes, without its byte order mark.

    In turn: the byte order mark; UTF-8 where all bytes are valid; the zero bytes of UTF-16 and UTF-32;
    UTF-8 with a few bytes damaged; and for all else chardet's guess, with Windows-1252 as the last resort.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _replaced(data[len(mark) :], encoding)
    if wide := _wide(data[:_SAMPLE_BYTES]):
        return _replaced(data, wide)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        first = error.start
    utf8 = _replaced(data, "utf-8")
    # By chance a legacy text may hold a valid pair or two; three valid for each invalid one is UTF-8.
    if _n_beyond_ascii(utf8.text) - utf8.n_invalid >= 3 * utf8.n_invalid:
        return utf8
    return _replaced(data, _guessed(data, first))


def looks_like_text(head: bytes) -> bool:
    """Say whether a file that begins so can be text: hardly any control characters, once decoded."""
    if head.startswith(tuple(mark for mark, _ in _MARKS)) or _wide(head):
        return True
    # Random bytes hold a tenth of these, text none but for a stray form of damage.
    return len(head) - len(head.translate(None, _CONTROLS)) <= len(head) // 100


def _wide(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 that zero bytes at every second, or three of four, places betray."""
    if b"\0" not in head:
        return None
    quarter = len(head) // 4
    zeros = [head[i : quarter * 4 : 4].count(0) for i in range(4)]
    if quarter and min(zeros[2:]) > 0.9 * quarter and not zeros[0]:
        return "utf-32-le"
    if quarter and min(zeros[:2]) > 0.9 * quarter and not zeros[3]:
        return "utf-32-be"
    # A tenth: in scripts beyond Latin only spaces, digits and line ends have a zero half.
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > len(head) // 20 and even * 10 < odd:
        return "utf-16-le"
    if even > len(head) // 20 and odd * 10 < even:
        return "utf-16-be"
    return None


def _guessed(data: bytes, first: int) -> str:
    """Return chardet's guess on a sample that holds bytes beyond ASCII; the first is at `first`."""
    import chardet

    start = 0 if first < _SAMPLE_BYTES // 2 else first - _SAMPLE_BYTES // 2
    guess = (chardet.detect(data[start : start + _SAMPLE_BYTES])["encoding"] or "ascii").lower()
    # UTF-8 was ruled out before.
    guess = "ascii" if guess.startswith("utf-8") else guess
    try:
        return _SUPERSETS.get(guess) or codecs.lookup(guess).name
    except LookupError:
        return "cp1252"


def _replaced(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    # The text may hold U+FFFD of its own; to count it among the invalid errs on the safe side.
    return Decoded(text, encoding, text.count("\ufffd"))


def _n_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
