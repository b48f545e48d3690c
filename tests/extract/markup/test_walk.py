"""The walker: what becomes of each element, and that no text is lost or moved whatever the nesting."""

from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from alexandria.book.model import BlockKind
from alexandria.book.places import split_anchors
from alexandria.extract.draft import NoteMark, PageMark
from alexandria.extract.markup import elements
from alexandria.extract.markup import tree as markup
from alexandria.extract.markup.blocks import MarkupBlock, Reading, Region
from alexandria.extract.markup.walk import walk

OPEN = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'


def read(body: str, reading: Reading = Reading()) -> list[tuple[str, str]]:  # noqa: B008
    return [(p.kind.value, p.text) for p in blocks(body, reading)]


def blocks(body: str, reading: Reading = Reading()) -> tuple[MarkupBlock, ...]:  # noqa: B008
    return walk(etree.fromstring(f"{OPEN}{body}</body></html>"), reading).blocks


WALKED = {
    "paragraphs": ("<p>a <i>b</i>c</p>\n<p>d</p>", [("paragraph", "a bc"), ("paragraph", "d")]),
    "text beside blocks": ("a<p>b</p>c", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
    "block inside inline": (
        "<a>x<p>y</p></a>z",
        [("paragraph", "x"), ("paragraph", "y"), ("paragraph", "z")],
    ),
    "line break": ("<p>a<br/>b</p>", [("paragraph", "a\nb")]),
    "two line breaks": ("<p>a<br/><br/>b</p>", [("paragraph", "a\n\nb")]),
    "two line breaks outside paragraphs": (
        "<br/><br/>a <br/>\n<br/>b<br/><br/><br/>c",
        [("paragraph", x) for x in "abc"],
    ),
    "verse outside paragraphs": ("a<br/>b<br/><br/>c<br/>d", [("paragraph", "a\nb\n\nc\nd")]),
    "source lines": ("<p>a\n\tb</p>", [("paragraph", "a b")]),
    "source lines in Chinese": (
        "<p>看守人\n  点亮了灯，\r\n“船”\n回来。</p>",
        [("paragraph", "看守人点亮了灯，“船”回来。")],
    ),
    "source lines around ruby": (
        "<p>\n<ruby>灯台\n<rt>とうだい</rt></ruby>\n<b>守</b>\n<i>\nは</i></p>",
        [("paragraph", "灯台守は")],
    ),
    "source lines beside Latin letters": ("<p>灯台\nOld\nLamp\n灯</p>", [("paragraph", "灯台 Old Lamp 灯")]),
    "source lines in Korean": ("<p>등대\n大韓\n民國\n등불</p>", [("paragraph", "등대 大韓 民國 등불")]),
    "spaces in Chinese": (
        "<p>春 夏</p><p>看\u3000守<br/>\n人</p>",
        [("paragraph", "春 夏"), ("paragraph", "看 守\n人")],
    ),
    "code in Japanese": ("<pre>灯\n台</pre>", [("code", "灯\n台")]),
    "heading on one line": ("<h2>Act<br/>I</h2>", [("heading", "Act I")]),
    "heading group": ("<hgroup><h2>I</h2><p>On X</p></hgroup>", [("heading", "I"), ("heading", "On X")]),
    "bridgehead stays a paragraph": ("<header><p>Of X.</p></header>", [("paragraph", "Of X.")]),
    "nested lists": ("<ul><li>a<ul><li>b</li></ul>c</li></ul>", [("list_item", x) for x in "abc"]),
    "definitions": ("<dl><dt>a</dt><dd><p>b</p></dd></dl>", [("list_item", "a"), ("list_item", "b")]),
    "quotation": ("<blockquote><p>a</p></blockquote>", [("quote", "a")]),
    "verse": (
        '<blockquote epub:type="z3998:verse"><p><span>a</span><br/><span>b</span></p></blockquote>',
        [("verse", "a\nb")],
    ),
    "verse by class": ('<div class="poem"><p>a<br/>b</p></div>', [("verse", "a\nb")]),
    "table": (
        "<table><caption>T</caption><tr><th>a</th><th>b</th></tr><tr><td><p>c</p><p>d</p></td><td>e</td></tr></table>",
        [("caption", "T"), ("table", "a\tb\nc d\te")],
    ),
    "verse in a table": (
        '<table><tr><td>H</td><td epub:type="z3998:verse"><p>a<br/>b</p></td></tr></table>',
        [("table", "H\ta\nb")],
    ),
    "layout table": (
        "<table><tr><td><h2>a</h2><p>b</p></td><td>c</td></tr></table>",
        [("heading", "a"), ("paragraph", "b"), ("paragraph", "c")],
    ),
    "code": ("<pre>a\n  b</pre>", [("code", "a\n  b")]),
    "ruby": ("<p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp></ruby>京</p>", [("paragraph", "東京")]),
    "formula by its alternative": (
        '<p>so <math alttext="a^2"><mi>a</mi></math>.</p>',
        [("paragraph", "so a^2.")],
    ),
    "formula with words and other notations": (
        "<p><math><semantics><mi>x</mi><mtext>if <b>so</b> be</mtext><annotation>y</annotation>"
        "<annotation-xml><ci>z</ci></annotation-xml></semantics></math></p>",
        [("paragraph", "x if so be")],
    ),
    "formula by its text": ("<p><math><mi>x</mi><mo>=</mo><mn>1</mn></math></p>", [("paragraph", "x = 1")]),
    "formula without alternative": (
        '<p><math alttext="Alternative text not available"><mi>x</mi></math></p>',
        [("paragraph", "x")],
    ),
    "picture": (
        '<figure><img alt="A crane"/><figcaption>Fig.</figcaption></figure>',
        [("caption", "A crane"), ("caption", "Fig.")],
    ),
    "picture in a line": ('<p><img alt="O"/>nce</p>', [("paragraph", "Once")]),
    "number of a line": (
        '<div class="poem"><p>a <span class="linenum">5</span><br/><span class="ln">[6]</span>b</p></div>',
        [("verse", "a\nb")],
    ),
    "no number of a line": ('<p>a <span class="linenum">five</span> b</p>', [("paragraph", "a five b")]),
    "number of a line of code": ('<pre><span class="lineno">1</span> a</pre>', [("code", "1 a")]),
    "picture of nothing": ('<p><img alt=""/>a</p>', [("paragraph", "a")]),
    "script and style": ("<p>a<script>x</script><style>y</style>b</p>", [("paragraph", "ab")]),
    "vector graphic": (
        '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title><text>a<tspan>b</tspan></text><text>c</text></svg>',
        [("caption", "T"), ("paragraph", "ab"), ("paragraph", "c")],
    ),
    "switch": (
        "<p><epub:switch><epub:case>x</epub:case><epub:default>y</epub:default></epub:switch></p>",
        [("paragraph", "y")],
    ),
    "a mark of ours in the text": ("<p>a\ufdd0b\ufdd1c</p>", [("paragraph", "abc")]),
}


def test_element_becomes_blocks() -> None:
    for body, blocks in WALKED.values():
        assert read(body) == blocks


def test_a_title_has_the_rank_of_the_heading_beside_it_or_the_last() -> None:
    for group, ranks in (("<h2>I</h2><p>On X</p>", [2, 2]), ("<p>I</p><p>On X</p>", [6, 6])):
        assert [block.rank for block in blocks(f"<hgroup>{group}</hgroup>")] == ranks


def test_hidden_text_is_left_out_and_counted() -> None:
    root = etree.fromstring(
        f'{OPEN}<p>a <i style="display: none">b c</i> d</p><div hidden="hidden"><p>e</p></div></body></html>'
    )
    walked = walk(root)
    assert [(p.text, p.region) for p in walked.blocks] == [("a d", None), ("e", Region("hidden"))]
    assert walked.skipped == {"hidden": 2}


PAGES = {
    "title": '<span epub:type="pagebreak" title="12"/>',
    "role and label": '<span role="doc-pagebreak" aria-label=" Page 12. "/>',
    "text": '<span epub:type="pagebreak">12</span>',
    "class": '<span class="pagenum">[Pg 12]</span>',
}


def test_page_break_becomes_a_mark_where_the_page_begins() -> None:
    for mark in PAGES.values():
        (block,) = blocks(f"<p>one {mark} two</p>")
        assert (block.text, block.pages) == ("one two", (PageMark(4, None, "12"),))


@pytest.mark.parametrize("mark", ['<hr role="doc-pagebreak"/>', '<span epub:type="pagebreak" id="p"/>'])
def test_a_page_break_without_a_label_begins_no_page(mark: str) -> None:
    assert [block.pages for block in blocks(f"<p>a</p>{mark}<p>b</p>")] == [(), ()]


def test_page_between_blocks_begins_with_the_next() -> None:
    first, second = blocks('<p>a</p><div epub:type="pagebreak" title="iv"/><p>b</p>')
    assert (first.pages, second.pages) == ((), (PageMark(0, None, "iv"),))


def test_page_list_names_the_page_at_an_id() -> None:
    _, second = blocks('<p>a</p><p id="p2">b</p>', Reading(pages={"p2": "214"}))
    assert second.pages == (PageMark(0, None, "214"),)


def test_note_mark_leaves_the_text_and_keeps_its_place() -> None:
    root = etree.fromstring(f'{OPEN}<p>A word,<a href="#n">1</a> and more.</p></body></html>')
    link = next(e for e in root.iter() if e.get("href"))
    (block,) = walk(root, Reading(cites={link: "x#n"})).blocks
    assert (block.text, block.notes) == ("A word, and more.", (NoteMark(7, "x#n"),))


def test_nesting_has_no_limit() -> None:
    root = deepest = etree.Element("body")
    for _ in range(3000):
        deepest = etree.SubElement(deepest, "div")
    deepest.text = "deep"
    assert [p.text for p in walk(root).blocks] == ["deep"]


TAGS = """p div section blockquote ul li em span a sup table tr td h2 h3 pre figure figcaption dl dt dd header
hgroup ol""".split()  # noqa: SIM905


@st.composite
def trees(draw: st.DrawFn) -> tuple[etree._Element, list[str]]:
    """A random tree and its words in document order; each text is a word between spaces."""
    words: list[str] = []
    number = count()

    def text() -> str:
        if draw(st.booleans()):
            return " "
        words.append(f"w{next(number)}")
        return f" {words[-1]} "

    def grow(parent: etree._Element, depth: int) -> None:
        parent.text = text()
        for _ in range(draw(st.integers(0, 3)) if depth else 0):
            child = etree.SubElement(parent, draw(st.sampled_from(TAGS)))
            grow(child, depth - 1)
            child.tail = text()

    root = etree.Element("body")
    grow(root, draw(st.integers(0, 5)))
    return root, words


def words_of(blocks: Sequence[MarkupBlock]) -> list[str]:
    """Return the words of the tree in blocks, without the numbers of list items."""
    return [word for block in blocks for word in block.text.split() if not word.endswith(".")]


@given(trees())
def test_no_text_is_lost_and_order_is_kept(drawn: tuple[etree._Element, list[str]]) -> None:
    root, words = drawn
    assert words_of(walk(root).blocks) == words


@given(trees(), st.randoms(use_true_random=False))
def test_note_marks_shift_nothing(drawn: tuple[etree._Element, list[str]], random) -> None:  # type: ignore[no-untyped-def]
    root, words = drawn
    elements = [e for e in root.iter() if e.tag not in ("table", "tr")]
    marks = {}
    for i in range(3):
        mark = etree.SubElement(random.choice(elements), "a")
        mark.text, mark.tail = "99", ""
        marks[mark] = f"k{i}"
    found = walk(root, Reading(cites=marks)).blocks
    assert words_of(found) == words
    assert all(0 <= note.offset <= len(p.text) for p in found for note in p.notes)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<table><tr><td>a</td><td>" * 80 + "</td></tr></table>" * 80, id="tables in tables"),
        pytest.param(
            "<ul><li>a" + '<img alt="b" src="c"/>' * 400 + "d</li></ul>", id="pictures in one block"
        ),
    ],
)
def test_no_element_is_looked_at_again_and_again(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n_looks = count()

    def local_name(element: markup.Element) -> str:
        next(n_looks)
        return name_of(element)

    name_of = markup.local_name
    for module in (elements, markup):
        monkeypatch.setattr(module, "local_name", local_name)
    assert blocks(body)
    assert next(n_looks) < 10 * body.count("<")


def test_every_kind_is_reached() -> None:
    assert {kind for _, blocks in WALKED.values() for kind, _ in blocks} == {kind.value for kind in BlockKind}


RULED = {
    "a rule": ("<p>a</p><hr/><p>b</p>", [False, True]),
    "two rules": ("<p>a</p><hr/><hr/><p>b</p><p>c</p>", [False, True, False]),
    "a rule at the end": ("<p>a</p><hr/>", [False]),
    "a rule inside a division": ("<div><p>a</p><div><hr/></div></div><p>b</p>", [False, True]),
    "a rule in running text": ("a<hr/>b", [False, True]),
    "a hidden rule": ('<p>a</p><hr style="display: none"/><p>b</p>', [False, False]),
    "asterisks": ("<p>a</p><p>* * *</p><p>b</p>", [False, True]),
    "asterisks as a heading": ("<p>a</p><h3>⁂</h3><p>b</p>", [False, True]),
    "asterisks in code": ("<pre>a</pre><pre>* * *</pre><p>b</p>", [False, False, False]),
    "a square that ends a proof": ("<p>a</p><p>■</p><p>b</p>", [False, False, False]),
    "an image named for a break": ('<p>a</p><p><img alt="" class="scene-break"/></p><p>b</p>', [False, True]),
    "an image of an ornament": ('<p>a</p><div><img alt="Ornament"/></div><p>b</p>', [False, True]),
    "another image": ('<p>a</p><div><img alt="A break wall"/></div><p>b</p>', [False, False, False]),
    "a division named for a break": ('<p>a</p><div class="tb"></div><p>b</p>', [False, True]),
    "a paragraph named for the break before it": ('<p>a</p><p class="section-break">b</p>', [False, True]),
    "the end of a page": ('<p>a</p><hr epub:type="pagebreak" title="7"/><p>b</p>', [False, False]),
    "the end of a page by role": ('<p>a</p><hr role="doc-pagebreak"/><p>b</p>', [False, False]),
    "the end of a page by class": ('<p>a</p><hr class="pagebreak"/><p>b</p>', [False, False]),
}


def test_a_rule_is_a_break_before_the_next_passage() -> None:
    for body, breaks in RULED.values():
        assert [block.break_before for block in blocks(body)] == breaks


def test_ornaments_leave_the_text_and_are_counted_and_their_marks_move_on() -> None:
    body = '<p>a</p><p id="x"><span epub:type="pagebreak" title="7"/>* * *</p><p>b</p>'
    walked = walk(etree.fromstring(f"{OPEN}{body}</body></html>"))
    assert [block.text for block in walked.blocks] == ["a", "b"]
    assert walked.skipped["ornament"] == 3
    assert walked.blocks[1].pages == (PageMark(0, None, "7"),)
    assert "x" in walked.blocks[1].ids


BLANKS = {
    "a no-break space": ("<p>\u00a0</p>", True),
    "a line break": ("<p><br/></p>", True),
    "inside a span": ('<p class="c"><span>\u00a0</span></p>', True),
    "nothing": ("<p></p>", False),
    "a space": ("<p> </p>", False),
    "a picture": ('<p>\u00a0<img src="a.png"/></p>', False),
}


def test_an_empty_paragraph_is_seen_if_readers_see_it() -> None:
    for paragraph, blank in BLANKS.values():
        assert [block.blank_before for block in blocks(f"<p>a</p>{paragraph}<p>b</p>")] == [False, blank]


def test_a_play_set_as_a_table_is_read_as_speeches() -> None:
    body = """<h2>Scene I</h2><table><tbody>
        <tr><td/><td><i>Enter a <b epub:type="z3998:persona">Miller</b>.</i></td></tr>
        <tr><td epub:type="z3998:persona">Miller</td><td>Who keeps<br/>the gate?</td></tr>
        <tr><td epub:type="z3998:persona">Clerk</td><td epub:type="z3998:verse">
        <p><span>I keep the gate,</span><br/><span>and you the mill.</span></p><p>Good night.</p></td></tr>
        </tbody></table><table><tr><td>Flour</td><td>3</td></tr></table>"""
    assert read(body) == [
        ("heading", "Scene I"),
        ("paragraph", "Enter a Miller."),
        ("paragraph", "Miller\nWho keeps the gate?"),
        ("verse", "Clerk\nI keep the gate,\nand you the mill.\n\nGood night."),
        ("table", "Flour\t3"),
    ]


def rows(*cells: str) -> str:
    return "".join(f"<tr><td>{cell.replace('|', '</td><td>')}</td></tr>" for cell in cells)


def test_a_play_is_known_by_speakers_who_come_back() -> None:
    speeches = ["Miller|Who keeps the gate tonight?", "Clerk|I keep it, and you?"] * 4
    play = [*speeches[:4], "|They <i>look</i> at each other.", *speeches[4:], "Exeunt."]
    expected = [("paragraph", cell.replace("|", "\n")) for cell in speeches]
    directions = ("paragraph", "They look at each other."), ("paragraph", "Exeunt.")
    assert read(f"<table>{rows(*play)}</table>") == [
        *expected[:4],
        directions[0],
        *expected[4:],
        directions[1],
    ]


def test_tables_of_words_stay_tables() -> None:
    cases: dict[str, list[str]] = {
        "no name comes back": [f"{name}|Has one line of several words." for name in "ABCDEFGHIJ"],
        "few words": ["Flour|3 sacks", "Salt|1 sack"] * 5,
        "numbers": ["1851|The mill was built there.", "1852|The mill burned down again."] * 5,
        "groups": ["Fruit|Apples of the old orchard."] * 5 + ["Grain|Rye of the upper field."] * 5,
        "short": ["Miller|Who keeps the gate tonight?", "Clerk|I keep it, and you?"] * 2,
    }
    for cells in cases.values():
        assert [kind for kind, _ in read(f"<table>{rows(*cells)}</table>")] == ["table"]


def test_verse_and_epigraphs_keep_together() -> None:
    cases: dict[str, tuple[str, list[tuple[str, str]]]] = {
        "a paragraph per line": (
            '<div class="poem"><div class="stanza"><p>The mill <i>stood</i>,</p> <p>the river ran.</p></div>'
            '<div class="stanza"><p>And nobody</p><p>came by.</p></div></div>',
            [("verse", "The mill stood,\nthe river ran."), ("verse", "And nobody\ncame by.")],
        ),
        "a paragraph per stanza": (
            '<div class="poem"><p>The mill<br/>stood,</p><p>the river<br/>ran.</p></div>',
            [("verse", "The mill\nstood,"), ("verse", "the river\nran.")],
        ),
        "an epigraph": (
            '<div class="epigraph"><p>All things flow.</p><p>Heraclitus</p></div><p>Text.</p>',
            [("quote", "All things flow."), ("quote", "Heraclitus"), ("paragraph", "Text.")],
        ),
        "a chapter that is a letter": (
            '<div class="letter"><h2>Letter 1</h2><p>Dear Sir,</p></div>',
            [("heading", "Letter 1"), ("paragraph", "Dear Sir,")],
        ),
    }
    for body, expected in cases.values():
        assert read(body) == expected


def test_white_space_around_line_breaks_is_not_text_and_moves_no_cfi() -> None:
    cases = {
        "around a line break": ("\n\t<br/>\n\t", "a\nb"),
        "indented far": (f"\n{' ' * 200}<br/>\n{' ' * 200}", "a\nb"),
        "a no-break space alone in its line": ("<br/>\u00a0<br/>", "a\n\nb"),
    }
    for between, expected in cases.values():
        (block,) = blocks(f"<p>\n <span>a</span>{between}<b>b</b>\n</p>", Reading(cfi="/6/2!"))
        assert block.text == expected
        after = 2 + 2 * (1 + between.count("<br"))
        places = [(offset, place.partition(" ")[0]) for offset, place in split_anchors(block.source)]
        assert places == [(0, "/6/2!/2/2/2/1:0"), (expected.index("b"), f"/6/2!/2/2/{after}/1:0")]


def test_white_space_in_code_stays_as_typed() -> None:
    assert read("<pre>a \n  <b>b</b><br/>  c</pre>") == [("code", "a\n  b\n  c")]


def test_a_link_leads_to_the_same_place_however_it_is_written() -> None:
    cases = [
        "",
        "#a",
        "b.xhtml",
        "b.xhtml#a",
        "../b.xhtml#a:b",
        "./b/../c.xhtml",
        "/b.xhtml#",
        "b%20c.xhtml#a",
    ]
    for href in cases:
        # White space around it is no part of a link.
        assert markup.resolve("text/a.xhtml", href) == markup.resolve("text/a.xhtml", f" {href} ")


def test_a_link_out_of_the_book_leads_nowhere() -> None:
    for href in ["http:b.xhtml", "//host/b.xhtml", "mailto:a@b", "http://[::1/b"]:
        assert markup.resolve("text/a.xhtml", href) is None
