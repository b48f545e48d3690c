"""Word files: every word is read in its place, or left out by name; nothing hostile gets far."""

import warnings
import zipfile
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions, container, extract
from alexandria.extract.numerals import format_number
from tests.extract.office import field, notes, p, run, write_docx


def read(tmp_path: Path, body: str, **parts: str | bytes) -> Book:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return extract(write_docx(tmp_path / "a.docx", body, **parts))


def left_out(book: Book) -> dict[str, int]:
    return {part.kind: part.words for part in book.left_out}


BOX = f"<w:txbxContent>{p('In the box.')}</w:txbxContent>"
SHAPE = (
    "<mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr='A box'/>"
    f"<wps:txbx>{BOX}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict></mc:Fallback>"
    "</mc:AlternateContent>"
)
EMPTY_CHOICE = (
    f"<mc:AlternateContent><mc:Choice/><mc:Fallback>{run('old')}</mc:Fallback></mc:AlternateContent>"
)
CELL = "<w:tc><w:tcPr/>{}</w:tc>"
TABLE = f"<w:tbl><w:tr>{CELL.format(p('a'))}{CELL.format(p('b') + p('c'))}</w:tr></w:tbl>"
_PART = "<m:{0}><m:r><m:t>{1}</m:t></m:r></m:{0}>"
FORMULA = f"<m:oMath><m:f>{_PART.format('num', 'a')}{_PART.format('den', 'b')}</m:f></m:oMath>"
STRICT = '<s:p xmlns:s="http://purl.oclc.org/ooxml/wordprocessingml/main">'
ROW = f"<w:tr>{CELL.format(p('a'))}{CELL.format(p('b'))}</w:tr>"
NESTED = f"<w:tbl><w:tr>{CELL.format(p('x') + TABLE)}{CELL.format(p('y'))}</w:tr></w:tbl>"
RUBY = "<w:r><w:ruby><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>"
BEGIN = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
IN_CODE = "IF </w:instrText></w:r>" + field("X", run("no")) + "<w:r><w:instrText>"
RAISED = '<w:vertAlign w:val="superscript"/>'
GALLERY = '<w:docPartGallery w:val="Table of Contents"/>'
TEXTS = {
    "runs of one word": (p(run("wo") + run("rd") + "<w:proofErr/>" + run("s")), "words"),
    "no space without xml:space": (p("<w:r><w:t>\n wo </w:t></w:r><w:r><w:t>rd\n</w:t></w:r>"), "word"),
    "tab and break": (
        p("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r>"),
        "a b\nc\nd",
    ),
    "page break in a sentence": (p("<w:r><w:t>a</w:t><w:br w:type='page'/><w:t>b</w:t></w:r>"), "a b"),
    "hyphens": (
        p("<w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t><w:softHyphen/><w:t>era</w:t></w:r>"),
        "co\u2011opera",
    ),
    "symbol": (
        p('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0E0"/></w:r>'),
        "α→",
    ),
    "insertion": (p(run("a ") + f"<w:ins>{run('new ')}</w:ins>" + run("b")), "a new b"),
    "moved here": (p(run("a ") + f"<w:moveTo>{run('moved ')}</w:moveTo>" + run("b")), "a moved b"),
    "link": (p(f'<w:hyperlink r:id="x">{run("to ")}<w:r><w:t>there</w:t></w:r></w:hyperlink>'), "to there"),
    "smart tag": (p(f"<w:smartTag><w:smartTag>{run('Rome')}</w:smartTag></w:smartTag>"), "Rome"),
    "control in a line": (p(f"<w:sdt><w:sdtPr/><w:sdtContent>{run('in')}</w:sdtContent></w:sdt>"), "in"),
    "control around blocks": (f"<w:sdt><w:sdtContent>{p('in')}{p('it')}</w:sdtContent></w:sdt>", "in\n\nit"),
    "custom XML": (f"<w:customXml>{p('in')}</w:customXml>", "in"),
    "an element of the future": (
        f"<w:newer>{p('in')}</w:newer>" + p(f"<w:newest>{run('out')}</w:newest>"),
        "in\n\nout",
    ),
    "a run outside paragraphs": (run("loose"), "loose"),
    "text box once": (p(run("a ") + f"<w:r>{SHAPE}</w:r>" + run("b")), "a b\n\nIn the box."),
    "a fallback with the text": (p(run("a ") + EMPTY_CHOICE), "a old"),
    "field": (p(field(" REF x ", run("page 5"))), "page 5"),
    "field in a field": (p(field(IN_CODE, run("yes"))), "yes"),
    "a field that never ends": (p(BEGIN + run("kept")) + p("also"), "kept\n\nalso"),
    "simple field": (p(f'<w:fldSimple w:instr="DATE">{run("May")}</w:fldSimple>'), "May"),
    "formula": (p(run("so ") + FORMULA), "so a b"),
    "powers": (p(run("x") + run("1", RAISED) + run("2", RAISED)), "x12"),
    "ruby": (p(RUBY.format(run("kan"), run("漢"))), "漢"),
    "an initial": (p("T", properties='<w:framePr w:dropCap="drop"/>') + p("he sea"), "The sea"),
    "a deleted end of paragraph": (
        p(run("one "), properties="<w:rPr><w:del/></w:rPr>") + p("line"),
        "one line",
    ),
    "table": (TABLE, "a\tb c"),
    "rows in a control": (f"<w:tbl><w:sdt><w:sdtContent>{ROW}</w:sdtContent></w:sdt></w:tbl>", "a\tb"),
    "table in a table": (NESTED, "x\n\na\tb c\n\ny"),
    "picture": (p("<w:r><w:drawing><wp:docPr descr='A map' title='Map'/></w:drawing></w:r>"), "A map"),
    "picture with a title": (p("<w:r><w:drawing><wp:docPr descr='' title='Map'/></w:drawing></w:r>"), "Map"),
    "a loop of styles": (p("text", "Loop"), "text"),
    "strict namespace": (p("text").replace("w:", "s:").replace("<s:p>", STRICT, 1), "text"),
}


