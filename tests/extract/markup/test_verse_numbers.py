"""Numbers of verses are words of their own, and other numbers set against a word stay."""

from pathlib import Path

from lxml import etree

from alexandria.book.places import cfi_at, text_in_file
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


def test_the_number_of_a_verse_is_a_word(tmp_path: Path) -> None:
    for paragraph, text in TEXTS.values():
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


GENESIS = "<h1>Genesis</h1><h2>Chapter 3</h2>"
THREE = ["Genesis 3:1", "Genesis 3:2", "Genesis 3:3"]
PLACES = {
    "raised, book above chapter": (
        GENESIS + "<p><sup>1</sup>In it. <sup>2</sup>And he. <sup>3</sup>Then</p>",
        THREE,
    ),
    "bold, book and chapter in one": (
        "<h1>Genesis 3</h1><p><b>1</b> In it. <b>2</b> And he. <b>3</b> Then</p>",
        THREE,
    ),
    "class, a verse in each paragraph": (
        GENESIS + "".join(f"<p><span class='verse' id='V{n}'>{n}&#160;</span>In it.</p>" for n in (1, 2, 3)),
        THREE,
    ),
    "a heading inside the chapter": (
        GENESIS + "<p><sup>1</sup>In it. <sup>2</sup>And</p><h3>The Lamp</h3><p><sup>3</sup>Then</p>",
        THREE,
    ),
    "Roman numeral": (
        "<h1>Psalms</h1><h2>Psalm XXIII</h2><p><sup>1</sup>The. <sup>2</sup>He</p>",
        ["Psalm 23:1", "Psalm 23:2"],
    ),
    "title after the number": (
        "<h1>Genesis</h1><h2>Chapter 3. The Lamp</h2><p><sup>1</sup>In it. <sup>2</sup>And</p>",
        THREE[:2],
    ),
    "a book by its number": (
        "<h1>Das erste Buch Mose</h1><h2>Kapitel 3</h2><p><sup>1</sup>Und. <sup>2</sup>Da</p>",
        ["Das erste Buch Mose 3:1", "Das erste Buch Mose 3:2"],
    ),
    "in Chinese": (
        "<h1>創世記</h1><h2>第3章</h2><p><sup>1</sup>燈在岸上。<sup>2</sup>船回來了。</p>",
        ["創世記 3:1", "創世記 3:2"],
    ),
    "chapter in the ids of the numbers": (
        "<h1>2 Tim</h1><p>"
        + "".join(f"<sup class='versenum' id='v3_{n}'>{n} </sup>All. " for n in (15, 16, 17))
        + "</p>",
        ["2 Tim 3:15", "2 Tim 3:16", "2 Tim 3:17"],
    ),
    "padded ids": (
        "<h1>Genesis</h1><p>"
        + "".join(f"<span class='verse-num' id='v0100300{n}-1'>{n} </span>In it. " for n in (1, 2, 3))
        + "</p>",
        THREE,
    ),
    "ids with the book": (
        "<h1>Genesis</h1><p>" + "".join(f"<a id='GEN.3.{n}'></a>In it. " for n in (1, 2, 3)) + "</p>",
        THREE,
    ),
    "ids in small letters": (
        "<h1>Genesis</h1><p>" + "".join(f"<a id='gen3:{n}'></a>In it. " for n in (1, 2, 3)) + "</p>",
        THREE,
    ),
    "the book by its id, where a chapter has several headings": (
        "<h1>The Lamp</h1><p><i osisID='Gen.3.1'>In it.</i></p>"
        "<h1>The Oil</h1><p><i osisID='Gen.3.2'>And.</i></p>",
        ["Gen 3:1", "Gen 3:2"],
    ),
    "data": (GENESIS + "<p><i data-verse='1'>In it.</i> <i data-verse='2'>And he.</i></p>", THREE[:2]),
    "chapter and verse in bold": (
        "<h1>John</h1><p><b>3:16</b> For he. <b>3:17</b> For they. <b>3:18</b> For we.</p>",
        ["John 3:16", "John 3:17", "John 3:18"],
    ),
    "typed before paragraphs, or in them": (
        "<h1>John</h1><p>3:35 For he.</p><p>3:36 For they. 3:37 For we see 3:12 and.</p><p>4:1 When</p>",
        ["John 3:35", "John 3:36", "John 3:37", "John 4:1"],
    ),
    "no book": ("<h1>Chapter 3</h1><p><sup>1</sup>In it. <sup>2</sup>And he.</p>", []),
    "no chapter": ("<h1>Genesis</h1><p><sup>1</sup>In it. <sup>2</sup>And he.</p>", []),
    "a part": ("<h1>Lamps</h1><h2>Part I</h2><p><sup>1</sup>In it. <sup>2</sup>And he.</p>", []),
    "a range of verses": ("<h1>Genesis 3:1-24</h1><p><sup>1</sup>In it. <sup>2</sup>And he.</p>", []),
    "another chapter": (GENESIS + "<p>4:1 In it.</p><p>4:2 And he.</p><p>4:3 Then</p>", []),
    "a few that stand where notes would": (
        GENESIS
        + "<p>In it.<sup>1</sup> And.<sup>2</sup> Then. <sup>3</sup>He. <sup>4</sup>So. <sup>5</sup>We.</p>",
        [*THREE, "Genesis 3:4", "Genesis 3:5"],
    ),
    "half that stand where notes would": (
        GENESIS + "<p>In it.<sup>1</sup> And.<sup>2</sup> Then. <sup>3</sup>He. <sup>4</sup>So.</p>",
        [],
    ),
    "marks of notes": (GENESIS + "<p>In it.<sup>1</sup> And he.<sup>2</sup> Then.<sup>3</sup></p>", []),
    "numbers of paragraphs": (
        GENESIS + "<p><b>1</b> In it.</p><p><b>2</b> And he.</p><p><b>3</b> Then</p>",
        [],
    ),
    "cells": ("<h1>Oil</h1><p><i id='col1-1'>In it.</i> <i id='col1-2'>And he.</i></p>", []),
    "times": ("<h1>Log</h1><p>3:58 The tide</p><p>3:59 The boat</p><p>4:00 The lamp</p><p>4:09 Home</p>", []),
    "chapters with several headings": (
        "<h1>The Lamp</h1><p>3:1 In it.</p><p>3:2 And.</p><h1>The Oil</h1><p>3:3 Then</p><p>3:4 He</p>",
        [],
    ),
}


