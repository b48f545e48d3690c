"""HTML, Markdown and FictionBook: three more doors to the same walker."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from alexandria.book.model import Book, LeftOut
from alexandria.errors import BookError, Code
from alexandria.extract import extract

Read = Callable[[str, str], Book]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def _read(name: str, text: str) -> Book:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return extract(path)

    return _read


def shape(book: Book) -> list[tuple[tuple[str, ...], list[tuple[str, str]]]]:
    return [(s.headings, [(b.kind.value, b.text) for b in s.blocks]) for s in book.sections]


def left_out(book: Book) -> Counter[str]:
    """Return the words left out by kind."""
    words: Counter[str] = Counter()
    for part in book.left_out:
        words[part.kind] += part.words
    return words


HTML = """<!DOCTYPE html><html lang="fr"><head><title>Un &amp; deux</title><meta name="author" content="Ann">
</head><body><nav><a href="#x">Aller</a></nav><h1 id="x">Un</h1><p>Eins<sup><a href="#f1">1</a></sup> zwei.
<p>Drei<br>vier.
<p id="f1"><a href="#r">1</a>. Note.</p><script>no</script></body></html>"""


def test_html(read: Read) -> None:
    book = read("a.html", HTML)
    assert shape(book) == [
        (("Un",), [("heading", "Un"), ("paragraph", "Eins zwei."), ("paragraph", "Drei\nvier.")])
    ]
    assert (book.format, book.title, book.author, book.language) == ("html", "Un & deux", "Ann", "fr")
    assert [(n.label, n.text) for n in book.notes] == [("1", "Note.")]
    assert book.text[: book.notes[0].cited_at].endswith("Eins")
    assert left_out(book) == {"contents": 1, "note_mark": 2}


LISTS = {
    "letters": ('<ol type="a" start="3"><li>x<li>x</ol>', "c. x|d. x"),
    "roman": ('<ol type="I"><li>x<li value="9">x<li>x</ol>', "I. x|IX. x|X. x"),
    "backwards": ("<ol reversed><li>x<li>x</ol>", "2. x|1. x"),
    "a style": ('<ol style="list-style-type: lower-alpha"><li>x</ol>', "a. x"),
    "paragraphs": ('<ol start="2"><li><p>x</p><p>y</p></li><li><p>x</p></li></ol>', "2. x|y|3. x"),
    "nested": ('<ol><li>x<ol type="i"><li>y<li>z</ol><li>x</ol>', "1. x|i. y|ii. z|2. x"),
    "plain": ("<ol><li>x<li>y</ol>", "1. x|2. y"),
    "a style and a place": ("<style>ol { list-style: lower-greek outside }</style><ol><li>x</ol>", "α. x"),
    "a place": ('<ol type="i" style="list-style: inside"><li>x</ol>', "i. x"),
    "hebrew": ('<ol style="list-style-type: hebrew"><li>x</ol>', "א. x"),
    "greek": ('<ol style="list-style-type: lower-greek"><li>x</ol>', "α. x"),
    "by a style sheet": (
        "<style>ol.u { list-style-type: upper-alpha }</style><ol class='u'><li>x</ol>",
        "A. x",
    ),
    "unnumbered": ('<ol type="a" style="list-style: none"><li>x</ol>', "x"),
    "typed": ('<ol type="a"><li>(a) x<li>(b) y</ol>', "(a) x|(b) y"),
    "unnumbered by a style sheet": (
        "<style>.u{list-style: none inside}</style><ol class='u'><li>x</ol>",
        "x",
    ),
    "counters of outer items": (
        "<style>ol.u{list-style: none} ol.u li:before{content: counters(c, '.') '. '}</style>"
        "<ol class='u'><li>x<ol><li>y<li>z</ol><li>x</ol>",
        "1. x|1.1. y|1.2. z|2. x",
    ),
    "counters of all items": (
        "<style>ol{list-style: none} li::before{content: counters(c, '.') ' '}</style>"
        "<ul><li>w</ul><ol><li>x<ol><li>y</ol><li>x</ol>",
        "w|1 x|1.1 y|2 x",
    ),
    "counters one by one": (
        "<style>ol ol li::before{content: counter(a) '.' counter(b) ' '}</style>"
        "<ol><li>x<ol><li>y<li>z</ol></ol>",
        "1 x|1.1 y|1.2 z",
    ),
    "unnumbered elsewhere": ("<style>#toc ol, nav#toc li {list-style: none}</style><ol><li>x</ol>", "1. x"),
    "no counters": (
        "<style>p:before{content: counters(c, '.')}</style><ol><li>x<ol><li>y</ol></ol>",
        "1. x|1. y",
    ),
    "a counter": (
        "<style>.u{list-style-type: none} .u > li:before{content: counter(c, lower-latin) ')'}</style>"
        "<ol class='u'><li>x</ol>",
        "a. x",
    ),
    "bullets": ('<ol type="a"><li>x</ol><ul><li>y</ul>', "a. x|y"),
}


@pytest.mark.parametrize(("text", "printed"), LISTS.values(), ids=LISTS.keys())
def test_list_numbers_are_text_as_they_are_printed(read: Read, text: str, printed: str) -> None:
    book = read("a.html", f"<html><body><p>Rules.</p>{text}<p>End.</p></body></html>")
    assert [block.text for block in book.blocks[1:-1]] == printed.split("|")


MARKDOWN = """---
title: "A Book"
author: [Ann, Bo]
tags:
  - one
  - two