def test_text_is_read_as_word_shows_it(tmp_path: Path) -> None:
    for body, text in TEXTS.values():
        assert read(tmp_path, body).text == text


LEFT_OUT = {
    "deletion": (p(run("kept ") + "<w:del><w:r><w:delText>all gone</w:delText></w:r></w:del>"), "deleted", 2),
    "moved away": (p(run("kept ") + f"<w:moveFrom>{run('all gone')}</w:moveFrom>"), "deleted", 2),
    "deleted row": (
        p("kept") + f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr>{CELL.format(p('x y'))}</w:tr></w:tbl>",
        "deleted",
        2,
    ),
    "deleted text box": (p(run("kept ") + f"<w:del>{run('all')}<w:r>{SHAPE}</w:r></w:del>"), "deleted", 4),
    "deleted row with a box": (
        p("kept")
        + "<w:tbl><w:tr><w:trPr><w:del/></w:trPr>"
        + f"{CELL.format(p(run('all') + f'<w:r>{SHAPE}</w:r>'))}</w:tr></w:tbl>",
        "deleted",
        4,
    ),
    "deletion in a deletion": (
        p(
            run("kept ")
            + f"<w:ins><w:del>{run('all ')}<w:moveFrom>{run('gone')}</w:moveFrom></w:del></w:ins>"
        ),
        "deleted",
        2,
    ),
    "deleted symbols": (
        p(
            "<m:oMath><m:r><m:t>kept</m:t></m:r>"
            "<w:del><m:r><m:t>x</m:t></m:r><w:del><m:r><m:t>y</m:t></m:r></w:del></w:del></m:oMath>"
        ),
        "deleted",
        1,
    ),
    "hidden": (p(run("kept ") + run("not shown", "<w:vanish/>")), "hidden", 2),
    "hidden by style": (p(run("kept ") + run("not shown", '<w:rStyle w:val="Geheim"/>')), "hidden", 2),
    "code of a field": (
        p(run("kept ") + field("IF </w:instrText><w:t>not shown</w:t><w:instrText>", "<w:r/>")),
        "hidden",
        2,
    ),
    "reading": (p(RUBY.format(run("kan ji"), run("kept"))), "ruby", 2),
    "contents in a control": (
        p("kept")
        + f"<w:sdt><w:sdtPr><w:docPartObj>{GALLERY}</w:docPartObj></w:sdtPr>"
        + f"<w:sdtContent>{p('Contents', 'Inhalt')}{p('Salt')}</w:sdtContent></w:sdt>",
        "contents",
        2,
    ),
    "contents by style": (p("Contents", "Inhalt") + p("Salt", "V1") + p("kept"), "contents", 2),
    "contents by field": (
        f"{p(field('TOC', run('Salt') + '</w:p><w:p>' + run('Sea')))}{p('kept')}",
        "contents",
        2,
    ),
    "index": (p("kept") + p(field(' INDEX \\c "2"', run("salt, 5"))), "index", 2),
}


