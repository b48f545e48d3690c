"""Characters of symbol fonts, which Word writes as a font and a number (`w:sym`)."""

# Adobe's Symbol encoding from 0x20 on; a space where Unicode has no such character.
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ "
    "                                 ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…   ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇   ∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨   ∑"
)
_WINGDINGS = {
    0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x41: "✌", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x52: "☼", 0x6C: "●",
    0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥",
    0x9E: "·", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xB6: "✰", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF3: "⬄", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip


def decode_symbol(font: str, code: str) -> str | None:
    """Return the Unicode character for a character of a symbol font, or None if it is not known.

    Args:
        font: the name of the font, such as `Symbol`.
        code: the number of the character, hexadecimal; Word adds F000 to the numbers of symbol fonts.
    """
    try:
        number = int(code, 16)
    except ValueError:
        return None
    if not 0xE000 <= number <= 0xF8FF:  # outside Unicode's private use area: a character like any other
        return chr(number) if 0x20 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else None
    number &= 0xFF  # without F000
    if font.casefold() == "symbol":
        i = number - 0x20
        character = _SYMBOL[i].strip() if 0 <= i < len(_SYMBOL) else ""
        return character or None
    if font.casefold() == "wingdings":
        return _WINGDINGS.get(number)
    return None
