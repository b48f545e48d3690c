"""What is laid over the pages of PDFs: the fields of forms, typed remarks, and comments."""

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.annotations import FreeText, Highlight, Link, Popup, Text
from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, FloatObject, NameObject, StreamObject
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import Book
from alexandria.errors import BookError
from alexandria.extract import extract
from tests.extract.typeset import LEFT, LONG, typeset, write

WORDS = "The keeper counted forty lamps."
RECT = (LEFT, 60, LEFT + 250, 80)


def form(path: Path, *, text: bool = True) -> Path:
    """Draw a page with a field and a button."""
    canvas = Canvas(str(path), pagesize=A5)
    for x, y, size, line in typeset(LONG[:2])[0][2:] if text else ():
        canvas.setFont("Times-Roman", size)
        canvas.drawString(x, y, line)
    canvas.acroForm.textfield(name="a", value=WORDS, x=LEFT, y=60, width=250, height=20)
    canvas.acroForm.checkbox(name="b", checked=True, x=LEFT, y=90)
    canvas.showPage()
    canvas.save()
    return path


def without_appearances(path: Path) -> Path:
    writer = PdfWriter(clone_from=path)
    for annotation in writer.pages[0]["/Annots"]:  # type: ignore[attr-defined]  # an array
        annotation.get_object().pop("/AP", None)
    writer.write(path)
    return path


@pytest.mark.parametrize("drawn", [True, False], ids=["drawn", "not drawn"])
@pytest.mark.parametrize("text", [True, False], ids=["beside text", "alone"])
def test_the_fields_of_a_form_are_text(tmp_path: Path, text: bool, drawn: bool) -> None:
    path = form(tmp_path / "form.pdf", text=text)
    book = extract(path if drawn else without_appearances(path))
    assert [block.text for block in book.blocks] == [*(LONG[:2] if text else ()), WORDS]
    assert not book.left_out


@pytest.mark.parametrize("rendering", [True, False])
def test_a_form_that_only_a_viewer_of_forms_draws_is_named(tmp_path: Path, rendering: bool) -> None:
    writer = PdfWriter(clone_from=write(tmp_path / "plain.pdf", [typeset(LONG[:2])[0][2:]]))
    fields = DictionaryObject({NameObject("/Fields"): ArrayObject()})
    if rendering:
        writer._root_object[NameObject("/NeedsRendering")] = BooleanObject(True)
    if rendering:
        fields[NameObject("/XFA")] = writer._add_object(StreamObject())
    writer._root_object[NameObject("/AcroForm")] = fields
    writer.write(tmp_path / "form.pdf")
    assert [("XFA" in warning) for warning in extract(tmp_path / "form.pdf").warnings] == [True] * rendering


def annotated(tmp_path: Path, annotation: Any, *, alone: bool = False) -> Book:
    pages = [[]] if alone else [typeset(LONG[:2])[0][2:]]
    writer = PdfWriter(clone_from=write(tmp_path / "plain.pdf", pages))
    writer.add_annotation(0, annotation)
    writer.write(tmp_path / "book.pdf")
    return extract(tmp_path / "book.pdf")


QUADS = ArrayObject(map(FloatObject, (60, 80, 310, 80, 60, 60, 310, 60)))
HIGHLIGHT = Highlight(rect=RECT, quad_points=QUADS)


@pytest.mark.parametrize(
    "annotation", [Text(text=WORDS, rect=RECT), FreeText(text=WORDS, rect=RECT)], ids=["note", "not drawn"]
)
def test_a_comment_is_left_out_and_counted(tmp_path: Path, annotation: Any) -> None:
    book = annotated(tmp_path, annotation)
    assert [(part.kind, part.where, part.words) for part in book.left_out] == [("comment", "page 1", 5)]
    with pytest.raises(BookError, match="all of its words are in comments"):
        annotated(tmp_path, annotation, alone=True)


def test_what_is_no_comment_is_not_counted(tmp_path: Path) -> None:
    cases = {
        "a link": (Link(rect=RECT, url="https://example.org"), "the log of the harbour"),
        "the window of a comment": (Popup(rect=RECT), WORDS),
        "what is highlighted": (HIGHLIGHT, LONG[0][:60]),
        "no words": (HIGHLIGHT, ""),
    }
    for annotation, contents in cases.values():
        annotation[NameObject("/Contents")] = Text(text=contents, rect=RECT)["/Contents"]
        book = annotated(tmp_path, annotation)
        assert [block.text for block in book.blocks] == LONG[:2]
        assert not book.left_out
