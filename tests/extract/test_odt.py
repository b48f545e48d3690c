"""OpenDocument texts: every word is read in its place, or left out by name."""

import shutil
import subprocess
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from tests.extract.office import write_odt
from tools.converted import aspects


def p(content: str, style: str = "Standard") -> str:
    return f'<text:p text:style-name="{style}">{content}</text:p>'


def read(tmp_path: Path, body: str, margins: str = "", **members: str) -> Book:
    return extract(write_odt(tmp_path / "a.odt", body, margins, **members))


NOTE = "<text:note><text:note-citation>{}</text:note-citation><text:note-body>{}</text:note-body></text:note>"
PICTURE = "<draw:frame><draw:image/><svg:desc>{}</svg:desc></draw:frame>"
BOX = f"<draw:frame><draw:text-box>{p('In the box.')}</draw:text-box><svg:desc>A box</svg:desc></draw:frame>"
CELL = "<table:table-cell>{}</table:table-cell>"
ROW = f"<table:table-row>{CELL.format(p('a'))}{CELL.format(p('b'))}</table:table-row>"
TEXTS = {
    "white space": (p('a<text:s text:c="3"/>b\n  <text:tab/>c<text:line-break/>d'), "a b c\nd"),
    "spans of one word": (p("wo<text:span>rd</text:span>s<text:bookmark text:name='x'/>!"), "words!"),
    "soft page break": (p("wo<text:soft-page-break/>rd"), "word"),
    "link": (p('<text:a xlink:href="http://x">to <text:span>there</text:span></text:a>.'), "to there."),
    "field": (p('page <text:page-number text:select-page="current">5</text:page-number>'), "page 5"),
    "element of the future": (
        f"<text:newer>{p('in')}</text:newer>" + p("<text:newest>out</text:newest>"),
        "in\n\nout",
    ),
    "section": (f"<text:section>{p('in')}</text:section>", "in"),
    "text box": (p(f"a {BOX}b"), "a b\n\nIn the box."),
    "frame between paragraphs": (p("a") + BOX + p("b"), "a\n\nIn the box.\n\nb"),
    "shape": (p(f"a<draw:custom-shape>{p('drawn')}</draw:custom-shape>"), "a\n\ndrawn"),
    "picture": (
        p("<draw:frame><draw:image/><svg:title>Map</svg:title><svg:desc>A map</svg:desc></draw:frame>"),
        "A map",
    ),
    "group of pictures": (
        p(f"<draw:g>{PICTURE.format('Ant')}{PICTURE.format('Bee')}<svg:desc>Insects</svg:desc></draw:g>"),
        "Insects",
    ),
    "pictures without a group's description": (
        p(f"<draw:g>{PICTURE.format('Bee')}{PICTURE.format('Ant')}<svg:title>Ape</svg:title></draw:g>"),
        "Bee",
    ),
    "fields that may be hidden": (
        p("<text:hidden-text>a</text:hidden-text> <text:variable-set>b</text:variable-set>")
        + f'<text:section text:display="condition">{p("c")}</text:section>',
        "a b\n\nc",
    ),
    "table": (
        f"<table:table><table:table-header-rows>{ROW}</table:table-header-rows>{ROW}</table:table>",
        "a\tb\na\tb",
    ),
    "list with its printed number": (
        f"<text:list><text:list-item><text:number>1.</text:number>{p('a')}<text:list><text:list-item>{p('b')}"
        "</text:list-item></text:list></text:list-item></text:list>",
        "a\n\nb",
    ),
    "formula": (p('so <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'), "so a b"),
    "power": (p('x<text:span text:style-name="T1">2</text:span>'), "x2"),
    "ruby": (
        p("<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text></text:ruby>"),
        "漢",
    ),
}


def test_text_is_read_as_a_reader_sees_it(tmp_path: Path) -> None:
    for body, text in TEXTS.values():
        formula = "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"
        assert read(tmp_path, body, **{"Object 1_slash_content_dot_xml": formula}).text == text


