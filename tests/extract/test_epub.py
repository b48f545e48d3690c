"""EPUBs made by hand, each for one thing that books do."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from alexandria.book.model import Book, LeftOut
from alexandria.errors import BookError, Code
from alexandria.extract import container, epub
from alexandria.extract.draft import bind
from alexandria.extract.options import ReadOptions
from tests.pairs import by_pairs

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="{}"/></rootfiles></container>'
)
XHTML = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'


@dataclass(frozen=True)
class Shelf:
    """Writes EPUBs into a folder."""

    folder: Path
    opf: str = "EPUB/package.opf"

    def write(
        self,
        pages: Mapping[str, str],
        *,
        metadata: str = "",
        manifest: str = "",
        spine: str = "",
        extra: Mapping[str, str | bytes] = MappingProxyType({}),
        guide: str = "",
    ) -> Path:
        """Write a book of these pages (name → body), in order unless a spine is given."""
        path = self.folder / "book.epub"
        items = "".join(
            f'<item id="p{i}" href="{name}" media-type="application/xhtml+xml"/>'
            for i, name in enumerate(pages)
        )
        refs = spine or "".join(f'<itemref idref="p{i}"/>' for i in range(len(pages)))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("META-INF/container.xml", CONTAINER.format(self.opf))
            archive.writestr(
                self.opf,
                '<package xmlns="http://www.idpf.org/2007/opf" xmlns:opf="http://www.idpf.org/2007/opf"'
                f' xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{metadata}</metadata>'
                f"<manifest>{items}{manifest}</manifest><spine>{refs}</spine><guide>{guide}</guide></package>",
            )
            for name, body in pages.items():
                archive.writestr(f"EPUB/{name}", f"<html {XHTML}><body>{body}</body></html>")
            for name, data in extra.items():
                archive.writestr(name, data)
        return path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def read(path: Path, *, keep_matter: bool = False) -> Book:
    draft = epub.extract(path, ReadOptions(keep_matter=keep_matter))
    return bind(draft, id="0" * 64, source=str(path), format="epub")


def refusal(path: Path) -> Code:
    with pytest.raises(BookError) as caught:
        epub.extract(path, ReadOptions())
    return caught.value.code


NAV = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'


def nav(contents: str, rest: str = "") -> dict[str, str]:
    return {
        "EPUB/nav.xhtml": f'<html {XHTML}><body><nav epub:type="toc"><ol>{contents}</ol></nav>'
        f"{rest}</body></html>"
    }


def test_pages_are_read_in_the_order_of_the_spine_and_auxiliary_ones_last(shelf: Shelf) -> None:
    path = shelf.write(
        {"a.xhtml": "<p>a</p>", "b.xhtml": "<p>b</p>", "c.xhtml": "<p>c</p>"},
        spine='<itemref idref="p2"/><itemref idref="p0" linear="no"/><itemref idref="p1"/>',
    )
    assert read(path).text == "c\n\nb\n\na"


def test_a_page_in_utf_8_that_declares_another_encoding_is_read(shelf: Shelf) -> None:
    declaration, text = (
        '<?xml version="1.0" encoding="windows-1252"?>',
        "L’été dernier, “le garçon” était là.",
    )
    page = f"{declaration}<html {XHTML}><body><p>{text}</p></body></html>"
    path = shelf.write(
        {"a.xhtml": "<p>a</p>"},
        manifest='<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="p0"/><itemref idref="x"/>',
        extra={"EPUB/x.xhtml": page},
    )
    book = read(path)
    assert (book.text, book.warnings) == (f"a\n\n{text}", ())


def test_a_file_that_is_listed_under_two_names_is_read_once(shelf: Shelf) -> None:
    manifest = "".join(
        f'<item id="{id}" href="{href}" media-type="application/xhtml+xml"/>'
        for id, href in (("again", "one.xhtml"), ("part", "./one.xhtml#part"))
    )
    spine = "".join(f'<itemref idref="{id}"/>' for id in ("p0", "again", "p1", "part"))
    pages = {"one.xhtml": "<p>One.</p>", "two.xhtml": "<p>Two.</p>"}
    assert read(shelf.write(pages, manifest=manifest, spine=spine)).text == "One.\n\nTwo."


@pytest.mark.parametrize(
    ("fallback", "text"), [("", "One."), ('fallback="p0"', "Two.")], ids=["alone", "with a fallback"]
)
def test_an_item_of_general_xml_is_read_unless_it_has_a_fallback(
    shelf: Shelf, fallback: str, text: str
) -> None:
    page = f"<html {XHTML}><body><p>One.</p></body></html>"
    manifest = f'<item id="x" href="one.xml" media-type="text/xml" {fallback}/>'
    path = shelf.write(
        {"two.xhtml": "<p>Two.</p>"},
        manifest=manifest,
        spine='<itemref idref="x"/>',
        extra={"EPUB/one.xml": page},
    )
    assert read(path).text == text


def test_an_item_without_text_is_read_through_its_fallbacks(shelf: Shelf) -> None:
    path = shelf.write(
        {"a.xhtml": "<p>a</p>"},
        manifest='<item id="x" href="x.pdf" media-type="application/pdf" fallback="y"/>'
        '<item id="y" href="y.png" media-type="image/png" fallback="p0"/>'
        '<item id="l" href="l.png" media-type="image/png" fallback="l"/>',
        spine='<itemref idref="x"/><itemref idref="l"/>',
    )
    assert read(path).text == "a"


NAMES = {
    "exact": ("a b.xhtml", "a b.xhtml"),
    "percent": ("a b.xhtml", "a%20b.xhtml"),
    "composed": ("caf\u00e9.xhtml", "cafe\u0301.xhtml"),
    "case": ("Chapter.XHTML", "chapter.xhtml"),
    "dot segments": ("a.xhtml", "../EPUB/./a.xhtml"),
    "from the root": ("a.xhtml", "/EPUB/a.xhtml"),
}


@pytest.mark.parametrize(("stored", "named"), NAMES.values(), ids=NAMES)
def test_files_are_found_by_forgiving_names(shelf: Shelf, stored: str, named: str) -> None:
    path = shelf.write(
        {},
        manifest=f'<item id="x" href="{named}" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="x"/>',
        extra={f"EPUB/{stored}": f"<html {XHTML}><body><p>found</p></body></html>"},
    )
    assert read(path).text == "found"


def test_sections_are_named_and_nested_by_the_contents(shelf: Shelf) -> None:
    path = shelf.write(
        {
            "1.xhtml": "<hgroup><h2>I</h2><p>On Seeming</p></hgroup><p>a</p><h3>Aside</h3><p>b</p>",
            "2.xhtml": '<section id="two"><h2>II</h2><p>c</p></section>',
        },
        manifest=NAV,
        extra=nav(
            "<li><span>Part One</span><ol>"
            '<li><a href="1.xhtml">I: On Seeming</a></li><li><a href="2.xhtml#two">II</a></li></ol></li>'
        ),
    )
    assert [(s.headings, s.level, s.blocks[0].text) for s in read(path).sections] == [
        (("Part One", "I: On Seeming"), 2, "I"),
        (("Part One", "I: On Seeming", "Aside"), 3, "Aside"),
        (("Part One", "II"), 2, "II"),
    ]


def test_the_ncx_serves_where_there_is_no_navigation_document(shelf: Shelf) -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Early</text></navLabel>'
        '<content src="a.xhtml"/><navPoint><navLabel><text>Later</text></navLabel><content src="a.xhtml#x"/>'
        "</navPoint></navPoint></navMap></ncx>"
    )
    path = shelf.write(
        {"a.xhtml": '<p>a</p><p id="x">b</p>'},
        manifest='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        extra={"EPUB/toc.ncx": ncx},
    )
    assert [s.headings for s in read(path).sections] == [("Early",), ("Early", "Later")]


def test_headings_serve_where_there_are_no_contents(shelf: Shelf) -> None:
    path = shelf.write({"a.xhtml": "<h1>A</h1><h2>B</h2><p>x</p><h2>C</h2><p>y</p>"})
    assert [s.headings for s in read(path).sections] == [("A",), ("A", "B"), ("A", "C")]


@pytest.mark.parametrize("between", ["", " ", "<hr/>"])
def test_a_half_title_is_no_part_of_the_paths_it_groups(between: str, shelf: Shelf) -> None:
    cover, title = (
        f'<section epub:type="{kind}"><h1>T</h1></section>' for kind in ("cover", "halftitlepage")
    )
    path = shelf.write(
        {"h.xhtml": f"{cover}{between}{title}", "1.xhtml": "<h2>One</h2><p>a</p>"},
        manifest=NAV,
        extra=nav('<li><a href="h.xhtml">T</a><ol><li><a href="1.xhtml">One</a></li></ol></li>'),
    )
    assert [s.headings for s in read(path).sections] == [("One",)]


@pytest.mark.parametrize(
    ("listed", "headings"),
    [
        ("The Salt Road", ["The Ferry", "The Mill", "Snow"]),
        ("The salt road", ["The Ferry", "The Mill", "Snow"]),
        ("Start", ["The Ferry", "The Mill", "Snow"]),
        ("1. The Ferry", ["1. The Ferry", "The Mill", "Snow"]),
    ],
)
def test_a_single_entry_that_no_heading_has_hides_none(
    shelf: Shelf, listed: str, headings: list[str]
) -> None:
    titles = ["The Ferry", "The Mill", "Snow"]
    pages = {f"{i}.xhtml": f"<h2>{title}</h2><p>It rained.</p>" for i, title in enumerate(titles)}
    title = "<dc:title>The Salt Road</dc:title>"
    path = shelf.write(
        pages, metadata=title, manifest=NAV, extra=nav(f'<li><a href="0.xhtml">{listed}</a></li>')
    )
    assert [s.headings for s in read(path).sections] == [(heading,) for heading in headings]


def test_a_chapter_the_contents_pass_over_stands_beside_the_one_before(shelf: Shelf) -> None:
    pages = {f"{n}.xhtml": f"<h2>{n}</h2><p>x</p>" for n in "abc"}
    path = shelf.write(
        pages, manifest=NAV, extra=nav('<li><a href="a.xhtml">a</a></li><li><a href="c.xhtml">c</a></li>')
    )
    assert [s.headings for s in read(path).sections] == [("a",), ("b",), ("c",)]


NOTES = {
    "EPUB 3 endnotes": (
        {
            "a.xhtml": '<p>Word.<a href="n.xhtml#n1" epub:type="noteref">1</a> On.</p>',
            "n.xhtml": '<section epub:type="endnotes"><h2>Notes</h2><ol><li id="n1"><p>Text.'
            ' <a href="a.xhtml#r" epub:type="backlink">↩</a></p></li></ol></section>',
        },
        ("1", "Text."),
    ),
    "EPUB 3 aside": (
        {
            "a.xhtml": '<p>Word.<a href="#n1" role="doc-noteref">*</a> On.</p>'
            '<aside id="n1" epub:type="footnote" hidden="">Text.</aside>'
        },
        ("*", "Text."),
    ),
    "EPUB 2 raised numbers": (
        {
            "a.xhtml": '<p>Word.<sup><a id="r" href="#n1">1</a></sup> On.</p>'
            '<hr/><p><a id="n1" href="#r">1</a>. Text.</p>'
        },
        ("1", "Text."),
    ),
    "EPUB 2 bracketed letters": (
        {
            "a.xhtml": '<p>Word.<a id="r" href="#n1" class="fnanchor">[A]</a> On.</p>'
            '<div class="footnote"><p><a id="n1" href="#r">[A]</a> Text.</p></div>'
        },
        ("A", "Text."),
    ),
    "a list of definitions": (
        {
            "a.xhtml": '<p>Word.<a href="#n1" epub:type="noteref">1</a> On.</p>'
            '<dl><dt id="n1">1</dt><dd>Text.</dd></dl>'
        },
        ("1", "Text."),
    ),
}


@pytest.mark.parametrize(("pages", "note"), NOTES.values(), ids=NOTES)
def test_a_note_leaves_the_text_and_is_tied_to_the_word_that_cites_it(
    shelf: Shelf, pages: dict[str, str], note: tuple[str, str]
) -> None:
    book = read(shelf.write(pages))
    assert book.text == "Word. On."
    assert [(n.label, n.text.removeprefix("1\n"), n.cited_at) for n in book.notes] == [(*note, 5)]


NO_NOTES = {
    "cross-reference": '<p>See <a href="#s">chapter 2</a>.</p><p id="s">Text.</p>',
    "power": "<p>x<sup>2</sup> is.</p>",
    "number leading a line": '<p><a href="#s">1</a> Contents line.</p><p id="s">Text.</p>',
    "link to a heading": '<p>See <sup><a href="#s">2</a></sup>.</p><h2 id="s">Two</h2><p>Text.</p>',
}


@pytest.mark.parametrize("body", NO_NOTES.values(), ids=NO_NOTES)
def test_other_links_and_numbers_stay_in_the_text(shelf: Shelf, body: str) -> None:
    book = read(shelf.write({"a.xhtml": body}))
    assert not book.notes
    assert "Text." in book.text or "x2" in book.text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(
            '<p>a</p><section epub:type="footnotes"><ol><li>Kept.</li></ol></section>',
            "a\n\n1. Kept.",
            id="a list",
        ),
        pytest.param(
            '<p>a</p><aside epub:type="footnote"><a href="#g">1</a>. Kept. <a href="#g">↩</a></aside>',
            "a\n\n1. Kept.",
            id="with its label, without the link back",
        ),
        pytest.param(
            '<p>a</p><aside epub:type="footnote" id="n">Kept.<a href="#m" epub:type="noteref">2</a></aside>'
            '<aside epub:type="footnote" id="m">Cited.</aside>',
            "a\n\nKept.",
            id="a note that a note cites",
        ),
        pytest.param(
            '<p id="n">b<sup><a href="#m">1</a></sup></p><p id="m">c<sup><a href="#n">1</a></sup></p>',
            "b",
            id="two that cite each other",
        ),
    ],
)
def test_a_note_that_nothing_cites_is_text(shelf: Shelf, body: str, text: str) -> None:
    book = read(shelf.write({"a.xhtml": body}))
    assert book.text == text
    assert all(note.cited_at is not None for note in book.notes)


def test_a_note_cited_in_a_note_belongs_to_the_word_that_cites_the_first(shelf: Shelf) -> None:
    marks = [f'<a href="#n{i}" epub:type="noteref">{i}</a>' for i in range(1, 4)]
    texts = [f"One.{marks[1]}", f"Two.{marks[0]}", "Three."]
    notes = "".join(
        f'<aside epub:type="footnote" id="n{i}">{text}</aside>' for i, text in enumerate(texts, 1)
    )
    book = read(shelf.write({"a.xhtml": f"<p>Word.{marks[0]} On.{marks[2]}</p>{notes}"}))
    assert book.text == "Word. On."
    assert [(note.text, note.cited_at) for note in book.notes] == [("One.", 5), ("Two.", 5), ("Three.", 9)]


def test_marks_without_a_note_leave_the_text_with_a_warning(shelf: Shelf) -> None:
    book = read(shelf.write({"a.xhtml": '<p>Word<a href="x.xhtml#n1" epub:type="noteref">1</a>.</p>'}))
    assert (book.text, book.warnings) == ("Word.", ("1 note mark leads to no note",))


MATTER = {
    "by type": (
        "page.xhtml",
        '<section epub:type="copyright-page"><p>All rights.</p></section>',
        "copyright",
    ),
    "by role": ("page.xhtml", '<section role="doc-colophon"><p>Set in type.</p></section>', "colophon"),
    "by file name": ("cover.xhtml", "<p>The Book</p>", "cover"),
    "by type on the body's part": ("page.xhtml", '<div epub:type="index"><p>Aaron, 3</p></div>', "index"),
}


@pytest.mark.parametrize(("name", "body", "kind"), MATTER.values(), ids=MATTER)
def test_matter_is_left_out_counted_and_named(shelf: Shelf, name: str, body: str, kind: str) -> None:
    path = shelf.write({name: body, "a.xhtml": "<p>Text.</p>"})
    book = read(path)
    assert book.text == "Text."
    assert [(left.kind, left.where) for left in book.left_out] == [(kind, f"EPUB/{name}")]
    assert book.left_out[0].words == len(read(path, keep_matter=True).text.split()) - 1


def test_landmarks_and_guide_name_matter(shelf: Shelf) -> None:
    path = shelf.write(
        {"x.xhtml": "<p>By me</p>", "y.xhtml": "<p>ISBN 1</p>", "a.xhtml": "<p>Text.</p>"},
        manifest=NAV,
        extra=nav(
            "",
            '<nav epub:type="landmarks"><ol>'
            '<li><a epub:type="titlepage" href="x.xhtml">T</a></li></ol></nav>',
        ),
        guide='<reference type="copyright-page" href="y.xhtml"/>',
    )
    book = read(path)
    assert book.text == "Text."
    assert [left.kind for left in book.left_out] == ["titlepage", "copyright"]


@pytest.mark.parametrize(
    "kind", ["preface", "introduction", "dedication", "epigraph", "appendix", "bibliography"]
)
def test_what_the_author_wrote_stays(shelf: Shelf, kind: str) -> None:
    path = shelf.write({f"{kind}.xhtml": f'<section epub:type="{kind}"><p>Words.</p></section>'})
    assert read(path).text == "Words."


def test_a_long_document_named_like_a_title_page_is_a_chapter(shelf: Shelf) -> None:
    assert (
        read(shelf.write({"title.xhtml": "<p>" + "word " * 400 + "</p>", "b.xhtml": "<p>x</p>"})).left_out
        == ()
    )


def test_a_book_that_is_all_contents_is_read(shelf: Shelf) -> None:
    path = shelf.write(
        {"nav.xhtml": '<nav epub:type="toc"><ol><li><a href="#a">One</a></li></ol></nav><p id="a">Text.</p>'}
    )
    assert "Text." in read(path).text
    path = shelf.write({"nav.xhtml": '<nav epub:type="toc"><ol><li><a href="#a">One</a></li></ol></nav>'})
    assert read(path).text == "One"


@pytest.mark.parametrize(
    "markup",
    [
        '<h1>Contents</h1><p><a href="b.xhtml">B</a></p><a href="#a">A</a><h1 id="a">A</h1><p>Text.</p>',
        '<div><p><a href="contents.xhtml#a">A</a></p><p>B</p></div><div><p>C</p><div id="a"><h1>A</h1></div>'
        "<p>Text.</p></div>",
        '<p><a id="top" href="#top">Top</a> <a href="#a">A</a></p><h1><a id="a">A</a></h1><p>Text.</p>',
    ],
)
def test_contents_in_one_document_with_text_end_where_they_lead_to(shelf: Shelf, markup: str) -> None:
    book = read(shelf.write({"contents.xhtml": markup, "b.xhtml": "<h1>B</h1><p>More.</p>"}))
    assert book.text == "A\n\nText.\n\nB\n\nMore."
    assert {left.kind for left in book.left_out} == {"contents"}


def test_the_title_of_contents_and_notes_goes_with_them(shelf: Shelf) -> None:
    path = shelf.write(
        {
            "t.xhtml": '<h1>Contents</h1><nav epub:type="toc">'
            '<ol><li><a href="a.xhtml">A</a></li></ol></nav>',
            "a.xhtml": "<p>Text.</p>",
        }
    )
    book = read(path)
    assert (book.text, book.left_out) == ("Text.", (LeftOut("contents", "EPUB/t.xhtml", 2),))


def test_pages_as_printed_come_from_the_page_list(shelf: Shelf) -> None:
    path = shelf.write(
        {"a.xhtml": '<p>a <span id="p2"/>b</p>', "b.xhtml": "<p>c</p>"},
        manifest=NAV,
        extra=nav(
            "",
            '<nav epub:type="page-list"><ol><li><a href="a.xhtml">ix</a></li>'
            '<li><a href="a.xhtml#p2">x</a></li>'
            '<li><a href="b.xhtml">xi</a></li></ol></nav>',
        ),
    )
    book = read(path)
    assert [(p.start, p.label) for p in book.page_starts] == [(0, "ix"), (2, "x"), (5, "xi")]


def page_break(id: str, label: str = "") -> str:
    return f'<span epub:type="pagebreak" id="{id}" {label}/>'


SEVEN, EIGHT, THIRTY, THIRTY_ONE = 'title="7"', 'title="8"', 'title="30"', 'aria-label="31"'
PAGE_LISTS = {
    "written by EbookLib": (
        f"""<section epub:type="chapter" id="c1"><h1>One</h1><p>{page_break("pg0", THIRTY)}Text
        <a epub:type="noteref" id="r3" href="#n3">3</a> {page_break("pg1", THIRTY_ONE)}more.</p>
        <aside epub:type="footnote" id="n3">Note.</aside></section>""",
        {"c1": "One", "pg0": "pg0", "r3": "3", "pg1": "pg1", "n3": "n3"},
        ["30", "31"],
    ),
    "the same without labels": (
        f"<p>{page_break('pg0')}Text {page_break('pg1')}more.</p>",
        {"pg0": "pg0", "pg1": "pg1"},
        [],
    ),
    "chapters alone": ('<section id="c1" epub:type="chapter"><p>Text</p></section>', {"c1": "One"}, []),
    "ids that are numbers": (
        f"<p>{page_break('iv')}Text {page_break('1')}more {page_break('2')}text.</p>",
        {"iv": "iv", "1": "1", "2": "2"},
        ["iv", "1", "2"],
    ),
    "ids that are numbers in disorder": (
        f"<p>{page_break('2')}Text {page_break('1')}more.</p>",
        {"2": "2", "1": "1"},
        [],
    ),
    "ids that are numbers, and other labels": (
        f"<p>{page_break('1', SEVEN)}Text {page_break('2', EIGHT)}more.</p>",
        {"1": "1", "2": "2"},
        ["7", "8"],
    ),
    "another label than the page break's": (
        f"<p>{page_break('pg0', THIRTY)}Text</p>",
        {"pg0": "xxx"},
        ["xxx"],
    ),
    "a heading beside page breaks": (
        f'{page_break("p1", SEVEN)}<h2 id="c1">One</h2><p>Text</p><p id="t">more.</p><p><a id="p2"/>End</p>',
        {"p1": "7", "c1": "One", "t": "2", "p2": "8"},
        ["7", "8"],
    ),
    "anchors without a type": ('<p><a id="a"/>Text <b id="b"/>more.</p>', {"a": "1", "b": "2"}, ["1", "2"]),
}


@by_pairs(("body, listed, labels", PAGE_LISTS), ("has_nav", {"nav": True, "ncx": False}))
def test_a_page_list_is_believed_as_far_as_its_entries_are_pages(
    body: str, listed: dict[str, str], labels: list[str], has_nav: bool, shelf: Shelf
) -> None:
    links = "".join(f'<li><a href="a.xhtml#{id}">{label}</a></li>' for id, label in listed.items())
    targets = "".join(
        f'<pageTarget><navLabel><text>{label}</text></navLabel><content src="a.xhtml#{id}"/></pageTarget>'
        for id, label in listed.items()
    )
    ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    path = shelf.write(
        {"a.xhtml": body},
        manifest=NAV if has_nav else ncx,
        extra=nav("", f'<nav epub:type="page-list"><ol>{links}</ol></nav>')
        if has_nav
        else {"EPUB/toc.ncx": f"<ncx><navMap/><pageList>{targets}</pageList></ncx>"},
    )
    assert [page.label for page in read(path).page_starts] == labels


@pytest.mark.parametrize(
    ("stated", "read_as"),
    [
        pytest.param("<dc:date>1912</dc:date>", "1912", id="no event"),
        pytest.param('<dc:date opf:event="conversion">2020-01-02</dc:date>', "", id="converted"),
        pytest.param('<dc:date opf:event="creation">2020-01-02</dc:date>', "", id="created"),
        pytest.param('<dc:date opf:event="original-publication">1912</dc:date>', "", id="original"),
        pytest.param("<dc:date>0101-01-01T00:00:00+00:00</dc:date>", "", id="Calibre: unknown"),
    ],
)
def test_the_date_is_that_of_publication(shelf: Shelf, stated: str, read_as: str) -> None:
    assert read(shelf.write({"a.xhtml": "<p>x</p>"}, metadata=stated)).metadata.date == read_as


def test_metadata(shelf: Shelf) -> None:
    metadata = (
        '<dc:title>  A \n Book </dc:title><dc:title>Other</dc:title><dc:creator id="a">Ann</dc:creator>'
        '<dc:creator id="b">Ted</dc:creator><meta property="role" refines="#b">trl</meta>'
        '<dc:creator opf:role="aut">Bo</dc:creator><dc:language>pt_BR</dc:language>'
        "<dc:identifier>urn:1</dc:identifier>"
        '<dc:date opf:event="modification">2020</dc:date><dc:date opf:event="publication">1912</dc:date>'
        "<dc:publisher>P</dc:publisher><dc:subject>S</dc:subject><dc:subject>T</dc:subject>"
    )
    actual = read(shelf.write({"a.xhtml": "<p>x</p>"}, metadata=metadata)).metadata
    assert (actual.title, actual.authors, actual.language, actual.language_source) == (
        "A Book",
        ("Ann", "Bo"),
        "pt-BR",
        "metadata",
    )
    assert (actual.publisher, actual.date, actual.identifiers, actual.subjects) == (
        "P",
        "1912",
        ("urn:1",),
        ("S", "T"),
    )


def test_a_missing_chapter_is_a_warning(shelf: Shelf) -> None:
    path = shelf.write(
        {"a.xhtml": "<p>a</p>"},
        manifest='<item id="x" href="lost.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="x"/><itemref idref="p0"/>',
    )
    book = read(path)
    assert (book.text, book.warnings) == ("a", ("EPUB/lost.xhtml was not read: it is not in the file",))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_chapter_that_cannot_be_unpacked_is_a_warning(shelf: Shelf, method: int) -> None:
    path = shelf.write({"a.xhtml": "<p>a</p>", "b.xhtml": "<p>b</p>"})
    with zipfile.ZipFile(path) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data, method if name.endswith("b.xhtml") else zipfile.ZIP_STORED)
        start = archive.getinfo("EPUB/b.xhtml").header_offset + 30 + len("EPUB/b.xhtml")
    damaged = bytearray(path.read_bytes())
    damaged[start + 20 : start + 30] = b"\xff" * 10
    path.write_bytes(damaged)
    book = read(path)
    assert book.text == "a"
    assert [warning.split(":")[0] for warning in book.warnings] == ["EPUB/b.xhtml was not read"]


def test_an_item_in_a_format_without_text_is_a_warning(shelf: Shelf) -> None:
    path = shelf.write(
        {"a.xhtml": "<p>a</p>"},
        manifest='<item id="x" href="x.pdf" media-type="application/pdf"/>',
        spine='<itemref idref="x"/><itemref idref="p0"/>',
    )
    (warning,) = read(path).warnings
    assert "EPUB/x.pdf" in warning


BROKEN = {
    "named entities": ("<p>caf&eacute;&nbsp;&mdash;&hellip;</p>", "café —…", False),
    "unclosed": ("<p>one<p>two <b>three", "one\n\ntwo three", True),
    "bare ampersand": ("<p>you & me</p>", "you & me", True),
    "undecodable byte": ("<p>caf\xe9 x</p>", "café x", True),
    "two bodies": ("<p>one</p></body><body><p>two</p>", "one\n\ntwo", True),
    "text after the body": ("<p>one</p></body><p>two</p> three<body>", "one\n\ntwo\n\nthree", True),
    "script after the body": ("<p>one</p></body><script>f()</script><body>", "one", False),
    "too deep": ("<div>" * 3000 + "deep" + "</div>" * 3000 + "<p>on</p>", "deep\n\non", True),
}


@pytest.mark.parametrize(("body", "text", "warned"), BROKEN.values(), ids=BROKEN)
def test_a_broken_chapter_is_read_as_far_as_it_goes(shelf: Shelf, body: str, text: str, warned: bool) -> None:
    page = f"<html {XHTML}><body>{body}</body></html>".encode("latin-1")
    path = shelf.write(
        {},
        manifest='<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="x"/>',
        extra={"EPUB/x.xhtml": page},
    )
    book = read(path)
    assert (book.text, bool(book.warnings)) == (text, warned)


@pytest.mark.parametrize("value", ['"boom"', 'SYSTEM "file:///etc/hostname"'], ids=["internal", "external"])
def test_no_entity_is_expanded(shelf: Shelf, value: str) -> None:
    page = f"<!DOCTYPE html [<!ENTITY e {value}>]><html {XHTML}><body><p>a&e;b</p></body></html>"
    path = shelf.write(
        {},
        manifest='<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="x"/>',
        extra={"EPUB/x.xhtml": page},
    )
    assert read(path).text == "ab"


ENCRYPTION = (
    '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
    '<enc:EncryptionMethod Algorithm="{}"/>'
    '<enc:CipherData><enc:CipherReference URI="{}"/></enc:CipherData></enc:EncryptedData></encryption>'
)
DRM = {
    "ADEPT": {"META-INF/rights.xml": '<rights xmlns="http://ns.adobe.com/adept"/>'},
    "FairPlay": {"META-INF/sinf.xml": "<sinf/>"},
    "LCP": {"META-INF/license.lcpl": "{}"},
    "encrypt": {
        "META-INF/encryption.xml": ENCRYPTION.format(
            "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "EPUB/a.xhtml"
        )
    },
}


@pytest.mark.parametrize(("name", "extra"), DRM.items(), ids=DRM)
def test_protected_books_are_refused_by_name(shelf: Shelf, name: str, extra: dict[str, str]) -> None:
    path = shelf.write({"a.xhtml": "<p>a</p>"}, extra=extra)
    with pytest.raises(BookError, match=name) as caught:
        epub.extract(path, ReadOptions())
    assert caught.value.code is Code.DRM


def test_scrambled_fonts_are_no_protection(shelf: Shelf) -> None:
    encryption = ENCRYPTION.format("http://www.idpf.org/2008/embedding", "EPUB/font.otf")
    assert (
        read(shelf.write({"a.xhtml": "<p>a</p>"}, extra={"META-INF/encryption.xml": encryption})).text == "a"
    )


def test_refusals(shelf: Shelf) -> None:
    path = shelf.write({"a.xhtml": "<p>a</p>"})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refusal(path) is Code.DAMAGED
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert refusal(path) is Code.UNSUPPORTED
    assert refusal(shelf.write({})) is Code.DAMAGED
    assert refusal(shelf.write({"a.xhtml": '<p><img src="x.jpg"/></p>'})) is Code.NO_TEXT


def test_a_book_without_a_format_with_text_is_refused_by_that_format(shelf: Shelf) -> None:
    item = '<item id="x" href="x.pdf" media-type="application/pdf"/>'
    path = shelf.write({}, manifest=item, spine='<itemref idref="x"/>')
    with pytest.raises(BookError, match="application/pdf is not a text format") as caught:
        read(path)
    assert caught.value.code is Code.NO_TEXT


def test_a_chapter_above_the_limit_is_refused(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf.write({"a.xhtml": "<p>" + "a " * 5000 + "</p>"})
    monkeypatch.setattr(container, "MEMBER_BYTES", 9999)
    assert refusal(path) is Code.TOO_LARGE
    monkeypatch.setattr(container, "MEMBER_BYTES", 99999)
    assert read(path).text
    monkeypatch.setattr(container, "BOOK_BYTES", 9999)
    assert refusal(path) is Code.TOO_LARGE


def labels(shelf: Shelf, body: str, **parts: Any) -> list[str | None]:
    """Return the page labels of a chapter's paragraphs."""
    book = read(shelf.write({"a.xhtml": body}, **parts))
    return [block.location.page_label for block in book.blocks]


