"""Whatever the markup of notes: each is tied to the word that cites it, and no text is lost."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.extract import extract
from tests.extract.markup.idioms import (
    INLINE,
    LINKED_BACK_ONLY,
    LINKED_BOTH_WAYS,
    LINKED_ONE_WAY,
    NOT_LINKED,
    OPS,
    Idiom,
)
from tests.extract.markup.more_idioms import PROGRAMS
from tools.account import balance
from tools.dumps import dump

GROUPS = {
    "both ways": LINKED_BOTH_WAYS,
    "one way": LINKED_ONE_WAY,
    "back only": LINKED_BACK_ONLY,
    "not linked": NOT_LINKED,
    "inline": INLINE,
    "more": PROGRAMS,
}
CHAPTERS = (
    (
        "In the year of the flood the whole village@ moved to the hill, and nobody spoke of it.",
        "The miller alone stayed below with his cats.@",
        "When the water@ had gone, the bridge@ was found in a field, a mile from the river.",
    ),
    ("The new village was built of the old one@ in two summers.", "Its first baker was a soldier.@"),
)
"""Paragraphs, with an `@` where a note is cited."""
NOTES = (
    "The chronicle names the eleventh of May.",
    "Seven, by the parish register.",
    "It stood for nine weeks.",
    "Only the middle arch.",
    "Bricks and all; see the second letter.",
    "He had lost an ear at sea.",
)


def paragraphs(idiom: Idiom, chapter: int, first: int, files: dict[str, str]) -> str:
    """Return the markup of a chapter's paragraphs, whose first note is the book's note `first`."""
    i = first
    markup = []
    for paragraph in CHAPTERS[chapter]:
        pieces = paragraph.split("@")
        text = pieces[0]
        for piece in pieces[1:]:
            text += idiom.cite.format(i=i, mark=mark(idiom, i, files), note=NOTES[i], **named(files)) + piece
            i += 1
        markup.append(f"<p>{text}</p>")
    return "".join(markup)


def mark(idiom: Idiom, i: int, files: dict[str, str]) -> str:
    return idiom.marks[i - (4 if i > 3 and files.get("anew") else 0)]


def named(files: dict[str, str]) -> dict[str, str]:
    return {"notes": files.get("notes", ""), "text": files.get("text", "")}


def notes(idiom: Idiom, numbers: Sequence[int], files: dict[str, str]) -> str:
    each = (
        idiom.note.format(i=i, mark=mark(idiom, i, files), note=NOTES[i], **named(files)) for i in numbers
    )
    return idiom.around.format(all="".join(each))


def page(body: str) -> str:
    start = f'<html xmlns="http://www.w3.org/1999/xhtml" {OPS} lang="en"><head><title>T</title></head>'
    return f"{start}<body>{body}</body></html>"


def in_one_file(idiom: Idiom) -> str:
    chapters = "".join(f"<h1>{c}</h1>{paragraphs(idiom, c, 4 * c, {})}" for c in (0, 1))
    return page(chapters + notes(idiom, range(6), {}))


def as_markdown(idiom: Idiom) -> str:
    """Return Markdown in which the marks and the notes are HTML."""
    chapters = (f"# {c}\n\n{paragraphs(idiom, c, 4 * c, {})}" for c in (0, 1))
    text = "\n\n".join(chapters).replace("<p>", "").replace("</p>", "\n\n")
    return f"{text}\n\n{notes(idiom, range(6), {})}\n"


def after_each_chapter(idiom: Idiom) -> str:
    """Return a page in which the numbers begin anew in the second chapter."""
    anew = {"anew": "yes"}
    return page(
        "".join(
            f"<h1>{c}</h1>{paragraphs(idiom, c, 4 * c, anew)}{notes(idiom, numbers, anew)}"
            for c, numbers in ((0, range(4)), (1, range(4, 6)))
        )
    )


def write_epub(path: Path, pages: dict[str, str]) -> None:
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
            '<rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>",
        )
        archive.writestr(
            "p.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for name, markup in pages.items():
            archive.writestr(name, markup)


def assert_all_tied(path: Path, idiom: Idiom, *, restarts: bool = False) -> None:
    book = extract(path)
    text = "\n\n".join(f"{c}\n\n" + "\n\n".join(CHAPTERS[c]) for c in (0, 1))
    assert book.text == text.replace("@", "")
    pieces = text.split("@")[:-1]
    places = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    assert [note.text for note in book.notes] == list(NOTES)
    assert [note.cited_at for note in book.notes] == places
    if idiom.label:
        marks = [idiom.marks[n - (4 if n > 3 and restarts else 0)] for n in range(6)]
        assert [note.label for note in book.notes] == marks
    assert not book.warnings
    if path.suffix == ".md":
        return  # the plain reader of Markdown leaves remains of tags
    account = balance(dump(path, book.format), book)
    assert account.n_unexplained == 0, (account.nowhere, account.added, account.left_out)


def html(folder: Path, idiom: Idiom) -> Path:
    path = folder / "a.html"
    path.write_text(in_one_file(idiom))
    return path


def epub(folder: Path, idiom: Idiom) -> Path:
    write_epub(folder / "a.epub", {"a.xhtml": in_one_file(idiom)})
    return folder / "a.epub"


def markdown(folder: Path, idiom: Idiom) -> Path:
    path = folder / "a.md"
    path.write_text(as_markdown(idiom))
    return path


def chapters(folder: Path, idiom: Idiom) -> Path:
    """Write the notes after each chapter."""
    path = folder / "chapters.html"
    path.write_text(after_each_chapter(idiom))
    return path


def two_files(folder: Path, idiom: Idiom) -> Path:
    """Write the notes in a file of their own."""
    pages = {
        f"c{c}.xhtml": page(f"<h1>{c}</h1>{paragraphs(idiom, c, 4 * c, {'notes': 'n.xhtml'})}")
        for c in (0, 1)
    }
    each = [
        notes(idiom, numbers, {"text": f"c{c}.xhtml"}) for c, numbers in ((0, range(4)), (1, range(4, 6)))
    ]
    write_epub(folder / "two.epub", pages | {"n.xhtml": page("".join(each))})
    return folder / "two.epub"


Layout = Callable[[Path, Idiom], Path]


def pairs() -> Iterator[tuple[str, Idiom, Layout]]:
    """Yield each idiom with a layout besides HTML, by turns, so that each group meets each layout."""
    for group, idioms in GROUPS.items():
        turns: list[Layout] = [epub, chapters, markdown, two_files]
        for name, idiom in [*idioms.items(), *list(idioms.items())[: max(0, 4 - len(idioms))]]:
            linked = "{text}" in idiom.note or "{notes}" in idiom.cite
            layout = next(layout for layout in turns if linked or layout is not two_files)
            turns = [each for each in turns if each is not layout] + [layout]
            yield f"{group}: {name}, {layout.__name__}", idiom, layout


@pytest.mark.parametrize(("idiom", "layout"), [pytest.param(*pair, id=name) for name, *pair in pairs()])
def test_notes_in_html_and_in_another_layout(tmp_path: Path, idiom: Idiom, layout: Layout) -> None:
    assert_all_tied(html(tmp_path, idiom), idiom)
    assert_all_tied(layout(tmp_path, idiom), idiom, restarts=layout is chapters)


TYPED = {
    "carets": Idiom("[^{mark}]", "[^{mark}]: {note}\n\n"),
    "in brackets, under a heading": Idiom("[{mark}]", "[{mark}] {note}\n\n", "## Endnotes\n\n{all}"),
    "escaped brackets": Idiom("\\[{mark}\\]", "\\[{mark}\\] {note}\n\n", "---\n\n{all}"),
    "bold": Idiom("**[{mark}]**", "**[{mark}]** {note}\n\n", "---\n\n{all}"),
    "[Footnote 1: ]": Idiom("[{mark}]", "[Footnote {mark}: {note}]\n\n"),
    "pandoc's superscript": Idiom("^{mark}^", "^{mark}^ {note}\n\n", "# Notes\n\n{all}"),
    "signs": Idiom("{mark}", "{mark} {note}\n\n", marks=("\\*", "†", "‡", "\\*\\*", "††", "‡‡")),
    "asterisks": Idiom("{mark}", "{mark} {note}\n\n", marks=("\\*", "\\*\\*", "\\*\\*\\*", "†", "††", "†††")),
    "superscript digits": Idiom("{mark}", "{mark} {note}\n\n", "* * *\n\n{all}", marks="¹²³⁴⁵⁶"),
}
"""Idioms of Markdown itself."""


@pytest.mark.parametrize("idiom", TYPED.values(), ids=TYPED.keys())
def test_notes_typed_in_markdown(tmp_path: Path, idiom: Idiom) -> None:
    path = markdown(tmp_path, idiom)
    assert_all_tied(path, replace(idiom, marks=[mark.replace("\\", "") for mark in idiom.marks]))


def test_signs_begin_again_on_each_page_of_a_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "The mill* burned down in the autumn.\n\n* By the parish register.\n\n"
        "Its owner moved to the coast,* where he kept bees.\n\n* The air was better there.\n"
    )
    book = extract(path)
    assert book.text == (
        "The mill burned down in the autumn.\n\nIts owner moved to the coast, where he kept bees."
    )
    assert [(note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes] == [
        ("By the parish register.", "mill"),
        ("The air was better there.", "coast,"),
    ]


KEYED = (
    '<h1>One</h1><p>The mill <a id="a1"></a>burned down, and its owner<a id="a2"></a> moved.</p>'
    '<p>His <a id="a3"/>letters are lost.</p>'
)


def test_notes_that_begin_with_words_of_the_text_are_tied_to_their_anchors(tmp_path: Path) -> None:
    notes = "".join(
        f'<p><a href="a.xhtml#a{i}"><i>{words}</i></a>: {NOTES[i]}</p>'
        for i, words in ((1, "burned down"), (2, "its owner"), (3, "letters"))
    )
    path = tmp_path / "a.epub"
    write_epub(path, {"a.xhtml": page(KEYED), "n.xhtml": page(f"<h2>Notes</h2>{notes}")})
    book = extract(path)
    assert book.text == "One\n\nThe mill burned down, and its owner moved.\n\nHis letters are lost."
    assert [(note.text, book.text[: note.cited_at].split()[-1]) for note in book.notes] == [
        (f"burned down: {NOTES[1]}", "mill"),
        (f"its owner: {NOTES[2]}", "owner"),
        (f"letters: {NOTES[3]}", "His"),
    ]
    assert balance(dump(path, book.format), book).n_unexplained == 0


TEXT = {
    "chapter numbers that link to the contents and back": (
        '<p><a id="t1" href="#c1">1</a> Salt</p><p><a id="t2" href="#c2">2</a> Glass</p>'
        '<p><a id="c1" href="#t1">1</a></p><p>Text.</p><p><a id="c2" href="#t2">2</a></p><p>More.</p>'
    ),
    "exponents": "<p>The law is x<sup>2</sup> and y<sup>3</sup>.</p><p><sup>4</sup> He is helium.</p>",
    "an exponent and a note that is not its own": (
        "<p>The area is r<sup>2</sup>.</p><p>The volume is r<sup>2</sup>h.</p>"
        '<p class="footnote">2. Text.</p>'
    ),
    "a link to an earlier paragraph": '<p id="p">Text.</p><p>As said <a href="#p">[1]</a> above.</p>',
    "a paragraph that cites more than it is cited": (
        '<p>See <a href="#p">[7]</a>.</p><p id="p">One.<sup><a href="#n1">1</a></sup> '
        'Two.<sup><a href="#n2">2</a></sup></p><h2 id="n1">Salt</h2><h2 id="n2">Glass</h2>'
    ),
    "a warning of a manual": '<p>Text.</p><div class="note"><p>1. Mind the step.</p></div>',
    "references": "<p>As [1] and [2] and [1] say.</p><p>[1] Salt.</p><p>[2] Glass.</p>",
    "a mark to a part of the book": (
        '<p>See<sup><a href="#s">1</a></sup>.</p><div id="s"><h2>Salt</h2><p>Text.</p></div>'
    ),
    "an index of places": (
        '<p>The <a id="x1"></a>mill.</p><p>The <a id="x2"></a>bridge.</p><h2>Index</h2>'
        '<p><a href="#x1">Mill</a>, the old</p><p><a href="#x2">Bridge</a>, the</p>'
    ),
    "notes that begin with links to headings": (
        '<h2 id="x1">Salt</h2><p>Text.</p><h2 id="x2">Glass</h2><p>More.</p><h2>Notes</h2>'
        '<p><a href="#x1">Salt</a> was written first.</p><p><a href="#x2">Glass</a> came later.</p>'
    ),
    "asterisks that emphasise": "<p>This is *new*.</p><p>* Salt</p>",
    "typed bullets": "<p>We need* this:</p><p>* Salt</p><p>* Glass</p>",
    "a button that opens the contents": (
        '<p>Text <button popovertarget="c">Contents</button></p><div popover="auto" id="c">Salt</div>'
    ),
    "letters of an index": (
        '<p><a href="#a" id="top">A</a> <a href="#b">B</a></p>'
        '<p id="a">Ash <a href="#top">↑</a></p><p id="b">Bay</p>'
    ),
}


@pytest.mark.parametrize("body", TEXT.values(), ids=TEXT)
def test_what_is_not_a_note_stays_in_the_text(tmp_path: Path, body: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(page(body))
    book = extract(path)
    assert not book.notes
    assert balance(dump(path, "html"), book).n_unexplained == 0
