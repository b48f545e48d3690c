"""Where a text comes from in its file: CFIs that lead to its words, boxes that hold them."""

import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from alexandria.book.model import Book
from alexandria.book.places import (
    align_texts,
    cfi_at,
    join_anchors,
    parts_between,
    slice_anchors,
    split_anchors,
    text_in_file,
    without_spans,
)
from alexandria.chunking.sentences import split
from alexandria.extract import extract
from alexandria.extract.markup.blocks import Reading
from alexandria.extract.markup.tree import Document
from alexandria.extract.markup.walk import walk
from alexandria.extract.notes.untangle import untangle
from alexandria.library.search.alignment import Letters
from tests.conftest import SAMPLES
from tests.extract.cfi import Resolver
from tests.real import read_once

_UNSEEN = re.compile(r"[\s\u00ad\u200b\u2060\ufeff]+")


def plain(text: str) -> str:
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def misled(book: Book, file: Path) -> list[tuple[str | None, str]]:
    """Return the sentences whose CFI does not lead to their first letters."""
    wrong = []
    with ZipFile(file) as archive:
        resolver, blocks = Resolver(archive), book.blocks
        for sentence in split(book):
            block = blocks[sentence.block]
            cfi = cfi_at(block.source, sentence.start - block.start)
            words = plain(book.text[sentence.start : sentence.end])
            there = plain(resolver.text_at(cfi)) if cfi else ""
            n = min(6, len(there), len(words))
            if not n or there[:n] != words[:n]:
                wrong.append((cfi, words[:30]))
    return wrong


def test_the_cfi_of_each_sentence_leads_to_its_first_words() -> None:
    file = SAMPLES / "the-quiet-trades.epub"
    assert misled(extract(file), file) == []


def test_a_cfi_counts_what_the_file_has() -> None:
    cases = {
        "one node": ("<p>One. Two.</p>", "Two", "/4/2/1:5"),
        "after an element": ("<p>One <i>is</i> here. Two.</p>", "Two", "/4/2/3:7"),
        "indented source": ("<p>\n\t\tOne.\n\t\tTwo.</p>", "Two", "/4/2/1:10"),
        "indented line": ("<p>\n\t\tOne. Two.</p>", "Two", "/4/2/1:8"),
        "first word of an indented line": ("<p>\n\t\tOne. Two.</p>", "One", "/4/2/1:3"),
        "blanks of two kinds": ("<p>\u00a0 \n One.</p>", "One", "/4/2/1:4"),
        "invisible characters": ("<p>One\u2060—the\u2060 first. Two.</p>", "Two", "/4/2/1:17"),
        "verse": ("<p>\n<span>One</span><br/>\n<span>Two</span></p>", "Two", "/4/2/6/1:0"),
        "mark of a note": ("<p>See <a id='x'>1</a>. Two.</p>", "Two", "/4/2/3:2"),
        "mark in brackets": ("<p>See [<a id='x'>1</a>]. Two.</p>", "Two", "/4/2/3:3"),
        "space between elements": ("<p><b>A</b> <b>Two</b></p>", "Two", "/4/2/4/1:0"),
        "picture": ("<p>x</p><p><img alt='Two mice'/></p>", "Two", "/4/4/2"),
        "composed letters": ("<p>e\u0301te\u0301 ici. Two.</p>", "Two", "/4/2/1:11"),
        "two units a character": ("<p>🐳🐳 One. Two.</p>", "Two", "/4/2/1:10"),
        "two units: the character itself": ("<p>One. 🐳</p>", "🐳", "/4/2/1:5"),
        "two units: nothing else": ("<p>🐳</p>", "🐳", "/4/2/1:0"),
        "two units in several nodes": ("<p>🐳 <i>𠮷</i> One. 🐳Two.</p>", "Two", "/4/2/3:8"),
        "two units, white space": ("<p>\n 🐳\n  One.\u2060🐳 Two.</p>", "Two", "/4/2/1:15"),
        "two units in a mark": ("<p>🐳<a id='x'>🐳</a>. Two.</p>", "Two", "/4/2/3:2"),
        "two units in a picture": ("<p>🐳 <img alt='🐳 mice'/>One. Two.</p>", "Two", "/4/2/3:5"),
        "a line end in Chinese": ("<p>\n看守\n 人<b>点</b>\n亮了</p>", "人", "/4/2/1:5"),
        "a line end after an element": ("<p>看守\n 人<b>点</b>\n亮了</p>", "亮", "/4/2/3:1"),
        "one unit, and no letter": ("<p>\ue000\uff5e One. Two.</p>", "Two", "/4/2/1:8"),
    }
    for body, at, cfi in cases.values():
        root = etree.fromstring(f"<html><head/><body>{body}</body></html>")
        marks = dict.fromkeys(root.iter("a"), "note")
        blocks = walk(root, Reading(cites=marks, cfi="/6/4!")).blocks
        block = next(block for block in blocks if at in block.text)
        assert cfi_at(block.source, block.text.index(at)) == f"epubcfi(/6/4!{cfi})"


