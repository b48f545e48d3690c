"""Subtitles are read as what is said; what is about books, and is none, is refused by name."""

from pathlib import Path

import pytest

from alexandria.errors import BookError
from alexandria.extract import extract
from alexandria.extract.text.subtitles import without_cues
from tests.pairs import by_pairs

SRT = """1
00:00:01,000 --> 00:00:03,500
<i>The keeper lit the lamp
before the tide turned.</i>

2
00:00:04,000 --> 00:00:06,000
- Who built the tower?
- Nobody knows.

3
00:00:12,000 --> 00:00:15,000
{\\an8}The boats came home, 10 --> 12 of them.
"""
VTT = """WEBVTT - a talk
Kind: captions

NOTE made by hand
on two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 align:start
Never look at the lamp.

00:05.000 --> 00:09.000
<v Ann>It blinds <b>gulls</b> &amp;
terns&nbsp;&lt;here&gt;.
"""


@by_pairs(("end", ["\n", "\r\n", "\r"]), ("begin", ["", "\ufeff", "\n\n"]))
def test_what_is_said_is_read_in_paragraphs(end: str, begin: str) -> None:
    text, n_words = without_cues(begin + SRT.replace("\n", end))
    assert text.split("\n\n") == [
        "The keeper lit the lamp before the tide turned.",
        "- Who built the tower?",
        "- Nobody knows.",
        "The boats came home, 10 --> 12 of them.",
    ]
    assert n_words == 12
    assert without_cues(begin + VTT.replace("\n", end))[0] == (
        "Never look at the lamp. It blinds gulls & terns\xa0<here>."
    )


def test_any_other_text_stays() -> None:
    cases = [
        "The arrow --> points east.\n\nAnd 00:01 is a time.\n",
        "A listing:\n\n00:00:01,000 --> 00:00:02,000\n\nis how a subtitle begins.\n",
        "1\n2\n3\n",
        "",
        "Lamp\f\nTide",
    ]
    for text in cases:
        assert without_cues(text) == (text, 0)


def test_a_book_of_subtitles_says_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(SRT)
    book = extract(tmp_path / "talk.srt")
    assert "before the tide turned.\n\n" in book.text
    assert [(left.kind, left.words) for left in book.left_out] == [("cues", 12)]


def clippings(second: str, end: str = "\r\n", begin: str = "\ufeff") -> bytes:
    entry = f"The Republic (Plato)\n- {second}\n\nThe beginning is the chief part.\n==========\n"
    return (begin + entry + entry).replace("\n", end).encode()


def test_what_is_no_book_is_refused_by_name(tmp_path: Path) -> None:
    cases = {
        "en": (clippings("Your Highlight on page 5 | Added on Friday"), "list of highlights"),
        "de": (clippings("Ihre Markierung bei Position 1-2 | Hinzugefügt am"), "highlights"),
        "ja": (clippings("位置No. 12-14のハイライト |作成日: 2021年"), "highlights"),
        "es": (clippings("La subrayado | Añadido", end="\n", begin=""), "highlights"),
        "acsm": (b"<fulfillmentToken><a>b</a></fulfillmentToken>", "ACSM"),
        "acsm as XML": (b'<?xml version="1.0"?>\n<fulfillmentToken a="loan"/>', "ACSM"),
    }
    for data, why in cases.values():
        (tmp_path / "x.txt").write_bytes(data)
        with pytest.raises(BookError, match=why) as error:
            extract(tmp_path / "x.txt")
        assert "download" not in error.value.fix


def test_a_list_with_a_rule_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("To do\n- buy lamp oil\n\nBoats come at noon.\n==========\nMore.\n")
    assert "lamp oil" in extract(tmp_path / "x.txt").text