CHANGES = (
    "<text:tracked-changes><text:changed-region><text:deletion><office:change-info>"
    f"<dc:creator>Ann Lee</dc:creator></office:change-info>{p('all gone')}"
    "</text:deletion></text:changed-region></text:tracked-changes>"
)
HIDDEN = '<text:span text:style-name="T2">not shown</text:span>'
COMMENT = f"<office:annotation><dc:creator>Ann Lee</dc:creator>{p('Is it?')}</office:annotation>"


def deletion(content: str) -> str:
    return (
        "<text:tracked-changes><text:changed-region>"
        f"<text:deletion>{content}</text:deletion></text:changed-region></text:tracked-changes>"
    )


GONE_NOTE = (
    "<text:note><text:note-citation>1</text:note-citation>"
    f"<text:note-body>{p('gone')}</text:note-body></text:note>"
)
GONE_BOX = f"<draw:frame><draw:text-box>{p('gone')}</draw:text-box></draw:frame>"
GONE_COMMENT = f"<office:annotation><dc:creator>Ann Lee</dc:creator>{p('gone')}</office:annotation>"
LEFT_OUT = {
    "deletion": (CHANGES + p("kept<text:change/>"), "deleted"),
    "deletion in a deletion": (
        deletion(f"<text:deletion>{p('all gone')}</text:deletion>") + p("kept"),
        "deleted",
    ),
    "deleted note": (deletion(p(f"all {GONE_NOTE}")) + p("kept"), "deleted"),
    "deleted box": (deletion(p(f"all {GONE_BOX}")) + p("kept"), "deleted"),
    "deleted comment": (deletion(p(f"all{GONE_COMMENT}")) + p("kept"), "deleted"),
    "deleted tab": (deletion(p("all<text:tab/>gone")) + p("kept"), "deleted"),
    "comment": (p(f"kept{COMMENT}"), "comment"),
    "comment in a cell": (
        f"<table:table><table:table-row><table:table-cell>{COMMENT}{p('kept')}"
        "</table:table-cell></table:table-row></table:table>",
        "comment",
    ),
    "comment on a shape": (p(f"kept<draw:rect>{COMMENT}</draw:rect>"), "comment"),
    "comment on a change": (
        deletion(f"<office:change-info>{p('Is it?')}</office:change-info>") + p("kept"),
        "comment",
    ),
    "hidden": (p(f"kept{HIDDEN}"), "hidden"),
    "hidden section": (
        f'<text:section text:display="none">{p("not")}{p("shown")}</text:section>{p("kept")}',
        "hidden",
    ),
    "section hidden by a condition": (
        '<text:section text:display="condition" text:is-hidden="true">'
        f"{p('not shown')}</text:section>{p('kept')}",
        "hidden",
    ),
    "hidden paragraph": (
        p('not <text:hidden-paragraph text:is-hidden="true"/>shown') + p("kept<text:hidden-paragraph/>"),
        "hidden",
    ),
    "hidden fields": (
        p(
            '<text:variable-set text:display="none">not </text:variable-set>'
            '<text:hidden-text text:is-hidden="true">shown</text:hidden-text>kept'
        ),
        "hidden",
    ),
    "contents": (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>Pattern"
        "</text:index-title-template></text:table-of-content-source><text:index-body><text:index-title>"
        f"{p('Contents')}</text:index-title>{p('Salt')}</text:index-body></text:table-of-content>{p('kept')}",
        "contents",
    ),
    "index": (p("kept") + f"<text:alphabetical-index>{p('salt, 5')}</text:alphabetical-index>", "index"),
    "title": (p("On Salt", "Title") + p("kept"), "titlepage"),
}


def test_what_is_not_text_is_left_out_by_name(tmp_path: Path) -> None:
    for body, kind in LEFT_OUT.values():
        book = read(tmp_path, body)
        assert book.text == "kept"
        assert [(part.kind, part.words) for part in book.left_out] == [(kind, 2)]


def test_headers_and_footers_are_left_out(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        p("kept"),
        f"<style:header>{p('On Salt')}</style:header><style:footer>{p('7')}</style:footer>",
    )
    assert [(part.kind, part.words) for part in book.left_out] == [("running_head", 3)]


