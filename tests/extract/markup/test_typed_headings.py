"""Headings typed as bold or centred paragraphs, in markup that has none."""

from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.extract import extract
from tests.extract.office import p, run, write_docx, write_odt
from tests.pairs import by_pairs

PROSE = (
    "<p>The harbour was quiet before the first boats came in with the tide and the gulls, and nobody spoke "
    "of the wreck, although the timber still lay along the shingle for a mile.</p>"
)


STYLES = "<style>p.x27 { text-align: center; margin: 0 } /* p { } */ .x9{font-size:1.4em}</style>"


def read(tmp_path: Path, body: str) -> Book:
    path = tmp_path / "a.html"
    path.write_text(
        f"<html><head><title>The Lamp</title>{STYLES}</head><body>{body}</body></html>", encoding="utf-8"
    )
    return extract(path)


def outline(book: Book) -> list[tuple[int, str]]:
    return [(section.level, section.headings[-1]) for section in book.sections if section.headings]


FORMS = {
    "bold": "<p><b>{}</b></p>",
    "strong": "<p><span><strong>{}</strong></span></p>",
    "centred": '<p align="center">{}</p>',
    "by-style": '<p style="text-align: center">{}</p>',
    "by-weight": '<div style="font-weight: 700">{}</div>',
    "by-class": '<p class="center">{}</p>',
    "by-element": "<center><p>{}</p></center>",
    "by-element itself": "<center><b>{}</b></center>",
    "by-style-sheet": '<p class="x27">{}</p>',
    "by-style-sheet of spans": '<p><span class="x9">{}</span></p>',
    "large": '<p style="font-size: 18pt">{}</p>',
    "large-font": '<p><font size="5">{}</font></p>',
}


TITLES = {
    "words": ["Chapter One", "Chapter Two"],
    "titles": ["Chapter 1: The Mill", "Chapter 2: The Sea", "Epilogue"],
    "chinese": ["第一章 港口", "第二章 风暴", "后记"],
    "roman": ["I", "II", "III"],
    "numbers": ["1.", "2.", "3."],
    "no words": ["The Mill", "The Sea", "The Bell"],
}


@by_pairs(("form", FORMS), ("titles", TITLES))
def test_paragraphs_set_off_are_headings(tmp_path: Path, form: str, titles: list[str]) -> None:
    book = read(tmp_path, "".join(form.format(title) + PROSE * 3 for title in titles))
    assert outline(book) == [(1, title) for title in titles]


def test_a_keyword_and_a_number_alone_need_no_type(tmp_path: Path) -> None:
    book = read(tmp_path, f"<p>Chapter 1</p>{PROSE}<p>CHAPTER 2. THE SEA</p>{PROSE}<p>Epilogue</p>{PROSE}")
    assert outline(book) == [(1, "Chapter 1"), (1, "CHAPTER 2. THE SEA"), (1, "Epilogue")]


def test_numbers_alone_need_no_type(tmp_path: Path) -> None:
    cases = [["1", "2", "3"], ["* I *", "* II *", "* III *"], ["One", "Two", "Three"]]
    for titles in cases:
        assert outline(read(tmp_path, "".join(f"<p>{t}</p>{PROSE * 2}" for t in titles))) == [
            (1, t) for t in titles
        ]


def test_titles_in_capitals_need_no_type(tmp_path: Path) -> None:
    titles = ["THE MILL", "THE SEA", "THE BELL"]
    assert outline(read(tmp_path, "".join(f"<p>{t}</p>{PROSE * 3}" for t in titles))) == [
        (1, t) for t in titles
    ]


def test_a_plain_title_below_each_number_belongs_to_it(tmp_path: Path) -> None:
    body = "".join(f"<p>Chapter {n}</p><p>The mill {n}</p>{PROSE * 2}" for n in (1, 2, 3))
    assert outline(read(tmp_path, body)) == [(1, f"Chapter {n}: The mill {n}") for n in (1, 2, 3)]


def test_a_title_below_its_number_belongs_to_it(tmp_path: Path) -> None:
    book = read(tmp_path, "".join(f"<p><b>Chapter {n}</b></p><p><b>The {n}</b></p>{PROSE}" for n in (1, 2)))
    assert outline(book) == [(1, "Chapter 1: The 1"), (1, "Chapter 2: The 2")]


def test_text_outside_paragraphs_is_text_between_headings(tmp_path: Path) -> None:
    prose = PROSE.removeprefix("<p>").removesuffix("</p>")
    chapter = "<CENTER><B><BIG>CHAPTER {}</BIG></B></CENTER><BR><BR>\n{}<BR><BR>\n{}<BR><BR>\n"
    book = read(tmp_path, "".join(chapter.format(n, prose, prose) for n in ("I", "II", "III", "IV")))
    assert outline(book) == [(1, f"CHAPTER {n}") for n in ("I", "II", "III", "IV")]
    assert [block.text for block in book.blocks if block.kind == "paragraph"] == [prose] * 8