def test_what_is_not_text_is_left_out_by_name(tmp_path: Path) -> None:
    for body, kind, words in LEFT_OUT.values():
        book = read(tmp_path, body)
        assert book.text == "kept"
        assert left_out(book) == {kind: words}


def test_parts_beside_the_text_are_left_out_by_name(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        p("kept"),
        header1=f"<w:hdr>{p('On Salt')}</w:hdr>",
        footer1=f"<w:ftr>{p('7')}</w:ftr>",
        comments=f"<w:comments><w:comment>{p('Is this so?')}</w:comment></w:comments>",
        chart1="<c:chart xmlns:c='c' xmlns:a='a'><a:t>Tons of salt</a:t></c:chart>",
        page="<html/>",
    )
    assert book.text == "kept"
    assert sorted((part.kind, part.words) for part in book.left_out) == [
        ("comment", 3), ("picture", 3), ("running_head", 1), ("running_head", 2)
    ]  # fmt: skip
    assert book.warnings == ("word/page.xml was not read: it is text of another format",)


def test_words_that_are_deleted_beside_the_text_are_counted_with_it(tmp_path: Path) -> None:
    deleted = "<w:del><w:r><w:delText>all gone</w:delText></w:r></w:del>"
    body = p(run("kept") + f"<w:del>{cite('footnote', 1)}</w:del>")
    header = f"<w:hdr>{p(run('On Salt ') + deleted)}</w:hdr>"
    book = read(tmp_path, body, header1=header, footnotes=notes("footnote", n1=p(deleted)))
    assert left_out(book) == {"hidden": 2, "running_head": 4}
    assert book.notes == ()


def test_a_word_of_a_chart_may_be_split_between_runs(tmp_path: Path) -> None:
    title = "<a:r><a:t>Tons of s</a:t></a:r><a:r><a:t>alt</a:t></a:r><a:br/><a:r><a:t>and sea</a:t></a:r>"
    axis = "<a:r><a:t>Year</a:t></a:r>"
    chart = f"<c:chart xmlns:c='c' xmlns:a='a'><a:p>{title}</a:p><a:p>{axis}</a:p></c:chart>"
    assert left_out(read(tmp_path, p("kept"), chart1=chart)) == {"picture": 6}


def cite(kind: str, id: int, more: str = "") -> str:
    return f'<w:r><w:{kind}Reference w:id="{id}" {more}/></w:r>'


