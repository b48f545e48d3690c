"""MOBI 6, KF8 and joint books, written by `tests.mobi`."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from struct import pack

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.markup.toc import TocLine
from alexandria.extract.mobi.contents import _with_printed_depths
from alexandria.extract.mobi.huffman import Huffman
from alexandria.extract.mobi.palmdb import DamageError
from alexandria.extract.mobi.parts import Parts, TextPart, with_ids
from alexandria.extract.mobi.text import unpack_palmdoc
from tests import mobi
from tests.mobi import DEFAULT, JOINT, Line, Options
from tests.pairs import by_pairs
from tools import converted

PARAGRAPHS = [
    f"Number {i}: the naïve café keeps “{'long ' * (i % 7)}hours”, and nobody has counted them – not once."
    for i in range(90)
]
BODY = (
    '<h1 id="one">On Hours</h1>'
    + "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    + '<p>A noted line<a role="doc-noteref" href="#n1">1</a> ends.</p>'
)
SECOND = (
    '<h1 id="two">On Days</h1><p>They are shorter.</p><h2 id="three">In winter</h2><p>Shortest of all.</p>'
)
NOTE = '<aside role="doc-footnote" id="n1"><p>The note itself.</p></aside>'
PARTS = [f"<html><head><title>x</title></head><body>{body}</body></html>" for body in (BODY, SECOND, NOTE)]
MARKUP = f"<html><body>{BODY}<mbp:pagebreak/>{SECOND}<mbp:pagebreak/>{NOTE}</body></html>"
CONTENTS = (Line("On Hours", "one"), Line("On Days", "two"), Line("In winter", "three", 1))
WORDS = (
    f"On Hours {' '.join(PARAGRAPHS)} A noted line ends. On Days They are shorter. In winter Shortest of all."
)
BOOK = replace(DEFAULT, contents=CONTENTS)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], Book]:
    def read_bytes(data: bytes) -> Book:
        path = tmp_path / "book.mobi"
        path.write_bytes(data)
        return extract(path)

    return read_bytes


Read = Callable[[bytes], Book]


def check(book: Book) -> None:
    assert book.text.split() == WORDS.split()
    assert [section.headings for section in book.sections] == [
        ("On Hours",),
        ("On Days",),
        ("On Days", "In winter"),
    ]
    (note,) = book.notes
    assert note.text == "The note itself."
    assert note.cited_at is not None
    assert book.text[: note.cited_at].endswith("A noted line")
    assert book.warnings == ()
    assert book.metadata.title == "Small Things"
    assert book.metadata.authors == ("A. Writer",)
    assert book.metadata.language == "en"


@by_pairs(("compression", {"none": 1, "PalmDOC": 2, "HUFF/CDIC": 17480}), ("extra", [0, 1, 2, 3]))
def test_text_contents_and_notes_are_read(compression: int, extra: int, read: Read) -> None:
    options = replace(BOOK, compression=compression, extra=extra)
    check(read(mobi.kf8(PARTS, options)))
    check(read(mobi.mobi6(MARKUP, options)))


def test_windows_1252_is_read_as_it_is(read: Read) -> None:
    check(read(mobi.mobi6(MARKUP, replace(BOOK, encoding=1252, extra=0))))


def test_an_element_or_an_empty_link_has_the_id_of_a_position() -> None:
    cases: dict[str, tuple[int, str]] = {
        "tag": (0, '<p id="pos0">A</p>text<p id="b">B</p>'),
        "text": (3, '<p><a id="pos3"></a>A</p>text<p id="b">B</p>'),
        "tag with an id": (12, '<p>A</p>text<p id="b">B</p>'),
    }
    for position, marked in cases.values():
        part = TextPart(path="a", start=0, markup=b'<p>A</p>text<p id="b">B</p>')
        parts, targets = with_ids(Parts((part,)), [position])
        assert parts.parts[0].markup.decode() == marked
        assert f'id="{targets[position][1]}"' in marked


def test_a_position_in_an_end_tag_and_one_after_it_have_an_id_each() -> None:
    part = TextPart(path="a", start=0, markup=b"<p>A</p>text<p>B</p>")
    parts, targets = with_ids(Parts((part,)), [4, 8])
    assert {id for _, id in targets.values()} == {"pos4", "pos8"}
    assert parts.parts[0].markup == b'<p>A</p><a id="pos4"></a><a id="pos8"></a>text<p>B</p>'


def test_an_encoding_that_the_text_names_is_left_as_it_is(read: Read) -> None:
    text = "Write charset=koi8-r or encoding = latin1 there."
    declared = '<head><meta content="text/html; charset=windows-1251"></head>'
    for head in ("", declared):
        book = read(mobi.mobi6(f"<html>{head}<body><p>{text}</p><p>Naïve.</p></body></html>"))
        assert book.text == f"{text}\n\nNaïve."


@pytest.mark.parametrize("compression", [1, 2], ids=["none", "PalmDOC"])
def test_a_palmdoc_book_is_read_as_plain_text(compression: int, read: Read) -> None:
    text = "CHAPTER I\n\nThe naïve café.\n\nIt keeps “long” hours.\n\nCHAPTER II\n\nIt is shut.\n"
    book = read(mobi.palmdoc_book(text.encode("cp1252"), compression=compression, name=b"A. Writer - Hours"))
    assert book.text.split() == text.split()
    assert [section.headings for section in book.sections] == [("CHAPTER I",), ("CHAPTER II",)]
    assert (book.metadata.title, book.metadata.authors) == ("Hours", ("A. Writer",))


def test_a_palmdoc_book_of_markup_says_what_it_is(read: Read) -> None:
    says = {"Title": "Small &amp; old", "Creator": "Á. Writer", "Language": "en-us"}
    head = "".join(f"<dc:{name}>{value}</dc:{name}>" for name, value in says.items())
    markup = f"<HTML><HEAD><metadata>{head}</metadata></HEAD><BODY>{BODY}{SECOND}</BODY></HTML>"
    book = read(mobi.palmdoc_book(markup.encode("cp1252")))
    assert book.text.split()[: len(WORDS.split()) - 20] == WORDS.split()[:-20]
    assert [section.headings[-1] for section in book.sections] == ["On Hours", "On Days", "In winter"]
    found = book.metadata
    assert (found.title, found.authors, found.language) == ("Small & old", ("Á. Writer",), "en-US")


def test_of_a_joint_file_the_second_book_is_read(read: Read) -> None:
    first = mobi.mobi6_records("<html><body><p>Old.</p></body></html>", JOINT)
    check(read(mobi.joint(first, mobi.kf8_records(PARTS, BOOK))))


def test_a_mobi_6_book_alone_is_read_though_it_names_a_second(read: Read) -> None:
    check(read(mobi.mobi6(MARKUP, replace(BOOK, exth=JOINT.exth))))


def test_the_printed_contents_are_left_out_and_stand_in_for_an_index(read: Read) -> None:
    guide = '<guide><reference type="toc" title="Contents" href="#toc"/></guide>'
    printed = '<h2 id="toc">Contents</h2><p><a href="#one">On Hours</a></p><p><a href="#two">On Days</a></p>'
    markup = MARKUP.replace("<body>", f"<head>{guide}</head><body>{printed}<mbp:pagebreak/>").replace(
        "h1", "p"
    )
    book = read(mobi.mobi6(markup))
    assert book.text.split() == WORDS.split()
    assert [section.headings for section in book.sections][:2] == [("On Hours",), ("On Days",)]
    assert {left.kind: left.words for left in book.left_out if left.kind == "contents"} == {"contents": 5}


def test_the_guide_of_a_kf8_book_names_its_contents(read: Read) -> None:
    contents = '<html><body><p id="toc">Contents</p><p><a href="#one">On Hours</a></p></body></html>'
    book = read(mobi.kf8([contents, *PARTS], replace(BOOK, guide=(("toc", "toc"),))))
    check(book)


def test_types_that_a_conversion_from_epub_left_bare_are_read(read: Read) -> None:
    title = '<section type="titlepage"><h1>Small Things</h1></section>'
    verse = '<section><h1>A Song</h1><p type="z3998:verse">One line,<br/>and another.</p></section>'
    book = read(mobi.kf8([f"<html><body>{body}</body></html>" for body in (title, verse)], DEFAULT))
    assert [(left.kind, left.words) for left in book.left_out] == [("titlepage", 2)]
    assert [(block.kind, block.text) for block in book.blocks] == [
        (BlockKind.HEADING, "A Song"),
        (BlockKind.VERSE, "One line,\nand another."),
    ]


PRINTED = (
    '<html><body><p id="t">TITLEPAGE</p><p>By me.</p><mbp:pagebreak/>'
    '<p id="h">SMALL <b>THINGS</b></p><mbp:pagebreak/>'
    '<p id="p1">&nbsp;</p><mbp:pagebreak/><blockquote><font size="5">PART I</font></blockquote><p>I</p>'
    '<p>ON HOURS</p><p>They pass.</p><mbp:pagebreak/><p id="p2">II</p><p>Two came.</p></body></html>'
)


def test_lines_that_hang_without_space_between_them_are_verse(read: Read) -> None:
    hanging = '<p height="0pt" width="-12pt">{}</p>'
    stanzas = [("The tide", "went <i>out</i>"), ("and came", "again.")]
    verse = '<p height="1em" width="0pt">&nbsp;</p>'.join(
        "".join(map(hanging.format, stanza)) for stanza in stanzas
    )
    works = "".join(hanging.format(f"Author {i}. " + "A long title of a learned work " * 3) for i in range(3))
    book = read(mobi.mobi6(f"<html><body><p>So:</p>{verse}<p>End.</p>{works}</body></html>"))
    assert [(block.kind.value, block.text) for block in book.blocks[:4]] == [
        ("paragraph", "So:"),
        ("verse", "The tide\nwent out"),
        ("verse", "and came\nagain."),
        ("paragraph", "End."),
    ]
    assert [block.kind for block in book.blocks[4:]] == [BlockKind.PARAGRAPH] * 3


def test_verse_in_a_play_is_below_its_speaker(read: Read) -> None:
    lines = (
        '<p height="0pt" width="-9pt">The wheel it turned,</p><p height="0pt" width="-9pt">the river ran.</p>'
    )
    speech = f"<td>&nbsp;<p>&nbsp;</p>{lines}</td>"
    rows = "".join(f"<tr><td>{name}</td>{speech}</tr>" for name in ["Miller", "Clerk"] * 4)
    book = read(mobi.mobi6(f"<html><body><table>{rows}</table></body></html>"))
    assert [(block.kind, block.text) for block in book.blocks[:2]] == [
        (BlockKind.VERSE, "Miller\nThe wheel it turned,\nthe river ran."),
        (BlockKind.VERSE, "Clerk\nThe wheel it turned,\nthe river ran."),
    ]


def test_controls_in_types_and_ids_are_no_error(read: Read) -> None:
    body = '<p>a<a href="#o\x01e">1</a></p><ol type="\x01"><li id="o\x01e">b<br></li></ol>'
    assert read(mobi.kf8([f"<html><body>{body}</body></html>"], DEFAULT)).text.split() == ["a1", "1.", "b"]


def test_contents_name_the_headings_and_matter_that_mobi_6_cannot_mark(read: Read) -> None:
    lines = (
        Line("Titlepage", "t"),
        Line("Small Things", "h"),
        Line("Part I: I: On Hours", "p1"),
        Line("II", "p2"),
    )
    book = read(mobi.mobi6(PRINTED, replace(BOOK, contents=lines)))
    assert {left.kind: left.words for left in book.left_out} == {"titlepage": 3, "halftitle": 2}
    assert [
        (section.headings, [block.kind.value for block in section.blocks]) for section in book.sections
    ] == [
        (("Part I: I: On Hours",), ["heading", "heading", "heading", "paragraph"]),
        (("II",), ["heading", "paragraph"]),
    ]


def test_contents_without_depths_have_those_of_the_printed_contents(read: Read) -> None:
    guide = '<guide><reference type="toc" title="Contents" href="#toc"/></guide>'
    links = [
        f'<a href="#{id}">{title}</a>' for id, title in (("one", "Hours"), ("two", "Days"), ("n1", "Notes"))
    ]
    printed = '<p id="toc">{}</p><blockquote><blockquote>{}</blockquote></blockquote><p>{}</p>'.format(*links)
    markup = MARKUP.replace("<body>", f"<head>{guide}</head><body>{printed}<mbp:pagebreak/>")
    lines = (Line("Hours", "one"), Line("Days", "two"), Line("Notes", "n1"))
    book = read(mobi.mobi6(markup, replace(BOOK, contents=lines)))
    assert [section.headings for section in book.sections] == [
        ("Hours",),
        ("Hours", "Days"),
        ("Hours", "Days", "In winter"),
    ]


def test_depths_are_the_printed_ones_if_every_line_is_printed() -> None:
    cases: dict[str, tuple[str, dict[str, int], list[int]]] = {
        "all are printed": ("ab", {"a": 1, "b": 2}, [1, 2]),
        "more are printed": ("ab", {"a": 1, "b": 2, "c": 3}, [1, 2]),
        "one is not printed": ("abc", {"a": 2, "b": 2}, [1, 1, 1]),
        "none is printed": ("ab", {}, [1, 1]),
        "only printed ones": ("", {"a": 1, "b": 2}, [1, 2]),
    }
    for listed, printed, depths in cases.values():
        lines = tuple(TocLine(name, 1, (f"{name}.html", "")) for name in listed)
        shown = tuple(TocLine(name, depth, (f"{name}.html", "")) for name, depth in printed.items())
        assert [line.depth for line in _with_printed_depths(lines, shown)] == depths


@pytest.mark.shared
@pytest.mark.skipif(shutil.which("ebook-convert") is None, reason="ebook-convert (Calibre) is not installed")
@pytest.mark.parametrize("kind", [".azw3", ".old.mobi"])
def test_a_play_that_calibre_converted_is_read_as_its_epub(
    kind: str, shared_data: Path, tmp_path: Path
) -> None:
    epub = shared_data / "epub" / "shakespeare-hamlet.epub"
    old, new = (converted.aspects(extract(path)) for path in (epub, converted.convert(epub, kind, tmp_path)))
    new["left out"].remove("contents")  # added by Calibre
    if kind == ".old.mobi":  # which has no verse, no small capitals, and quotation marks around <q>
        for book in (old, new):
            del book["blocks"]
            book |= {
                name: [re.sub("[“”]", "", x).casefold() for x in book[name]] for name in ("words", "notes")
            }
    compared = ("words", "headings", "blocks", "notes", "left out")
    assert {name: old[name] for name in compared if name in old and old[name] != new[name]} == {}


def test_an_index_of_contents_that_is_damaged_leaves_the_headings(read: Read) -> None:
    records = mobi.mobi6_records(MARKUP, BOOK)
    book = read(mobi.database([b"" if record[:4] == b"INDX" else record for record in records]))
    assert [section.headings[-1] for section in book.sections] == ["On Hours", "On Days", "In winter"]


def changed(records: list[bytes], offset: int, value: bytes) -> bytes:
    head = records[0]
    return mobi.database([head[:offset] + value + head[offset + len(value) :], *records[1:]])


def without(records: list[bytes], magic: bytes) -> bytes:
    return mobi.database([b"" if record.startswith(magic) else record for record in records])


SMALL = mobi.mobi6_records(MARKUP, BOOK)
PARTED = mobi.kf8_records(PARTS, BOOK)
PACKED = mobi.mobi6_records(MARKUP, replace(BOOK, compression=17480))
FILE = mobi.database(SMALL)
SKELETON = next(i for i, record in enumerate(PARTED) if b"SKEL000000" in record)
HUGE = pack(">L", 0x7FFFFFF0)


def lying(records: list[bytes], index: int, old: bytes, new: bytes) -> bytes:
    assert old in records[index]
    return mobi.database([*records[:index], records[index].replace(old, new, 1), *records[index + 1 :]])


@pytest.mark.parametrize(
    ("data", "code", "why"),
    [
        pytest.param(FILE[:70], Code.DAMAGED, "ends before", id="cut off in its header"),
        pytest.param(FILE[:90], Code.DAMAGED, "table of", id="cut off in its table"),
        pytest.param(FILE[:1500], Code.DAMAGED, "outside the file", id="cut off in its text"),
        pytest.param(
            FILE[:78] + HUGE + FILE[82:], Code.DAMAGED, "outside the file", id="an offset that lies"
        ),
        pytest.param(changed(SMALL, 0, pack(">H", 3)), Code.DAMAGED, "unknown way", id="unknown compression"),
        pytest.param(changed(SMALL, 8, b"\xff\xff"), Code.DAMAGED, "entries after", id="too many records"),
        pytest.param(changed(SMALL, 12, b"\0\1"), Code.DRM, "old Mobipocket DRM", id="DRM of 1"),
        pytest.param(changed(SMALL, 12, b"\0\2"), Code.DRM, "Kindle", id="DRM of 2"),
        pytest.param(changed(SMALL, 16, b"IBOM"), Code.DAMAGED, "not the header", id="another header"),
        pytest.param(
            changed(SMALL, 0xF0, pack(">L", 0xFFFF)), Code.DAMAGED, "entries after", id="entries that lie"
        ),
        pytest.param(changed(PACKED, 0x70, HUGE), Code.DAMAGED, "refers to record", id="no Huffman codes"),
        pytest.param(changed(PACKED, 0x74, HUGE), Code.DAMAGED, "Huffman codes alone", id="too many codes"),
        pytest.param(without(PACKED, b"HUFF"), Code.DAMAGED, "another kind", id="empty codes"),
        pytest.param(without(PACKED, b"CDIC"), Code.DAMAGED, "another kind", id="empty dictionary"),
        pytest.param(changed(PARTED, 0xF8, pack(">L", 9999)), Code.DAMAGED, "refers to", id="no fragments"),
        pytest.param(without(PARTED, b"INDX"), Code.DAMAGED, "ends before", id="empty tables"),
        pytest.param(
            lying(PARTED, SKELETON, b"SKEL000000", b"SKEL000000\xff"),
            Code.DAMAGED,
            "outside its record",
            id="parts that lie",
        ),
        pytest.param(mobi.database([b"x"]), Code.DAMAGED, "not the header", id="a record of one byte"),
        pytest.param(
            mobi.palmdoc_book(b"It was late. " * 900, compression=1)[:-9999],
            Code.DAMAGED,
            "outside the file",
            id="PalmDOC cut off",
        ),
        pytest.param(mobi.palmdoc_book(b" "), Code.EMPTY, "no text", id="PalmDOC without text"),
        pytest.param(
            mobi.database([b"\0\2"], kind=b"TEXtREAd"), Code.DAMAGED, "ends before", id="PalmDOC of two bytes"
        ),
        pytest.param(mobi.mobi6("%MOP and a PDF"), Code.UNSUPPORTED, "Print Replica", id="a Print Replica"),
        pytest.param(mobi.mobi6("<p><img/></p>"), Code.NO_TEXT, "no text", id="pictures alone"),
    ],
)
def test_a_file_that_is_wrong_is_refused_by_what_is_wrong(
    data: bytes, code: Code, why: str, read: Read
) -> None:
    with pytest.raises(BookError) as caught:
        read(data)
    assert caught.value.code is code
    assert why in caught.value.why
    assert caught.value.fix


def test_a_text_shorter_than_it_claims_is_read_with_a_warning(read: Read) -> None:
    assert "shorter than the file says" in read(changed(SMALL, 4, HUGE)).warnings[0]


def test_a_bomb_is_too_large(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alexandria.extract.mobi.text.TEXT_BYTES", 5000)
    with pytest.raises(BookError, match="unpacks to more") as caught:
        read(FILE)
    assert caught.value.code is Code.TOO_LARGE


def test_palmdoc_repeats_what_it_has_just_written() -> None:
    assert unpack_palmdoc(b"ab" + pack(">H", 0x8000 | 2 << 3 | 7)) == b"ab" * 6
    assert unpack_palmdoc(b"\x02\xe9\xe8\xc1") == b"\xe9\xe8 A"
    with pytest.raises(DamageError, match="before its beginning"):
        unpack_palmdoc(b"a" + pack(">H", 0x8000 | 9 << 3))


def dictionary(*phrases: bytes) -> Huffman:
    """Return codes whose phrase 0 is written 0xFF, phrase 1 is 0xFE and so on; all are packed."""
    empty = mobi.huffman(b"a")
    return Huffman.parse(empty.records[0], [mobi._cdic(phrases, [False] * len(phrases), len(phrases))])


def test_phrases_that_contain_themselves_are_damage() -> None:
    with pytest.raises(DamageError, match="contain themselves"):
        dictionary(b"\xfe", b"\xff").unpack(b"\xff")
    with pytest.raises(DamageError, match="contain themselves or are nested"):
        dictionary(*(bytes([254 - i]) for i in range(100))).unpack(b"\xff")
    with pytest.raises(DamageError, match="uses phrase 1 of 1"):
        dictionary(b"\xfe").unpack(b"\xfe")


def test_phrases_that_double_are_stopped() -> None:
    tables = dictionary(*(bytes([254 - i]) * 2 for i in range(20)), b"")
    tables.phrases[20] = b"ab", False
    with pytest.raises(DamageError, match="more than 64 KiB"):
        tables.unpack(b"\xff")


def test_options_of_the_writer_are_used() -> None:
    assert mobi.mobi6(MARKUP) != mobi.mobi6(MARKUP, Options(compression=1))
