"""How notes are recognised, also in markup that no book should have."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from alexandria.extract import extract
from alexandria.extract.markup.tree import Document, parse_xhtml, short_text_of, text_of
from alexandria.extract.notes.cited import count_label_words
from alexandria.extract.notes.in_markup import find_notes

OPS = "http://www.idpf.org/2007/ops"


class Counted(etree.ElementBase):
    """An element that counts how often one is asked for its parents or for what it holds."""

    asked = 0

    def getparent(self) -> etree._Element | None:
        Counted.asked += 1
        return super().getparent()

    def __iter__(self) -> Iterator[etree._Element]:  # type: ignore[override]  # fewer methods
        for element in super().__iter__():
            Counted.asked += 1
            yield element

    def iterancestors(self, *tags: str) -> Iterator[etree._Element]:  # type: ignore[override]  # fewer tags
        for element in super().iterancestors(*tags):
            Counted.asked += 1
            yield element

    def iterdescendants(self, *tags: str) -> Iterator[etree._Element]:  # type: ignore[override]  # fewer tags
        for element in super().iterdescendants(*tags):
            Counted.asked += 1
            yield element


def counted_body() -> etree._Element:
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Counted))
    return etree.fromstring("<body/>", parser)


def cite(body: etree._Element, id: str) -> None:
    """Add a paragraph that cites a note by a picture, so that the note has no label from its mark."""
    paragraph = etree.SubElement(body, "p")
    paragraph.text = "Word."
    etree.SubElement(paragraph, "a", {f"{{{OPS}}}type": "noteref", "href": f"#{id}"})


def asked_for(depth: int) -> int:
    """Return how many elements are asked for in a book of notes, each inside the one before."""
    root = innermost = counted_body()
    cite(root, "n0")
    for number in range(depth):
        innermost = etree.SubElement(innermost, "aside", {f"{{{OPS}}}type": "footnote", "id": f"n{number}"})
    innermost.text = "See the first edition."
    Counted.asked = 0
    found = find_notes([Document("notes.xhtml", root)])
    assert [note.elements for note in found.notes] == [(root[1],)]
    return Counted.asked


def test_notes_in_notes_twice_as_deep_are_twice_the_work() -> None:
    assert 0 < asked_for(400) <= 2.1 * asked_for(200)


def asked_for_a_list(length: int) -> int:
    """Return how many elements are asked for in a numbered list of notes whose marks are pictures."""
    root = counted_body()
    for number in range(length):
        cite(root, f"n{number}")
    items = etree.SubElement(root, "ol", {f"{{{OPS}}}type": "endnotes", "start": "3"})
    for number in range(length):
        etree.SubElement(items, "li", id=f"n{number}").text = "See the first edition."
    Counted.asked = 0
    found = find_notes([Document("notes.xhtml", root)])
    assert [note.label for note in found.notes] == [str(number) for number in range(3, 3 + length)]
    return Counted.asked


def test_a_list_of_notes_twice_as_long_is_twice_the_work() -> None:
    assert 0 < asked_for_a_list(400) <= 2.1 * asked_for_a_list(200)


def memory_for_marks(depth: int) -> int:
    """Return the bytes it takes to find notes whose marks are in divisions, each inside the one before."""
    divisions = "<div><p>Word.<sup>1</sup></p>" * depth + "</div>" * depth
    root, _ = parse_xhtml(
        f"<html><body>{divisions}{'<p><sup>1</sup> Note.</p>' * depth}</body></html>".encode()
    )
    assert root is not None
    tracemalloc.start()
    try:
        assert len(find_notes([Document("notes.xhtml", root)]).notes) == depth
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_marks_in_divisions_twice_as_deep_take_twice_the_memory() -> None:
    memory_for_marks(10)  # imports, and fills caches
    assert 0 < memory_for_marks(1000) <= 2.5 * memory_for_marks(500)


@pytest.mark.parametrize(("start", "first"), [("7", "7"), ("9" * 5000, "1"), ("vii", "1"), ("", "1")])
def test_a_list_of_notes_begins_where_it_says_if_that_is_a_number(start: str, first: str) -> None:
    root = counted_body()
    cite(root, "n1")
    notes = etree.SubElement(root, "ol", start=start)
    for id, text in (("n1", "See the first edition."), ("n2", "See the second.")):
        etree.SubElement(notes, "li", {f"{{{OPS}}}type": "footnote", "id": id}).text = text
    found = find_notes([Document("notes.xhtml", root)])
    assert [note.label for note in found.notes][:1] == [first]


def test_the_words_of_a_label_are_counted_wherever_it_was() -> None:
    cases = [
        ("12. See there.", "See there.", 1),
        ("[Footnote 12: See there.]", "See there.", 2),
        ("[Footnote : He said [sic] so.]", "[He said [sic] so.]", 1),
        ("[] See there. )", "See there.", 0),
        ("12", "", 1),
    ]
    for printed, text, n_words in cases:
        assert count_label_words(printed, text) == n_words


def test_a_line_of_a_note_that_begins_with_an_ellipsis_is_no_quoted_term(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    definition = "<p>He wrote:</p><p>... and the sea rose</p><p>as told.</p>"
    path.write_text(
        '<html><h1>A</h1><p>Word<sup><a href="#n1" id="r1">1</a></sup>.</p>'
        f'<dl><dt id="n1"><a href="#r1">1</a></dt><dd>{definition}</dd></dl>'
    )
    book = extract(path)
    assert [note.text for note in book.notes] == ["He wrote:\n... and the sea rose\nas told."]
    assert sum(left_out.words for left_out in book.left_out) == 2  # the mark and the link back


def notes_of(body: str) -> list[str]:
    """Return the texts of the notes in a body whose first paragraph cites `#n1` and `#n2`."""
    marks = "".join(f'<sup><a href="#n{i}">{i}</a></sup>' for i in (1, 2))
    page = f'<html xmlns:epub="{OPS}"><body><p>Word.{marks}</p>{body}</body></html>'
    root, _ = parse_xhtml(page.encode())
    assert root is not None
    return [" ".join(map(text_of, note.elements)) for note in find_notes([Document("a.xhtml", root)]).notes]


def test_a_note_is_all_of_what_holds_the_paragraph_cited() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "list item": ('<ol><li><p id="n1">A.</p><p>B.</p></li></ol>', ["A.B."]),
        "aside": ('<aside><p id="n1">A.</p><p>B.</p></aside>', ["A.B."]),
        "definition": ('<dl><dd><p id="n1">A.</p><p>B.</p></dd></dl>', ["A.B."]),
        "its type": ('<div epub:type="note"><p id="n1">A.</p><p>B.</p></div>', ["A.B."]),
        "one of two": ('<aside><p id="n1">A.</p><p id="n2">B.</p></aside>', ["A.", "B."]),
        "cited as well": ('<aside id="n2"><p id="n1">A.</p><p>B.</p></aside>', ["A.B."]),
        "no holder": ('<blockquote><p id="n1">A.</p><p>B.</p></blockquote>', ["A."]),
    }
    for body, notes in cases.values():
        assert notes_of(body) == notes


def test_what_is_a_note() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "one paragraph": ('<section id="n1"><p>A.</p></section>', ["A."]),
        "two paragraphs": ('<section id="n1"><p>A.</p><p>B.</p></section>', []),
        "of a note's type": ('<section id="n1" epub:type="note"><p>A.</p><p>B.</p></section>', ["A.B."]),
        "a division": ('<div id="n1"><p>A.</p><p>B.</p></div>', ["A.B."]),
        "cited elsewhere too": ('<p id="n1">A.<sup><a href="#n1">1</a></sup></p>', ["A.1"]),
        "cites itself alone": ('<p id="n3">A.<sup><a href="#n3">1</a></sup></p>', []),
        "it cites more": (
            '<div id="n1"><p>A.<sup><a href="#n2">2</a></sup> B.<sup><a href="#n2">2</a></sup></p></div>'
            '<p id="n2">2. C.</p>',
            ["2. C."],
        ),
        "it cites more, but begins with its label": (
            '<div id="n1"><p>1. A.<sup><a href="#n2">2</a></sup> B.<sup><a href="#n2">2</a></sup></p></div>'
            '<p id="n2">2. C.</p>',
            ["1. A.2 B.2", "2. C."],
        ),
        "it cites more, but is among notes": (
            '<section epub:type="endnotes"><div id="n1"><p>A.<sup><a href="#n2">2</a></sup> '
            'B.<sup><a href="#n2">2</a></sup></p></div><div id="n2"><p>C.</p></div></section>',
            ["A.2 B.2", "C."],
        ),
        "a remark that nothing cites": ('<aside epub:type="note"><p>A.</p></aside>', []),
        "a note that nothing cites": ('<aside epub:type="footnote"><p>A.</p></aside>', []),
    }
    for body, notes in cases.values():
        assert notes_of(body) == notes


SHAPES = {
    "several paragraphs, a list and a quotation": (
        '<p>One.<sup><a id="r1" href="#n1">1</a></sup></p>'
        '<ol><li id="n1"><p>A.</p><p>B.</p><ul><li>C</li></ul>'
        '<blockquote><p>D.</p></blockquote><p>E. <a href="#r1">↩</a></p></li></ol>',
        "One.",
        ["A.\nB.\nC\nD.\nE."],
    ),
    "Word, a paragraph of another style": (
        '<p>One.<a href="#_ftn1" name="_ftnref1">[1]</a></p><div style="mso-element:footnote-list">'
        '<div style="mso-element:footnote" id="ftn1"><p class="MsoFootnoteText"><a href="#_ftnref1" '
        'name="_ftn1">[1]</a> A.</p><p class="MsoFootnoteText">B.</p><p class="MsoQuote">C.</p></div></div>',
        "One.",
        ["A.\nB.\nC."],
    ),
    "Google Docs, a second paragraph": (
        '<p>One.<sup><a href="#n1" id="r1">[1]</a></sup> Two.<sup><a href="#n2" id="r2">[2]</a></sup></p>'
        '<div><p><a href="#r1" id="n1">[1]</a> A.</p><p>B.</p></div>'
        '<div><p><a href="#r2" id="n2">[2]</a> C.</p></div>',
        "One. Two.",
        ["A.\nB.", "C."],
    ),
    "a paragraph between two notes": (
        '<p>One.<sup><a id="r1" href="#n1">1</a></sup> Two.<sup><a id="r2" href="#n2">2</a></sup></p>'
        '<p id="n1"><a href="#r1">1</a> A.</p><p>B.</p><p id="n2"><a href="#r2">2</a> C.</p>',
        "One. Two.",
        ["A.\nB.", "C."],
    ),
    "text between two notes": (
        '<p>One.<sup><a id="r1" href="#n1">1</a></sup></p><p id="n1"><a href="#r1">1</a> A.</p><p>Two.</p>'
        '<p>Three.<sup><a id="r2" href="#n2">2</a></sup></p><p id="n2"><a href="#r2">2</a> B.</p>',
        "One.\n\nTwo.\n\nThree.",
        ["A.", "B."],
    ),
    "two marks and a comma": (
        '<p>One.<sup><a id="r1" href="#n1">1</a>, <a id="r2" href="#n2">2</a></sup> Two.</p>'
        '<p id="n1"><a href="#r1">1</a> A.</p><p id="n2"><a href="#r2">2</a> B.</p>',
        "One. Two.",
        ["A.", "B."],
    ),
    "a link around a word and its mark": (
        '<p>The <a id="r1" href="#n1">village<sup>1</sup></a> moved.</p>'
        '<p id="n1"><a href="#r1">1</a> A.</p>',
        "The village moved.",
        ["A."],
    ),
    "a note that is named like its label": (
        '<p>One.<sup><a id="r1" href="#n1">1</a></sup></p><p id="n1"><a href="#r1">1</a> Note 1.</p>',
        "One.",
        ["Note 1."],
    ),
}


def test_a_note_ends_where_its_last_paragraph_does(tmp_path: Path) -> None:
    for body, text, notes in SHAPES.values():
        path = tmp_path / "a.html"
        path.write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
        book = extract(path)
        assert book.text == text
        assert [note.text for note in book.notes] == notes


def test_a_long_text_is_not_read_to_its_end_to_see_that_it_is_no_mark() -> None:
    inner = "".join(f'<a href="#n{i}">{i}</a>' for i in range(400))
    body = parse_xhtml(
        f"<html><body><p id='n1'>{'<b><i>' * 60}{inner}{'x ' * 5000}</p></body></html>".encode()
    )
    assert body[0] is not None
    long = next(e for e in body[0].iter() if e.tag == "i")
    assert short_text_of(long, 80) is None
    assert short_text_of(next(body[0].iter("a")), 80) == "0"


def test_markup_with_characters_that_xml_forbids_is_made_regular(tmp_path: Path) -> None:
    path = tmp_path / "book.html"
    path.write_text(
        '<html><body><p>Text <a href="#n&#1;9">word<sup>9</sup></a> <a id="r1" href="#n1">1</a> goes'
        ' <a id="r2" href="#n2">2</a> on.</p><p class="a&#3;b"><a id="n1" href="#r1">1</a>. See the first.'
        '<br/><a id="n2" href="#r2">2</a>. See the second.</p>&#4;</body></html>',
        encoding="utf-8",
    )
    book = extract(path)
    assert book.text == "Text word9 goes on."
    assert [note.text for note in book.notes] == ["See the first.", "See the second."]


def test_a_note_with_the_label_of_another_belongs_to_its_own_word(tmp_path: Path) -> None:
    cases = {
        "a footnote beside an endnote": (
            "<p>End<sup>1</sup>.</p><p>Foot<sup>1</sup>.</p><p><sup>1</sup> Foot note.</p><p>More.</p>"
            "<h2>Notes</h2><p><sup>1</sup> End note.</p>"
        ),
        "below another note": (
            "<p>End<sup>1</sup>.</p><p>Foot<sup>1</sup>, also<sup>*</sup>.</p><p><sup>*</sup> Also note.</p>"
            "<p><sup>1</sup> Foot note.</p><p>More.</p><h2>Notes</h2><p><sup>1</sup> End note.</p>"
        ),
        "the notes of two chapters": (
            "<p>One<sup>1</sup>.</p><p>Two<sup>1</sup>.</p><p><sup>1</sup> One note.</p>"
            "<p><sup>1</sup> Two note.</p>"
        ),
    }
    for body in cases.values():
        path = tmp_path / "a.html"
        path.write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
        book = extract(path)
        assert len(book.notes) == body.count(" note.")
        for note in book.notes:
            assert book.text[: note.cited_at].lower().endswith(note.text.split()[0].lower())


def test_a_raised_comma_between_two_marks_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "book.html"
    path.write_text(
        '<html><body><p>The mill<sup><a href="#n1">1</a></sup><sup>,</sup><sup><a href="#n2">2</a></sup>'
        ' stood.</p><ol><li id="n1">See the gate.</li><li id="n2">See the weir.</li></ol></body></html>',
        encoding="utf-8",
    )
    book = extract(path)
    assert book.text == "The mill stood."
    assert [note.text for note in book.notes] == ["See the gate.", "See the weir."]


def test_an_inline_note_of_markdown_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "book.md"
    path.write_text("The mill^[See *the* gate.] stood[^a] there.\n\n[^a]: See the weir.\n", encoding="utf-8")
    book = extract(path)
    assert book.text == "The mill stood there."
    assert {(note.label, note.text, note.cited_at) for note in book.notes} == {
        ("1", "See the gate.", 8),
        ("a", "See the weir.", 14),
    }


def test_a_note_that_begins_like_its_label_keeps_its_first_word(tmp_path: Path) -> None:
    cases = {
        "article": ("[A]", "A fire, by all accounts."),
        "pronoun": ("[I]", "I have not seen it."),
        "number": ("1", "1 copy is in Vienna."),
        "three dots": ("*", "... and the year after."),
    }
    for label, note in cases.values():
        file = tmp_path / "a.html"
        file.write_text(
            f'<html><body><p>The mill burned down<a id="r" href="#n"><sup>{label}</sup></a> in May.</p>'
            f'<p id="n"><a href="#r">{label}</a> {note}</p></body></html>'
        )
        assert [n.text for n in extract(file).notes] == [note]
