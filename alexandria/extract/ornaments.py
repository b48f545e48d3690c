"""Ornaments: lines and paragraphs without words that authors set between two scenes or thoughts."""

STARS = r"\*(?:[^\S\n]+\*){2,}|\*{3,5}|⁂|(?:[•·~#][^\S\n]+){2,}[•·~#]"
"""A line that is an ornament even between lines of text; a long row of asterisks draws the frame of a box."""
# Stars, dots, daggers and other signs of which one suffices.
_SIGNS = frozenset("*⁎∗⁑⁂※⁕⁜#~∼〜•·∙⋅◦‧—―⸻†‡§¶")
# Signs that make a line: fewer than three may be a blank in a form, or a dash of speech.
_LINES = frozenset("-–_=+")
# Box drawing, geometric shapes, stars and florets; ornamental leaves. Smileys are text.
_SHAPES = (range(0x2500, 0x27C0), range(0x2B00, 0x2C00), range(0x1F650, 0x1F680))
_PROOF_ENDS = frozenset("□■▢▣▪▫◻◼◽◾")
_LINE = 3
"""Signs that make a line."""
_LONGEST = 200
"""Characters of an ornament: a line in the widest text."""


def is_ornament(text: str) -> bool:
    """Return whether a stripped paragraph is an ornament: `* * *`, `⁂`, `• • •`, `#`, `-----`, `❦`.

    Dots alone are none: they stand for omitted words. Neither is a square: it ends a proof.
    """
    if not text or _is_word(text[0]) or len(text) > _LONGEST:
        return False
    signs = "".join(text.split())
    if signs in _PROOF_ENDS or any(map(_is_word, signs)):
        return False
    return len(signs) >= _LINE or any(sign not in _LINES for sign in signs)


def _is_word(sign: str) -> bool:
    """Return whether a character belongs to no ornament."""
    if sign.isspace() or sign in _SIGNS or sign in _LINES:
        return False
    return not any(ord(sign) in shapes for shapes in _SHAPES)