def test_parts_hold_chapters(tmp_path: Path) -> None:
    chapter = f"<p><b>Chapter 1</b></p>{PROSE}<p><b>Chapter 2</b></p>{PROSE}"
    book = read(tmp_path, f"<p><b>Part One</b></p>{PROSE}{chapter}<p><b>Part Two</b></p>{PROSE}{chapter}")
    assert [level for level, _ in outline(book)] == [1, 2, 2, 1, 2, 2]


def test_other_paragraphs_are_no_headings(tmp_path: Path) -> None:
    cases = {
        "sentences": f"<p>Chapter 3 shows how.</p>{PROSE}<p>Chapter 4 too.</p>{PROSE}",
        "a list of them": "".join(f"<p>Chapter {n}</p>" for n in range(1, 6)) + PROSE,
        "emphasis": f"<p><b>No!</b></p>{PROSE}<p>He left.</p>{PROSE}",
        "years": f"<p><b>1914</b></p>{PROSE}<p><b>1915</b></p>{PROSE}",
        "list": f"<ul><li><b>Chapter 1</b></li></ul>{PROSE}<ul><li><b>Chapter 2</b></li></ul>",
        "bold sentences": f"<p><b>He wrote:</b></p>{PROSE}<p><b>So it was.</b></p>{PROSE * 9}",
        "a single one": f"<p>Chapter 1</p>{PROSE * 3}",
        "usual size": f"<p style='font-size: 11pt'>Salt</p>{PROSE}" * 4,
        "captions": f"<p><b>Figure 1. The quay</b></p>{PROSE * 3}" * 4,
        "shouts": f"<p>NO!</p>{PROSE * 3}" * 4,
        "a repeated line": f"{PROSE * 3}<p><b>Answer: b</b></p>" * 5 + PROSE,
        "centred verse": "<p align='center'>Rose</p><p align='center'>Thou art sick</p>" * 9,
    }
    for body in cases.values():
        assert outline(read(tmp_path, body)) == []


def test_where_markup_has_headings_typed_ones_are_text(tmp_path: Path) -> None:
    body = "".join(f"<h2>{title}</h2><p><b>Chapter 1</b></p>{PROSE}" for title in ("One", "Two"))
    assert outline(read(tmp_path, body)) == [(1, "One"), (1, "Two")]


@pytest.mark.parametrize("how", ["centred", "bold", "bold by its style"])
def test_a_manuscript_of_word_is_divided_by_its_typed_headings(tmp_path: Path, how: str) -> None:
    def heading(text: str) -> str:
        if how == "centred":
            return p(text, properties='<w:jc w:val="center"/>')
        return p(run(text, "<w:b/>")) if how == "bold" else p(text, "Fett")

    styles = (
        '<w:styles><w:style w:styleId="Fett"><w:name w:val="Fett"/><w:rPr><w:b/></w:rPr></w:style></w:styles>'
    )
    body = "".join(
        heading(text) + p("It was late. " * 20) for text in ("Chapter One", "Chapter Two", "Epilogue")
    )
    book = extract(write_docx(tmp_path / "a.docx", body, styles=styles))
    assert outline(book) == [(1, "Chapter One"), (1, "Chapter Two"), (1, "Epilogue")]


ODT_STYLES = {
    "centred": ("paragraph", '<style:paragraph-properties fo:text-align="center"/>'),
    "bold": ("paragraph", '<style:text-properties fo:font-weight="bold"/>'),
    "bold spans": ("text", '<style:text-properties fo:font-weight="bold"/>'),
}


@pytest.mark.parametrize(("family", "properties"), ODT_STYLES.values(), ids=ODT_STYLES.keys())
def test_an_opendocument_text_is_divided_by_its_typed_headings(
    tmp_path: Path, family: str, properties: str
) -> None:
    style = f'<style:style style:family="{family}" style:name="X">{properties}</style:style>'
    heading = '<text:p text:style-name="X">{}</text:p>'
    if family == "text":
        heading = '<text:p><text:span text:style-name="X">{}</text:span></text:p>'
    prose = f"<text:p>{'It was late. ' * 20}</text:p>"
    body = "".join(heading.format(text) + prose for text in ("Chapter One", "Chapter Two"))
    book = extract(write_odt(tmp_path / "a.odt", body, style))
    assert outline(book) == [(1, "Chapter One"), (1, "Chapter Two")]


def test_style_sheets_are_read_rule_by_rule(tmp_path: Path) -> None:
    cases: dict[str, str] = {
        "media": "p.x27 { margin: 0 } @media screen { p.x28 { text-align: center } }",
        "import": "@import url(a.css); p, p.x28{text-align:center;color:red}",
        "a font of megabytes": (
            f"@font-face{{src:url(data:font;base64,{'A' * 3_000_000})}} p.x28 {{text-align: center}}"
        ),
    }
    for sheet in cases.values():
        path = tmp_path / "a.html"
        body = "".join(
            f'<p class="x28">{title}</p>{PROSE * 3}' for title in ("The Mill", "The Sea", "The Bell")
        )
        path.write_text(
            f"<html><head><style>{sheet}</style></head><body>{body}</body></html>", encoding="utf-8"
        )
        assert [title for _, title in outline(extract(path))] == ["The Mill", "The Sea", "The Bell"]
