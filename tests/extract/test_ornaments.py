"""Which paragraphs without words are ornaments."""

from alexandria.extract.ornaments import is_ornament


def test_ornaments() -> None:
    cases = [
        "* * *",
        "***",
        "*",
        "⁂",
        "• • •",
        "· · ·",
        "#",
        "# # #",
        "-----",
        "— — —",
        "~",
        "~*~",
        "❦",
        "✻ ✻ ✻",
        "§",
        "___",
        "◆",
    ]
    for text in cases:
        assert is_ornament(text)


def test_other_paragraphs_are_none() -> None:
    cases = [
        "",
        "…",
        ". . .",
        "?",
        "!!!",
        "-",
        "--",
        "=",
        "$",
        "x x x",
        "1",
        "* note",
        "©",
        "☺ a",
        "■",
        "□",
        "*" * 201,
    ]
    for text in cases:
        assert not is_ornament(text)
