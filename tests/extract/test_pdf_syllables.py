"""PDFs in Brahmic scripts, whose vowel signs are drawn around letters."""

from pathlib import Path

from tests.extract.glyphs import glyph, read, syllable

DA = syllable("दा", glyph(50, "द"), glyph(58, "ा"))


def test_spaces_are_those_on_the_page(tmp_path: Path) -> None:
    cases: dict[str, tuple[str, str]] = {
        "sign over a letter": (glyph(50, "क") + glyph(53, "े") + glyph(58, "त"), "केत"),
        "sign before a space": (glyph(50, "क") + glyph(53, "े") + glyph(61, "त"), "के त"),
        "two glyphs of a syllable": (DA + syllable("नी", glyph(67.7, "न"), glyph(75.7, "ी")), "दानी"),
        "and a space": (DA + syllable("नी", glyph(68.3, "न"), glyph(76.3, "ी")), "दा नी"),
    }
    for drawn, line in cases.values():
        assert read(tmp_path / "words.pdf", drawn) == [line]


def test_a_syllable_around_a_letter_is_read_once(tmp_path: Path) -> None:
    around = syllable("ขึ้", glyph(50, "ข")) + glyph(58, "ง") + syllable("ขึ้", glyph(58, "้"))
    assert read(tmp_path / "around.pdf", around) == ["ขึ้ง"]
    twice = syllable("ขึ้", glyph(50, "ข")) + glyph(58, "ง") + syllable("ขึ้", glyph(66, "ข"))
    assert read(tmp_path / "twice.pdf", twice) == ["ขึ้งขึ้"]
