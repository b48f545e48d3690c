"""Numbers of verses are words of their own, and other numbers set against a word stay."""

from pathlib import Path

import pytest
from lxml import etree

from alexandria.anchors import cfi_at, text_in_file
from alexandria.extract import extract
from alexandria.extract.markup.blocks import Reading
from alexandria.extract.markup.tree import Document
from alexandria.extract.markup.verse_numbers import separate_verse_numbers
from alexandria.extract.markup.walk import walk
from tests.extract.office import p, run, write_docx

TEXTS = {
    "raised": ("<sup>1</sup>In those days. <sup>2</sup>And he", "1 In those days. 2 And he"),
    "bold, from the middle": ("<b>15</b>In <b>16</b>“For <b>17</b>and", "15 In 16 “For 17 and"),
    "chapter and verse": (
        '<a id="v1"><b>3:16</b></a>For <a><b>3:17</b></a>For <a><b>3:18</b></a>He',
        "3:16 For 3:17 For 3:18 He",
    ),
    "in an element of its own": (
        '<span><i class="n">1</i></span><span>In</span> <span><i class="n">2</i></span><span>And</span>',
        "1 In 2 And",
    ),
    "against the sentence before": ("<sup>1</sup>In it.<sup>2</sup>And he", "1 In it. 2 And he"),
    "with a space": ("<sup>1</sup> In it. <sup>2 </sup>And he", "1 In it. 2 And he"),
    "without letters of two cases": ("<sup>1</sup>בראשית ברא <sup>2</sup>והארץ", "1 בראשית ברא 2 והארץ"),
    "ordinals": ("the <b>1</b>st and the <b>2</b>nd and the <b>3</b>rd", "the 1st and the 2nd and the 3rd"),
    "isotopes": ("<sup>14</sup>C and <sup>3</sup>He", "14C and 3He"),
    "powers": ("x<sup>1</sup>y and x<sup>2</sup>y", "x1y and x2y"),
    "one number": ("<b>16</b>For", "16For"),
    "numbers that do not count up": (
        "<b>16</b>For <b>3</b>For <b>17</b>For <b>9</b>For",
        "16For 3For 17For 9For",
    ),
}


@pytest.mark.parametrize(("paragraph", "text"), TEXTS.values(), ids=TEXTS)
def test_the_number_of_a_verse_is_a_word(tmp_path: Path, paragraph: str, text: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<html><body><h1>I</h1><p>{paragraph}</p></body></html>", encoding="utf-8")
    assert extract(path).blocks[-1].text == text


def test_the_number_of_a_verse_is_a_word_in_word(tmp_path: Path) -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    runs = run("1", raised) + run("In it. ") + run("2", raised) + run("And he")
    assert extract(write_docx(tmp_path / "a.docx", p(runs))).text == "1 In it. 2 And he"


def test_the_places_of_verses_are_those_of_the_file() -> None:
    paragraph = "<p><sup>1</sup>In it.<sup>2</sup>And he</p>"
    root = etree.fromstring(f"<html><head/><body>{paragraph}</body></html>")
    separate_verse_numbers([Document("a.xhtml", root)], ())
    (block,) = walk(root, Reading(cfi="/6/4!")).blocks
    assert block.text == "1 In it. 2 And he"
    assert cfi_at(block.source, block.text.index("And")) == "epubcfi(/6/4!/4/2/5:0)"
    assert text_in_file(block.source, block.text, 0, len(block.text)) == "1In it.2And he"