---
# Part

A word,[^1] *and* more.

- item
- item two

> quoted

```
code = [^1]
```

| a | b |
|---|---|
| 1 | 2 |

## Chapter

line\\
two [^none]

[^1]: A note
    goes on.

    So it does.

The end.
"""


def test_markdown(read: Read) -> None:
    book = read("a.md", MARKDOWN)
    assert shape(book) == [
        (
            ("Part",),
            [
                ("heading", "Part"),
                ("paragraph", "A word, and more."),
                ("list_item", "item"),
                ("list_item", "item two"),
                ("quote", "quoted"),
                ("code", "code = [^1]"),
                ("table", "a\tb\n1\t2"),
            ],
        ),
        (
            ("Part", "Chapter"),
            [("heading", "Chapter"), ("paragraph", "line\ntwo [^none]"), ("paragraph", "The end.")],
        ),
    ]
    assert (book.title, book.author, book.metadata.subjects) == ("A Book", "Ann, Bo", ("one", "two"))
    assert [(n.label, n.text) for n in book.notes] == [("1", "A note goes on.\nSo it does.")]
    assert book.text[: book.notes[0].cited_at].endswith("A word,")


def test_a_markdown_note_that_only_another_note_cites_is_kept(read: Read) -> None:
    book = read("a.md", "# One\n\nA word[^a] here.\n\n[^a]: See the letter[^b].\n[^b]: Of 1851.\n")
    assert [(n.label, n.text) for n in book.notes] == [("a", "See the letter."), ("b", "Of 1851.")]


def test_markdown_without_front_matter_is_named_by_its_first_heading(read: Read) -> None:
    assert read("a.md", "# On *Seeming*\n\nText.").title == "On Seeming"


BODY = "\n# Rain\n\nIt rained.\n"
FRONT_MATTER = {
    "pandoc": "% The Lamp\n% Ann Author; Bob Writer\n% March 1921\n",
    "pandoc-lines": "% The\n  Lamp\n% Ann Author\n  Bob Writer\n% March 1921\n",
    "toml": '+++\ntitle = "The Lamp"\nauthor = ["Ann Author", "Bob Writer"]\n'
    'date = "March 1921"\n[extra]\n+++\n',
    "json": '{\n  "title": "The Lamp",\n  "author": ["Ann Author", "Bob Writer"],\n'
    '  "date": "March 1921",\n  "draft": false\n}\n',
    "yaml": "---\ntitle: The Lamp\nauthor:\n- Ann Author\n- Bob Writer\ndate: March 1921\n...\n",
    "fields": "---\ntitle:\n- type: main\n  text: The Lamp\ncreator:\n- role: author\n  text: Ann Author\n"
    "- role: author\n  text: Bob Writer\ndate: March 1921\n...\n",
    "people": "---\ntitle: The Lamp\nauthor:\n  - name: Ann Author\n    affiliation: The Quay\n"
    "  - name: Bob Writer\n    email: bob@example.org\ndate: March 1921\n---\n",
    "below blanks": "\n\n---\ntitle: The Lamp\nauthor: [Ann Author, Bob Writer]\ndate: March 1921\n---\n",
    "folded": "---\ntitle: >-\n  The\n  Lamp\nauthor: [Ann Author, Bob Writer]\ndate: |\n  March 1921\n---\n",
    "multimarkdown": "Title: The Lamp\nAuthor: Ann Author, Bob Writer\n"
    "Base Header Level: 2\nDate:  March 1921\n",
}


@pytest.mark.parametrize("front", FRONT_MATTER.values(), ids=FRONT_MATTER.keys())
def test_front_matter_is_metadata(read: Read, front: str) -> None:
    book = read("a.md", front + BODY)
    names = tuple(person.name for person in book.metadata.people) or book.metadata.authors
    assert (book.title, book.metadata.date) == ("The Lamp", "March 1921")
    assert names == ("Ann Author", "Bob Writer")
    assert book.text == "Rain\n\nIt rained."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Note: it rained.\nIt rained on.", id="a colon in the first line"),
        pytest.param("Title: of the rain.\nIt rained on.", id="a key without an end"),
        pytest.param("+++ and so on", id="signs"),
        pytest.param('{"title": a set', id="a brace"),
    ],
)
def test_text_that_only_begins_like_front_matter_is_text(read: Read, text: str) -> None:
    assert read("a.md", f"{text}\n{BODY}").text.startswith(text.replace("\n", " "))


@pytest.mark.parametrize("sign", ["+++", "---"])
@pytest.mark.parametrize("blank", ["\n", ""])
def test_a_paragraph_between_two_ornaments_is_no_front_matter(read: Read, sign: str, blank: str) -> None:
    text = f"{sign}\n{blank}It rained all day.\n{blank}{sign}\n\nIt rained on.\n"
    assert "It rained all day." in read("a.md", text).text


def test_a_rule_above_a_blank_line_begins_no_front_matter(read: Read) -> None:
    assert read("a.md", f"---\n\nThe rule: it rained.\n\n---\n{BODY}").text.startswith("The rule: it rained.")


@pytest.mark.parametrize(
    ("text", "text_read"),
    [
        ("## Stones {#st .unnumbered}", "Stones"),
        ("## Stones {-}", "Stones"),
        ("A [word]{.smallcaps} and ![](a.png){width=50%} `x`{.py}.", "A word and x."),
        ("::: {.note}\nText.\n:::", "Text."),
        ("A set {a, b}.", "A set {a, b}."),
        ("Braces {#}", "Braces {#}"),
        ("`# x {#id}`", "# x {#id}"),
        ("```\n# x {#id}\n```", "# x {#id}"),
    ],
)
def test_attributes_are_no_text(read: Read, text: str, text_read: str) -> None:
    assert read("a.md", text).text == text_read


def test_a_definition_in_code_is_code(read: Read) -> None:
    assert not read("a.md", "x[^1]\n\n```\n[^1]: no\n```\n").notes


@pytest.mark.parametrize(
    ("text", "text_read", "notes"),
    [
        pytest.param("Text.\n\n[^1]: Not cited.", "Text.\n\nNot cited.", [], id="not cited"),
        pytest.param("> A word.[^1]\n>\n> [^1]: A note.", "A word.", ["A note."], id="in a quotation"),
        pytest.param("- A word.[^1]\n\n  [^1]: A note.\n- B", "A word.\n\nB", ["A note."], id="in a list"),
        pytest.param("A.[^1]\n\n[^1]: One.\n[^1]: Two.", "A.\n\nTwo.", ["One."], id="two of one label"),
        pytest.param("A.[^1]\n\n[^1]: As in[^2].\n[^2]: B.", "A.", ["As in.", "B."], id="cited in a note"),
        pytest.param("A.[^1]\n\n[^1]: [B][c].\n\n[c]: d", "A.", ["B."], id="a link"),
        pytest.param("A.\\[^1]\n\n[^1]: One.", "A.[^1]\n\nOne.", [], id="escaped"),
    ],
)
def test_notes_of_markdown(read: Read, text: str, text_read: str, notes: list[str]) -> None:
    book = read("a.md", text)
    assert (book.text, [note.text for note in book.notes]) == (text_read, notes)


FB2 = """<?xml version="1.0" encoding="utf-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><genre>prose</genre><author><first-name>Ann</first-name><last-name>Lee</last-name></author>
<book-title>War</book-title><lang>en</lang></title-info><publish-info><publisher>P</publisher><year>1900</year>
</publish-info></description>
<body><title><p>Ann Lee</p><p>War</p></title><epigraph><p>Quoted.</p></epigraph>
<section><title><p>I</p><p>Start</p></title><p>A word,<a l:href="#n1" type="note">[1]</a> more.</p>
<poem><title><p>Ode</p></title><stanza><v>line a</v><v>line b</v></stanza></poem>
<section><title><p>Inner</p></title><p>More.</p><subtitle>* * *</subtitle><p>End.</p></section>
</section></body>
<body name="notes"><title><p>Notes</p></title>
<section id="n1"><title><p>1</p></title><p>The note.</p></section></body>
<binary id="i">AAAA</binary></FictionBook>"""


def test_fictionbook(read: Read) -> None:
    book = read("a.fb2", FB2)
    assert shape(book) == [
        ((), [("quote", "Quoted.")]),
        (
            ("I: Start",),
            [
                ("heading", "I"),
                ("heading", "Start"),
                ("paragraph", "A word, more."),
                ("verse", "Ode"),
                ("verse", "line a\nline b"),
            ],
        ),
        (("I: Start", "Inner"), [("heading", "Inner"), ("paragraph", "More."), ("paragraph", "End.")]),
    ]
    assert (book.title, book.author, book.language, book.metadata.date) == ("War", "Ann Lee", "en", "1900")
    assert [(n.label, n.text) for n in book.notes] == [("1", "The note.")]
    assert book.text[: book.notes[0].cited_at].endswith("A word,")
    assert left_out(book) == {"titlepage": 3, "notes": 1, "note_mark": 2, "ornament": 3}


def test_pages_put_together_in_one_file_are_all_read(read: Read) -> None:
    pages = "\n".join(
        f"<html><head><title>Page {n}</title></head><body><h1>{n}</h1><p>Text {n}</body></html>"
        for n in "ABC"
    )
    book = read("a.html", f"<!DOCTYPE html>\n{pages}")
    assert [block.text for block in book.blocks] == ["A", "Text A", "B", "Text B", "C", "Text C"]


DAMAGED = "its XML is damaged, or nested too deep: it was read as far as possible"


def fb2_of(text: str, head: str = '<?xml version="1.0" encoding="utf-8"?>') -> str:
    return f"{head}<FictionBook><body><section>{text}</section></body></FictionBook>"


@pytest.mark.parametrize(
    ("text", "text_read", "warning"),
    [
        pytest.param(
            fb2_of("<p>AT&T & Sons <1 &amp; x</p>"), "AT&T & Sons <1 & x", DAMAGED, id="stray signs"
        ),
        pytest.param(
            fb2_of("<p>One</p><p>Two").removesuffix("</section></body></FictionBook>"),
            "One\n\nTwo",
            DAMAGED,
            id="cut off",
        ),
        pytest.param(
            fb2_of(f"<p>One {'<emphasis>' * 300}two{'</emphasis>' * 300}</p>"), "One", DAMAGED, id="too deep"
        ),
        pytest.param(
            fb2_of("<p>One &two; end</p>", '<!DOCTYPE FictionBook [<!ENTITY two "2">]>'),
            "One end",
            "it declares &two; itself: not expanded, so its text is missing",
            id="an entity",
        ),
        pytest.param(
            f"<FictionBook><binary>{'A' * 10_100_000}</binary><body><p>One</p></body></FictionBook>",
            "One",
            None,
            id="a large picture",
        ),
        pytest.param(
            fb2_of("<p><![CDATA[AT&T <1]]></p>"), "AT&T <1", None, id="signs in a section of character data"
        ),
        pytest.param(
            fb2_of("<p><![CDATA[AT&T <1]]> & Sons</p>"),
            "AT&T <1 & Sons",
            DAMAGED,
            id="signs in a section of character data and after it",
        ),
    ],
)
def test_damaged_fictionbooks_are_read_with_a_warning(
    read: Read, text: str, text_read: str, warning: str | None
) -> None:
    book = read("a.fb2", text)
    assert book.text == text_read
    assert book.warnings == ((warning,) if warning else ())


@pytest.mark.parametrize(
    ("stated", "encoding"),
    [
        pytest.param("utf-8", "cp1251", id="wrong"),
        pytest.param("windows-1251", "cp1251", id="right"),
        pytest.param("utf-16", "utf-16", id="utf-16"),
    ],
)
def test_a_damaged_fictionbook_may_be_in_any_encoding(tmp_path: Path, stated: str, encoding: str) -> None:
    russian = "Соль земли и моря была белой, и рыбаки AT&T брали её каждый день. Они знали цену соли."
    path = tmp_path / "a.fb2"
    path.write_bytes(
        fb2_of(f"<p>{russian}</p>", f'<?xml version="1.0" encoding="{stated}"?>').encode(encoding)
    )
    book = extract(path)
    assert (book.text, book.warnings) == (russian, (DAMAGED,))


def test_titles_of_parts_and_pictures_of_a_fictionbook(read: Read) -> None:
    book = read(
        "a.fb2",
        """<FictionBook xmlns:l="l"><body><title><p>War</p></title><section>
        <p>A word<a l:href="#n1" type="note">1</a></p>
        <image title="A map"/><image alt="A hill" title="A map"/></section></body>
        <body><title><p>Appendix</p></title>
        <section><title><p>Sources</p></title><p>More.</p></section></body>
        <body name="notes"><section id="part"><title><p>To the first part</p></title>
        <section id="n1"><title><p>1</p></title><p>The note.</p></section></section></body></FictionBook>""",
    )
    assert [block.text for block in book.blocks] == [
        *("A word", "A map", "A hill", "Appendix", "Sources", "More.")
    ]
    assert [(note.label, note.text) for note in book.notes] == [("1", "The note.")]
    assert left_out(book) == {"titlepage": 1, "notes": 4, "note_mark": 2}


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.fb2"])
def test_a_file_without_words_is_refused(read: Read, name: str) -> None:
    empty = {
        "a.html": "<html><body><p/></body></html>",
        "a.md": "---\n",
        "a.fb2": "<FictionBook><body/></FictionBook>",
    }
    with pytest.raises(BookError) as caught:
        read(name, empty[name])
    assert caught.value.code is Code.NO_TEXT


def breaks(book: Book) -> list[str]:
    """Return the blocks after the author's breaks."""
    return [block.text for block in book.blocks if block.break_before]