@pytest.mark.parametrize(
    "body",
    [
        "<p>🐳 whales \u2060swim in 🐳🐳 the  sea. <i>𠮷 野</i> Then.</p>",
        "<p>\n🐳\n🐳</p>",
        "<p>𝕬𝕭𝕮 <a id='x'>1</a>and 🐳.</p>",
        "<p>看守\n 人<b>点</b>\n亮<a id='x'>1</a>\n 了 Old\n𠮷\n\t野</p>",
    ],
)
def test_what_the_file_has_is_known_beside_characters_of_two_units(body: str) -> None:
    root = etree.fromstring(f"<html><head/><body>{body}</body></html>")
    (block,) = walk(root, Reading(cites=dict.fromkeys(root.iter("a"), "note"), cfi="/6/4!")).blocks
    whole = "".join(map(str, root.itertext())).strip()
    in_file = text_in_file(block.source, block.text, 0, len(block.text))
    assert in_file == whole
    for at in range(len(block.text)):
        rest = slice_anchors(block.source, len(block.text), at, len(block.text))
        assert cfi_at(rest, 0) == cfi_at(block.source, at)
        assert in_file.endswith(text_in_file(rest, block.text[at:], 0, len(block.text) - at))


def test_a_cfi_into_a_file_without_a_body_begins_at_its_root() -> None:
    root = etree.fromstring("<div>One.<p>Two.</p></div>")
    first, second = walk(root, Reading(cfi="/6/4!")).blocks
    assert [cfi_at(block.source, 0) for block in (first, second)] == [
        "epubcfi(/6/4!/1:0)",
        "epubcfi(/6/4!/2/1:0)",
    ]


def test_a_cfi_counts_no_paragraph_that_a_reader_made() -> None:
    text = '<p>One<a id="r1" href="#n1">1</a> and two<a id="r2" href="#n2">2</a>.</p>'
    notes = '<p><a id="n1" href="#r1">1</a> Apart.<br/><a id="n2" href="#r2">2</a> By breaks.</p>'
    root = etree.fromstring(f"<html><head/><body>{text}{notes}<p>After.</p></body></html>")
    untangle([Document("a.xhtml", root)])
    assert len(root.findall("body/p")) == 4  # the notes are two
    after = walk(root, Reading(cfi="/6/2!")).blocks[-1]
    assert (after.text, cfi_at(after.source, 0)) == ("After.", "epubcfi(/6/2!/4/6/1:0)")


def test_the_boxes_of_each_sentence_hold_its_words() -> None:
    file = SAMPLES / "small-machines.pdf"
    book = extract(file)
    document, blocks = pdfium.PdfDocument(file), book.blocks
    for sentence in split(book):
        block = blocks[sentence.block]
        first, last = sentence.start - block.start, sentence.end - block.start
        quads = [part.quad for part in parts_between(block.source, first, last, len(block.text))]
        read = ""
        for quad in quads:
            page = document[quad.page - 1].get_textpage()
            read += page.get_text_bounded(quad.left, quad.bottom, quad.right, quad.top)
            page.close()
        letters, words = Letters.of(read).text, Letters.of(book.text[sentence.start : sentence.end]).text
        # The ends of a part of a line are in proportion to its characters: two or three letters either way.
        assert abs(len(letters) - len(words)) <= 8, words
        assert words[4:-4] in letters or len(quads) > 1, words


FONTS = (
    b"<</F1<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>"
    # A dash of two ems, as U+2E3A is.
    b"/F2<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding"
    b"/FirstChar 151/LastChar 151/Widths[2000]>>"
    # An S that hangs below its baseline, as large sums of TeX do.
    b"/F3<</Type/Font/Subtype/Type3/FontMatrix[.001 0 0 .001 0 0]/FontBBox[0 -1600 1000 -200]"
    b"/Encoding<</Type/Encoding/Differences[83/S]>>/FirstChar 83/LastChar 83/Widths[1000]"
    b"/CharProcs<</S 5 0 R>>>>>>"
)