def test_notes_are_tied_to_the_words_that_cite_them(tmp_path: Path) -> None:
    first, second = NOTE.format("1", p("1 Kings 3.") + p("More.")), NOTE.format("i", p("The end."))
    book = read(tmp_path, p(f"Salt{first} and sea{second}."))
    assert book.text == "Salt and sea."
    tied = {note.label: (note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes}
    assert tied == {"1": ("1 Kings 3.\nMore.", "Salt"), "i": ("The end.", "sea")}


def test_a_mark_whose_note_is_missing_does_not_cite_the_next_note(tmp_path: Path) -> None:
    without_body = "<text:note><text:note-citation>1</text:note-citation></text:note>"
    second = NOTE.format("2", p("The end."))
    book = read(tmp_path, p(f"Salt{without_body} and sea{second}."))
    assert [(note.label, book.text[: note.cited_at].split()[-1]) for note in book.notes] == [("2", "sea")]


def test_headings_and_kinds_of_paragraphs(tmp_path: Path) -> None:
    heading = '<text:h text:outline-level="{}">{}</text:h>'
    book = read(
        tmp_path,
        heading.format(1, "One") + p("said", "P1") + p("def f():", "P2") + p('<text:s text:c="2"/>pass', "P2")
        + heading.format(2, "Sub") + f"<text:list><text:list-item>{p('item')}</text:list-item></text:list>"
        + p("Fig. 1", "Caption"),
    )  # fmt: skip
    assert [section.headings for section in book.sections] == [("One",), ("One", "Sub")]
    assert [(block.kind, block.text) for block in book.blocks if block.kind is not BlockKind.HEADING] == [
        (BlockKind.QUOTE, "said"), (BlockKind.CODE, "def f():\n  pass"), (BlockKind.LIST_ITEM, "item"),
        (BlockKind.CAPTION, "Fig. 1"),
    ]  # fmt: skip
    assert (book.title, book.author, book.language, book.metadata.date) == (
        "On Salt", "Ida Marlow", "en-GB", "2021-03-04"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("member", "text", "code"),
    [
        ("content_dot_xml", "<office", Code.DAMAGED),
        ("content_dot_xml", "<a>" * 9000, Code.DAMAGED),
        (
            "content_dot_xml",
            "<document-content><body><spreadsheet/></body></document-content>",
            Code.UNSUPPORTED,
        ),
        ("content_dot_xml", "<document-content><body><text/></body></document-content>", Code.NO_TEXT),
        ("META-INF_slash_manifest_dot_xml", "<m ODF><manifest:encryption-data/></m>", Code.PASSWORD),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")  # the last one counts
def test_other_files_are_refused_by_name(tmp_path: Path, member: str, text: str, code: Code) -> None:
    with pytest.raises(BookError) as refused:
        read(tmp_path, p("text"), **{member: text})
    assert refused.value.code is code


@pytest.mark.shared
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice (LibreOffice Writer) is not installed")
def test_libreoffice_turns_word_into_opendocument_and_back_and_nothing_changes(tmp_path: Path) -> None:
    word = Path(__file__).parents[2] / "samples" / "the-town-clock.docx"
    odt, docx = (tmp_path / f"the-town-clock.{suffix}" for suffix in ("odt", "docx"))
    for source, copy in ((word, odt), (odt, docx)):
        options = [f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to"]
        folder = ["--outdir", str(copy.parent)]
        subprocess.run(
            ["soffice", *options, copy.suffix[1:], *folder, source],
            check=True,
            capture_output=True,
            timeout=120,
        )
        assert aspects(extract(copy)) == aspects(extract(word))


def item(*content: str, start: str = "") -> str:
    attributes = f' text:start-value="{start}"' if start else ""
    return f"<text:list-item{attributes}>{''.join(content)}</text:list-item>"


def numbered(*items: str, more: str = "") -> str:
    return f'<text:list text:style-name="L"{more}>{"".join(items)}</text:list>'


def level(number: int, format: str, end: str = ".", begin: str = "", shown: int = 1, first: int = 1) -> str:
    return (
        f'<text:list-level-style-number text:level="{number}" style:num-format="{format}"'
        f' style:num-suffix="{end}" style:num-prefix="{begin}" text:display-levels="{shown}"'
        f' text:start-value="{first}"/>'
    )


SALT = item(p("Salt"), numbered(item(p("Tar")), item(p("Oil"))))
CONTINUED = numbered(item(p("Rope")), more=' text:continue-numbering="true"')


def test_numbers_of_lists_are_text_as_they_are_printed(tmp_path: Path) -> None:
    cases: list[tuple[str, str, list[str]]] = [
        (
            level(1, "1") + level(2, "a", ")", "("),
            numbered(SALT, item(p("Rope"))),
            ["1. Salt", "(a) Tar", "(b) Oil", "2. Rope"],
        ),
        (level(1, "1", "") + level(2, "1", "", shown=2), numbered(SALT), ["1 Salt", "1.1 Tar", "1.2 Oil"]),
        (level(1, "I", ".", "Article "), numbered(item(p("Salt"))), ["Article I. Salt"]),
        (level(1, "A", first=3), numbered(item(p("Salt")), item(p("Rope"))), ["C. Salt", "D. Rope"]),
        (level(1, "一", "、"), numbered(item(p("盐"), start="12")), ["十二、 盐"]),
        (level(1, "1"), numbered(item(p("Salt"))) + p("Then.") + CONTINUED, ["1. Salt", "Then.", "2. Rope"]),
        (level(1, "1"), numbered(item(p("Salt"))) + numbered(item(p("Tar"))), ["1. Salt", "1. Tar"]),
        (level(1, "1"), numbered(item(p("Salt"), p("and more"))), ["1. Salt", "and more"]),
        (level(1, ""), numbered(item(p("Salt"))), ["Salt"]),
        (level(1, "ア", ")"), numbered(item(p("Salt")), item(p("Tar"))), ["ア) Salt", "イ) Tar"]),
        (level(1, "q"), numbered(item(p("Salt"))), ["Salt"]),
        ('<text:list-level-style-bullet text:level="1"/>', numbered(item(p("Salt"))), ["Salt"]),
    ]
    for levels, body, texts in cases:
        book = read(tmp_path, body, f'<text:list-style style:name="L">{levels}</text:list-style>')
        assert [block.text for block in book.blocks] == texts


def test_the_style_of_its_paragraphs_may_name_the_style_of_a_list(tmp_path: Path) -> None:
    styles = (
        '<style:style style:name="A" style:family="paragraph" style:list-style-name="L"/>'
        '<style:style style:name="B" style:family="paragraph" style:parent-style-name="A"/>'
        f'<text:list-style style:name="L">{level(1, "a", ")")}</text:list-style>'
        f'<text:list-style style:name="M">{level(1, "1")}</text:list-style>'
    )
    items = "".join(item(f'<text:p text:style-name="B">{text}</text:p>') for text in ("Salt", "Tar"))
    own = '<text:list text:style-name="M">'
    book = read(tmp_path, f"<text:list>{items}</text:list>{own}{items}</text:list>", styles)
    assert [block.text for block in book.blocks] == ["a) Salt", "b) Tar", "1. Salt", "2. Tar"]


def test_numbers_of_headings_are_text_as_they_are_printed(tmp_path: Path) -> None:
    headings = "".join(
        f'<text:h text:outline-level="{level}">{title}</text:h>{p("Text.")}'
        for level, title in [(1, "Salt"), (2, "Tar"), (2, "Oil"), (1, "Rope")]
    )
    levels = "".join(level(n, "1", "", shown=n) for n in (1, 2))
    book = read(tmp_path, headings, f"<text:outline-style>{levels}</text:outline-style>")
    assert [section.headings[-1] for section in book.sections] == ["1 Salt", "1.1 Tar", "1.2 Oil", "2 Rope"]