BROKEN = {
    "html": ("a.html", "<html><body><h1>One</h1><p>a</p><hr><p>b</p></body></html>", ["b"]),
    "markdown": ("a.md", "# One\n\na\n\n---\n\nb\n\n***\n\nc\n", ["b", "c"]),
    "before a chapter": ("a.md", "# One\n\na\n\n---\n\n# Two\n\nb\n", []),
    "below a heading": ("a.md", "# One\n\n---\n\na\n", []),
    "asterisks in markdown": ("a.md", "# One\n\na\n\n\\* \\* \\*\n\nb\n", ["b"]),
    "a rare empty paragraph": (
        "a.html",
        f"<html><body>{'<p>a</p>' * 9}<p>&nbsp;</p><p>b</p></body></html>",
        ["b"],
    ),
    "empty paragraphs everywhere": (
        "a.html",
        f"<html><body>{'<p>a</p><p>&nbsp;</p>' * 9}<p>b</p></body></html>",
        [],
    ),
    "an empty paragraph around a quotation": (
        "a.html",
        f"<html><body>{'<p>a</p>' * 20}<p>&nbsp;</p><blockquote>b</blockquote><p>&nbsp;</p><p>c</p></body>"
        "</html>",
        [],
    ),
    "fictionbook": (
        "a.fb2",
        f"<FictionBook><body><section>{'<p>a</p>' * 9}<empty-line/><p>b</p>{'<p>a</p>' * 9}"
        "<subtitle>* * *</subtitle><p>c</p></section></body></FictionBook>",
        ["b", "c"],
    ),
    "empty lines everywhere in fictionbook": (
        "a.fb2",
        f"<FictionBook><body><section>{'<p>a</p><empty-line/>' * 9}</section></body></FictionBook>",
        [],
    ),
    "before a note": (
        "a.html",
        '<html><body><h1>One</h1><p>a<a role="doc-noteref" href="#n">1</a></p><hr>'
        '<aside role="doc-footnote" id="n">note</aside><p>b</p></body></html>',
        ["b"],
    ),
}