def stream(content: bytes) -> bytes:
    return b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content)


def set_in_type(content: bytes) -> bytes:
    """Return a PDF of one page with this content, in the fonts above."""
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]/Contents 4 0 R/Resources<</Font%b>>>>" % FONTS,
        stream(b"BT " + content + b" ET"),
        stream(b"1000 0 0 -1600 1000 -200 d1 0 -1600 1000 1400 re f"),
    ]
    objects = [b"%d 0 obj\n%b\nendobj\n" % (i + 1, body) for i, body in enumerate(bodies)]
    return b"%PDF-1.5\n" + b"".join(objects) + b"trailer\n<</Root 1 0 R>>\n%%EOF\n"


def boxed(file: Path) -> list[str]:
    """Return what PDFium reads in each box of a book's blocks."""
    page = pdfium.PdfDocument(file)[0].get_textpage()
    quads = [
        part.quad
        for block in extract(file).blocks
        for part in parts_between(block.source, 0, len(block.text), len(block.text))
    ]
    return [page.get_text_bounded(quad.left, quad.bottom, quad.right, quad.top).strip() for quad in quads]


def test_a_line_that_begins_with_a_long_dash_has_a_box_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "dash.pdf"
    file.write_bytes(
        set_in_type(
            b"/F1 10 Tf 60 500 Td (The reader of it is a d) Tj 0 -12 Td /F2 10 Tf (\x97) Tj"
            b" /F1 10 Tf 20 0 Td (n fool who reads on) Tj"
        )
    )
    assert boxed(file) == ["The reader of it is a d", "—n fool who reads on"]
    assert extract(file).text.strip() == "The reader of it is a d —n fool who reads on"


def test_the_box_of_type_that_hangs_below_its_baseline_is_where_it_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "sum.pdf"
    file.write_bytes(
        set_in_type(
            b"/F1 10 Tf 60 500 Td (The sum is) Tj /F3 10 Tf 80 -30 Td (S) Tj /F1 10 Tf -80 -40 Td (here.) Tj"
        )
    )
    assert boxed(file) == ["The sum is", "S", "here."]


@given(st.text("ab \n\u2060", max_size=30))
def test_from_pair_to_pair_both_texts_run_in_step(raw: str) -> None:
    cleaned = " ".join(raw.replace("\u2060", "").split())
    pairs = align_texts(raw, cleaned, re.compile("\u2060"))
    for (offset, at), (stop, _) in pairwise([*pairs, (len(cleaned), 0)]):
        words = cleaned[offset:stop].rstrip()
        assert raw[at : at + len(words)].replace("\n", " ") == words
    assert bool(pairs) is bool(cleaned)


SOURCE = "0 /6/4!/4/2/1:3;10 /6/4!/4/2/2/1:0;14 /6/4!/4/2/3:0"


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_part_of_a_text_is_where_it_was(start: int, end: int) -> None:
    part = slice_anchors(SOURCE, 20, start, end)
    for offset in range(start, end):
        assert cfi_at(part, offset - start) == cfi_at(SOURCE, offset)


@given(st.lists(st.integers(0, 20), max_size=6).map(sorted))
def test_what_remains_of_a_text_is_where_it_was(edges: list[int]) -> None:
    removed = list(zip(edges[::2], edges[1::2], strict=False))
    kept = [i for i in range(20) if not any(start <= i < end for start, end in removed)]
    remaining = without_spans(SOURCE, removed, "x" * 20)
    assert [cfi_at(remaining, n) for n in range(len(kept))] == [cfi_at(SOURCE, i) for i in kept]


def test_a_part_of_a_line_is_a_part_of_its_box() -> None:
    anchors = join_anchors([(100, "7 60 500 160 510"), (120, "7 60 480 110 490")])
    quads = [part.quad for part in parts_between(anchors, 110, 125, 130)]
    assert [(q.page, q.left, q.right, q.top) for q in quads] == [(7, 110, 160, 510), (7, 60, 85, 490)]
    assert list(split_anchors("")) == []


@pytest.mark.shared
def test_the_cfis_of_real_books_lead_to_their_words(shared_data: Path) -> None:
    names = (
        *("shelley-frankenstein", "marcus-aurelius-meditations", "shakespeare-hamlet", "idpf-trees"),
        "idpf-kusamakura-preview-embedded",
    )
    for name in names:
        file = shared_data / "epub" / f"{name}.epub"
        assert misled(read_once(file), file) == [], name
