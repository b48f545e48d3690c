"""Recognises ornaments: lines without words that authors set between two scenes or thoughts."""

STARS = r"\*(?:[^\S\n]+\*){2,}|\*{3,5}|⁂|(?:[•·~#][^\S\n]+){2,}[•·~#]"
"""A line that is an ornament even between lines of text; a long row of asterisks draws the frame of a box."""
# Stars, dots, daggers and other signs. A single one of them is an ornament.
_SIGNS = frozenset("*⁎∗⁑⁂※⁕⁜#~∼〜•·∙⋅◦‧—―⸻†‡§¶")
# Signs that make a line; fewer than `_MIN_LINE_SIGNS` may be a blank in a form, or a dash of speech.
_LINE_SIGNS = frozenset("-–_=+")
# Box drawing, geometric shapes, stars and florets; ornamental leaves. Smileys are text.
_SHAPES = (range(0x2500, 0x27C0), range(0x2B00, 0x2C00), range(0x1F650, 0x1F680))
_PROOF_ENDS = frozenset("□■▢▣▪▫◻◼◽◾")
_MIN_LINE_SIGNS = 3  # how many signs of `_LINE_SIGNS` make a line
_MAX_CHARACTERS = 200  # most characters of an ornament: a line of the widest text


def is_ornament(text: str) -> bool:
    """Return whether a stripped paragraph is an ornament: `* * *`, `⁂`, `• • •`, `#`, `-----`, `❦`.

    Dots alone are no ornament: they stand for omitted words. Nor is a square: it ends a proof.
    """
    if not text or _is_text(text[0]) or len(text) > _MAX_CHARACTERS:
        return False
    signs = "".join(text.split())
    if signs in _PROOF_ENDS or any(map(_is_text, signs)):
        return False
    return len(signs) >= _MIN_LINE_SIGNS or any(sign not in _LINE_SIGNS for sign in signs)


def _is_text(character: str) -> bool:
    """Return whether a character cannot be part of an ornament."""
    if character.isspace() or character in _SIGNS or character in _LINE_SIGNS:
        return False
    return not any(ord(character) in shapes for shapes in _SHAPES)
