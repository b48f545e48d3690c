"""Decoding: finds the encoding of a text by its bytes alone."""

import codecs
from dataclasses import dataclass, replace

from alexandria.extract.mojibake import mend_mojibake

# The 32-bit marks first: the mark of UTF-32 LE begins with the mark of UTF-16 LE.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What files in these encodings contain in practice: the same letters, and quotes in place of controls.
_SUPERSETS = {"iso-8859-1": "cp1252", "ascii": "cp1252", "iso-8859-9": "cp1254", "iso-8859-11": "cp874"}
_CONTROLS = bytes(sorted({*range(0x20)} - {*b"\t\n\v\f\r\x1a\x1b"}))  # ^Z ends old DOS files
_SAMPLE_BYTES = 200_000  # with more, chardet's guesses on books no longer change


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, and how much of it could not be decoded."""

    text: str
    encoding: str
    n_invalid: int = 0  # how many invalid sequences were replaced by U+FFFD
    n_doubtful: int = 0  # places that look like mojibake (`mojibake`), and that were left as they are


def decode(data: bytes) -> Decoded:
    """Return the text of a file's bytes, without its byte order mark and with mojibake mended.

    The encoding is found by, in this order: the byte order mark; the zero bytes of UTF-16 and UTF-32; valid
    UTF-8; UTF-8 with a few damaged bytes; chardet's guess, with Windows-1252 as the last resort.
    """
    decoded = _decode_unmended(data)
    repaired = mend_mojibake(decoded.text)
    return replace(decoded, text=repaired.text, n_doubtful=repaired.n_doubtful)


def _decode_unmended(data: bytes) -> Decoded:
    """Return the text of a file's bytes as they are, in the encoding that `decode` describes."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    if wide_encoding := _detect_wide_encoding(data[:_SAMPLE_BYTES]):
        return _decode_as(data, wide_encoding)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        first_invalid = error.start
    utf8 = _decode_as(data, "utf-8")
    # A text in an older encoding may contain a few valid sequences of UTF-8 by chance; three valid sequences
    # per invalid one mean UTF-8.
    n_valid = len(utf8.text) - len(utf8.text.encode("ascii", "ignore")) - utf8.n_invalid
    if n_valid >= 3 * utf8.n_invalid:
        return utf8
    return _decode_as(data, _guess_encoding(data, first_invalid))


def looks_like_text(head: bytes) -> bool:
    """Return whether a file that begins with `head` can be text, with hardly any control characters."""
    if head.startswith(tuple(mark for mark, _ in _BYTE_ORDER_MARKS)) or _detect_wide_encoding(head):
        return True
    # A tenth of random bytes are control characters; text has only a few, from damage.
    return len(head) - len(head.translate(None, _CONTROLS)) <= len(head) // 100


def _detect_wide_encoding(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 encoding that regular zero bytes reveal, or None."""
    if b"\0" not in head:
        return None
    # In UTF-32, a character has four bytes. The upper two are zero, except in rare scripts and emoji; the
    # lowest one never is.
    n_characters = len(head) // 4
    zeros = [head[i : 4 * n_characters : 4].count(0) for i in range(4)]  # by the position in a character
    if n_characters and min(zeros[2:]) > 0.9 * n_characters and not zeros[0]:
        return "utf-32-le"
    if n_characters and min(zeros[:2]) > 0.9 * n_characters and not zeros[3]:
        return "utf-32-be"
    # In UTF-16, Latin letters, spaces, digits and line ends have a zero byte, the upper one of two. In other
    # scripts, letters have none, so a tenth of the characters, a twentieth of the bytes, is enough.
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > len(head) // 20 and even * 10 < odd:
        return "utf-16-le"
    if even > len(head) // 20 and odd * 10 < even:
        return "utf-16-be"
    return None


def _guess_encoding(data: bytes, first_invalid: int) -> str:
    """Return the encoding that chardet guesses from a sample, or a superset of it such as Windows-1252."""
    # `first_invalid`: the offset of the first byte that is invalid in UTF-8; the sample is around it.
    import chardet

    start = max(0, first_invalid - _SAMPLE_BYTES // 2)
    guess = (chardet.detect(data[start : start + _SAMPLE_BYTES])["encoding"] or "ascii").lower()
    if guess.startswith("utf-8"):  # which has been ruled out already
        guess = "ascii"
    try:
        return _SUPERSETS.get(guess) or codecs.lookup(guess).name
    except LookupError:
        return "cp1252"


def _decode_as(data: bytes, encoding: str) -> Decoded:
    """Return the text in this encoding, with U+FFFD for invalid sequences."""
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    # A U+FFFD that was in the text itself is counted too: one warning too many is harmless.
    return Decoded(text, encoding, text.count("\ufffd"))