@pytest.mark.parametrize(("name", "text", "after"), BROKEN.values(), ids=BROKEN.keys())
def test_the_authors_breaks_are_found(read: Read, name: str, text: str, after: list[str]) -> None:
    assert breaks(read(name, text)) == after


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        pytest.param("1) x\n2) y", "1) x|2) y", id="brackets"),
        pytest.param("1. x\n2. y", "1. x|2. y", id="full stops"),
        pytest.param("3) x\n4) y", "3) x|4) y", id="later"),
        pytest.param("1) x\n\n    1. z\n\n2) y", "1) x|1. z|2) y", id="full stops within brackets"),
        pytest.param("1. x\n\n    1) z\n\n2. y", "1. x|1) z|2. y", id="brackets within full stops"),
        pytest.param("1. x\n1) y", "1. x|1) y", id="two lists"),
    ],
)
def test_the_numbers_of_markdown_end_as_they_are_typed(read: Read, typed: str, numbers: str) -> None:
    book = read("a.md", f"Text.\n\n{typed}\n")
    assert "|".join(block.text for block in book.blocks if block.kind == "list_item") == numbers


@pytest.mark.parametrize(
    ("description", "n_words"),
    [
        ("<title-info><annotation><p>About this book.</p><p>And more.</p></annotation></title-info>", 5),
        ("<title-info/><src-title-info><annotation><p>De ce livre.</p></annotation></src-title-info>", 3),
        ("<title-info><annotation/></title-info>", 0),
    ],
)
def test_the_annotation_of_a_fictionbook_is_left_out_by_name(
    read: Read, description: str, n_words: int
) -> None:
    text = fb2_of("<annotation><p>Of the chapter.</p></annotation><p>Text.</p>")
    book = read("a.fb2", text.replace("<body>", f"<description>{description}</description><body>", 1))
    assert book.text == "Of the chapter.\n\nText."
    assert [part for part in book.left_out if part.kind == "annotation"] == (
        [LeftOut("annotation", "a.fb2", n_words)] if n_words else []
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# 灯\n\n看守人\n点亮了灯。\n"),
        ("a.html", "<html><body><h1>灯</h1><p>看守人\n点亮了灯。</p></body></html>"),
        (
            "a.fb2",
            '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description/><body><section>'
            "<title><p>灯</p></title><p>看守人\n  点亮了灯。</p></section></body></FictionBook>",
        ),
    ],
)
def test_a_line_end_in_chinese_is_no_space(read: Read, name: str, text: str) -> None:
    assert read(name, text).text.endswith("\n看守人点亮了灯。")