PAGE_NAMES = {
    "anchors": ('<p>a</p><a id="page_12"/><p>b</p><p>c</p><a id="page_13"/><p>d</p>', "-|12|12|13"),
    "named anchors": ('<p>a</p><p>b<a name="Page-xi"/>c</p><a name="Page-1"/><p>d</p>', "-|-|1"),
    "spans": ('<p>a</p><p><span id="pg12"/>b</p><p>c</p><p><span id="pg13"/>d</p>', "-|12|12|13"),
    "letters": ('<p>a</p><a id="p12"/><p>b</p><p>c</p><p>c</p><a id="p13"/><p>d</p>', "-|12|12|12|13"),
    "german": ('<p>a</p><a id="Seite_12"/><p>b</p><a id="Seite_13"/><p>d</p>', "-|12|13"),
    "titles": ('<p>a</p><div class="pagebreak" title="12"/><p>b</p>', "-|12"),
    "typed, in german": ('<p>a</p><span epub:type="pagebreak" title="Seite 12"/><p>b</p>', "-|12"),
    "from zero": ('<a id="page_0"/><p>b</p><a id="page_1"/><p>d</p>', "-|-"),
    "not counting up": ('<a id="page_2"/><p>b</p><a id="page_1"/><p>d</p>', "-|-"),
    "one": ('<p>a</p><a id="page_12"/><p>b</p>', "-|-"),
    "numbers of paragraphs": ('<a id="p1"/><p>b</p><a id="p2"/><p>d</p>', "-|-"),
    "paragraphs": ('<p id="p1">b</p><p>c</p><p>c</p><p id="p2">d</p>', "-|-|-|-"),
    "beside labels": (
        '<p>a <span class="pagenum">[Pg 5]</span></p><a id="page_12"/><p>b</p><a id="page_13"/><p>c</p>',
        "-|5|5",
    ),
}


@pytest.mark.parametrize(("body", "expected"), PAGE_NAMES.values(), ids=PAGE_NAMES)
def test_a_printed_page_begins_at_an_anchor_named_for_it(shelf: Shelf, body: str, expected: str) -> None:
    assert "|".join(label or "-" for label in labels(shelf, body)) == expected


@pytest.mark.parametrize("media_type", ["application/oebps-page-map+xml", "text/xml"])
def test_the_page_map_of_adobe_lists_printed_pages(shelf: Shelf, media_type: str) -> None:
    shown = labels(
        shelf,
        '<p>a</p><p id="x">b</p><p>c</p><p id="y">d</p>',
        manifest=f'<item id="map" href="page-map.xml" media-type="{media_type}"/>',
        spine='<itemref idref="p0"/>',
        extra={
            "EPUB/page-map.xml": '<page-map xmlns="http://www.idpf.org/2007/opf">'
            '<page name="12" href="a.xhtml#x"/><page name="13" href="a.xhtml#y"/></page-map>'
        },
    )
    assert shown == ([None, "12", "12", "13"] if "oebps" in media_type else [None] * 4)
