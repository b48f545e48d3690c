"""What is in layers that are switched off is left out, and counted."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from alexandria.book.model import Book
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.extract.pdf import document
from tests.pairs import by_pairs

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
RESOURCES = b"/Resources << /Font << /F1 5 0 R >> /Properties << %b >> /XObject << /X 6 0 R >> >>"
NAMES = b"/A 10 0 R /B 11 0 R /M 12 0 R"
"""Two layers and a membership, as text names them."""


def line(words: str, y: int = 700) -> bytes:
    return b"BT /F1 12 Tf 72 %d Td (%b) Tj ET\n" % (y, words.encode())


def within(layer: str, content: bytes) -> bytes:
    return b"/OC /%b BDC\n%bEMC\n" % (layer.encode(), content)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def make_objects(
    default: str = "/OFF [10 0 R]",
    *,
    text: bytes | None = None,
    usage: tuple[str, str] = ("", ""),
    membership: str = "/OCGs [10 0 R 11 0 R]",
    form: bytes = b"",
    form_entries: str = "",
    annotation: str = "<< /Subtype /Link >>",
) -> dict[int, bytes]:
    """Return the objects of a page with two layers, 10 and 11, a membership, 12, a form and an annotation."""
    first, second = within("A", line("first", 680)), within("B", line("second", 660))
    text = line("Always") + first + second + line("in the end.", 640) if text is None else text
    catalog = (
        f"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [10 0 R 11 0 R] /D << {default} >> >> >>"
    )
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [7 0 R] %b >>"
    return {
        1: catalog.encode(),
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: page % (RESOURCES % NAMES),
        4: stream(text),
        5: FONT,
        6: stream(
            form,
            b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] %b %b"
            % (form_entries.encode(), RESOURCES % NAMES),
        ),
        7: annotation.encode(),
        10: f"<< /Type /OCG /Name (Layer) /Usage << {usage[0]} >> >>".encode(),
        11: f"<< /Type /OCG /Name (Layer) /Usage << {usage[1]} >> >>".encode(),
        12: f"<< /Type /OCMD {membership} >>".encode(),
    }


def with_table(objects: dict[int, bytes]) -> bytes:
    """Return a PDF as of version 1.4, with a table of its objects."""
    content, table = b"%PDF-1.4\n", b"xref\n0 1\n0000000000 65535 f \n"
    for number, written in objects.items():
        table += b"%d 1\n%010d 00000 n \n" % (number, len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    trailer = b"trailer\n<< /Root 1 0 R /Size 13 >>\nstartxref\n%d\n%%%%EOF\n" % len(content)
    return content + table + trailer


def with_streams(objects: dict[int, bytes]) -> bytes:
    """Return a PDF as of version 1.5: all objects but streams are in a compressed stream."""
    packed = {number: written for number, written in objects.items() if b"stream\n" not in written}
    content, places = b"%PDF-1.5\n", {number: (2, 13, i) for i, number in enumerate(packed)}
    index, body = b"", b""
    for number, written in packed.items():
        index += b"%d %d " % (number, len(body))
        body += written + b" "
    data = zlib.compress(index + body)
    entries = b"/Type /ObjStm /N %d /First %d /Filter /FlateDecode" % (len(packed), len(index))
    whole = {number: written for number, written in objects.items() if number not in packed}
    for number, written in {**whole, 13: stream(data, entries)}.items():
        places[number] = (1, len(content), 0)
        content += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    rows = [places.get(number, (1, len(content), 0) if number == 14 else (0, 0, 0)) for number in range(15)]
    table = b"".join(bytes([kind]) + at.to_bytes(4, "big") + bytes([i]) for kind, at, i in rows)
    cross_reference = stream(table, b"/Type /XRef /W [1 4 1] /Size 15 /Root 1 0 R")
    return content + b"14 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF\n" % (cross_reference, len(content))


WRITERS = {"table": with_table, "streams": with_streams}


def read(path: Path, content: bytes) -> Book:
    path.write_bytes(content)
    return extract(path)


def hidden(book: Book) -> dict[str, int]:
    return {part.where: part.words for part in book.left_out}


PRINTED_AND_SHOWN = (
    "/Print << /PrintState /OFF >> /View << /ViewState /ON >>",
    "/Print << /PrintState /ON >> /View << /ViewState /OFF >>",
)
EVENTS = (
    "/AS [<< /Event /View /Category [/View] /OCGs [10 0 R 11 0 R] >> "
    "<< /Event /Print /Category [/Print] /OCGs [10 0 R 11 0 R] >>]"
)
M = line("Always") + within("M", line("first", 680)) + line("in the end.", 640)
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "on": ({"default": ""}, "Always first second in the end."),
    "off": ({}, "Always second in the end."),
    "both": ({"default": "/OFF [10 0 R 11 0 R]"}, "Always in the end."),
    "base": ({"default": "/BaseState /OFF /ON [11 0 R]"}, "Always second in the end."),
    "on after base": ({"default": "/BaseState /OFF /ON [10 0 R 11 0 R]"}, "Always first second in the end."),
    "shown or printed": (
        {"default": f"/OFF [10 0 R] {EVENTS}", "usage": PRINTED_AND_SHOWN},
        "Always first second in the end.",
    ),
    "neither shown nor printed": (
        {"default": EVENTS, "usage": (PRINTED_AND_SHOWN[0].replace("ON", "OFF"), PRINTED_AND_SHOWN[1])},
        "Always second in the end.",
    ),
    "usage of a layer that is not listed": (
        {"default": "/OFF [10 0 R] /AS [<< /Event /View /Category [/View] /OCGs [12 0 R 99 0 R] >>]"},
        "Always second in the end.",
    ),
    "a layer that is no object of its own": (
        {"default": "/OFF [<< /Type /OCG >> 10 0 R]"},
        "Always second in the end.",
    ),
    "usage without event": ({"usage": PRINTED_AND_SHOWN}, "Always second in the end."),
    "shown and printed alike": (
        {
            "default": EVENTS,
            "usage": PRINTED_AND_SHOWN,
            "text": line("Always") + within("A", line("twice", 680)) + within("B", line("twice", 680)),
        },
        "Always twice",
    ),
    "shown and printed at the same place": (
        {
            "default": EVENTS,
            "usage": PRINTED_AND_SHOWN,
            "text": line("Always")
            + within("B", line("twice of it", 680))
            + within("A", line("twice of it", 680)),
        },
        "Always twice of it",
    ),
    "nested": (
        {"text": line("Always") + within("B", line("outer", 680) + within("A", line("inner", 660)))},
        "Always outer",
    ),
    "nested the other way": (
        {"text": line("Always") + within("A", line("outer", 680) + within("B", line("inner", 660)))},
        "Always",
    ),
    "marked within": (
        {"text": line("Always") + within("A", b"/Span << /MCID 0 >> BDC " + line("inner", 680) + b"EMC\n")},
        "Always",
    ),
    "form drawn in a layer": (
        {"text": line("Always") + within("A", b"/X Do\n"), "form": line("form", 680)},
        "Always",
    ),
    "layer within a form": (
        {"text": line("Always") + b"/X Do\n", "form": line("form", 680) + within("A", line("inner", 660))},
        "Always form",
    ),
    "form of a layer": (
        {"text": line("Always") + b"/X Do\n", "form": line("form", 680), "form_entries": "/OC 10 0 R"},
        "Always",
    ),
    "form of a layer that is on": (
        {"text": line("Always") + b"/X Do\n", "form": line("form", 680), "form_entries": "/OC 11 0 R"},
        "Always form",
    ),
    "any": ({"text": M}, "Always first in the end."),
    "all on": ({"text": M, "membership": "/P /AllOn /OCGs [10 0 R 11 0 R]"}, "Always in the end."),
    "any off": ({"text": M, "membership": "/P /AnyOff /OCGs [10 0 R 11 0 R]"}, "Always first in the end."),
    "all off": ({"text": M, "membership": "/P /AllOff /OCGs [10 0 R 11 0 R]"}, "Always in the end."),
    "one, not in a list": ({"text": M, "membership": "/OCGs 10 0 R"}, "Always in the end."),
    "of no layers": ({"text": M, "membership": "/OCGs []"}, "Always first in the end."),
    "not": ({"text": M, "membership": "/VE [/Not 10 0 R]"}, "Always first in the end."),
    "not and": ({"text": M, "membership": "/VE [/And 11 0 R [/Not 11 0 R]]"}, "Always in the end."),
    "or, before policy": (
        {"text": M, "membership": "/P /AllOn /OCGs [10 0 R] /VE [/Or 10 0 R 11 0 R]"},
        "Always first in the end.",
    ),
    "remark": (
        {"annotation": "<< /Subtype /FreeText /Rect [72 500 300 520] /Contents (remark) /OC 10 0 R >>"},
        "Always second in the end.",
    ),
}


@by_pairs(("write", WRITERS), ("page, text", CASES))
def test_layers_that_are_off_are_left_out_and_counted(
    write: Callable[[dict[int, bytes]], bytes], page: dict[str, Any], text: str, tmp_path: Path
) -> None:
    book = read(tmp_path / "a.pdf", write(make_objects(**page)))
    assert " ".join(book.text.split()) == text
    shown = read(tmp_path / "on.pdf", write(make_objects(**{**page, "default": ""})))
    if "usage" not in page:
        n_words = sum(hidden(book).values()) - sum(hidden(shown).values())
        assert n_words == len(shown.text.split()) - len(text.split())


def test_words_stay_that_a_layer_that_is_off_has_at_the_same_place(tmp_path: Path) -> None:
    twice = line("The lamp was lit.", 680)
    text = line("The boats came home.") + within("A", twice) + twice
    book = read(tmp_path / "a.pdf", with_table(make_objects(text=text)))
    assert " ".join(book.text.split()) == "The boats came home. The lamp was lit."
    assert hidden(book) == {"layers that are off, page 1": 4}


def test_the_record_names_the_pages(tmp_path: Path) -> None:
    assert hidden(read(tmp_path / "a.pdf", with_table(make_objects()))) == {"layers that are off, page 1": 1}


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_layers_of_an_encrypted_file(algorithm: str, tmp_path: Path) -> None:
    (tmp_path / "plain.pdf").write_bytes(with_table(make_objects()))
    writer = PdfWriter(clone_from=tmp_path / "plain.pdf")
    writer.encrypt("", "owner", algorithm=algorithm)
    writer.write(tmp_path / "encrypted.pdf")
    assert extract(tmp_path / "encrypted.pdf").text.split() == ["Always", "second", "in", "the", "end."]


def test_a_revision_that_cannot_be_opened_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        document, "revise_layers", lambda path, password: b"\nstartxref\n0\n%%EOF\n" + bytes(9000)
    )
    book = read(tmp_path / "a.pdf", with_table(make_objects()))
    assert book.text.split()[:2] == ["Always", "first"]


def test_bytes_before_the_header_do_not_matter(tmp_path: Path) -> None:
    book = read(tmp_path / "a.pdf", b"junk\n" + with_table(make_objects()))
    assert book.text.split() == ["Always", "second", "in", "the", "end."]


def test_a_page_of_few_words_is_not_unread_because_of_its_layers(tmp_path: Path) -> None:
    text = line("Al") + b"".join(within("A", line("x", y)) for y in range(300, 680, 20))
    book = read(tmp_path / "a.pdf", with_table(make_objects(text=text)))
    assert (book.text, book.warnings) == ("Al", ())


def test_a_file_with_nothing_but_layers_that_are_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="in layers that are switched off") as error:
        read(tmp_path / "a.pdf", with_table(make_objects(text=within("A", line("first")))))
    assert error.value.code is Code.NO_TEXT


def test_damaged_layers_hide_nothing(tmp_path: Path) -> None:
    cases = [
        "/OFF 9",
        "/OFF [99 0 R]",
        "/AS [<< /Event /View /OCGs [99 0 R] /Category [/View] >>]",
        "/BaseState 1",
    ]
    for default in cases:
        book = read(tmp_path / "a.pdf", with_table(make_objects(default)))
        assert book.text.split() == ["Always", "first", "second", "in", "the", "end."]