WEBSITE = {
    "cookies": '<div class="cookie-banner" role="dialog">We use cookies.</div>',
    "consent": '<div id="gdpr-consent">Accept all.</div>',
    "script": "<noscript>Please enable JavaScript.</noscript>",
    "footer": "<footer><p>All rights reserved.</p></footer>",
    "footer by its class": '<div class="site-footer">Privacy policy</div>',
    "header with a menu": '<header><a href="/">My page</a><nav>Home</nav></header>',
    "newsletter": '<section class="newsletter-signup"><h2>Join us</h2><p>Weekly.</p></section>',
    "share": '<div class="social-share-buttons"><a href="#">Tweet</a></div>',
    "related": '<aside class="related-posts"><h2>More</h2></aside>',
    "button": "<p><button>Buy</button></p>",
    "long class": f'<div class="{"a_b-" * 30}cookie-bar">Accept.</div>',
}
TEXT = {
    "footer of a quotation": ("<blockquote>Lit.<footer>Ida Marlow</footer></blockquote>", "Ida Marlow"),
    "footer with notes": ('<footer><div class="footnotes">1. See it.</div></footer>', "See it."),
    "header of a chapter": ("<header><h2>Two</h2><p>On salt.</p></header>", "On salt."),
    "remark": ('<aside class="note">Beware.</aside>', "Beware."),
    "social history": ('<div class="social">Clubs.</div>', "Clubs."),
}
PROSE = (
    "<h1>One</h1><p>The keeper lit the lamp before the tide turned, and the boats came home in a line.</p>"
    * 2
)