def test_notes_are_tied_to_the_words_that_cite_them(tmp_path: Path) -> None:
    star = '<w:r><w:footnoteReference w:id="4" w:customMarkFollows="1"/><w:t>*</w:t></w:r>'
    cell = CELL.format(p(run("In a cell") + cite("footnote", 5)))
    body = (
        p(
            run("Salt")
            + cite("footnote", 2)
            + run(" and sea")
            + cite("endnote", 2)
            + run(" and sun")
            + star
            + run(".")
        )
        + f"<w:tbl><w:tr>{cell}{CELL.format(p('b'))}</w:tr></w:tbl>"
    )
    book = read(
        tmp_path,
        body,
        footnotes=notes(
            "footnote",
            n2=p("<w:r><w:footnoteRef/></w:r>" + run(" 1 Kings 3 is not salt.")) + p("More."),
            n4=p("By hand."),
            n5=p("In the cell."),
            n9=p("Cited nowhere."),
        ),
        endnotes=notes("endnote", n2=p("<w:r><w:endnoteRef/></w:r><w:r><w:tab/></w:r>" + run("The end."))),
    )
    assert book.text == "Salt and sea and sun.\n\nIn a cell\tb"
    tied = {note.label: (note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes}
    assert tied == {
        "1": ("1 Kings 3 is not salt.\nMore.", "Salt"),
        "i": ("The end.", "sea"),
        "*": ("By hand.", "sun"),
        "2": ("In the cell.", "cell"),
    }
    assert left_out(book) == {"note_mark": 4, "hidden": 2}


def test_a_mark_without_its_note_is_a_warning(tmp_path: Path) -> None:
    book = read(tmp_path, p(run("Salt") + cite("footnote", 2)))
    assert book.text == "Salt"
    assert book.warnings == ("1 note mark leads to no note",)


def test_headings_have_the_levels_of_their_styles_and_outline(tmp_path: Path) -> None:
    level = '<w:outlineLvl w:val="{}"/>'
    book = read(
        tmp_path,
        p("On Salt", "Titel")
        + p("One", "berschrift1") + p("a") + p("Own", "Kapitel") + p("b") + p("Sub", "berschrift2") + p("c")
        + p("Direct", properties=level.format(2)) + p("d") + p("No heading", "berschrift1", level.format(9)),
    )  # fmt: skip
    assert [section.headings for section in book.sections] == [
        ("One",), ("Own",), ("Own", "Sub"), ("Own", "Sub", "Direct")
    ]  # fmt: skip
    assert book.text.endswith("d\n\nNo heading")
    assert left_out(book) == {"titlepage": 2}


def test_a_scene_is_not_the_title_of_its_act(tmp_path: Path) -> None:
    scenes = [p(f"Scene {n}", "berschrift2") + p("They talk.") for n in ("I", "II")]
    book = read(
        tmp_path, p("Act I", "berschrift1") + scenes[0] + scenes[1] + p("Act II", "berschrift1") + p("x")
    )
    assert [section.headings for section in book.sections] == [
        ("Act I",), ("Act I", "Scene I"), ("Act I", "Scene II"), ("Act II",)
    ]  # fmt: skip


def test_several_titles_begin_chapters(tmp_path: Path) -> None:
    book = read(
        tmp_path, p("One", "Titel") + p("a") + p("Part", "berschrift1") + p("b") + p("Two", "Titel") + p("c")
    )
    assert [section.headings for section in book.sections] == [("One",), ("One", "Part"), ("Two",)]


def test_paragraphs_are_of_the_kind_of_their_style(tmp_path: Path) -> None:
    numbers = '<w:numPr><w:numId w:val="{}"/></w:numPr>'
    book = read(
        tmp_path,
        p("item", "Aufz") + p("numbered", properties=numbers.format(1)) + p("not", "Aufz", numbers.format(0))
        + p("said", "Zitat") + p("def f():", "Code") + p("  pass", "Code") + p("Fig. 1", "Beschriftung"),
    )  # fmt: skip
    assert [(block.kind, block.text) for block in book.blocks] == [
        (BlockKind.LIST_ITEM, "item"), (BlockKind.LIST_ITEM, "numbered"), (BlockKind.PARAGRAPH, "not"),
        (BlockKind.QUOTE, "said"), (BlockKind.CODE, "def f():\n  pass"), (BlockKind.CAPTION, "Fig. 1"),
    ]  # fmt: skip


def numbering(*lists: str, overrides: str = "") -> str:
    """Return the part with these lists, each of levels, by their ids from 1 on."""
    definitions = "".join(
        f'<w:abstractNum w:abstractNumId="{i}">{levels}</w:abstractNum>' for i, levels in enumerate(lists, 1)
    )
    numbers = "".join(
        f'<w:num w:numId="{i}"><w:abstractNumId w:val="{i}"/></w:num>' for i, _ in enumerate(lists, 1)
    )
    return f"<w:numbering>{definitions}{numbers}{overrides}</w:numbering>"


def level(index: int, format: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{index}"><w:numFmt w:val="{format}"/><w:lvlText w:val="{text}"/>{more}</w:lvl>'


def item(level: int = 0, id: int = 1) -> str:
    return p("x", properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{id}"/></w:numPr>')


LEGAL = (
    level(0, "upperRoman", "Article %1.")
    + level(1, "decimal", "%1.%2", "<w:isLgl/>")
    + level(2, "lowerLetter", "(%3)")
)
RESTARTED = (
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
)
NUMBERS = {
    "levels": (numbering(LEGAL), [0, 1, 1, 2, 2, 0, 1], "Article I.|1.1|1.2|(a)|(b)|Article II.|2.1"),
    "two digits in a legal number": (
        numbering(LEGAL.replace('"decimal"', '"decimalZero"')), [0, 1, 1], "Article I.|1.01|1.02"
    ),
    "a higher level that has no number yet": (numbering(LEGAL), [1, 1], "1.1|1.2"),
    "from 3 on": (numbering(level(0, "lowerLetter", "(%1)", '<w:start w:val="3"/>')), [0, 0], "(c)|(d)"),
    "bullets": (numbering(level(0, "bullet", "\uf0b7")), [0, 0], "|"),
    "kana": (
        numbering(level(0, "japaneseCounting", "第%1条") + level(1, "aiueoFullWidth", "（%2）")),
        [0, 1, 1], "第一条|（ア）|（イ）",
    ),
    "a format that is not known": (numbering(level(0, "bahtText", "(%1)")), [0, 0], "|"),
    "no number": (numbering(level(0, "none", "Note")), [0], "Note"),
    "never again from 1": (
        numbering(level(0, "decimal", "%1.") + level(1, "decimal", "§ %2", '<w:lvlRestart w:val="0"/>')),
        [0, 1, 1, 0, 1],
        "1.|§ 1|§ 2|2.|§ 3",
    ),
}  # fmt: skip


def test_automatic_numbers_are_text_as_word_prints_them(tmp_path: Path) -> None:
    for part, levels, printed in NUMBERS.values():
        book = read(tmp_path, "".join(map(item, levels)), numbering=part)
        assert [block.text for block in book.blocks] == [
            f"{number} x".strip() for number in printed.split("|")
        ]


def test_a_list_that_starts_again_counts_from_there(tmp_path: Path) -> None:
    part = numbering(level(0, "decimal", "%1."), overrides=RESTARTED)
    book = read(tmp_path, item() + item() + item(id=2) + item(id=2) + item(id=3), numbering=part)
    assert [block.text for block in book.blocks] == ["1. x", "2. x", "1. x", "2. x", "x"]


def test_headings_have_the_numbers_of_their_style(tmp_path: Path) -> None:
    linked = '<w:pStyle w:val="{}"/>'
    levels = level(0, "decimal", "%1", linked.format("berschrift1")) + level(
        1, "decimal", "%1.%2", linked.format("N2")
    )
    heading = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    body = "".join(
        p(text, style, heading) for text, style in (("A", "berschrift1"), ("B", "N2"), ("C", "berschrift1"))
    )
    assert read(tmp_path, body, numbering=numbering(levels)).text == "1 A\n\n1.1 B\n\n2 C"


def test_metadata_and_what_keeps_matter(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", p("On Salt", "Titel") + p("kept"))
    book = extract(path, ReadOptions(keep_matter=True))
    assert book.text == "On Salt\n\nkept"
    assert (book.title, book.metadata.authors, book.language) == (
        "On Salt",
        ("Ida Marlow", "Jo Fell"),
        "en-GB",
    )
    assert (book.metadata.date, book.metadata.subjects) == ("2021-03-04", ("salt", "sea"))


def test_a_symbol_without_a_character_is_a_warning(tmp_path: Path) -> None:
    book = read(tmp_path, p(run("a") + '<w:r><w:sym w:font="Webdings" w:char="F021"/></w:r>'))
    assert book.text == "a"
    assert book.warnings == ("1 character in the font Webdings has no Unicode equivalent: not read",)


def test_notes_are_numbered_as_word_numbers_them() -> None:
    cases = [("lowerRoman", "i iv xlix"), ("upperLetter", "A D WW"), ("decimal", "1 4 49"), ("", "1 4 49")]
    for format, marks in cases:
        assert " ".join(format_number(n, format) for n in (1, 4, 49)) == marks


BOMB = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("document", "code"),
    [
        pytest.param(b"<w:document", Code.DAMAGED, id="cut off"),
        pytest.param(b"", Code.DAMAGED, id="empty"),
        pytest.param(None, Code.DAMAGED, id="missing"),
        pytest.param(b"<a>" * 9000, Code.DAMAGED, id="too deep"),
        pytest.param(b"<w:styles xmlns:w='w'/>", Code.DAMAGED, id="another part"),
        pytest.param(b"<document><body/></document>", Code.NO_TEXT, id="no text"),
        pytest.param(b"<document>" + b" " * 100_000 + b"</document>", Code.TOO_LARGE, id="zip bomb"),
        pytest.param(
            f"{BOMB}<document><body><p><r><t>&b;</t></r></p></body></document>".encode(),
            Code.NO_TEXT,
            id="entities",
        ),
    ],
)
def test_hostile_and_damaged_files_are_refused(
    tmp_path: Path, document: bytes | None, code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml" if document is not None else "word/documents.xml", document or b""
        )
    monkeypatch.setattr(container, "MEMBER_BYTES", 99_999)
    with pytest.raises(BookError) as refused:
        extract(path)
    assert refused.value.code is code


def test_a_damaged_part_is_a_warning(tmp_path: Path) -> None:
    book = read(tmp_path, p("One", "heading 1") + p("a"), styles="<w:styles", header1=b"\xff\xfe<")
    assert book.text == "One\n\na"
    assert [section.headings for section in book.sections] == [("One",)]  # the id tells
    assert [warning.split()[0] for warning in book.warnings] == ["word/styles.xml", "word/header1.xml"]


def test_a_part_whose_name_is_damaged_is_a_warning(tmp_path: Path) -> None:
    """The name above its bytes is checked against that of the directory, and decoded for it."""
    path = write_docx(tmp_path / "a.docx", p("One", "heading 1") + p("a"), styles="<w:styles/>")
    data = bytearray(path.read_bytes())
    name = data.find(b"word/styles.xml")
    data[name + 5] = 0x9A
    data[name - 30 + 7] |= 0x08  # the name is UTF-8
    path.write_bytes(data)
    book = extract(path)
    assert book.text == "One\n\na"
    assert [warning.split()[0] for warning in book.warnings] == ["word/styles.xml"]


def test_no_more_styles_are_followed_than_word_could_have_made(tmp_path: Path) -> None:
    """Following chains of any length would take a time that grows as the square of the styles."""
    styles = "".join(
        f'<w:style w:styleId="s{i}"><w:name w:val="n{i}"/><w:basedOn w:val="s{i + 1}"/></w:style>'
        for i in range(90)
    )
    last = '<w:style w:styleId="s90"><w:name w:val="heading 1"/></w:style>'
    book = read(tmp_path, p("near", "s60") + p("far", "s0"), styles=f"<w:styles>{styles}{last}</w:styles>")
    assert [block.kind for block in book.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]


HEADING_STYLES = (
    "Heading 1|Titre 1|Überschrift 1|Título 1|Заголовок 1|見出し 1|标题 1|제목 1|Kop 1|Nagłówek 1|Nadpis 1"
)


@pytest.mark.parametrize("name", HEADING_STYLES.split("|"))
def test_a_style_is_a_heading_by_its_name_in_any_language(tmp_path: Path, name: str) -> None:
    assert kind_of_style(tmp_path, name) == "heading"


def test_other_styles_are_paragraphs(tmp_path: Path) -> None:
    for name in ["Titre de figure 1", "Kopf 1", "Absatz 1", "Titre"]:
        assert kind_of_style(tmp_path, name) == "paragraph"


def kind_of_style(folder: Path, name: str) -> str:
    styles = f'<w:styles><w:style w:styleId="S"><w:name w:val="{name}"/></w:style></w:styles>'
    path = write_docx(folder / "a.docx", p("The Lamp", "S") + p("It was lit."), styles=styles)
    return extract(path).blocks[0].kind.value
