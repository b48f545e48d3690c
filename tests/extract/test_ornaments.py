"""Which paragraphs without words are ornaments."""

import pytest

from alexandria.extract.ornaments import is_ornament


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_ornaments(text: str) -> None:
    assert is_ornament(text)


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_other_paragraphs_are_none(text: str) -> None:
    assert not is_ornament(text)