def test_a_verse_is_a_place_where_book_and_chapter_are_certain(tmp_path: Path) -> None:
    for body, places in PLACES.values():
        path = tmp_path / "a.html"
        path.write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
        assert [verse.label for verse in extract(path).verse_starts if verse.label] == places


def test_a_verse_begins_at_its_number_and_ends_at_a_heading(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(GENESIS + "<p><sup>1</sup>In it.<sup>2</sup>And he.</p><h1>Index</h1><p>Oil</p>")
    book = extract(path)
    begins = [(verse.label, book.text[verse.start :].split("\n")[0]) for verse in book.verse_starts]
    assert begins == [("Genesis 3:1", "1 In it. 2 And he."), ("Genesis 3:2", "2 And he."), (None, "Index")]


def test_typed_pages_and_verses_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        GENESIS + "".join(f"<p><sup>{n}</sup>The lamp [Pg {n + 10}] and oil.</p>" for n in (1, 2, 3))
    )
    book = extract(path)
    assert [page.label for page in book.page_starts] == ["11", "12", "13"]
    assert [verse.label for verse in book.verse_starts] == THREE


def test_verses_of_plain_text_are_places(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    verses = "\n\n".join(f"3:{n} For the lamp was brought, and he counted the oil." for n in (16, 17, 18))
    path.write_text(f"THE GOSPEL OF JOHN\n\n\n{verses}\n")
    labels = [verse.label for verse in extract(path).verse_starts if verse.label]
    assert labels == [f"THE GOSPEL OF JOHN 3:{n}" for n in (16, 17, 18)]
