"""Characters, in one place: what typesetting leaves in a text and a reader does not see."""

import re
import unicodedata

# Soft hyphen, zero-width space, word joiner, byte order mark, and the C0/C1 controls that no text needs.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# No-break, figure, thin, hair, ideographic…: every space that is not a line break.
_SPACES = re.compile(r"[^\S\n]+")


def clean(text: str) -> str:
    """Return the text on one line a line: NFC, odd spaces as plain ones, invisible characters gone.

    Line breaks are kept, white space around them is not; leading and trailing white space goes.
    """
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip()


def one_line(text: str) -> str:
    """Return the cleaned text with its line breaks as spaces."""
    return " ".join(clean(text).split())