@pytest.mark.parametrize("part", WEBSITE.values(), ids=WEBSITE)
def test_parts_of_a_website_are_left_out_and_counted(read: Read, part: str) -> None:
    book = read("a.html", f"<html><body><main>{PROSE}</main>{part}</body></html>")
    assert {block.text[:10] for block in book.blocks} == {"One", "The keeper"}
    assert sum(left_out(book).values()) > 0


@pytest.mark.parametrize(("part", "text"), TEXT.values(), ids=TEXT)
def test_parts_of_the_text_stay(read: Read, part: str, text: str) -> None:
    assert text in read("a.html", f"<html><body><main>{PROSE}{part}</main></body></html>").text


def test_a_page_in_a_box_of_a_website_is_text(read: Read) -> None:
    assert len(read("a.html", f'<html><body><div class="widget">{PROSE}</div></body></html>').blocks) == 4


STEPS = [
    '<a href="1">Previous Chapter</a> | <a href="0">Index</a> | <a href="3">Next Chapter</a>',
    '<a href="1">« Prev</a> <a href="3">Next »</a>',
    '<a href="1">上一章</a> <a href="0">目录</a> <a href="3">下一章</a>',
    '<a href="3">Nächstes Kapitel</a>',
]
NO_STEPS = ['<a href="3">Next</a> he lit the lamp.', '<a href="3">The next house</a>', "Next Chapter"]


@pytest.mark.parametrize("row", STEPS)
def test_links_to_the_next_page_are_left_out_and_counted(read: Read, row: str) -> None:
    book = read("a.html", f"<html><body>{PROSE}<p>{row}</p></body></html>")
    assert book.blocks[-1].text.startswith("The keeper")
    assert left_out(book)["contents"] > 0


@pytest.mark.parametrize("row", NO_STEPS)
def test_other_paragraphs_with_links_stay(read: Read, row: str) -> None:
    assert "ext" in read("a.html", f"<html><body>{PROSE}<p>{row}</p></body></html>").blocks[-1].text


def test_a_title_that_is_there_twice_is_kept_once(read: Read) -> None:
    book = read("a.html", "<h1>The Lamp</h1><h3>The lamp</h3><p>The lamp</p><p>It was lit.</p>")
    assert [block.text for block in book.blocks] == ["The Lamp", "The lamp", "It was lit."]
    assert left_out(book) == {"running_head": 2}
