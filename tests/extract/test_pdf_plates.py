"""A cover and a plate are no loss in a book with text; a page of type that is a picture is."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract import ReadOptions, extract
from tests.command import alexandria as run

SIZE = (420, 595)
SENTENCE = "The keeper lit the lamp before the tide turned, page {}."


def picture(kind: str) -> Image.Image:
    """A picture of a kind: a plate, or a page with lines of type, which are drawn as rows of strokes."""
    image = Image.new("L", SIZE, 235)
    draw = ImageDraw.Draw(image)
    if kind in ("plate", "captioned"):
        draw.rectangle((60, 60, 360, 430), fill=90)
        draw.ellipse((120, 140, 300, 330), fill=150)
    rows = {"captioned": [(470, 8)], "part": [(250, 24)], "type": [(y, 8) for y in range(60, 530, 14)]}
    for top, height in rows.get(kind, []):
        for x in range(60, 360, 7):
            draw.rectangle((x, top, x + 3, top + height), fill=20)
    return image.rotate(1.2, fillcolor=235) if kind == "type" else image


def book(path: Path, pages: Sequence[str]) -> Path:
    canvas = Canvas(str(path), pagesize=A5)
    for number, kind in enumerate(pages, 1):
        if kind == "text":
            canvas.drawString(60, 500, SENTENCE.format(number))
        elif kind != "blank":
            canvas.drawImage(ImageReader(picture(kind)), 0, 0, *A5)
        canvas.showPage()
    canvas.save()
    return path


def test_covers_and_plates_are_no_loss_and_pages_of_type_are(tmp_path: Path) -> None:
    cases = {
        "cover": ("plate text text text", "page 1", ""),
        "both covers, whatever is on them": ("type text text plate", "pages 1, 4", ""),
        "plate": ("text text plate text text", "page 3", ""),
        "a plate with a caption": ("text text captioned text text", "", "page 3"),
        "the title of a part": ("text text part text text", "", "page 3"),
        "crooked page of type": ("text text type text text", "", "page 3"),
        "more than the last page": ("text text text type type", "", "pages 4-5"),
        "more than the first page": ("type type text text text", "", "pages 1-2"),
        "mostly scanned": ("plate type type text", "", "pages 1-3"),
        "blank": ("text text blank text", "", ""),
    }
    for pages, plates, lost in cases.values():
        read = extract(book(tmp_path / "a.pdf", pages.split()), ReadOptions(ocr="off"))
        assert [part.where for part in read.left_out if part.kind == "plate"] == [plates] * bool(plates)
        assert [warning.partition(" not read")[0] for warning in read.warnings] == [lost] * bool(lost)


def test_a_cover_is_said_in_show_and_makes_no_book_partial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no tesseract
    there = ("--store", tmp_path / "library")
    shown = run(
        "ingest", book(tmp_path / "a.pdf", ["plate", *["text"] * 4]), "--model", "hashing", *there
    ).stderr
    assert "partial" not in shown
    assert "tesseract" not in shown
    shown = run("show", "a", *there).stdout
    assert "page 1: pictures without words" in shown
    assert "warning" not in shown
